// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The steps after a plan: its refinement (refine.c), and a robust plan (solve.robust), whose controls serve several worlds at once.

#include "cli.h"

static bool on_iteration(const trx_robust_info *info, void *user)
{
    const cli_options *options = user;
    if (!options->quiet && !options->json)
        printf("%5d %12.6g %12.6g %12.6g\n", info->iterations, info->nominal[1], info->mean[1], info->worst[1]);
    return !cli_interrupted();
}

static void print_head(const cli_options *options, int worlds)
{
    if (options->quiet || options->json) return;
    printf("%srobust plan%s  %d worlds\n%5s %12s %12s %12s\n", cli_style_text(CLI_BOLD), cli_style_text(CLI_PLAIN), worlds, "iter",
           "nominal cost", "mean cost", "worst cost");
}

// records the robust plan, unless it misses a goal in the nominal world that the plan meets
static trx_status keep(const cli_options *options, const trx_plan *before, const trx_plan *robust, const trx_robust_info *info,
                       trx_run *run)
{
    const trx_plan_info after = trx_plan_get_info(robust), first = trx_plan_get_info(before);
    if (cli_meets_goals(&after) || !cli_meets_goals(&first)) return trx_run_set_robust(run, robust, info);
    if (!options->quiet && !options->json) puts("the robust plan misses a goal that the plan meets: the plan stays");
    return TRX_OK;
}

// makes the plan, or its refinement, robust
static trx_status harden(const cli_options *options, cli_session *session, const trx_robust_problem *problem, trx_run *run)
{
    trx_robust_settings settings;
    trx_robust_info info;
    trx_plan *robust = NULL;
    if (!trx_problem_robust(session->problem, &settings) || cli_interrupted()) return TRX_OK;
    const trx_plan *before = problem->refined ? problem->refined : problem->plan;
    if (trx_plan_get_info(before).physical.status < 0) return TRX_OK;
    settings.threads = options->threads;
    print_head(options, settings.worlds);
    trx_status status =
        trx_plan_create_robust(session->context, problem, &settings, on_iteration, (void *)options, &info, &robust);
    if (status >= 0) status = keep(options, before, robust, &info, run);
    trx_plan_destroy(robust);
    return status;
}

trx_status cli_polish(const cli_options *options, cli_session *session, const trx_plan_problem *problem,
                      const trx_plan_settings *settings, const trx_plan *plan, cli_keeper *keeper, trx_run *run)
{
    trx_plan *refined = NULL;
    trx_status status = cli_refine(options, session, problem, settings, plan, keeper, run, &refined);
    const trx_robust_problem robust = {.task = problem, .settings = settings, .plan = plan, .refined = refined};
    if (status >= 0) status = harden(options, session, &robust, run);
    trx_plan_destroy(refined);
    return status;
}
