// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads in the step (theory 2), taken at its middle: explicit at q0 in the symplectic scheme, at q_th in the others.
//
//     p0 += dt J^T f                                                               dynamics/load_forces.c
//     d(J^T f)_i/dq_j = (S_j x S_i) . F [i not before j] + w_i . (J_j(p) x f)      F = [tau + (p - c) x f; f]
//
// f does not turn with the body; the columns do, with the joints before them, and the point moves.

#include "dynamics/load_forces.h"
#include "step/sim.h"

static double middle(const trx_sim *sim)
{
    return sim->t0 + 0.5 * sim->settings.time_step;
}

static bool load_force(const trx_sim *sim, const trxi_kinematics *kin, int index, double F[6], double arm[3])
{
    return trxi_load_wrench(sim->model, kin, index, middle(sim), F, arm);
}

void trxi_step_loads(const trx_sim *sim, const trxi_kinematics *kin, double scale, double *out)
{
    trxi_load_forces(sim->model, kin, middle(sim), scale, out);
}

static void subtract_load(const trx_sim *sim, const trxi_kinematics *kin, const trxi_link *link, const double F[6],
                          const double arm[3], double *r, int ld)
{
    const trx_model *model = sim->model;
    const int *path = model->path + link->path_start;
    const double dt = sim->settings.time_step;
    for (int j = 0; j < link->path_length; j++) {
        const double *S_j = kin->S + 6 * path[j];
        double moved[3], moment[3];
        trxi_cross3(S_j, arm, moved);
        trxi_add3(moved, S_j + 3, moved);
        trxi_cross3(moved, F + 3, moment);
        double *column = r + (ld ? path[j] * ld : model->column[path[j]]);
        for (int i = 0; i < link->path_length; i++) {
            const double *S_i = kin->S + 6 * path[i];
            double turned[6], change = trxi_dot3(S_i, moment);
            if (model->dof_link[path[i]] >= model->dof_link[path[j]]) {
                trxi_cross_motion(S_j, S_i, turned);
                change += trxi_dot6(turned, F);
            }
            column[path[i]] -= dt * change;
        }
    }
}

void trxi_step_loads_deriv(const trx_sim *sim, const trxi_kinematics *kin, double *r, int ld)
{
    const trx_model *model = sim->model;
    for (int k = 0; k < model->nload; k++) {
        double F[6], arm[3];
        if (load_force(sim, kin, k, F, arm)) subtract_load(sim, kin, &model->links[model->loads[k].link], F, arm, r, ld);
    }
}
