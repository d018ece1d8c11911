// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The turn of columns under a constant force; see wrench_turn.h. One pass from the root to the link, O(depth).

#include "dynamics/wrench_turn.h"

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

        // after its last dof a link adds its own velocity to W_p of the dofs beyond
        if (path[j] < of->v + of->nv - 1) continue;
        for (int k = of->v; k < of->v + of->nv; k++) trxi_axpy6(y[k], kin->S + 6 * k, passed);
    }
}
