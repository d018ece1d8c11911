// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section fit.design as it reaches the design of a motion: columns, limits of coordinates, velocities and controls, settings;
// what is refused.

#include "problem/loading.h"

#include <math.h>
#include <string.h>

#define ARM(controls, fit)                                                                                                        \
    "tractrix: 1\nmodel:\n  bodies:\n"                                                                                            \
    "    - name: arm\n      joints: [{name: turn, type: hinge, axis: [0, 1, 0], damping: 0.2}]\n"                                 \
    "      inertia: {mass: 1, com: [0, 0, -0.3]}\n"                                                                               \
    "    - {name: cart, joints: [{name: roll, type: slide, axis: [1, 0, 0]}], inertia: {mass: 2}}\n"                              \
    "  actuators:\n    - {name: motor, joint: turn" controls "}\n"                                                                \
    "    - {joint: roll, type: pd, kp: 50, kd: 2, effort: 30, limits: [-0.5, 0.5]}\n"                                             \
    "time: {step: 0.01, steps: 40}\nfit:\n" fit
#define NOISE "  noise: {turn.position: 0.001, roll.position: 0.002}\n"
#define PARAMETERS "  parameters: [{of: turn.damping, min: 0.01, max: 2}]\n"
#define LIMITED ", limits: [-4, 6]"

typedef struct design {
    trx_fit_data *data;
    trx_fit_problem fit;
    trx_fit_settings settings;
    trx_fit_motion motion;
    trx_fit_design_settings search;
} design;

static trx_status read(const fixture *f, design *d)
{
    return trx_problem_fit_design(f->problem, &d->data, &d->fit, &d->settings, &d->motion, &d->search);
}

START_TEST(the_section_reaches_the_design)
{
    fixture f = fixture_open();
    load_good(&f, ARM(LIMITED, NOISE PARAMETERS
                      "  design: {record: [turn, roll], every: 4, knots: 6, evaluations: 50, seed: 3, criterion: log_determinant,\n"
                      "           limits: {turn: [-1, 2], roll.v: [-3, 4]}, controls: {motor: [-5, 5]}}\n"));
    design d;
    ck_assert_msg(read(&f, &d) == TRX_OK, "%s", trx_context_message(f.context));
    ck_assert(d.motion.steps == 40 && d.motion.every == 4 && d.motion.u == NULL);
    ck_assert(d.search.criterion == TRX_FIT_LOG_DETERMINANT && d.search.knots == 6);
    ck_assert(d.search.evaluations == 50 && d.search.seed == 3);
    ck_assert(d.motion.low[0] == -1 && d.motion.high[0] == 2);
    ck_assert(d.motion.low[3] == -3 && d.motion.high[3] == 4);
    for (int i = 1; i < 3; i++) ck_assert(d.motion.low[i] == -INFINITY && d.motion.high[i] == INFINITY);

    // of the limits of the actuator and of the section the narrower ones count
    ck_assert(d.motion.lower[0] == -4 && d.motion.upper[0] == 5);
    ck_assert(d.motion.lower[1] == -0.5 && d.motion.upper[1] == 0.5);
    ck_assert_int_eq(d.fit.ngroup, 2);
    ck_assert(d.fit.groups[0].noise == 0.001 && d.fit.groups[1].noise == 0.002);
    ck_assert_int_eq(d.fit.nparameter, 1);
    trx_fit_data_destroy(d.data);

    ck_assert_int_eq(trx_problem_fit_design(NULL, &d.data, &d.fit, &d.settings, &d.motion, &d.search), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_problem_fit_design(f.problem, &d.data, &d.fit, &d.settings, NULL, &d.search), TRX_ERR_ARGUMENT);
    fixture_close(&f);
}
END_TEST

START_TEST(what_a_design_lacks_is_named)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {ARM(LIMITED, NOISE PARAMETERS), "text.yaml:1:1: the file: missing key \"fit.design\": a design needs it"},
        {ARM(LIMITED, NOISE "  parameters: []\n  design: {record: [turn]}\n"), "fit: no parameters: write at least one"},
        {ARM("", NOISE PARAMETERS "  design: {record: [turn]}\n"), "design: u.motor has no limits: give them in controls"},
        {ARM(LIMITED, PARAMETERS "  design: {record: [turn]}\n"), "design: no noise of turn.position: give it in fit.noise"},
        {ARM(LIMITED, NOISE PARAMETERS "  design: {record: [turn], limits: {tur: [0, 1]}}\n"),
         "tur is no coordinate or velocity of the model"},
        {ARM(LIMITED, NOISE PARAMETERS "  design: {record: [turn], controls: {moto: [0, 1]}}\n"),
         "moto is no actuator of the model"},
        {ARM(LIMITED, NOISE PARAMETERS "  design: {record: [tur]}\n"), "tur"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = fixture_open();
        load_good(&f, cases[i].text);
        design d;
        ck_assert_int_lt(read(&f, &d), 0);
        ck_assert_ptr_null(d.data);
        ck_assert_msg(strstr(trx_context_message(f.context), cases[i].message) != NULL, "'%s' lacks '%s'",
                      trx_context_message(f.context), cases[i].message);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(a_section_that_makes_no_sense_is_refused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {ARM(LIMITED, PARAMETERS "  design: {record: [turn], knots: 1}\n"), "knots: write 2 or more"},
        {ARM(LIMITED, PARAMETERS "  design: {record: [turn], limits: {turn: [1, 1]}}\n"),
         "turn: write the lower limit before the upper one"},
        {ARM(LIMITED, PARAMETERS "  design: {record: [turn], limits: {turn: [1]}}\n"), "turn"},
        {ARM(LIMITED, PARAMETERS "  design: {record: [[1]]}\n"), "record"},
        {ARM(LIMITED, PARAMETERS "  design: {record: [turn], criterion: volume}\n"), "trace"},
        {ARM(LIMITED, PARAMETERS "  design: {knots: 3}\n"), "record"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f = fixture_open();
        ck_assert_int_eq(load_text(&f, cases[i].text, NULL, 0), TRX_ERR_INPUT);
        ck_assert_msg(strstr(trx_context_message(f.context), cases[i].message) != NULL, "'%s' lacks '%s'",
                      trx_context_message(f.context), cases[i].message);
        fixture_close(&f);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/fit_design");
    TCase *cases = tcase_create("fit_design");
    tcase_add_test(cases, the_section_reaches_the_design);
    tcase_add_test(cases, what_a_design_lacks_is_named);
    tcase_add_test(cases, a_section_that_makes_no_sense_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
