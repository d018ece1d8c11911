// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The progress of a plan, in a file beside its run folder. The file is written about once a second and when the plan ends early.
// --resume reads the file. The file is removed when the plan has ended by itself and its run folder is written. Writing takes at
// most a twentieth of the time. When the file cannot be written, a note says so and the plan goes on.

#include "cli.h"

static const double EVERY = 1;      // shortest time between writings [s]
static const double WRITING = 0.05; // largest share of the time spent on writing [1]

// sets the time of the next writing after a writing that took `seconds`
static void schedule(cli_keeper *keeper, double seconds)
{
    const double wait = seconds / WRITING;
    keeper->due = trx_clock() + (wait > EVERY ? wait : EVERY);
}

trx_status cli_keeper_start(const cli_options *options, cli_session *session, trx_run *run, trx_plan *plan, cli_keeper *keeper)
{
    *keeper = (cli_keeper){.context = session->context, .run = run, .plan = plan, .folder = session->folder};
    schedule(keeper, 0);
    if (!options->resume) return TRX_OK;
    trx_status status = trx_run_read_progress(run, keeper->folder, &keeper->saved);
    if (status >= 0 && keeper->saved.plan) status = trx_plan_restore(plan, keeper->saved.plan, keeper->saved.plan_length);
    if (status >= 0 && !keeper->saved.plan && !options->quiet)
        cli_note("no progress beside %s: the plan starts from the beginning", keeper->folder);
    return status;
}

static void write_progress(cli_keeper *keeper)
{
    const double begun = trx_clock();
    trx_progress progress = {0};
    trx_status status = trx_plan_save(keeper->plan, &progress.plan, &progress.plan_length);
    if (status >= 0 && keeper->search) status = trx_search_save(keeper->search, &progress.search, &progress.search_length);
    if (status >= 0 && keeper->refined) status = trx_plan_save(keeper->refined, &progress.refined, &progress.refined_length);
    if (status >= 0) status = trx_run_write_progress(keeper->run, keeper->folder, &progress);
    schedule(keeper, trx_clock() - begun);
    keeper->failed = status < 0;
    if (keeper->failed) cli_note("the progress is not saved: %s", trx_context_message(keeper->context));
}

void cli_keeper_tick(cli_keeper *keeper)
{
    if (!keeper->failed && (trx_clock() >= keeper->due || cli_interrupted())) write_progress(keeper);
}

trx_status cli_keeper_search(cli_keeper *keeper, trx_search *search)
{
    keeper->search = search;
    if (!keeper->saved.search) return TRX_OK;
    return trx_search_restore(search, keeper->saved.search, keeper->saved.search_length);
}

trx_status cli_keeper_refined(cli_keeper *keeper, trx_plan *refined)
{
    keeper->refined = refined;
    if (!keeper->saved.refined) return TRX_OK;
    return trx_plan_restore(refined, keeper->saved.refined, keeper->saved.refined_length);
}

void cli_keeper_stop(cli_keeper *keeper)
{
    if (!keeper->plan) return;
    const bool searched = keeper->search && trx_search_get_info(keeper->search).status == TRX_TIME_LIMIT;
    keeper->interrupted = cli_interrupted();
    const bool refined = keeper->refined && trx_plan_get_info(keeper->refined).ended_early;
    keeper->early = keeper->interrupted || searched || refined || trx_plan_get_info(keeper->plan).ended_early;
    if (keeper->early && !keeper->failed) write_progress(keeper);
    keeper->plan = NULL;
    keeper->search = NULL;
    keeper->refined = NULL;
}

void cli_keeper_finish(const cli_options *options, cli_keeper *keeper)
{
    if (keeper->early) {
        if (!keeper->failed && !options->quiet && !options->json) printf("go on:      the same command with --resume\n");
    } else if (trx_run_get_info(keeper->run).written && trx_run_remove_progress(keeper->run, keeper->folder) < 0) {
        cli_note("%s", trx_context_message(keeper->context));
    }
}
