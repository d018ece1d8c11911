// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Dense kernels below and above the crossover to LAPACKE and OpenBLAS, against plain triple loops.

#include "base/random.h"
#include "math/dense.h"
#include "support/support.h"

#include <string.h>

enum { N = 64, LD = 67 };
static double A[LD * N], B[LD * N], C[LD * N], D[LD * N];

static void fill(double *m, int seed)
{
    for (int i = 0; i < LD * N; i++) m[i] = trxi_random_normal((uint64_t)seed, (uint64_t)i);
}

// S = B B^T + I, both triangles
static void make_spd(int n, double *S)
{
    fill(B, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j;
            for (int k = 0; k < n; k++) sum += B[i + k * LD] * B[j + k * LD];
            S[i + j * LD] = sum;
        }
}

START_TEST(cholesky_solves_at_every_size)
{
    for (int n = 1; n <= N; n++) {
        make_spd(n, A);
        memcpy(C, A, sizeof A);
        for (int j = 1; j < n; j++)
            for (int i = 0; i < j; i++) C[i + j * LD] = NAN; // the upper triangle must not be read
        ck_assert_int_eq(trxi_cholesky(n, C, LD), -1);
        fill(B, 1000 + n);
        memcpy(D, B, sizeof B);
        int columns = n % 2 ? 3 : 9; // below and above where OpenBLAS takes over
        trxi_cholesky_solve(n, C, LD, columns, D, LD);
        for (int k = 0; k < columns; k++)
            for (int i = 0; i < n; i++) {
                double sum = -B[i + k * LD];
                for (int j = 0; j < n; j++) sum += A[i + j * LD] * D[j + k * LD];
                assert_close(sum, 0, 1e-11);
            }
    }
}
END_TEST

START_TEST(cholesky_names_the_pivot_that_failed)
{
    const int sizes[] = {9, 60};
    for (int s = 0; s < 2; s++) {
        make_spd(sizes[s], A);
        memcpy(C, A, sizeof A);
        C[5 + 5 * LD] = -1;
        ck_assert_int_eq(trxi_cholesky(sizes[s], C, LD), 5);
        memcpy(C, A, sizeof A);
        C[3 + 3 * LD] = NAN;
        ck_assert_int_ge(trxi_cholesky(sizes[s], C, LD), 0);
    }
}
END_TEST

START_TEST(products_agree_with_plain_loops)
{
    for (int n = 1; n <= N; n += 9) {
        int m = n, k = (n + 5) / 2, p = (2 * n + 2) / 3;
        fill(A, 1), fill(B, 2), fill(C, 3);
        memcpy(D, C, sizeof C);
        trxi_gemm(m, p, k, 1.5, A, LD, B, LD, 0.5, C, LD);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < p; j++) {
                double sum = 0.5 * D[i + j * LD];
                for (int l = 0; l < k; l++) sum += 1.5 * A[i + l * LD] * B[l + j * LD];
                assert_close(C[i + j * LD], sum, 1e-12);
            }
        for (int i = 0; i < LD * N; i++) C[i] = NAN;
        trxi_gemm_tn(m, p, k, -1, A, LD, B, LD, 0, C, LD);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < p; j++) {
                double sum = 0;
                for (int l = 0; l < k; l++) sum -= A[l + i * LD] * B[l + j * LD];
                assert_close(C[i + j * LD], sum, 1e-12);
            }
    }
}
END_TEST

START_TEST(a_symmetric_product_reads_the_lower_triangle)
{
    make_spd(11, A);
    memcpy(C, A, sizeof A);
    for (int j = 1; j < 11; j++)
        for (int i = 0; i < j; i++) C[i + j * LD] = NAN;
    fill(B, 5);
    double y[11], expected[11], transposed[11];
    trxi_symv(11, C, LD, B, y);
    trxi_gemv(11, 11, 1, A, LD, B, 0, expected);
    trxi_gemv_t(11, 11, 1, A, LD, B, 0, transposed);
    assert_below(max_difference(y, expected, 11), 1e-12);
    assert_below(max_difference(y, transposed, 11), 1e-12);
}
END_TEST

START_TEST(one_number_that_is_not_finite_is_found)
{
    double x[5] = {1, 2, 3, 4, 5};
    ck_assert(trxi_all_finite(5, x));
    x[4] = INFINITY;
    ck_assert(!trxi_all_finite(5, x));
    x[4] = NAN;
    ck_assert(!trxi_all_finite(5, x));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("math/dense");
    TCase *cases = tcase_create("dense");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, cholesky_solves_at_every_size);
    tcase_add_test(cases, cholesky_names_the_pivot_that_failed);
    tcase_add_test(cases, products_agree_with_plain_loops);
    tcase_add_test(cases, a_symmetric_product_reads_the_lower_triangle);
    tcase_add_test(cases, one_number_that_is_not_finite_is_found);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
