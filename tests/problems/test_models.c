// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Every problem of problems/ takes a few steps with every contact model and its usual solver, from its own start, with controls of
// zero, and with its own time step and tolerance. scripts/contact_models --every runs them to their end.

#include "support/support.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/tractrix.h>

enum { STEPS = 3, MOST = 600 }; // MOST numbers of a state: the heaps of 80 and 160 boxes are left out

// false for a problem that is too large
static bool takes_steps(trx_context *context, const trx_problem *problem, const char *path, trx_contact_model model)
{
    const trx_model *of = trx_problem_model(problem);
    const trx_model_size size = trx_model_get_size(of);
    const size_t nx = (size_t)size.nstate;
    trx_sim_settings settings = trx_problem_sim_settings(problem);
    settings.contact_model = model, settings.contact_solver = TRX_SOLVER_USUAL, settings.relaxation = 0;
    if (nx > MOST) return false;
    trx_sim *sim;
    ck_assert_msg(trx_sim_create(context, of, &settings, &sim) == TRX_OK, "%s: %s", path, trx_context_message(context));
    double *x = malloc(nx * sizeof *x);
    ck_assert_ptr_nonnull(x);
    memcpy(x, trx_problem_start(problem), nx * sizeof *x);
    for (int k = 0; k < STEPS; k++) {
        const trx_status status = trx_step_from(sim, &(trx_step_input){.time = k * settings.time_step, .x = x}, x);
        ck_assert_msg(status >= 0, "%s by %s, step %d: %s", path, trx_contact_model_name(model), k, trx_context_message(context));
        for (size_t i = 0; i < nx; i++) ck_assert(isfinite(x[i]));
    }
    free(x);
    trx_sim_destroy(sim);
    return true;
}

START_TEST(every_problem_steps_with_every_model)
{
    const trx_contact_model model = (trx_contact_model)_i;
    glob_t files;
    int problems = 0;
    ck_assert_int_eq(glob("problems/*.yaml", 0, NULL, &files), 0);
    ck_assert_int_eq(glob("problems/*/*.yaml", GLOB_APPEND, NULL, &files), 0);
    for (size_t k = 0; k < files.gl_pathc; k++) {
        const char *path = files.gl_pathv[k];
        if (strstr(path, ".truth.yaml")) continue;
        trx_context *context;
        trx_problem *problem;
        ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
        ck_assert_msg(trx_problem_load(context, path, NULL, &problem) >= 0, "%s: %s", path, trx_context_message(context));
        problems += takes_steps(context, problem, path, model);
        trx_problem_destroy(problem);
        trx_context_destroy(context);
    }
    globfree(&files);
    ck_assert_int_gt(problems, 60);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problems/models");
    TCase *cases = tcase_create("models");
    tcase_set_timeout(cases, 0);
    tcase_add_loop_test(cases, every_problem_steps_with_every_model, 0, TRX_CONTACT_MODELS);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
