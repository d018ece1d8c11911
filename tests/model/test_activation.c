// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Activations: what is refused, closed forms over a step, slopes against differences, the ends of a range.

#include "fixture.h"
#include "model/model.h"
#include "support/support.h"

#include <string.h>

static trx_activation_def filter(double time_constant)
{
    trx_activation_def a = trx_activation_def_default();
    a.type = TRX_ACTIVATION_FILTER, a.time_constant = time_constant;
    return a;
}

static trx_activation_def muscle(double smoothing)
{
    trx_activation_def a = trx_activation_def_default();
    a.type = TRX_ACTIVATION_MUSCLE, a.smoothing = smoothing;
    return a;
}

START_TEST(activations_are_checked)
{
    scene s;
    scene_open(&s), s.actuators[0].activation.type = (trx_activation_type)99;
    scene_refuses(&s, LINE_ACTUATOR_X, "activation of the actuator of 'px': there is no such type");
    scene_open(&s), s.actuators[0].activation = filter(0);
    scene_refuses(&s, LINE_ACTUATOR_X, "the time constant must be finite and positive");
    scene_open(&s), s.actuators[0].activation = filter(INFINITY);
    scene_refuses(&s, LINE_ACTUATOR_X, "the time constant must be finite and positive");
    scene_open(&s), s.actuators[0].activation = muscle(0), s.actuators[0].activation.fall_time = 0;
    scene_refuses(&s, LINE_ACTUATOR_X, "the time of its fall must be finite and positive");
    scene_open(&s), s.actuators[0].activation = muscle(-1);
    scene_refuses(&s, LINE_ACTUATOR_X, "its smoothing must be finite and not negative");
    scene_open(&s), s.actuators[0].activation = filter(1), s.actuators[0].activation.upper = -INFINITY;
    scene_refuses(&s, LINE_ACTUATOR_X, "its range leaves no room");
    scene_open(&s), s.actuators[0].activation = filter(1), s.actuators[0].activation.lower = 1;
    scene_refuses(&s, LINE_ACTUATOR_X, "its start must be finite and in its range");
    scene_open(&s), s.actuators[0].activation = filter(1), s.actuators[0].activation.start = NAN;
    scene_refuses(&s, LINE_ACTUATOR_X, "its start must be finite and in its range");
}
END_TEST

START_TEST(types_have_names)
{
    ck_assert_str_eq(trx_activation_type_name(TRX_ACTIVATION_NONE), "none");
    ck_assert_str_eq(trx_activation_type_name(TRX_ACTIVATION_INTEGRATOR), "integrator");
    ck_assert_str_eq(trx_activation_type_name((trx_activation_type)TRX_ACTIVATION_TYPES), "");
    ck_assert_str_eq(trx_activation_type_name((trx_activation_type)-1), "");
}
END_TEST

static double value(const trx_activation_def *def, double dt, double a, double u)
{
    return trxi_activation_advance(def, dt, a, u).value;
}

// two halves of a step are the whole step, and the slopes are differences
START_TEST(a_step_is_the_solution_of_the_differential_equation)
{
    trx_activation_def kinds[2] = {filter(0.03), filter(1)};
    kinds[1].type = TRX_ACTIVATION_INTEGRATOR;
    for (int k = 0; k < 2; k++)
        for (double dt = 1e-4; dt < 1; dt *= 7) {
            const double a = 0.7, u = -1.3, e = 1e-6;
            const trxi_activated whole = trxi_activation_advance(&kinds[k], dt, a, u);
            const double half = value(&kinds[k], dt / 2, a, u);
            assert_close(value(&kinds[k], dt / 2, half, u), whole.value, 1e-14);
            const double by_a = value(&kinds[k], dt, a + e, u) - value(&kinds[k], dt, a - e, u);
            const double by_u = value(&kinds[k], dt, a, u + e) - value(&kinds[k], dt, a, u - e);
            assert_close(whole.by_a, by_a / (2 * e), 1e-9);
            assert_close(whole.by_u, by_u / (2 * e), 1e-9);
            ck_assert(whole.by_u > 0 && whole.branch == 0 && isinf(whole.room));
        }
}
END_TEST

// 1 - exp(-dt/T) loses its digits where exp does not
START_TEST(a_slow_filter_keeps_its_digits)
{
    const trx_activation_def slow = filter(1e9);
    const trxi_activated at = trxi_activation_advance(&slow, 1e-3, 0, 1);
    assert_close(at.by_u, 1e-12, 1e-24);
    assert_close(at.value, 1e-12, 1e-24);
}
END_TEST

START_TEST(a_fast_filter_is_at_its_input)
{
    const trx_activation_def fast = filter(1e-15);
    const trxi_activated at = trxi_activation_advance(&fast, 1e-3, 5, 1);
    ck_assert(at.value == 1 && at.by_a == 0 && at.by_u == 1);
}
END_TEST

START_TEST(the_ends_of_a_range_hold_the_activation)
{
    trx_activation_def a = filter(0.1);
    a.lower = -1, a.upper = 0.5;
    const trxi_activated high = trxi_activation_advance(&a, 0.1, 0.5, 2), low = trxi_activation_advance(&a, 0.1, -1, -2);
    ck_assert(high.value == 0.5 && high.by_a == 0 && high.by_u == 0 && high.branch == TRXI_ACTIVATION_UPPER);
    ck_assert(low.value == -1 && low.by_a == 0 && low.by_u == 0 && low.branch == TRXI_ACTIVATION_LOWER);
    assert_close(high.room, (2 - 0.5) * (1 - exp(-1)), 1e-15);
    const trxi_activated inside = trxi_activation_advance(&a, 0.1, 0.5, 0);
    ck_assert(inside.branch == 0 && inside.by_a > 0);
    assert_close(inside.room, 0.5 * (1 - exp(-1)), 1e-15);
}
END_TEST

// the time constant of a muscle, from its step
static double time_of(const trx_activation_def *def, double a, double u)
{
    const double dt = 1e-3, left = (u - value(def, dt, a, u)) / (u - a);
    return -dt / log(left);
}

START_TEST(a_muscle_rises_and_falls_with_its_own_times)
{
    const trx_activation_def sharp = muscle(0), soft = muscle(0.4);
    assert_close(time_of(&sharp, 0.2, 0.9), 0.01 * (0.5 + 1.5 * 0.2), 1e-14);
    assert_close(time_of(&sharp, 0.9, 0.2), 0.04 / (0.5 + 1.5 * 0.9), 1e-14);
    assert_close(time_of(&soft, 0.2, 0.9), 0.01 * (0.5 + 1.5 * 0.2), 1e-14);
    assert_close(time_of(&soft, 0.5, 0.5 + 1e-3), (0.01 * 1.25 + 0.04 / 1.25) / 2, 1e-3); // halfway where u meets a
    assert_close(value(&sharp, 1, 0.3, 7), 1, 1e-14); // a control above 1 is 1
    ck_assert(value(&sharp, 1e-3, 0.3, -7) == value(&sharp, 1e-3, 0.3, 0));
    ck_assert(value(&sharp, 1e3, 0.3, 0.8) == 0.8);
}
END_TEST

// differences of both slopes on every branch, and none across a kink
START_TEST(slopes_of_a_muscle_are_differences)
{
    const double e = 1e-6;
    unsigned seen = 0;
    int judged = 0;
    for (int k = 0; k < 3; k++) {
        const trx_activation_def def = muscle(k * 0.2);
        for (double a = -0.15; a < 1.2; a += 0.0631)
            for (double u = -0.2; u < 1.3; u += 0.0717) {
                const trxi_activated at = trxi_activation_advance(&def, 5e-3, a, u);
                trxi_activated by_a[2], by_u[2];
                bool same = true;
                for (int i = 0; i < 2; i++) {
                    by_a[i] = trxi_activation_advance(&def, 5e-3, i ? a + e : a - e, u);
                    by_u[i] = trxi_activation_advance(&def, 5e-3, a, i ? u + e : u - e);
                    same = same && by_a[i].branch == at.branch && by_u[i].branch == at.branch;
                }
                ck_assert(same || at.room <= 2 * e);
                if (!same) continue;
                assert_close(at.by_a, (by_a[1].value - by_a[0].value) / (2 * e), 1e-7);
                assert_close(at.by_u, (by_u[1].value - by_u[0].value) / (2 * e), 1e-7);
                seen |= 1u << (at.branch & TRXI_ACTIVATION_RISES ? 1 : at.branch & TRXI_ACTIVATION_BLENDS ? 2 : 0);
                seen |= at.branch & TRXI_ACTIVATION_OUTSIDE ? 8 : 0;
                seen |= at.branch & TRXI_ACTIVATION_CLAMPED ? 16 : 0;
                judged++;
            }
    }
    ck_assert(seen == 31 && judged > 1200);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/activation");
    TCase *cases = tcase_create("activation");
    tcase_add_test(cases, activations_are_checked);
    tcase_add_test(cases, types_have_names);
    tcase_add_test(cases, a_step_is_the_solution_of_the_differential_equation);
    tcase_add_test(cases, a_slow_filter_keeps_its_digits);
    tcase_add_test(cases, a_fast_filter_is_at_its_input);
    tcase_add_test(cases, the_ends_of_a_range_hold_the_activation);
    tcase_add_test(cases, a_muscle_rises_and_falls_with_its_own_times);
    tcase_add_test(cases, slopes_of_a_muscle_are_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
