// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Identification (theory 10): windows, rounds of minimization with the noise estimated between them, held-out recordings, answer.

#include "fit/answer.h"
#include "fit/arrow.h"
#include "fit/channel.h"
#include "fit/fit.h"
#include "fit/minimize.h"
#include "fit/profile.h"
#include "fit/progress.h"
#include "fit/rollout.h"
#include "fit/solve.h"
#include "fit/starts.h"
#include "fit/step_channel.h"
#include "fit/state.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

enum { MOST_DOUBLINGS = 28 }; // of the samples on which start states are estimated
enum { MOST_ROWS = 1000000 }; // of the table of iterations; later ones are left out

trx_fit_settings trx_fit_settings_default(void)
{
    return (trx_fit_settings){.size = sizeof(trx_fit_settings), .iterations = 50, .rounds = 4, .tolerance = 1e-6, .huber = INFINITY,
                              .start_position = INFINITY, .start_velocity = INFINITY, .threads = 1, .starts = 1, .seed = 1};
}

// ---- checks ----

static trx_status refuse(trx_context *context, const char *what)
{
    return trxi_fail(context, TRX_ERR_ARGUMENT, "a fit needs %s", what);
}

static trx_status check_settings(trx_context *context, const trx_fit_settings *s)
{
    trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_fit_settings_default");
    if (status < 0) return status;
    if (s->iterations < 0 || s->rounds < 1) return refuse(context, "0 or more iterations and 1 or more rounds");
    if (!(s->tolerance > 0) || !(s->huber > 0)) return refuse(context, "a positive tolerance and a positive huber");
    if (!(s->start_position >= 0) || !(s->start_velocity >= 0)) return refuse(context, "deviations of starts from 0 on");
    if (s->starts < 1 || s->starts > 1000) return refuse(context, "1 to 1000 starts");
    if (s->threads < 1 || s->threads > 64) return refuse(context, "1 to 64 threads");
    return TRX_OK;
}

// poses of bodies do not have a derivative with respect to places of fixed bodies that carry them
static trx_status check_places(trx_context *context, const trx_fit_problem *p)
{
    bool poses = false;
    for (int i = 0; i < p->nchannel; i++)
        poses = poses || (trxi_channel_needs_poses(p->channels[i].kind) && !p->groups[p->channels[i].group].ignored);
    for (int i = 0; i < p->nparameter && poses; i++) {
        const trx_fit_parameter *parameter = &p->parameters[i];
        const trx_parameter_kind kind = parameter->of.kind;
        if (!parameter->signal && (kind == TRX_PLACE_POSITION || kind == TRX_PLACE_TURN))
            return trxi_fail(context, TRX_ERR_UNSUPPORTED, "not in this version: %s with recorded poses of bodies or frames",
                             parameter->name);
    }
    return TRX_OK;
}

// forces of a step are known in the symplectic scheme with convex contact, and contact forces without changes of geometry
static trx_status check_forces(trx_context *context, const trx_fit_problem *p)
{
    const char *contact = NULL, *any = NULL;
    for (int i = 0; i < p->nchannel; i++) {
        const trx_fit_channel *c = &p->channels[i];
        if (!trxi_channel_is_of_step(c->kind)) continue;
        if (!trxi_step_channel_exists(p->model, c))
            return trxi_fail(context, TRX_ERR_ARGUMENT, "%s: the model has no such channel", c->name);
        if (trxi_channel_is_force(c->kind)) any = c->name;
        if (c->kind == TRX_FIT_CONTACT_FORCE) contact = c->name;
    }
    if (any && (p->sim.scheme != TRX_SYMPLECTIC || p->sim.contact_model != TRX_CONTACT_CONVEX))
        return trxi_fail(context, TRX_ERR_UNSUPPORTED,
                         "not in this version: %s, a recorded force, in another scheme than symplectic or another contact model "
                         "than convex", any);
    for (int i = 0; i < p->nparameter && contact; i++)
        if (!p->parameters[i].signal && p->parameters[i].of.kind >= TRX_GEOM_SIZE)
            return trxi_fail(context, TRX_ERR_UNSUPPORTED, "not in this version: %s with recorded contact forces (%s)",
                             p->parameters[i].name, contact);
    return TRX_OK;
}

static trx_status check_profiles(trx_context *context, const trx_fit_problem *p)
{
    for (int i = 0; i < p->nparameter; i++) {
        const trx_fit_parameter *parameter = &p->parameters[i];
        if (parameter->profile && (parameter->per || parameter->same_as >= 0))
            return trxi_fail(context, TRX_ERR_UNSUPPORTED,
                             "not in this version: the profile of %s, which is tied or has several values", parameter->name);
    }
    return TRX_OK;
}

static trx_status check_folds(trx_context *context, const trx_fit_problem *p, int folds)
{
    int fitted = 0;
    for (int i = 0; i < p->nrecording; i++) fitted += !p->recordings[i].held_out;
    if (folds < 2 || folds > fitted)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "a cross-validation of %d recordings needs 2 to %d folds", fitted, fitted);
    for (int i = 0; i < p->nparameter; i++)
        if (p->parameters[i].per)
            return trxi_fail(context, TRX_ERR_UNSUPPORTED,
                             "not in this version: a cross-validation with parameters per recording or file");
    return TRX_OK;
}

static trx_status check_signals(trx_context *context, const trx_fit_problem *p)
{
    char flaw[TRXI_SIGNAL_FLAW];
    for (int i = 0; i < p->nparameter; i++)
        if (p->parameters[i].signal && trxi_channel_signal_flaw(p, i, flaw))
            return trxi_fail(context, TRX_ERR_ARGUMENT, "%s", flaw);
    double least, most;
    trxi_delay_range(p, &least, &most);
    if (!((most - least) / p->sim.time_step <= TRXI_MOST_WINDOW_STEPS))
        return trxi_fail(context, TRX_ERR_INPUT, "delays from %g to %g s are more than %d steps of %g s: give narrower min and max",
                         least, most, TRXI_MOST_WINDOW_STEPS, p->sim.time_step);
    return TRX_OK;
}

static trx_status check_recordings(trx_context *context, const trx_fit_problem *p)
{
    int fitted = 0;
    for (int i = 0; i < p->nrecording; i++) {
        const trx_fit_recording *r = &p->recordings[i];
        if (r->rows < 1 || !r->t || !r->values || r->window < 0)
            return trxi_fail(context, TRX_ERR_ARGUMENT, "%s: no rows, times or values, or a negative window", r->name);
        for (int k = 1; k < r->rows; k++)
            if (!(r->t[k] > r->t[k - 1]))
                return trxi_fail(context, TRX_ERR_INPUT, "%s: t does not increase at row %d", r->name, k);
        const double span = r->t[r->rows - 1] - r->t[0];
        if (!(span / p->sim.time_step <= TRXI_MOST_WINDOW_STEPS))
            return trxi_fail(context, TRX_ERR_INPUT, "%s: %g s are more than %d steps of %g s: check the unit of t", r->name, span,
                             TRXI_MOST_WINDOW_STEPS, p->sim.time_step);
        fitted += !r->held_out;
    }
    return fitted > 0 ? TRX_OK : refuse(context, "a recording that is not held out");
}

static trx_status check(trx_context *context, const trx_fit_problem *problem, const trx_fit_settings *settings)
{
    if (!problem || !settings || !problem->model || !problem->x0) return refuse(context,
                                                                                "a problem with a model and x0, and settings");
    trx_status status = check_settings(context, settings);
    if (status >= 0) status = check_recordings(context, problem);
    if (status >= 0) status = check_places(context, problem);
    if (status >= 0) status = check_forces(context, problem);
    if (status >= 0) status = check_signals(context, problem);
    if (status >= 0) status = check_profiles(context, problem);
    if (status >= 0 && settings->folds != 0) status = check_folds(context, problem, settings->folds);
    bool used = false;
    for (int i = 0; i < problem->nchannel; i++) used = used || !problem->groups[problem->channels[i].group].ignored;
    return status < 0 || used ? status : refuse(context, "a channel that is not ignored");
}

// ---- memory ----

static trx_status take_windows(trx_fit *fit, bool held_out, trxi_windows *w)
{
    trx_status status = trxi_windows_begin(fit->pool, &fit->problem, held_out, fit->settings.start_in_impacts, &w->list,
                                           &w->count);
    if (status < 0) return status;
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    const size_t count = (size_t)w->count, ns = (size_t)fit->benches[0].ns, np = (size_t)fit->unknowns.count, n = ns + np;
    const size_t groups = (size_t)fit->problem.ngroup;
    w->now = TRXI_POOL(fit->pool, trxi_evaluation, count + 1);
    w->trial = TRXI_POOL(fit->pool, trxi_evaluation, count + 1);
    w->eliminated = TRXI_POOL(fit->pool, trxi_eliminated, count + 1);
    w->damping = TRXI_POOL(fit->pool, double, count + 1);
    w->x_trial = TRXI_POOL(fit->pool, double, count * (size_t)(size.nq + size.nv) + 1);
    double *numbers = TRXI_POOL(fit->pool, double, count * (2 * (n * n + n) + ns * ns + ns * np + ns) + 1);
    trxi_group_sums *sums = TRXI_POOL(fit->pool, trxi_group_sums, 2 * count * groups + 1);
    w->x_kept = TRXI_POOL(fit->pool, double, count * (size_t)(size.nq + size.nv) + 1);
    w->x_best = TRXI_POOL(fit->pool, double, count * (size_t)(size.nq + size.nv) + 1);
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
    return status < 0 ? status : trxi_fit_starts_begin(fit);
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
    for (int g = 0; g < problem->ngroup; g++) fit->noise[g] = isnan(problem->groups[g].noise) ? 1 : problem->groups[g].noise;
    return TRX_OK;
}

void trx_fit_destroy(trx_fit *fit)
{
    if (!fit) return;
    for (int i = 0; fit->benches && i < fit->settings.threads; i++)
        if (fit->benches[i].context) trxi_bench_close(&fit->benches[i]);
    for (int i = 0; fit->contexts && i < fit->settings.threads; i++) trx_context_destroy(fit->contexts[i]);
    trxi_workers_destroy(fit->workers);
    trxi_journal_destroy(&fit->journal);
    trxi_pool_destroy(fit->pool);
    trxi_release(fit->context, fit);
}

// ---- the fit ----

static trx_status run(trx_fit *fit)
{
    const double begun = trx_clock();
    trx_status status = fit->settings.save ? trxi_evaluate_all(fit, &fit->fitted, TRXI_VALUE) : TRX_OK, answered;
    if (status >= 0) status = trxi_progress_begin(fit);
    if (status >= 0) status = trxi_fit_starts(fit);
    if (status < 0) return status;
    if ((answered = trxi_settle_anew(fit, &fit->held, 1)) < 0) return trxi_fit_failure(fit, answered);
    if ((answered = trxi_answer(fit)) < 0 || (answered = trxi_rollouts(fit)) < 0) return answered;
    trx_fit_info *info = &fit->info;
    info->objective = trxi_fit_objective_now(fit);
    info->windows = fit->fitted.count;
    info->held_windows = fit->held.count;
    info->nparameter = fit->sessions.nentry;
    info->nfree = trxi_sessions_free(&fit->sessions, &fit->unknowns);
    info->ngroup = fit->problem.ngroup;
    info->nrecording = fit->problem.nrecording;
    if (status != TRX_INTERRUPTED && (answered = trxi_fit_profiles(fit)) != TRX_OK) status = answered;
    info->status = status;
    info->seconds = trx_clock() - begun;
    return status;
}

trx_status trx_fit_run(trx_context *context, const trx_fit_problem *problem, const trx_fit_settings *settings,
                       trx_fit_progress progress, void *user, trx_fit **fit)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!fit) return refuse(context, "a place for the result");
    *fit = NULL;
    trx_status status = check(context, problem, settings);
    if (status < 0) return status;
    trx_fit *made = NULL;
    status = trxi_fit_create(context, problem, settings, &made);
    if (status >= 0) {
        made->progress = progress;
        made->user = user;
        status = run(made);
    }
    if (status < 0) trx_fit_destroy(made);
    else *fit = made;
    return status;
}

// the gradient of every session's unknowns, in the order of the entries; shared ones sum up over the sessions
static void order_gradient(const trx_fit *fit, double *gradient)
{
    const trxi_unknowns *u = &fit->unknowns;
    int at = 0;
    for (int e = 0; e < fit->sessions.nentry; e++) {
        const trxi_entry *entry = &fit->sessions.entries[e];
        const int k = u->unknown_of[entry->parameter];
        if (u->parameter_of[k] != entry->parameter) continue;
        gradient[at] = 0;
        for (int c = 0; c < fit->sessions.count; c++)
            if (entry->session < 0 || entry->session == c) gradient[at] += fit->dz[c * u->count + k];
        at++;
    }
}

static trx_status evaluate_at(trx_fit *fit, const double *values, double *objective, double *gradient)
{
    const trxi_unknowns *u = &fit->unknowns;
    const int ns = fit->benches[0].ns;
    double *of_sessions = fit->dz;
    trxi_sessions_from_entries(&fit->sessions, u, values, fit->z);
    trxi_sessions_values(&fit->sessions, u, fit->z, fit->values);
    trxi_evaluate_all(fit, &fit->fitted, gradient ? TRXI_BY_ALL : TRXI_VALUE);
    for (int i = 0; i < fit->fitted.count; i++)
        if (fit->fitted.now[i].status < 0) return trxi_fit_failure(fit, fit->fitted.now[i].status);
    if (objective) *objective = trxi_fit_objective_now(fit);
    if (!gradient) return TRX_OK;
    memset(of_sessions, 0, sizeof *of_sessions * (size_t)(fit->sessions.count * u->count));
    for (int c = 0; c < fit->sessions.count; c++)
        trxi_unknowns_prior(u, c == 0 ? u->count : u->local, fit->z + c * u->count, of_sessions + c * u->count, NULL, 0);
    for (int i = 0; i < fit->fitted.count; i++) {
        const int c = fit->sessions.of_recording[fit->fitted.list[i].recording];
        for (int k = 0; k < u->count; k++) of_sessions[c * u->count + k] += fit->fitted.now[i].g[ns + k];
    }
    order_gradient(fit, gradient);
    return TRX_OK;
}

trx_status trx_fit_objective(trx_context *context, const trx_fit_problem *problem, const trx_fit_settings *settings,
                             const double *values, double *objective, double *gradient)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    trx_status status = values ? check(context, problem, settings) : refuse(context, "values");
    if (status < 0) return status;
    trx_fit *fit = NULL;
    status = trxi_fit_create(context, problem, settings, &fit);
    if (status >= 0) status = evaluate_at(fit, values, objective, gradient);
    trx_fit_destroy(fit);
    return status;
}
