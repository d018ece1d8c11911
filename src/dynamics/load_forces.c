// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads as forces of the joints (theory 2): a force f and a torque tau in world axes act on a link at the point p,
//
//     (J^T f)_i = S_i . F,    F = [tau + (p - c) x f; f] about c,    S_i = [w_i; v_i] for the dofs on the link's path

#include "dynamics/load_forces.h"

bool trxi_load_wrench(const trx_model *model, const trxi_kinematics *kin, int load, double t, double F[6], double arm[3])
{
    const trxi_load *l = &model->loads[load];
    double now[6];
    trx_model_load(model, load, t, now);
    if (trxi_dot6(now, now) == 0) return false;
    trxi_mulv3(kin->R + 9 * l->link, l->p_L, arm);
    trxi_add3(arm, kin->o + 3 * l->link, arm);
    trxi_copy3(now + 3, F);
    trxi_cross_add3(arm, now, F);
    trxi_copy3(now, F + 3);
    return true;
}

void trxi_load_forces(const trx_model *model, const trxi_kinematics *kin, double t, double scale, double *out)
{
    for (int k = 0; k < model->nload; k++) {
        const trxi_link *link = &model->links[model->loads[k].link];
        double F[6], arm[3];
        if (!trxi_load_wrench(model, kin, k, t, F, arm)) continue;
        for (int i = 0; i < link->path_length; i++) {
            int dof = model->path[link->path_start + i];
            out[dof] += scale * trxi_dot6(kin->S + 6 * dof, F);
        }
    }
}

// one pass from the root to the link
void trxi_wrench_turn(const trx_model *model, const trxi_kinematics *kin, const trxi_link *link, const double F[6],
                      const double B[6], const double *y, double scale, int skip, double *out)
{
    const int *path = model->path + link->path_start;
    double W[6] = {0}, passed[6] = {0};
    for (int i = 0; i < link->path_length; i++) trxi_axpy6(y[path[i]], kin->S + 6 * path[i], W);
    for (int j = 0; j < link->path_length; j++) {
        const trxi_link *of = &model->links[model->dof_link[path[j]]];
        if (j >= skip) {
            double beyond[6], turned[6];
            for (int a = 0; a < 6; a++) beyond[a] = W[a] - passed[a];
            trxi_cross_force(beyond, F, turned);
            trxi_axpy6(1, B, turned);
            out[path[j]] += scale * trxi_dot6(kin->S + 6 * path[j], turned);
        }

        // the last dof of a link: add the link's velocity to W_p of all later dofs
        if (path[j] < of->v + of->nv - 1) continue;
        for (int k = of->v; k < of->v + of->nv; k++) trxi_axpy6(y[k], kin->S + 6 * k, passed);
    }
}
