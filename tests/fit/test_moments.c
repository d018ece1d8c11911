// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Second moments relative to the start: every step leads to a body that can exist, and derivatives agree with differences.

#include "support/support.h"

#include "base/random.h"
#include "fit/moments.h"

#include <math.h>
#include <string.h>
#include <tractrix/parameters.h>

// mass, com, tensor of a tilted box with its centre of mass away from the origin
static const double BODY[10] = {1.3, 0.02, -0.1, 0.3, 0.021, 0.018, 0.009, 0.002, -0.001, 0.003};

static void draw(uint64_t seed, double size, double z[10])
{
    const double none[10] = {0};
    for (int i = 0; i < 10; i++) z[i] = size * trxi_random_normal(seed, (uint64_t)i);
    const double reach = trxi_moments_reach(none, z);
    for (int i = 0; i < 10; i++) z[i] *= reach;
}

START_TEST(no_change_is_the_start)
{
    const double none[10] = {0};
    double values[10], z[10];
    trxi_moments_values(BODY, none, values, NULL);
    for (int i = 0; i < 10; i++) assert_close(values[i], BODY[i], 1e-14);
    ck_assert(trxi_moments_unknowns(BODY, BODY, z));
    for (int i = 0; i < 10; i++) assert_close(z[i], 0, 1e-12);
}
END_TEST

START_TEST(every_step_leads_to_a_body_that_can_exist_and_back)
{
    int shortened = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double z[10], step[10], values[10], back[10], chart[10];
        trx_body_inertia body;
        draw(seed, 0.3, z);
        for (int i = 0; i < 10; i++) step[i] = 5 * trxi_random_normal(seed, (uint64_t)(20 + i));
        const double reach = trxi_moments_reach(z, step);
        shortened += reach < 1;
        ck_assert(reach > 0);
        for (int i = 0; i < 10; i++) z[i] += reach * step[i];
        trxi_moments_values(BODY, z, values, NULL);
        body.mass = values[0];
        memcpy(body.com, values + 1, sizeof body.com);
        memcpy(body.tensor, values + 4, sizeof body.tensor);
        ck_assert(trx_inertia_to_chart(&body, chart));
        ck_assert(trxi_moments_unknowns(BODY, values, back));
        for (int i = 0; i < 10; i++) assert_close(back[i], z[i], 1e-9 * (1 + fabs(z[i])));
    }
    ck_assert_int_gt(shortened, 50);
}
END_TEST

START_TEST(values_agree_with_differences)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double z[10], values[10], J[100], up[10], down[10];
        draw(seed, 0.3, z);
        trxi_moments_values(BODY, z, values, J);
        for (int k = 0; k < 10; k++) {
            const double h = 1e-5, at = z[k];
            double norm = 0;
            z[k] = at + h;
            trxi_moments_values(BODY, z, up, NULL);
            z[k] = at - h;
            trxi_moments_values(BODY, z, down, NULL);
            z[k] = at;
            for (int i = 0; i < 10; i++) {
                assert_close(J[10 * k + i], (up[i] - down[i]) / (2 * h), 1e-8);
                norm += fabs(J[10 * k + i]);
            }
            ck_assert_double_gt(norm, 1e-3);
        }
    }
}
END_TEST

START_TEST(the_prior_agrees_with_differences_and_is_infinite_outside)
{
    const double sd = 0.7, h = 1e-5;
    double z[10], gradient[10] = {0}, H[100] = {0}, outside[10] = {-1.5};
    draw(3, 0.3, z);
    trxi_moments_prior(sd, z, gradient, H, 10);
    for (int k = 0; k < 10; k++) {
        double up[10] = {0}, down[10] = {0};
        const double at = z[k];
        z[k] = at + h;
        const double above = trxi_moments_prior(sd, z, up, NULL, 0);
        z[k] = at - h;
        const double below = trxi_moments_prior(sd, z, down, NULL, 0);
        z[k] = at;
        ck_assert_double_gt(fabs(gradient[k]), 1e-4);
        assert_close(gradient[k], (above - below) / (2 * h), 1e-8);
        for (int i = k; i < 10; i++) assert_close(H[10 * k + i], (up[i] - down[i]) / (2 * h), 1e-7);
    }
    ck_assert(isinf(trxi_moments_prior(sd, outside, NULL, NULL, 0)));
}
END_TEST

START_TEST(the_prior_does_not_depend_on_where_the_origin_is)
{
    // the same two bodies, seen from an origin that is moved: the mass and the tensor about the centre of mass stay
    double z[10], values[10], moved_z[10], start[10];
    draw(5, 0.3, z);
    trxi_moments_values(BODY, z, values, NULL);
    const double before = trxi_moments_prior(1, z, NULL, NULL, 0);
    memcpy(start, BODY, sizeof start);
    for (int i = 1; i <= 3; i++) start[i] += 0.4, values[i] += 0.4;
    ck_assert(trxi_moments_unknowns(start, values, moved_z));
    assert_close(trxi_moments_prior(1, moved_z, NULL, NULL, 0), before, 1e-9);
    ck_assert_double_gt(before, 0.05);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/moments");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, no_change_is_the_start);
    tcase_add_test(tests, every_step_leads_to_a_body_that_can_exist_and_back);
    tcase_add_test(tests, values_agree_with_differences);
    tcase_add_test(tests, the_prior_agrees_with_differences_and_is_infinite_outside);
    tcase_add_test(tests, the_prior_does_not_depend_on_where_the_origin_is);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
