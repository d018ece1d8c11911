// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Parameters that are part of A reach the effective inverse mass w of the rows that depend on it (theory 6):
//
//     r -= J^T gamma_w dw,      dw = -<W, Y^T dA Y>/(n^2 w),   Y = A^-1 J^T, W = J Y   (n rows, w = |W|_F/n; n = 1: W = w)
//
// with gamma_w = -gamma/w for limits and near-rigid constraints, and the table of theory 6 for contacts. Y is made once a
// row for all parameters; y^T dA z is a sum over the diagonal that changes and the momentum of the link that does.

#include "step/parameters.h"

#include "math/dense.h"

#include <string.h>

// sum_ab W_ab y_a^T dA y_b for n columns Y (nv x n)
static double weighted(const trx_sim *sim, const trxi_mass_change *change, int n, const double *Y, const double W[9])
{
    const trx_model *model = sim->model;
    const double *S = trxi_smooth_kin(sim)->S;
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
            sum += W[a + n * b] * form;
        }
    return sum;
}

static void contact(trx_sim *sim, const trxi_row_block *c, const trxi_mass_change *changes, int count, double *r, int ld)
{
    trxi_contact_partials partials;
    trxi_row_partials(c, &sim->problem.law, &partials);
    const double *gamma_w = partials.w;
    if (gamma_w[0] == 0 && gamma_w[1] == 0 && gamma_w[2] == 0) return;
    double *Y = sim->y_scratch, W[9];
    trxi_step_rows_mass(sim, c->cols, c->ncol, c->J, 3, Y, W);
    for (int p = 0; p < count; p++) {
        double dw = -weighted(sim, &changes[p], 3, Y, W) / (9 * c->w);
        for (int k = 0; k < c->ncol; k++) r[c->cols[k] + p * ld] -= trxi_dot3(c->J + 3 * k, gamma_w) * dw;
    }
}

// rows of one block with gamma_w = -gamma/w each
static void block(trx_sim *sim, const trxi_row_block *rows, int n, const trxi_mass_change *changes, int count, double *r, int ld)
{
    const int nv = sim->model->nv, ncol = rows->ncol, *cols = rows->cols;
    double *Y = sim->y_scratch, W[9];
    memset(Y, 0, (size_t)n * (size_t)nv * sizeof *Y);
    for (int a = 0; a < n; a++)
        for (int i = 0; i < ncol; i++) Y[cols[i] + a * nv] = rows[a].J[i];
    trxi_step_solve_mass(sim, cols, ncol, n, Y);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            W[a + n * b] = 0;
            for (int i = 0; i < ncol; i++) W[a + n * b] += rows[a].J[i] * Y[cols[i] + b * nv];
        }
    for (int p = 0; p < count; p++) {
        double dw = -weighted(sim, &changes[p], n, Y, W) / (n * n * rows->w);
        for (int a = 0; a < n; a++)
            for (int i = 0; i < ncol; i++) r[cols[i] + p * ld] += rows[a].J[i] * rows[a].gamma[0] / rows->w * dw;
    }
}

void trxi_parameters_mass(trx_sim *sim, const trxi_mass_change *changes, int count, double *r, int ld)
{
    for (int i = 0; i < sim->ncontact; i++) contact(sim, &sim->contacts[i], changes, count, r, ld);
    for (int i = 0; i < sim->nscalar; i++)
        if (sim->scalars[i].law == &trxi_limit && sim->scalars[i].G.xx > 0)
            block(sim, &sim->scalars[i], 1, changes, count, r, ld);
    for (int i = 0; i < sim->nhold; i++)
        if (sim->holds[i].rigid) block(sim, &sim->scalars[sim->holds[i].first], sim->holds[i].nrow, changes, count, r, ld);
}
