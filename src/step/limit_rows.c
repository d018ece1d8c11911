// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joint limits as near-rigid rows of the convex problem (theory 4): with tau = dt and the near-rigid bound,
//
//     gamma = ((v_hat - v_c)/R)+,  v_hat = -phi0/(2 dt),  R = beta^2/(4 pi^2) w,  w = (A^-1)_ii
//
// A row acts when v_c < v_hat; rows that cannot come near that within the step are left out.

#include "step/sim.h"

#include "math/constants.h"
#include "math/dense.h"

#include <string.h>

// (A^-1)_ii = |L_A^-1 e_i|^2
static double inverse_inertia(trx_sim *sim, int dof)
{
    const trx_model *model = sim->model;
    const int nv = model->nv;
    const trxi_tree *tree = &model->trees[model->links[model->dof_link[dof]].tree];
    double *x = sim->W_scratch;
    memset(x, 0, (size_t)tree->nv * sizeof *x);
    x[dof - tree->v] = 1;
    trxi_lower_solve(tree->nv, sim->LA + tree->v * (nv + 1), nv, 1, x, nv);
    return trxi_dot(tree->nv, x, x);
}

static void add_limit(trx_sim *sim, int dof, double sign, double phi0)
{
    const trx_sim_settings *set = &sim->settings;
    const double dt = set->time_step;
    double travel = 4 * dt * (fabs(sim->v0[dof]) + fabs(sim->v_free[dof]));
    static const double always = 0.05; // kept whatever the speed: contacts may push [m or rad]
    if (phi0 > travel + always) return;
    trxi_limit *limit = &sim->limits[sim->problem.nlimit++];
    *limit = (trxi_limit){.dof = dof, .sign = sign, .phi0 = phi0, .v_hat = -phi0 / (2 * dt)};
    limit->w = inverse_inertia(sim, dof);
    limit->R = set->near_rigid * set->near_rigid / (4 * TRXI_PI * TRXI_PI) * limit->w;
}

void trxi_step_limit_rows(trx_sim *sim)
{
    const trx_model *model = sim->model;
    sim->problem.nlimit = 0;
    for (int k = 0; k < model->nlimit; k++) {
        const trxi_joint *joint = &model->joints[model->limits[k]];
        double q = sim->q0[joint->q];
        if (isfinite(joint->lower)) add_limit(sim, joint->v, 1, q - joint->lower);
        if (isfinite(joint->upper)) add_limit(sim, joint->v, -1, joint->upper - q);
    }
}
