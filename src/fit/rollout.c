// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Whole recordings (theory 10); see rollout.h. A recording is simulated as one window from several first states: the state of
// its first window, the first guess of this state, and for held-out recordings the state that the first samples give.

#include "fit/rollout.h"

#include "fit/channel.h"
#include "fit/residuals.h"

#include <math.h>

static const trxi_window *first_window(const trx_fit *fit, int recording)
{
    const trxi_windows *windows = fit->problem.recordings[recording].held_out ? &fit->held : &fit->fitted;
    for (int i = 0; i < windows->count; i++)
        if (windows->list[i].recording == recording) return &windows->list[i];
    return NULL;
}

// mean length of the residuals of all groups of positions, or of all groups of rotations; NAN: there are none
static double mean_error(const trx_fit *fit, const trxi_group_sums *sums, bool position)
{
    const trx_fit_problem *p = &fit->problem;
    double norms = 0;
    long long samples = 0;
    for (int g = 0; g < p->ngroup; g++)
        for (int i = 0; i < p->nchannel; i++) {
            const trx_fit_channel_kind kind = p->channels[i].kind;
            if (p->channels[i].group != g || kind == TRX_FIT_VELOCITY || trxi_channel_is_of_step(kind)) continue;
            if (trxi_channel_is_position(p->model, &p->channels[i]) == position) {
                norms += sums[g].norms;
                samples += sums[g].samples;
            }
            break;
        }
    return samples > 0 ? norms / (double)samples : NAN;
}

typedef struct rollout_task {
    trx_fit *fit;
    trxi_evaluation *evaluations; // one per thread
} rollout_task;

// mean errors of a recording from a start state; NAN where a step fails
static trx_status errors_from(trx_fit *fit, trxi_bench *bench, const trxi_window *whole, const double *x, trxi_evaluation *e,
                              double *position, double *rotation)
{
    trxi_evaluate(bench, whole, x, fit->noise, TRXI_VALUE, e);
    if (e->status < 0) return e->status;
    *position = mean_error(fit, e->sums, true);
    *rotation = mean_error(fit, e->sums, false);
    return TRX_OK;
}

static void predict(int worker, int recording, void *user)
{
    const rollout_task *task = user;
    trx_fit *fit = task->fit;
    trxi_bench *bench = &fit->benches[worker];
    trxi_evaluation *e = &task->evaluations[worker];
    trx_fit_recording_info *info = &fit->recordings[recording];
    const trx_fit_recording *r = &fit->problem.recordings[recording];
    const trxi_window *first = first_window(fit, recording);
    *info = (trx_fit_recording_info){.name = r->name, .held_out = r->held_out, .rows = r->rows, .position = NAN, .rotation = NAN,
                                     .guess_position = NAN, .guess_rotation = NAN, .early_position = NAN, .early_rotation = NAN};
    if (!first) return;
    const trxi_window whole = {.recording = recording, .rows = r->rows, .begin = first->begin, .guess = first->guess};
    info->status = trxi_bench_set(bench, trxi_sessions_of(&fit->sessions, &fit->unknowns, fit->values, recording));
    if (info->status < 0) return;
    e->residuals = trxi_residuals_of(fit, fit->whole, recording);
    info->status = errors_from(fit, bench, &whole, first->x, e, &info->position, &info->rotation);
    e->residuals = NULL;
    errors_from(fit, bench, &whole, first->guess, e, &info->guess_position, &info->guess_rotation);
    if (!r->held_out) return;
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    const double *early = fit->held.x_kept + (size_t)size.nstate * (size_t)(first - fit->held.list);
    errors_from(fit, bench, &whole, early, e, &info->early_position, &info->early_rotation);
}

trx_status trxi_rollouts(trx_fit *fit)
{
    const int n = fit->benches[0].ns + fit->benches[0].np, threads = fit->settings.threads;
    rollout_task task = {fit, TRXI_POOL(fit->pool, trxi_evaluation, threads)};
    if (!task.evaluations || trxi_residuals_take(fit, &fit->whole) < 0) return TRX_ERR_MEMORY;
    for (int i = 0; i < threads; i++) {
        trxi_evaluation *e = &task.evaluations[i];
        e->H = TRXI_POOL(fit->pool, double, n * n + 1);
        e->g = TRXI_POOL(fit->pool, double, n + 1);
        e->sums = TRXI_POOL(fit->pool, trxi_group_sums, fit->problem.ngroup + 1);
        if (!e->H || !e->g || !e->sums) return TRX_ERR_MEMORY;
    }
    trxi_workers_run(fit->workers, fit->problem.nrecording, predict, &task);
    for (int i = 0; i < fit->problem.nrecording; i++)
        if (fit->recordings[i].status == TRX_ERR_MEMORY) return TRX_ERR_MEMORY;
    return TRX_OK;
}
