// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Problems that no fit can be made of are refused with their reason.

#include "fit/scene.h"
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

int main(void)
{
    Suite *suite = suite_create("fit/create");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, wrong_problems_are_refused_with_their_reason);
    tcase_add_test(tests, more_steps_than_a_window_may_have_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
