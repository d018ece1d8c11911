// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Elimination with row exchanges: products of what it solves with give back what was given.

#include "base/random.h"
#include "math/dense.h"
#include "math/lu.h"
#include "support/support.h"

#include <string.h>

enum { N = 24, LD = 27, RHS = 5 };

static void fill(double *m, int seed)
{
    for (int i = 0; i < LD * N; i++) m[i] = trxi_random_normal((uint64_t)seed, (uint64_t)i);
}

START_TEST(both_sides_are_solved_at_every_size)
{
    static double A[LD * N], LU[LD * N], B[LD * N], X[LD * N], product[LD * N];
    for (int n = 1; n <= N; n++) {
        int pivots[N];
        fill(A, n);
        A[0] = 0; // without an exchange there would be no first pivot
        if (n == 1) A[0] = -3;
        memcpy(LU, A, sizeof A);
        ck_assert(trxi_lu(n, LU, LD, NULL, pivots));

        fill(B, 100 + n);
        memcpy(X, B, sizeof B);
        trxi_lu_solve(n, LU, LD, pivots, RHS, X, LD);
        trxi_gemm(n, RHS, n, 1, A, LD, X, LD, 0, product, LD);
        for (int j = 0; j < RHS; j++) assert_below(max_difference(product + j * LD, B + j * LD, n), 1e-9);

        memcpy(X, B, sizeof B);
        trxi_lu_solve_right(n, LU, LD, pivots, RHS, X, LD);
        trxi_gemm(RHS, n, n, 1, X, LD, A, LD, 0, product, LD);
        for (int j = 0; j < n; j++) assert_below(max_difference(product + j * LD, B + j * LD, RHS), 1e-9);
    }
}
END_TEST

START_TEST(a_singular_matrix_is_refused)
{
    int pivots[3];
    double empty_row[9] = {1, 0, 3, 2, 0, 6, 1, 0, 1}, infinite[4] = {INFINITY, 1, 1, 2}, nan[4] = {1, NAN, 1, 2};
    ck_assert(!trxi_lu(3, empty_row, 3, NULL, pivots));
    ck_assert(!trxi_lu(2, infinite, 2, NULL, pivots));
    ck_assert(!trxi_lu(2, nan, 2, NULL, pivots));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("math/lu");
    TCase *cases = tcase_create("lu");
    tcase_add_test(cases, both_sides_are_solved_at_every_size);
    tcase_add_test(cases, a_singular_matrix_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
