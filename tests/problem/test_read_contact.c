// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact models in the problem file reach the simulator's settings; keys that a model does not take are errors.

#include "loading.h"

#include <stdio.h>
#include <string.h>

static trx_status load_contact(fixture *f, const char *contact)
{
    char set[160];
    snprintf(set, sizeof set, "contact=%s", contact);
    const char *const sets[] = {set};
    return load_text(f, PUSH, sets, 1);
}

START_TEST(models_reach_the_simulator)
{
    static const char *const names[] = {"convex", "lcp", "ccp", "ncp", "dojo", "raisim"};
    fixture f = fixture_open();
    for (int i = 0; i < 6; i++) {
        char text[64];
        snprintf(text, sizeof text, "{model: %s}", names[i]);
        ck_assert_int_eq(load_contact(&f, text), TRX_OK);
        const trx_sim_settings s = trx_problem_sim_settings(f.problem);
        ck_assert((int)s.contact_model == i && s.contact_solver == TRX_SOLVER_USUAL && s.max_sweeps == 2000);
        ck_assert_str_eq(trx_contact_model_name(s.contact_model), names[i]);
    }
    ck_assert_int_eq(load_contact(&f, "{model: ccp, solver: pgs, sweeps: 50, compliance: 1.0e-5}"), TRX_OK);
    const trx_sim_settings s = trx_problem_sim_settings(f.problem);
    ck_assert(s.contact_solver == TRX_SOLVER_PGS && s.max_sweeps == 50 && s.compliance == 1e-5);
    ck_assert_int_eq(load_contact(&f, "{model: ncp, solver: admm, relaxation: 1.5}"), TRX_OK);
    const trx_sim_settings admm = trx_problem_sim_settings(f.problem);
    ck_assert(admm.contact_solver == TRX_SOLVER_ADMM && admm.relaxation == 1.5 && s.relaxation == 0);
    ck_assert_int_eq(load_contact(&f, "{model: dojo, kappa: 1.0e-3}"), TRX_OK);
    ck_assert(trx_problem_sim_settings(f.problem).kappa == 1e-3);
    ck_assert(trx_problem_sim_settings(f.problem).sides == 4);
    ck_assert_int_eq(load_contact(&f, "{model: lcp, sides: 16}"), TRX_OK);
    ck_assert(trx_problem_sim_settings(f.problem).sides == 16);
    fixture_close(&f);
}
END_TEST

START_TEST(keys_that_a_model_does_not_take_are_errors)
{
    static const char *const wrong[][2] = {{"{solver: pgs}", "does not serve model: convex"},
                                           {"{model: ncp, solver: newton}", "does not serve model: ncp"},
                                           {"{model: ncp, solver: newton, sweeps: 10}", "model: ncp: write pgs, admm, staggered"},
                                           {"{model: raisim, solver: newton}", "does not serve model: raisim"},
                                           {"{model: ccp, sweeps: 10}", "sweeps serves solver: pgs, admm and staggered"},
                                           {"{compliance: 1.0e-6}", "compliance serves the models"},
                                           {"{model: lcp, solver: newton}", "model: lcp: write pgs, admm, staggered, pivoting"},
                                           {"{model: lcp, solver: pivoting, sweeps: 5}", "sweeps serves solver"},
                                           {"{model: raisim, solver: pivoting}", "model: raisim: write pgs, admm, staggered"},
                                           {"{model: ncp, relaxation: 1.5}", "at most 1 for pgs and staggered"},
                                           {"{model: ncp, solver: admm, relaxation: 2}", "below 2 for admm"},
                                           {"{model: ccp, relaxation: 0.8}", "relaxation serves solver: pgs, admm and staggered"},
                                           {"{model: mcp}", "mcp"},
                                           {"{kappa: 1.0e-3}", "kappa serves model: dojo"},
                                           {"{model: ncp, sides: 8}", "sides serves model: lcp"},
                                           {"{model: lcp, sides: 7}", "write an even number from 4 to 64"},
                                           {"{model: lcp, sides: 66}", "write an even number from 4 to 64"},
                                           {"{model: dojo, solver: pgs}", "does not serve model: dojo"},
                                           {"{model: dojo, sweeps: 10}", "sweeps serves solver: pgs, admm and staggered"},
                                           {"{model: dojo, compliance: 1.0e-6}", "compliance serves the models"}};
    fixture f = fixture_open();
    for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++) {
        ck_assert_int_eq(load_contact(&f, wrong[i][0]), TRX_ERR_INPUT);
        ck_assert_msg(strstr(trx_context_message(f.context), wrong[i][1]) != NULL, "%s", trx_context_message(f.context));
        ck_assert_int_eq(trx_context_diagnostic_count(f.context), 1);
    }
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_contact");
    TCase *cases = tcase_create("read_contact");
    tcase_add_test(cases, models_reach_the_simulator);
    tcase_add_test(cases, keys_that_a_model_does_not_take_are_errors);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
