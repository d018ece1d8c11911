// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Any text as a problem file: YAML and the whole schema. A problem that loads has a finite start, and its parts (plan,
// design, loop, trial) are given or refused.

#include "fuzz.h"

#include <math.h>
#include <tractrix/problem.h>

static bool is_answer(trx_status status)
{
    return status == TRX_OK || status == TRX_ERR_INPUT || status == TRX_ERR_UNSUPPORTED || status == TRX_ERR_ARGUMENT;
}

// the planned motion of a design has finite or open limits, and names what it records
static void check_design(trx_problem *problem)
{
    trx_fit_data *data = NULL;
    trx_fit_problem fit;
    trx_fit_settings settings;
    trx_fit_motion motion;
    trx_fit_design_settings design;
    const trx_status status = trx_problem_fit_design(problem, &data, &fit, &settings, &motion, &design);
    FUZZ_CHECK(is_answer(status) && (status == TRX_OK) == (data != NULL));
    if (status == TRX_OK) {
        FUZZ_CHECK(fit.nchannel > 0 && fit.nparameter > 0 && motion.steps >= 1 && motion.every >= 1);
        for (int i = 0; i < trx_model_get_size(fit.model).nu; i++) FUZZ_CHECK(motion.lower[i] < motion.upper[i]);
    }
    trx_fit_data_destroy(data);
}

static void check_loop(const trx_problem *problem)
{
    const trx_mpc_problem loop = trx_problem_mpc(problem);
    const trx_trial_settings trial = trx_problem_trial(problem);
    FUZZ_CHECK(loop.duration > 0 && loop.period > 0 && loop.settings.delay >= 0 && loop.settings.latency >= 0);
    FUZZ_CHECK(trial.worlds >= 1 && trial.step_share > 0 && trial.delay >= 0);
}

static void check_problem(trx_problem *problem)
{
    const trx_model_size model = trx_model_get_size(trx_problem_model(problem));
    const double *start = trx_problem_start(problem);
    for (int i = 0; i < model.nstate; i++) FUZZ_CHECK(isfinite(start[i]));
    FUZZ_CHECK(trx_problem_steps(problem) >= 1 && trx_problem_sim_settings(problem).time_step > 0);
    trx_plan_problem plan;
    trx_plan_settings settings;
    FUZZ_CHECK(is_answer(trx_problem_plan(problem, &plan, &settings)));
    check_design(problem);
    check_loop(problem);
    FUZZ_CHECK(trx_problem_text(problem));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_names_device(data, size)) return 0;
    trx_context *context = fuzz_context();
    trx_problem *problem;
    trx_status status = trx_problem_load_text(context, "/nowhere/problem.yaml", (const char *)data, size, NULL, &problem);
    FUZZ_CHECK(is_answer(status) || status == TRX_ERR_IO);
    FUZZ_CHECK((status == TRX_OK) == (problem != NULL));
    FUZZ_CHECK(status != TRX_ERR_INPUT || trx_context_error_count(context) > 0);
    if (problem) check_problem(problem);
    trx_problem_destroy(problem);
    return 0;
}
