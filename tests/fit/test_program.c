// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A solve of a fit as a nonlinear program: gradient and Hessian in the coordinates of start states about a reference.

#include "fit/create.h"
#include "fit/minimize.h"
#include "fit/program.h"
#include "fit/scene.h"
#include "fit/state.h"

enum { WINDOWS = 3, MOST = 64 };

static scene s;
static trx_fit *fit;
static trxi_fit_program program;
static double x[WINDOWS][13]; // the start states of the recordings

// slides without noise, on tables of different friction; the reference of every start state is turned and moved away from it
static void open_program(void)
{
    static const double away[12] = {0.01, -0.02, 0.001, 0.2, -0.3, 0.5, 0.1, 0.05, -0.02, 0.3, -0.2, 0.4};
    scene_open(&s, SLIDE);
    s.fit.sim.tolerance = 1e-12;
    add_box_channels(&s, 0.001, 0.01);
    for (int i = 0; i < WINDOWS; i++) {
        memcpy(x[i], s.fit.x0, sizeof x[i]);
        x[i][7] = 0.6 + 0.2 * i, x[i][8] = 0.5 - 0.4 * i, x[i][12] = 1.5 - i;
        record(&s, x[i], 40, 1, 0, 0, 0);
    }
    trx_fit_parameter *friction = add_parameter(&s, "pair(box, ground).friction", NAN);
    friction->per = TRX_FIT_PER_RECORDING;
    trx_fit_parameter *mass = add_parameter(&s, "box.mass", NAN);
    mass->prior_mean = 0.5, mass->prior_sd = 0.1;
    const trx_fit_settings settings = trx_fit_settings_default();
    ck_assert_int_eq(trxi_fit_create(s.context, &s.fit, &settings, &fit), TRX_OK);
    for (int i = 0; i < WINDOWS; i++) trx_model_integrate_state(s.fit.model, x[i], away, fit->fitted.list[i].x);
    ck_assert_int_eq(trxi_fit_program_begin(fit, &program), TRX_OK);
    trxi_fit_program_fill(&program);
    ck_assert_int_eq(program.n, 1 + WINDOWS + 12 * WINDOWS);
    ck_assert_int_le(program.n, MOST);
}

static void close_program(void)
{
    trx_fit_destroy(fit);
    scene_close(&s);
}

// the variables of the true values and start states
static void true_variables(double *variables)
{
    memcpy(variables, program.start, sizeof *variables * (size_t)program.n);
    for (int i = 0; i < WINDOWS; i++)
        trx_model_difference_state(s.fit.model, x[i], fit->fitted.list[i].x, variables + 1 + WINDOWS + 12 * i);
}

static double evaluate(const double *variables, double *gradient)
{
    trxi_fit_program_try(&program, variables, fit);
    const double objective = trxi_fit_evaluate_trial(fit, TRXI_BY_ALL);
    trxi_fit_program_gradient(&program, variables, gradient);
    return objective;
}

START_TEST(the_gradient_agrees_with_differences)
{
    double at[MOST], gradient[MOST], other[MOST], largest = 0;
    open_program();
    true_variables(at);
    // heights stay: a box that is put into the table jumps
    for (int i = 0; i < program.n; i++) at[i] += (i - 1 - WINDOWS) % 12 == 2 ? 0 : 1e-3 * sin(i + 1.0);
    evaluate(at, gradient);
    for (int i = 0; i < program.n; i++) largest = fmax(largest, fabs(gradient[i]));
    ck_assert(largest > 1);
    for (int i = 0; i < program.n; i++) {
        static const double h = 1e-7;
        const double kept = at[i];
        at[i] = kept + h;
        const double plus = evaluate(at, other);
        at[i] = kept - h;
        const double difference = (plus - evaluate(at, other)) / (2 * h);
        at[i] = kept;
        ck_assert_msg(fabs(gradient[i] - difference) < 1e-6 * largest, "variable %d: %.10g, %.10g", i, gradient[i], difference);
    }
    close_program();
}
END_TEST

// At the truth all residuals are 0, and the Gauss-Newton Hessian is the whole Hessian
START_TEST(the_hessian_agrees_with_differences_at_the_truth)
{
    static double H[MOST][MOST];
    double at[MOST], plus[MOST], minus[MOST], values[WINDOWS * 200], largest = 0;
    memset(H, 0, sizeof H);
    open_program();
    true_variables(at);
    evaluate(at, plus);
    for (int i = 0; i < program.n; i++) ck_assert(fabs(plus[i]) < 1e-3);
    ck_assert_int_le(program.nhessian, WINDOWS * 200);
    trxi_fit_program_hessian(&program, at, 2, values);
    for (int e = 0; e < program.nhessian; e++) {
        const int row = (int)(program.hessian[e] >> 32), column = (int)(program.hessian[e] & 0xffffffff);
        ck_assert_int_ge(row, column);
        ck_assert(H[row][column] == 0);
        H[row][column] = H[column][row] = values[e] / 2;
        largest = fmax(largest, fabs(values[e] / 2));
    }
    for (int i = 0; i < program.n; i++) {
        static const double h = 1e-6;
        const double kept = at[i];
        at[i] = kept + h;
        evaluate(at, plus);
        at[i] = kept - h;
        evaluate(at, minus);
        at[i] = kept;
        for (int j = 0; j < program.n; j++) {
            const double difference = (plus[j] - minus[j]) / (2 * h);
            ck_assert_msg(fabs(H[i][j] - difference) < 1e-5 * largest, "%d, %d: %.10g, %.10g", i, j, H[i][j], difference);
        }
    }
    close_program();
}
END_TEST

// windows without samples, as in the first rounds of many recordings, have no variables
START_TEST(windows_without_samples_are_left_out)
{
    double at[MOST], gradient[MOST];
    open_program();
    fit->fitted.list[1].rows = 0;
    trxi_fit_program_fill(&program);
    ck_assert_int_eq(program.n, 1 + WINDOWS + 12 * (WINDOWS - 1));
    ck_assert_int_eq(program.count, WINDOWS - 1);
    memcpy(at, program.start, sizeof *at * (size_t)program.n);
    ck_assert(isfinite(evaluate(at, gradient)));
    // the friction of the recording that is left out
    ck_assert(gradient[2] == 0 && gradient[1] != 0 && gradient[3] != 0);
    close_program();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/program");
    TCase *cases = tcase_create("program");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, the_gradient_agrees_with_differences);
    tcase_add_test(cases, the_hessian_agrees_with_differences_at_the_truth);
    tcase_add_test(cases, windows_without_samples_are_left_out);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
