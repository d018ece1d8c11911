// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Interval, quantile and rank correlation against numbers computed by SciPy and by hand.

#include "trial/statistics.h"

#include "support/support.h"

#include <math.h>

START_TEST(wilsons_interval)
{
    double low, high;
    trxi_wilson(90, 100, &low, &high); // scipy.stats.binomtest(90, 100).proportion_ci(0.95, 'wilson')
    assert_close(low, 0.8256343384950865, 1e-12);
    assert_close(high, 0.9447708629393249, 1e-12);
    trxi_wilson(0, 10, &low, &high);
    ck_assert_double_eq(low, 0);
    assert_close(high, 0.2775327998628892, 1e-12);
    trxi_wilson(10, 10, &low, &high);
    assert_close(low, 0.7224672001371108, 1e-12);
    ck_assert_double_eq(high, 1);
}
END_TEST

START_TEST(quantiles_lie_between_ranks)
{
    double values[] = {5, 1, 4, 2, 3};
    assert_close(trxi_quantile(5, values, 0), 1, 0);
    assert_close(trxi_quantile(5, values, 0.5), 3, 0);
    assert_close(trxi_quantile(5, values, 0.9), 4.6, 1e-14);
    assert_close(trxi_quantile(5, values, 1), 5, 0);
    double failed[] = {INFINITY, 1, INFINITY};
    ck_assert(isinf(trxi_quantile(3, failed, 0.5)) && isinf(trxi_quantile(3, failed, 0.9)));
    assert_close(trxi_quantile(3, failed, 0), 1, 0);
}
END_TEST

START_TEST(ranks_ignore_the_shape_of_a_relation)
{
    enum { N = 8 };
    double a[N] = {3, -1, 4, 1, -5, 9, 2, 6}, b[N], ranks[2 * N];
    int order[N];
    for (int i = 0; i < N; i++) b[i] = exp(a[i]);
    assert_close(trxi_rank_correlation(N, a, b, ranks, order), 1, 1e-15);
    for (int i = 0; i < N; i++) b[i] = -a[i] * a[i] * a[i];
    assert_close(trxi_rank_correlation(N, a, b, ranks, order), -1, 1e-15);
    for (int i = 0; i < N; i++) b[i] = 7;
    assert_close(trxi_rank_correlation(N, a, b, ranks, order), 0, 0);

    // ties share their mean rank: scipy.stats.spearmanr
    const double c[N] = {1, 2, 2, 3, 1, 5, 4, 4}, d[N] = {INFINITY, 1, 2, 2, 0, INFINITY, 3, 1};
    assert_close(trxi_rank_correlation(N, c, d, ranks, order), 0.32098765432098764, 1e-14);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trial/statistics");
    TCase *cases = tcase_create("statistics");
    tcase_add_test(cases, wilsons_interval);
    tcase_add_test(cases, quantiles_lie_between_ranks);
    tcase_add_test(cases, ranks_ignore_the_shape_of_a_relation);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
