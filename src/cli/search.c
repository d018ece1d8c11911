// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The search after a plan that misses a goal, and its table of candidates: one row per candidate, in the order of the search. The
// rows of a round are printed when the round is over. During a round a progress line counts the finished candidates.

#include "cli.h"

#include <math.h>

static void print_head(const cli_options *options, const trx_plan *plan)
{
    if (options->quiet || options->json) return;
    const trx_plan_info info = trx_plan_get_info(plan);
    printf("%ssearch%s  the plan %s\n", cli_style_text(CLI_BOLD), cli_style_text(CLI_PLAIN),
           cli_meets_goals(&info) ? "leans on its time step" : "misses a goal");
    printf("%s%5s %6s %9s %9s %7s %10s %10s %12s %9s  %-9s %s%s\n", cli_style_text(CLI_DIM), "cand", "after", "knots",
           "approach", "miss", "error/tol", "fine/tol", "cost", "time", "outcome", "placement", cli_style_text(CLI_PLAIN));
    fflush(stdout);
}

static cli_style style_of(trx_candidate_outcome outcome)
{
    return outcome == TRX_CANDIDATE_MET ? CLI_GREEN : outcome >= TRX_CANDIDATE_NO_PATH ? CLI_YELLOW : CLI_PLAIN;
}

// arguments of the callback
typedef struct watch {
    const cli_options *options;
    cli_keeper *keeper; // NULL: none
    cli_progress progress; // progress line of the round
} watch;

static void print_candidate(const trx_candidate *c)
{
    char cells[4][CLI_NUMBER], seconds[CLI_NUMBER], knots[CLI_NUMBER], after[CLI_NUMBER] = "start";
    if (c->parent >= 0) snprintf(after, sizeof after, "%d", c->parent);
    snprintf(knots, sizeof knots, "%d..%d", c->first, c->last);
    printf("%5d %6s %9s %9d %7s %10s %10s %12s %9s  %s%-9s%s %s\n", c->number, after, knots, c->approach,
           cli_number(cells[0], 2, c->score), cli_number(cells[1], 3, c->error), cli_number(cells[2], 3, c->fine),
           cli_number(cells[3], 5, c->cost),
           cli_seconds(seconds, c->seconds), cli_style_text(style_of(c->outcome)), trx_candidate_outcome_name(c->outcome),
           cli_style_text(CLI_PLAIN), c->kind == TRX_CANDIDATE_PLACEMENT ? c->placement : trx_candidate_kind_name(c->kind));
    fflush(stdout);
}

static bool on_candidate(const trx_candidate *c, void *user)
{
    watch *w = user;
    cli_progress_clear(&w->progress);
    w->progress = cli_progress_start(w->options, true);
    if (!w->options->quiet && !w->options->json) print_candidate(c);
    if (w->keeper) cli_keeper_tick(w->keeper);
    return !cli_interrupted();
}

static void on_progress(int done, int count, void *user)
{
    watch *w = user;
    char what[48];
    if (!cli_progress_due(&w->progress)) return;
    snprintf(what, sizeof what, "%d of %d candidates of the round", done, count);
    cli_progress_show(&w->progress, NAN, what); // the first candidate that meets every goal ends the round
}

static bool must_stop(void *user)
{
    (void)user;
    return cli_interrupted();
}

trx_status cli_search(const cli_options *options, cli_session *session, const trx_plan_problem *problem,
                      const trx_plan_settings *settings, const trx_plan *plan, cli_keeper *keeper, trx_run *run)
{
    trx_search_settings search_settings = trx_search_settings_default();
    if (!trx_problem_search(session->problem, &search_settings)) return TRX_OK;
    search_settings.threads = options->threads;
    search_settings.resumable = keeper != NULL;
    search_settings.stop = must_stop;
    watch w = {options, keeper, cli_progress_start(options, true)};
    search_settings.watch = on_progress;
    search_settings.watch_user = &w;
    trx_search *search = NULL;
    trx_status status = trx_search_create(session->context, problem, settings, &search_settings, &search);
    if (status < 0) return status;
    print_head(options, plan);
    if (keeper) status = cli_keeper_search(keeper, search);
    if (status >= 0) status = trx_search_solve(search, plan, on_candidate, &w);
    cli_progress_clear(&w.progress);
    if (status >= 0) status = trx_run_set_search(run, search);
    const trx_plan *best = trx_search_plan(search);
    if (status >= 0) status = cli_polish(options, session, problem, settings, best ? best : plan, keeper, run);
    if (status >= 0 && keeper) cli_keeper_stop(keeper);
    trx_search_destroy(search);
    return status;
}
