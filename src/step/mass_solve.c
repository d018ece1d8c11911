// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Solutions with the factor of A by trees, and the effective inverse mass w = |J A^-1 J^T|_F / rows of rows (theory 4).

#include "step/mass_solve.h"

#include "math/dense.h"

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
