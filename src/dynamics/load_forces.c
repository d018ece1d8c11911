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
