// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rows on lengths (theory 4, Tendons): drives, springs, limits and couplers take the gradient of a length as J. Where the
// gradient of a spatial tendon depends on q, each such row has the terms of dJ,
//
//     r -= dJ^T gamma - J^T G (dJ v)
//
// The file of each kind of row adds the other terms of the row. One product with the derivative of a gradient gives one row of the
// matrix dJ^T gamma, or the product of the matrix with lambda.

#include "step/scalar_rows.h"

trxi_row_block *trxi_rows_add_length(trxi_rows *rows, const trxi_law *law, int index, int part, const trxi_length_view *length,
                                     double scale)
{
    int *cols;
    double *J;
    trxi_row_block *row = trxi_rows_add_scalar(rows, law, index, part, length->ncol, &cols, &J);
    for (int k = 0; k < length->ncol; k++) cols[k] = length->cols[k], J[k] = scale * length->J[k];
    return row;
}

// the length b of a coupler, with the slope and the curvature of -P
static trxi_row_length coupler_length_b(const trxi_rows *rows, int constraint, int length)
{
    for (int i = 0; i < rows->nconstraint_rows; i++) {
        const trxi_constraint_rows *coupler = &rows->constraint_rows[i];
        if (coupler->constraint == constraint) return (trxi_row_length){length, -coupler->slope, -coupler->curvature};
    }
    return (trxi_row_length){.length = -1};
}

int trxi_row_lengths(const trx_model *model, const trxi_rows *rows, const trxi_row_block *row, trxi_row_length out[2])
{
    trxi_row_length all[2] = {{.length = -1}, {.length = -1}};
    int count = 0;
    if (row->law == &trxi_drive) {
        all[0] = (trxi_row_length){model->actuators[row->index].length, model->actuators[row->index].gear, 0};
    } else if (row->law == &trxi_spring) {
        all[0] = (trxi_row_length){model->springs[row->index].length, 1, 0};
    } else if (row->law == &trxi_limit && row->index >= model->njoint) {
        all[0] = (trxi_row_length){model->constraints[row->index - model->njoint].length_a, row->part ? -1 : 1, 0};
    } else if (row->law == &trxi_equality && model->constraints[row->index].type == TRX_CONSTRAINT_COUPLER) {
        const trxi_constraint *c = &model->constraints[row->index];
        all[0] = (trxi_row_length){c->length_a, 1, 0};
        all[1] = coupler_length_b(rows, row->index, c->length_b);
    }
    for (int i = 0; i < 2; i++)
        if (all[i].length >= 0 && trxi_length_bends(model, all[i].length)) out[count++] = all[i];
    return count;
}

void trxi_row_add_turn(const trxi_solved *step, trxi_derivatives *deriv, const trxi_row_block *row, double factor, const double *y,
                       double *by_x)
{
    const trx_model *model = step->in->model;
    trxi_row_length lengths[2];
    const int count = trxi_row_lengths(model, step->rows, row, lengths);
    for (int i = 0; i < count; i++) {
        const trxi_length_view of = trxi_length_at(model, &step->smooth->lengths, lengths[i].length);
        trxi_length_turn(model, &step->smooth->kin, &step->smooth->lengths, lengths[i].length, y, deriv->turn);
        for (int k = 0; k < of.ncol; k++) by_x[of.cols[k]] += factor * lengths[i].scale * deriv->turn[of.cols[k]];
    }
}

// r -= dJ^T gamma of one length
static void subtract_turn(const trxi_solved *step, trxi_derivatives *deriv, const trxi_row_length *length, double gamma,
                          const trxi_residual_out *out)
{
    const trx_model *model = step->in->model;
    const trxi_length_view of = trxi_length_at(model, &step->smooth->lengths, length->length);
    double *h = deriv->turn, *unit = deriv->unit;
    if (out->lambda) {
        trxi_length_turn(model, &step->smooth->kin, &step->smooth->lengths, length->length, out->lambda, h);
        for (int k = 0; k < of.ncol; k++) out->q[of.cols[k]] -= gamma * length->scale * h[of.cols[k]];
        return;
    }
    for (int i = 0; i < of.ncol; i++) {
        unit[of.cols[i]] = 1;
        trxi_length_turn(model, &step->smooth->kin, &step->smooth->lengths, length->length, unit, h);
        unit[of.cols[i]] = 0;
        for (int k = 0; k < of.ncol; k++)
            trxi_residual_add_q(out, of.cols[i], of.cols[k], -gamma * length->scale * h[of.cols[k]]);
    }
}

// r += J^T G (dJ v) of one length
static void add_rate(const trxi_solved *step, trxi_derivatives *deriv, const trxi_row_block *row, const trxi_row_length *length,
                     const trxi_residual_out *out)
{
    const trx_model *model = step->in->model;
    const trxi_length_view of = trxi_length_at(model, &step->smooth->lengths, length->length);
    trxi_length_turn(model, &step->smooth->kin, &step->smooth->lengths, length->length, step->solver->v, deriv->turn);
    for (int k = 0; k < of.ncol; k++)
        for (int i = 0; i < row->ncol; i++)
            trxi_residual_add_q(out, row->cols[i], of.cols[k],
                                row->J[i] * row->at.G.xx * length->scale * deriv->turn[of.cols[k]]);
}

void trxi_step_length_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out)
{
    for (int i = 0; i < step->rows->nscalar; i++) {
        const trxi_row_block *row = &step->rows->scalars[i];
        trxi_row_length lengths[2];
        const int count = trxi_row_lengths(step->in->model, step->rows, row, lengths);
        for (int k = 0; k < count; k++) {
            if (row->at.gamma[0] != 0) subtract_turn(step, deriv, &lengths[k], row->at.gamma[0], out);
            if (row->at.G.xx > 0) add_rate(step, deriv, row, &lengths[k], out);
        }
    }
}
