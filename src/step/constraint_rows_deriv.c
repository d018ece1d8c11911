// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraint terms of dr/dq0 at fixed v (theory 6); derivative of constraint_rows.c. A constraint between bodies
// fills the tangent of its rows (block_tangent.h), with the displacement x of B relative to A at B's point and the
// relative rotation W:
//
//     dgamma = -G dv_c + (dgamma/dphi) dg + (dgamma/dw) dw        with the partials of the law (compliant.c)
//     point      dg = F^T x                   B carries the point, A carries the frame
//     turn       dg = Jr^-1(g)^T F^T W        an angular block; A carries the frame
//     distance   dg = n . x                   the frame turns with n: dn = (1 - n n^T) x/|p_B - p_A|
//
// A coupler ties two lengths and has dv_c = -P'' (J_b v) dl_b, dJ = -P'' J_b dl_b, and the terms of dJ_a and dJ_b (length_rows.c).

#include "step/block_tangent.h"
#include "step/scalar_rows.h"

#include "math/rotation.h"

#include <string.h>

static const double zero[9] = {0}, identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// fills impulses and slopes in the frame; a distance has one row, along n
static void fill_impulses(const trxi_solved *step, const trxi_constraint_rows *rows, trxi_constraint_numbers *numbers,
                          trxi_block_tangent *block)
{
    const trxi_row_block *scalars = &step->rows->scalars[rows->first];
    const bool distance = rows->kind == TRXI_CONSTRAINT_DISTANCE;
    const double G = scalars[0].at.G.xx, tangential = distance ? 0 : G;
    trxi_zero3(numbers->gamma);
    for (int a = 0; a < rows->nrow; a++) numbers->gamma[distance ? 2 : a] = scalars[a].at.gamma[0];
    numbers->G = (trxi_sym3){.xx = tangential, .yy = tangential, .nn = G};
    block->gamma = numbers->gamma, block->G = &numbers->G;
    block->skewed = false;
    block->nstart = 0;
    block->ngap = rows->nrow;
    for (int a = 0; a < rows->nrow; a++) {
        trxi_law_partials partials;
        trxi_row_partials(&scalars[a], &step->in->law, &partials);
        trxi_zero3(block->impulse_gap[a]);
        block->impulse_gap[a][distance ? 2 : a] = partials.phi[0];
    }
}

static void fill_gaps(const trxi_constraint_rows *rows, trxi_constraint_numbers *numbers, trxi_block_tangent *block)
{
    double map[9];
    if (rows->kind == TRXI_CONSTRAINT_TURN) trxi_right_jacobian_inverse(rows->g, map);
    for (int a = 0; a < rows->nrow; a++) {
        block->gap_x[a] = rows->F + 3 * (3 - rows->nrow + a), block->gap_W[a] = zero;
        if (rows->kind != TRXI_CONSTRAINT_TURN) continue;
        trxi_mulv3(rows->F, map + 3 * a, numbers->gap_W[a]);
        block->gap_x[a] = zero, block->gap_W[a] = numbers->gap_W[a];
    }
}

static void fill_motion(const trxi_constraint_rows *rows, trxi_constraint_numbers *numbers, trxi_block_tangent *block)
{
    const double *n = rows->F + 6;
    block->witness = rows->p;
    block->dn_dx = block->dn_dW = block->da_dW = zero;
    block->da_dx = rows->kind == TRXI_CONSTRAINT_TURN ? zero : identity;
    block->weight = block->phi = 0;
    block->bias.any = false;
    block->oriented = rows->kind != TRXI_CONSTRAINT_DISTANCE;
    if (block->oriented) {
        trxi_zero3(block->spin_n);
        trxi_scale3(-1, n, block->spin_W[0]);
        trxi_zero3(block->spin_W[1]);
        return;
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) numbers->dn_dx[a + 3 * b] = ((a == b) - n[a] * n[b]) / rows->length;
    block->dn_dx = numbers->dn_dx;
}

void trxi_constraint_mass_rows(const trxi_solved *step, trxi_derivatives *deriv, const trxi_constraint_rows *rows,
                               trxi_mass_rows *mass)
{
    const trxi_row_block *scalars = &step->rows->scalars[rows->first];
    const int n = rows->nrow;
    double *J = deriv->row_scratch;
    mass->n = scalars->decided & TRXI_RIGID ? n : 0;
    if (mass->n == 0) return;
    *mass = (trxi_mass_rows){.n = n, .ncol = scalars->ncol, .cols = scalars->cols, .J = J, .w = rows->w};
    for (int a = 0; a < n; a++) {
        trxi_law_partials partials;
        trxi_row_partials(&scalars[a], &step->in->law, &partials);
        mass->gamma_w[a] = partials.w[0];
    }
    for (int i = 0; i < scalars->ncol; i++)
        for (int a = 0; a < n; a++) J[n * i + a] = scalars[a].J[i];
}

void trxi_constraint_tangent(const trxi_solved *step, trxi_derivatives *deriv, const trxi_constraint_rows *rows,
                             trxi_constraint_numbers *numbers, trxi_block_tangent *block)
{
    block->columns = &step->rows->constraint_columns[rows->constraint];
    block->cols = step->rows->constraint_cols + block->columns->first;
    block->angular = rows->kind == TRXI_CONSTRAINT_TURN;
    block->p = rows->p, block->F = rows->F;
    fill_impulses(step, rows, numbers, block);
    fill_gaps(rows, numbers, block);
    fill_motion(rows, numbers, block);
    trxi_constraint_mass_rows(step, deriv, rows, &block->mass[0]);
    block->nmass = block->mass[0].n > 0;
}

// J^T (d gamma / d phi) J dq: the impulse follows the gap of the coupler
static void subtract_gap(const trxi_solved *step, const trxi_row_block *row, const trxi_residual_out *out)
{
    trxi_law_partials partials;
    trxi_row_partials(row, &step->in->law, &partials);
    for (int j = 0; j < row->ncol; j++)
        for (int i = 0; i < row->ncol; i++)
            trxi_residual_add_q(out, row->cols[i], row->cols[j], -row->J[i] * partials.phi[0] * row->J[j]);
}

// the slope of the curve: dJ = -P'' J_b (J_b dq)
static void subtract_slope(const trxi_solved *step, const trxi_row_block *row, const trxi_constraint_rows *rows, int length,
                           const trxi_length_view *b, const trxi_residual_out *out)
{
    if (rows->curvature == 0) return;
    const double rate = trxi_length_rate(step->in->model, &step->smooth->lengths, length, step->solver->v);
    for (int j = 0; j < b->ncol; j++) {
        const double dJ = rows->curvature * b->J[j];
        for (int i = 0; i < row->ncol; i++)
            trxi_residual_add_q(out, row->cols[i], b->cols[j], -row->J[i] * row->at.G.xx * dJ * rate);
        for (int i = 0; i < b->ncol; i++) trxi_residual_add_q(out, b->cols[i], b->cols[j], dJ * b->J[i] * row->at.gamma[0]);
    }
}

// the inverse mass w of a rigid coupler changes with A, with the slope of the curve and as the row turns
static void subtract_mass(const trxi_solved *step, trxi_derivatives *deriv, const trxi_row_block *row,
                          const trxi_constraint_rows *rows, int length, const trxi_length_view *b, const trxi_residual_out *out)
{
    trxi_mass_rows mass;
    trxi_constraint_mass_rows(step, deriv, rows, &mass);
    if (mass.n == 0) return;
    double *y = deriv->y_scratch, *dw = trxi_mass_change_begin(step, deriv), W[9];
    trxi_mass_rows_solve(step, &mass, y, W);
    const double along = b->ncol > 0 ? trxi_length_rate(step->in->model, &step->smooth->lengths, length, y) : 0;
    for (int j = 0; j < b->ncol; j++) dw[b->cols[j]] -= 2 * rows->curvature * along * b->J[j];
    trxi_row_add_turn(step, deriv, row, 2, y, dw);
    trxi_mass_change_add(step, deriv, row->cols, row->ncol, -1, y, dw);
    trxi_mass_change_subtract(step, deriv, &mass, dw, out);
}

static void subtract_coupler(const trxi_solved *step, trxi_derivatives *deriv, const trxi_constraint_rows *rows,
                             const trxi_residual_out *out)
{
    const trx_model *model = step->in->model;
    const int length = model->constraints[rows->constraint].length_b;
    const trxi_row_block *row = &step->rows->scalars[rows->first];
    trxi_length_view b = {0};
    if (length >= 0) b = trxi_length_at(model, &step->smooth->lengths, length);
    subtract_gap(step, row, out);
    if (b.ncol > 0) subtract_slope(step, row, rows, length, &b, out);
    subtract_mass(step, deriv, row, rows, length, &b, out);
}

void trxi_step_constraint_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out)
{
    for (int i = 0; i < step->rows->nconstraint_rows; i++) {
        trxi_block_tangent block;
        trxi_constraint_numbers numbers;
        if (step->rows->constraint_rows[i].kind == TRXI_CONSTRAINT_COUPLER) {
            subtract_coupler(step, deriv, &step->rows->constraint_rows[i], out);
            continue;
        }
        trxi_constraint_tangent(step, deriv, &step->rows->constraint_rows[i], &numbers, &block);
        trxi_block_subtract(step, deriv, &block, out);
    }
}
