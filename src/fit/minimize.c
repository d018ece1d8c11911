// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Levenberg-Marquardt (theory 10); see minimize.h.
//
//     (H + damping diag H) d = -g      start states eliminated window by window
//     accept d if the objective falls by a share of the predicted decrease; else raise the damping
//
// Windows are evaluated by threads in any order and summed in their own order, so the bits do not depend on the threads. A window
// whose objective rises gets more damping of its own start: one window on a ridge does not stop all others.

#include "fit/minimize.h"

#include "base/context.h"
#include "fit/arrow.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double FIRST_DAMPING = 1e-3, LEAST_DAMPING = 1e-12, MOST_DAMPING = 1e12;
static const double SETTLED_STEP = 1e-2;   // in standard deviations: smaller steps of the unknowns no longer matter
static const double SETTLED_SHARE = 1e-4;  // of the objective: the decrease while only start states move
static const double ACCEPTED_SHARE = 1e-3; // of the predicted decrease
enum { ROUGH_REFUSALS = 3 };               // in a row, which end a rough pass
enum { CRAWL = 10 };                       // iterations that must lower the objective by CRAWL_SHARE: impacts make it rough, and a
static const double CRAWL_SHARE = 1e-3;    // solve that creeps from one edge to the next does not end by small steps

static size_t state_size(const trx_fit *fit)
{
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    return (size_t)(size.nq + size.nv);
}

// ---- evaluation ----

typedef struct evaluation_task {
    trx_fit *fit;
    trxi_windows *windows;
    const double *values;
    bool trial, unknowns;
    int iterations; // of settling
} evaluation_task;

static void evaluate_one(int worker, int index, void *user)
{
    const evaluation_task *task = user;
    trx_fit *fit = task->fit;
    const trxi_window *w = &task->windows->list[index];
    const double *x = task->trial ? task->windows->x_trial + state_size(fit) * (size_t)index : w->x;
    trxi_evaluation *out = task->trial ? &task->windows->trial[index] : &task->windows->now[index];
    trxi_bench *bench = &fit->benches[worker];
    const double *values = trxi_sessions_of(&fit->sessions, &fit->unknowns, task->values, w->recording);
    const trx_status status = trxi_bench_set(bench, values);
    if (status >= 0) {
        trxi_evaluate(bench, w, x, values, fit->noise, task->unknowns, out);
        return;
    }
    out->status = status;
    out->objective = INFINITY;
}

static double sum_objectives(const trxi_evaluation *evaluations, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += evaluations[i].objective;
    return sum;
}

// a step may need more memory than any step before
static trx_status memory_status(const trxi_windows *windows)
{
    for (int i = 0; i < windows->count; i++)
        if (windows->now[i].status == TRX_ERR_MEMORY || windows->trial[i].status == TRX_ERR_MEMORY) return TRX_ERR_MEMORY;
    return TRX_OK;
}

trx_status trxi_evaluate_all(trx_fit *fit, trxi_windows *windows, bool unknowns)
{
    evaluation_task task = {fit, windows, fit->values, false, unknowns, 0};
    trxi_workers_run(fit->workers, windows->count, evaluate_one, &task);
    return memory_status(windows);
}

// ---- one start state ----

static void exchange(trxi_windows *windows, int index)
{
    const trxi_evaluation other = windows->now[index];
    windows->now[index] = windows->trial[index];
    windows->trial[index] = other;
}

// x_trial = x (+) ds
static void move_start(const trx_fit *fit, const trxi_window *w, const double *ds, double *x)
{
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    trx_model_integrate(fit->problem.model, w->x, ds, x);
    for (int i = 0; i < size.nv; i++) x[size.nq + i] = w->x[size.nq + i] + ds[size.nv + i];
}

static void settle_one(int worker, int index, void *user)
{
    const evaluation_task *task = user;
    trx_fit *fit = task->fit;
    trxi_bench *bench = &fit->benches[worker];
    trxi_windows *windows = task->windows;
    trxi_window *w = &windows->list[index];
    const int ns = bench->ns, np = bench->np;
    const size_t length = state_size(fit);
    double damping = FIRST_DAMPING, *x = windows->x_trial + length * (size_t)index, *ds = bench->step;
    const double *values = trxi_sessions_of(&fit->sessions, &fit->unknowns, fit->values, w->recording);
    if (trxi_bench_set(bench, values) < 0) return;
    trxi_evaluate(bench, w, w->x, values, fit->noise, false, &windows->now[index]);
    if (!isfinite(windows->now[index].objective)) {
        memcpy(w->x, w->guess, length * sizeof *x);
        trxi_evaluate(bench, w, w->x, values, fit->noise, false, &windows->now[index]);
    }
    memset(bench->step + ns, 0, sizeof *ds * (size_t)np);
    for (int k = 0; k < task->iterations && damping < MOST_DAMPING; k++) {
        const trxi_evaluation *now = &windows->now[index];
        memset(bench->block, 0, sizeof(double) * (size_t)(np * np + np));
        if (!trxi_eliminate(ns, np, now->H, now->g, damping, &windows->eliminated[index], bench->block,
                            bench->block + np * np)) return;
        trxi_eliminated_step(ns, np, &windows->eliminated[index], bench->step + ns, ds);
        move_start(fit, w, ds, x);
        trxi_evaluate(bench, w, x, values, fit->noise, false, &windows->trial[index]);
        const double decrease = now->objective - windows->trial[index].objective;
        if (!(decrease > 0)) {
            damping *= 10;
            continue;
        }
        damping = fmax(damping / 10, LEAST_DAMPING);
        const bool ended = decrease < fit->settings.tolerance * now->objective;
        memcpy(w->x, x, length * sizeof *x);
        exchange(windows, index);
        if (ended) return;
    }
}

trx_status trxi_settle_starts(trx_fit *fit, trxi_windows *windows, int iterations)
{
    if (fit->benches[0].ns == 0) iterations = 0;
    evaluation_task task = {fit, windows, fit->values, false, false, iterations};
    trxi_workers_run(fit->workers, windows->count, settle_one, &task);
    return memory_status(windows);
}

// ---- the step of the unknowns ----

static bool take_step(trx_fit *fit, double damping)
{
    if (!trxi_arrow_sum(fit, damping, fit->fitted.damping)) return false;
    trxi_arrow_priors(fit);
    return trxi_arrow_step(fit, damping);
}

// ---- the iteration ----

static double objective_of(const trx_fit *fit, const trxi_evaluation *evaluations, const double *values)
{
    return sum_objectives(evaluations, fit->fitted.count) + trxi_sessions_prior(&fit->sessions, &fit->unknowns, values);
}

// predicted decrease of the priors
static double predict_priors(trx_fit *fit)
{
    const trxi_unknowns *u = &fit->unknowns;
    double *gradient = fit->scratch, *diagonal = fit->scratch + u->count, decrease = 0;
    for (int c = 0; c < fit->sessions.count; c++) {
        const double *dz = fit->dz + c * u->count;
        const int count = c == 0 ? u->count : u->local;
        memset(gradient, 0, sizeof *gradient * 2 * (size_t)u->count);
        trxi_unknowns_prior(u, count, fit->values + c * u->nparameter, gradient, diagonal);
        for (int k = 0; k < count; k++) decrease -= gradient[k] * dz[k] + 0.5 * diagonal[k] * dz[k] * dz[k];
    }
    return decrease;
}

// moves all start states; returns the predicted decrease of the windows and the priors
static double move_starts(trx_fit *fit)
{
    trxi_bench *b = &fit->benches[0];
    const int ns = b->ns, np = b->np;
    double predicted = 0;
    for (int i = 0; i < fit->fitted.count; i++) {
        const trxi_evaluation *e = &fit->fitted.now[i];
        const double *dz = fit->dz + np * fit->sessions.of_recording[fit->fitted.list[i].recording];
        double *x = fit->fitted.x_trial + state_size(fit) * (size_t)i;
        trxi_eliminated_step(ns, np, &fit->fitted.eliminated[i], dz, b->step);
        predicted += trxi_predicted_decrease(ns, np, e->H, e->g, b->step, dz, b->block);
        if (ns > 0) move_start(fit, &fit->fitted.list[i], b->step, x);
        else memcpy(x, fit->fitted.list[i].x, state_size(fit) * sizeof *x);
    }
    return predicted + predict_priors(fit);
}

static void accept(trx_fit *fit)
{
    const size_t length = state_size(fit);
    const size_t sessions = (size_t)fit->sessions.count;
    memcpy(fit->z, fit->z_trial, sizeof *fit->z * sessions * (size_t)fit->unknowns.count);
    memcpy(fit->values, fit->values_trial, sizeof *fit->values * (sessions + 1) * (size_t)fit->problem.nparameter);
    for (int i = 0; i < fit->fitted.count; i++) {
        memcpy(fit->fitted.list[i].x, fit->fitted.x_trial + length * (size_t)i, sizeof(double) * length);
        exchange(&fit->fitted, i);
    }
}

// windows that got worse are damped more, the others less
static void adapt_windows(trx_fit *fit)
{
    for (int i = 0; i < fit->fitted.count; i++) {
        double *damping = &fit->fitted.damping[i];
        const bool worse = !(fit->fitted.trial[i].objective <= fit->fitted.now[i].objective);
        *damping = worse ? fmin(fmax(10 * *damping, FIRST_DAMPING), 1e6) : *damping / 3;
    }
}

static bool record(trx_fit *fit, double objective, double damping, bool accepted)
{
    double step = 0;
    for (int i = 0; i < fit->sessions.count * fit->unknowns.count; i++) step = fmax(step, fabs(fit->dz[i]));
    const trx_fit_iteration row = {fit->info.rounds, fit->info.iterations, objective, damping, step, accepted};
    if (row.round >= 0 && fit->nrow < fit->row_capacity) fit->rows[fit->nrow++] = row;
    return !fit->progress || fit->progress(&row, fit->user);
}

double trxi_fit_objective_now(const trx_fit *fit)
{
    return objective_of(fit, fit->fitted.now, fit->values);
}

trx_status trxi_fit_minimize(trx_fit *fit, double rough)
{
    trxi_evaluate_all(fit, &fit->fitted, true);
    double objective = objective_of(fit, fit->fitted.now, fit->values);
    for (int i = 0; i < fit->fitted.count; i++)
        if (fit->fitted.now[i].status < 0) return fit->fitted.now[i].status;
    memset(fit->fitted.damping, 0, sizeof *fit->fitted.damping * (size_t)fit->fitted.count);
    double damping = FIRST_DAMPING, before = objective; // before: at the start of these CRAWL iterations
    int small = 0, refusals = 0;
    for (int iteration = 0; iteration < fit->settings.iterations; iteration++) {
        // the step of the damped normal equations, within the bounds
        if (!take_step(fit, damping)) {
            if ((damping *= 10) > MOST_DAMPING) return TRX_STALLED;
            continue;
        }
        const double predicted = move_starts(fit), least = fit->settings.tolerance * objective;

        // its objective, with derivatives for the next step
        evaluation_task task = {fit, &fit->fitted, fit->values_trial, true, true, 0};
        trxi_workers_run(fit->workers, fit->fitted.count, evaluate_one, &task);
        if (memory_status(&fit->fitted) < 0) return TRX_ERR_MEMORY;
        const double trial = objective_of(fit, fit->fitted.trial, fit->values_trial), decrease = objective - trial;
        const bool accepted = decrease > ACCEPTED_SHARE * predicted || (predicted < least && decrease >= 0);
        adapt_windows(fit);
        fit->info.iterations++;
        if (accepted) accept(fit), objective = trial;
        if (!record(fit, objective, damping, accepted)) return TRX_INTERRUPTED;

        // a pass on a part of the samples
        refusals = accepted ? 0 : refusals + 1;
        if (rough > 0 && (accepted ? decrease < rough * objective : refusals >= ROUGH_REFUSALS)) return TRX_OK;

        if ((iteration + 1) % CRAWL == 0) {
            if (before - objective < CRAWL_SHARE * objective) return TRX_OK;
            before = objective;
        }

        // small steps in a row, or no step at all
        const bool settled = damping < 1 && trxi_arrow_length(fit) < SETTLED_STEP && decrease < SETTLED_SHARE * objective;
        small = accepted && (decrease < least || settled) ? small + 1 : accepted ? 0 : small;
        if (small >= 3 || (predicted < 1e-3 * least && damping < 1)) return TRX_OK;
        damping = accepted ? fmax(damping / (decrease > 0.75 * predicted ? 10 : 3), LEAST_DAMPING) : damping * 8;
        if (damping > MOST_DAMPING) return predicted < least ? TRX_OK : TRX_STALLED;
    }
    return TRX_ITERATION_LIMIT;
}
