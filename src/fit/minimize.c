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
#include "fit/progress.h"
#include "fit/settle.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double FIRST_DAMPING = 1e-3, LEAST_DAMPING = 1e-12, MOST_DAMPING = 1e12;
static const double SETTLED_STEP = 1e-2;   // in standard deviations: smaller steps of the unknowns no longer matter
static const double LEFT_SHARE = 0.1;      // least share of the predicted decrease that is taken to remain after a step
static const double SETTLED_SHARE = 1e-4;  // of the objective: the decrease while only start states move
static const double ACCEPTED_SHARE = 1e-3; // of the predicted decrease
enum { ROUGH_REFUSALS = 3 };               // in a row, which end a rough pass
static const double MOST_CARRIED = 1;      // most damping with which a solve begins after another one

// Impacts make edges in the objective, along which a solve takes short steps. A solve ends when CRAWL iterations lower the
// objective by a decrease that does not count and at least one of their steps was refused
enum { CRAWL = 6 };

static const double COUNTS_SHARE = 3e-3; // of the objective
static const double COUNTS = 0.02;       // decrease that counts with known noise: a value that is off by a fifth of its deviation
static const double EXPECTED = 0.5;      // objective per residual if the model is right and the noise is known

static size_t state_size(const trx_fit *fit)
{
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    return (size_t)size.nstate;
}

// ---- coming back ----

void trxi_fit_keep(const trx_fit *fit, double *z, double *x)
{
    const size_t length = state_size(fit);
    memcpy(z, fit->z, sizeof *z * (size_t)(fit->unknowns.count * fit->sessions.count));
    for (int i = 0; i < fit->fitted.count; i++) memcpy(x + length * (size_t)i, fit->fitted.list[i].x, length * sizeof *x);
}

void trxi_fit_restore(trx_fit *fit, const double *z, const double *x)
{
    const size_t length = state_size(fit);
    memcpy(fit->z, z, sizeof *z * (size_t)(fit->unknowns.count * fit->sessions.count));
    for (int i = 0; i < fit->fitted.count; i++) memcpy(fit->fitted.list[i].x, x + length * (size_t)i, length * sizeof *x);
    trxi_sessions_values(&fit->sessions, &fit->unknowns, fit->z, fit->values);
}

// ---- evaluation ----

void trxi_windows_exchange(trxi_windows *windows)
{
    trxi_evaluation *now = windows->now;
    windows->now = windows->trial;
    windows->trial = now;
}

typedef struct evaluation_task {
    trx_fit *fit;
    trxi_windows *windows;
    const double *values;
    trxi_derivatives derivatives;
    trxi_settling settling; // of start states
} evaluation_task;

// the bench with the values of a window's session; NULL: a value that is not allowed, or no memory, which becomes the result
static trxi_bench *set_bench(const evaluation_task *task, int worker, int index, trxi_evaluation *result)
{
    trx_fit *fit = task->fit;
    trxi_bench *bench = &fit->benches[worker];
    const double *values = trxi_sessions_of(&fit->sessions, &fit->unknowns, task->values, task->windows->list[index].recording);
    const trx_status status = trxi_bench_set(bench, values);
    if (status >= 0) return bench;
    result->status = status, result->objective = INFINITY;
    return NULL;
}

static void evaluate_one(int worker, int index, void *user)
{
    const evaluation_task *task = user;
    const trxi_window *w = &task->windows->list[index];
    trxi_evaluation *now = &task->windows->now[index];
    trxi_bench *bench = set_bench(task, worker, index, now);
    if (bench) trxi_evaluate(bench, w, w->x, task->fit->noise, task->derivatives, now);
}

static void try_one(int worker, int index, void *user)
{
    const evaluation_task *task = user;
    const double *x = task->windows->x_trial + state_size(task->fit) * (size_t)index;
    trxi_evaluation *trial = &task->windows->trial[index];
    trxi_bench *bench = set_bench(task, worker, index, trial);
    if (bench) trxi_evaluate(bench, &task->windows->list[index], x, task->fit->noise, task->derivatives, trial);
}

// a window whose objective rises keeps its start state if the new values are better with it
static void hold_one(int worker, int index, void *user)
{
    const evaluation_task *task = user;
    const trxi_windows *windows = task->windows;
    const trxi_window *w = &windows->list[index];
    trxi_evaluation *trial = &windows->trial[index];
    trxi_bench *bench = set_bench(task, worker, index, trial);
    if (!bench || bench->ns == 0 || trial->objective <= windows->now[index].objective) return;
    trxi_evaluate_below(bench, w, w->x, task->fit->noise, trial->objective, &bench->spare);
    if (bench->spare.status == TRX_ERR_MEMORY) trial->status = bench->spare.status;
    if (!(bench->spare.objective < trial->objective)) return;
    memcpy(windows->x_trial + state_size(task->fit) * (size_t)index, w->x, state_size(task->fit) * sizeof *w->x);
    if (task->derivatives == TRXI_VALUE) trxi_evaluation_copy_value(bench, &bench->spare, trial);
    else trxi_evaluate(bench, w, w->x, task->fit->noise, task->derivatives, trial);
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

trx_status trxi_evaluate_all(trx_fit *fit, trxi_windows *windows, trxi_derivatives derivatives)
{
    evaluation_task task = {.fit = fit, .windows = windows, .values = fit->values, .derivatives = derivatives};
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

static void settle_one(int worker, int index, void *user)
{
    const evaluation_task *task = user;
    trxi_windows *windows = task->windows;
    trxi_window *w = &windows->list[index];
    trxi_evaluation *now = &windows->now[index];
    const trxi_settling *settling = &task->settling;
    trxi_bench *bench = set_bench(task, worker, index, now);
    if (!bench) return;
    trxi_evaluate(bench, w, w->x, settling->noise, TRXI_BY_START, now);
    if (now->status == TRX_ERR_MEMORY) return;
    if (!isfinite(now->objective)) {
        memcpy(w->x, w->guess, state_size(task->fit) * sizeof *w->x);
        trxi_evaluate(bench, w, w->x, settling->noise, TRXI_BY_START, now);
    }
    if (bench->ns > 0) trxi_start_improve(bench, w, settling, &windows->eliminated[index], w->x, now);
}

trx_status trxi_settle_starts(trx_fit *fit, trxi_windows *windows, int iterations, double tolerance)
{
    evaluation_task task = {.fit = fit, .windows = windows, .values = fit->values,
                            .settling = {.noise = fit->noise, .iterations = iterations, .tolerance = tolerance}};
    trx_status status;
    if (trxi_progress_recall(fit, windows, &status)) return status;
    trxi_workers_run(fit->workers, windows->count, settle_one, &task);
    status = memory_status(windows);
    if (status >= 0) trxi_progress_keep(fit, windows, status);
    return status;
}

// ---- the step of the unknowns ----

static bool take_step(trx_fit *fit, double damping)
{
    if (!trxi_arrow_sum(fit, damping, fit->fitted.damping)) return false;
    trxi_arrow_priors(fit);
    return trxi_arrow_step(fit, damping);
}

// ---- the iteration ----

static double objective_of(const trx_fit *fit, const trxi_evaluation *evaluations, const double *z)
{
    return sum_objectives(evaluations, fit->fitted.count) + trxi_sessions_prior(&fit->sessions, &fit->unknowns, z);
}

// moves all start states; returns the decrease of the objective: predicted for the windows, exact for the priors
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
        if (ns > 0) trx_model_integrate_state(fit->problem.model, fit->fitted.list[i].x, b->step, x);
        else memcpy(x, fit->fitted.list[i].x, state_size(fit) * sizeof *x);
    }
    return predicted + trxi_sessions_prior(&fit->sessions, &fit->unknowns, fit->z) -
           trxi_sessions_prior(&fit->sessions, &fit->unknowns, fit->z_trial);
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

// raises the damping of windows that got worse and lowers the damping of the others; returns the number of windows that got worse
static int adapt_windows(trx_fit *fit)
{
    int count = 0;
    for (int i = 0; i < fit->fitted.count; i++) {
        double *damping = &fit->fitted.damping[i];
        const bool worse = !(fit->fitted.trial[i].objective <= fit->fitted.now[i].objective);
        *damping = worse ? fmin(fmax(10 * *damping, FIRST_DAMPING), 1e6) : *damping / 3;
        count += worse;
    }
    return count;
}

bool trxi_fit_record(trx_fit *fit, double objective, double damping, bool accepted)
{
    double step = 0;
    for (int i = 0; i < fit->sessions.count * fit->unknowns.count; i++) step = fmax(step, fabs(fit->dz[i]));
    const trx_fit_iteration row = {fit->info.rounds, fit->info.iterations, objective, damping, step, accepted, fit->start};
    if (row.round >= 0 && fit->nrow < fit->row_capacity) fit->rows[fit->nrow++] = row;
    return !fit->progress || fit->progress(&row, fit->user);
}

double trxi_fit_objective_now(const trx_fit *fit)
{
    return objective_of(fit, fit->fitted.now, fit->z);
}

double trxi_fit_evaluate_trial(trx_fit *fit, trxi_derivatives derivatives)
{
    evaluation_task task = {.fit = fit, .windows = &fit->fitted, .values = fit->values_trial, .derivatives = derivatives};
    trxi_workers_run(fit->workers, fit->fitted.count, try_one, &task);
    return objective_of(fit, fit->fitted.trial, fit->z_trial);
}

bool trxi_fit_has_no_memory(const trx_fit *fit)
{
    return memory_status(&fit->fitted) < 0;
}

double trxi_fit_numbers(const trx_fit *fit)
{
    double sum = 0;
    for (int i = 0; i < fit->fitted.count; i++)
        for (int g = 0; g < fit->problem.ngroup && fit->fitted.now[i].status >= 0; g++)
            sum += (double)fit->fitted.now[i].sums[g].count;
    return sum;
}

// mean square of the residuals / its expectation by the noise alone; at least 1
static double misfit(const trx_fit *fit, double objective)
{
    return fmax(1, objective / (EXPECTED * fmax(1, trxi_fit_numbers(fit))));
}

bool trxi_fit_counts(const trx_fit *fit, double decrease, double objective)
{
    bool known = true;
    for (int g = 0; g < fit->problem.ngroup; g++) known = known && !isnan(fit->problem.groups[g].noise);
    const double share = COUNTS_SHARE * objective;
    return decrease > (known ? fmin(COUNTS * misfit(fit, objective), share) : share);
}

static bool is_better(double decrease, double predicted, double least)
{
    return decrease > ACCEPTED_SHARE * predicted || (predicted < least && decrease >= 0);
}

// Evaluates the trial, accepts it if it is better, and returns its objective. One window with an impact at another time can
// raise the objective of a step that is good for all others. So a refused step is tried again, and windows that got worse keep
// their start states.
static double try_step(trx_fit *fit, evaluation_task *task, double objective, double predicted, bool *accepted)
{
    const double least = fit->settings.tolerance * objective;
    trxi_workers_run(fit->workers, fit->fitted.count, try_one, task);
    double trial = objective_of(fit, fit->fitted.trial, fit->z_trial);
    *accepted = is_better(objective - trial, predicted, least);
    if (!*accepted && fit->rough > 0 && memory_status(&fit->fitted) >= 0) {
        trxi_workers_run(fit->workers, fit->fitted.count, hold_one, task);
        trial = objective_of(fit, fit->fitted.trial, fit->z_trial);
        *accepted = is_better(objective - trial, predicted, least);
    }
    fit->rough = adapt_windows(fit);
    if (!*accepted) return trial;
    accept(fit);
    fit->stale = task->derivatives == TRXI_VALUE;
    return trial;
}

// derivatives at the present values, if they are missing or wanted anew
static void refresh(trx_fit *fit, bool anew)
{
    if (anew || fit->stale) trxi_evaluate_all(fit, &fit->fitted, TRXI_BY_ALL);
    fit->stale = false;
}

// the first iteration, or the one from which an interrupted fit goes on, with all derivatives
static trx_status begin(trx_fit *fit, trxi_descent *d)
{
    const bool again = trxi_progress_recall_descent(fit, d);
    refresh(fit, true);
    for (int i = 0; i < fit->fitted.count; i++)
        if (fit->fitted.now[i].status < 0) return fit->fitted.now[i].status;
    if (again) return TRX_OK;
    const double objective = objective_of(fit, fit->fitted.now, fit->z);
    memset(fit->fitted.damping, 0, sizeof *fit->fitted.damping * (size_t)fit->fitted.count);
    fit->rough = 0;
    *d = (trxi_descent){.objective = objective, .before = objective,
                        .damping = fmin(fmax(fit->damping, FIRST_DAMPING), MOST_CARRIED)};
    return TRX_OK;
}

trx_status trxi_fit_descend(trx_fit *fit, double rough)
{
    trxi_descent d;
    const trx_status begun = begin(fit, &d);
    if (begun < 0) return begun;
    for (; d.iteration < fit->settings.iterations; d.iteration++) {
        trxi_progress_keep_descent(fit, &d);
        refresh(fit, false);

        // the step of the damped normal equations, within the bounds
        if (!take_step(fit, d.damping)) {
            if ((d.damping *= 10) > MOST_DAMPING) return TRX_STALLED;
            continue;
        }
        const double predicted = move_starts(fit), least = fit->settings.tolerance * d.objective;

        // the objective after the step. Derivatives for the next step are computed with it, unless many windows are rough, because
        // then few steps are accepted, or this step is the last
        evaluation_task task = {.fit = fit, .windows = &fit->fitted, .values = fit->values_trial,
                                .derivatives = 4 * fit->rough > fit->fitted.count || rough >= 1 ? TRXI_VALUE : TRXI_BY_ALL};
        bool accepted;
        const double decrease = d.objective - try_step(fit, &task, d.objective, predicted, &accepted);
        if (memory_status(&fit->fitted) < 0) return TRX_ERR_MEMORY;
        fit->info.iterations++;
        if (accepted) d.objective -= decrease;
        if (!trxi_fit_record(fit, d.objective, d.damping, accepted)) return TRX_INTERRUPTED;

        // a pass on a part of the samples
        d.refusals = accepted ? 0 : d.refusals + 1;
        if (rough > 0 && (accepted ? decrease < rough * d.objective : d.refusals >= ROUGH_REFUSALS)) return TRX_OK;

        d.refused += !accepted;
        if ((d.iteration + 1) % CRAWL == 0) {
            if (fit->info.rounds >= 0 && d.refused > 0 && !trxi_fit_counts(fit, d.before - d.objective, d.objective)) return TRX_OK;
            d.before = d.objective, d.refused = 0;
        }

        // the solve ends after three small steps, after a step whose successors will be small, or if no step promises a decrease
        const bool settled = d.damping < 1 && trxi_arrow_length(fit) < SETTLED_STEP && decrease < SETTLED_SHARE * d.objective;
        d.small = accepted && (decrease < least || settled) ? d.small + 1 : accepted ? 0 : d.small;
        const double left = fmax(fabs(1 - decrease / predicted), LEFT_SHARE);
        const bool foreseen = accepted && d.damping <= FIRST_DAMPING && left * left * predicted < least;
        if (d.small >= 3 || foreseen || (predicted < 1e-3 * least && d.damping < 1)) return TRX_OK;
        fit->damping = d.damping;
        d.damping = accepted ? fmax(d.damping / (decrease > 0.75 * predicted ? 10 : 3), LEAST_DAMPING) : d.damping * 8;
        if (d.damping > MOST_DAMPING) return predicted < least ? TRX_OK : TRX_STALLED;
    }
    return TRX_ITERATION_LIMIT;
}
