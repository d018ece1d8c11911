// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads: their values over time, and refused loads. Their effect in the step: tests/step/test_loads.c.

#include "fixture.h"
#include "math/constants.h"
#include "support/support.h"

static trx_load_def load_on_box(trx_load_wave wave)
{
    trx_load_def load = trx_load_def_default();
    load.source = at_line(70);
    load.body = BOX;
    load.force[0] = 2;
    load.torque[1] = 4;
    load.wave = wave;
    return load;
}

static void assert_load(const scene *s, double t, double fx, double fy, double tx, double ty)
{
    double f[6];
    trx_model_load(s->model, 0, t, f);
    assert_close(f[0], fx, 1e-14);
    assert_close(f[1], fy, 1e-14);
    assert_close(f[2], 0, 0);
    assert_close(f[3], tx, 1e-14);
    assert_close(f[4], ty, 1e-14);
    assert_close(f[5], 0, 0);
}

static void open_with(scene *s, const trx_load_def *load)
{
    scene_open(s);
    s->def.loads = load, s->def.nload = 1;
    scene_build(s);
    ck_assert_int_eq(trx_model_get_size(s->model).nload, 1);
}

// simulations begin at time 0, but a caller may ask for earlier times, at which the start of a load counts too
START_TEST(a_constant_load_begins_at_its_start_also_before_time_zero)
{
    scene s;
    trx_load_def load = load_on_box(TRX_LOAD_CONSTANT);
    open_with(&s, &load);
    assert_load(&s, -1, 0, 0, 0, 0);
    assert_load(&s, 0, 2, 0, 0, 4);
    ck_assert(!trx_model_is_timed(s.model));
    scene_close(&s);

    load.start = -2;
    open_with(&s, &load);
    assert_load(&s, -3, 0, 0, 0, 0);
    assert_load(&s, -2, 2, 0, 0, 4);
    assert_load(&s, 1, 2, 0, 0, 4);
    ck_assert(!trx_model_is_timed(s.model));
    scene_close(&s);

    load.start = 0.5;
    open_with(&s, &load);
    ck_assert(trx_model_is_timed(s.model));
    scene_close(&s);
}
END_TEST

START_TEST(waves_are_what_they_say)
{
    scene s;
    trx_load_def load = load_on_box(TRX_LOAD_CONSTANT);
    open_with(&s, &load);
    ck_assert(!trx_model_is_timed(s.model));
    assert_load(&s, -1e-9, 0, 0, 0, 0);
    assert_load(&s, 0, 2, 0, 0, 4);
    assert_load(&s, 1e9, 2, 0, 0, 4);
    scene_close(&s);

    load = load_on_box(TRX_LOAD_SINE), load.frequency = 0.25, load.phase = TRXI_PI / 6, load.start = 1, load.stop = 3;
    open_with(&s, &load);
    ck_assert(trx_model_is_timed(s.model));
    assert_load(&s, 0.99, 0, 0, 0, 0);
    assert_load(&s, 1, 1, 0, 0, 2);
    assert_load(&s, 2, 2 * cos(TRXI_PI / 6), 0, 0, 4 * cos(TRXI_PI / 6));
    assert_load(&s, 3, 0, 0, 0, 0);
    scene_close(&s);

    load = load_on_box(TRX_LOAD_RAMP), load.duration = 2, load.start = 1;
    open_with(&s, &load);
    assert_load(&s, 1.5, 0.5, 0, 0, 1);
    assert_load(&s, 7, 2, 0, 0, 4);
    scene_close(&s);

    load = load_on_box(TRX_LOAD_ROTATE), load.frequency = 0.25, load.axis[2] = 5;
    open_with(&s, &load);
    assert_load(&s, 1, 0, 2, -4, 0);
    scene_close(&s);

    const double times[] = {0, 2}, values[] = {0, 1, 0, 0, 0, 0, 4, 1, 0, 0, 8, 0};
    load = load_on_box(TRX_LOAD_TABLE), load.times = times, load.values = values, load.ntime = 2;
    open_with(&s, &load);
    assert_load(&s, 0.5, 1, 1, 0, 2);
    assert_load(&s, 5, 4, 1, 0, 8);
    scene_close(&s);
}
END_TEST

START_TEST(there_is_no_load_beyond_the_last)
{
    scene s;
    trx_load_def load = load_on_box(TRX_LOAD_CONSTANT);
    double f[6] = {1, 1, 1, 1, 1, 1};
    open_with(&s, &load);
    trx_model_load(s.model, 1, 0, f);
    assert_close(max_magnitude(f, 6), 0, 0);
    ck_assert_str_eq(trx_load_wave_name(TRX_LOAD_ROTATE), "rotate");
    ck_assert_str_eq(trx_load_wave_name((trx_load_wave)17), "");
    scene_close(&s);
}
END_TEST

static void refuses(const trx_load_def *load, const char *words)
{
    scene s;
    scene_open(&s);
    s.def.loads = load, s.def.nload = 1;
    scene_refuses(&s, 70, words);
}

START_TEST(loads_are_checked)
{
    trx_load_def load = load_on_box(TRX_LOAD_CONSTANT);
    load.body = 3;
    refuses(&load, "there is no body number 3");
    load.body = GROUND;
    refuses(&load, "the load on 'ground': no joint moves this body");
    load = load_on_box((trx_load_wave)8);
    refuses(&load, "there is no wave 8");
    load = load_on_box(TRX_LOAD_CONSTANT), load.at[1] = NAN;
    refuses(&load, "a number is not finite");
    load = load_on_box(TRX_LOAD_CONSTANT), load.start = 2, load.stop = 2;
    refuses(&load, "it stops at 2 s, before it starts at 2 s");
    load = load_on_box(TRX_LOAD_RAMP);
    refuses(&load, "its duration is 0; a ramp needs one above 0");
    load = load_on_box(TRX_LOAD_ROTATE), load.axis[2] = 0;
    refuses(&load, "the axis has no direction");
    load = load_on_box(TRX_LOAD_TABLE);
    refuses(&load, "a table needs at least one row");
    const double times[] = {0, 1}, values[12] = {[7] = INFINITY};
    load.times = times, load.values = values, load.ntime = 2;
    refuses(&load, "a number of its table is not finite");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/loads");
    TCase *cases = tcase_create("loads");
    tcase_add_test(cases, a_constant_load_begins_at_its_start_also_before_time_zero);
    tcase_add_test(cases, waves_are_what_they_say);
    tcase_add_test(cases, there_is_no_load_beyond_the_last);
    tcase_add_test(cases, loads_are_checked);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
