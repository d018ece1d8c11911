// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The main loop of iLQR (theory 7; Tassa, Erez, Todorov 2012):
//
//     rollout
//     repeat  linearize - Riccati sweep - converged? - line search, raising the damping until a step is accepted
//
// A rollout that will probably be accepted is linearized on the way (rollout.c): the first one, and full steps after a full step.
//
// Tests for the end. Let eps = tolerance max(|cost|, 1e-3 first cost). A stage has converged when the decrease
// expected of the full step is at most eps, or when two accepted steps in a row decreased the cost by less than
// eps. A heavily damped sweep promises little anywhere, so the first test only counts without damping: if a
// damped sweep passes it, the sweep is repeated undamped and decides. It has stalled when the undamped sweep
// expects more than eps, and yet damping has shrunk the step until less than eps is left to gain without one
// being accepted.
//
// The constants below are not delicate: on 60 pushes with random starts, MU_FIRST up to 1e-2, MU_RAISE 5, MU_LOWER 3 or
// 10, and raising the damping after short steps moved the total of iterations by at most 4 % and the mean cost by at
// most 1 %. A SMALLEST_STEP of 0.1 ends more stages as stalled (15 against none).

#include "trajopt/ilqr.h"

#include "trajopt/team.h"

#include <math.h>

static const double ACCEPT = 1e-4;        // least actual/expected decrease
static const double SMALLEST_STEP = 1.0 / 64;
static const double MU_FIRST = 1e-6;      // damping after none
static const double MU_RAISE = 10;
static const double MU_LOWER = 5;
static const double MU_FLOOR = 1e-9;
static const double MU_CEILING = 1e8;

static double threshold(const trxi_ilqr *s)
{
    return s->tolerance * fmax(fabs(s->current->cost), 1e-3 * s->first_cost);
}

// damping of the next sweep; false at the ceiling
static bool raise_damping(trxi_ilqr *s)
{
    s->mu = fmax(MU_FIRST, s->mu * MU_RAISE);
    return s->mu <= MU_CEILING;
}

static void lower_damping(trxi_ilqr *s)
{
    s->mu /= MU_LOWER;
    if (s->mu < MU_FLOOR) s->mu = 0;
}

static bool sweep(trxi_ilqr *s)
{
    bool solved = trxi_backward_sweep(&s->lq, s->mu, s->scale, &s->backward, &s->policy);
    s->expected = -(s->policy.linear + s->policy.quadratic);

    // D of the next sweeps: the largest curvature of each control along the trajectory
    for (int i = 0; i < s->lq.nu; i++)
        s->scale[i] = s->backward.curvature[i] > 0 ? s->backward.curvature[i] : 1;
    return solved;
}

static bool out_of_time(const trxi_ilqr *s)
{
    return trx_clock() >= s->deadline;
}

// a rollout with a share of the step; true when the cost decreases by enough of what the model expects. One that fails is
// rejected
static bool try_step(const trxi_ilqr *s, trxi_rollout *rollout, double alpha, trxi_trajectory *trial, trxi_lq *lq)
{
    const trxi_policy *policy = &s->policy;
    double expected = -(alpha * policy->linear + alpha * alpha * policy->quadratic);
    double limit = s->current->cost - ACCEPT * expected;
    trx_status status = trxi_rollout_policy(rollout, s->current, policy, alpha, limit, trial, lq);
    return status >= 0 && trial->cost < limit;
}

// several shares at once
typedef struct shares {
    const trxi_ilqr *s;
    double first;
} shares;

static trxi_trajectory *trial_of(const trxi_ilqr *s, int index)
{
    return index == 0 ? s->trial : s->rollout->team->trials[index];
}

static void try_share(int worker, int index, void *user)
{
    const shares *all = user;
    trxi_team *team = all->s->rollout->team;
    trxi_rollout *rollout = trxi_team_rollout(team, all->s->rollout, worker);
    bool accepted = try_step(all->s, rollout, ldexp(all->first, -index), trial_of(all->s, index), NULL);
    team->status[index] = accepted ? TRX_OK : TRX_STALLED;
}

// trial `index` becomes the current trajectory, and the current one free. The policy's model is that of the latter
static void accept(trxi_ilqr *s, int index, double alpha)
{
    trxi_trajectory **place = index == 0 ? &s->trial : &s->rollout->team->trials[index], *accepted = *place;
    *place = s->current;
    s->current = accepted;
    s->linearized = false;
    s->policy.lq = NULL;
    s->step = alpha;
}

// the full step, which mostly is accepted, with its linearization where one can count on that
static bool try_full_step(trxi_ilqr *s)
{
    trxi_lq *lq = s->expects_full ? &s->next : NULL;
    s->expects_full = try_step(s, s->rollout, 1, s->trial, lq);
    if (!s->expects_full) return false;
    accept(s, 0, 1);
    if (!lq || !s->rollout->linearized) return true;
    const trxi_lq before = s->lq;
    s->lq = s->next;
    s->next = before;
    s->linearized = true;
    return true;
}

// halves the step until one is accepted. The full step, which mostly is, goes first and alone; then as many shares at once
// as there are threads, of which the largest accepted one counts
static bool line_search(trxi_ilqr *s)
{
    trxi_team *team = s->rollout->team;
    int width = team && team->workers ? team->size : 1;
    if (out_of_time(s)) return false;
    if (try_full_step(s)) return true;
    for (double alpha = 0.5; alpha >= SMALLEST_STEP && !out_of_time(s); alpha = ldexp(alpha, -width)) {
        if (width == 1) {
            if (!try_step(s, s->rollout, alpha, s->trial, NULL)) continue;
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

// whether a full step of the undamped sweep promises next to nothing; leaves a sweep for the line search if not
static trx_status test_expected(trxi_ilqr *s, bool *converged)
{
    while (!sweep(s))
        if (!raise_damping(s)) return TRX_ERR_NOT_PD;
    *converged = s->expected <= threshold(s);
    if (!*converged || s->mu == 0) return TRX_OK;

    // the damping may be all that hides a decrease
    double damped = s->mu;
    s->mu = 0;
    if (sweep(s)) {
        *converged = s->expected <= threshold(s);
        return TRX_OK;
    }
    s->mu = damped;
    return sweep(s) ? TRX_OK : TRX_ERR_NOT_PD;
}

// one accepted step of the current model, at the least damping that allows one
static trx_status improve(trxi_ilqr *s)
{
    while (!line_search(s)) {
        if (out_of_time(s)) return TRX_TIME_LIMIT;
        do {
            if (!raise_damping(s)) return TRX_STALLED;
        } while (!sweep(s));
        if (s->expected <= threshold(s)) return TRX_STALLED;
    }
    s->mu_used = s->mu;
    lower_damping(s);
    return TRX_OK;
}

// one line of the iteration table; false when the caller wants to stop
static bool report(const trxi_ilqr *s, double change)
{
    if (!s->callback) return true;
    trx_iteration line = {
        .stage = s->stage,
        .iteration = s->before + s->done,
        .cost = s->current->cost,
        .change = change,
        .expected = s->done > 0 ? s->expected : 0,
        .gradient = s->done > 0 ? s->policy.gradient : 0,
        .step = s->step,
        .regularization = s->mu_used,
        .seconds = trx_clock() - s->start_time,
    };
    return s->callback(&line, s->user);
}

// linearize, sweep, test, step. TRX_OK with *finished unset: go on
static trx_status iterate(trxi_ilqr *s, bool *finished)
{
    bool converged;
    trx_status status = TRX_OK;
    *finished = true;
    s->step = 0;
    if (!s->linearized && (status = trxi_rollout_linearize(s->rollout, s->current, &s->lq)) < 0) return status;
    s->linearized = true;
    if ((status = test_expected(s, &converged)) < 0) return status;
    if (converged) return TRX_OK;

    double before = s->current->cost;
    if ((status = improve(s)) != TRX_OK) return status;

    double change = before - s->current->cost;
    s->small_steps = change < threshold(s) ? s->small_steps + 1 : 0;
    *finished = s->small_steps == 2;
    return TRX_OK;
}

// The first trajectory of a stage. After a change of the contact law the old controls alone may miss a contact
// they used to meet; the gains of the last stage, which track its trajectory, often still meet it. The cheaper
// of the two counts.
static trx_status first_rollout(trxi_ilqr *s, bool warm)
{
    if (!warm) {
        trx_status status = trxi_rollout_controls(s->rollout, false, s->current, &s->lq);
        s->linearized = s->rollout->linearized;
        return status;
    }
    trx_status tracked = trxi_rollout_policy(s->rollout, s->current, &s->policy, 0, INFINITY, s->trial, NULL);
    trx_status held = trxi_rollout_controls(s->rollout, true, s->current, NULL);
    if (tracked >= 0 && (held < 0 || s->trial->cost < s->current->cost)) {
        accept(s, 0, 0);
        return tracked;
    }
    return held;
}

trx_status trxi_ilqr_minimize(trxi_ilqr *s, bool warm)
{
    s->done = s->small_steps = 0;
    s->linearized = false;
    s->expects_full = true;
    s->step = 0;
    s->mu_used = s->mu;
    trx_status status = first_rollout(s, warm);
    if (status < 0) return status;
    if (!isfinite(s->current->cost)) {
        s->rollout->failed_knot = -1;
        return TRX_ERR_NOT_FINITE;
    }
    s->first_cost = fabs(s->current->cost);
    if (!report(s, 0)) return TRX_INTERRUPTED;

    while (s->done < s->iterations) {
        if (out_of_time(s)) return TRX_TIME_LIMIT;
        bool finished;
        double before = s->current->cost;
        s->done++;
        status = iterate(s, &finished);
        if (!report(s, before - s->current->cost)) return TRX_INTERRUPTED;
        if (finished || status < 0) return status;
    }
    return TRX_ITERATION_LIMIT;
}
