// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Differences of the step by a parameter (theory 6); see parameter_fd.h.

#include "verify/parameter_fd.h"

#include "step/sim.h"
#include "verify/state_difference.h"

#include <math.h>

// a hundredth of the damping, stiffness or rotor inertia that would add the smallest diagonal entry of M at the joint to A
static double joint_size(const trx_sim *sim, trx_parameter p)
{
    const trxi_joint *joint = &sim->in.model->joints[p.index];
    const double dt = sim->in.settings.time_step;
    double least = INFINITY;
    for (int i = joint->v; i < joint->v + joint->nv; i++) least = fmin(least, sim->smooth.M[sim->in.model->column[i] + i]);
    return 1e-2 * least / (p.kind == TRX_JOINT_DAMPING ? dt : p.kind == TRX_JOINT_STIFFNESS ? dt * dt : 1);
}

double trxi_parameter_size(trx_sim *sim, trx_parameter p)
{
    static const double length = 0.05, angle = 0.05, force = 1, acceleration = 9.81;
    double value = 0;
    switch (p.kind) {
    case TRX_GRAVITY: return acceleration;
    case TRX_BODY_TENSOR: {
        const trx_body_inertia *inertia = &sim->in.model->inertias[p.index];
        value = fmax(inertia->tensor[0], fmax(inertia->tensor[1], inertia->tensor[2]));
        return value > 0 ? value : inertia->mass * length * length; // of a point
    }
    case TRX_PLACE_TURN: return angle;
    case TRX_BODY_COM:
    case TRX_PLACE_POSITION:
    case TRX_GEOM_SIZE:
    case TRX_GEOM_RADIUS:
    case TRX_GEOM_LENGTH:
    case TRX_GEOM_ROUNDING:
    case TRX_JOINT_REST: return length;
    case TRX_ACTUATOR_BIAS: return force;
    case TRX_JOINT_DAMPING:
    case TRX_JOINT_STIFFNESS:
    case TRX_JOINT_ARMATURE: return joint_size(sim, p);
    default: return trx_sim_parameter(sim, p, &value) == TRX_OK ? fabs(value) : 0;
    }
}

typedef struct direction {
    trx_sim *sim;
    trx_parameter parameter;
    const double *x, *u;
    double value;
    double *ends;                // 2 (nstate)
    unsigned long long branches; // of the step at `value`
} direction;

// the end of a step with another value; *smooth becomes false when the value is not allowed, or the step fails or takes other
// branches. Errors: MEMORY
static trx_status step_at(const direction *d, double value, double *x_next, bool *smooth)
{
    trx_status status = trxi_sim_put_parameter(d->sim, d->parameter, value);
    if (status == TRX_OK) status = trx_step(d->sim, d->x, d->u, x_next);
    *smooth = *smooth && status >= 0 && trxi_step_branches(&d->sim->in, &d->sim->smooth, &d->sim->rows) == d->branches;
    return status == TRX_ERR_MEMORY ? status : TRX_OK;
}

static trx_status central(void *data, double e, double *D, bool *smooth)
{
    const direction *d = data;
    const trx_model *model = d->sim->in.model;
    double *plus = d->ends, *minus = d->ends + model->nstate;
    trx_status status = step_at(d, d->value + e, plus, smooth);
    if (status >= 0 && *smooth) status = step_at(d, d->value - e, minus, smooth);
    if (status < 0) return status;
    if (*smooth) trxi_state_slope(model, plus, minus, e, D);
    else D[0] = NAN;
    return TRX_OK;
}

trx_status trxi_parameter_fd(trx_sim *sim, trx_parameter parameter, const double *x, const double *u, const trxi_ladder *ladder,
                             double *ends, trxi_column *column)
{
    direction d = {.sim = sim, .parameter = parameter, .x = x, .u = u, .ends = ends};
    d.branches = trxi_step_branches(&sim->in, &sim->smooth, &sim->rows);
    column->estimate = INFINITY;
    if (trx_sim_parameter(sim, parameter, &d.value) < 0) return TRX_OK;

    // the first change of a parameter copies the model: report missing memory here, so that it does not look like a kink
    if (trxi_sim_put_parameter(sim, parameter, d.value) == TRX_ERR_MEMORY) return TRX_ERR_MEMORY;
    trx_status status = trxi_richardson_column(ladder, central, &d, column);
    const trx_status restored = trxi_sim_put_parameter(sim, parameter, d.value);
    return status < 0 || restored != TRX_ERR_MEMORY ? status : restored;
}
