// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Users of the tangent of a block of rows (theory 6): matrices, adjoint products, and parameters that displace one
// side.
//
// A parameter gives one displacement of a side X. The formulas for a dof also hold for this displacement, although the link of X
// has no such dof. If a tree moves as a whole, the displacement acts like a dof before the first joint: velocities and columns
// turn, M is constant,
//
//     d(J_i . f) = J_i . df + w_i . (dp x f)  [ + J_i . (f x w) + w_i . (f x u(p)) for rows of X ]
//     d(w_i . m) = w_i . dm                   [ + w_i . (m x w) ]                               angular blocks

#include "step/block_tangent.h"

// velocity of the point p per unit of a dof
static void point_column(const trxi_solved *step, int link, const double S[6], const double p[3], double u[3])
{
    double arm[3];
    trxi_sub3(p, step->smooth->kin.c + 3 * step->in->model->links[link].tree, arm);
    trxi_velocity_at(S, arm, u);
}

// r -= J^T of a force at p and a moment about p; on angular rows `force` is a moment. The force may be stiff. Its product with the
// velocity at p is exactly zero if this velocity is exactly zero along n
static void subtract_side(const trxi_solved *step, const trxi_block_tangent *block, const trxi_pair_side *side,
                          const double force[3], const double moment[3], double *r)
{
    if (side->count == 0) return;
    const int *path = side->dofs;
    for (int i = 0; i < side->count; i++) {
        const double *S = step->smooth->kin.S + 6 * path[i];
        double u[3];
        point_column(step, side->link, S, block->p, u);
        r[path[i]] -= side->sign * (block->angular ? trxi_dot3(S, force) : trxi_dot3(u, force) + trxi_dot3(S, moment));
    }
}

void trxi_block_subtract_displaced(const trxi_solved *step, trxi_derivatives *deriv, const trxi_block_tangent *block,
                                   bool on_a, const trxi_displacement *by, double *r)
{
    const trxi_pair_side *moved = &block->columns->side[!on_a], *other = &block->columns->side[on_a];
    double u[3], f[3], df[3], moment[3];
    trxi_displace(by, block->p, u);
    deriv->passes->displace(step, block, on_a, by->tree, by->w, u, df, moment);
    for (int k = 0; k < block->nmass; k++) {
        const trxi_mass_rows *rows = &block->mass[k];
        const double dw = trxi_block_displaced_mass(step, deriv, block, rows, on_a, by);
        for (int i = 0; i < rows->n; i++) trxi_axpy3(dw * rows->gamma_w[i], block->F + 3 * (3 - rows->n + i), df);
    }
    subtract_side(step, block, other, df, moment, r);
    if (by->tree) {
        trxi_mulv3(block->F, block->gamma, f);
        trxi_cross_add3(f, by->w, df);
        trxi_cross_add3(f, u, moment);
    }
    subtract_side(step, block, moved, df, moment, r);
}

void trxi_block_motion(const trxi_solved *step, const trxi_derivatives *deriv, const trxi_block_tangent *block, double *motion)
{
    for (int s = 0; s < 2; s++) {
        const trxi_pair_side *side = &block->columns->side[s];
        for (int i = 0; i < side->count; i++) {
            const double *S = step->smooth->kin.S + 6 * side->dofs[i];
            double u[3];
            point_column(step, side->link, S, block->p, u);
            deriv->passes->move(step, block, s == 0, S, u, motion + 7 * (side->offset + i));
        }
    }
}
