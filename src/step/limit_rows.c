// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Limits of joints and of tendons as near-rigid rows of the convex problem (theory 4; the law is in compliant.c), and their
// derivative (theory 6):
//
//     d gamma = -G dv_c + (dgamma/dphi) dphi + (dgamma/dw) dw,      w = J A^-1 J^T,  dw = 2 dJ y - y^T dM y,  y = A^-1 J^T
//
// The terms of dJ^T gamma and dJ v are in length_rows.c.
//
// A row acts when v_c < v_hat; after a large violation it acts only below a fixed speed (contact/compliant.c). Rows that cannot
// come near v_hat within the step are left out.

#include "step/inverse_mass.h"
#include "step/scalar_rows.h"
#include "step/smooth.h"

#include <string.h>

// a limit with a larger gap has no row
static double reach(const trxi_input *in, const trxi_smooth *smooth, const trxi_length_view *of)
{
    static const double always = 0.05; // a row with a smaller gap is always kept: contacts may accelerate the joint [m or rad]
    double speed = 0;
    for (int k = 0; k < of->ncol; k++)
        speed += fabs(of->J[k]) * (fabs(in->v0[of->cols[k]]) + fabs(smooth->v_free[of->cols[k]]));
    return 4 * in->settings.time_step * speed + always;
}

static void add_limit(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, const trxi_length_view *of, int index,
                      int part, double phi0)
{
    trxi_row_block *row = trxi_rows_add_length(rows, &trxi_limit, index, part, of, part ? -1 : 1);
    row->phi0 = phi0;
    row->w = trxi_step_inverse_mass(in, smooth, rows, row->cols, row->ncol, row->J, 1);
    if (!(row->w > 0)) {
        trxi_rows_drop_scalar(rows);
        return;
    }
    row->compliant.stiffness = INFINITY;
    row->law->prepare(row, &in->law);
}

// adds the rows of the limits of a length; an infinite limit has an infinite gap
static void add_limits(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, const trxi_length_view *of, int index,
                       const double gaps[2])
{
    const double most = reach(in, smooth, of);
    for (int part = 0; part < 2; part++)
        if (isfinite(gaps[part]) && !(gaps[part] > most)) add_limit(in, smooth, rows, of, index, part, gaps[part]);
}

static void add_tendon(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, int constraint)
{
    const trxi_constraint *c = &in->model->constraints[constraint];
    const trxi_length_view of = trxi_length_at(in->model, &smooth->lengths, c->length_a);
    double *gaps = rows->gaps + 6 * constraint;
    gaps[0] = of.value - c->lower;
    gaps[1] = c->upper - of.value;
    add_limits(in, smooth, rows, &of, in->model->njoint + constraint, gaps);
}

void trxi_step_limit_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows)
{
    static const double one = 1;
    const trx_model *model = in->model;
    for (int k = 0; k < model->nlimit; k++) {
        const trxi_joint *joint = &model->joints[model->limits[k]];
        const double q = in->q0[joint->q], gaps[2] = {q - joint->lower, joint->upper - q};
        const trxi_length_view of = {q, 1, &joint->v, &one};
        add_limits(in, smooth, rows, &of, model->limits[k], gaps);
    }
    for (int i = 0; i < model->nconstraint; i++)
        if (model->constraints[i].type == TRX_CONSTRAINT_TENDON) add_tendon(in, smooth, rows, i);
}

static trxi_mass_rows mass_rows(const trxi_row_block *row, const trxi_law_partials *partials)
{
    return (trxi_mass_rows){.n = 1, .ncol = row->ncol, .cols = row->cols, .J = row->J, .w = row->w, .gamma_w = {partials->w[0]}};
}

trxi_mass_rows trxi_limit_mass_rows(const trxi_solved *step, const trxi_row_block *row)
{
    trxi_law_partials partials;
    trxi_row_partials(row, &step->in->law, &partials);
    return mass_rows(row, &partials);
}

// subtracts the terms of an active limit, with y = A^-1 J^T of the row
static void subtract_limit(const trxi_solved *step, trxi_derivatives *deriv, const trxi_row_block *row, const double *y,
                           const trxi_residual_out *out)
{
    trxi_law_partials partials;
    trxi_row_partials(row, &step->in->law, &partials);
    const trxi_mass_rows mass = mass_rows(row, &partials);
    double *dw = trxi_mass_change_begin(step, deriv);
    for (int c = 0; c < row->ncol; c++) // r has -J^T gamma, and dphi = J dq
        for (int k = 0; k < row->ncol; k++)
            trxi_residual_add_q(out, row->cols[k], row->cols[c], -partials.phi[0] * row->J[c] * row->J[k]);
    trxi_row_add_turn(step, deriv, row, 2, y, dw);
    trxi_mass_change_add(step, deriv, row->cols, row->ncol, -1, y, dw);
    trxi_mass_change_subtract(step, deriv, &mass, dw, out);
}

// returns whether a row can share a solve with the row `first`: both have one column, in the same tree
static bool shares(const trxi_row_block *row, const trxi_row_block *first, const int *tree)
{
    return row->ncol == 1 && first->ncol == 1 && tree[row->cols[0]] == tree[first->cols[0]];
}

// subtracts the terms of `count` active limits that share one solve, Y = A^-1 J^T
static void subtract_together(const trxi_solved *step, trxi_derivatives *deriv, const trxi_row_block *const *rows, int count,
                              const trxi_residual_out *out)
{
    const size_t nv = (size_t)step->in->model->nv;
    double *Y = deriv->y_scratch;
    if (count == 0) return;
    memset(Y, 0, (size_t)count * nv * sizeof *Y);
    for (int k = 0; k < count; k++)
        for (int c = 0; c < rows[k]->ncol; c++) Y[(size_t)k * nv + (size_t)rows[k]->cols[c]] = rows[k]->J[c];
    trxi_step_solve_mass(step->in, step->smooth, rows[0]->cols, rows[0]->ncol, count, Y);
    for (int k = 0; k < count; k++) subtract_limit(step, deriv, rows[k], Y + (size_t)k * nv, out);
}

// active limits of one tree share one solve, because a solve with a single right-hand side is slow: each of its operations waits
// for the operation before
void trxi_step_limit_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out)
{
    enum { TOGETHER = 7 }; // y_scratch has one more vector, which trxi_mass_change_add needs
    const int *tree = step->in->model->dof_tree;
    const trxi_row_block *rows[TOGETHER];
    int count = 0;
    for (int i = 0; i < step->rows->nscalar; i++) {
        const trxi_row_block *row = &step->rows->scalars[i];
        if (row->law != &trxi_limit || !(row->at.G.xx > 0)) continue;
        if (count == TOGETHER || (count > 0 && !shares(row, rows[0], tree))) {
            subtract_together(step, deriv, rows, count, out);
            count = 0;
        }
        rows[count++] = row;
    }
    subtract_together(step, deriv, rows, count, out);
}
