// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joint limits (theory 4): near-rigid, one-sided, on both ends.

#include "math/constants.h"
#include "step/judge.h"
#include "step/scenes.h"
#include "step/sim.h"
#include "support/support.h"

#include <string.h>

static const double dt = 0.01, inertia = 0.25;

// a hinge with limits -0.5 and 0.8 rad and a motor, without gravity
static scene make(double lower, double upper)
{
    scene s = {0};
    s.context = context_open();
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "j", joint.lower = lower, joint.upper = upper;
    trx_body_def body = trx_body_def_default();
    body.name = "body", body.joints = &joint, body.njoint = 1;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){1, {0, 0, 0}, {0.2, 0.2, inertia, 0, 0, 0}};
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = motor.joint = 0;
    trx_model_def def = trx_model_def_default();
    def.gravity[2] = 0;
    def.bodies = &body, def.nbody = 1;
    def.actuators = &motor, def.nactuator = 1;
    ck_assert_int_eq(trx_model_create(s.context, &def, &s.model), TRX_OK);
    trx_sim_settings settings = trx_sim_settings_default();
    settings.tolerance = 1e-12;
    ck_assert_int_eq(trx_sim_create(s.context, s.model, &settings, &s.sim), TRX_OK);
    s.nq = s.nv = s.nu = 1, s.nx = 2;
    return s;
}

// at rest gamma = dt u and v = 0: the limit gives way by 2 dt R dt u = u dt^2 / (2 pi^2 I)
START_TEST(a_pressed_limit_gives_way_by_the_near_rigid_amount)
{
    scene s = make(-0.5, 0.8);
    for (int side = 0; side < 2; side++)
        for (double push = 1; push < 2000; push *= 10) {
            double x[2] = {side ? 0.8 : -0.5, 0}, u = side ? push : -push;
            for (int k = 0; k < 200; k++) scene_step(&s, x, &u);
            double past = side ? x[0] - 0.8 : -0.5 - x[0];
            assert_close(past, push * dt * dt / (2 * TRXI_PI * TRXI_PI * inertia), 1e-6 * past);
            assert_close(x[1], 0, 1e-9);
        }
    scene_destroy(&s);
}
END_TEST

START_TEST(a_limit_stops_what_runs_into_it_and_lets_go)
{
    scene s = make(-0.5, 0.8);
    double x[2] = {0.7, 6}, u = 0, most = 0;
    for (int k = 0; k < 100; k++) {
        scene_step(&s, x, &u);
        most = fmax(most, x[0]);
    }
    // the limit brakes a joint that would cover more than half of the gap within the step; the joint does not move back
    assert_below(most, 0.8 + 1e-12);
    assert_close(x[1], 0, 1e-12);

    // and it does not pull back
    u = -1;
    double v = x[1];
    x[0] = 0.75;
    scene_step(&s, x, &u);
    assert_close(x[1], v - dt / inertia, 1e-12);
    scene_destroy(&s);
}
END_TEST

START_TEST(far_limits_are_no_rows_and_missing_limits_never)
{
    scene s = make(-0.5, 0.8);
    double x[2] = {0.1, 0.1};
    scene_step(&s, x, NULL);
    ck_assert_int_eq(trx_sim_step_info(s.sim).limits, 0);
    x[0] = 0.79;
    scene_step(&s, x, NULL);
    ck_assert_int_eq(trx_sim_step_info(s.sim).limits, 1);
    x[0] = 0.1, x[1] = 30;
    scene_step(&s, x, NULL);
    ck_assert_int_eq(trx_sim_step_info(s.sim).limits, 2);
    scene_destroy(&s);
    s = make(-INFINITY, 0.8);
    x[0] = -100, x[1] = -1;
    scene_step(&s, x, NULL);
    ck_assert_int_eq(trx_sim_step_info(s.sim).limits, 0);
    assert_close(x[1], -1, 1e-15);
    scene_destroy(&s);
}
END_TEST

// a row without an impulse does not change the step
START_TEST(the_limits_of_a_step_are_counted_not_those_of_the_step_before)
{
    scene s = make(-0.5, 0.8);
    const double near[2] = {0.8, 1}, far[2] = {0, 0}, u = 0;
    ck_assert_int_ge(trx_step(s.sim, near, &u, NULL), 0);
    ck_assert_int_eq(trx_sim_step_info(s.sim).limits, 1);
    ck_assert_int_ge(trx_step(s.sim, far, &u, NULL), 0);
    ck_assert_int_eq(trx_sim_step_info(s.sim).limits, 0);
    scene_destroy(&s);
}
END_TEST

START_TEST(rows_that_do_not_act_change_nothing)
{
    scene near = make(-0.5, 0.8), none = make(-INFINITY, INFINITY);
    for (double q = -0.49; q < 0.79; q += 0.01) {
        double x[2] = {q, -0.2}, y[2] = {q, -0.2}, u = 0.3;
        scene_step(&near, x, &u);
        scene_step(&none, y, &u);
        if (near.sim->rows.nscalar && near.sim->rows.scalars[0].at.G.xx > 0) continue;
        ck_assert(memcmp(x, y, sizeof x) == 0);
    }
    scene_destroy(&near);
    scene_destroy(&none);
}
END_TEST

static void use_step(scene *s, double step)
{
    trx_sim_settings settings = trx_sim_get_settings(s->sim);
    settings.time_step = step;
    ck_assert_int_eq(trx_sim_set_settings(s->sim, &settings), TRX_OK);
}

// 1 rad beyond a limit: back within it after about a tenth of a second, whatever the step. Only the limit acts on the
// joint, so the joint keeps its speed of return.
START_TEST(what_starts_far_beyond_a_limit_returns_at_a_bounded_speed)
{
    scene s = make(-0.5, 0.8);
    for (double step = 1e-2; step > 5e-5; step /= 10) {
        use_step(&s, step);
        double x[2] = {1.8, 0}, u = 0, fastest = 0, back = 0;
        for (int k = 1; k * step < 0.15; k++) {
            scene_step(&s, x, &u);
            fastest = fmax(fastest, -x[1]);
            if (!(back > 0) && x[0] < 0.8) back = k * step;
        }
        assert_below(fastest, 10 + 1e-9);
        assert_below(9.5, fastest);
        assert_below(0.1 - 1e-9, back);
        assert_below(back, 0.12);
    }
    scene_destroy(&s);
}
END_TEST

// far beyond a limit the row still holds what presses on
START_TEST(a_load_does_not_press_a_joint_through_a_limit_that_lets_go)
{
    scene s = make(-0.5, 0.8);
    const double push = 1.5e5, past = push * dt * dt / (2 * TRXI_PI * TRXI_PI * inertia);
    double x[2] = {0.8, 0}, u = push;
    for (int k = 0; k < 200; k++) scene_step(&s, x, &u);
    assert_close(x[0], 0.8 + past, 1e-5);
    assert_below(150, past / (2 * dt)); // without the bound the joint would return at this speed
    u = 0;
    scene_step(&s, x, &u);
    assert_below(-10, x[1]);
    scene_destroy(&s);
}
END_TEST

START_TEST(derivatives_agree_with_differences_on_both_sides_of_the_corner)
{
    scene s = make(-0.5, 0.8);
    judge_tally t = {0};
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < 5; k++) {
            double x[2] = {0.803 + 0.5 * i, -20 + 10.3 * k}, u = 60.0 * k - 90;
            judge_state_from(s.sim, 1e-6, x, &u, &t);
            x[0] = -0.5 - (x[0] - 0.8), x[1] = -x[1], u = -u;
            judge_state_from(s.sim, 1e-6, x, &u, &t);
        }
    ck_assert_int_ge(t.accepted, 100);
    ck_assert_int_ge(t.limits, 40);
    assert_below(t.worst, 1e-6);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/limit_rows");
    TCase *cases = tcase_create("limit_rows");
    tcase_add_test(cases, a_pressed_limit_gives_way_by_the_near_rigid_amount);
    tcase_add_test(cases, a_limit_stops_what_runs_into_it_and_lets_go);
    tcase_add_test(cases, far_limits_are_no_rows_and_missing_limits_never);
    tcase_add_test(cases, the_limits_of_a_step_are_counted_not_those_of_the_step_before);
    tcase_add_test(cases, rows_that_do_not_act_change_nothing);
    tcase_add_test(cases, what_starts_far_beyond_a_limit_returns_at_a_bounded_speed);
    tcase_add_test(cases, a_load_does_not_press_a_joint_through_a_limit_that_lets_go);
    tcase_add_test(cases, derivatives_agree_with_differences_on_both_sides_of_the_corner);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
