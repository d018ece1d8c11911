// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joint limits as near-rigid rows of the convex problem (theory 4; the law is in compliant.c), and their derivative (theory 6):
//
//     d gamma = -G dv_c + (dgamma/dphi) dphi + (dgamma/dw) dw,      w = (A^-1)_ii,  dw = -y^T dM y,  y = A^-1 e_i
//
// A row acts when v_c < v_hat. Rows that cannot come near v_hat within the step are left out.

#include "step/inverse_mass.h"
#include "step/limit_rows.h"
#include "step/mass_solve.h"
#include "step/scalar_rows.h"
#include "step/smooth.h"

#include "math/dense.h"

#include <string.h>

static void add_limit(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, int index, int part, double phi0)
{
    const double dt = in->settings.time_step;
    const int dof = in->model->joints[index].v;
    double travel = 4 * dt * (fabs(in->v0[dof]) + fabs(smooth->v_free[dof]));
    static const double always = 0.05; // a row with a smaller gap is always kept: contacts may accelerate the joint [m or rad]
    if (phi0 > travel + always) return;

    int *cols;
    double *J;
    trxi_row_block *row = trxi_rows_add_scalar(rows, &trxi_limit, index, part, 1, &cols, &J);
    cols[0] = dof;
    J[0] = part ? -1 : 1;
    row->phi0 = phi0;
    row->w = trxi_step_inverse_mass(in, smooth, rows, cols, 1, J, 1);
    row->compliant.stiffness = INFINITY;
    row->law->prepare(row, &in->law);
}

void trxi_step_limit_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows)
{
    const trx_model *model = in->model;
    for (int k = 0; k < model->nlimit; k++) {
        const trxi_joint *joint = &model->joints[model->limits[k]];
        double q = in->q0[joint->q];
        if (isfinite(joint->lower)) add_limit(in, smooth, rows, model->limits[k], 0, q - joint->lower);
        if (isfinite(joint->upper)) add_limit(in, smooth, rows, model->limits[k], 1, joint->upper - q);
    }
}

static trxi_mass_rows mass_rows(const trxi_row_block *row, const trxi_law_partials *partials)
{
    return (trxi_mass_rows){.n = 1, .ncol = 1, .cols = row->cols, .J = row->J, .w = row->w, .gamma_w = {partials->w[0]}};
}

trxi_mass_rows trxi_limit_mass_rows(const trxi_solved *step, const trxi_row_block *row)
{
    trxi_law_partials partials;
    trxi_row_partials(row, &step->in->law, &partials);
    return mass_rows(row, &partials);
}

// y = A^-1 J^T of the row
static void subtract_limit(const trxi_solved *step, trxi_derivatives *deriv, const trxi_row_block *row, const double *y,
                           const trxi_residual_out *out)
{
    const int dof = row->cols[0];
    trxi_law_partials partials;
    trxi_row_partials(row, &step->in->law, &partials);
    const trxi_mass_rows mass = mass_rows(row, &partials);
    double *dw = trxi_mass_change_begin(step, deriv);
    trxi_residual_add_q(out, dof, dof, -partials.phi[0]); // r has -J^T gamma, and dphi = J dq
    trxi_mass_change_add(step, deriv, row->cols, 1, -1, y, dw);
    trxi_mass_change_subtract(step, deriv, &mass, dw, out);
}

// active limits of one tree share one solve: a single right-hand side would wait for its own results
void trxi_step_limit_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out)
{
    enum { TOGETHER = 7 }; // y_scratch has one more vector, which the sum needs
    const size_t nv = (size_t)step->in->model->nv;
    const trxi_row_block *rows[TOGETHER];
    double *Y = deriv->y_scratch;
    for (int i = 0, count = 0; i <= step->rows->nscalar; i++) {
        const trxi_row_block *row = &step->rows->scalars[i];
        const bool end = i == step->rows->nscalar, acts = !end && row->law == &trxi_limit && row->at.G.xx > 0;
        const int *tree = step->in->model->dof_tree;
        if (count > 0 && (end || count == TOGETHER || (acts && tree[row->cols[0]] != tree[rows[0]->cols[0]]))) {
            memset(Y, 0, (size_t)count * nv * sizeof *Y);
            for (int k = 0; k < count; k++) Y[(size_t)k * nv + (size_t)rows[k]->cols[0]] = 1;
            trxi_step_solve_mass(step->in, step->smooth, rows[0]->cols, 1, count, Y);
            for (int k = 0; k < count; k++) subtract_limit(step, deriv, rows[k], Y + (size_t)k * nv, out);
            count = 0;
        }
        if (acts) rows[count++] = row;
    }
}
