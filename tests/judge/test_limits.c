// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Limits of joints and controls: which there are, and the largest excess over each.

#include "judge/limits.h"

#include "support/support.h"

#include <string.h>
#include <tractrix/problem.h>

static const char ARM[] = "tractrix: 1\n"
                          "model:\n"
                          "  bodies:\n"
                          "    - name: arm\n"
                          "      joints:\n"
                          "        - {name: a, type: hinge, axis: [0, 1, 0], limits: [-1, 2]}\n"
                          "        - {name: b, type: slide, axis: [0, 0, 1]}\n"
                          "      inertia: {mass: 1, tensor: [0.1, 0.1, 0.1]}\n"
                          "  actuators: [{joint: a, limits: [-3, 3]}, {joint: b}]\n"
                          "time: {step: 0.01, steps: 2}\n";

START_TEST(the_largest_excess_of_each_limit_is_kept)
{
    trx_context *context;
    trx_problem *problem;
    trxi_limits limits;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_problem_load_text(context, "arm.yaml", ARM, strlen(ARM), NULL, &problem), TRX_OK);
    trxi_pool *pool = trxi_pool_create(context);
    ck_assert_int_eq(trxi_limits_begin(pool, trx_problem_model(problem), &limits), TRX_OK);
    ck_assert_int_eq(limits.count, 2); // b and its motor have none
    ck_assert_str_eq(limits.results[0].name, "a.position");
    ck_assert_str_eq(limits.results[1].name, "u.a");

    const double inside[2] = {2, 100}, below[2] = {-1.5, 0}, above[2] = {2.0005, 0}, u[2] = {3, 50}, hard[2] = {-3.1, 0};
    trxi_limits_take(&limits, 1, inside, u);
    ck_assert(limits.results[0].met && limits.results[1].met && limits.results[0].violation == 0);
    trxi_limits_take(&limits, 1, NULL, hard); // joints do not count
    assert_close(limits.results[1].violation, 0.1, 1e-15);
    ck_assert(limits.results[0].met && !limits.results[1].met);
    trxi_limits_take(&limits, 1, above, NULL);
    ck_assert(limits.results[0].met && limits.results[0].violation > 0); // within the tolerance of a near-rigid row
    trxi_limits_take(&limits, 1, below, NULL);
    trxi_limits_take(&limits, 1, above, NULL);
    assert_close(limits.results[0].violation, 0.5, 1e-15);
    ck_assert(!limits.results[0].met);
    trxi_pool_destroy(pool);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_value_that_is_no_number_exceeds_every_limit)
{
    ck_assert(trxi_excess(1, -1, 2) == 0 && trxi_excess(-3, -1, 2) == 2 && trxi_excess(3, -1, 2) == 1);
    ck_assert(isinf(trxi_excess(NAN, -1, 2)) && isinf(trxi_excess(NAN, -INFINITY, INFINITY)));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("judge/limits");
    TCase *cases = tcase_create("limits");
    tcase_add_test(cases, the_largest_excess_of_each_limit_is_kept);
    tcase_add_test(cases, a_value_that_is_no_number_exceeds_every_limit);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
