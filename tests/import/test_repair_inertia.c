// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Repairs of principal moments against what they promise, at random.

#include "import/repair_inertia.h"
#include "math/tensor.h"
#include "support/support.h"

#include <math.h>

enum { SAMPLES = 2000 };

// a number in (-1, 1) from a sequence of its own
static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 8388608.0 - 1;
}

static void random_moments(unsigned *seed, double moments[3])
{
    for (int i = 0; i < 3; i++) moments[i] = random_number(seed);
    double t[6] = {moments[0], moments[1], moments[2], 0, 0, 0};
    trxi_tensor_principal(t, moments, NULL); // sorted
}

START_TEST(balanced_moments_are_the_nearest_possible_with_the_same_sum)
{
    unsigned seed = 3;
    int checked = 0;
    for (int k = 0; k < SAMPLES; k++) {
        double before[3], after[3];
        random_moments(&seed, before);
        double sum = before[0] + before[1] + before[2];
        for (int i = 0; i < 3; i++) after[i] = before[i];
        ck_assert_int_eq(trxi_balance_moments(after), sum > 0);
        if (!(sum > 0)) continue;
        assert_close(after[0] + after[1] + after[2], sum, 1e-14);
        ck_assert(after[0] >= -1e-15 && after[0] + after[1] >= after[2] - 1e-14);

        // no possible moments of the same sum are nearer: each is at most half of it
        double distance = 0;
        for (int i = 0; i < 3; i++) distance += (after[i] - before[i]) * (after[i] - before[i]);
        for (int n = 0; n < 20; n++) {
            double a = fabs(random_number(&seed)) * sum / 2, b = fabs(random_number(&seed)) * sum / 2, c = sum - a - b;
            if (c > sum / 2) continue;
            double other = pow(a - before[0], 2) + pow(b - before[1], 2) + pow(c - before[2], 2);
            ck_assert(distance <= other + 1e-14);
            checked++;
        }
    }
    ck_assert_int_gt(checked, SAMPLES);
}
END_TEST

START_TEST(possible_moments_are_not_changed)
{
    double mass = 1, moments[3] = {1, 1.5, 2};
    ck_assert(trxi_balance_moments(moments));
    trxi_bound_inertia(&mass, moments);
    trxi_nearest_moments(moments);
    assert_close(max_difference(moments, (double[]){1, 1.5, 2}, 3), 0, 0);
    assert_close(mass, 1, 0);
}
END_TEST

START_TEST(bound_only_raises_and_what_it_leaves_is_possible)
{
    unsigned seed = 5;
    for (int k = 0; k < SAMPLES; k++) {
        double before[3], after[3], mass = random_number(&seed), old = mass;
        random_moments(&seed, before);
        for (int i = 0; i < 3; i++) after[i] = before[i];
        trxi_bound_inertia(&mass, after);
        assert_close(mass, fmax(old, TRXI_LEAST_MASS), 0);
        double least = 0.4 * mass * TRXI_LEAST_RADIUS * TRXI_LEAST_RADIUS;
        for (int i = 0; i < 3; i++) ck_assert(after[i] >= before[i] && after[i] >= least);
        assert_close(after[2], fmax(before[2], least), 0);
        ck_assert(after[0] <= after[1] + 1e-15 && after[1] <= after[2] + 1e-15);
        ck_assert(after[0] + after[1] >= after[2] - 1e-14);
        // no more than needed: where something was missing, the two just reach the largest
        double missing = fmax(before[2], least) - fmax(before[1], least) - fmax(before[0], least);
        if (missing > 0) assert_close(after[0] + after[1], after[2], 1e-14);
    }
}
END_TEST

START_TEST(nearest_moments_are_possible_and_none_are_nearer)
{
    unsigned seed = 7;
    int checked = 0;
    for (int k = 0; k < SAMPLES; k++) {
        double before[3], after[3], distance = 0;
        random_moments(&seed, before);
        for (int i = 0; i < 3; i++) after[i] = before[i];
        trxi_nearest_moments(after);
        ck_assert(after[0] >= 0 && after[0] + after[1] >= after[2] - 1e-14);
        for (int i = 0; i < 3; i++) distance += (after[i] - before[i]) * (after[i] - before[i]);

        // possible moments are sums of (0, 1, 1), (1, 0, 1) and (1, 1, 0) with factors that are not negative
        for (int n = 0; n < 20; n++, checked++) {
            double a = fabs(random_number(&seed)), b = fabs(random_number(&seed)), c = fabs(random_number(&seed));
            if (n % 2) a *= 0.01;
            if (n % 3) b *= 0.01;
            double other = pow(b + c - before[0], 2) + pow(a + c - before[1], 2) + pow(a + b - before[2], 2);
            ck_assert(distance <= other + 1e-14);
        }
        // the nearest point p of a cone is known by p (p - x) = 0, and no edge e with e (x - p) > 0
        double across = 0;
        for (int i = 0; i < 3; i++) across += after[i] * (after[i] - before[i]);
        assert_close(across, 0, 1e-14);
        for (int e = 0; e < 3; e++) {
            double along = 0;
            for (int i = 0; i < 3; i++) along += i == e ? 0 : before[i] - after[i];
            ck_assert(along <= 1e-14);
        }
    }
    ck_assert_int_gt(checked, SAMPLES);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/repair_inertia");
    TCase *tests = tcase_create("repair_inertia");
    tcase_add_test(tests, balanced_moments_are_the_nearest_possible_with_the_same_sum);
    tcase_add_test(tests, possible_moments_are_not_changed);
    tcase_add_test(tests, bound_only_raises_and_what_it_leaves_is_possible);
    tcase_add_test(tests, nearest_moments_are_possible_and_none_are_nearer);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
