// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The box QP against all 3^n active sets, and against its optimality conditions.

#include "trajopt/box_qp.h"

#include "base/random.h"
#include "math/dense.h"
#include "support/support.h"

#include <string.h>

enum { N = 4 };

static _Alignas(64) char memory[4096];

static trxi_box_qp make_solver(int n)
{
    trxi_box_qp qp;
    trxi_arena arena = {.base = memory};
    trxi_box_qp_layout(&arena, n, &qp);
    ck_assert_uint_le(arena.used, sizeof memory);
    return qp;
}

// H = R^T R + shift I, g, and a box, from a seed; some bounds are infinite or equal
static void random_problem(uint64_t seed, int n, double *H, double *g, double *lower, double *upper)
{
    double R[N * N];
    for (int i = 0; i < n * n; i++) R[i] = trxi_random_normal(seed, (uint64_t)i);
    trxi_gemm_tn(n, n, n, 1, R, n, R, n, 0, H, n);
    for (int i = 0; i < n; i++) {
        uint64_t at = 100 + 10 * (uint64_t)i;
        H[i + i * n] += 1e-2;
        g[i] = 2 * trxi_random_normal(seed, at);
        lower[i] = -trxi_random_uniform(seed, at + 1);
        upper[i] = trxi_random_uniform(seed, at + 2);
        double kind = trxi_random_uniform(seed, at + 3);
        if (kind < 0.2) lower[i] = -INFINITY;
        if (kind > 0.7) upper[i] = INFINITY;
        if (kind > 0.3 && kind < 0.35) lower[i] = upper[i] = 0;
    }
}

static double objective(int n, const double *H, const double *g, const double *x)
{
    double product[N];
    trxi_symv(n, H, n, x, product);
    return 0.5 * trxi_dot(n, x, product) + trxi_dot(n, g, x);
}

// minimizes with the variables in `set` (base 3: free, lower, upper) fixed; false when the set is impossible
static bool solve_active_set(int n, int set, const double *H, const double *g, const double *lower, const double *upper,
                             double *x)
{
    int free_index[N], nfree = 0;
    for (int i = 0; i < n; i++, set /= 3) {
        x[i] = 0;
        if (set % 3 == 0) free_index[nfree++] = i;
        else x[i] = set % 3 == 1 ? lower[i] : upper[i];
        if (!isfinite(x[i])) return false;
    }
    double L[N * N], right[N], product[N];
    trxi_symv(n, H, n, x, product);
    for (int a = 0; a < nfree; a++) {
        right[a] = -g[free_index[a]] - product[free_index[a]];
        for (int b = 0; b <= a; b++) L[a + b * N] = H[free_index[a] + free_index[b] * n];
    }
    ck_assert_int_lt(trxi_cholesky(nfree, L, N), 0);
    trxi_cholesky_solve(nfree, L, N, 1, right, N);
    for (int a = 0; a < nfree; a++) x[free_index[a]] = right[a];
    for (int i = 0; i < n; i++)
        if (x[i] < lower[i] - 1e-12 || x[i] > upper[i] + 1e-12) return false;
    return true;
}

START_TEST(the_solution_is_the_best_of_all_active_sets)
{
    int clamped = 0, most = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        int n = 1 + (int)(seed % N), sets = 1;
        double H[N * N], g[N], lower[N], upper[N], x[N], trial[N], best[N] = {0}, least = INFINITY;
        random_problem(seed, n, H, g, lower, upper);
        for (int i = 0; i < n; i++) sets *= 3;
        for (int set = 0; set < sets; set++) {
            if (!solve_active_set(n, set, H, g, lower, upper, trial)) continue;
            double value = objective(n, H, g, trial);
            if (value < least) least = value, memcpy(best, trial, sizeof best);
        }
        trxi_box_qp qp = make_solver(n);
        for (int i = 0; i < n; i++) x[i] = 3 * trxi_random_normal(seed, 500 + (uint64_t)i);
        ck_assert_int_eq(trxi_box_qp_solve(&qp, H, n, g, lower, upper, x), TRXI_BOX_QP_SOLVED);
        assert_below(max_difference(x, best, n), 1e-8 * (1 + max_magnitude(best, n)));
        clamped += n - qp.nfree;
        if (qp.iterations > most) most = qp.iterations;
    }
    ck_assert_int_gt(clamped, 500);
    ck_assert_int_le(most, 12);
}
END_TEST

START_TEST(a_solve_from_the_solution_takes_no_step)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        double H[N * N], g[N], lower[N], upper[N], x[N] = {0};
        random_problem(seed, N, H, g, lower, upper);
        trxi_box_qp qp = make_solver(N);
        ck_assert_int_eq(trxi_box_qp_solve(&qp, H, N, g, lower, upper, x), TRXI_BOX_QP_SOLVED);
        ck_assert_int_eq(trxi_box_qp_solve(&qp, H, N, g, lower, upper, x), TRXI_BOX_QP_SOLVED);
        ck_assert_int_le(qp.iterations, 1);
    }
}
END_TEST

START_TEST(the_factor_belongs_to_the_free_block)
{
    int checked = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        double H[N * N], g[N], lower[N], upper[N], x[N] = {0};
        random_problem(seed, N, H, g, lower, upper);
        trxi_box_qp qp = make_solver(N);
        ck_assert_int_eq(trxi_box_qp_solve(&qp, H, N, g, lower, upper, x), TRXI_BOX_QP_SOLVED);
        for (int i = 0; i < qp.nfree; i++)
            for (int j = 0; j <= i; j++) {
                double sum = 0;
                for (int k = 0; k <= j; k++) sum += qp.L[i + k * N] * qp.L[j + k * N];
                assert_close(sum, H[qp.free[i] + qp.free[j] * N], 1e-12 * (1 + fabs(sum)));
                checked++;
            }
    }
    ck_assert_int_gt(checked, 200);
}
END_TEST

START_TEST(an_indefinite_block_is_reported)
{
    trxi_box_qp qp = make_solver(2);
    double H[4] = {1, 2, 2, 1}, g[2] = {1, 1}, x[2] = {0, 0};
    const double lower[2] = {-INFINITY, -INFINITY}, upper[2] = {INFINITY, INFINITY};
    ck_assert_int_eq(trxi_box_qp_solve(&qp, H, 2, g, lower, upper, x), TRXI_BOX_QP_NOT_PD);
    H[0] = NAN;
    ck_assert_int_eq(trxi_box_qp_solve(&qp, H, 2, g, lower, upper, x), TRXI_BOX_QP_NOT_PD);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/box_qp");
    TCase *cases = tcase_create("box_qp");
    tcase_add_test(cases, the_solution_is_the_best_of_all_active_sets);
    tcase_add_test(cases, a_solve_from_the_solution_takes_no_step);
    tcase_add_test(cases, the_factor_belongs_to_the_free_block);
    tcase_add_test(cases, an_indefinite_block_is_reported);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
