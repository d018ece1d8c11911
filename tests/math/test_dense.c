// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Dense kernels against plain triple loops: the portable set, the AVX2 set, and the functions that choose a set, or
// LAPACKE and OpenBLAS for large matrices. These functions are tested with sizes on both sides of the limit. Tolerances are the
// same for all.

#include "base/random.h"
#include "math/dense.h"
#include "math/dense_kernels.h"
#include "support/support.h"

#include <string.h>

enum { N = 64, LARGE = 140, LD = 147 };
static double A[LD * LARGE], B[LD * LARGE], C[LD * LARGE], D[LD * LARGE];

// a piece of one long row of numbers, drawn at the first call
static void fill(double *m, int seed)
{
    enum { PLACES = 997, APART = 101 };
    static double numbers[LD * LARGE + PLACES];
    if (numbers[0] == 0)
        for (int i = 0; i < LD * LARGE + PLACES; i++) numbers[i] = trxi_random_normal(1, (uint64_t)i);
    memcpy(m, numbers + seed * APART % PLACES, LD * LARGE * sizeof *m);
}

static void fill_with_nan(double *m)
{
    for (int i = 0; i < LD * LARGE; i++) m[i] = NAN;
}

// the functions of dense.h as a set
static const trxi_dense_kernels chosen = {
    .cholesky = trxi_cholesky, .solve = trxi_cholesky_solve, .lower_solve = trxi_lower_solve,
    .lower_solve_right = trxi_lower_solve_right, .upper_solve_right = trxi_upper_solve_right,
    .gemm = trxi_gemm, .gemm_tn = trxi_gemm_tn, .gemm_nt_lower = trxi_gemm_nt_lower,
    .gemv = trxi_gemv, .gemv_t = trxi_gemv_t, .symv = trxi_symv, .transpose = trxi_transpose, .dot = trxi_dot,
    .axpy = trxi_axpy, .add = trxi_add, .add_rank3 = trxi_add_rank3,
};

enum { PORTABLE, VECTOR, CHOSEN, SETS };
static const trxi_dense_kernels *set; // under test
static int most;                      // order of its largest factorization here

// false when the processor has no AVX2 to offer
static bool choose_set(int which)
{
    set = which == PORTABLE ? &trxi_dense_portable : which == VECTOR ? trxi_dense_vector() : &chosen;
    most = which == CHOSEN ? LARGE : TRXI_DENSE_MOST;
    return set != NULL;
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

// C = the factor of A, whose upper triangle must not be read
static void factorize(int n)
{
    memcpy(C, A, sizeof A);
    for (int j = 1; j < n; j++)
        for (int i = 0; i < j; i++) C[i + j * LD] = NAN;
    ck_assert_int_eq(set->cholesky(n, C, LD), -1);
}

// D solves A D = B for so many columns, and leaves the columns after them alone
static void check_solution(int n, int columns)
{
    for (int k = 0; k < columns; k++)
        for (int i = 0; i < n; i++) {
            double sum = -B[i + k * LD];
            for (int j = 0; j < n; j++) sum += A[i + j * LD] * D[j + k * LD];
            assert_close(sum, 0, 1e-11);
        }
    for (int i = 0; i < n; i++) ck_assert(D[i + columns * LD] == B[i + columns * LD]);
}

START_TEST(cholesky_solves_at_every_size)
{
    if (!choose_set(_i)) return;
    for (int n = 1; n <= most; n += n < N ? 1 : 19) {
        make_spd(n, A);
        factorize(n);
        fill(B, 1000 + n);
        const int columns[] = {1, 3, n % 12 + 1, 29};
        for (int c = 0; c < 4; c++) {
            memcpy(D, B, sizeof B);
            set->solve(n, C, LD, columns[c], D, LD);
            check_solution(n, columns[c]);
        }
    }
}
END_TEST

START_TEST(a_solve_from_the_right_is_the_transposed_solve)
{
    if (!choose_set(_i)) return;
    for (int n = 1; n <= most; n += n < 20 ? 1 : 20) {
        make_spd(n, A);
        factorize(n);
        for (int m = 1; m <= 30; m += n < 20 ? 1 : 13) {
            fill(B, n + m);
            memcpy(D, B, sizeof B);

            // the first half: D L^T = B
            set->lower_solve_right(n, C, LD, m, D, LD);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    double sum = -B[i + j * LD];
                    for (int k = 0; k <= j; k++) sum += D[i + k * LD] * C[j + k * LD];
                    assert_close(sum, 0, 1e-11);
                }
            for (int j = 0; j < n; j++) ck_assert(D[m + j * LD] == B[m + j * LD]);

            // the second half: D A = B
            set->upper_solve_right(n, C, LD, m, D, LD);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    double sum = -B[i + j * LD];
                    for (int k = 0; k < n; k++) sum += D[i + k * LD] * A[k + j * LD];
                    assert_close(sum, 0, 1e-11);
                }
            for (int j = 0; j < n; j++) ck_assert(D[m + j * LD] == B[m + j * LD]);
        }
    }
}
END_TEST

START_TEST(a_lower_solve_inverts_the_factor)
{
    if (!choose_set(_i)) return;
    for (int n = 1; n <= most; n += n < 30 ? 1 : 22) {
        make_spd(n, A);
        factorize(n);
        const int columns[] = {1, 2, 17};
        for (int c = 0; c < 3; c++) {
            fill(B, n);
            memcpy(D, B, sizeof B);
            set->lower_solve(n, C, LD, columns[c], D, LD);
            for (int k = 0; k < columns[c]; k++)
                for (int i = 0; i < n; i++) {
                    double sum = -B[i + k * LD];
                    for (int j = 0; j <= i; j++) sum += C[i + j * LD] * D[j + k * LD];
                    assert_close(sum, 0, 1e-11);
                }
        }
    }
}
END_TEST

START_TEST(cholesky_names_the_pivot_that_failed)
{
    if (!choose_set(_i)) return;
    const int sizes[] = {9, 60, most};
    for (int s = 0; s < 3; s++) {
        make_spd(sizes[s], A);
        for (int bad = 0; bad < 9; bad++) {
            memcpy(C, A, sizeof A);
            C[bad + bad * LD] = -1;
            ck_assert_int_eq(set->cholesky(sizes[s], C, LD), bad);
            memcpy(C, A, sizeof A);
            C[bad + bad * LD] = 0;
            ck_assert_int_eq(set->cholesky(sizes[s], C, LD), bad);
        }
        memcpy(C, A, sizeof A);
        C[3 + 3 * LD] = NAN;
        ck_assert_int_ge(set->cholesky(sizes[s], C, LD), 0);
        memcpy(C, A, sizeof A);
        C[3 + 3 * LD] = INFINITY;
        ck_assert_int_ge(set->cholesky(sizes[s], C, LD), 0);
    }
}
END_TEST

// C = alpha op(A) B + beta D, op the transpose or nothing; entries outside of m x n are those of D
static void check_product(bool transposed, int m, int n, int k, double alpha, double beta)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = beta == 0 ? 0 : beta * D[i + j * LD];
            for (int l = 0; l < k; l++) sum += alpha * (transposed ? A[l + i * LD] : A[i + l * LD]) * B[l + j * LD];
            assert_close(C[i + j * LD], sum, 1e-12 * (1 + k));
        }
    for (int j = 0; j <= n; j++)
        for (int i = j < n ? m : 0; i < m + 5; i++) ck_assert(memcmp(C + i + j * LD, D + i + j * LD, sizeof *C) == 0);
}

START_TEST(products_agree_with_plain_loops)
{
    if (!choose_set(_i)) return;
    fill(A, 1), fill(B, 2);
    for (int n = 1; n <= 130; n += n < 30 ? 1 : 25) {
        int m = 1 + (7 * n) % 27 + n / 2, k = n % 3 == 0 ? n : (n + 5) / 2;
        fill(D, 3);
        memcpy(C, D, sizeof D);
        set->gemm(m, n, k, 1.5, A, LD, B, LD, 0.5, C, LD);
        check_product(false, m, n, k, 1.5, 0.5);
        memcpy(C, D, sizeof D);
        set->gemm_tn(m, n, k, 1.5, A, LD, B, LD, -2, C, LD);
        check_product(true, m, n, k, 1.5, -2);

        // what the result held before does not matter when beta is 0
        fill_with_nan(D);
        memcpy(C, D, sizeof D);
        set->gemm(m, n, k, -1, A, LD, B, LD, 0, C, LD);
        check_product(false, m, n, k, -1, 0);
        memcpy(C, D, sizeof D);
        set->gemm_tn(m, n, k, -1, A, LD, B, LD, 0, C, LD);
        check_product(true, m, n, k, -1, 0);
    }
}
END_TEST

START_TEST(symmetric_products_have_the_lower_triangle)
{
    if (!choose_set(_i)) return;
    for (int m = 1; m <= 110; m += m < 40 ? 1 : 35) {
        int k = m < 100 ? m / 2 + 1 : 100;
        fill(A, 4);

        // D + A (A S)^T with S = diag(1, 2, ...)
        for (int l = 0; l < k; l++)
            for (int j = 0; j < m; j++) B[j + l * LD] = (1 + l) * A[j + l * LD];
        fill(D, 5);
        memcpy(C, D, sizeof D);
        set->gemm_nt_lower(m, k, A, LD, B, LD, C, LD);
        for (int j = 0; j < m; j++)
            for (int i = j; i < m; i++) {
                double sum = D[i + j * LD];
                for (int l = 0; l < k; l++) sum += A[i + l * LD] * B[j + l * LD];
                assert_close(C[i + j * LD], sum, 1e-12 * (1 + k * k));
            }
        for (int j = 0; j < m; j++) ck_assert(C[m + j * LD] == D[m + j * LD]);
    }
}
END_TEST

START_TEST(products_with_vectors_agree_at_every_size)
{
    if (!choose_set(_i)) return;
    for (int n = 1; n <= N; n++) {
        make_spd(n, A);
        memcpy(C, A, sizeof A);
        for (int j = 1; j < n; j++)
            for (int i = 0; i < j; i++) C[i + j * LD] = NAN; // the upper triangle must not be read
        fill(B, 5);
        double y[N + 1], expected[N + 1], transposed[N + 1], tolerance = 1e-12 * n;
        y[n] = expected[n] = transposed[n] = 7;
        for (int i = 0; i < n; i++) expected[i] = transposed[i] = B[i + LD];
        set->symv(n, C, LD, B, y);
        set->gemv(n, n, 2, A, LD, B, -1, expected);
        set->gemv_t(n, n, 2, A, LD, B, -1, transposed);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum += A[i + j * LD] * B[j];
            assert_close(y[i], sum, tolerance);
            assert_close(expected[i], 2 * sum - B[i + LD], tolerance);
            assert_close(transposed[i], 2 * sum - B[i + LD], tolerance);
        }
        ck_assert(y[n] == 7 && expected[n] == 7 && transposed[n] == 7);

        double dot = 0;
        for (int i = 0; i < n; i++) dot += A[i] * B[i];
        assert_close(set->dot(n, A, B), dot, tolerance);
        set->axpy(n, 3, A, y);
        set->gemv(n, n, 1, A, LD, B, 0, expected);
        for (int i = 0; i < n; i++) assert_close(y[i], expected[i] + 3 * A[i], tolerance);
        ck_assert(y[n] == 7);
    }
}
END_TEST

START_TEST(a_sum_of_matrices_touches_its_rows_alone)
{
    if (!choose_set(_i)) return;
    for (int m = 0; m < 12; m++) {
        fill(A, 3), fill(B, 4);
        memcpy(C, B, sizeof C);
        set->add(m, 5, -2, A, LD, B, LD - 1);
        for (int j = 0; j < 5; j++)
            for (int i = 0; i < LD - 1; i++) {
                const int at = i + j * (LD - 1);
                if (i < m) assert_close(B[at], C[at] - 2 * A[i + j * LD], 1e-14);
                else ck_assert(B[at] == C[at]);
            }
        ck_assert(m == 0 || max_difference(B, C, m) > 0.1);
    }
}
END_TEST

START_TEST(an_update_of_rank_three_touches_its_rows_alone)
{
    if (!choose_set(_i)) return;
    static double before[LD * LARGE];
    fill(A, 3), fill(B, 4), fill(before, 5);
    for (int m = 1; m < 15; m++)
        for (int n = 1; n < 8; n++)
            for (int lower = 0; lower < 2 && (!lower || n <= m); lower++) {
                const int columns = lower ? m : n;
                memcpy(C, before, sizeof before);
                set->add_rank3(m, columns, lower, A, LD, B, C, LD);
                for (int j = 0; j < columns + 1; j++)
                    for (int i = 0; i < LD; i++) {
                        const int at = i + j * LD;
                        double sum = before[at];
                        for (int k = 0; k < 3; k++) sum += A[i + k * LD] * B[k + 3 * j];
                        if (i >= m || j >= columns) ck_assert(C[at] == before[at]);
                        else if (!lower || i >= j) assert_close(C[at], sum, 1e-14);
                    }
                ck_assert(max_difference(C, before, m) > 1e-3);
            }
}
END_TEST

// bits of every kernel's result for data that begin `shift` doubles further on
static void run_all(int shift, double *out)
{
    enum { n = 19, m = 27, size = 40 * 40 };
    static double a[size + 4], b[size + 4], c[size + 4];
    double *S = a + shift, *X = b + shift, *R = c + shift;
    for (int i = 0; i < size; i++) S[i] = sin(i), X[i] = cos(i), R[i] = 0;
    set->gemm(n, m, n, 1, S, n, X, n, 0, R, n);
    set->gemm_tn(n, m, n, 1, S, n, X, n, 1, R, n);
    set->gemm_tn(n, n, n, 1, X, n, X, n, 0, S, n);
    set->gemm_nt_lower(n, n, X, n, X, n, S, n);
    for (int i = 0; i < n; i++) S[i * (n + 1)] += 1;
    set->symv(n, S, n, R, X);
    set->gemv(n, n, 1, R, n, X, 1, X + n);
    set->gemv_t(n, n, 1, R, n, X + n, 0, X + 2 * n);
    set->axpy(n, set->dot(n, X, X + n), X + 2 * n, R);
    set->add(n, m, 0.5, X, n, R, n);
    set->add_rank3(n, m, false, X, n, X + 3 * n, R, n);
    ck_assert_int_lt(set->cholesky(n, S, n), 0);
    set->solve(n, S, n, m, R, n);
    set->solve(n, S, n, 1, R, n);
    set->lower_solve(n, S, n, m, R, n);
    set->lower_solve_right(n, S, n, n, R, n);
    set->upper_solve_right(n, S, n, n, R, n);
    memcpy(out, R, n * m * sizeof *out);
}

START_TEST(bits_do_not_depend_on_where_the_data_lie)
{
    if (!choose_set(_i)) return;
    static double first[19 * 27], other[19 * 27];
    run_all(0, first);
    ck_assert(max_magnitude(first, 19 * 27) > 0);
    for (int shift = 1; shift < 4; shift++) {
        run_all(shift, other);
        ck_assert(memcmp(first, other, sizeof first) == 0);
    }
}
END_TEST

START_TEST(a_transpose_has_rows_for_columns_and_touches_nothing_else)
{
    if (!choose_set(_i)) return;
    fill(A, 6), fill(D, 7);
    for (int m = 1; m < 20; m++)
        for (int n = 1; n < 20; n++) {
            memcpy(C, D, sizeof D);
            set->transpose(m, n, A, LD, C, LD);
            for (int j = 0; j < 22; j++)
                for (int i = 0; i < 22; i++) {
                    double expected = i < n && j < m ? A[j + i * LD] : D[i + j * LD];
                    ck_assert(C[i + j * LD] == expected);
                }
        }
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
    tcase_add_loop_test(cases, cholesky_solves_at_every_size, 0, SETS);
    tcase_add_loop_test(cases, a_solve_from_the_right_is_the_transposed_solve, 0, SETS);
    tcase_add_loop_test(cases, a_lower_solve_inverts_the_factor, 0, SETS);
    tcase_add_loop_test(cases, cholesky_names_the_pivot_that_failed, 0, SETS);
    tcase_add_loop_test(cases, products_agree_with_plain_loops, 0, SETS);
    tcase_add_loop_test(cases, symmetric_products_have_the_lower_triangle, 0, SETS);
    tcase_add_loop_test(cases, products_with_vectors_agree_at_every_size, 0, SETS);
    tcase_add_loop_test(cases, a_sum_of_matrices_touches_its_rows_alone, 0, SETS);
    tcase_add_loop_test(cases, an_update_of_rank_three_touches_its_rows_alone, 0, SETS);
    tcase_add_loop_test(cases, bits_do_not_depend_on_where_the_data_lie, 0, SETS);
    tcase_add_loop_test(cases, a_transpose_has_rows_for_columns_and_touches_nothing_else, 0, SETS);
    tcase_add_test(cases, one_number_that_is_not_finite_is_found);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
