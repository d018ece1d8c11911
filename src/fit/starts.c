// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Several starts (theory 10); see starts.h. The problem gives the first start. The others are drawn: from the prior of a parameter,
// else evenly between its bounds, else about its start by a factor; a parameter that may be negative, without prior and bounds,
// stays at its start. Estimated noise differs between starts, so the starts are compared by
//
//     cost = V + sum over groups of estimated noise of count log sigma        the negative logarithm of the likelihood
//
// A draw depends on the seed, the number of the start and the place of the unknown alone.

#include "fit/starts.h"

#include "base/random.h"
#include "fit/equation_error.h"
#include "fit/minimize.h"
#include "fit/solve.h"

#include <math.h>
#include <string.h>

static const double FACTOR = 0.7; // standard deviation of a logarithm without prior and bounds: a factor of 2

static size_t unknowns_of(const trx_fit *fit)
{
    return (size_t)fit->sessions.count * (size_t)fit->unknowns.count;
}

// ---- one start ----

// z of unknown k, drawn as number i
static double draw(const trx_fit *fit, int start, int k, size_t i)
{
    const trxi_unknowns *u = &fit->unknowns;
    const trx_fit_parameter *p = &u->parameters[u->parameter_of[k]];
    const uint64_t seed = trxi_random_bits(fit->settings.seed, (uint64_t)start);
    const double normal = trxi_random_normal(seed, i);
    double z = u->start[k];
    if (isfinite(p->prior_sd)) {
        const double value = p->prior_mean + p->prior_sd * normal;
        z = !u->positive[k] ? value : value > 0 ? log(value) : u->start[k];
    } else if (isfinite(u->lower[k]) && isfinite(u->upper[k])) {
        z = u->lower[k] + trxi_random_uniform(seed, i) * (u->upper[k] - u->lower[k]);
    } else if (u->positive[k]) {
        z += FACTOR * normal;
    }
    return fmin(fmax(z, u->lower[k]), u->upper[k]);
}

// the ten unknowns of a body, drawn from its prior and scaled down to a body that can exist
static void draw_body(const trx_fit *fit, int start, int k, double z[10])
{
    const double sd = fit->unknowns.parameters[fit->unknowns.parameter_of[k]].prior_sd, none[10] = {0};
    const uint64_t seed = trxi_random_bits(fit->settings.seed, (uint64_t)start);
    for (int i = 0; i < 10; i++) z[i] = isfinite(sd) ? sd * trxi_random_normal(seed, (uint64_t)(k + i)) : 0;
    const double reach = trxi_moments_reach(none, z);
    for (int i = 0; i < 10; i++) z[i] *= reach;
}

static void list_values(const trx_fit *fit, double *list)
{
    for (int e = 0; e < fit->sessions.nentry; e++) {
        const trxi_entry *entry = &fit->sessions.entries[e];
        list[e] = fit->values[(entry->session < 0 ? 0 : entry->session) * fit->problem.nparameter + entry->parameter];
    }
}

// unknowns, start states and noise of a start, and the counters of its solve
static void begin(trx_fit *fit, int start)
{
    const trxi_unknowns *u = &fit->unknowns;
    for (size_t i = 0; i < unknowns_of(fit); i++) {
        const size_t k = i % (size_t)u->count;
        const bool copied = i >= (size_t)u->count && k >= (size_t)u->local; // a shared unknown, drawn in the first session
        fit->z[i] = copied ? fit->z[k] : start == 0 ? u->start[k] : draw(fit, start, (int)k, i);
    }
    for (int k = 0; k < u->count && start > 0; k++)
        for (int c = 0; c < fit->sessions.count && u->body[k] == 0; c++) draw_body(fit, start, k, fit->z + c * u->count + k);
    trxi_sessions_values(&fit->sessions, &fit->unknowns, fit->z, fit->values);
    list_values(fit, fit->starts[start].from);
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    for (int i = 0; i < fit->fitted.count; i++)
        memcpy(fit->fitted.list[i].x, fit->fitted.list[i].guess, (size_t)size.nstate * sizeof(double));
    for (int g = 0; g < fit->problem.ngroup; g++)
        fit->noise[g] = isnan(fit->problem.groups[g].noise) ? 1 : fit->problem.groups[g].noise;
    fit->start = start;
    fit->info.rounds = fit->info.iterations = 0;
}

static double cost_now(trx_fit *fit)
{
    double cost = trxi_fit_objective_now(fit);
    for (int g = 0; g < fit->problem.ngroup; g++) {
        if (!isnan(fit->problem.groups[g].noise)) continue;
        for (int i = 0; i < fit->fitted.count; i++)
            cost += (double)fit->fitted.now[i].sums[g].count * log(fit->noise[g]);
    }
    return cost;
}

// records the end of a start
static trx_status end(trx_fit *fit, trx_status status)
{
    trx_fit_start *s = &fit->starts[fit->start];
    s->status = status, s->iterations = fit->info.iterations, s->rounds = fit->info.rounds;
    list_values(fit, s->to);
    const bool cut_short = status == TRX_INTERRUPTED && fit->start > 0; // the start may have used a part of the samples
    if (status < 0 || cut_short) return TRX_OK;
    const trx_status evaluated = trxi_evaluate_all(fit, &fit->fitted, TRXI_VALUE);
    s->objective = trxi_fit_objective_now(fit);
    s->cost = cost_now(fit);
    return evaluated;
}

// ---- the best one ----

static void keep(trx_fit *fit)
{
    fit->info.best_start = fit->start;
    trxi_fit_keep(fit, fit->best_z, fit->fitted.x_best);
    memcpy(fit->best_noise, fit->noise, sizeof *fit->noise * (size_t)fit->problem.ngroup);
}

// a later start may have ended on a part of the samples; the best start used all samples
static void count_all_rows(trxi_windows *windows)
{
    for (int i = 0; i < windows->count; i++) windows->list[i].rows = windows->list[i].all_rows;
}

static void restore(trx_fit *fit)
{
    const trx_fit_start *best = &fit->starts[fit->info.best_start];
    trxi_fit_restore(fit, fit->best_z, fit->fitted.x_best);
    memcpy(fit->noise, fit->best_noise, sizeof *fit->noise * (size_t)fit->problem.ngroup);
    if (fit->start != fit->info.best_start) count_all_rows(&fit->fitted);
    fit->info.iterations = best->iterations, fit->info.rounds = best->rounds;
}

trx_status trxi_fit_starts(trx_fit *fit)
{
    trx_status status = TRX_OK, first = TRX_OK;
    double best = INFINITY;
    for (int i = 0; i < fit->settings.starts && status != TRX_INTERRUPTED; i++) {
        begin(fit, i);
        bool near = false;
        status = trxi_equation_error_serves(fit) ? trxi_equation_error(fit, &near) : TRX_OK;
        if (status >= 0) status = trxi_fit_solve(fit, near);
        if (i == 0) first = status;
        if (status == TRX_ERR_MEMORY || (status < 0 && fit->settings.starts == 1)) return status;
        const trx_status ended = end(fit, status);
        if (ended < 0) return ended;
        fit->info.nstart++;
        if (!(fit->starts[i].cost < best)) continue;
        best = fit->starts[i].cost;
        keep(fit);
    }
    if (!(best < INFINITY)) return first < 0 ? first : TRX_ERR_NOT_CONVERGED;
    restore(fit);
    return status == TRX_INTERRUPTED ? status : fit->starts[fit->info.best_start].status;
}
