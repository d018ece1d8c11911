// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The search of a motion that lowers the expected deviations (theory 10); see tractrix/fit_design.h. The controls are curves:
//
//     u(t) = clamp(Catmull-Rom spline through `knots` points at equal times)
//
// An evolution strategy (evolve.h) moves the points, which are relative to the range of each control. The derivative of the
// criterion would need second derivatives of the step. A motion that leaves its limits is worse than every motion within them; a
// larger excess is worse. Threads judge the motions of a generation; the order of the results does not depend on the threads.
// Cost: `evaluations` times the cost of expect.h.

#include "base/context.h"
#include "base/workers.h"
#include "fit/evolve.h"
#include "fit/expect.h"

#include <tractrix/process.h>

#include <math.h>
#include <string.h>

static const double FIRST_SIZE = 0.3; // of the search, relative to half the range of a control
static const double LEAST_SIZE = 1e-4;
static const double OUTSIDE = 1e12;   // costs of motions outside their limits begin here

struct trx_fit_design {
    trx_context *context;
    trxi_pool *pool;
    trx_fit_problem problem;
    trx_fit_settings fit_settings;
    trx_fit_motion motion;
    trx_fit_design_settings settings;
    trxi_unknowns unknowns;
    trxi_workers *workers;
    trx_context **contexts;
    trxi_expectation *expectations;
    double **controls;      // per thread: steps x nu
    trxi_evolution evolution;
    double *costs;
    trx_status *statuses;   // per thread
    double *u;              // the best controls
    double *sd[2];          // per parameter: planned, designed
    trx_fit_design_info info;
};

trx_fit_design_settings trx_fit_design_settings_default(void)
{
    return (trx_fit_design_settings){.size = sizeof(trx_fit_design_settings), .criterion = TRX_FIT_TRACE, .knots = 8,
                                     .evaluations = 2000, .seed = 1, .threads = 1};
}

// ---- checks ----

static trx_status refuse(trx_context *context, const char *what)
{
    return trxi_fail(context, TRX_ERR_ARGUMENT, "a design needs %s", what);
}

static trx_status check(trx_context *context, const trx_fit_problem *p, const trx_fit_motion *m, const trx_fit_design_settings *s)
{
    trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_fit_design_settings_default");
    if (status < 0) return status;
    const int nu = trx_model_get_size(p->model).nu;
    if (nu == 0) return refuse(context, "a model with controls");
    if (m->steps < 1 || m->every < 1 || !m->u || !m->lower || !m->upper) return refuse(context, "steps, controls and their limits");
    if (s->knots < 2 || s->evaluations < 0) return refuse(context, "2 or more knots and 0 or more evaluations");
    if (s->threads < 1 || s->threads > 64) return refuse(context, "1 to 64 threads");
    if (p->nparameter < 1 || p->nchannel < 1) return refuse(context, "parameters and channels");
    for (int i = 0; i < nu; i++)
        if (!(m->lower[i] < m->upper[i]) || !isfinite(m->upper[i] - m->lower[i]))
            return trxi_fail(context, TRX_ERR_INPUT, "a design needs finite limits of the control u.%s",
                             trx_model_actuator_name(p->model, i));
    for (int g = 0; g < p->ngroup; g++)
        if (!(p->groups[g].noise > 0))
            return trxi_fail(context, TRX_ERR_INPUT, "a design needs the noise of %s", p->groups[g].name);
    for (int i = 0; i < p->nparameter; i++)
        if (p->parameters[i].signal == TRX_FIT_DELAY)
            return trxi_fail(context, TRX_ERR_UNSUPPORTED, "not in this version: a design with %s", p->parameters[i].name);
    return TRX_OK;
}

// ---- memory ----

static trx_status open_threads(trx_fit_design *d)
{
    const int threads = d->settings.threads;
    const size_t numbers = (size_t)d->motion.steps * (size_t)trx_model_get_size(d->problem.model).nu;
    trx_context_settings own = trx_context_settings_default();
    own.allocator = *trxi_allocator(d->context);
    d->contexts = TRXI_POOL(d->pool, trx_context *, threads);
    d->expectations = TRXI_POOL(d->pool, trxi_expectation, threads);
    d->controls = TRXI_POOL(d->pool, double *, threads);
    d->statuses = TRXI_POOL(d->pool, trx_status, threads);
    if (!d->contexts || !d->expectations || !d->controls || !d->statuses) return TRX_ERR_MEMORY;
    trx_status status = trxi_workers_create(d->context, threads, &d->workers);
    for (int i = 0; i < threads && status >= 0; i++) {
        d->controls[i] = TRXI_POOL(d->pool, double, numbers);
        if (!d->controls[i]) return TRX_ERR_MEMORY;
        status = trx_context_create(&own, &d->contexts[i]);
        if (status >= 0)
            status = trxi_expectation_open(d->contexts[i], d->pool, &d->problem, &d->fit_settings, &d->unknowns, &d->motion,
                                           &d->expectations[i]);
        if (status < 0 && d->contexts[i] && *trx_context_message(d->contexts[i]))
            trxi_fail(d->context, status, "%s", trx_context_message(d->contexts[i]));
    }
    return status;
}

static trx_status create(trx_context *context, const trx_fit_problem *problem, const trx_fit_settings *settings,
                         const trx_fit_motion *motion, const trx_fit_design_settings *design_settings, trx_fit_design **made)
{
    trx_fit_design *d = *made = trxi_allocate(context, sizeof *d);
    if (!d) return TRX_ERR_MEMORY;
    *d = (trx_fit_design){.context = context, .pool = trxi_pool_create(context), .problem = *problem, .fit_settings = *settings,
                          .motion = *motion, .settings = *design_settings};
    if (!d->pool) return TRX_ERR_MEMORY;
    trx_status status = trxi_unknowns_begin(context, d->pool, problem, &d->unknowns);
    if (status >= 0) status = open_threads(d);
    if (status < 0) return status;
    d->u = TRXI_POOL(d->pool, double, motion->steps * trx_model_get_size(problem->model).nu);
    d->sd[0] = TRXI_POOL(d->pool, double, problem->nparameter);
    d->sd[1] = TRXI_POOL(d->pool, double, problem->nparameter);
    return d->u && d->sd[0] && d->sd[1] ? TRX_OK : TRX_ERR_MEMORY;
}

void trx_fit_design_destroy(trx_fit_design *d)
{
    if (!d) return;
    for (int i = 0; d->expectations && i < d->settings.threads; i++) trxi_expectation_close(&d->expectations[i]);
    for (int i = 0; d->contexts && i < d->settings.threads; i++) trx_context_destroy(d->contexts[i]);
    trxi_workers_destroy(d->workers);
    trxi_pool_destroy(d->pool);
    trxi_release(d->context, d);
}

// ---- curves of controls ----

// Catmull-Rom through the points p[0], p[stride], ...; the ends are doubled
static double spline(const double *p, int stride, int count, double at)
{
    const int k = at >= count - 1 ? count - 2 : (int)at;
    const double s = at - k, b = p[k * stride], c = p[(k + 1) * stride];
    const double a = k > 0 ? p[(k - 1) * stride] : b, d = k + 2 < count ? p[(k + 2) * stride] : c;
    return b + 0.5 * s * (c - a + s * (2 * a - 5 * b + 4 * c - d + s * (3 * (b - c) + d - a)));
}

static void controls_of(const trx_fit_design *d, const double *points, double *u)
{
    const trx_fit_motion *m = &d->motion;
    const int nu = trx_model_get_size(d->problem.model).nu, knots = d->settings.knots;
    for (int k = 0; k < m->steps; k++)
        for (int i = 0; i < nu; i++) {
            const double half = 0.5 * (m->upper[i] - m->lower[i]), middle = 0.5 * (m->upper[i] + m->lower[i]);
            const double share = spline(points + i, nu, knots, (double)k * (knots - 1) / m->steps);
            u[k * nu + i] = fmin(fmax(middle + half * share, m->lower[i]), m->upper[i]);
        }
}

// the points of the planned controls
static void points_of(const trx_fit_design *d, double *points)
{
    const trx_fit_motion *m = &d->motion;
    const int nu = trx_model_get_size(d->problem.model).nu, knots = d->settings.knots;
    for (int j = 0; j < knots; j++)
        for (int i = 0; i < nu; i++) {
            const int step = j == knots - 1 ? m->steps - 1 : j * m->steps / (knots - 1);
            const double half = 0.5 * (m->upper[i] - m->lower[i]), middle = 0.5 * (m->upper[i] + m->lower[i]);
            points[j * nu + i] = fmin(fmax((m->u[step * nu + i] - middle) / half, -1), 1);
        }
}

// ---- the search ----

static void judge_point(int worker, int index, void *user)
{
    trx_fit_design *d = user;
    trxi_expectation *e = &d->expectations[worker];
    controls_of(d, d->evolution.points + (size_t)index * (size_t)d->evolution.n, d->controls[worker]);
    const trx_status status = trxi_expectation_judge(e, d->controls[worker], d->settings.criterion);
    if (status < 0) d->statuses[worker] = status;
    d->costs[index] = e->excess > 0 ? OUTSIDE + fmin(e->excess, OUTSIDE) : e->criterion;
}

static void keep_deviations(trx_fit_design *d, double *sd)
{
    const trxi_expectation *e = &d->expectations[0];
    for (int i = 0; i < d->problem.nparameter; i++) sd[i] = e->excess > 0 ? NAN : trxi_expectation_deviation(e, i);
}

// judges the planned controls, which are the best so far
static trx_status judge_planned(trx_fit_design *d)
{
    trxi_expectation *e = &d->expectations[0];
    const trx_status status = trxi_expectation_judge(e, d->motion.u, d->settings.criterion);
    if (status < 0) return status;
    memcpy(d->u, d->motion.u, sizeof *d->u * (size_t)(d->motion.steps * trx_model_get_size(d->problem.model).nu));
    d->info.planned = e->excess > 0 ? NAN : e->criterion;
    d->info.designed = e->excess > 0 ? INFINITY : e->criterion;
    keep_deviations(d, d->sd[0]);
    memcpy(d->sd[1], d->sd[0], sizeof *d->sd[0] * (size_t)d->problem.nparameter);
    return TRX_OK;
}

static void keep_better(trx_fit_design *d)
{
    const trxi_evolution *e = &d->evolution;
    int best = 0;
    for (int i = 1; i < e->count; i++) best = d->costs[i] < d->costs[best] ? i : best;
    if (!(d->costs[best] < fmin(d->info.designed, OUTSIDE))) return;
    d->info.designed = d->costs[best];
    controls_of(d, e->points + (size_t)best * (size_t)e->n, d->u);
}

static trx_status search(trx_fit_design *d, trx_fit_design_progress progress, void *user)
{
    const int n = d->settings.knots * trx_model_get_size(d->problem.model).nu;
    double *mean = TRXI_POOL(d->pool, double, n);
    if (!mean) return TRX_ERR_MEMORY;
    points_of(d, mean);
    trx_status status = trxi_evolution_begin(d->pool, n, mean, FIRST_SIZE, d->settings.seed, &d->evolution);
    trxi_evolution *e = &d->evolution;
    d->costs = status < 0 ? NULL : TRXI_POOL(d->pool, double, e->count);
    if (!d->costs) return TRX_ERR_MEMORY;
    while (d->info.evaluations + e->count <= d->settings.evaluations && e->size > LEAST_SIZE) {
        trxi_evolution_ask(e);
        trxi_workers_run(d->workers, e->count, judge_point, d);
        for (int i = 0; i < d->settings.threads; i++)
            if (d->statuses[i] < 0) return d->statuses[i];
        keep_better(d);
        trxi_evolution_tell(e, d->costs);
        d->info.evaluations += e->count;
        if (progress && !progress(d->info.evaluations, d->info.designed, user)) return TRX_INTERRUPTED;
    }
    return TRX_OK;
}

static trx_status run(trx_fit_design *d, trx_fit_design_progress progress, void *user)
{
    const double begun = trx_clock();
    trx_status status = judge_planned(d), judged;
    if (status >= 0) status = search(d, progress, user);
    if (status < 0) return status;
    if (!isfinite(d->info.designed))
        return trxi_fail(d->context, TRX_ERR_INPUT,
                         "no motion within the limits was found: widen them, plan other controls, or give more evaluations");
    if ((judged = trxi_expectation_judge(&d->expectations[0], d->u, d->settings.criterion)) < 0) return judged;
    keep_deviations(d, d->sd[1]);
    d->info.status = status;
    d->info.nparameter = d->problem.nparameter;
    d->info.seconds = trx_clock() - begun;
    return status;
}

trx_status trx_fit_design_run(trx_context *context, const trx_fit_problem *problem, const trx_fit_settings *settings,
                              const trx_fit_motion *motion, const trx_fit_design_settings *design_settings,
                              trx_fit_design_progress progress, void *user, trx_fit_design **design)
{
    if (!context) return TRX_ERR_ARGUMENT;
    trxi_begin(context);
    if (!problem || !problem->model || !problem->x0 || !settings || !motion || !design_settings || !design)
        return refuse(context, "a problem, settings, a motion and a place for the result");
    *design = NULL;
    trx_status status = check(context, problem, motion, design_settings);
    if (status < 0) return status;
    trx_fit_design *made = NULL;
    status = create(context, problem, settings, motion, design_settings, &made);
    if (status >= 0) status = run(made, progress, user);
    if (status < 0) trx_fit_design_destroy(made);
    else *design = made;
    return status;
}

// ---- the answer ----

trx_fit_design_info trx_fit_design_get_info(const trx_fit_design *d)
{
    return d->info;
}

double trx_fit_design_deviation(const trx_fit_design *d, int parameter, bool designed)
{
    return parameter >= 0 && parameter < d->info.nparameter ? d->sd[designed][parameter] : NAN;
}

const double *trx_fit_design_controls(const trx_fit_design *d)
{
    return d->u;
}
