// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Terms of theory 6 that do not depend on what makes the impulse; see point_deriv.h.
//
// The point is fixed in space where theory 6 fixes it in the body; the sum is the same and needs no motion relative to the
// body. Dofs above both sides turn everything alike: all their terms cancel and are left out.

#include "step/point_deriv.h"

#include "math/dense.h"

#include <string.h>

static void side_columns(const trxi_point *k, const trxi_pair_side *side)
{
    const trx_sim *sim = k->sim;
    if (side->count == 0) return;
    const trxi_link *link = &sim->model->links[side->link];
    double arm[3], column[3];
    trxi_sub3(k->p, sim->kin.c + 3 * link->tree, arm);
    for (int i = 0; i < side->count; i++) {
        const double *S = sim->kin.S + 6 * sim->model->path[link->path_start + side->skip + i];
        double *out = sim->row_scratch + TRXI_COLUMN * (side->offset + i);
        trxi_cross3(S, arm, column);
        trxi_add3(column, S + 3, column);
        trxi_scale3(side->sign, column, out + TRXI_JW);
        trxi_scale3(side->sign, S, out + TRXI_WW);
        trxi_cross3(k->f, S, out + TRXI_FXW);
        trxi_cross3(k->f, column, out + TRXI_FXJ);
    }
}

void trxi_point_columns(const trxi_point *k)
{
    side_columns(k, &k->columns->a);
    side_columns(k, &k->columns->b);
}

// velocity of the point of a link that is at p, for link velocities V
static void point_velocity(const trx_sim *sim, int link, const double *V, const double p[3], double u[3])
{
    if (link < 0) {
        trxi_zero3(u);
        return;
    }
    double arm[3];
    trxi_sub3(p, sim->kin.c + 3 * sim->model->links[link].tree, arm);
    trxi_cross3(V + 6 * link, arm, u);
    trxi_add3(u, V + 6 * link + 3, u);
}

void trxi_point_velocity(const trxi_point *k, const double *V, double out[3])
{
    double b[3];
    point_velocity(k->sim, k->columns->b.link, V, k->p, b);
    point_velocity(k->sim, k->columns->a.link, V, k->p, out);
    trxi_sub3(b, out, out);
}

void trxi_point_velocities(const trxi_point *k, const double *v, double *V)
{
    const trx_model *model = k->sim->model;
    const int links[2] = {k->columns->a.link, k->columns->b.link};
    for (int s = 0, last = -1; s < 2; s++) {
        const int tree = links[s] < 0 ? -1 : model->links[links[s]].tree;
        if (tree >= 0 && tree != last) trxi_tree_velocities(model, &k->sim->kin, &model->trees[tree], v, V);
        last = tree;
    }
}

void trxi_point_spin(const trxi_point *k, const double *V, double out[3])
{
    trxi_zero3(out);
    if (k->columns->b.link >= 0) trxi_add3(out, V + 6 * k->columns->b.link, out);
    if (k->columns->a.link >= 0) trxi_sub3(out, V + 6 * k->columns->a.link, out);
}

void trxi_point_velocity_derivs(const trxi_point *k, const double *V, double *dV)
{
    const trx_sim *sim = k->sim;
    const trxi_pair_columns *columns = k->columns;
    if (columns->a.count) trxi_link_velocity_dq(sim->model, &sim->kin, V, columns->a.link, dV);
    if (columns->b.count) trxi_link_velocity_dq(sim->model, &sim->kin, V, columns->b.link, dV + 6 * sim->max_path);
}

static const double *column_dV(const trxi_point *k, const trxi_pair_side *side, int index, const double *dV)
{
    return dV + (side->sign > 0 ? 6 * k->sim->max_path : 0) + 6 * (side->skip + index);
}

void trxi_point_velocity_change(const trxi_point *k, const trxi_pair_side *side, int index, const double *V,
                                const double *dV, const double dp[3], double du[3])
{
    const trx_sim *sim = k->sim;
    const double *change = column_dV(k, side, index, dV);
    double arm[3], spin[3];
    trxi_sub3(k->p, sim->kin.c + 3 * sim->model->links[side->link].tree, arm);
    trxi_cross3(change, arm, du);
    trxi_add3(du, change + 3, du);
    trxi_scale3(side->sign, du, du);
    trxi_point_spin(k, V, spin);
    trxi_cross_add3(spin, dp, du);
}

void trxi_point_spin_change(const trxi_point *k, const trxi_pair_side *side, int index, const double *dV, double dW[3])
{
    trxi_scale3(side->sign, column_dV(k, side, index, dV), dW);
}

// rows of both sides for the columns of one, with the extra term for its own
static void subtract_side(const trxi_point *k, const trxi_pair_side *side)
{
    trx_sim *sim = k->sim;
    const int *cols = k->cols, *local = sim->solver.local, *dof_link = sim->model->dof_link;
    for (int j = side->offset; j < side->offset + side->count; j++) {
        const double *column = sim->row_scratch + TRXI_COLUMN * j;
        double *rq = sim->rq + sim->solver.column[cols[j]];
        double force[3], moment[3], own_force[3], own_moment[3];
        trxi_copy3(column + TRXI_DF, force);
        trxi_cross3(column + TRXI_DP, k->f, moment);
        trxi_add3(force, column + TRXI_FXW, own_force);
        trxi_add3(moment, column + TRXI_FXJ, own_moment);
        for (int i = 0; i < k->columns->ncol; i++) {
            const double *row = sim->row_scratch + TRXI_COLUMN * i;
            bool own = i >= side->offset && i < side->offset + side->count && dof_link[cols[i]] >= dof_link[cols[j]];
            rq[local[cols[i]]] -= own ? trxi_dot3(row + TRXI_JW, own_force) + trxi_dot3(row + TRXI_WW, own_moment)
                                      : trxi_dot3(row + TRXI_JW, force) + trxi_dot3(row + TRXI_WW, moment);
        }
    }
}

// the same times lambda: rows add up to the velocity u and the spin w that lambda gives, for the extra term those of the rows
// that are not nearer the root than j, which a walk from the tip collects
static void pull_side(const trxi_point *k, const trxi_pair_side *side, bool turn, const double u[3], const double w[3])
{
    trx_sim *sim = k->sim;
    const int *cols = k->cols, *dof_link = sim->model->dof_link;
    double own_u[3] = {0, 0, 0}, own_w[3] = {0, 0, 0};
    int taken = side->offset + side->count;
    for (int j = side->offset + side->count - 1; j >= side->offset; j--) {
        while (taken > side->offset && dof_link[cols[taken - 1]] >= dof_link[cols[j]]) {
            const double *row = sim->row_scratch + TRXI_COLUMN * --taken;
            if (!turn) trxi_axpy3(sim->lambda[cols[taken]], row + TRXI_JW, own_u);
            trxi_axpy3(sim->lambda[cols[taken]], row + TRXI_WW, own_w);
        }
        const double *column = sim->row_scratch + TRXI_COLUMN * j;
        double moment[3], sum;
        if (turn) {
            sum = trxi_dot3(w, column + TRXI_DF) + trxi_dot3(own_w, column + TRXI_FXW);
        } else {
            trxi_cross3(column + TRXI_DP, k->f, moment);
            sum = trxi_dot3(u, column + TRXI_DF) + trxi_dot3(w, moment) + trxi_dot3(own_u, column + TRXI_FXW) +
                  trxi_dot3(own_w, column + TRXI_FXJ);
        }
        sim->grad_q[cols[j]] -= sum;
    }
}

static void pull(const trxi_point *k, bool turn)
{
    double u[3] = {0, 0, 0}, w[3] = {0, 0, 0};
    for (int i = 0; i < k->columns->ncol; i++) {
        const double *row = k->sim->row_scratch + TRXI_COLUMN * i;
        trxi_axpy3(k->sim->lambda[k->cols[i]], row + TRXI_JW, u);
        trxi_axpy3(k->sim->lambda[k->cols[i]], row + TRXI_WW, w);
    }
    pull_side(k, &k->columns->a, turn, u, w);
    pull_side(k, &k->columns->b, turn, u, w);
}

void trxi_point_project(const trxi_row_block *c, const double *lambda, double out[3])
{
    trxi_zero3(out);
    for (int i = 0; i < c->ncol; i++) trxi_axpy3(lambda[c->cols[i]], c->J + 3 * i, out);
}

void trxi_point_subtract(const trxi_point *k)
{
    if (k->sim->lambda) {
        pull(k, false);
        return;
    }
    subtract_side(k, &k->columns->a);
    subtract_side(k, &k->columns->b);
}

static void subtract_turn_side(const trxi_point *k, const trxi_pair_side *side)
{
    trx_sim *sim = k->sim;
    const int *cols = k->cols, *local = sim->solver.local, *dof_link = sim->model->dof_link;
    for (int j = side->offset; j < side->offset + side->count; j++) {
        const double *column = sim->row_scratch + TRXI_COLUMN * j;
        double *rq = sim->rq + sim->solver.column[cols[j]], own[3];
        trxi_add3(column + TRXI_DF, column + TRXI_FXW, own);
        for (int i = 0; i < k->columns->ncol; i++) {
            bool same = i >= side->offset && i < side->offset + side->count && dof_link[cols[i]] >= dof_link[cols[j]];
            rq[local[cols[i]]] -= trxi_dot3(sim->row_scratch + TRXI_COLUMN * i + TRXI_WW, same ? own : column + TRXI_DF);
        }
    }
}

void trxi_point_subtract_turn(const trxi_point *k)
{
    if (k->sim->lambda) {
        pull(k, true);
        return;
    }
    subtract_turn_side(k, &k->columns->a);
    subtract_turn_side(k, &k->columns->b);
}

double *trxi_step_begin_mass_change(trx_sim *sim)
{
    const size_t bytes = (size_t)sim->model->nv * sizeof *sim->W_scratch;
    memset(sim->W_scratch, 0, bytes);
    if (sim->two_stage) memset(sim->stage.dw, 0, bytes);
    return sim->W_scratch;
}

void trxi_step_add_mass_change(trx_sim *sim, const int *cols, int ncol, double scale, const double *y, double *dw)
{
    const trx_model *model = sim->model;
    double *g = sim->y_scratch + 7 * model->nv, *V = g + model->nv, *h = V + 8 * model->nlink;
    TRXI_FOR_TREES(model, cols, ncol, tree) {
        trxi_mass_quadratic_dq(model, sim->two_stage ? &sim->stage.kin : &sim->kin, tree, y, V, h, g);
        trxi_axpy(tree->nv, scale, g + tree->v, (sim->two_stage ? sim->stage.dw : dw) + tree->v);
    }
}

static void subtract_outer(const trx_sim *sim, const int *cols, int ncol, const double *force, const double *dw, double *r)
{
    TRXI_FOR_TREES(sim->model, cols, ncol, tree)
        for (int j = tree->v; j < tree->v + tree->nv; j++) {
            double *column = r + sim->solver.column[j];
            for (int i = 0; i < ncol; i++) column[sim->solver.local[cols[i]]] -= force[i] * dw[j];
        }
}

void trxi_step_subtract_mass_change(trx_sim *sim, const int *cols, int ncol, const double *force, const double *dw)
{
    if (sim->lambda) {
        double through = 0;
        for (int i = 0; i < ncol; i++) through += sim->lambda[cols[i]] * force[i];
        TRXI_FOR_TREES(sim->model, cols, ncol, tree)
            trxi_axpy(tree->nv, -through, dw + tree->v, sim->grad_q + tree->v);
        return;
    }
    subtract_outer(sim, cols, ncol, force, dw, sim->rq);
    if (sim->two_stage) subtract_outer(sim, cols, ncol, force, sim->stage.dw, sim->stage.R);
}

// velocity of a link for the three columns of Q, at the reference of its tree
static void three_velocities(const trx_sim *sim, int link, const double *Q, double V[18])
{
    const trx_model *model = sim->model;
    for (int i = 0; i < 18; i++) V[i] = 0;
    if (link < 0) return;
    const int *path = model->path + model->links[link].path_start;
    for (int n = 0; n < model->links[link].path_length; n++)
        for (int a = 0; a < 3; a++) trxi_axpy6(Q[path[n] + a * model->nv], sim->kin.S + 6 * path[n], V + 6 * a);
}

// sum of e_a x x_a, with x_a at x + 6 a
static void axial(const double *x, double out[3])
{
    trxi_set3(x[8] - x[13], x[12] - x[2], x[1] - x[6], out);
}

// of one side: with d_a = V_p(j) - V_X for the velocities V of column a of Q, its angular part w_a and u_a that of the point, a
// change du_a = w_a x J_j + u_a x w_j has the sum e_a . du_a = J_j . (e_a x w_a) + w_j . (e_a x u_a)
static void add_side_change(const trxi_point *k, const trxi_pair_side *side, double scale, const double *Q, const double V[18],
                            const double spin[3], bool angular, double *dw)
{
    const trx_sim *sim = k->sim;
    const trx_model *model = sim->model;
    if (side->count == 0) return;
    const trxi_link *link = &model->links[side->link];
    const int *path = model->path + link->path_start;
    double passed[18] = {0}, left[18], by_J[3] = {0}, by_w[3] = {0}, arm[3];
    trxi_sub3(k->p, sim->kin.c + 3 * link->tree, arm);
    for (int n = 0, last = -1; n < link->path_length; n++) {
        if (n >= side->skip && model->dof_link[path[n]] != last) {
            last = model->dof_link[path[n]];
            for (int i = 0; i < 18; i++) left[i] = passed[i] - V[i];
            axial(left, by_J);
            for (int a = 0; a < 3; a++) trxi_cross_add3(left + 6 * a, arm, left + 6 * a + 3);
            axial(left + 3, by_w);
        }
        for (int a = 0; a < 3; a++) trxi_axpy6(Q[path[n] + a * model->nv], sim->kin.S + 6 * path[n], passed + 6 * a);
        if (n < side->skip) continue;
        const double *column = sim->row_scratch + TRXI_COLUMN * (side->offset + n - side->skip);
        const double change = angular ? trxi_dot3(column + TRXI_WW, by_J)
                                      : trxi_dot3(column + TRXI_JW, by_J) + trxi_dot3(column + TRXI_WW, by_w) +
                                            trxi_dot3(column + TRXI_DP, spin);
        dw[path[n]] += 2 * scale * change;
    }
}

// the part of the columns' own change: 2 scale <Q, dJ>, by velocities at the columns of Q
static void add_column_change(const trxi_point *k, double scale, const double *Q, bool angular, double *dw)
{
    double V_A[18], V_B[18], relative[18], spin[3];
    three_velocities(k->sim, k->columns->a.link, Q, V_A);
    three_velocities(k->sim, k->columns->b.link, Q, V_B);
    for (int i = 0; i < 18; i++) relative[i] = V_B[i] - V_A[i];
    axial(relative, spin);
    add_side_change(k, &k->columns->a, scale, Q, V_A, spin, angular, dw);
    add_side_change(k, &k->columns->b, scale, Q, V_B, spin, angular, dw);
}

// Change of w = |W|_F / 3 (theory 6): dw = <W, dW> / (9 w), with W = J A^-1 J^T, Y = A^-1 J^T, Q = Y W:
//     <W, dW> = 2 <Q, dJ> - <W, Y^T dM Y>
// The first part is a velocity change at the velocities Q_a, the second a sum of squares by W = L D L^T.
const double *trxi_point_mass_change(const trxi_point *k, double w, bool angular)
{
    trx_sim *sim = k->sim;
    const int nv = sim->model->nv;
    double *Y = sim->y_scratch, *Q = Y + 3 * nv, *z = Y + 6 * nv, *dw, W[9];
    trxi_step_rows_mass(sim, k->cols, k->columns->ncol, sim->row_scratch + (angular ? TRXI_WW : TRXI_JW), TRXI_COLUMN, Y,
                        W);
    TRXI_FOR_TREES(sim->model, k->cols, k->columns->ncol, tree)
        trxi_gemm(tree->nv, 3, 3, 1, Y + tree->v, nv, W, 3, 0, Q + tree->v, nv);

    dw = trxi_step_begin_mass_change(sim);
    const double scale = 1 / (9 * w);
    add_column_change(k, scale, Q, angular, dw);

    // W = L D L^T without pivoting; a vanishing pivot of a semidefinite W drops its direction
    const double tiny = 1e-14 * (W[0] + W[4] + W[8]);
    for (int a = 0; a < 3; a++) {
        double D = W[4 * a];
        if (!(D > tiny)) continue;
        TRXI_FOR_TREES(sim->model, k->cols, k->columns->ncol, tree) {
            memset(z + tree->v, 0, (size_t)tree->nv * sizeof *z);
            for (int b = a; b < 3; b++) trxi_axpy(tree->nv, W[b + 3 * a] / D, Y + tree->v + b * nv, z + tree->v);
        }
        trxi_step_add_mass_change(sim, k->cols, k->columns->ncol, -scale * D, z, dw);
        for (int b = 2; b > a; b--)
            for (int c = 2; c > a; c--) W[b + 3 * c] -= W[b + 3 * a] * W[c + 3 * a] / D;
    }
    return dw;
}
