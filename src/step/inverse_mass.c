// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Effective inverse masses (theory 4) and their change (theory 6). With Y = A^-1 J^T, a weight M and Q = Y M,
//
//     dw = scale <M, dW>          <M, dW> = 2 sum_a F_a . (du(Q_a) + u(Q_a) x o) - <M, Y^T dM Y>
//
// where u(Q_a) is the relative velocity at the joint velocities Q_a. The number is either w = |W|_F/n, with M = W and scale
// 1/(n^2 w), or h . W e_n, with M = (h e_n^T + e_n h^T)/2 and scale 1 (trxi_mass_rows). The first part of dw is the gradient of a
// block's tangent, with the weights C_a = 2 scale F_a for the changes of the three velocities u(Q_a). The second part is a sum of
// terms y^T dM y, like kinetic energies: one for each pivot of W = L D L^T, or two, from h/|h| + e_n and h/|h| - e_n.

#include "step/inverse_mass.h"
#include "step/smooth.h"

#include "math/dense.h"
#include "step/block_tangent.h"

#include <string.h>

void trxi_step_solve_mass(const trxi_input *in, const trxi_smooth *smooth, const int *cols, int ncol, int nrhs, double *Y)
{
    TRXI_FOR_TREES(in->model, cols, ncol, tree)
        trxi_cholesky_solve(tree->nv, smooth->LA + tree->block, tree->nv, nrhs, Y + tree->v, in->model->nv);
}

double trxi_step_inverse_mass(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, const int *cols, int ncol,
                              const double *J, int n)
{
    // W = X^T X with X = L_A^-1 J^T, tree by tree
    const int nv = in->model->nv;
    double *X = rows->mass_scratch, W[9] = {0}, square = 0;
    TRXI_FOR_TREES(in->model, cols, ncol, tree)
        for (int a = 0; a < n; a++) memset(X + tree->v + a * nv, 0, (size_t)tree->nv * sizeof *X);
    for (int i = 0; i < ncol; i++)
        for (int a = 0; a < n; a++) X[cols[i] + a * nv] = J[n * i + a];
    TRXI_FOR_TREES(in->model, cols, ncol, tree) {
        trxi_lower_solve(tree->nv, smooth->LA + tree->block, tree->nv, n, X + tree->v, nv);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++) W[a + 3 * b] += trxi_dot(tree->nv, X + tree->v + a * nv, X + tree->v + b * nv);
    }
    for (int k = 0; k < 9; k++) square += W[k] * W[k];
    return sqrt(square) / n;
}

void trxi_mass_rows_solve(const trxi_solved *step, const trxi_mass_rows *rows, double *Y, double W[9])
{
    const int nv = step->in->model->nv, n = rows->n;
    memset(Y, 0, (size_t)n * (size_t)nv * sizeof *Y);
    for (int i = 0; i < rows->ncol; i++)
        for (int a = 0; a < n; a++) Y[rows->cols[i] + a * nv] = rows->J[n * i + a];
    trxi_step_solve_mass(step->in, step->smooth, rows->cols, rows->ncol, n, Y);
    memset(W, 0, 9 * sizeof *W);
    for (int i = 0; i < rows->ncol; i++)
        for (int a = 0; a < n; a++)
            for (int b = 0; b <= a; b++) W[a + 3 * b] += rows->J[n * i + a] * Y[rows->cols[i] + b * nv];
    for (int a = 1; a < n; a++)
        for (int b = 0; b < a; b++) W[b + 3 * a] = W[a + 3 * b];
}

double trxi_mass_rows_weight(const trxi_mass_rows *rows, const double W[9], double M[9])
{
    const int n = rows->n;
    memcpy(M, W, 9 * sizeof *M);
    if (!rows->leans) return 1 / (n * n * rows->w);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) M[a + 3 * b] = 0.5 * (rows->h[a] * (b == n - 1) + rows->h[b] * (a == n - 1));
    return 1;
}

double *trxi_mass_change_begin(const trxi_solved *step, trxi_derivatives *deriv)
{
    const size_t bytes = (size_t)step->in->model->nv * sizeof *deriv->dw;
    memset(deriv->dw, 0, bytes);
    if (step->in->two_stage) memset(deriv->dw_th, 0, bytes);
    return deriv->dw;
}

void trxi_mass_change_add(const trxi_solved *step, trxi_derivatives *deriv, const int *cols, int ncol, double scale,
                          const double *y, double *dw)
{
    const trx_model *model = step->in->model;
    double *g = deriv->y_scratch + 7 * model->nv, *V = g + model->nv, *h = V + 8 * model->nlink;
    double *into = step->in->two_stage ? deriv->dw_th : dw;
    TRXI_FOR_TREES(model, cols, ncol, tree) {
        trxi_mass_quadratic_dq(model, trxi_solved_kin(step), tree, y, V, h, g);
        for (int i = tree->v; i < tree->v + tree->nv; i++) into[i] += scale * g[i];
    }
}

static double row_force(const trxi_mass_rows *rows, int i)
{
    double force = 0;
    for (int a = 0; a < rows->n; a++) force += rows->J[rows->n * i + a] * rows->gamma_w[a];
    return force;
}

static void subtract_outer(const trxi_solved *step, const trxi_mass_rows *rows, const double *force, const double *dw,
                           const trxi_residual_out *out, double *r)
{
    TRXI_FOR_TREES(step->in->model, rows->cols, rows->ncol, tree)
        for (int j = tree->v; j < tree->v + tree->nv; j++) {
            double *column = r + out->places.columns[j];
            for (int i = 0; i < rows->ncol; i++) column[out->places.rows[rows->cols[i]]] -= force[i] * dw[j];
        }
}

void trxi_mass_change_subtract(const trxi_solved *step, trxi_derivatives *deriv, const trxi_mass_rows *rows, const double *dw,
                               const trxi_residual_out *out)
{
    if (out->lambda) {
        double through = 0;
        for (int i = 0; i < rows->ncol; i++) through += out->lambda[rows->cols[i]] * row_force(rows, i);
        TRXI_FOR_TREES(step->in->model, rows->cols, rows->ncol, tree) trxi_axpy(tree->nv, -through, dw + tree->v, out->q + tree->v);
        return;
    }
    double *force = deriv->force;
    for (int i = 0; i < rows->ncol; i++) force[i] = row_force(rows, i);
    subtract_outer(step, rows, force, dw, out, out->q);
    if (out->q_th) subtract_outer(step, rows, force, deriv->dw_th, out, out->q_th);
}

// ---- blocks between two sides ----

// the gradient of the first part of dw: velocities V_a of both links at the joint velocities Q_a, forces K_a on both links, and the
// forces `fixed`; dw at constant V_a is the product of `fixed` and a displacement
typedef struct gradient {
    const trxi_block_tangent *block;
    const trxi_mass_rows *rows;
    const double *Y, *Q; // nv x n
    double M[9], scale;
    double V[2][18], K[2][18];
    double fixed[2][8];
} gradient;

// reference point of V and K of a side
static const double *reference(const trxi_solved *step, const trxi_block_tangent *block, int which)
{
    const int link = block->columns->side[which].link;
    return link < 0 ? block->p : step->smooth->kin.c + 3 * step->in->model->links[link].tree;
}

// computes V and K of one side; adds the side's part of u(Q_a) and of the angular velocity
static void fill_side(const trxi_solved *step, int which, const double C[9], gradient *g, double slip[9], double spin[9])
{
    const trxi_block_tangent *block = g->block;
    const trxi_pair_side *side = &block->columns->side[which];
    const int n = g->rows->n, nv = step->in->model->nv;
    double arm[3], u[3];
    memset(g->V[which], 0, sizeof g->V[which]);
    memset(g->K[which], 0, sizeof g->K[which]);
    if (side->link < 0) return;
    const trxi_link *link = &step->in->model->links[side->link];
    const int *path = step->in->model->path + link->path_start;
    trxi_sub3(block->p, step->smooth->kin.c + 3 * link->tree, arm);
    for (int a = 0; a < n; a++) {
        double *V = g->V[which] + 6 * a, *K = g->K[which] + 6 * a;
        for (int k = 0; k < link->path_length; k++) trxi_axpy6(g->Q[path[k] + a * nv], step->smooth->kin.S + 6 * path[k], V);
        trxi_velocity_at(V, arm, u);
        trxi_axpy3(side->sign, u, slip + 3 * a);
        trxi_axpy3(side->sign, V, spin + 3 * a);
        if (!block->angular) trxi_axpy3(side->sign, C + 3 * a, K + 3);
        if (block->angular) trxi_axpy3(side->sign, C + 3 * a, K);
        else trxi_cross3(arm, K + 3, K);
    }
}

static void fill_gradient(const trxi_solved *step, trxi_derivatives *deriv, const trxi_block_tangent *block,
                          const trxi_mass_rows *rows, gradient *g)
{
    const int n = rows->n, nv = step->in->model->nv;
    double *Y = deriv->y_scratch, *Q = Y + 3 * nv, W[9], C[9] = {0}, slip[9] = {0}, spin[9] = {0}, o[3] = {0}, dp[3] = {0};
    g->block = block, g->rows = rows, g->Y = Y, g->Q = Q;
    trxi_mass_rows_solve(step, rows, Y, W);
    g->scale = trxi_mass_rows_weight(rows, W, g->M);
    TRXI_FOR_TREES(step->in->model, rows->cols, rows->ncol, tree)
        trxi_gemm(tree->nv, n, n, 1, Y + tree->v, nv, g->M, 3, 0, Q + tree->v, nv);
    for (int a = 0; a < n; a++) trxi_scale3(2 * g->scale, block->F + 3 * (3 - n + a), C + 3 * a);
    fill_side(step, 0, C, g, slip, spin);
    fill_side(step, 1, C, g, slip, spin);
    for (int a = 0; a < n; a++) {
        trxi_cross_add3(C + 3 * a, (block->angular ? spin : slip) + 3 * a, o);
        if (!block->angular) trxi_cross_add3(C + 3 * a, spin + 3 * a, dp);
    }
    deriv->passes->weigh(step, block, o, dp, g->fixed);
}

// computes the force whose product with S of a dof is the dof's dw: fixed + sum_a (V_a - V_p,a) x* K_a, with V_p of the parent link
static void force_beyond(const gradient *g, int which, const double before[18], double force[6])
{
    trxi_copy3(g->fixed[which], force);
    trxi_copy3(g->fixed[which] + 4, force + 3);
    for (int a = 0; a < g->rows->n; a++) {
        double beyond[6], turned[6];
        for (int i = 0; i < 6; i++) beyond[i] = g->V[which][6 * a + i] - before[6 * a + i];
        trxi_cross_force(beyond, g->K[which] + 6 * a, turned);
        trxi_axpy6(1, turned, force);
    }
}

static void add_side(const trxi_solved *step, const gradient *g, int which, double *dw)
{
    const trx_model *model = step->in->model;
    const trxi_pair_side *side = &g->block->columns->side[which];
    if (side->count == 0) return;
    const trxi_link *link = &model->links[side->link];
    const int *path = model->path + link->path_start, first = link->path_length - side->count;
    double before[18] = {0}, force[6] = {0};
    for (int k = 0, last = -1; k < link->path_length; k++) {
        const double *S = step->smooth->kin.S + 6 * path[k];
        if (k >= first && model->dof_link[path[k]] != last) {
            last = model->dof_link[path[k]];
            force_beyond(g, which, before, force);
        }
        if (k >= first) dw[path[k]] += trxi_dot6(S, force);
        for (int a = 0; a < g->rows->n; a++) trxi_axpy6(g->Q[path[k] + a * model->nv], S, before + 6 * a);
    }
}

// dw += scale y^T dM y for the sum y of weighted columns of Y
static void add_energy(const trxi_solved *step, trxi_derivatives *deriv, const gradient *g, const double weights[3], double scale,
                       double *dw)
{
    const trxi_mass_rows *rows = g->rows;
    const int nv = step->in->model->nv;
    double *y = deriv->y_scratch + 6 * nv;
    TRXI_FOR_TREES(step->in->model, rows->cols, rows->ncol, tree)
        for (int i = tree->v; i < tree->v + tree->nv; i++) {
            y[i] = 0;
            for (int b = 0; b < rows->n; b++) y[i] += weights[b] * g->Y[i + b * nv];
        }
    trxi_mass_change_add(step, deriv, rows->cols, rows->ncol, scale, y, dw);
}

// dw -= scale <M, Y^T dM Y>, M = W = L D L^T without pivoting; a vanishing pivot of a semidefinite W drops its direction
static void subtract_energies(const trxi_solved *step, trxi_derivatives *deriv, gradient *g, double *dw)
{
    const int n = g->rows->n;
    const double tiny = 1e-14 * (g->M[0] + g->M[4] + g->M[8]);
    double *W = g->M;
    for (int a = 0; a < n; a++) {
        const double D = W[4 * a];
        double weights[3] = {0};
        if (!(D > tiny)) continue;
        for (int b = a; b < n; b++) weights[b] = W[b + 3 * a] / D;
        add_energy(step, deriv, g, weights, -D * g->scale, dw);
        for (int b = n - 1; b > a; b--)
            for (int c = n - 1; c > a; c--) W[b + 3 * c] -= W[b + 3 * a] * W[c + 3 * a] / D;
    }
}

// dw -= Y_h^T dM Y_n = |h|/4 (E(Y_h/|h| + Y_n) - E(Y_h/|h| - Y_n)) with E(y) = y^T dM y
static void subtract_leaning_energies(const trxi_solved *step, trxi_derivatives *deriv, const gradient *g, double *dw)
{
    const double *h = g->rows->h, size = trxi_norm3(h);
    for (int sign = -1; sign <= 1 && size > 0; sign += 2) {
        const double weights[3] = {h[0] / size, h[1] / size, h[2] / size + sign};
        add_energy(step, deriv, g, weights, -sign * 0.25 * size, dw);
    }
}

const double *trxi_block_mass_change(const trxi_solved *step, trxi_derivatives *deriv, const trxi_block_tangent *block,
                                     const trxi_mass_rows *rows)
{
    gradient g;
    fill_gradient(step, deriv, block, rows, &g);
    double *dw = trxi_mass_change_begin(step, deriv);
    add_side(step, &g, 0, dw);
    add_side(step, &g, 1, dw);
    if (rows->leans) subtract_leaning_energies(step, deriv, &g, dw);
    else subtract_energies(step, deriv, &g, dw);
    return dw;
}

void trxi_block_subtract_mass(const trxi_solved *step, trxi_derivatives *deriv, const trxi_block_tangent *block,
                              const trxi_residual_out *out)
{
    for (int k = 0; k < block->nmass; k++) {
        const double *dw = trxi_block_mass_change(step, deriv, block, &block->mass[k]);
        trxi_mass_change_subtract(step, deriv, &block->mass[k], dw, out);
    }
}

double trxi_block_displaced_mass(const trxi_solved *step, trxi_derivatives *deriv, const trxi_block_tangent *block,
                                 const trxi_mass_rows *rows, bool on_a, const trxi_displacement *by)
{
    const int which = on_a ? 0 : 1;
    double force[6], u[3];
    gradient g;
    fill_gradient(step, deriv, block, rows, &g);
    static const double at_rest[18] = {0};
    force_beyond(&g, which, by->tree ? at_rest : g.V[which], force);
    trxi_displace(by, reference(step, block, which), u);
    return trxi_dot3(force, by->w) + trxi_dot3(force + 3, u);
}
