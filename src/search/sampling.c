// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The cross-entropy method over controls that are linear between P nodes (theory 9; Kobilarov 2012):
//
//     u_k = clamp(g_k + sum_j B_j(k) c_j)           g: the guess of the problem, B_j: hat functions on the knots
//     c   ~ N(m, s^2)                               m = 0, s = a share of the range of each control
//     (m, s) <- mean and deviation of c of the ELITES samples whose simulations cost least
//
// The best simulation of all rounds is the result, from which an optimization starts. Simulations need no gradient, so they use
// the physical law, and contact may begin anywhere. Candidates differ by their random numbers, by P, and by the first s: few
// nodes find slow motions through the whole range, many nodes find quick changes.
//
// The cost is ROUNDS SAMPLES simulations, each with an evaluation of the cost.

#include "search/sampling.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 64, ELITES = 8, ROUNDS = 12, FEWEST_NODES = 5, NODE_KINDS = 3 };
static const double SPREADS[] = {0.5, 0.25}; // first deviation / half of the range of a control [1]
static const double LEAST_SPREAD = 0.01;     // least deviation in any round / half of the range of a control [1]

typedef struct sampler {
    trxi_scout *scout;
    uint64_t seed;
    int nodes, ncoefficient;       // nu x nodes
    double *half;                  // nu: half of the range of each control
    double *mean, *deviation;      // ncoefficient
    double *c;                     // ncoefficient x SAMPLES
    double cost[SAMPLES];
    double *u, *x;                 // nu x N, nstate x (N + 1): the simulation of one sample
    double best;                   // cost of the result
} sampler;

// half of the range of a control; for a control without limits the largest guess, or 1 if the guess is zero
static double half_range(const trxi_search_task *task, int j)
{
    const trxi_actuator *actuator = &task->model->actuators[j];
    const double half = 0.5 * (actuator->upper - actuator->lower);
    if (isfinite(half)) return half;
    double most = 0;
    for (int k = 0; task->problem.u_guess && k < task->problem.steps; k++)
        most = fmax(most, fabs(task->problem.u_guess[j + task->model->nu * k]));
    return most > 0 ? most : 1;
}

static trx_status create(trxi_scout *scout, trxi_pool *pool, int number, sampler *s)
{
    const trxi_search_task *task = scout->task;
    const int nu = task->model->nu, steps = task->problem.steps;
    *s = (sampler){.scout = scout, .seed = task->seed + 1000003u * (uint64_t)number, .best = INFINITY};
    s->nodes = FEWEST_NODES << (number % NODE_KINDS);
    if (s->nodes > steps + 1) s->nodes = steps + 1;
    s->ncoefficient = nu * s->nodes;
    s->half = TRXI_POOL(pool, double, nu);
    s->mean = TRXI_POOL(pool, double, s->ncoefficient);
    s->deviation = TRXI_POOL(pool, double, s->ncoefficient);
    s->c = TRXI_POOL(pool, double, s->ncoefficient * SAMPLES);
    s->u = TRXI_POOL(pool, double, nu * steps);
    s->x = TRXI_POOL(pool, double, task->nstate * (steps + 1));
    if (!s->half || !s->mean || !s->deviation || !s->c || !s->u || !s->x) return TRX_ERR_MEMORY;
    const double spread = SPREADS[number % (int)(sizeof SPREADS / sizeof *SPREADS)];
    for (int j = 0; j < nu; j++) s->half[j] = half_range(task, j);
    for (int i = 0; i < s->ncoefficient; i++) s->deviation[i] = spread * s->half[i % nu];
    memcpy(s->x, task->problem.x0, (size_t)task->nstate * sizeof *s->x);
    return TRX_OK;
}

// computes the controls of the knot k from the coefficients c
static void controls(const sampler *s, const double *c, int k, double *u)
{
    const trxi_search_task *task = s->scout->task;
    const int nu = task->model->nu, last = s->nodes > 1 ? s->nodes - 2 : 0;
    const double at = (double)k * (s->nodes - 1) / task->problem.steps;
    const int node = (int)at < last ? (int)at : last;
    for (int j = 0; j < nu; j++) {
        const double *left = c + j + nu * node, share = at - node;
        const double guess = task->problem.u_guess ? task->problem.u_guess[j + nu * k] : 0;
        const double value = guess + (s->nodes > 1 ? (1 - share) * left[0] + share * left[nu] : left[0]);
        u[j] = fmin(fmax(value, task->model->actuators[j].lower), task->model->actuators[j].upper);
    }
}

// simulates a sample into u and x, and returns its cost; INFINITY when a step fails
static double simulate(sampler *s, const double *c)
{
    const trxi_search_task *task = s->scout->task;
    const int nu = task->model->nu, steps = task->problem.steps;
    double sum = 0, value = 0;
    for (int k = 0; k < steps; k++) {
        double *u = s->u + nu * k, *x = s->x + task->nstate * k;
        controls(s, c, k, u);
        const trx_step_input input = {.time = trxi_task_time(task, k), .x = x, .u = u};
        if (trx_step_from(s->scout->sim, &input, x + task->nstate) < 0) return INFINITY;
        if (trx_plan_cost(s->scout->plan, k, x, u, &value, NULL, NULL, NULL, NULL, NULL) < 0) return INFINITY;
        sum += value;
    }
    if (trx_plan_cost(s->scout->plan, steps, s->x + task->nstate * steps, NULL, &value, NULL, NULL, NULL, NULL, NULL) < 0)
        return INFINITY;
    return sum + value;
}

static void keep(sampler *s, double cost, trxi_prefix *prefix)
{
    const trxi_search_task *task = s->scout->task;
    if (!(cost < s->best)) return;
    s->best = cost;
    prefix->knots = 0;
    trxi_prefix_extend(task, prefix, task->problem.steps, s->x, s->u);
}

// simulates the samples of one round, the first of which is the mean; returns the number of simulations
static int draw(sampler *s, int round, trxi_stop stop, void *user, trxi_prefix *prefix)
{
    for (int n = 0; n < SAMPLES; n++) {
        if (stop(user)) return n;
        double *c = s->c + (ptrdiff_t)n * s->ncoefficient;
        const uint64_t first = ((uint64_t)round * SAMPLES + (uint64_t)n) * (uint64_t)s->ncoefficient;
        for (int i = 0; i < s->ncoefficient; i++)
            c[i] = s->mean[i] + (n > 0 ? s->deviation[i] * trxi_random_normal(s->seed, first + (uint64_t)i) : 0);
        s->cost[n] = simulate(s, c);
        keep(s, s->cost[n], prefix);
    }
    return SAMPLES;
}

// lists the cheapest samples in the order of their costs, without failed ones; returns their number
static int choose(const sampler *s, int elites[ELITES])
{
    int count = 0;
    for (int n = 0; n < SAMPLES; n++) {
        if (!isfinite(s->cost[n])) continue;
        int at = count;
        while (at > 0 && s->cost[n] < s->cost[elites[at - 1]]) at--;
        if (at == ELITES) continue;
        if (count < ELITES) count++;
        for (int i = count - 1; i > at; i--) elites[i] = elites[i - 1];
        elites[at] = n;
    }
    return count;
}

// mean and deviation of the elites
static void learn(sampler *s, const int *elites, int count)
{
    const int nu = s->scout->task->model->nu;
    for (int i = 0; i < s->ncoefficient; i++) {
        double mean = 0, square = 0;
        for (int e = 0; e < count; e++) mean += s->c[i + (ptrdiff_t)elites[e] * s->ncoefficient] / count;
        for (int e = 0; e < count; e++) {
            const double off = s->c[i + (ptrdiff_t)elites[e] * s->ncoefficient] - mean;
            square += off * off / count;
        }
        s->mean[i] = mean;
        s->deviation[i] = fmax(sqrt(square), LEAST_SPREAD * s->half[i % nu]);
    }
}

trx_status trxi_sampling_plan(trxi_scout *scout, trxi_pool *pool, trxi_stop stop, void *user, trxi_prefix *prefix,
                              trx_candidate *candidate)
{
    sampler s;
    candidate->first = 0;
    candidate->last = scout->task->problem.steps;
    candidate->error = candidate->fine = INFINITY;
    candidate->outcome = TRX_CANDIDATE_FAILED;
    trx_status status = create(scout, pool, candidate->number, &s);
    if (status < 0) return status;
    for (int round = 0; round < ROUNDS; round++) {
        int elites[ELITES];
        const int drawn = draw(&s, round, stop, user, prefix);
        candidate->simulations += drawn;
        if (drawn < SAMPLES) return TRX_OK;
        const int count = choose(&s, elites);
        if (count == 0) return TRX_OK;
        learn(&s, elites, count);
    }
    candidate->cost = s.best;
    candidate->outcome = TRX_CANDIDATE_MISSED;
    return TRX_OK;
}
