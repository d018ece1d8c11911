// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The guess of a tick (theory 7, model predictive control): trajectories sampled at the knots of a plan. A plan that begins the
// fraction s of a step after a knot of its source has knots between the knots of the source:
//
//     x_k = x (+) s (x' (-) x)            on the way from the state x of the source to the next state x'
//     u_k = (1 - s) u + s u'              the mean of the source's controls over the step
//     K_k = K or K'                       gains of the nearer knot
//
// The states of the nearest knot would not do: the gains would treat the motion since that knot as an error and slow the plan down.
// A loop of 500 ticks per second with steps of 20 ms then reached 2 of 20 goals.

#include "mpc/guess.h"

#include "judge/policy.h"
#include "model/model.h"
#include "trajopt/plan.h"

#include <math.h>
#include <string.h>

static const double SAME_TIME = 1e-9; // share of a step

void trxi_guess_layout(trxi_arena *arena, const trx_model *model, trxi_guess *guess)
{
    guess->x = TRXI_TAKE(arena, double, 2 * model->nstate);
    guess->u = TRXI_TAKE(arena, double, model->nu);
    guess->dx = TRXI_TAKE(arena, double, model->ntangent);
}

// a place in a source: the fraction `share` of the way from `knot` to the next knot
typedef struct place {
    int knot;
    double share;
} place;

static place place_at(const trx_policy_def *source, double time)
{
    const double steps = fmin(fmax(0, (time - source->start_time) / source->time_step), 1e9), knot = floor(steps + SAME_TIME);
    return (place){(int)knot, steps - knot > SAME_TIME ? steps - knot : 0};
}

// returns whether a source contains the whole step that begins at a place
static bool has_step(const trx_policy_def *source, place at)
{
    return at.share > 0 ? at.knot + 1 < source->steps : at.knot < source->steps;
}

static void mix_controls(const trx_policy_def *source, int nu, place at, double *u)
{
    const double *before = source->u + (size_t)nu * (size_t)at.knot, *after = before + nu;
    for (int i = 0; i < nu; i++) u[i] = at.share > 0 ? (1 - at.share) * before[i] + at.share * after[i] : before[i];
}

// copies the step of a source that begins at a place to step k of the guess
static void take_step(const trxi_guess *g, const trx_policy_def *source, place at, int k, trx_plan *plan)
{
    const trx_model *model = plan->model;
    const size_t nx = (size_t)model->nstate, nk = (size_t)(model->ntangent * model->nu);
    const double *x = source->x + nx * (size_t)at.knot;
    trxi_policy_between(model, x, at.share, g->dx, g->x);
    trxi_policy_between(model, x + nx, at.share, g->dx, g->x + nx);
    mix_controls(source, model->nu, at, g->u);
    const size_t nearest = (size_t)(at.share > 0.5 ? at.knot + 1 : at.knot);
    trxi_plan_continue_guess(plan, k, 1, g->x, g->u, source->K + nk * nearest);
}

// copies steps of a source to the guess from step k on; returns the first step that the source does not contain
static int take_steps(const trxi_guess *g, const trx_policy_def *source, double time, int k, trx_plan *plan)
{
    place at = place_at(source, time);
    at.knot += k;
    for (; k < trx_plan_get_steps(plan) && has_step(source, at); k++, at.knot++) take_step(g, source, at, k, plan);
    return k;
}

void trxi_guess_fill(const trxi_guess *guess, const trx_policy_def *policy, const trx_policy_def *first, double time,
                     trx_plan *plan)
{
    int known = take_steps(guess, policy, time, 0, plan);
    known = take_steps(guess, first, time, known, plan);
    if (known == 0) {
        const trx_policy_def *last = place_at(policy, time).knot < policy->steps ? policy : first;
        take_step(guess, last, (place){last->steps - 1, 0}, known++, plan);
    }
    trxi_plan_repeat_guess(plan, known);
}
