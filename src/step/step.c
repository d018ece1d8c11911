// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One step x' = f(x, u) (theory 2): smooth dynamics, rows, one convex solve, one integration of positions with the scheme's
// velocity v_vq.

#include "step/contact_rows.h"
#include "step/integrate.h"
#include "step/scalar_rows.h"
#include "step/smooth.h"

#include "math/dense.h"
#include "math/rotation.h"

#include <stdio.h>
#include <string.h>

// normalizes quaternions; a quaternion of length 1 up to rounding keeps its bits. Returns false for a zero quaternion
static bool normalize(const trx_model *model, double *q)
{
    static const double rounding = 1e-14;
    for (int l = 0; l < model->nlink; l++) {
        double *quat = q + model->links[l].q;
        if (model->links[l].type != TRXI_BALL || fabs(trxi_dot(4, quat, quat) - 1) <= rounding) continue;
        double norm = trxi_quat_normalize(quat);
        if (!(norm > 0) || !isfinite(norm)) return false;
    }
    return true;
}

static trx_status load(trx_sim *sim, const trx_step_input *input)
{
    const trx_model *model = sim->in.model;
    sim->stepped = sim->deriv.linearized = false;
    sim->solver.stats = (trxi_solver_stats){0};
    trxi_rows_clear(&sim->rows);
    if (!input->x) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "no state given");
    if (!isfinite(input->time)) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "the time must be finite");
    const size_t velocities = (size_t)model->nv * sizeof(double), controls = (size_t)model->nu * sizeof(double);
    sim->in.t0 = input->time;
    memcpy(sim->in.q0, input->x, (size_t)model->nq * sizeof(double));
    memcpy(sim->in.v0, input->x + model->nq, velocities);
    memcpy(sim->solver.v, input->v_guess ? input->v_guess : sim->in.v0, velocities);
    if (input->u) memcpy(sim->in.u, input->u, controls);
    else memset(sim->in.u, 0, controls);
    bool finite = trxi_all_finite(model->nstate, input->x) && trxi_all_finite(model->nu, sim->in.u);
    if (!finite) return trxi_fail(sim->in.context, TRX_ERR_NOT_FINITE, "state or control is not finite");
    const double *a = input->x + model->nq + model->nv;
    trxi_activations_advance(model, sim->in.settings.time_step, a, sim->in.u, &sim->in.activations, sim->in.u);
    if (normalize(model, sim->in.q0)) return TRX_OK;
    return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "the state has a quaternion without direction");
}

static trx_status explain(trx_sim *sim, trx_status status)
{
    const trx_model *model = sim->in.model;
    const trxi_solver_stats *stats = &sim->solver.stats;
    if (status == TRX_ERR_MEMORY || stats->told) return status;
    if (status == TRX_ERR_NOT_FINITE) return trxi_step_explain_not_finite(&sim->in, &sim->rows);
    char far[128];
    if (stats->change > stats->still) // sweeps keep the residual at zero, so the change of v measures their error
        snprintf(far, sizeof far, "sweep %d still changes the velocities by %.2g of their size, more than %.2g", stats->iterations,
                 stats->change, stats->still);
    else snprintf(far, sizeof far, "residual %.2g of %.2g after %d iterations", stats->residual, stats->scale, stats->iterations);
    const int worst = trxi_contact_worst(&sim->problem, &sim->solver);
    const trxi_meeting *pair = worst < 0 ? NULL : trxi_meeting_of(&sim->rows, &sim->rows.origins[worst]);
    return trxi_fail(sim->in.context, status, "%s (%s%s%s%s%s)", trx_status_text(status), far, pair ? ", worst at " : "",
                     pair ? model->geoms[pair->geom_a].name : "", pair ? "|" : "", pair ? model->geoms[pair->geom_b].name : "");
}

void trxi_step_scalar_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows)
{
    rows->nscalar = rows->scalar_used = rows->nconstraint_rows = 0;
    rows->scalars = rows->contacts + rows->ncontact;
    if (in->model->nlimit || in->model->nconstraint) trxi_step_limit_rows(in, smooth, rows);
    if (in->model->nconstraint) trxi_step_constraint_rows(in, smooth, rows);
    trxi_step_drive_rows(in, smooth, rows);
}

static trx_status solve(trx_sim *sim)
{
    sim->problem = trxi_rows_problem(&sim->in, &sim->smooth, &sim->rows);
    sim->solved_tolerance = trxi_input_has_slopes(&sim->in) ? sim->in.solver.tolerance : INFINITY;
    return trxi_contact_solve(&sim->problem, &sim->in.solver, &sim->solver);
}

trx_status trx_step_from(trx_sim *sim, const trx_step_input *input, double *x_next)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (!input) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "no input of the step given");
    trx_status status = load(sim, input);
    if (status < 0) return status;
    const trx_model *model = sim->in.model;

    // smooth dynamics: A, p0 and the velocity without contact
    if ((status = trxi_step_smooth(&sim->in, &sim->smooth)) < 0) return status;

    // rows that can act within this step
    if ((status = trxi_step_contact_rows(&sim->in, &sim->laws, &sim->smooth, &sim->geometry, &sim->rows)) < 0) return status;
    if ((status = trxi_step_check_laws(&sim->in, &sim->rows)) < 0) return status;
    trxi_step_scalar_rows(&sim->in, &sim->smooth, &sim->rows);

    // the convex solve, then the positions
    if ((status = solve(sim)) < 0) return explain(sim, status);
    trxi_step_moving(&sim->in, sim->in.settings.time_step, sim->solver.v, sim->displacement);
    trx_model_integrate(model, sim->in.q0, sim->displacement, sim->q1);
    if (!trxi_all_finite(model->nq, sim->q1)) return explain(sim, TRX_ERR_NOT_FINITE);
    sim->stepped = true;

    if (x_next) {
        memcpy(x_next, sim->q1, (size_t)model->nq * sizeof *x_next);
        memcpy(x_next + model->nq, sim->solver.v, (size_t)model->nv * sizeof *x_next);
        memcpy(x_next + model->nq + model->nv, sim->in.activations.a1, (size_t)model->na * sizeof *x_next);
    }
    return status;
}

trx_status trx_step(trx_sim *sim, const double *x, const double *u, double *x_next)
{
    if (!sim) return TRX_ERR_ARGUMENT;

    // the guess is used once, whether the step succeeds or fails
    const trx_step_input input = {sim->time, x, u, sim->warm ? sim->v_warm : NULL};
    sim->warm = false;
    return trx_step_from(sim, &input, x_next);
}
