// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Velocities, columns and effective inverse mass of rows one side of which a parameter displaces (theory 6); see displacement.h.
// For w = |W|_F/n of n rows, W = J A^-1 J^T, Q = A^-1 J^T W:
//
//     dw = <W, dW>/(n^2 w) = 2 sum_a F_a . (du(Q_a) + u(Q_a) x o)/(n^2 w)
//
// where du(Q_a) is the change of the relative velocity at the joint velocities Q_a. A does not change: a tree that is displaced as
// a whole has the same kinetic energy.

#include "step/displacement.h"

#include <string.h>

void trxi_displace(const trxi_displacement *motion, const double x[3], double u[3])
{
    double arm[3];
    trxi_sub3(x, motion->at, arm);
    trxi_cross3(motion->w, arm, u);
    trxi_add3(u, motion->v, u);
}

// velocity V of a link at x
static void velocity_at(const trx_sim *sim, int link, const double V[6], const double x[3], double u[3])
{
    double arm[3];
    trxi_sub3(x, sim->kin.c + 3 * sim->model->links[link].tree, arm);
    trxi_cross3(V, arm, u);
    trxi_add3(u, V + 3, u);
}

void trxi_displaced_velocity(const trxi_displaced *k, const double *V, const double dp[3], double du[3], double slip[3])
{
    const trxi_pair_side *sides[2] = {&k->columns->a, &k->columns->b};
    trxi_zero3(du);
    trxi_zero3(slip);
    for (int s = 0; s < 2; s++) {
        if (sides[s]->link < 0) continue;
        const double *V_X = V + 6 * sides[s]->link;
        double u[3], turned[3], carried[3];
        velocity_at(k->sim, sides[s]->link, V_X, k->p, u);
        trxi_axpy3(sides[s]->sign, u, slip);
        trxi_cross3(V_X, dp, carried);
        trxi_axpy3(sides[s]->sign, carried, du);
        if (sides[s] != k->side || !k->motion->tree) continue;

        // S x V at p, S the displacement: w x u - W x u_S
        trxi_displace(k->motion, k->p, carried);
        trxi_cross3(k->motion->w, u, turned);
        trxi_cross_add3(carried, V_X, turned);
        trxi_axpy3(sides[s]->sign, turned, du);
    }
}

void trxi_displaced_spin(const trxi_displaced *k, const double *V, double dW[3], double spin[3])
{
    const trxi_pair_side *sides[2] = {&k->columns->a, &k->columns->b};
    trxi_zero3(dW);
    trxi_zero3(spin);
    for (int s = 0; s < 2; s++) {
        if (sides[s]->link < 0) continue;
        double turned[3];
        trxi_axpy3(sides[s]->sign, V + 6 * sides[s]->link, spin);
        if (sides[s] != k->side || !k->motion->tree) continue;
        trxi_cross3(k->motion->w, V + 6 * sides[s]->link, turned);
        trxi_axpy3(sides[s]->sign, turned, dW);
    }
}

// Y = A^-1 J^T (nv x nrow) and W
static void responses(const trxi_displaced *k, double *Y, double W[9])
{
    trx_sim *sim = k->sim;
    if (k->nrow == 3) {
        trxi_step_rows_mass(sim, k->cols, k->columns->ncol, k->J, 3, Y, W);
        return;
    }
    memset(Y, 0, (size_t)sim->model->nv * sizeof *Y);
    for (int i = 0; i < k->columns->ncol; i++) Y[k->cols[i]] = k->J[i];
    trxi_step_solve_mass(sim, k->cols, k->columns->ncol, 1, Y);
    W[0] = k->w;
}

double trxi_displaced_mass(const trxi_displaced *k, const double dp[3], const double o[3])
{
    const int nv = k->sim->model->nv, n = k->nrow;
    double *Y = k->sim->y_scratch, *Q = Y + 3 * nv, *V = Y + 8 * nv, W[9], dw = 0;
    responses(k, Y, W);
    for (int a = 0; a < n; a++) {
        double du[3], slip[3];
        memset(Q, 0, (size_t)nv * sizeof *Q);
        for (int b = 0; b < n; b++)
            for (int i = 0; i < nv; i++) Q[i] += Y[i + b * nv] * W[b + n * a];
        trxi_link_velocities(k->sim->model, &k->sim->kin, Q, V);
        if (k->turn) trxi_displaced_spin(k, V, du, slip);
        else trxi_displaced_velocity(k, V, dp, du, slip);
        trxi_cross_add3(slip, o, du);
        dw += 2 * trxi_dot3(k->F + 3 * (3 - n + a), du) / (n * n * k->w);
    }
    return dw;
}

static void subtract_side(const trxi_displaced *k, const trxi_pair_side *side, const double f[3], const double df[3],
                          const double dp[3], double *r)
{
    if (side->count == 0) return;
    const trx_sim *sim = k->sim;
    const trxi_link *link = &sim->model->links[side->link];
    const bool own = side == k->side && k->motion->tree;
    double force[3], moment[3], carried[3];
    trxi_copy3(df, force);
    if (own) trxi_cross_add3(f, k->motion->w, force);
    trxi_cross3(dp, f, moment);
    trxi_displace(k->motion, k->p, carried);
    if (own) trxi_cross_add3(f, carried, moment);
    for (int i = 0; i < side->count; i++) {
        int dof = sim->model->path[link->path_start + side->skip + i];
        const double *S = sim->kin.S + 6 * dof;
        double column[3];
        velocity_at(sim, side->link, S, k->p, column);
        r[dof] -= side->sign * (k->turn ? trxi_dot3(S, force) : trxi_dot3(column, force) + trxi_dot3(S, moment));
    }
}

void trxi_displaced_subtract(const trxi_displaced *k, const double f[3], const double df[3], const double dp[3], double *r)
{
    subtract_side(k, &k->columns->a, f, df, dp, r);
    subtract_side(k, &k->columns->b, f, df, dp, r);
}
