// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Problems that no fit can be made of are refused with their reason. Recordings may begin with known velocities.

#include "fit/create.h"
#include "fit/scene.h"
#include "fit/state.h"
#include "fit/window.h"

static scene s;

// one short slide of a box
static void open_slide(void)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, 0.001, 0.001);
    record_slide(&s, 0.001, 0);
}

START_TEST(wrong_problems_are_refused_with_their_reason)
{
    open_slide();
    trx_fit_parameter *friction = add_parameter(&s, "pair(box, ground).friction", 0.5);
    friction->max = 0.4;
    scene_refuses(&s, TRX_ERR_INPUT, "starts at 0.5, outside its bounds [0, 0.4]");
    friction->max = INFINITY;
    friction->same_as = 0;
    scene_refuses(&s, TRX_ERR_ARGUMENT, "same_as names an earlier parameter");
    friction->same_as = -1;
    s.groups[0].ignored = s.groups[1].ignored = true;
    scene_refuses(&s, TRX_ERR_ARGUMENT, "a channel that is not ignored");
    s.groups[0].ignored = false;
    s.recordings[0].held_out = true;
    scene_refuses(&s, TRX_ERR_ARGUMENT, "a recording that is not held out");
    scene_close(&s);
}
END_TEST

// A wrong time in a table made the number of steps pass the largest int, or kept the command busy for days
START_TEST(more_steps_than_a_window_may_have_are_refused)
{
    open_slide();
    add_parameter(&s, "box.mass", NAN);
    double *t = s.memory[0];
    const int last = s.recordings[0].rows - 1;
    t[last] = t[0] + TRXI_MOST_WINDOW_STEPS * s.fit.sim.time_step * (1 + 1e-9);
    scene_refuses(&s, TRX_ERR_INPUT, "are more than 10000000 steps");
    t[last] = INFINITY;
    scene_refuses(&s, TRX_ERR_INPUT, "are more than 10000000 steps");
    scene_close(&s);
}
END_TEST

// the objective of a window whose start velocity differs from its guess by d
static double moved_objective(trx_fit *fit, int window, double d)
{
    trxi_window *w = &fit->fitted.list[window];
    trxi_evaluation *out = &fit->fitted.now[window];
    const double x[2] = {w->guess[0], w->guess[1] + d};
    ck_assert_int_eq(trxi_bench_set(&fit->benches[0], fit->values), TRX_OK);
    trxi_evaluate(&fit->benches[0], w, x, fit->noise, TRXI_VALUE, out);
    return out->objective;
}

// The velocity of the line through the first samples is wrong by their noise and by the acceleration
START_TEST(a_recording_begins_with_the_velocities_of_the_start)
{
    scene_open(&s, PENDULUM);
    add_group(&s, "swing.position", 1e-2);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "swing");
    const double x[2] = {0.5, 0};
    record(&s, x, 60, 1, 0, 1e-2, 5);
    add_parameter(&s, "bob.mass", NAN);
    s.recordings[0].window = 20;
    trx_fit_settings settings = trx_fit_settings_default();
    trx_fit *free, *known;
    settings.first_velocity = -1;
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, x, NULL, NULL), TRX_ERR_ARGUMENT);
    settings.first_velocity = INFINITY;
    ck_assert_int_eq(trxi_fit_create(s.context, &s.fit, &settings, &free), TRX_OK);
    settings.first_velocity = 0.02;
    ck_assert_int_eq(trxi_fit_create(s.context, &s.fit, &settings, &known), TRX_OK);
    ck_assert_int_eq(known->fitted.count, 3);
    ck_assert(free->fitted.list[0].guess[1] != 0);
    ck_assert(known->fitted.list[0].guess[1] == s.fit.x0[1] && known->fitted.list[0].x[1] == s.fit.x0[1]);
    for (int i = 1; i < 3; i++) ck_assert(known->fitted.list[i].guess[1] == free->fitted.list[i].guess[1]);

    // the prior counts in the first window alone, and its guess is its mean
    free->fitted.list[0].guess[1] = 0;
    for (int i = 0; i < 3; i++) {
        assert_close(moved_objective(known, i, 0), moved_objective(free, i, 0), 0);
        const double prior = moved_objective(known, i, 0.03) - moved_objective(free, i, 0.03);
        assert_close(prior, i == 0 ? 0.5 * 1.5 * 1.5 : 0, 1e-9);
    }
    trx_fit_destroy(free);
    trx_fit_destroy(known);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/create");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, wrong_problems_are_refused_with_their_reason);
    tcase_add_test(tests, more_steps_than_a_window_may_have_are_refused);
    tcase_add_test(tests, a_recording_begins_with_the_velocities_of_the_start);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
