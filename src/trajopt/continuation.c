// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The continuation (theory 8): stage after stage, each starting from the result of the last, for any method.
//
// The result of a stage is lost when the minimization of the next stage ends at a much larger cost (lost_cost). The next stage
// then starts again from that result, and the law changes in parts: half of the way, half of the rest, and so on. A
// minimization whose progress is too slow to recover a lost result ends early (minimize.c), because the next start needs the
// iterations. All parts share the iteration limit of the stage. If the limit is reached in a part, the trajectory is simulated
// under the law of the stage, and the stage ends.
//
// Only the last stage is minimized to the tolerance of the plan, because the minima of other laws are only starts. With exact
// minima in every stage, the seven shipped problems that name their stages took 1,744 iterations instead of 849. Four of their
// plans cost less and three cost more, all within 7 % except cart_pole_with_wall. The plan of hopper also failed in fewer
// perturbed worlds: in 3 of 100 instead of 57. The stages of these two problems ask for exact minima.
//
// A quarter of the time and of the iterations of a solve is reserved for the last stage, the physical one. When the
// other stages have used their share, stages that have not begun are left out.

#include "trajopt/augmented.h"
#include "trajopt/keep.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const double LOST_RATIO = 1.5;       // cost at the end of a stage / cost at the end of the previous stage [1]
static const double LOST_SHARE = 0.001;    // increase of the cost / decrease since the guess, above which a result is lost [1]
static const double EARLY_TOLERANCE = 1e-3; // tolerance of minima before the last stage, and of parts of a stage [1]
static const double SOFT_SHARE = 0.75;     // share of the time limit for the stages before the last [1]
static const double EARLY_ACCURACY = 30;   // violations of limits that count as met before the last stage, in tolerances [1]
static const double LAST_ACCURACY = 0.5;   // in the last stage [1]
enum { MAX_ATTEMPTS = 10 };                // minimizations of one stage

// returns whether the next stage starts: it does unless the previous stage failed or the solve must end
static bool goes_on(trx_status status)
{
    return status == TRX_OK || status == TRX_STALLED || status == TRX_ITERATION_LIMIT;
}

static bool is_last(const trx_plan *p, int stage)
{
    return stage == p->nstage - 1;
}

// ---- one stage ----

// number of iterations that the limit of the whole solve leaves for a stage
static int iterations_left(const trx_plan *p, int stage)
{
    const int all = p->settings.max_iterations, kept = is_last(p, stage) ? 0 : (all + 3) / 4;
    if (all == 0) return INT_MAX;
    return all - kept > p->info.iterations ? all - kept - p->info.iterations : 0;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static double usual_tolerance(const trx_plan *p, int stage)
{
    return is_last(p, stage) ? p->settings.tolerance : fmax(p->settings.tolerance, EARLY_TOLERANCE);
}

// sets tolerance, iterations and time of one stage
static void start_stage(trx_plan *p, int stage)
{
    const trx_stage *s = &p->stages[stage];
    trxi_minimization *m = &p->run;
    const double share = is_last(p, stage) ? 1 : SOFT_SHARE;
    m->stage = stage;
    m->done = 0;
    m->limit = least(s->iterations > 0 ? s->iterations : p->settings.iterations, iterations_left(p, stage));
    m->tolerance = isnan(s->tolerance) ? usual_tolerance(p, stage) : s->tolerance;
    m->deadline = m->start_time + share * p->settings.time_limit;
    m->limit_accuracy = is_last(p, stage) ? LAST_ACCURACY : EARLY_ACCURACY;
    p->method->reset(p->solver);

    // the box QPs start from 0, not from the policy of another law
    memset(p->work.policy.k, 0, p->work.ocp.controls * sizeof(double));
}

// copies controls, states and gains
static void copy(const trx_plan *p, const trxi_trajectory *from, const double *from_K, trxi_trajectory *to, double *to_K)
{
    const trxi_rollout *r = &p->rollout;
    memcpy(to->x, from->x, (size_t)r->nstate * (size_t)(r->steps + 1) * sizeof(double));
    memcpy(to->u, from->u, p->work.ocp.controls * sizeof(double));
    memcpy(to_K, from_K, p->work.ocp.gains * sizeof(double));
    to->cost = from->cost;
}

// saves the trajectory and its gains
static void save(trx_plan *p)
{
    copy(p, p->work.current, p->work.policy.K, &p->saved, p->saved_K);
}

// sets the gains P of the previous controls to zero, because a saved trajectory has none
static void forget_rate_gains(trx_plan *p)
{
    const size_t count = (size_t)p->rollout.nu * p->work.ocp.controls;
    if (p->work.policy.P) memset(p->work.policy.P, 0, count * sizeof(double));
}

static void restore(trx_plan *p)
{
    forget_rate_gains(p);
    copy(p, &p->saved, p->saved_K, p->work.current, p->work.policy.K);
    p->work.policy.ocp = NULL;
    p->method->reset(p->solver);
}

// cost above which the result of the previous stage is lost; a common cause is a contact that opens under the new law, so that its
// gradient is zero
static double lost_cost(const trx_plan *p)
{
    const double reached = p->saved.cost;
    return fmax(LOST_RATIO * fabs(reached), reached + LOST_SHARE * (p->guess_cost - reached));
}

// minimizes under an interpolated law, at the fraction `part` of the way from one stage to another
static trx_status minimize_part(trx_plan *p, int from, int stage, double part)
{
    trxi_minimization *m = &p->run;
    const double tolerance = m->tolerance;
    trx_status status = trxi_stage_apply_between(p, &p->stages[from], &p->stages[stage], part);
    if (status < 0) return status;
    if (part < 1) m->tolerance = fmax(tolerance, EARLY_TOLERANCE);
    status = trxi_augmented_minimize(m, TRXI_OTHER_LAW);
    m->tolerance = tolerance;
    return status;
}

// minimizes under the law of this stage. If this loses the result of the previous stage, the law changes in parts, each half of the
// part that failed
static trx_status minimize_next(trx_plan *p, int from, int stage)
{
    double reached = 0, part = 1;
    save(p);
    for (int attempt = 1;; attempt++) {
        p->run.lost_cost = attempt < MAX_ATTEMPTS ? lost_cost(p) : INFINITY;
        trx_status status = minimize_part(p, from, stage, part);
        if (!goes_on(status)) return status;
        const bool lost = p->work.current->cost > p->run.lost_cost, left = p->run.done < p->run.limit;
        if (part == 1 && !(lost && left)) return status;
        if (lost) {
            restore(p);
        } else {
            save(p);
            reached = part;
        }
        part = lost && left ? 0.5 * (reached + part) : 1;
    }
}

static trx_status minimize_first(trx_plan *p)
{
    trx_status status = trxi_stage_apply(p, &p->stages[0]);
    p->run.lost_cost = INFINITY;
    if (status >= 0) status = trxi_augmented_minimize(&p->run, p->guess_is_warm ? TRXI_POLICY : TRXI_CONTROLS);
    p->guess_cost = p->method->info(p->solver).first_cost;
    return status;
}

// `from` is the previous stage, -1: none
static trx_status run_stage(trx_plan *p, int from, int stage)
{
    const double began = p->run.seconds;
    start_stage(p, stage);
    trx_status status = from >= 0 ? minimize_next(p, from, stage) : minimize_first(p);
    p->stage_info[stage] = (trx_stage_info){
        .cost = p->work.current->cost, .iterations = p->run.done, .seconds = p->run.seconds - began, .status = status};
    p->info.iterations += p->run.done;
    return status;
}

// ---- all stages ----

static void start_solve(trx_plan *p, const trxi_solve_call *call)
{
    const trxi_trajectory guess = {.x = p->x_guess, .u = p->u_guess, .cost = INFINITY};
    if (p->guess_is_warm) copy(p, &guess, p->K_guess, p->work.current, p->work.policy.K);
    else memcpy(p->work.current->u, p->u_guess, p->work.ocp.controls * sizeof(double));
    memset(p->stage_info, 0, (size_t)p->nstage * sizeof *p->stage_info);
    forget_rate_gains(p);
    p->work.policy.ocp = NULL;
    p->work.whole = !trxi_plan_has_smoothed_stage(p);
    p->late_stage = -1;
    p->run = (trxi_minimization){.method = p->method, .solver = p->solver, .work = &p->work, .start_time = call->start_time,
                                 .callback = call->callback, .user = call->user, .attempt = call->attempt, .limits = &p->limits,
                                 .journal = p->settings.resumable ? &p->journal : NULL};
    if (!p->limits_are_warm) trxi_limit_set_reset(&p->limits);
    trxi_keep_guess(p);
    p->limits_are_warm = false;
}

// number of the stage after `stage`, which ended with `status`; nstage: none. The last stage follows when time or iterations
// run short
static int next_stage(trx_plan *p, int stage, trx_status status)
{
    const bool late = status == TRX_TIME_LIMIT;
    if (late && p->late_stage < 0) p->late_stage = stage;
    if (!late && !goes_on(status)) return p->nstage;
    if (is_last(p, stage) || (!late && iterations_left(p, stage) > 0)) return late ? p->nstage : stage + 1;
    for (int i = stage + 1; i < p->nstage - 1; i++)
        p->stage_info[i].status = late ? TRX_TIME_LIMIT : TRX_ITERATION_LIMIT;
    return p->nstage - 1;
}

trx_status trxi_plan_run_stages(trx_plan *p, const trxi_solve_call *call)
{
    trx_status status = TRX_OK;
    start_solve(p, call);
    for (int stage = 0, from = -1; stage < p->nstage;) {
        status = run_stage(p, from, stage);
        from = stage;
        stage = next_stage(p, stage, status);
    }
    if (status >= 0) trxi_keep_better(p);
    return status;
}
