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
    trxi_slopes slopes[3];
    trxi_unknowns_slopes(&u, values, slopes);
    trxi_unknowns_chain(&u, slopes, 1, C, D);
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

START_TEST(numbers_of_a_body_follow_ten_unknowns_together)
{
    scene_open(&s, ARM);
    add_parameter(&s, "elbow.damping", 0.2);
    add_body(&s, "lower");
    trxi_pool *pool = trxi_pool_create(s.context);
    trxi_unknowns u;
    ck_assert_int_eq(trxi_unknowns_begin(s.context, pool, &s.fit, &u), TRX_OK);
    ck_assert_int_eq(u.count, 11);
    double z[11], values[11], moved[11], C[11], D[11], sums[2];
    trxi_slopes slopes[11];
    memcpy(z, u.start, sizeof z);
    for (int k = 1; k < 11; k++) z[k] = 0.05 * (k % 3 - 1);
    trxi_unknowns_values(&u, z, values);
    trxi_unknowns_slopes(&u, values, slopes);
    for (int i = 0; i < 11; i++) C[i] = 1 + i;
    trxi_unknowns_chain(&u, slopes, 1, C, D);
    for (int k = 0; k < 11; k++) {
        for (int side = 0; side < 2; side++) {
            const double at = z[k];
            z[k] = at + (side ? -1e-5 : 1e-5);
            trxi_unknowns_values(&u, z, moved);
            z[k] = at, sums[side] = 0;
            for (int i = 0; i < 11; i++) sums[side] += C[i] * moved[i];
        }
        ck_assert_double_gt(fabs(D[k]), 1e-3);
        assert_close(D[k], (sums[0] - sums[1]) / 2e-5, 1e-7);
    }

    // a number that is missing, a number with a bound, a tie to one of them
    s.fit.nparameter = 10;
    ck_assert_int_eq(trxi_unknowns_begin(s.context, pool, &s.fit, &u), TRX_ERR_ARGUMENT);
    s.fit.nparameter = 11;
    s.parameters[4].min = 0;
    ck_assert_int_eq(trxi_unknowns_begin(s.context, pool, &s.fit, &u), TRX_ERR_ARGUMENT);
    s.parameters[4].min = -INFINITY;
    add_parameter(&s, "upper.mass", NAN)->same_as = 1;
    ck_assert_int_eq(trxi_unknowns_begin(s.context, pool, &s.fit, &u), TRX_ERR_ARGUMENT);
    trxi_pool_destroy(pool);
    scene_close(&s);

    // a point has no extent
    scene_open(&s, PENDULUM);
    add_body(&s, "bob");
    pool = trxi_pool_create(s.context);
    ck_assert_int_eq(trxi_unknowns_begin(s.context, pool, &s.fit, &u), TRX_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "inertia of bob"));
    trxi_pool_destroy(pool);
    scene_close(&s);
}
END_TEST

static trx_fit_parameter *add_signal(trx_fit_signal signal, int group)
{
    trx_fit_parameter *p = &s.parameters[s.fit.nparameter++];
    *p = (trx_fit_parameter){.name = "signal", .start = NAN, .min = -INFINITY, .max = INFINITY, .prior_sd = INFINITY, .same_as = -1,
                             .signal = signal, .signal_group = group, .signal_channel = -1};
    return p;
}

START_TEST(signals_about_zero_are_measured_by_what_was_recorded)
{
    static const double x[4] = {0.4, -0.3, 0.5, 0.2};
    scene_open(&s, ARM);
    add_group(&s, "shoulder.position", 1e-3);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "shoulder");
    add_group(&s, "marker.position", 1e-3);
    add_channel(&s, TRX_FIT_FRAME_POSITION, 0, 0, "marker.x");
    record(&s, x, 60, 1, 2, 0, 3);
    add_signal(TRX_FIT_BIAS, 0);
    add_signal(TRX_FIT_OFFSET, 1);
    add_signal(TRX_FIT_GAIN, 0);
    add_signal(TRX_FIT_BIAS, 1)->min = -0.2, s.parameters[3].max = 0.2;
    trxi_pool *pool = trxi_pool_create(s.context);
    trxi_unknowns u;
    ck_assert_int_eq(trxi_unknowns_begin(s.context, pool, &s.fit, &u), TRX_OK);

    // the deviation of the recorded angles
    const trx_fit_recording *r = &s.recordings[0];
    double mean = 0, squares = 0;
    for (int i = 0; i < r->rows; i++) mean += r->values[i * s.fit.columns] / r->rows;
    for (int i = 0; i < r->rows; i++) squares += pow(r->values[i * s.fit.columns] - mean, 2) / r->rows;
    assert_close(trxi_unknowns_size(&u, 0, 1e-6), sqrt(squares), 1e-12);
    assert_close(u.upper[0], 10 * sqrt(squares), 1e-12);
    assert_close(u.lower[0], -10 * sqrt(squares), 1e-12);
    assert_close(trxi_unknowns_size(&u, 0, 7), 7, 0);

    // the upper link: trace of its second moments over the mass
    assert_close(trxi_unknowns_size(&u, 1, 0), sqrt(0.5 * (0.03 + 0.03 + 0.004) / 1.0), 1e-12);

    // gains are measured by their value, and bounds that are given by their range
    assert_close(trxi_unknowns_size(&u, 2, 1), 1, 0);
    ck_assert(isinf(u.upper[2]));
    assert_close(trxi_unknowns_size(&u, 3, 1e-6), 0.2, 1e-15);
    trxi_pool_destroy(pool);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/unknowns");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, the_chain_rule_agrees_with_differences);
    tcase_add_test(tests, numbers_of_a_body_follow_ten_unknowns_together);
    tcase_add_test(tests, signals_about_zero_are_measured_by_what_was_recorded);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
