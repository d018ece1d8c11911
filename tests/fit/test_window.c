// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Windows have all samples of a recording once, and begin near the recorded motion.

#include "base/arena.h"
#include "fit/impact.h"
#include "fit/scene.h"
#include "fit/window.h"

#include <limits.h>

static scene s;

START_TEST(every_sample_is_in_one_window)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, 0.001, 0.01);
    record_slide(&s, 0, 1);
    s.recordings[0].window = 7;
    trxi_pool *pool = trxi_pool_create(s.context);
    trxi_window *windows;
    int count, rows = 0;
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, false, &windows, &count), TRX_OK);
    ck_assert_int_eq(count, 9);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(windows[i].first_row, rows);
        rows += windows[i].rows;
    }
    ck_assert_int_eq(rows, 61);
    ck_assert_int_eq(windows[8].steps, 4);
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, true, false, &windows, &count), TRX_OK);
    ck_assert_int_eq(count, 0);
    s.recordings[0].window = INT_MAX;
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, false, &windows, &count), TRX_OK);
    ck_assert_int_eq(count, 1);
    ck_assert_int_eq(windows[0].steps, 60);
    trxi_pool_destroy(pool);
    scene_close(&s);
}
END_TEST

START_TEST(first_guesses_are_near_the_motion)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, 0.001, 0.01);
    record_slide(&s, 0, 2);
    s.recordings[0].window = 10;
    trxi_pool *pool = trxi_pool_create(s.context);
    trxi_window *windows;
    int count;
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, false, &windows, &count), TRX_OK);
    const double *values = s.recordings[0].values;
    for (int i = 0; i + 1 < count; i++) {
        const double *now = values + 10 * i * s.fit.columns, *later = values + 10 * (i + 1) * s.fit.columns;
        assert_close(max_difference(windows[i].guess, now, 7), 0, 1e-3);
        // the mean speed over the window is near the first one
        assert_close(windows[i].guess[7], (later[0] - now[0]) / 0.1, 0.2);
    }
    trxi_pool_destroy(pool);
    scene_close(&s);
}
END_TEST

// A quaternion without its x at the first sample made the start state not finite, and the fit fail
START_TEST(a_rotation_without_one_part_is_a_missing_sample)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, 0.001, 0.01);
    record_slide(&s, 0, 2);
    double *values = s.memory[1];
    trxi_pool *pool = trxi_pool_create(s.context);
    trxi_window *windows;
    int count;
    values[4] = NAN;
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, false, &windows, &count), TRX_OK);
    assert_close(max_difference(windows[0].guess + 3, values + s.fit.columns + 3, 4), 0, 1e-2);

    // without any rotation the guess is the start of the model
    for (int row = 0; row < s.recordings[0].rows; row++) values[row * s.fit.columns + 6] = NAN;
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, false, &windows, &count), TRX_OK);
    assert_close(max_difference(windows[0].guess + 3, s.fit.x0 + 3, 4), 0, 0);
    trxi_pool_destroy(pool);
    scene_close(&s);
}
END_TEST

// a box that is thrown onto the ground: the rows at which its velocity jumps by more than gravity explains
static int throw_box(bool jumps[61])
{
    double x[13];
    int count = 0;
    memcpy(x, s.fit.x0, sizeof x);
    x[2] = 0.25, x[7] = 1.5, x[9] = -0.5, x[10] = 2, x[11] = 1;
    record(&s, x, 60, 1, 0, 2e-4, 5);
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(s.context, s.fit.model, &s.fit.sim, &sim), TRX_OK);
    for (int k = 0; k <= 60; k++) {
        double next[13];
        ck_assert_int_ge(trx_step(sim, x, NULL, next), 0);
        jumps[k] = hypot(next[7] - x[7], hypot(next[8] - x[8], next[9] - x[9])) > 0.35;
        count += jumps[k];
        memcpy(x, next, sizeof x);
    }
    trx_sim_destroy(sim);
    return count;
}

START_TEST(windows_of_a_toss_never_start_inside_an_impact)
{
    bool jumps[61];
    scene_open(&s, SLIDE);
    add_box_channels(&s, 0.001, 0.01);
    ck_assert_int_ge(throw_box(jumps), 1);
    bool inside[61];
    double scratch[122];
    trxi_impacts_find(&s.fit, &s.recordings[0], scratch, inside);
    int hit = 0, kept = 0;
    for (int k = 1; k < 60; k++) {
        // the step from knot k changes the slope of the positions between samples k and k + 1
        if (jumps[k]) ck_assert_msg(inside[k] || inside[k + 1] || inside[k - 1], "the jump of step %d is not seen", k);
        hit += inside[k];
    }
    ck_assert(hit >= 1 && hit < 30);

    // whatever the length of the windows
    for (int window = 2; window < 30; window++) {
        trxi_pool *pool = trxi_pool_create(s.context);
        trxi_window *windows, *plain;
        int count, plain_count, rows = 0;
        s.recordings[0].window = window;
        ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, false, &windows, &count), TRX_OK);
        ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, true, &plain, &plain_count), TRX_OK);
        ck_assert_int_eq(plain_count, (60 + window - 1) / window);
        ck_assert_int_le(count, plain_count);
        for (int i = 0; i < count; i++) {
            ck_assert_int_eq(windows[i].first_row, rows);
            ck_assert(i == 0 || !trxi_impacts_at(&s.recordings[0], inside, windows[i].begin));
            rows += windows[i].rows;
        }
        ck_assert_int_eq(rows, 61);
        for (int i = 1; i < plain_count; i++) kept += trxi_impacts_at(&s.recordings[0], inside, plain[i].begin);
        trxi_pool_destroy(pool);
    }
    ck_assert_int_gt(kept, 0); // the plain cuts do start there
    scene_close(&s);
}
END_TEST

START_TEST(a_smooth_motion_has_no_impacts)
{
    bool inside[61];
    double scratch[122];
    scene_open(&s, ARM);
    add_group(&s, "angles", 1e-3);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "shoulder");
    add_channel(&s, TRX_FIT_VELOCITY, 1, 0, "elbow.v");
    static const double x[4] = {0.4, -0.3, 0.5, 0.2};
    record(&s, x, 60, 1, 2, 0, 3);
    record(&s, x, 60, 1, 2, 1e-3, 3);
    for (int i = 0; i < 2; i++) {
        trxi_impacts_find(&s.fit, &s.recordings[i], scratch, inside);
        for (int k = 0; k < 61; k++) ck_assert(!inside[k]);
    }
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/window");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, every_sample_is_in_one_window);
    tcase_add_test(tests, first_guesses_are_near_the_motion);
    tcase_add_test(tests, a_rotation_without_one_part_is_a_missing_sample);
    tcase_add_test(tests, windows_of_a_toss_never_start_inside_an_impact);
    tcase_add_test(tests, a_smooth_motion_has_no_impacts);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
