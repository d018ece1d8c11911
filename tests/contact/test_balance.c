// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Momentum balance (theory 2.2, 5): residual against its definition, Hessian against differences of it, the two
// ways to converge.

#include "contact/balance.h"
#include "contact/problem.h"
#include "math/dense.h"
#include "support/support.h"

#include <float.h>
#include <string.h>

enum { APPROXIMATIONS = TRX_SAP + 1 };

static double symmetric(const double *A, int nv, int i, int j)
{
    return i >= j ? A[i + j * nv] : A[j + i * nv];
}

START_TEST(the_residual_is_that_of_its_definition)
{
    random_problem p;
    for (uint64_t seed = 0; seed < 40; seed++) {
        make_problem(&p, (trx_approximation)(seed % APPROXIMATIONS), 7, 3, 5, seed);
        balance_problem(&p);
        for (int i = 0; i < 7; i++) {
            double r = -p.p0[i];
            for (int j = 0; j < 7; j++) r += symmetric(p.A, 7, i, j) * p.start[j];
            for (int k = 0; k < 3; k++) r -= trxi_dot(3, p.J[k] + 3 * i, p.contacts[k].at.gamma);
            for (int k = 0; k < 5; k++)
                for (int c = 0; c < p.scalars[k].ncol; c++)
                    if (p.scalars[k].cols[c] == i) r -= p.scalars[k].J[c] * p.scalars[k].at.gamma[0];
            assert_close(p.solver.work->islands->now->r[i], r, 1e-10 * (1 + fabs(r)));
        }
    }
}
END_TEST

START_TEST(the_hessian_is_the_derivative_of_the_residual)
{
    random_problem p;
    int judged = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        make_problem(&p, (trx_approximation)(seed % APPROXIMATIONS), 6, 3, 5, seed);
        for (int k = 0; k < 3; k++) p.contacts[k].soft = fmax(p.contacts[k].soft, 0.1);
        for (int k = 0; k < 3; k++) p.materials[k].smoothing = 1e-2;
        balance_problem(&p);
        double H[36];
        hessian_problem(&p, H);
        double size = max_magnitude(H, 36);
        for (int j = 0; j < 6; j++) {
            double r[2][6];
            int branches[3][8];
            for (int side = 0; side < 3; side++) {
                memcpy(p.solver.v, p.start, sizeof r[0]);
                p.solver.v[j] += side == 0 ? 1e-5 : side == 1 ? -1e-5 : 0;
                balance_problem(&p);
                if (side < 2) memcpy(r[side], p.solver.work->islands->now->r, sizeof r[side]);
                for (int k = 0; k < 3; k++) branches[side][k] = p.contacts[k].at.branch;
                for (int k = 0; k < 5; k++) branches[side][3 + k] = p.scalars[k].at.branch;
            }
            if (memcmp(branches[0], branches[1], sizeof branches[0]) || memcmp(branches[0], branches[2], sizeof branches[0]))
                continue;
            judged++;
            for (int i = 0; i < 6; i++)
                assert_close(symmetric(H, 6, i, j), (r[0][i] - r[1][i]) / 2e-5, 1e-6 * size);
        }
    }
    ck_assert_int_ge(judged, 800);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/balance");
    TCase *cases = tcase_create("balance");
    tcase_add_test(cases, the_residual_is_that_of_its_definition);
    tcase_add_test(cases, the_hessian_is_the_derivative_of_the_residual);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
