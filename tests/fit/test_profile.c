// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Profiles: the closed form of a linear problem; the interval of the standard deviation where the objective is a parabola; no
// bound on a side that recordings do not determine; the fit stays as before.

#include "fit/scene.h"

#include "fit/residuals.h"

static scene s;
static const double NOISE = 0.01;

static void add_signal(const char *name, trx_fit_signal signal)
{
    s.parameters[s.fit.nparameter++] =
        (trx_fit_parameter){.name = name, .start = NAN, .min = -INFINITY, .max = INFINITY, .prior_sd = INFINITY, .same_as = -1,
                            .signal = signal, .signal_channel = -1, .profile = true};
}

static void open_swing(void)
{
    scene_open(&s, PENDULUM);
    add_group(&s, "swing.position", NOISE);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "swing");
    const double x[2] = {1.2, 0.5};
    record(&s, x, 150, 1, 0, NOISE, 9);
}

// sums of the straight line r = gain y + bias - recorded
typedef struct line {
    double n, y, yy, z, yz, zz;
} line;

// y: the motion of the model, from the residuals of the fit
static line sums_of(trx_fit *fit)
{
    const double gain = trx_fit_get_estimate(fit, 0).value, bias = trx_fit_get_estimate(fit, 1).value;
    const double *r = trxi_residuals_of(fit, fit->windowed, 0);
    line l = {0};
    for (int k = 0; k < s.recordings[0].rows; k++) {
        const double z = s.recordings[0].values[k], y = (z + r[k] - bias) / gain;
        l.n += 1, l.y += y, l.yy += y * y, l.z += z, l.yz += y * z, l.zz += z * z;
    }
    return l;
}

// least objective over the bias, with the gain held
static double held_gain(const line *l, double gain)
{
    const double bias = (l->z - gain * l->y) / l->n;
    return 0.5 * (gain * gain * l->yy + l->n * bias * bias + l->zz + 2 * gain * bias * l->y - 2 * gain * l->yz - 2 * bias * l->z) /
           (NOISE * NOISE);
}

START_TEST(a_profile_of_a_linear_problem_is_its_closed_form)
{
    // the motion is held: gain and bias are a straight line through the recorded values
    open_swing();
    add_signal("gain(swing)", TRX_FIT_GAIN);
    add_signal("bias(swing)", TRX_FIT_BIAS);
    s.parameters[1].start = 0.1; // says what a large bias is
    trx_fit_settings settings = trx_fit_settings_default();
    settings.start_position = settings.start_velocity = 0;
    trx_fit *fit = run_fit(&s, settings);
    ck_assert_int_eq(trx_fit_get_info(fit).nprofile, 2);
    const line l = sums_of(fit);
    const double slope = (l.n * l.yz - l.y * l.z) / (l.n * l.yy - l.y * l.y), sd = NOISE / sqrt(l.yy - l.y * l.y / l.n);
    const trx_fit_profile gain = trx_fit_get_profile(fit, 0), bias = trx_fit_get_profile(fit, 1);
    const trx_fit_estimate b = trx_fit_get_estimate(fit, 1);
    ck_assert_int_ge(gain.count, 10);
    for (int k = 0; k < gain.count; k++) {
        assert_close(gain.rises[k], held_gain(&l, gain.values[k]) - held_gain(&l, slope), 1e-6);
        if (k > 0) ck_assert_double_lt(gain.values[k - 1], gain.values[k]);
    }
    assert_close(gain.bound, 0.5 * 3.841459, 1e-9);
    assert_close(gain.low, slope - 1.959964 * sd, 0.01 * sd);
    assert_close(gain.high, slope + 1.959964 * sd, 0.01 * sd);
    assert_close(bias.low, b.low, 0.01 * b.sd);
    assert_close(bias.high, b.high, 0.01 * b.sd);
    ck_assert_str_eq(gain.verdict, "agrees with the interval of the standard deviation");
    ck_assert_int_eq(trx_fit_get_profile(fit, 2).estimate, -1);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

static void open_slides(void)
{
    scene_open(&s, SLIDE);
    add_box_channels(&s, 0.001, 0.01);
    for (int i = 0; i < 4; i++) record_slide(&s, 0.001, (uint64_t)i);
    add_parameter(&s, "pair(box, ground).friction", 0.5)->min = 0.01;
}

START_TEST(the_profile_of_a_friction_agrees_with_its_deviation_and_leaves_the_fit_as_it_is)
{
    open_slides();
    trx_fit *plain = run_fit(&s, trx_fit_settings_default());
    s.parameters[0].profile = true;
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    const trx_fit_estimate a = trx_fit_get_estimate(plain, 0), b = trx_fit_get_estimate(fit, 0);
    ck_assert(a.value == b.value && a.sd == b.sd && a.low == b.low);
    ck_assert_int_eq(trx_fit_get_info(plain).nprofile, 0);
    ck_assert_int_eq(trx_fit_get_info(plain).iterations, trx_fit_get_info(fit).iterations);
    const trx_fit_profile p = trx_fit_get_profile(fit, 0);
    assert_close(p.low, b.low, 0.1 * (b.high - b.low));
    assert_close(p.high, b.high, 0.1 * (b.high - b.low));
    ck_assert(p.low < 0.3 && 0.3 < p.high);
    for (int k = 0; k < p.count; k++) ck_assert_double_gt(p.rises[k], -0.05 * p.bound);
    trx_fit_destroy(plain);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(a_mass_that_nothing_shows_is_open_on_both_sides)
{
    open_swing();
    trx_fit_parameter *mass = add_parameter(&s, "bob.mass", NAN);
    mass->profile = true;
    trx_fit *fit = run_fit(&s, trx_fit_settings_default());
    ck_assert_int_eq(trx_fit_get_estimate(fit, 0).verdict, TRX_FIT_UNDETERMINED);
    const trx_fit_profile p = trx_fit_get_profile(fit, 0);
    ck_assert(isnan(p.low) && isnan(p.high));
    ck_assert_msg(strstr(p.verdict, "open on both sides") != NULL, "%s", p.verdict);
    ck_assert_double_lt(p.values[0], 0.06);
    ck_assert_double_gt(p.values[p.count - 1], 6);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

START_TEST(a_tied_parameter_has_no_profile)
{
    open_slides();
    trx_fit *fit;
    const trx_fit_settings settings = trx_fit_settings_default();
    trx_fit_parameter *tied = add_parameter(&s, "box.mass", NAN);
    tied->same_as = 0, tied->ratio = 1, tied->profile = true;
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "the profile of box.mass"));
    scene_close(&s);
}
END_TEST

static bool stop_in_a_profile(const trx_fit_iteration *iteration, void *user)
{
    int *left = user;
    return iteration->round != TRX_FIT_AGAIN || --*left > 0;
}

START_TEST(a_profile_can_be_stopped_with_its_points_so_far)
{
    open_slides();
    s.parameters[0].profile = true;
    int left = 12;
    trx_fit *fit;
    const trx_fit_settings settings = trx_fit_settings_default();
    ck_assert_int_eq(trx_fit_run(s.context, &s.fit, &settings, stop_in_a_profile, &left, &fit), TRX_INTERRUPTED);
    ck_assert_int_eq(left, 0);
    ck_assert_int_eq(trx_fit_get_info(fit).status, TRX_INTERRUPTED);
    ck_assert_int_eq(trx_fit_get_info(fit).nprofile, 1);
    const trx_fit_profile p = trx_fit_get_profile(fit, 0);
    ck_assert(isnan(p.low) || isnan(p.high));
    // a profile that is stopped early makes no claim about other values
    ck_assert_str_eq(p.verdict, "stopped before its ends were found");
    ck_assert(isfinite(trx_fit_get_estimate(fit, 0).sd));
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/profile");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, a_profile_of_a_linear_problem_is_its_closed_form);
    tcase_add_test(tests, the_profile_of_a_friction_agrees_with_its_deviation_and_leaves_the_fit_as_it_is);
    tcase_add_test(tests, a_mass_that_nothing_shows_is_open_on_both_sides);
    tcase_add_test(tests, a_tied_parameter_has_no_profile);
    tcase_add_test(tests, a_profile_can_be_stopped_with_its_points_so_far);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
