// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Parameters that are part of A reach the effective inverse mass w of the rows that depend on it (theory 6):
//
//     r -= J^T gamma_w dw,      dw = -scale <M, Y^T dA Y>,   Y = A^-1 J^T
//
// with the rows, gamma_w, scale and M of inverse_mass.h. Y is computed once for all parameters. y^T dA z is a sum over the
// changed diagonal and the momentum of the changed link.

#include "step/parameters.h"

// sum_ab M_ab y_a^T dA y_b for n columns Y (nv x n)
static double weighted(const trxi_solved *step, const trxi_mass_change *change, int n, const double *Y, const double M[9])
{
    const trx_model *model = step->in->model;
    const double *S = trxi_solved_kin(step)->S;
    double sum = 0, V[18] = {0};
    const int link = change->inertia.link;
    for (int a = 0; a < n && link >= 0; a++) {
        const int *path = model->path + model->links[link].path_start;
        for (int k = 0; k < model->links[link].path_length; k++)
            trxi_axpy6(Y[path[k] + a * model->nv], S + 6 * path[k], V + 6 * a);
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            double form = link < 0 ? 0 : change->scale * trxi_inertia_form(&change->inertia, V + 6 * a, V + 6 * b);
            for (int i = change->first; i < change->first + change->n; i++)
                form += change->diagonal * Y[i + a * model->nv] * Y[i + b * model->nv];
            sum += M[a + 3 * b] * form;
        }
    return sum;
}

void trxi_parameters_mass_rows(const trxi_solved *step, trxi_derivatives *deriv, const trxi_mass_rows *rows,
                               const trxi_mass_change *changes, int count, double *dw)
{
    double *Y = deriv->y_scratch, W[9], M[9];
    trxi_mass_rows_solve(step, rows, Y, W);
    const double scale = trxi_mass_rows_weight(rows, W, M);
    for (int p = 0; p < count; p++) dw[p] = -scale * weighted(step, &changes[p], rows->n, Y, M);
}

// r -= J^T gamma_w dw for rows with a common w
static void subtract_rows(const trxi_solved *step, trxi_derivatives *deriv, const trxi_mass_rows *rows,
                          const trxi_mass_change *changes, int count, double *r, int ld)
{
    const int n = rows->n;
    double dw[TRXI_PARAMETER_GROUP];
    if (n == 0) return;
    trxi_parameters_mass_rows(step, deriv, rows, changes, count, dw);
    for (int p = 0; p < count; p++)
        for (int i = 0; i < rows->ncol; i++)
            for (int a = 0; a < n; a++) r[rows->cols[i] + p * ld] -= rows->J[n * i + a] * rows->gamma_w[a] * dw[p];
}

void trxi_parameters_mass(const trxi_solved *step, trxi_derivatives *deriv, const trxi_mass_change *changes, int count,
                          double *r, int ld)
{
    trxi_mass_rows rows, of_contact[TRXI_MASS_NUMBERS];
    for (int i = 0; i < step->rows->ncontact; i++) {
        const int n = trxi_contact_mass_rows(step, i, of_contact);
        for (int k = 0; k < n; k++) subtract_rows(step, deriv, &of_contact[k], changes, count, r, ld);
    }
    for (int i = 0; i < step->rows->nscalar; i++) {
        if (step->rows->scalars[i].law != &trxi_limit || !(step->rows->scalars[i].at.G.xx > 0)) continue;
        rows = trxi_limit_mass_rows(step, &step->rows->scalars[i]);
        subtract_rows(step, deriv, &rows, changes, count, r, ld);
    }
    for (int i = 0; i < step->rows->nconstraint_rows; i++) {
        trxi_constraint_mass_rows(step, deriv, &step->rows->constraint_rows[i], &rows);
        subtract_rows(step, deriv, &rows, changes, count, r, ld);
    }
}
