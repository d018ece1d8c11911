// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The refinement of a plan (solve.refine): solves the last stage again at a fraction of the time step, starting from the plan.

#include "cli.h"

typedef struct watch {
    trx_run *run;
    cli_table table;
    cli_keeper *keeper; // NULL: none
    int stage; // number of the stage in the tables
    trx_status status;
} watch;

static bool on_iteration(const trx_iteration *iteration, void *user)
{
    watch *w = user;
    trx_iteration line = *iteration;
    line.stage = w->stage;
    line.attempt = w->table.attempt;
    cli_table_row(&w->table, &line);
    w->status = trx_run_add_iteration(w->run, &line);
    if (w->keeper) cli_keeper_tick(w->keeper);
    return w->status >= 0 && !cli_interrupted();
}

// subtracts the time and the iterations that the run has used from the limits of the settings; returns false if nothing is left
static bool reduce_limits(const trx_run *run, trx_plan_settings *settings)
{
    const trx_run_info info = trx_run_get_info(run);
    settings->time_limit -= info.solve;
    if (!(settings->time_limit > 0)) return false;
    if (settings->max_iterations == 0) return true;
    settings->max_iterations -= info.iterations;
    return settings->max_iterations > 0;
}

static void print_head(const cli_options *options, int parts)
{
    if (options->quiet || options->json) return;
    printf("%srefinement%s  %d steps for each step of the plan\n", cli_style_text(CLI_BOLD), cli_style_text(CLI_PLAIN), parts);
}

static trx_status solve(const cli_options *options, const trx_plan *plan, int parts, trx_plan *refined, cli_keeper *keeper,
                        trx_run *run, bool *kept)
{
    const trx_plan_info before = trx_plan_get_info(plan);
    const trx_stage *stages;
    trx_plan_stages(refined, &stages);
    watch w = {.run = run, .keeper = keeper, .stage = before.nstage};
    print_head(options, parts);
    w.table = cli_table_start(options, stages, 1, TRX_ILQR);
    w.table.refined = true;
    trx_status status = trx_plan_solve(refined, on_iteration, &w);
    cli_table_finish(&w.table);
    if (w.status < 0) return w.status;
    const trx_plan_info after = trx_plan_get_info(refined);
    *kept = status >= 0 && (cli_meets_goals(&after) || !cli_meets_goals(&before) || status == TRX_INTERRUPTED);
    if (*kept) return trx_run_set_refined(run, refined);
    if (!options->quiet && !options->json) puts("the refinement misses a goal that the plan meets: the plan stays");
    return TRX_OK;
}

trx_status cli_refine(const cli_options *options, cli_session *session, const trx_plan_problem *problem,
                      const trx_plan_settings *settings, const trx_plan *plan, cli_keeper *keeper, trx_run *run,
                      trx_plan **refined)
{
    const int parts = trx_problem_refine(session->problem);
    trx_plan_settings left = *settings;
    bool kept = false;
    *refined = NULL;
    if (parts <= 1 || cli_interrupted() || trx_plan_get_info(plan).physical.status < 0 || !reduce_limits(run, &left)) return TRX_OK;
    trx_plan *finer = NULL;
    left.resumable = keeper != NULL;
    trx_status status = trx_plan_create_refined(session->context, problem, &left, plan, parts, &finer);
    if (status >= 0 && keeper) status = cli_keeper_refined(keeper, finer);
    if (status >= 0) status = solve(options, plan, parts, finer, keeper, run, &kept);
    if (status >= 0 && keeper) cli_keeper_stop(keeper);
    if (status >= 0 && kept) *refined = finer;
    else trx_plan_destroy(finer);
    return status;
}
