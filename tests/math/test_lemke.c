// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lemke's method: solutions of random problems satisfy their conditions, also degenerate ones; a problem without solution is
// said to have none.

#include "base/random.h"
#include "math/lemke.h"
#include "support/support.h"

#include <check.h>
#include <string.h>

enum { MOST = 20 };

static double scratch[MOST * (MOST + 2)];
static int integers[2 * MOST + 1];

// M = B B^T + S with S skew: positive semidefinite, of rank `rank` in its symmetric part
static void make(int n, int rank, uint64_t seed, double *M, double *q)
{
    double B[MOST * MOST], S[MOST * MOST];
    for (int i = 0; i < n * n; i++) B[i] = trxi_random_normal(seed, (uint64_t)i), S[i] = trxi_random_normal(seed + 1, (uint64_t)i);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            M[i + n * j] = S[i + n * j] - S[j + n * i];
            for (int k = 0; k < rank; k++) M[i + n * j] += B[i + n * k] * B[j + n * k];
        }
    for (int i = 0; i < n; i++) q[i] = trxi_random_normal(seed + 2, (uint64_t)i);
}

static double violation(int n, const double *M, const double *q, const double *z)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double w = q[i];
        for (int j = 0; j < n; j++) w += M[i + n * j] * z[j];
        worst = fmax(worst, fmax(fmax(-w, -z[i]), fabs(w * z[i])));
        if (!isfinite(w)) return INFINITY;
    }
    return worst;
}

START_TEST(solutions_satisfy_their_conditions)
{
    double M[MOST * MOST], q[MOST], z[MOST];
    for (int n = 1; n <= MOST; n++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            int pivots = 0;
            make(n, n, 10 * seed, M, q);
            ck_assert(trxi_lemke(n, M, q, 1000, scratch, integers, z, &pivots));
            ck_assert_int_le(pivots, 10 * n + 10);
            assert_below(violation(n, M, q, z), 1e-9);
        }
}
END_TEST

// four equal rows of q: the ratios of many rows are equal
START_TEST(degenerate_problems_end)
{
    double M[MOST * MOST], q[MOST], z[MOST];
    for (uint64_t seed = 1; seed <= 30; seed++) {
        const int n = 12;
        int pivots = 0;
        make(n, n, 1000 * seed, M, q);
        for (int i = 0; i < n; i++) q[i] = i < 8 ? -1 : 0;
        ck_assert(trxi_lemke(n, M, q, 1000, scratch, integers, z, &pivots));
        assert_below(violation(n, M, q, z), 1e-9);
    }
}
END_TEST

// the last check took the error of a row that is not a number for a small error
START_TEST(what_is_not_a_number_is_no_solution)
{
    enum { N = 4 };
    double M[N * N], q[N], z[N];
    for (int i = 0; i < N * N; i++) {
        int pivots = 0;
        make(N, N, 7, M, q);
        for (int k = 0; k < N; k++) q[k] = -1;
        M[i] = NAN;
        ck_assert_msg(!trxi_lemke(N, M, q, 100, scratch, integers, z, &pivots), "entry %d", i);
    }
}
END_TEST

START_TEST(no_solution_is_said_and_none_is_needed)
{
    const double M[4] = {-1, 0, 0, -1}, q[2] = {-1, -1}, free[2] = {1, 2};
    double z[2] = {5, 5};
    int pivots = 0;
    ck_assert(!trxi_lemke(2, M, q, 100, scratch, integers, z, &pivots));
    pivots = 0;
    ck_assert(trxi_lemke(2, M, free, 100, scratch, integers, z, &pivots));
    ck_assert(z[0] == 0 && z[1] == 0 && pivots == 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("math/lemke");
    TCase *cases = tcase_create("lemke");
    tcase_add_test(cases, solutions_satisfy_their_conditions);
    tcase_add_test(cases, degenerate_problems_end);
    tcase_add_test(cases, what_is_not_a_number_is_no_solution);
    tcase_add_test(cases, no_solution_is_said_and_none_is_needed);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
