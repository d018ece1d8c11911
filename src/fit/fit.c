// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Identification (theory 10): windows, rounds of minimization with the noise estimated between them, held-out recordings, answer.

#include "fit/answer.h"
#include "fit/channel.h"
#include "fit/create.h"
#include "fit/half_step.h"
#include "fit/minimize.h"
#include "fit/parabola.h"
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

trx_fit_settings trx_fit_settings_default(void)
{
    return (trx_fit_settings){.size = sizeof(trx_fit_settings), .iterations = 50, .rounds = 4, .tolerance = 1e-6, .huber = INFINITY,
                              .start_position = INFINITY, .start_velocity = INFINITY,
                              .first_velocity = INFINITY, .start_activation = INFINITY, .threads = 1, .starts = 1, .seed = 1};
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
    if ((unsigned)s->solver > TRX_FIT_IPOPT) return refuse(context, "a known solver");
    if (s->iterations < 0 || s->rounds < 1) return refuse(context, "0 or more iterations and 1 or more rounds");
    if (!(s->tolerance > 0) || !(s->huber > 0)) return refuse(context, "a positive tolerance and a positive huber");
    if (!(s->start_position >= 0) || !(s->start_velocity >= 0) || !(s->first_velocity >= 0) || !(s->start_activation >= 0))
        return refuse(context, "deviations of starts from 0 on");
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

// ---- the fit ----

static trx_status run(trx_fit *fit)
{
    const double begun = trx_clock();
    trx_status status = fit->settings.save ? trxi_evaluate_all(fit, &fit->fitted, TRXI_VALUE) : TRX_OK, answered;
    if (status >= 0) status = trxi_progress_begin(fit);
    if (status >= 0) status = trxi_fit_starts(fit);
    if (status < 0) return status;
    if ((answered = trxi_settle_anew(fit, &fit->held, 1)) < 0)
        return trxi_fit_failure(fit, answered, "in recordings that are held out");
    if ((answered = trxi_answer(fit)) < 0 || (answered = trxi_rollouts(fit)) < 0) return answered;
    trx_fit_info *info = &fit->info;
    info->objective = trxi_fit_objective_now(fit);
    info->windows = fit->fitted.count;
    info->held_windows = fit->held.count;
    info->roughness = NAN;
    info->nparameter = fit->sessions.nentry;
    info->nfree = trxi_sessions_free(&fit->sessions, &fit->unknowns);
    info->ngroup = fit->problem.ngroup;
    info->nrecording = fit->problem.nrecording;
    if (status != TRX_INTERRUPTED && (answered = trxi_half_step(fit)) < 0) return answered;
    if (status != TRX_INTERRUPTED && (answered = trxi_parabola(fit)) < 0) return answered;
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
        if (fit->fitted.now[i].status < 0) return trxi_fit_failure(fit, fit->fitted.now[i].status, "at these values");
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
