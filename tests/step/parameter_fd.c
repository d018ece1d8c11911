// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See parameter_fd.h.

#include "step/parameter_fd.h"

#include "step/sim.h"
#include "support/support.h"
#include "verify/parameter_fd.h"

enum { MAX_X = 64 };

static double value_of(const trx_sim *sim, trx_parameter p)
{
    double value = NAN;
    trx_status status = trx_sim_parameter(sim, p, &value);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(sim->in.context));
    return value;
}

double parameter_size(trx_sim *sim, trx_parameter p)
{
    const trx_model *model = sim->in.model;
    const double dt = sim->in.settings.time_step;
    double inertia = INFINITY;
    switch (p.kind) {
    case TRX_JOINT_DAMPING:
    case TRX_JOINT_STIFFNESS:
    case TRX_JOINT_ARMATURE:
        for (int i = model->joints[p.index].v; i < model->joints[p.index].v + model->joints[p.index].nv; i++)
            inertia = fmin(inertia, sim->smooth.M[model->column[i] + i]);
        return inertia / (p.kind == TRX_JOINT_DAMPING ? dt : p.kind == TRX_JOINT_STIFFNESS ? dt * dt : 1);
    case TRX_BODY_COM: return 0.05;
    case TRX_BODY_TENSOR: {
        const double *t = model->inertias[p.index].tensor;
        return fmax(t[0], fmax(t[1], t[2]));
    }
    case TRX_GRAVITY: return 9.81;
    case TRX_GEOM_SIZE:
    case TRX_GEOM_RADIUS:
    case TRX_GEOM_LENGTH:
    case TRX_GEOM_ROUNDING:
    case TRX_PLACE_POSITION:
    case TRX_PLACE_TURN: return 0.05;
    case TRX_JOINT_REST: return 0.1;
    case TRX_ACTUATOR_BIAS: return 1;
    case TRX_ACTUATOR_GEAR: return 1; // gears are 150 or 1; the change is 1 in both cases
    default: return value_of(sim, p);
    }
}

// largest increment tried, relative to the size
static double first_increment(trx_parameter p)
{
    switch (p.kind) {
    case TRX_JOINT_DAMPING:
    case TRX_JOINT_STIFFNESS:
    case TRX_JOINT_ARMATURE: return 2e-4;
    case TRX_GEOM_SIZE:
    case TRX_GEOM_RADIUS:
    case TRX_GEOM_LENGTH:
    case TRX_GEOM_ROUNDING:
    case TRX_PLACE_POSITION:
    case TRX_PLACE_TURN: return 1.6e-4;
    default: return 8e-3;
    }
}

void parameter_judge(trx_sim *sim, trx_parameter p, const double *x, const double *u, double bound, parameter_tally *tally)
{
    trx_sim_settings before = trx_sim_get_settings(sim), tight = before;
    tight.tolerance = 0;
    double F[MAX_X], C[MAX_X], scratch[TRXI_COLUMN_SCRATCH * MAX_X], ends[2 * MAX_X];
    if (trx_step(sim, x, u, NULL) < 0) return;
    const double size = parameter_size(sim, p), first = first_increment(p) * size;
    const int nx = 2 * sim->in.model->nv;
    if (!(size > 0)) return; // relaxation time of a law that has none
    trx_status status = trx_step_jac_parameters(sim, &p, 1, C);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(sim->in.context));

    // the increment whose two differences agree best
    const trxi_ladder ladder = {.first = first, .least = 3e-5 * first, .shrink = 1. / 3, .enough = 3e-8, .patience = INFINITY};
    trxi_column column = {.rows = nx, .F = F, .scratch = scratch, .floor = 1e-3 / size, .estimate = INFINITY};
    ck_assert_int_eq(trx_sim_set_settings(sim, &tight), TRX_OK);
    if (trx_step(sim, x, u, NULL) >= 0) status = trxi_parameter_fd(sim, p, x, u, &ladder, ends, &column);
    ck_assert_int_eq(trx_sim_set_settings(sim, &before), TRX_OK);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(sim->in.context));

    // differences that do not agree are no reference
    if (column.crossed || !(column.estimate <= 1e-4)) {
        tally->kinks++;
        return;
    }
    char name[200];
    ck_assert(trx_model_parameter_name(sim->in.model, p, name, sizeof name));
    const double effect = size * max_magnitude(F, nx), error = size * max_difference(C, F, nx) / fmax(effect, 1e-3);
    tally->judged++;
    tally->nonzero += effect > 1e-3;
    tally->worst = fmax(tally->worst, error);
    ck_assert_msg(error < bound, "%s: error %g of %g", name, error, effect);
}
