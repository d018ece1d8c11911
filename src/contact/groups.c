// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A by groups (theory 2.2): see balance.h.

#include "contact/balance.h"

#include "math/dense.h"

#include <string.h>

void trxi_group_product(const trxi_contact_problem *problem, const trxi_group *group, const double *x, double *y)
{
    trxi_symv(group->nv, problem->A + group->block, group->nv, x + group->v, y + group->v);
}

void trxi_group_add_bound(const trxi_contact_problem *problem, const trxi_group *group, const double *v, double *bound)
{
    const double *A = problem->A + group->block;
    v += group->v, bound += group->v;
    for (int c = 0; c < group->nv; c++) {
        bound[c] += fabs(A[c + c * group->nv] * v[c]);
        for (int i = c + 1; i < group->nv; i++) {
            double a = fabs(A[i + c * group->nv]);
            bound[i] += a * fabs(v[c]);
            bound[c] += a * fabs(v[i]);
        }
    }
}

void trxi_group_solve(const trxi_contact_problem *problem, const trxi_group *group, int nrhs, double *X, int ldx)
{
    trxi_cholesky_solve(group->nv, problem->LA + group->block, group->nv, nrhs, X, ldx);
}

void trxi_group_copy(const trxi_contact_problem *problem, const trxi_group *group, double *H, int ld)
{
    const double *A = problem->A + group->block;
    const int n = group->nv;
    if (ld == n) memcpy(H, A, (size_t)(n * n) * sizeof *H);
    else
        for (int c = 0; c < n; c++) memcpy(H + c * ld + c, A + c * (n + 1), (size_t)(n - c) * sizeof *H);
}
