// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraint terms of dr/dq0 at fixed v (theory 6); twin of constraint_rows.c. With f = F gamma at p, or m = F gamma for a turn:
//
//     d gamma = -G (dv_c + dg/(dt + tau)) - gamma dw/w          the last where the near-rigid bound decides R
//
//     point, distance   dv_c = F^T [du_B - du_A + (u_B - u_A) x o]        dp = J_B delta: p is B's
//     turn              dv_c = F^T [dW_B - dW_A + (W_B - W_A) x o]        dg = Jr^-1(g)^T F^T (w_B - w_A) delta
//     o: spin of F; of a point and a turn W_A delta, of a distance n x dn,
//        dn = (W_A delta) x n + (1 - n n^T)(J_B - J_A) delta/|p_B - p_A|
//     coupler           dv_c = -P'' v_b dq_b,   dJ_b = -P'' dq_b
//
// d(J^T f) and d(J^T m) are those of contacts (point_deriv.h).

#include "step/point_deriv.h"

#include "math/dense.h"
#include "math/rotation.h"

#include <string.h>

typedef struct block {
    trxi_point point;
    const trxi_hold *hold;
    double gamma[3];   // impulses of the rows
    double G;          // the same for all of them
    double slip[3];    // u_B - u_A at p, or W_B - W_A, at v
    double turn_map[9]; // turn: Jr^-1(g)^T
} block;

static const double *scratch_column(const block *k, int at)
{
    return k->point.sim->row_scratch + TRXI_COLUMN * at;
}

// rows of gamma in the frame; a distance has its one along n
static void rows_in_frame(const trxi_hold *hold, const trxi_row_block *rows, double gamma[3])
{
    trxi_zero3(gamma);
    for (int a = 0; a < hold->nrow; a++) gamma[hold->kind == TRXI_HOLD_DISTANCE ? 2 : a] = rows[a].gamma[0];
}

// spin of the frame for a column, from its signed vectors
static void frame_spin(const block *k, const double *column, bool on_a, double o[3])
{
    if (k->hold->kind != TRXI_HOLD_DISTANCE) {
        trxi_scale3(on_a ? -1 : 0, column + TRXI_WW, o);
        return;
    }
    const double *n = k->hold->F + 6, *x = column + TRXI_JW;
    double dn[3], along = trxi_dot3(n, x);
    for (int a = 0; a < 3; a++) dn[a] = (x[a] - along * n[a]) / k->hold->length;
    if (on_a) trxi_cross_add3(n, column + TRXI_WW, dn);
    trxi_cross3(n, dn, o);
}

// dv_c and dg in the frame
static void row_changes(const block *k, const trxi_pair_side *side, int index, const double *column, const double o[3],
                        double dv_c[3], double dg[3])
{
    const trx_sim *sim = k->point.sim;
    double change[3];
    if (k->hold->kind == TRXI_HOLD_TURN) {
        double turn[3];
        trxi_point_spin_change(&k->point, side, index, sim->dV1, change);
        trxi_mulv3_t(k->hold->F, column + TRXI_WW, turn);
        trxi_mulv3(k->turn_map, turn, dg);
    } else {
        trxi_point_velocity_change(&k->point, side, index, sim->V1, sim->dV1, column + TRXI_DP, change);
        trxi_mulv3_t(k->hold->F, column + TRXI_JW, dg);
    }
    trxi_cross_add3(k->slip, o, change);
    trxi_mulv3_t(k->hold->F, change, dv_c);
}

// DP and DF of the columns of one side
static void side_changes(const block *k, const trxi_pair_side *side)
{
    const trx_sim *sim = k->point.sim;
    const bool distance = k->hold->kind == TRXI_HOLD_DISTANCE;
    for (int i = 0; i < side->count; i++) {
        double *column = sim->row_scratch + TRXI_COLUMN * (side->offset + i), o[3], dv_c[3], dg[3], dgamma[3];
        trxi_scale3(side->sign > 0 && k->hold->kind != TRXI_HOLD_TURN, column + TRXI_JW, column + TRXI_DP);
        frame_spin(k, column, side->sign < 0, o);
        row_changes(k, side, i, column, o, dv_c, dg);
        for (int a = 0; a < 3; a++)
            dgamma[a] = distance && a < 2 ? 0 : -k->G * (dv_c[a] + dg[a] / k->hold->horizon);
        trxi_mulv3(k->hold->F, dgamma, column + TRXI_DF);
        trxi_cross_add3(o, k->point.f, column + TRXI_DF);
    }
}

// y (nv) = A^-1 J^T of one row
static void row_response(const trx_sim *sim, const trxi_row_block *row, double *y)
{
    memset(y, 0, (size_t)sim->model->nv * sizeof *y);
    for (int i = 0; i < row->ncol; i++) y[row->cols[i]] = row->J[i];
    trxi_step_solve_mass(sim, row->cols, row->ncol, 1, y);
}

// dw of a distance: w = J y, dw = 2 (du(y) . n + slip(y) . dn) - y^T dM y
static const double *distance_mass_change(const block *k, const trxi_row_block *row)
{
    trx_sim *sim = k->point.sim;
    const int nv = sim->model->nv;
    double *y = sim->y_scratch, *V = y + 8 * nv, *dw = trxi_step_begin_mass_change(sim), slip[3];
    row_response(sim, row, y);
    trxi_point_velocities(&k->point, y, V);
    trxi_point_velocity_derivs(&k->point, V, sim->dVy);
    trxi_point_velocity(&k->point, V, slip);
    const trxi_pair_side *sides[2] = {&k->point.columns->a, &k->point.columns->b};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < sides[s]->count; i++) {
            int at = sides[s]->offset + i;
            const double *column = scratch_column(k, at);
            double du[3], o[3];
            trxi_point_velocity_change(&k->point, sides[s], i, V, sim->dVy, column + TRXI_DP, du);
            frame_spin(k, column, s == 0, o);
            trxi_cross_add3(slip, o, du);
            dw[k->point.cols[at]] += 2 * trxi_dot3(k->hold->F + 6, du);
        }
    trxi_step_add_mass_change(sim, row->cols, row->ncol, -1, y, dw);
    return dw;
}

// r -= J^T gamma_w dw with gamma_w = -gamma/w
static void subtract_mass_change(trx_sim *sim, const trxi_hold *hold, const double *dw)
{
    double *force = sim->W_scratch + sim->model->nv;
    for (int a = 0; a < hold->nrow; a++) {
        const trxi_row_block *row = &sim->scalars[hold->first + a];
        double gamma_w = -row->gamma[0] / hold->w;
        for (int i = 0; i < row->ncol; i++) force[i] = row->J[i] * gamma_w;
        trxi_step_subtract_mass_change(sim, row->cols, row->ncol, force, dw);
    }
}

static void subtract_held(trx_sim *sim, const trxi_hold *hold)
{
    const trxi_pair_columns *columns = &sim->hold_columns[hold->constraint];
    const trxi_row_block *rows = &sim->scalars[hold->first];
    block k = {.hold = hold, .G = rows[0].G.xx};
    k.point = (trxi_point){.sim = sim, .columns = columns, .cols = sim->hold_cols + columns->first, .p = hold->p};
    const bool turn = hold->kind == TRXI_HOLD_TURN;
    rows_in_frame(hold, rows, k.gamma);
    trxi_mulv3(hold->F, k.gamma, k.point.f);
    trxi_point_columns(&k.point);
    trxi_point_velocity_derivs(&k.point, sim->V1, sim->dV1);
    if (turn) {
        double map[9];
        trxi_right_jacobian_inverse(hold->g, map);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) k.turn_map[a + 3 * b] = map[b + 3 * a];
        trxi_point_spin(&k.point, sim->V1, k.slip);
    } else {
        trxi_point_velocity(&k.point, sim->V1, k.slip);
    }
    side_changes(&k, &columns->a);
    side_changes(&k, &columns->b);
    if (turn) trxi_point_subtract_turn(&k.point);
    else trxi_point_subtract(&k.point);
    if (!hold->rigid) return;
    const double *dw = hold->kind == TRXI_HOLD_DISTANCE ? distance_mass_change(&k, rows)
                                                        : trxi_point_mass_change(&k.point, hold->w, turn);
    subtract_mass_change(sim, hold, dw);
}

static void subtract_coupler(trx_sim *sim, const trxi_hold *hold)
{
    const trx_model *model = sim->model;
    const trxi_constraint *c = &model->constraints[hold->constraint];
    const trxi_row_block *row = &sim->scalars[hold->first];
    const int b = c->joint_b < 0 ? -1 : model->joints[c->joint_b].v;
    for (int j = 0; j < row->ncol; j++) {
        double dg = row->J[j], dv_c = row->cols[j] == b ? -hold->curvature * sim->solver.v[b] : 0;
        double dgamma = -row->G.xx * (dv_c + dg / hold->horizon);
        for (int i = 0; i < row->ncol; i++) trxi_step_add_dq(sim, row->cols[i], row->cols[j], -row->J[i] * dgamma);
    }
    if (b >= 0) trxi_step_add_dq(sim, b, b, hold->curvature * row->gamma[0]);
    if (!hold->rigid) return;
    double *y = sim->y_scratch, *dw = trxi_step_begin_mass_change(sim);
    row_response(sim, row, y);
    if (b >= 0) dw[b] = -2 * hold->curvature * y[b];
    trxi_step_add_mass_change(sim, row->cols, row->ncol, -1, y, dw);
    subtract_mass_change(sim, hold, dw);
}

void trxi_step_constraint_rows_deriv(trx_sim *sim)
{
    for (int i = 0; i < sim->nhold; i++) {
        if (sim->holds[i].kind == TRXI_HOLD_COUPLER) subtract_coupler(sim, &sim->holds[i]);
        else subtract_held(sim, &sim->holds[i]);
    }
}
