// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The time step of `sim --policy`. The policy of a refined plan has finer steps than the problem file. The simulation then takes
// the policy's steps, as if the options --set time.step and --set time.steps were given.

#include "cli.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PARTS = 1000 };

// number of policy steps in one step of the problem; 1 also if the policy is coarser or the ratio is no whole number
static int parts_of(const cli_session *session, const char *folder)
{
    trx_run *run = NULL;
    trx_policy *policy = NULL;
    double parts = 1;
    if (trx_run_create(session->context, session->problem, &run) >= 0 && trx_run_read_policy(run, folder, &policy) >= 0)
        parts = trx_problem_sim_settings(session->problem).time_step / trx_policy_get(policy).time_step;
    trx_policy_destroy(policy);
    trx_run_destroy(run);
    return parts > 1.5 && parts < MOST_PARTS && fabs(parts - round(parts)) < 1e-6 ? (int)round(parts) : 1;
}

// returns whether the problem has `steps` steps under these options
static bool has_steps(const cli_options *options, int steps)
{
    cli_session session;
    const trx_problem_options load = cli_load_options(options);
    session = (cli_session){0};
    bool same = trx_context_create(NULL, &session.context) >= 0 &&
                trx_problem_load(session.context, options->target, &load, &session.problem) >= 0 &&
                trx_problem_steps(session.problem) == steps;
    cli_session_close(&session);
    return same;
}

int cli_policy_step(const cli_options *options, cli_policy_time *time)
{
    cli_session session;
    time->options = *options;
    time->set = NULL;
    int code = cli_session_open(options, options->target, &session);
    const int parts = code == CLI_OK ? parts_of(&session, options->policy) : 1;
    if (parts > 1) {
        const int steps = parts * trx_problem_steps(session.problem), n = options->set.count;
        snprintf(time->step, sizeof time->step, "time.step=%.17g", trx_problem_sim_settings(session.problem).time_step / parts);
        snprintf(time->steps, sizeof time->steps, "time.steps=%d", steps);
        time->set = calloc((size_t)n + 2, sizeof *time->set);
        for (int i = 0; time->set && i < n; i++) time->set[i] = options->set.words[i];
        if (time->set) {
            time->set[n] = time->step, time->set[n + 1] = time->steps;
            time->options.set.words = time->set;
            time->options.set.count = n + 1;
            if (!has_steps(&time->options, steps)) time->options.set.count = n + 2; // the file gives no duration
        } else {
            cli_error("out of memory");
            code = CLI_IO;
        }
    }
    cli_session_close(&session);
    if (code == CLI_OK && parts > 1 && !options->quiet && !options->json)
        printf("%d steps for each step of the file, as in the policy\n", parts);
    return code;
}
