// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Values by the equation error: near the truth from afar, and only where recordings allow them.

#include "fit/equation_error.h"
#include "fit/create.h"
#include "fit/scene.h"

static scene s;

// two swings of the arm under torques
static void open_arm(uint64_t seed)
{
    static const double x[4] = {0.4, -0.3, 0.5, 0.2};
    scene_open(&s, ARM);
    add_group(&s, "position", 1e-3);
    for (int i = 0; i < 2; i++) add_channel(&s, TRX_FIT_COORDINATE, i, 0, trx_model_q_name(s.fit.model, i));
    add_group(&s, "velocity", 1e-2);
    for (int i = 0; i < 2; i++) add_channel(&s, TRX_FIT_VELOCITY, i, 0, trx_model_v_name(s.fit.model, i));
    record(&s, x, 200, 1, 3, 1e-4, seed);
    record(&s, x, 200, 1, 2, 1e-4, seed + 1);
    add_body(&s, "lower");
    add_parameter(&s, "elbow.damping", 0.5);
}

static trx_fit *created(void)
{
    const trx_fit_settings settings = trx_fit_settings_default();
    trx_fit *fit;
    ck_assert_int_eq(trxi_fit_create(s.context, &s.fit, &settings, &fit), TRX_OK);
    return fit;
}

START_TEST(a_body_three_times_too_heavy_and_too_much_damping_are_found)
{
    open_arm(3);
    const trx_body_inertia truth = trx_model_body_inertia(s.fit.model, 1);
    scene wrong = s;
    const trx_parameter mass = s.parameters[0].of;
    const double heavy = 3 * truth.mass;
    trx_model *model;
    ck_assert_int_eq(trx_model_change(s.context, s.fit.model, &mass, &heavy, 1, &model), TRX_OK);
    s.fit.model = model;
    trx_fit *fit = created();
    ck_assert(trxi_equation_error_serves(fit));
    assert_close(fit->values[0], heavy, 1e-12);
    bool moved;
    ck_assert_int_ge(trxi_equation_error(fit, &moved), TRX_OK);
    ck_assert(moved);

    // gravity and damping of the elbow show: the first moment along the link, and the damping
    assert_close(fit->values[0] * fit->values[3], truth.mass * truth.com[2], 0.03 * truth.mass * fabs(truth.com[2]));
    assert_close(fit->values[10], 0.1, 0.01);
    trx_fit_destroy(fit);
    s.fit.model = wrong.fit.model;
    trx_model_destroy(model);
    scene_close(&s);
}
END_TEST

START_TEST(it_needs_a_body_all_states_and_no_contacts)
{
    open_arm(4);
    trx_fit *fit = created();
    ck_assert(trxi_equation_error_serves(fit));
    trx_fit_destroy(fit);

    s.channels[1].kind = TRX_FIT_VELOCITY; // the elbow's angle is not recorded
    fit = created();
    ck_assert(!trxi_equation_error_serves(fit));
    trx_fit_destroy(fit);
    s.channels[1].kind = TRX_FIT_COORDINATE;
    s.channels[3].kind = TRX_FIT_COORDINATE; // now one velocity is not recorded
    fit = created();
    ck_assert(!trxi_equation_error_serves(fit));
    trx_fit_destroy(fit);
    s.channels[3].kind = TRX_FIT_VELOCITY;

    s.fit.nparameter = 0;
    add_parameter(&s, "elbow.damping", 0.5);
    fit = created();
    ck_assert(!trxi_equation_error_serves(fit));
    trx_fit_destroy(fit);
    scene_close(&s);

    scene_open(&s, SLIDE);
    add_box_channels(&s, 1e-3, 1e-2);
    const double x[13] = {0, 0, 0.0499, 1, 0, 0, 0, 0.5};
    record(&s, x, 60, 1, 0, 1e-4, 3);
    add_body(&s, "box");
    fit = created();
    ck_assert(!trxi_equation_error_serves(fit));
    trx_fit_destroy(fit);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/equation_error");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, a_body_three_times_too_heavy_and_too_much_damping_are_found);
    tcase_add_test(tests, it_needs_a_body_all_states_and_no_contacts);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
