// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Charts and ties: values follow their unknowns, and the chain rule agrees with differences.

#include "base/arena.h"
#include "fit/scene.h"
#include "fit/unknowns.h"

static scene s;

START_TEST(the_chain_rule_agrees_with_differences)
{
    scene_open(&s, ARM);
    add_parameter(&s, "lower.mass", 0.7);
    add_parameter(&s, "lower.com.x", -0.1);
    trx_fit_parameter *tied = add_parameter(&s, "upper.mass", NAN);
    tied->same_as = 0, tied->ratio = 2;
    trxi_pool *pool = trxi_pool_create(s.context);
    trxi_unknowns u;
    ck_assert_int_eq(trxi_unknowns_begin(s.context, pool, &s.fit, &u), TRX_OK);
    ck_assert_int_eq(u.count, 2);
    ck_assert(u.positive[0] && !u.positive[1]);
    double values[3], moved[3], z[2];
    memcpy(z, u.start, sizeof z);
    trxi_unknowns_values(&u, z, values);
    assert_close(values[0], 0.7, 1e-15);
    assert_close(values[1], -0.1, 0);
    assert_close(values[2], 1.4, 1e-15);

    // a row of ones: the sum of all values
    const double C[3] = {1, 1, 1};
    double D[2];
    trxi_unknowns_chain(&u, values, 1, C, D);
    for (int k = 0; k < 2; k++) {
        double sums[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            z[k] = u.start[k] + (side ? -1e-5 : 1e-5);
            trxi_unknowns_values(&u, z, moved);
            for (int i = 0; i < 3; i++) sums[side] += moved[i];
        }
        z[k] = u.start[k];
        assert_close(D[k], (sums[0] - sums[1]) / 2e-5, 1e-8);
    }
    trxi_pool_destroy(pool);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/unknowns");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_chain_rule_agrees_with_differences);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
