// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix plan PROBLEM optimizes the trajectory, stage after stage. It searches for a better plan if the result misses a goal,
// and writes the run folder in every case.

#include "cli.h"

// arguments of the callback
typedef struct watch {
    trx_run *run;
    cli_table table;
    cli_keeper *keeper; // NULL: none
    trx_status status; // status of recording
} watch;

static bool on_iteration(const trx_iteration *iteration, void *user)
{
    watch *w = user;
    cli_table_row(&w->table, iteration);
    w->status = trx_run_add_iteration(w->run, iteration);
    if (w->keeper) cli_keeper_tick(w->keeper);
    return w->status >= 0 && !cli_interrupted();
}

// statuses without a trajectory
static bool has_no_result(trx_status status)
{
    return status == TRX_ERR_ARGUMENT || status == TRX_ERR_MEMORY || status == TRX_ERR_UNSUPPORTED;
}

// runs the solver and records its result
static trx_status solve(trx_plan *plan, watch *w)
{
    trx_status status = trx_plan_solve(plan, on_iteration, w);
    cli_table_finish(&w->table);
    if (w->status < 0) return w->status;
    if (has_no_result(status)) return status;
    return trx_run_set_plan(w->run, plan);
}

bool cli_meets_goals(const trx_plan_info *info)
{
    bool met = info->physical.status >= 0;
    for (int i = 0; i < info->ngoal; i++) met = met && info->physical.goals[i].met;
    for (int i = 0; i < info->nlimit; i++) met = met && info->physical.limits[i].met;
    return met;
}

// returns whether solve.search judges the fine replay and the fine replay misses a goal
static bool misses_fine_goal(const trx_problem *problem, const trx_plan_info *info)
{
    trx_search_settings search = trx_search_settings_default();
    bool met = true;
    for (int i = 0; i < info->ngoal; i++) met = met && info->fine.goals[i].met;
    return trx_problem_search(problem, &search) && search.fine && !met;
}

// returns whether to search: the plan misses a goal or limit, in the fine replay too if solve.search asks for it. Problems without
// goals and interrupted plans need no search
static bool wants_search(const trx_problem *problem, const trx_plan *plan)
{
    const trx_plan_info info = trx_plan_get_info(plan);
    const bool content = cli_meets_goals(&info) && !misses_fine_goal(problem, &info);
    return info.ngoal > 0 && !content && info.status != TRX_INTERRUPTED && !cli_interrupted();
}

trx_status cli_plan_solve(const cli_options *options, cli_session *session, cli_keeper *keeper, trx_run **run)
{
    *run = NULL;
    trx_context *context = session->context;
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_status status = trx_problem_plan(session->problem, &problem, &settings);
    if (status < 0) return status;
    settings.threads = options->threads;

    double begun = trx_clock();
    trx_plan *plan = NULL;
    watch w = {.status = TRX_OK, .keeper = keeper};
    trx_plan_settings resumable = settings;
    resumable.resumable = keeper != NULL;
    status = trx_plan_create(context, &problem, &resumable, &plan);
    if (status >= 0) status = trx_run_create(context, session->problem, &w.run);
    if (status >= 0 && keeper) status = cli_keeper_start(options, session, w.run, plan, keeper);
    if (status >= 0) {
        trx_run_set_setup(w.run, session->seconds + trx_clock() - begun, options->seed);
        const trx_stage *stages;
        int nstage = trx_plan_stages(plan, &stages);
        w.table = cli_table_start(options, stages, nstage, settings.method);
        status = solve(plan, &w);
    }
    if (status >= 0 && wants_search(session->problem, plan))
        status = cli_search(options, session, &problem, &settings, plan, keeper, w.run);
    else if (status >= 0) status = cli_polish(options, session, &problem, &settings, plan, keeper, w.run);
    if (status >= 0 && keeper) cli_keeper_stop(keeper);
    trx_plan_destroy(plan);
    *run = w.run;
    return status;
}

static int plan_problem(const cli_options *options, cli_session *session)
{
    trx_run *run;
    cli_keeper keeper = {0};
    trx_status status = cli_plan_solve(options, session, &keeper, &run);
    int code = status >= 0 ? cli_finish_run(options, session, run) : cli_fail(session->context, status);
    if (status >= 0) cli_keeper_finish(options, &keeper);

    // the plan itself may have ended before the signal came, so its status does not show the interruption
    if (keeper.interrupted && code != CLI_IO) code = CLI_INTERRUPTED;
    trx_run_destroy(run);
    return code;
}

int cli_plan(const cli_options *options)
{
    return cli_session_run(options, plan_problem);
}
