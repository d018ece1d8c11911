// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Windows have all samples of a recording once, and begin near the recorded motion.

#include "base/arena.h"
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
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, &windows, &count), TRX_OK);
    ck_assert_int_eq(count, 9);
    for (int i = 0; i < count; i++) {
        ck_assert_int_eq(windows[i].first_row, rows);
        rows += windows[i].rows;
    }
    ck_assert_int_eq(rows, 61);
    ck_assert_int_eq(windows[8].steps, 4);
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, true, &windows, &count), TRX_OK);
    ck_assert_int_eq(count, 0);
    s.recordings[0].window = INT_MAX;
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, &windows, &count), TRX_OK);
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
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, &windows, &count), TRX_OK);
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
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, &windows, &count), TRX_OK);
    assert_close(max_difference(windows[0].guess + 3, values + s.fit.columns + 3, 4), 0, 1e-2);

    // without any rotation the guess is the start of the model
    for (int row = 0; row < s.recordings[0].rows; row++) values[row * s.fit.columns + 6] = NAN;
    ck_assert_int_eq(trxi_windows_begin(pool, &s.fit, false, &windows, &count), TRX_OK);
    assert_close(max_difference(windows[0].guess + 3, s.fit.x0 + 3, 4), 0, 0);
    trxi_pool_destroy(pool);
    scene_close(&s);
}
END_TEST

START_TEST(a_time_within_rounding_of_a_knot_is_at_the_knot)
{
    double share;
    ck_assert_int_eq(trxi_knot_of(1, 0.01, 1.02999999, &share), 3);
    assert_close(share, 0, 0);
    ck_assert_int_eq(trxi_knot_of(1, 0.01, 1.03000001, &share), 3);
    assert_close(share, 0, 0);
    ck_assert_int_eq(trxi_knot_of(1, 0.01, 1.035, &share), 3);
    assert_close(share, 0.5, 1e-9);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/window");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, every_sample_is_in_one_window);
    tcase_add_test(tests, first_guesses_are_near_the_motion);
    tcase_add_test(tests, a_rotation_without_one_part_is_a_missing_sample);
    tcase_add_test(tests, a_time_within_rounding_of_a_knot_is_at_the_knot);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
