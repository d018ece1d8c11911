// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Couplers, balls, welds and distances as rows of the convex problem (theory 4, holonomic rows):
//
//     gamma = (v_hat - v_c)/R,  v_hat = -g/(dt + tau),  R = max(beta^2/(4 pi^2) w, 1/(dt k (dt + tau)))
//
// If the near-rigid bound determines R, tau is at least dt. A large gap is closed more slowly (contact/compliant.c). Ball and
// weld are measured in the frame F of A, at B's point p:
//
//     point      g = F^T (p_B - p_A)           v_c = F^T (u_B(p) - u_A(p))        J = dg/dq
//     turn       g = Log(F^T R_B)              v_c = F^T (W_B - W_A)              J = dg/dq at g = 0
//     distance   g = |p_B - p_A| - length      v_c = n . (u_B(p) - u_A(p))        J = dg/dq, n from A's point to B's
//
// Dofs above both bodies cancel in J, as for contacts. A coupler l_a = P(l_b) of lengths has J = J_a - P'(l_b) J_b. Each block
// of rows has one w = |W|_F/rows. A point on the axis of its hinge has J = 0 up to rounding errors. The near-rigid R would be as
// small as the square of these errors, and a gap of rounding size would demand a huge speed. Entries of the size of rounding
// errors are therefore set to zero. The limits of tendons are in limit_rows.c.

#include "step/inverse_mass.h"
#include "step/scalar_rows.h"
#include "step/sim.h"
#include "step/smooth.h"

#include "math/rotation.h"

#include <limits.h>
#include <string.h>

// bound for the rounding error of a column that is exactly zero, for the column S at the lever arm `arm`
static double rounding_of(const double S[6], const double arm[3], const double p[3])
{
    static const double relative = 1e-11;
    return relative * (trxi_norm3(S) * (trxi_norm3(arm) + trxi_norm3(p)) + trxi_norm3(S + 3));
}

// fills three rows of J in the frame F: linear at p, or angular; sign and columns as in contacts
static void side_rows(const trxi_input *in, const trxi_smooth *smooth, const trxi_pair_side *side,
                      const trxi_constraint_rows *own, double *J)
{
    if (side->count == 0) return;
    const trxi_link *link = &in->model->links[side->link];
    const int *path = side->dofs;
    double arm[3], column[3];
    trxi_sub3(own->p, smooth->kin.c + 3 * link->tree, arm);
    for (int i = 0; i < side->count; i++) {
        const double *S = smooth->kin.S + 6 * path[i];
        trxi_copy3(S, column);
        if (own->kind != TRXI_CONSTRAINT_TURN) trxi_velocity_at(S, arm, column);
        double *out = J + 3 * (side->offset + i), least = rounding_of(S, arm, own->p);
        trxi_mulv3_t(own->F, column, out);
        trxi_scale3(side->sign, out, out);
        for (int a = 0; a < 3 && own->kind != TRXI_CONSTRAINT_TURN; a++)
            if (fabs(out[a]) <= least) out[a] = 0;
    }
}

// computes the constants of the law; all rows of a block share them, except v_hat
static void prepare_row(const trxi_input *in, const trxi_constraint_rows *own, double gap, trxi_row_block *row)
{
    const trxi_constraint *c = &in->model->constraints[own->constraint];
    row->phi0 = gap;
    row->w = own->w;
    row->compliant.stiffness = c->stiffness;
    row->compliant.relaxation_time = c->relaxation_time;
    row->law->prepare(row, &in->law);
}

// adds a block of three rows, or only the third row (distance); adds nothing when neither side can move
static void add_block(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, trxi_constraint_kind kind,
                      int constraint, int part, const double p[3], const double F[9], const double g[3])
{
    const trxi_pair_columns *columns = &rows->constraint_columns[constraint];
    trxi_constraint_rows *own = &rows->constraint_rows[rows->nconstraint_rows];
    const int nrow = kind == TRXI_CONSTRAINT_DISTANCE ? 1 : 3;
    *own = (trxi_constraint_rows){.kind = kind, .constraint = constraint, .first = rows->nscalar, .nrow = nrow};
    trxi_copy3(p, own->p);
    memcpy(own->F, F, sizeof own->F);
    trxi_copy3(g, own->g);
    memcpy(rows->gaps + 6 * constraint + part, g, (size_t)nrow * sizeof *g);

    double *block = rows->J_scratch;
    for (int s = 0; s < 2; s++) side_rows(in, smooth, &columns->side[s], own, block);
    if (kind == TRXI_CONSTRAINT_DISTANCE)
        for (int i = 0; i < columns->ncol; i++) block[i] = block[3 * i + 2];
    const int *dofs = rows->constraint_cols + columns->first;
    own->w = trxi_step_inverse_mass(in, smooth, rows, dofs, columns->ncol, block, nrow);
    if (!(own->w > 0)) return;
    rows->nconstraint_rows++;
    for (int a = 0; a < nrow; a++) {
        int *cols;
        double *J;
        trxi_row_block *row = trxi_rows_add_scalar(rows, &trxi_equality, constraint, part + a, columns->ncol, &cols, &J);
        memcpy(cols, dofs, (size_t)columns->ncol * sizeof *cols);
        for (int i = 0; i < columns->ncol; i++) J[i] = block[nrow * i + a];
        prepare_row(in, own, g[a], row);
    }
}

static void add_body_constraint(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, int index)
{
    const trxi_constraint *c = &in->model->constraints[index];
    double R_A[9], p_A[3], R_B[9], p_B[3], apart[3], g[3];
    trxi_kinematics_place(&smooth->kin, c->link_a, -1, c->R_LA, c->p_LA, R_A, p_A);
    trxi_kinematics_place(&smooth->kin, c->link_b, -1, c->R_LB, c->p_LB, R_B, p_B);
    trxi_sub3(p_B, p_A, apart);
    if (c->type == TRX_CONSTRAINT_DISTANCE) {
        double F[9], n[3] = {0, 0, 1}, length = trxi_norm3(apart);
        if (length > 0) trxi_scale3(1 / length, apart, n);
        trxi_frame33(n, F);
        g[0] = length - c->length, g[1] = g[2] = 0;
        int before = rows->nconstraint_rows;
        add_block(in, smooth, rows, TRXI_CONSTRAINT_DISTANCE, index, 0, p_B, F, g);
        // coincident points define no direction: n stays
        if (rows->nconstraint_rows > before) rows->constraint_rows[before].length = length > 0 ? length : INFINITY;
        return;
    }
    trxi_mulv3_t(R_A, apart, g);
    add_block(in, smooth, rows, TRXI_CONSTRAINT_POINT, index, 0, p_B, R_A, g);
    if (c->type != TRX_CONSTRAINT_WELD) return;
    double relative[9], quat[4];
    trxi_mul33_at(R_A, R_B, relative);
    trxi_quat_from_matrix(relative, quat);
    trxi_quat_log(quat, g);
    add_block(in, smooth, rows, TRXI_CONSTRAINT_TURN, index, 3, p_B, R_A, g);
}

// merges the columns of J = J_a - slope J_b, both ascending; returns their number
static int coupler_columns(const trxi_length_view *a, const trxi_length_view *b, double slope, int *cols, double *J)
{
    int n = 0;
    for (int i = 0, k = 0; i < a->ncol || k < b->ncol; n++) {
        const int at_a = i < a->ncol ? a->cols[i] : INT_MAX, at_b = k < b->ncol ? b->cols[k] : INT_MAX;
        cols[n] = at_a < at_b ? at_a : at_b;
        J[n] = 0;
        if (at_a == cols[n]) J[n] += a->J[i++];
        if (at_b == cols[n]) J[n] -= slope * b->J[k++];
    }
    return n;
}

// adds the row of the coupler with gap l_a - P(l_b)
static void add_coupler(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, int index)
{
    const trxi_constraint *c = &in->model->constraints[index];
    trxi_length_view a = trxi_length_at(in->model, &smooth->lengths, c->length_a), b = {0};
    if (c->length_b >= 0) b = trxi_length_at(in->model, &smooth->lengths, c->length_b);
    double value = 0, slope = 0, curvature = 0;
    for (int i = 4; i >= 0; i--) {
        curvature = curvature * b.value + 2 * slope;
        slope = slope * b.value + value;
        value = value * b.value + c->polynomial[i];
    }
    trxi_constraint_rows *own = &rows->constraint_rows[rows->nconstraint_rows];
    *own = (trxi_constraint_rows){.kind = TRXI_CONSTRAINT_COUPLER, .constraint = index, .first = rows->nscalar, .nrow = 1};
    own->slope = slope, own->curvature = curvature;
    own->g[0] = rows->gaps[6 * index] = a.value - value;

    int *cols;
    double *J;
    trxi_row_block *row = trxi_rows_add_scalar(rows, &trxi_equality, index, 0, a.ncol + b.ncol, &cols, &J);
    row->ncol = coupler_columns(&a, &b, slope, cols, J);
    rows->scalar_used -= a.ncol + b.ncol - row->ncol; // the next row begins right after this row
    own->w = trxi_step_inverse_mass(in, smooth, rows, cols, row->ncol, J, 1);
    if (!(own->w > 0)) {
        trxi_rows_drop_scalar(rows);
        return;
    }
    rows->nconstraint_rows++;
    prepare_row(in, own, own->g[0], row);
}

void trxi_step_constraint_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows)
{
    for (int i = 0; i < in->model->nconstraint; i++) {
        const trx_constraint_type type = in->model->constraints[i].type;
        if (type == TRX_CONSTRAINT_COUPLER) add_coupler(in, smooth, rows, i);
        else if (type != TRX_CONSTRAINT_TENDON) add_body_constraint(in, smooth, rows, i);
    }
}
