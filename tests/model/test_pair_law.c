// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact laws that a step can use, and the messages about all other laws.

#include "model/pair_law.h"
#include "support/support.h"

#include <string.h>

static trx_pair_law good_law(void)
{
    return (trx_pair_law){.stiffness = 1e4, .dissipation = 1, .friction = 0.5};
}

static void refuses(const trx_pair_law *law, const char *what)
{
    char text[TRXI_LAW_FLAW] = "";
    ck_assert_msg(!trxi_pair_law_usable(law, text), "not refused: %s", what);
    ck_assert_msg(strstr(text, what) != NULL, "'%s' does not say '%s'", text, what);
}

static void takes(const trx_pair_law *law)
{
    char text[TRXI_LAW_FLAW] = "";
    ck_assert_msg(trxi_pair_law_usable(law, text), "%s", text);
}

START_TEST(every_number_must_be_finite_and_not_negative)
{
    trx_pair_law law = good_law();
    double *const numbers[] = {&law.stiffness, &law.dissipation, &law.relaxation_time, &law.smoothing, &law.friction,
                               &law.barrier, &law.reach, &law.friction_across, &law.dynamic_friction, &law.slip_speed,
                               &law.torsional_friction, &law.rolling_friction};
    static const char *const names[] = {"stiffness", "dissipation", "relaxation_time", "smoothing", "friction", "barrier",
                                        "reach", "friction_across", "dynamic_friction", "slip_speed", "torsional_friction",
                                        "rolling_friction"};
    static const double wrong[] = {-1e-9, NAN, INFINITY};
    takes(&law);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int k = 0; k < 3; k++) {
            double kept = *numbers[i];
            *numbers[i] = wrong[k];
            refuses(&law, names[i]);
            *numbers[i] = kept;
        }
    law.axis[1] = NAN;
    refuses(&law, "axis");
}
END_TEST

START_TEST(words_must_exist)
{
    trx_pair_law law = good_law();
    law.approximation = (trx_approximation)5;
    refuses(&law, "no approximation 5");
    law = good_law(), law.force_law = (trx_force_law)7;
    refuses(&law, "no force law 7");
}
END_TEST

START_TEST(barriers_need_their_numbers)
{
    for (int ipc = 0; ipc < 2; ipc++) {
        trx_pair_law law = good_law();
        law.force_law = ipc ? TRX_IPC : TRX_LOG_BARRIER;
        refuses(&law, ipc ? "ipc needs a barrier" : "log_barrier needs a barrier");
        law.barrier = 1;
        refuses(&law, "reach");
        law.reach = 0.01;
        takes(&law);
        law.barrier = 0;
        refuses(&law, "barrier");
    }
}
END_TEST

START_TEST(frictions_go_with_their_approximations)
{
    trx_pair_law law = good_law();
    for (int a = 0; a <= TRX_SAP; a++) {
        law.approximation = (trx_approximation)a;
        law.force_law = a == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_HUNT_CROSSLEY;
        law.rolling_friction = 0.01, law.torsional_friction = 0;
        if (a <= TRX_LAGGED_REGULARIZED) takes(&law);
        else refuses(&law, "lagged");
        law.rolling_friction = 0, law.torsional_friction = 0.01;
        if (a <= TRX_LAGGED_REGULARIZED) takes(&law);
        else refuses(&law, "lagged");
        law.torsional_friction = 0;
        law.slip_speed = 0.1, law.dynamic_friction = 0.2;
        takes(&law);
        law.axis[0] = 1, law.friction_across = 0.2;
        if (a < TRX_SAP) takes(&law);
        else refuses(&law, "sap has no anisotropic friction");
        law.axis[0] = 0;
    }
    law = good_law(), law.axis[2] = 1;
    refuses(&law, "friction_across above 0");
    law.friction_across = 0.1, law.friction = 0;
    refuses(&law, "above 0");
}
END_TEST

// f = k e^(-phi/s), with one thing wrong in a range of gaps or speeds
typedef struct fault {
    int field;         // of f, f_phi, f_v
    double value;
    double low, high;  // gaps
    double slow, fast; // speeds
} fault;

static trx_force faulty(void *data, double phi, double v)
{
    const fault *wrong = data;
    double f = exp(-fmax(-5, fmin(phi, 5)));
    trx_force out = {f, -f, 0};
    double *const fields[] = {&out.f, &out.f_phi, &out.f_v};
    if (phi >= wrong->low && phi <= wrong->high && v >= wrong->slow && v <= wrong->fast) *fields[wrong->field] = wrong->value;
    return out;
}

START_TEST(a_user_law_is_refused_where_a_sample_is_wrong)
{
    trx_pair_law law = good_law();
    law.force_law = TRX_USER_LAW;
    refuses(&law, "needs a function");
    law.user = faulty;
    static const struct {
        fault wrong;
        const char *what, *where;
    } cases[] = {{{0, -1e-3, -1e-8, 1e-8, -10, 10}, "f < 0", "phi = -1e-08 m, v = -10 m/s"},
                 {{1, 1e-9, 0.2, 2, -10, 10}, "f_phi > 0", "phi = 0.316 m"},
                 {{2, 1e-9, -10, 10, 0, 1e-6}, "f_v > 0", "v = 0 m/s"},
                 {{0, NAN, -10, -0.9, -10, 10}, "not finite", "phi = -1 m"},
                 {{1, -INFINITY, 0, 0, -10, 10}, "not finite", "phi = 0 m"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fault wrong = cases[i].wrong;
        law.user_data = &wrong;
        refuses(&law, cases[i].what);
        refuses(&law, cases[i].where);
    }
    fault none = {0, 0, 1, -1, 0, 0};
    law.user_data = &none;
    takes(&law);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/pair_law");
    TCase *cases = tcase_create("pair_law");
    tcase_add_test(cases, every_number_must_be_finite_and_not_negative);
    tcase_add_test(cases, words_must_exist);
    tcase_add_test(cases, barriers_need_their_numbers);
    tcase_add_test(cases, frictions_go_with_their_approximations);
    tcase_add_test(cases, a_user_law_is_refused_where_a_sample_is_wrong);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
