// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The evolution strategy finds the minimum of a long ellipsoid, whatever increasing function of the cost it is told.

#include "support/support.h"

#include "fit/evolve.h"

#include <math.h>

enum { N = 10 };

static double ellipsoid(const double *x)
{
    double sum = 0;
    for (int j = 0; j < N; j++) sum += pow(1e4, j / (N - 1.0)) * (x[j] - 0.1 * j) * (x[j] - 0.1 * j);
    return sum;
}

static void minimize(trx_context *context, double (*seen)(double), double *mean, double *cost)
{
    trxi_pool *pool = trxi_pool_create(context);
    trxi_evolution e;
    const double start[N] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    double costs[64];
    ck_assert_int_eq(trxi_evolution_begin(pool, N, start, 0.5, 7, &e), TRX_OK);
    ck_assert_int_le(e.count, 64);
    for (int k = 0; k < 600; k++) {
        trxi_evolution_ask(&e);
        for (int i = 0; i < e.count; i++) costs[i] = seen(ellipsoid(e.points + i * N));
        trxi_evolution_tell(&e, costs);
    }
    for (int j = 0; j < N; j++) mean[j] = e.mean[j];
    *cost = ellipsoid(e.mean);
    trxi_pool_destroy(pool);
}

static double plain(double cost)
{
    return cost;
}

static double root(double cost)
{
    return sqrt(cost);
}

START_TEST(the_minimum_of_a_long_ellipsoid_is_found)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    double mean[N], same[N], cost;
    minimize(context, plain, mean, &cost);
    ck_assert_double_lt(cost, 1e-8);
    for (int j = 0; j < N; j++) assert_close(mean[j], 0.1 * j, 1e-4);
    minimize(context, root, same, &cost);
    for (int j = 0; j < N; j++) ck_assert(mean[j] == same[j]);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/evolve");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_minimum_of_a_long_ellipsoid_is_found);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
