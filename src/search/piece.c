// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A piece of a plan (theory 9): a path to the placement, followed in time, then the problem's own stages over the remaining knots
// of the piece, with the problem's own cost. The pieces of a plan make one trajectory, which is optimized as a whole on the
// physical model. The contacts of all pieces have gradients there, so the optimization keeps them.

#include "search/piece.h"

#include "judge/limits.h"
#include "search/transport.h"
#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

static const double PATH_SHARE = 0.6; // largest share of a piece that the path may take [1]
static const double FINE = 8;         // largest error of sampled controls on the fine replay, in tolerances of the goal [1]
enum { MOST_ITERATIONS = 100, MOST_OF_STAGE = 60 }; // iterations of a piece from a guess; of each stage of a piece

trx_status trxi_prefix_create(trxi_pool *pool, const trxi_search_task *task, trxi_prefix *prefix)
{
    const int steps = task->problem.steps;
    prefix->knots = 0;
    prefix->x = TRXI_POOL(pool, double, task->nstate * (steps + 1));
    prefix->u = TRXI_POOL(pool, double, task->model->nu * steps);
    if (!prefix->x || !prefix->u) return TRX_ERR_MEMORY;
    memcpy(prefix->x, task->problem.x0, (size_t)task->nstate * sizeof(double));
    return TRX_OK;
}

void trxi_prefix_extend(const trxi_search_task *task, trxi_prefix *prefix, int steps, const double *x, const double *u)
{
    const size_t nstate = (size_t)task->nstate, nu = (size_t)task->model->nu, at = (size_t)prefix->knots;
    memcpy(prefix->x + nstate * at, x, nstate * (size_t)(steps + 1) * sizeof *x);
    memcpy(prefix->u + nu * at, u, nu * (size_t)steps * sizeof *u);
    prefix->knots += steps;
}

static double *end_of(const trxi_search_task *task, const trxi_prefix *prefix)
{
    return prefix->x + (size_t)task->nstate * (size_t)prefix->knots;
}

// ---- the contact ----

typedef struct watch {
    trxi_stop stop;
    void *user;
} watch;

static bool goes_on(const trx_iteration *iteration, void *user)
{
    (void)iteration;
    const watch *w = user;
    return !w->stop(w->user);
}

// lists the terms of the problem for `steps` knots from knot `first` on. The last knot gets the targets and weights of the
// problem's last knot
static trx_cost_term *shift_terms(trxi_pool *pool, const trx_plan_problem *problem, int first, int steps)
{
    trx_cost_term *terms = TRXI_POOL(pool, trx_cost_term, problem->nterm + 1);
    for (int i = 0; terms && i < problem->nterm; i++) {
        trx_cost_term *term = &terms[i];
        *term = problem->terms[i];
        const int by = term->time == TRX_END ? problem->steps - steps : first;
        if (term->target) term->target += term->target_stride * by;
        if (term->weight) term->weight += term->weight_stride * by;
    }
    return terms;
}

// lists the limits of the problem that act on these knots; only the last piece of a plan has the limits of the last knot
static trx_limit *shift_limits(trxi_pool *pool, const trx_plan_problem *problem, int first, int steps, int *count)
{
    trx_limit *limits = TRXI_POOL(pool, trx_limit, problem->nlimit + 1);
    *count = 0;
    for (int i = 0; limits && i < problem->nlimit; i++) {
        trx_limit limit = problem->limits[i];
        const int end = trxi_quantity_is(limit.term.quantity, TRXI_PER_STEP) ? first + steps - 1 : first + steps;
        if (limit.first > end || limit.last < first) continue;
        if (limit.term.target) limit.term.target += limit.term.target_stride * first;
        limit.first = limit.first > first ? limit.first - first : 0;
        limit.last = limit.last < first + steps ? limit.last - first : steps;
        limits[(*count)++] = limit;
    }
    return limits;
}

// `most`, or the ratio of an error to its tolerance if this is larger
static double larger(double most, double error, double tolerance)
{
    const double ratio = error / tolerance;
    return isfinite(ratio) ? fmax(most, ratio) : INFINITY;
}

void trxi_piece_errors(const trx_plan_info *info, trx_candidate *candidate)
{
    candidate->error = candidate->fine = 0;
    for (int i = 0; i < info->ngoal; i++) {
        candidate->error = larger(candidate->error, info->physical.goals[i].error, info->physical.goals[i].tolerance);
        candidate->fine = larger(candidate->fine, info->fine.goals[i].error, info->fine.goals[i].tolerance);
    }
    for (int i = 0; i < info->nlimit; i++)
        candidate->error = larger(candidate->error, info->physical.limits[i].violation, info->physical.limits[i].tolerance);
}

// records the result of an optimization
static void note(const trx_plan *plan, trx_status status, trx_candidate *candidate)
{
    const trx_plan_info info = trx_plan_get_info(plan);
    candidate->iterations += info.iterations;
    candidate->cost = info.cost;
    trxi_piece_errors(&info, candidate);
    const bool failed = status < 0 || info.physical.status < 0 || status == TRX_INTERRUPTED;
    candidate->outcome = failed ? TRX_CANDIDATE_FAILED : candidate->error <= 1 ? TRX_CANDIDATE_MET : TRX_CANDIDATE_MISSED;
}

// returns the controls that hold the state, repeated for every knot
static double *hold_all(trxi_scout *scout, trxi_pool *pool, const double *x, int first, int steps)
{
    const size_t nu = (size_t)scout->task->model->nu;
    double *u = TRXI_POOL(pool, double, nu * (size_t)steps);
    if (!u) return NULL;
    if (trxi_hold(scout, x, trxi_task_time(scout->task, first), u) < 0) memset(u, 0, nu * sizeof *u);
    for (int k = 1; k < steps; k++) memcpy(u + nu * (size_t)k, u, nu * sizeof *u);
    return u;
}

// plans the rest of a piece from the end of the prefix: from a guess on the physical model alone; without a guess through the
// problem's stages, from controls that hold the state
static trx_status plan_contact(trxi_scout *scout, trxi_pool *pool, int steps, const trxi_stretch *guess, watch *w,
                               trxi_prefix *prefix, trx_candidate *candidate)
{
    const trxi_search_task *task = scout->task;
    const double *x = end_of(task, prefix);
    const trx_stage physical = trxi_stage_physical();
    trx_plan_problem problem = task->problem;
    if (guess) problem.stages = &physical, problem.nstage = 1;
    problem.steps = steps;
    problem.x0 = x;
    problem.terms = shift_terms(pool, &task->problem, prefix->knots, steps);
    problem.limits = shift_limits(pool, &task->problem, prefix->knots, steps, &problem.nlimit);
    problem.u_guess = guess ? guess->u : hold_all(scout, pool, x, prefix->knots, steps);
    problem.x_guess = guess ? guess->x : NULL;
    if (!problem.terms || !problem.limits || !problem.u_guess) return TRX_ERR_MEMORY;

    trx_plan_settings settings = task->plan;
    const int most = guess ? MOST_ITERATIONS : MOST_OF_STAGE;
    if (settings.iterations > most) settings.iterations = most;
    trx_plan *plan = NULL;
    trx_status status = trx_plan_create(scout->context, &problem, &settings, &plan);
    if (status >= 0) status = trx_plan_set_start(plan, x, trxi_task_time(task, prefix->knots));
    if (status >= 0) {
        status = trx_plan_solve(plan, goes_on, w);
        note(plan, status, candidate);
        if (status >= 0) trxi_prefix_extend(task, prefix, steps, trx_plan_states(plan), trx_plan_controls(plan));
    }
    trx_plan_destroy(plan);
    return status == TRX_ERR_MEMORY ? status : TRX_OK;
}

// plans the contact from the guess of a transport. If the last piece of a plan then misses a goal and has a single contact, the
// problem's stages are tried too, and the plan with the smaller error is kept
static trx_status make_contact(trxi_scout *scout, trxi_pool *pool, const trxi_placement *placement, int last, watch *w,
                               trxi_prefix *prefix, trx_candidate *candidate)
{
    const trxi_search_task *task = scout->task;
    const int first = prefix->knots;
    trxi_stretch guess;
    int carried = trxi_transport(scout, pool, placement, end_of(task, prefix), first, last - first, &guess);
    if (carried < 0) return (trx_status)carried;
    if (carried > 0) {
        trx_status status = plan_contact(scout, pool, last - first, &guess, w, prefix, candidate);
        const bool ends = last == task->problem.steps && candidate->error > 1 && placement->count == 1;
        if (status < 0 || w->stop(w->user) || (prefix->knots == last && !ends)) return status;
    }

    // a second attempt from the same prefix; the better of both plans is kept
    trxi_prefix other;
    trx_candidate tried = *candidate;
    trx_status status = trxi_prefix_create(pool, task, &other);
    if (status < 0) return status;
    trxi_prefix_extend(task, &other, first, prefix->x, prefix->u);
    status = plan_contact(scout, pool, last - first, NULL, w, &other, &tried);
    candidate->iterations = tried.iterations;
    if (status < 0 || other.knots < last || !(tried.error < candidate->error)) return status;
    *candidate = tried;
    prefix->knots = first;
    trxi_prefix_extend(task, prefix, last - first, end_of(task, &(trxi_prefix){first, other.x, other.u}),
           other.u + (size_t)task->model->nu * (size_t)first);
    return TRX_OK;
}

// ---- a piece ----

// plans the motion to the placement; candidate->outcome says when there is no path
static trx_status approach(trxi_scout *scout, trxi_pool *pool, const trxi_placement *placement, int last, trxi_prefix *prefix,
                           trx_candidate *candidate)
{
    const trxi_search_task *task = scout->task;
    const double *x = end_of(task, prefix);
    const uint64_t seed = task->seed + 1000003u * (uint64_t)candidate->number;
    trxi_path path;
    trxi_stretch way;
    int found = trxi_path_find(scout, pool, x, placement->q, trxi_task_time(task, prefix->knots), seed, &path);
    if (found > 0) {
        const int most = (int)(PATH_SHARE * (last - prefix->knots));
        found = trxi_follow(scout, pool, &path, x, prefix->knots, most, &way);
    }
    if (found < 0) return (trx_status)found;
    if (found == 0) candidate->outcome = TRX_CANDIDATE_NO_PATH;
    else trxi_prefix_extend(task, prefix, way.steps, way.x, way.u);
    candidate->approach = found > 0 ? way.steps : 0;
    return TRX_OK;
}

trx_status trxi_piece_plan(trxi_scout *scout, trxi_pool *pool, const trxi_placement *placement, int last, trxi_stop stop,
                           void *user, trxi_prefix *prefix, trx_candidate *candidate)
{
    watch w = {stop, user};
    candidate->first = prefix->knots;
    candidate->last = last;
    candidate->error = candidate->fine = candidate->cost = INFINITY;
    candidate->outcome = TRX_CANDIDATE_FAILED;
    trx_status status = approach(scout, pool, placement, last, prefix, candidate);
    if (status < 0 || candidate->outcome == TRX_CANDIDATE_NO_PATH || stop(user)) return status;
    return make_contact(scout, pool, placement, last, &w, prefix, candidate);
}

// raises the error of the candidate by the limits of joints and controls, like the limits of the problem
static trx_status judge_limits(trxi_scout *scout, trxi_pool *pool, const trxi_prefix *prefix, trx_candidate *candidate)
{
    const trxi_search_task *task = scout->task;
    const int nstate = task->nstate, nu = task->model->nu;
    trxi_limits limits;
    trx_status status = trxi_limits_begin(pool, task->model, &limits);
    if (status < 0) return status;
    for (int k = 0; k <= prefix->knots; k++)
        trxi_limits_take(&limits, k, k > 0 ? prefix->x + nstate * k : NULL, k < prefix->knots ? prefix->u + nu * k : NULL);
    for (int i = 0; i < limits.count; i++)
        candidate->error = larger(candidate->error, limits.results[i].violation, limits.results[i].tolerance);
    if (candidate->outcome == TRX_CANDIDATE_MET && candidate->error > 1) candidate->outcome = TRX_CANDIDATE_MISSED;
    return TRX_OK;
}

// raises the error of sampled controls by the fine replay: samples find motions that only a long step allows, such as a passage
// through a thin wall
static void judge_finely(trx_candidate *candidate)
{
    candidate->error = larger(candidate->error, candidate->fine, FINE);
    if (candidate->outcome == TRX_CANDIDATE_MET && candidate->error > 1) candidate->outcome = TRX_CANDIDATE_MISSED;
}

trx_status trxi_piece_polish(trxi_scout *scout, trxi_pool *pool, trxi_stop stop, void *user, trxi_prefix *prefix,
                             trx_candidate *candidate)
{
    watch w = {stop, user};
    trx_plan *plan = scout->plan;
    trx_status status = trx_plan_set_guess(plan, prefix->u, prefix->x);
    if (status < 0) return status;
    status = trx_plan_solve(plan, goes_on, &w);
    note(plan, status, candidate);
    if (status < 0) return status == TRX_ERR_MEMORY ? status : TRX_OK;
    if (candidate->kind == TRX_CANDIDATE_SAMPLED) judge_finely(candidate);
    prefix->knots = 0;
    trxi_prefix_extend(scout->task, prefix, scout->task->problem.steps, trx_plan_states(plan), trx_plan_controls(plan));
    status = judge_limits(scout, pool, prefix, candidate);
    const bool leans = candidate->outcome == TRX_CANDIDATE_MET && candidate->fine > 1;
    if (leans && scout->task->fine) candidate->outcome = TRX_CANDIDATE_LEANS;
    return status;
}
