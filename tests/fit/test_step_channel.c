// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces and accelerometers as recordings: what they read at rest and in free fall, derivatives, and what they determine.

#include "fit/scene.h"

#include "fit/step_channel.h"
#include "fit/write.h"

static scene s;

static void add_force(const char *name, int a, int b, int component)
{
    add_channel(&s, TRX_FIT_CONTACT_FORCE, a, component, name);
    s.channels[s.fit.nchannel - 1].other = b;
}

static void add_signal(const char *name, trx_fit_signal signal, int group, double start, double min, double max)
{
    s.parameters[s.fit.nparameter++] =
        (trx_fit_parameter){.name = name, .start = start, .min = min, .max = max, .prior_sd = INFINITY, .same_as = -1,
                            .signal = signal, .signal_group = group, .signal_channel = -1};
}

START_TEST(gradient_with_contact_forces_agrees_with_central_differences)
{
    static const double values[] = {0.25, 1.9e4, 18, 0.45, 1.1, 0.004};
    static const bool positive[] = {true, true, true, true, false, false};
    static const char *const axes[] = {"x", "y", "z"};
    const trx_fit_settings settings = trx_fit_settings_default();
    for (int delayed = 2; delayed < 4; delayed++) {
        scene_open(&s, SLIDE);
        add_box_channels(&s, 1e-3, 1e-2);
        add_group(&s, "force(ground, box)", 0.5);
        for (int i = 0; i < 3; i++) add_force(axes[i], 1, 0, i);
        add_group(&s, "acceleration(box)", 0.3);
        for (int i = 0; i < 3; i++) add_channel(&s, TRX_FIT_BODY_ACCELERATION, 0, i, axes[i]);
        record_slide(&s, 1e-3, 4);
        add_parameter(&s, "pair(box, ground).friction", NAN);
        add_parameter(&s, "pair(box, ground).stiffness", NAN);
        add_parameter(&s, "pair(box, ground).dissipation", NAN);
        add_parameter(&s, "box.mass", NAN);
        add_signal("gain", TRX_FIT_GAIN, 2, 1, -INFINITY, INFINITY);
        add_signal("delay", TRX_FIT_DELAY, delayed, 0, -0.02, 0.02);
        check_gradient(&s, &settings, values, positive, 6);
        scene_close(&s);
    }
}
END_TEST

static void open_arm(trx_scheme scheme, bool forces)
{
    scene_open(&s, ARM);
    s.fit.sim.scheme = scheme;
    add_group(&s, "shoulder.position", 1e-2);
    add_channel(&s, TRX_FIT_COORDINATE, 0, 0, "shoulder");
    add_group(&s, "acceleration(marker)", 0.5);
    for (int i = 0; i < 3; i++) add_channel(&s, TRX_FIT_FRAME_ACCELERATION, 0, i, "marker");
    add_group(&s, "acceleration(lower)", 0.5);
    add_channel(&s, TRX_FIT_BODY_ACCELERATION, 1, 1, "lower");
    add_group(&s, "joint_force", 0.2);
    for (int i = 0; i < 2 && forces; i++) add_channel(&s, TRX_FIT_JOINT_FORCE, i, 0, "joint");
    add_group(&s, "force", 0.2);
    if (forces) add_channel(&s, TRX_FIT_ACTUATOR_FORCE, 1, 0, "motor");
    static const double x[4] = {0.4, -0.3, 0.5, 0.2};
    record(&s, x, 60, 1, 2, 0.01, 3);
}

START_TEST(gradient_with_an_arm_agrees_with_central_differences)
{
    static const double values[] = {0.3, 0.12, 0.7, -0.25, 9, 1.1, 0.02, 0.3};
    static const bool positive[] = {true, true, true, false, false, false, true, false};
    const trx_fit_settings settings = trx_fit_settings_default();
    for (int scheme = TRX_SYMPLECTIC; scheme <= TRX_MIDPOINT; scheme++) {
        open_arm((trx_scheme)scheme, scheme == TRX_SYMPLECTIC);
        s.fit.sim.time_step = 0.007; // samples between knots
        add_parameter(&s, "shoulder.damping", NAN);
        add_parameter(&s, "elbow.damping", NAN);
        add_parameter(&s, "lower.mass", NAN);
        add_parameter(&s, "lower.com.z", NAN);
        add_parameter(&s, "gravity.x", NAN);
        add_parameter(&s, "elbow.gain", NAN);
        add_parameter(&s, "shoulder.armature", 0.01);
        add_signal("bias", TRX_FIT_BIAS, 1, 0, -INFINITY, INFINITY);
        check_gradient(&s, &settings, values, positive, 8);
        scene_close(&s);
    }
}
END_TEST

// the objective is half the square of one deviation that a constant recording misses
static double misfit(trx_fit_channel_kind kind, int index, int component, double reading, int rows)
{
    const trx_fit_settings settings = trx_fit_settings_default();
    const double values[] = {1};
    double *recorded = scene_take(&s, (size_t)rows), *t = scene_take(&s, (size_t)rows);
    s.fit.nchannel = s.fit.ngroup = s.fit.columns = s.fit.nrecording = s.fit.nparameter = 0;
    add_group(&s, "reading", 1);
    add_channel(&s, kind, index, component, "reading");
    if (kind == TRX_FIT_CONTACT_FORCE) s.channels[0].index = 1, s.channels[0].other = 0;
    add_signal("gain", TRX_FIT_GAIN, 0, 1, -INFINITY, INFINITY);
    for (int i = 0; i < rows; i++) recorded[i] = reading, t[i] = 0.01 * i;
    s.recordings[s.fit.nrecording++] = (trx_fit_recording){.name = "constant", .rows = rows, .t = t, .values = recorded};
    return objective_at(&s, values, &settings);
}

START_TEST(readings_at_rest_and_in_free_fall_are_those_of_statics)
{
    scene_open(&s, SLIDE);
    double x[13];
    memcpy(x, s.fit.x0, sizeof x);
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(s.context, s.fit.model, &s.fit.sim, &sim), TRX_OK);
    for (int k = 0; k < 400; k++) ck_assert_int_ge(trx_step(sim, x, NULL, x), 0);
    trx_sim_destroy(sim);
    s.fit.x0 = x;
    assert_below(misfit(TRX_FIT_CONTACT_FORCE, 0, 2, 0.5 * 9.81, 20), 1e-10);
    assert_below(misfit(TRX_FIT_CONTACT_FORCE, 0, 0, 0, 20), 1e-10);
    assert_below(misfit(TRX_FIT_BODY_ACCELERATION, 0, 2, 9.81, 20), 1e-10);
    x[2] += 5;
    assert_below(misfit(TRX_FIT_BODY_ACCELERATION, 0, 2, 0, 20), 1e-10);
    assert_below(misfit(TRX_FIT_CONTACT_FORCE, 0, 2, 0, 20), 1e-10);
    ck_assert(misfit(TRX_FIT_BODY_ACCELERATION, 0, 2, 9.81, 20) > 1);
    scene_close(&s);
}
END_TEST

// the cells of the line at `text`, with commas in quotes passed over
static int count_cells(const char *text)
{
    int cells = 1;
    bool quoted = false;
    for (; *text && *text != '\n'; text++) {
        quoted ^= *text == '"';
        cells += *text == ',' && !quoted;
    }
    return cells;
}

// the name of a contact force holds a comma, which divided its cell
static void check_table(trx_fit *fit)
{
    trxi_text text = trxi_text_create(s.context);
    ck_assert_int_eq(trxi_fit_write_residuals(fit, &text), TRX_OK);
    const int columns = count_cells(trxi_text_get(&text));
    int lines = 0;
    for (const char *line = trxi_text_get(&text); *line; line = strchr(line, '\n') + 1, lines++)
        ck_assert_int_eq(count_cells(line), columns);
    ck_assert_int_eq(lines, 1 + trx_fit_get_info(fit).nresidual);
    trxi_text_clear(&text);
    trxi_text_quoted(&text, "5\" push, 1");
    ck_assert_str_eq(trxi_text_get(&text), "\"5\"\" push, 1\"");
    trxi_text_destroy(&text);
}

START_TEST(contact_forces_weigh_a_sliding_box)
{
    // the pose alone does not determine the mass (test_fit)
    const trx_fit_settings settings = trx_fit_settings_default();
    scene_open(&s, SLIDE);
    add_box_channels(&s, 1e-3, 1e-2);
    add_group(&s, "force(ground, box)", 0.2);
    add_force("force(ground, box).z", 1, 0, 2);
    for (uint64_t seed = 1; seed <= 3; seed++) record_slide(&s, 1e-3, seed);
    for (int r = 0; r < s.fit.nrecording; r++) {
        double *values = (double *)s.recordings[r].values;
        for (int row = 0; row < s.recordings[r].rows; row++)
            values[row * s.fit.columns + 7] += 0.2 * trxi_random_normal(99, (uint64_t)(100 * r + row));
    }
    add_parameter(&s, "pair(box, ground).friction", 0.5);
    add_parameter(&s, "box.mass", 1);
    trx_fit *fit;
    ck_assert_int_ge(trx_fit_run(s.context, &s.fit, &settings, NULL, NULL, &fit), TRX_OK);
    const trx_fit_estimate friction = trx_fit_get_estimate(fit, 0), mass = trx_fit_get_estimate(fit, 1);
    ck_assert_int_eq(mass.verdict, TRX_FIT_DETERMINED);
    ck_assert_msg(mass.low < 0.5 && 0.5 < mass.high, "%g to %g", mass.low, mass.high);
    ck_assert_double_lt(mass.high - mass.low, 0.02);
    ck_assert_msg(friction.low < 0.3 && 0.3 < friction.high, "%g to %g", friction.low, friction.high);
    ck_assert(isnan(trx_fit_get_recording(fit, 0).position) == 0);
    check_table(fit);
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

static void refused(trx_status expected, const char *said)
{
    const trx_fit_settings settings = trx_fit_settings_default();
    const double values[] = {0.2, 1};
    ck_assert_int_eq(trx_fit_objective(s.context, &s.fit, &settings, values, NULL, NULL), expected);
    ck_assert_msg(strstr(trx_context_message(s.context), said) != NULL, "%s", trx_context_message(s.context));
}

START_TEST(forces_that_a_model_does_not_have_are_refused)
{
    open_arm(TRX_SYMPLECTIC, true);
    add_parameter(&s, "shoulder.damping", NAN);
    s.fit.sim.scheme = TRX_MIDPOINT;
    refused(TRX_ERR_UNSUPPORTED, "not in this version: motor, a recorded force, in another scheme than symplectic");
    scene_close(&s);

    scene_open(&s, SLIDE);
    add_group(&s, "force", 1);
    add_force("force(box, box).x", 0, 0, 0);
    record_slide(&s, 1e-3, 1);
    refused(TRX_ERR_ARGUMENT, "force(box, box).x: the model has no such channel");
    s.channels[0].other = 1;
    add_parameter(&s, "ground.pose.z", NAN);
    refused(TRX_ERR_UNSUPPORTED, "not in this version: ground.pose.z with recorded contact forces");
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/step_channel");
    TCase *tests = tcase_create("all");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, gradient_with_contact_forces_agrees_with_central_differences);
    tcase_add_test(tests, gradient_with_an_arm_agrees_with_central_differences);
    tcase_add_test(tests, readings_at_rest_and_in_free_fall_are_those_of_statics);
    tcase_add_test(tests, contact_forces_weigh_a_sliding_box);
    tcase_add_test(tests, forces_that_a_model_does_not_have_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
