// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The main loop of iLQR (theory 7; Tassa, Erez, Todorov 2012):
//
//     start:    rollout
//     iterate:  linearize - Riccati sweep - converged? - line search, raising the damping until a step is accepted
//
// A rollout that will probably be accepted is linearized at once (rollout.c): the first rollout, and full steps after an accepted
// full step. The step of the last iteration that the limit allows is not linearized.
//
// A sweep solves the program within the bounds of the controls as a whole (box_sweep.c) as long as full steps decrease the cost
// by the share PREDICTED of the expected decrease: the set of fixed controls is right only at the states that the linear model
// predicts. After a first smaller decrease, and in plans with smoothed contact, the sweeps clamp knot by knot, which depends
// less on the model.
//
// damping.c has the damping and the tests for the end.

#include "trajopt/damping.h"
#include "trajopt/team.h"

#include <math.h>

static const double ACCEPT = 1e-4;        // least actual / expected decrease of a step [1]

// least actual / expected decrease of a step after a sweep that solved the whole program [1]. Shares of 0.2 to 0.8 give the same
// plans. Plans with smoothed contact never solve the program as a whole: with a share of ACCEPT, hopper and gen3_ball_side would
// end at three times the cost or more, and with PREDICTED, push_box would stall
static const double PREDICTED = 0.5;

// with 0.1, more stages end as stalled: 15 of 60 pushes with random starts instead of none
static const double SMALLEST_STEP = 1.0 / 64;

typedef struct ilqr {
    trxi_workspace *work;
    trxi_damped damped;
    bool linearized;   // work->ocp belongs to work->current
    bool expects_full; // the last full step was accepted: the next one is linearized at once
    bool whole;        // sweeps try to solve the program as a whole
    bool last;         // this iteration is the last
} ilqr;

static double merit(const void *solver)
{
    return ((const ilqr *)solver)->work->current->cost;
}

static bool sweep(void *solver)
{
    ilqr *s = solver;
    trxi_workspace *w = s->work;
    bool solved = trxi_workspace_sweep(w, s->damped.mu, s->whole);
    s->damped.info.expected = -(w->policy.linear + w->policy.quadratic);
    s->damped.info.gradient = w->policy.gradient;

    // D of the next sweeps: the largest curvature of each control along the trajectory
    for (int i = 0; i < w->ocp.nu; i++) w->scale[i] = w->riccati.curvature[i] > 0 ? w->riccati.curvature[i] : 1;
    return solved;
}

// whether the last sweep has solved the program as a whole
static bool solved_whole(const ilqr *s)
{
    return s->whole && s->work->box.settled;
}

// rolls out with a step length; returns true if the cost decreases enough; a failed rollout is rejected
static bool try_step(const ilqr *s, trxi_rollout *rollout, double alpha, trxi_trajectory *trial, trxi_ocp *ocp)
{
    const trxi_trajectory *current = s->work->current;
    const trxi_policy *policy = &s->work->policy;
    double expected = -(alpha * policy->linear + alpha * alpha * policy->quadratic);
    double limit = current->cost - (solved_whole(s) ? PREDICTED : ACCEPT) * expected;
    trx_status status = trxi_rollout_policy(rollout, current, policy, alpha, limit, trial, ocp);
    return status >= 0 && trial->cost < limit;
}

// several step lengths at once
typedef struct shares {
    const ilqr *s;
    double first;
} shares;

static trxi_trajectory *trial_of(const ilqr *s, int index)
{
    return index == 0 ? s->work->trial : s->work->rollout->team->trials[index];
}

static void try_share(int worker, int index, void *user)
{
    const shares *all = user;
    trxi_rollout *first = all->s->work->rollout, *rollout = trxi_team_rollout(first->team, first, worker);
    bool accepted = try_step(all->s, rollout, ldexp(all->first, -index), trial_of(all->s, index), NULL);
    first->team->status[index] = accepted ? TRX_OK : TRX_STALLED;
}

// exchanges trial `index` and the current trajectory; the model of the policy belongs to the former current trajectory
static void accept(ilqr *s, int index, double alpha)
{
    trxi_workspace *w = s->work;
    trxi_trajectory **place = index == 0 ? &w->trial : &w->rollout->team->trials[index], *accepted = *place;
    *place = w->current;
    w->current = accepted;
    w->policy.ocp = NULL;
    s->linearized = false;
    s->damped.info.step = alpha;
}

// work->next, which a rollout has just filled, belongs to work->current
static void accept_linearization(ilqr *s)
{
    trxi_workspace *w = s->work;
    const trxi_ocp before = w->ocp;
    w->ocp = w->next;
    w->next = before;
    s->linearized = true;
}

// tries the full step, which is usually accepted, and linearizes it at once if acceptance is likely
static bool try_full_step(ilqr *s)
{
    trxi_workspace *w = s->work;
    trxi_ocp *ocp = s->expects_full && !s->last ? &w->next : NULL;
    s->expects_full = try_step(s, w->rollout, 1, w->trial, ocp);
    if (!s->expects_full) return false;
    accept(s, 0, 1);
    if (ocp && w->rollout->linearized) accept_linearization(s);
    return true;
}

// after the full step of the whole program was rejected, tries the full step of a policy that clamps knot by knot
static bool try_knot_by_knot(ilqr *s)
{
    const bool differs = solved_whole(s);
    s->whole = false;
    return differs && sweep(s) && try_full_step(s);
}

// halves the step length until a step is accepted. The full step is tried first and alone, because it is usually accepted. Then
// every thread tries one step length, and the largest accepted step length counts
static bool line_search(void *solver)
{
    ilqr *s = solver;
    trxi_team *team = s->work->rollout->team;
    int width = team && team->workers ? team->size : 1;
    if (trxi_rollout_is_late(s->work->rollout)) return false;
    if (try_full_step(s) || try_knot_by_knot(s)) return true;
    for (double alpha = 0.5; alpha >= SMALLEST_STEP && !trxi_rollout_is_late(s->work->rollout); alpha = ldexp(alpha, -width)) {
        if (width == 1) {
            if (!try_step(s, s->work->rollout, alpha, s->work->trial, NULL)) continue;
            accept(s, 0, alpha);
            return true;
        }
        trxi_workers_run(team->workers, width, try_share, &(shares){s, alpha});
        for (int i = 0; i < width && ldexp(alpha, -i) >= SMALLEST_STEP; i++) {
            if (team->status[i] != TRX_OK) continue;
            accept(s, i, ldexp(alpha, -i));
            return true;
        }
    }
    return false;
}

static trx_status iterate(void *solver, bool last, bool *finished)
{
    ilqr *s = solver;
    trxi_workspace *w = s->work;
    trx_status status = TRX_OK;
    *finished = true;
    s->last = last;
    s->damped.info.step = 0;
    if (!s->linearized && (status = trxi_rollout_linearize(w->rollout, w->current, &w->ocp)) != TRX_OK) return status;
    s->linearized = true;
    return trxi_damped_iterate(&s->damped, s, finished);
}

// computes the first trajectory. From another start, controls with gains of the same law follow the old trajectory better than the
// controls alone: in 12,000 ticks of a disturbed push, the controls alone had the lower cost in only 12 ticks, by 0.1 %. Under
// another law, either the controls alone or the controls with gains may lose a contact, so both are tried. The rollout of the
// controls alone (origin CONTROLS) and the rollout with gains are linearized at once
static trx_status first_rollout(ilqr *s, trxi_origin origin)
{
    trxi_workspace *w = s->work;
    if (origin == TRXI_CONTROLS) {
        trx_status status = trxi_rollout_controls(w->rollout, false, INFINITY, w->current, &w->ocp);
        s->linearized = w->rollout->linearized;
        return status;
    }
    const trx_status tracked = trxi_rollout_policy(w->rollout, w->current, &w->policy, 0, INFINITY, w->trial, &w->next);
    const bool linearized = w->rollout->linearized;
    if (origin == TRXI_OTHER_LAW || !isfinite(w->trial->cost)) {
        const trx_status held = trxi_rollout_controls(w->rollout, true, w->trial->cost, w->current, NULL);
        if (tracked < 0 || (held >= 0 && !(w->trial->cost < w->current->cost))) return held;
    }
    accept(s, 0, 0);
    if (linearized) accept_linearization(s);
    return tracked;
}

static void reset(void *solver)
{
    ilqr *s = solver;
    const trxi_workspace *w = s->work;
    s->damped.mu = 0;
    s->whole = s->work->whole;
    for (int i = 0; i < w->ocp.nu; i++) w->scale[i] = 1;
}

static trx_status start(void *solver, trxi_origin origin, double tolerance)
{
    ilqr *s = solver;
    trxi_workspace *w = s->work;
    trxi_damped_start(&s->damped, tolerance);
    s->linearized = false;
    s->expects_full = true;
    trx_status status = first_rollout(s, origin);
    if (status < 0) return status;
    if (!isfinite(w->current->cost)) {
        w->rollout->failed_knot = -1;
        return TRX_ERR_NOT_FINITE;
    }
    s->damped.info.first_cost = fabs(w->current->cost);
    return TRX_OK;
}

static trxi_method_info info(const void *solver)
{
    return ((const ilqr *)solver)->damped.info;
}

static void visit(trxi_visitor *visitor, void *solver)
{
    ilqr *s = solver;
    TRXI_VISIT(visitor, s->damped.tolerance);
    TRXI_VISIT(visitor, s->damped.mu);
    TRXI_VISIT(visitor, s->linearized);
    TRXI_VISIT(visitor, s->expects_full);
    TRXI_VISIT(visitor, s->whole);
    TRXI_VISIT(visitor, s->damped.info);
}

static trx_status create(trx_context *context, const trx_plan_settings *settings, trxi_workspace *work, void **solver)
{
    (void)settings;
    ilqr *s = trxi_allocate(context, sizeof *s);
    *solver = s;
    if (!s) return TRX_ERR_MEMORY;
    s->work = work;
    s->damped = (trxi_damped){.work = work, .sweep = sweep, .line_search = line_search, .merit = merit};
    return TRX_OK;
}

static void destroy(trx_context *context, void *solver)
{
    trxi_release(context, solver);
}

const trxi_method trxi_ilqr = {
    .create = create, .destroy = destroy, .reset = reset, .start = start, .iterate = iterate, .info = info,
    .visit = visit};
