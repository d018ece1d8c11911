// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The search (theory 9): plans of one piece, then of two, three and four. A piece and all later pieces share the remaining
// knots evenly. After each piece but the last, the plans with the least cost are continued:
//
//     for pieces = 1 .. 4
//         nodes = {the start}
//         for each piece
//             placements at the ends of all nodes        a round of candidates
//             all goals met after the last piece: done
//             nodes = the candidates with the least cost
//
// Where nothing can be placed, and after these plans, three rounds of sampled controls follow.
//
// With the setting `fine`, a plan that leans on its time step is the result only if no candidate meets the goals on the fine
// replay.
//
// No round begins when the starts or the counted effort are used up. Rounds do not depend on the load of the machine or on the
// number of threads.
//
// The best candidate becomes the result; a plan of all knots on the physical model holds it.

#include "search/progress.h"

#include "trajopt/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STARTS = 1000000 }; // limit of candidates, because all their records are kept
enum { MOST_PIECES = 4, MOST_NODES = 3, FIRST = 8, NEXT = 4, MOST_SAMPLED = 3 };
static const double SIMULATIONS = 3;    // number of simulations that take as long as one iteration
static const double HOLD_SHARE = 0.25;  // share of the effort at which the search ends if its best plan leans on the time step

trx_search_settings trx_search_settings_default(void)
{
    return (trx_search_settings){
        .size = sizeof(trx_search_settings), .starts = 96, .time_limit = INFINITY, .seed = 1, .threads = 1,
        .effort = 4};
}

const char *trx_candidate_outcome_name(trx_candidate_outcome outcome)
{
    static const char *const names[] = {"met", "missed", "partial", "no path", "failed", "leans"};
    return outcome >= TRX_CANDIDATE_MET && outcome <= TRX_CANDIDATE_LEANS ? names[outcome] : "";
}

const char *trx_candidate_kind_name(trx_candidate_kind kind)
{
    static const char *const names[] = {"plain", "placement", "sampled"};
    return kind >= TRX_CANDIDATE_PLAIN && kind <= TRX_CANDIDATE_SAMPLED ? names[kind] : "";
}

// ---- life ----

static trx_status check(trx_context *context, const trx_search_settings *settings)
{
    trx_status status = trxi_check_size(context, settings->size, sizeof *settings, "trx_search_settings_default");
    if (status < 0) return status;
    if (settings->starts < 1 || settings->starts > MOST_STARTS)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "starts must be in 1 .. %d", MOST_STARTS);
    if (!(settings->time_limit > 0)) return trxi_fail(context, TRX_ERR_ARGUMENT, "the time limit must be positive");
    if (!(settings->effort > 0)) return trxi_fail(context, TRX_ERR_ARGUMENT, "the effort must be positive");
    if (settings->threads < 1 || settings->threads > 64)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "threads must be in 1 .. 64");
    return TRX_OK;
}

static trx_status create_crew(trx_search *search)
{
    trxi_crew *crew = &search->crew;
    crew->scouts = TRXI_POOL(search->pool, trxi_scout, search->settings.threads);
    if (!crew->scouts) return TRX_ERR_MEMORY;
    trx_status status = TRX_OK;
    for (; crew->threads < search->settings.threads && status >= 0; crew->threads++)
        status = trxi_scout_create(search->context, search->pool, &search->task, &crew->scouts[crew->threads]);
    if (status < 0) return status;
    return trxi_workers_create(search->context, crew->threads, &crew->workers);
}

trx_status trx_search_create(trx_context *context, const trx_plan_problem *problem, const trx_plan_settings *plan,
                             const trx_search_settings *settings, trx_search **search)
{
    if (!context || !search) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    *search = NULL;
    if (!problem || !plan || !settings) return trxi_fail(context, TRX_ERR_ARGUMENT, "problem or settings are NULL");
    trx_status status = check(context, settings);
    if (status < 0) return status;
    trx_search *made = trxi_allocate(context, sizeof *made);
    if (!made) return TRX_ERR_MEMORY;
    made->context = context;
    made->settings = *settings;
    made->crew.stop = settings->stop;
    made->crew.stop_user = settings->stop_user;
    made->crew.watch = settings->watch;
    made->crew.watch_user = settings->watch_user;
    made->journal = trxi_journal_create(context);
    made->progress = trxi_text_create(context);
    made->pool = trxi_pool_create(context);
    if (made->pool) made->candidates = TRXI_POOL(made->pool, trx_candidate, settings->starts + 1);
    status = made->candidates ? TRX_OK : TRX_ERR_MEMORY;

    // the plan comes first: it checks the problem
    made->task = (trxi_search_task){.problem = *problem, .plan = *plan};
    if (status >= 0) status = trxi_task_create_plan(context, &made->task, settings->threads, &made->plan);
    if (status >= 0) status = trxi_task_init(context, made->pool, problem, plan, settings->seed, &made->task);
    made->task.fine = settings->fine;
    if (status >= 0) status = trxi_prefix_create(made->pool, &made->task, &made->best);
    if (status >= 0) status = create_crew(made);
    if (status < 0) return trx_search_destroy(made), status;
    *search = made;
    return TRX_OK;
}

void trx_search_destroy(trx_search *search)
{
    if (!search) return;
    trxi_workers_destroy(search->crew.workers);
    for (int i = 0; i < search->crew.threads; i++) trxi_scout_destroy(&search->crew.scouts[i]);
    trx_plan_destroy(search->plan);
    trxi_journal_destroy(&search->journal);
    trxi_text_destroy(&search->progress);
    trxi_pool_destroy(search->pool);
    trxi_release(search->context, search);
}

// ---- rounds ----

static void describe(const trxi_search_task *task, const trxi_placement *p, char *text, size_t size)
{
    const trx_model *model = task->model;
    const trxi_touch *touch = &p->touches[0];
    int used = snprintf(text, size, "%s", model->bodies[model->geoms[p->geoms[0]].body].name);
    if (p->count > 1 && used >= 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " and %s", model->bodies[model->geoms[p->geoms[1]].body].name);
    if (used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " on %s at (%.3g %.3g %.3g)", model->bodies[touch->body].name, touch->p[0],
                 touch->p[1], touch->p[2]);
}

// jobs for the placements at the end of a node; returns their number
static int add_jobs(trx_search *search, trxi_pool *pool, const trxi_job *node, const trxi_prefix *from, int piece, int pieces,
                    trxi_job *jobs, int count, int wanted)
{
    const trxi_search_task *task = &search->task;
    const int steps = task->problem.steps, left = steps - from->knots;
    const double *x = from->x + (size_t)task->nstate * (size_t)from->knots;
    trxi_placement found[FIRST] = {{0}};
    const int number = search->info.ncandidate + count, room = search->settings.starts - number;
    if (room < 1) return count;
    const int placed = trxi_placements_find(&search->crew.scouts[0], pool, x, trxi_task_time(task, from->knots),
                                            search->settings.seed + (uint64_t)number, wanted < room ? wanted : room, found);
    for (int i = 0; i < placed; i++) {
        trxi_job *job = &jobs[count];
        *job = (trxi_job){.from = from, .placement = found[i], .last = piece + 1 == pieces};
        if (trxi_prefix_create(pool, task, &job->made) < 0) return TRX_ERR_MEMORY;
        job->candidate = (trx_candidate){.number = search->info.ncandidate + count, .piece = piece,
                                         .parent = node ? node->candidate.number : -1, .score = found[i].miss,
                                         .kind = TRX_CANDIDATE_PLACEMENT};
        job->candidate.last = job->last ? steps : from->knots + left / (pieces - piece);
        describe(task, &found[i], job->candidate.placement, sizeof job->candidate.placement);
        count++;
    }
    return placed < 0 ? placed : count;
}

// rank of a plan, smaller is better: at most 1 if the plan meets every goal, up to 2 if it leans on its time step, more than 2 if
// it misses a goal
static double rank_of(const trx_search *search, const trx_candidate *c)
{
    if (!(c->error <= 1)) return 1 + c->error;
    return search->task.fine && c->fine > 1 ? 2 - 1 / c->fine : c->error;
}

// keeps the result of a job if it is the best so far
static void consider(trx_search *search, const trxi_job *job)
{
    const trx_candidate *c = &job->candidate;
    if (job->made.knots < search->task.problem.steps || !(rank_of(search, c) < search->best_rank)) return;
    search->best_rank = rank_of(search, c);
    search->info.best = c->number;
    search->best.knots = 0;
    trxi_prefix_extend(&search->task, &search->best, job->made.knots, job->made.x, job->made.u);
}

// returns whether the effort is used up; it is counted, not timed, so that the search ends at the same candidate on every machine
static bool is_spent(const trx_search *search)
{
    return search->effort >= (search->best_rank <= 2 ? HOLD_SHARE : 1) * search->settings.effort;
}

static bool is_over(const trx_search *search)
{
    return search->stopped || search->best_rank <= 1 || search->info.ncandidate == search->settings.starts ||
           is_spent(search) || trxi_crew_must_stop(&search->crew);
}

// adds a finished candidate to the table and its work to the effort, and shows it to the caller, who may stop the search
static void add_candidate(trx_search *search, const trx_candidate *candidate)
{
    search->candidates[search->info.ncandidate++] = *candidate;
    if (candidate->kind != TRX_CANDIDATE_PLAIN)
        search->effort += 1e-6 * (candidate->iterations + candidate->simulations / SIMULATIONS) * search->task.problem.steps *
                          search->task.model->nv;
    if (search->callback && !search->callback(candidate, search->user)) search->stopped = true;
}

static trx_candidate_outcome outcome_of_rank(double rank)
{
    return rank <= 1 ? TRX_CANDIDATE_MET : rank <= 2 ? TRX_CANDIDATE_LEANS : TRX_CANDIDATE_MISSED;
}

// records the plan from the guess of the problem as the first candidate, whose rank the others have to beat
static void report_plain(trx_search *search, const trx_plan *plain)
{
    const trx_plan_info info = trx_plan_get_info(plain);
    trx_candidate c = {.parent = -1, .kind = TRX_CANDIDATE_PLAIN, .last = search->task.problem.steps, .score = NAN,
                       .iterations = info.iterations, .seconds = info.seconds, .cost = info.cost};
    trxi_piece_errors(&info, &c);
    search->best_rank = rank_of(search, &c);
    c.outcome = info.status < 0 ? TRX_CANDIDATE_FAILED : outcome_of_rank(search->best_rank);
    add_candidate(search, &c);
}

// runs the jobs of a round, or reads them from the journal, and reports their lines
static trx_status run_round(trx_search *search, trxi_job *jobs, int count)
{
    int lines = trxi_search_recall_round(search, jobs, count);
    if (lines == 0) {
        lines = trxi_round_run(&search->crew, jobs, count);
        trxi_search_keep_round(search, jobs, lines);
    }
    if (lines < 0) return trxi_fail(search->context, (trx_status)lines, "a candidate of the search failed");
    for (int i = 0; i < lines; i++) {
        consider(search, &jobs[i]);
        add_candidate(search, &jobs[i].candidate);
    }
    return TRX_OK;
}

static int by_cost(const void *a, const void *b)
{
    const trx_candidate *s = &(*(const trxi_job *const *)a)->candidate, *t = &(*(const trxi_job *const *)b)->candidate;
    if (s->cost != t->cost) return s->cost < t->cost ? -1 : 1;
    return s->number - t->number;
}

// chooses the jobs that the next round continues
static int choose_nodes(trxi_job *jobs, int count, trxi_job **nodes, trxi_job **scratch)
{
    int usable = 0;
    for (int i = 0; i < count; i++)
        if (jobs[i].candidate.outcome == TRX_CANDIDATE_PARTIAL) scratch[usable++] = &jobs[i];
    qsort(scratch, (size_t)usable, sizeof *scratch, by_cost);
    if (usable > MOST_NODES) usable = MOST_NODES;
    memcpy(nodes, scratch, (size_t)usable * sizeof *nodes);
    return usable;
}

// searches all plans of `pieces` pieces
static trx_status search_pieces(trx_search *search, trxi_pool *pool, int pieces)
{
    enum { MOST_JOBS = FIRST + MOST_NODES * NEXT };
    trxi_job *nodes[MOST_NODES], *scratch[MOST_JOBS];
    trxi_prefix start;
    int nnode = 0;
    trx_status status = trxi_prefix_create(pool, &search->task, &start);
    for (int piece = 0; piece < pieces && status >= 0 && !is_over(search); piece++) {
        trxi_job *jobs = TRXI_POOL(pool, trxi_job, MOST_JOBS);
        int count = jobs ? 0 : TRX_ERR_MEMORY;
        if (piece == 0) count = add_jobs(search, pool, NULL, &start, piece, pieces, jobs, count, FIRST);
        for (int i = 0; i < nnode && count >= 0; i++)
            count = add_jobs(search, pool, nodes[i], &nodes[i]->made, piece, pieces, jobs, count, NEXT);
        if (count <= 0) return (trx_status)count;
        status = run_round(search, jobs, count);
        nnode = choose_nodes(jobs, count, nodes, scratch);
    }
    return status;
}

// one round of sampled controls
static trx_status sample(trx_search *search, trxi_pool *pool)
{
    const trxi_search_task *task = &search->task;
    trxi_job jobs[FIRST];
    trxi_prefix start;
    trx_status status = trxi_prefix_create(pool, task, &start);
    int count = search->settings.starts - search->info.ncandidate;
    if (count > FIRST) count = FIRST;
    for (int i = 0; i < count && status >= 0; i++) {
        jobs[i] = (trxi_job){.from = &start, .last = true};
        jobs[i].candidate = (trx_candidate){.number = search->info.ncandidate + i, .parent = -1, .score = NAN,
                                            .kind = TRX_CANDIDATE_SAMPLED, .last = task->problem.steps};
        status = trxi_prefix_create(pool, task, &jobs[i].made);
    }
    return status < 0 ? status : run_round(search, jobs, count);
}

static trx_status search_all(trx_search *search)
{
    trx_status status = TRX_OK;
    const int most = trxi_task_has_placements(&search->task) ? MOST_PIECES : 0;
    for (int pieces = 1; pieces <= most && status >= 0 && !is_over(search); pieces++) {
        trxi_pool *pool = trxi_pool_create(search->context);
        status = pool ? search_pieces(search, pool, pieces) : TRX_ERR_MEMORY;
        trxi_pool_destroy(pool);
    }
    for (int round = 0; round < MOST_SAMPLED && status >= 0 && !is_over(search); round++) {
        trxi_pool *pool = trxi_pool_create(search->context);
        status = pool ? sample(search, pool) : TRX_ERR_MEMORY;
        trxi_pool_destroy(pool);
    }
    return status;
}

// ---- the result ----

static bool caller_stops(const trxi_crew *crew)
{
    return crew->stop && crew->stop(crew->stop_user);
}

static bool goes_on(const trx_iteration *iteration, void *user)
{
    (void)iteration;
    return !caller_stops(user);
}

static double rank_of_plan(const trx_search *search)
{
    const trx_plan_info info = trx_plan_get_info(search->plan);
    trx_candidate result;
    trxi_piece_errors(&info, &result);
    return rank_of(search, &result);
}

// optimizes the best candidate on the physical model, and judges the result. If the optimized plan leans on the time step or misses
// a goal, and ranks behind the candidate, the candidate itself is the result
static trx_status finish(trx_search *search)
{
    trx_status status = trx_plan_set_guess(search->plan, search->best.u, search->best.x);
    if (status >= 0) status = trx_plan_solve(search->plan, goes_on, &search->crew);
    if (status < 0) return status;
    const double rank = rank_of_plan(search);
    if (rank > 1 && rank > search->best_rank) {
        memcpy(search->plan->u, search->best.u, search->plan->work.ocp.controls * sizeof(double));
        trxi_plan_judge(search->plan, status);
    }
    search->best_rank = rank_of_plan(search);
    return status;
}

static void explain(trx_search *search)
{
    const trx_search_info *info = &search->info;
    search->message[0] = '\0';
    if (info->status == TRX_OK && search->best_rank > 1)
        snprintf(search->message, sizeof search->message,
                 "the best of %d candidates misses a goal by %.3g times its tolerance at a tenth of the step", info->ncandidate,
                 1 / (2 - search->best_rank));
    if (info->status == TRX_OK) return;
    const bool any = info->ncandidate > 0 && info->candidates[info->ncandidate - 1].kind != TRX_CANDIDATE_PLAIN;
    if (!any)
        snprintf(search->message, sizeof search->message, "the search found no placement from which contact can help");
    else if (info->best < 0)
        snprintf(search->message, sizeof search->message,
                 "none of %d candidates came closer to the goals than the plan from the guess", info->ncandidate);
    else
        snprintf(search->message, sizeof search->message, "the best of %d candidates misses a goal by %.3g times its tolerance%s",
                 info->ncandidate, search->best_rank - 1, is_spent(search) ? "; the effort of the search is spent" : "");
}

static void begin(trx_search *search, trx_search_callback callback, void *user)
{
    search->info = (trx_search_info){.status = TRX_STALLED, .best = -1, .message = search->message};
    search->best_rank = INFINITY;
    search->effort = 0;
    search->stopped = false;
    search->callback = callback;
    search->user = user;
    search->begun = trxi_search_begin_journal(search);
    search->crew.deadline = search->begun + search->settings.time_limit;
}

// status of a search that ended without an error
static trx_status outcome(const trx_search *search, trx_status status)
{
    if (search->stopped || caller_stops(&search->crew)) return TRX_INTERRUPTED;
    if (search->best_rank <= 2) return TRX_OK;
    return trx_clock() > search->crew.deadline ? TRX_TIME_LIMIT : status == TRX_INTERRUPTED ? status : TRX_STALLED;
}

trx_status trx_search_solve(trx_search *search, const trx_plan *plain, trx_search_callback callback, void *user)
{
    if (!search) return TRX_ERR_ARGUMENT;
    trxi_begin(search->context);
    begin(search, callback, user);
    if (plain) report_plain(search, plain);

    // a search is in vain if the base of the robot floats undriven: no guess moves it
    const bool in_vain = plain && plain->reach.floats;
    trx_status status = in_vain || is_over(search) ? TRX_OK : search_all(search);
    if (status >= 0 && search->info.best >= 0) status = finish(search);
    search->info.status = status < 0 ? status : outcome(search, status);
    search->info.candidates = search->candidates;
    search->info.seconds = trx_clock() - search->begun;
    explain(search);
    return search->info.status;
}

trx_search_info trx_search_get_info(const trx_search *search)
{
    return search->info;
}

trx_plan *trx_search_plan(const trx_search *search)
{
    return search->info.best >= 0 ? search->plan : NULL;
}
