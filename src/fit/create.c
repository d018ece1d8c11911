// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The memory of an identification (theory 10); see create.h. All of it is taken here: windows with their normal
// equations, the unknowns of every session, the table of iterations, and a simulator per thread.

#include "fit/create.h"

#include "fit/arrow.h"
#include "fit/ipopt.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

enum { MOST_DOUBLINGS = 28 }; // passes before the rounds, each with twice the samples of the last: they have rows in the table too
enum { MOST_ROWS = 1000000 }; // of the table of iterations; later ones are left out

// copies the velocities of x0 to the first windows of recordings if the settings have a standard deviation of first velocities
static void set_first_velocities(trx_fit *fit, trxi_windows *w)
{
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    const size_t bytes = sizeof(double) * (size_t)size.nv;
    for (int i = 0; i < w->count && isfinite(fit->settings.first_velocity); i++) {
        if (w->list[i].first_row > 0) continue;
        memcpy(w->list[i].guess + size.nq, fit->problem.x0 + size.nq, bytes);
        memcpy(w->list[i].x + size.nq, fit->problem.x0 + size.nq, bytes);
    }
}

static trx_status take_windows(trx_fit *fit, bool held_out, trxi_windows *w)
{
    trx_status status = trxi_windows_begin(fit->pool, &fit->problem, held_out, fit->settings.start_in_impacts, &w->list,
                                           &w->count);
    if (status < 0) return status;
    set_first_velocities(fit, w);
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    const size_t count = (size_t)w->count, ns = (size_t)fit->benches[0].ns, np = (size_t)fit->unknowns.count, n = ns + np;
    const size_t groups = (size_t)fit->problem.ngroup;
    w->now = TRXI_POOL(fit->pool, trxi_evaluation, count + 1);
    w->trial = TRXI_POOL(fit->pool, trxi_evaluation, count + 1);
    w->eliminated = TRXI_POOL(fit->pool, trxi_eliminated, count + 1);
    w->damping = TRXI_POOL(fit->pool, double, count + 1);
    w->x_trial = TRXI_POOL(fit->pool, double, count * (size_t)size.nstate + 1);
    double *numbers = TRXI_POOL(fit->pool, double, count * (2 * (n * n + n) + ns * ns + ns * np + ns) + 1);
    trxi_group_sums *sums = TRXI_POOL(fit->pool, trxi_group_sums, 2 * count * groups + 1);
    w->x_kept = TRXI_POOL(fit->pool, double, count * (size_t)size.nstate + 1);
    w->x_best = TRXI_POOL(fit->pool, double, count * (size_t)size.nstate + 1);
    w->kept = TRXI_POOL(fit->pool, double, count + 1);
    if (!w->now || !w->trial || !w->eliminated || !w->damping || !w->x_trial || !w->x_kept || !w->x_best || !w->kept ||
        !numbers || !sums)
        return TRX_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        trxi_evaluation *both[2] = {&w->now[i], &w->trial[i]};
        for (int k = 0; k < 2; k++) {
            both[k]->H = numbers, both[k]->g = numbers + n * n, both[k]->sums = sums;
            numbers += n * n + n, sums += groups;
        }
        w->eliminated[i] = (trxi_eliminated){numbers, numbers + ns * ns, numbers + ns * ns + ns * np};
        numbers += ns * ns + ns * np + ns;
    }
    return TRX_OK;
}

static trx_status take_starts(trx_fit *fit)
{
    const size_t starts = (size_t)fit->settings.starts, values = (size_t)fit->sessions.nentry;
    const size_t unknowns = (size_t)fit->sessions.count * (size_t)fit->unknowns.count;
    fit->starts = TRXI_POOL(fit->pool, trx_fit_start, starts);
    double *numbers = TRXI_POOL(fit->pool, double, 2 * starts * values + 1);
    fit->best_z = TRXI_POOL(fit->pool, double, unknowns + 1);
    fit->best_noise = TRXI_POOL(fit->pool, double, fit->problem.ngroup + 1);
    if (!fit->starts || !numbers || !fit->best_z || !fit->best_noise) return TRX_ERR_MEMORY;
    for (size_t i = 0; i < starts; i++, numbers += 2 * values)
        fit->starts[i] = (trx_fit_start){.from = numbers, .to = numbers + values, .cost = INFINITY};
    return TRX_OK;
}

static trx_status take_numbers(trx_fit *fit)
{
    const size_t np = (size_t)fit->unknowns.count, n = np + (size_t)fit->benches[0].ns, sessions = (size_t)fit->sessions.count;
    const size_t values = (sessions + 1) * (size_t)fit->problem.nparameter;
    fit->z = TRXI_POOL(fit->pool, double, sessions * np + 1);
    fit->z_trial = TRXI_POOL(fit->pool, double, sessions * np + 1);
    fit->values = TRXI_POOL(fit->pool, double, values + 1);
    fit->values_trial = TRXI_POOL(fit->pool, double, values + 1);
    fit->noise = TRXI_POOL(fit->pool, double, fit->problem.ngroup + 1);
    fit->dz = TRXI_POOL(fit->pool, double, sessions * np + 1);
    fit->scratch = TRXI_POOL(fit->pool, double, n + 2 * np + 1);
    const double solves = (2.0 * fit->settings.rounds + MOST_DOUBLINGS) * fit->settings.starts;
    fit->row_capacity = (int)fmin(fit->settings.iterations * solves, MOST_ROWS);
    fit->rows = TRXI_POOL(fit->pool, trx_fit_iteration, fit->row_capacity + 1);
    fit->recordings = TRXI_POOL(fit->pool, trx_fit_recording_info, fit->problem.nrecording + 1);
    if (!fit->z || !fit->z_trial || !fit->values || !fit->values_trial || !fit->noise || !fit->dz || !fit->scratch ||
        !fit->rows || !fit->recordings)
        return TRX_ERR_MEMORY;
    const trx_status status = trxi_arrow_begin(fit);
    return status < 0 ? status : take_starts(fit);
}

// a simulator per thread, in a context of its own
static trx_status open_benches(trx_fit *fit)
{
    const int threads = fit->settings.threads;
    trx_context_settings own = trx_context_settings_default();
    own.allocator = *trxi_allocator(fit->context);
    fit->contexts = TRXI_POOL(fit->pool, trx_context *, threads);
    fit->benches = TRXI_POOL(fit->pool, trxi_bench, threads);
    if (!fit->contexts || !fit->benches) return TRX_ERR_MEMORY;
    trx_status status = trxi_workers_create(fit->context, threads, &fit->workers);
    for (int i = 0; i < threads && status >= 0; i++) {
        status = trx_context_create(&own, &fit->contexts[i]);
        if (status >= 0)
            status = trxi_bench_open(&fit->problem, &fit->settings, &fit->unknowns, fit->contexts[i], &fit->benches[i]);
    }
    return status;
}

trx_status trxi_fit_create(trx_context *context, const trx_fit_problem *problem, const trx_fit_settings *settings, trx_fit **made)
{
    trx_fit *fit = *made = trxi_allocate(context, sizeof *fit);
    if (!fit) return TRX_ERR_MEMORY;
    *fit = (trx_fit){.context = context, .pool = trxi_pool_create(context), .problem = *problem, .settings = *settings};
    if (!fit->pool) return TRX_ERR_MEMORY;
    trx_status status = trxi_unknowns_begin(context, fit->pool, problem, &fit->unknowns);
    if (status >= 0) status = trxi_sessions_begin(context, fit->pool, problem, &fit->sessions);
    if (status >= 0) status = open_benches(fit);
    if (status >= 0) status = take_numbers(fit);
    if (status >= 0) status = take_windows(fit, false, &fit->fitted);
    if (status >= 0) status = take_windows(fit, true, &fit->held);
    if (status < 0) return status;
    for (int i = 0; i < fit->sessions.count; i++)
        memcpy(fit->z + i * fit->unknowns.count, fit->unknowns.start, sizeof *fit->z * (size_t)fit->unknowns.count);
    trxi_sessions_values(&fit->sessions, &fit->unknowns, fit->z, fit->values);
    if (settings->solver == TRX_FIT_IPOPT && (status = trxi_fit_ipopt_begin(fit)) < 0) return status;
    for (int g = 0; g < problem->ngroup; g++) fit->noise[g] = isnan(problem->groups[g].noise) ? 1 : problem->groups[g].noise;
    return TRX_OK;
}

void trx_fit_destroy(trx_fit *fit)
{
    if (!fit) return;
    for (int i = 0; fit->benches && i < fit->settings.threads; i++)
        if (fit->benches[i].context) trxi_bench_close(&fit->benches[i]);
    for (int i = 0; fit->contexts && i < fit->settings.threads; i++) trx_context_destroy(fit->contexts[i]);
    trxi_fit_ipopt_end(fit);
    trxi_workers_destroy(fit->workers);
    trxi_journal_destroy(&fit->journal);
    trxi_pool_destroy(fit->pool);
    trxi_release(fit->context, fit);
}
