// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One window (theory 10); see evaluate.h.
//
//     S_0 = [I 0],   S_k+1 = A_k S_k + [0 C_k dp/dz]           sensitivities of the state, forward
//     r(t) = (1 - a) r_k + a r_k+1                              a sample that shows t - delay, between two knots
//     dr/d delay = (r_k - r_k+1)/dt                             for channels of steps k is the number of a step
//     H += w s s^T,  g += w s r,   s = dr/d(start, z)           loss rho with weight w = rho'(r) / r
//
// Cost per step: one step with A and C, and 2 ntangent^2 n products.

#include "fit/evaluate.h"

#include "base/context.h"
#include "fit/channel.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double TIGHT = 1e-10; // of the convex solve, as for derivatives
static const double HELD = 1e-9; // standard deviation of a start number that is not estimated [m, rad, m/s, rad/s, 1]

// ---- the bench ----

static void layout(trxi_arena *arena, trxi_bench *b, trx_model_size size)
{
    const int nx = size.ntangent, n = b->ns + b->np;
    b->used = TRXI_TAKE(arena, bool, b->problem->nchannel + 1);
    b->list = TRXI_TAKE(arena, trx_parameter, b->unknowns->nparameter + 1);
    b->values = TRXI_TAKE(arena, double, b->problem->nparameter + 1);
    b->slopes = TRXI_TAKE(arena, trxi_slopes, b->problem->nparameter + 1);
    b->gain = TRXI_TAKE(arena, double, b->problem->nchannel + 1);
    b->bias = TRXI_TAKE(arena, double, b->problem->nchannel + 1);
    b->marker = TRXI_TAKE(arena, double, 3 * b->problem->nchannel + 1);
    b->lags = TRXI_TAKE(arena, trxi_lag, 2 * b->problem->nparameter + 2);
    b->lag_of = TRXI_TAKE(arena, int, b->problem->nchannel + 1);
    b->x = TRXI_TAKE(arena, double, (size_t)b->kept * (size_t)size.nstate);
    b->A = TRXI_TAKE(arena, double, nx * nx);
    b->C = TRXI_TAKE(arena, double, nx * b->unknowns->nparameter + 1);
    b->D = TRXI_TAKE(arena, double, nx * b->np + 1);
    b->S = TRXI_TAKE(arena, double, (size_t)b->kept * (size_t)(nx * n) + 1);
    b->Hx = TRXI_TAKE(arena, double, 3 * nx);
    b->J = TRXI_TAKE(arena, double, 6 * size.nv);
    b->r = TRXI_TAKE(arena, double, b->nresidual + 1);
    b->last = TRXI_TAKE(arena, double, b->nresidual + 1);
    b->rows = TRXI_TAKE(arena, double, n * b->nresidual + 1);
    b->weighed = TRXI_TAKE(arena, double, n * b->nresidual + 1);
    b->step = TRXI_TAKE(arena, double, n + 1);
    b->block = TRXI_TAKE(arena, double, n + b->np * b->np + b->np + 1);
    b->start = TRXI_TAKE(arena, double, size.nstate);
    b->spare.H = TRXI_TAKE(arena, double, n * n + 1);
    b->spare.g = TRXI_TAKE(arena, double, n + 1);
    b->spare.sums = TRXI_TAKE(arena, trxi_group_sums, b->problem->ngroup + 1);
    trxi_step_channels_layout(arena, b->problem, b->kept, n, b->np, &b->steps);
}

static void clear_signals(trxi_bench *b)
{
    for (int i = 0; i < b->problem->nchannel; i++) b->gain[i] = 1, b->bias[i] = 0;
    memset(b->marker, 0, sizeof *b->marker * (size_t)(3 * b->problem->nchannel));
}

// knots between the earliest and the latest time that one sample can show, both ends included; one more for the end of a step
static int count_kept(const trx_fit_problem *problem)
{
    double least, most;
    bool steps = false;
    for (int i = 0; i < problem->nchannel; i++) steps = steps || trxi_channel_is_of_step(problem->channels[i].kind);
    trxi_delay_range(problem, &least, &most);
    return (most > least ? (int)ceil((most - least) / problem->sim.time_step) + 3 : 2) + 2 * steps;
}

static void find_lags(trxi_bench *b)
{
    for (int steps = 0; steps < 2; steps++) {
        b->lags[b->nlag++] = (trxi_lag){.parameter = -1, .steps = steps};
        for (int i = 0; i < b->problem->nparameter; i++)
            if (b->problem->parameters[i].signal == TRX_FIT_DELAY) b->lags[b->nlag++] = (trxi_lag){.parameter = i, .steps = steps};
    }
    for (int i = 0; i < b->problem->nchannel; i++) {
        const int parameter = trxi_channel_find_signal(b->problem, i, TRX_FIT_DELAY, 0);
        const bool steps = trxi_channel_is_of_step(b->problem->channels[i].kind);
        for (int l = 0; l < b->nlag; l++)
            if (b->lags[l].parameter == parameter && b->lags[l].steps == steps) b->lag_of[i] = l;
        b->lags[b->lag_of[i]].used = b->lags[b->lag_of[i]].used || b->used[i];
    }
}

trx_status trxi_bench_open(const trx_fit_problem *problem, const trx_fit_settings *settings, const trxi_unknowns *unknowns,
                           trx_context *context, trxi_bench *b)
{
    const trx_model_size size = trx_model_get_size(problem->model);
    const bool held = settings->start_position == 0 && settings->start_velocity == 0 &&
                      (size.na == 0 || settings->start_activation == 0);
    bool poses = false;
    *b = (trxi_bench){.problem = problem, .settings = settings, .unknowns = unknowns, .context = context,
                      .ns = held ? 0 : size.ntangent, .np = unknowns->count, .kept = count_kept(problem)};
    for (int i = 0; i < problem->nchannel; i++) {
        if (problem->groups[problem->channels[i].group].ignored) continue;
        b->nresidual += trxi_channel_residuals(problem->channels[i].kind);
        poses = poses || trxi_channel_needs_poses(problem->channels[i].kind);
    }
    // values and derivatives of the same solution
    trx_sim_settings exact = problem->sim;
    exact.tolerance = fmin(exact.tolerance, TIGHT);
    trx_status status = trx_sim_create(context, problem->model, &exact, &b->sim);
    if (status >= 0 && poses) status = trx_kinematics_create(context, problem->model, &b->kinematics);
    if (status < 0) return status;
    trxi_arena arena = {0};
    layout(&arena, b, size);
    b->memory = trxi_allocate(context, arena.used);
    if (!b->memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = b->memory};
    layout(&arena, b, size);
    for (int i = 0; i < problem->nchannel; i++) b->used[i] = !problem->groups[problem->channels[i].group].ignored;
    for (int i = 0; i < problem->nparameter; i++)
        if (!problem->parameters[i].signal) b->list[b->nlist++] = problem->parameters[i].of;
    trxi_step_channels_begin(problem, b->ns + b->np, &b->steps);
    clear_signals(b);
    find_lags(b);
    return TRX_OK;
}

void trxi_bench_close(trxi_bench *b)
{
    trxi_release(b->context, b->memory);
    trx_kinematics_destroy(b->kinematics);
    trx_sim_destroy(b->sim);
    *b = (trxi_bench){0};
}

// sets a gain, a bias or a number of a marker, for all channels that have this signal
static void set_signal(trxi_bench *b, const trx_fit_parameter *p, double value)
{
    for (int i = 0; i < b->problem->nchannel; i++) {
        if (!trxi_channel_has_signal(&b->problem->channels[i], i, p)) continue;
        if (p->signal == TRX_FIT_GAIN) b->gain[i] = value;
        else if (p->signal == TRX_FIT_BIAS) b->bias[i] = value;
        else b->marker[3 * i + p->signal_axis] = value;
    }
}

trx_status trxi_bench_set(trxi_bench *b, const double *values)
{
    const size_t bytes = sizeof *values * (size_t)b->problem->nparameter;
    trx_status status = TRX_OK;
    if (b->set && memcmp(b->values, values, bytes) == 0) return TRX_OK;
    memcpy(b->values, values, bytes);
    clear_signals(b);
    trxi_unknowns_slopes(b->unknowns, values, b->slopes);
    for (int i = 0; i < b->problem->nparameter && status >= 0; i++) {
        const trx_fit_parameter *p = &b->problem->parameters[i];
        if (p->signal && p->signal != TRX_FIT_DELAY) set_signal(b, p, values[i]);
        else if (!p->signal) status = trx_sim_set_parameter(b->sim, p->of, values[i]);
    }
    for (int l = 0; l < b->nlag; l++) b->lags[l].delay = b->lags[l].parameter < 0 ? 0 : values[b->lags[l].parameter];
    b->set = status >= 0;
    return status;
}

// ---- residuals of a sample ----

// The residual of channel `index` with its gain and bias: r = gain y + bias - recorded = (y - recorded) + (gain - 1) y + bias. The
// derivatives with respect to x and the marker get the gain too. Returns y
static double add_gain(trxi_bench *b, int index, double recorded, trxi_residual *out)
{
    const int nx = trx_model_get_size(b->problem->model).ntangent;
    const double y = out->r[0] + recorded, gain = b->gain[index];
    out->r[0] += (gain - 1) * y + b->bias[index];
    for (int j = 0; j < nx; j++) out->H[j] *= gain;
    for (int j = 0; j < 3; j++) out->M[j] *= gain;
    return y;
}

// adds `share` times the derivatives with respect to gain, bias and marker to the rows (n x residuals) of a channel
static void add_signals(trxi_bench *b, int index, const trxi_residual *residual, double y, double share, double *rows)
{
    const trxi_unknowns *u = b->unknowns;
    const int n = b->ns + b->np, count = trxi_channel_residuals(b->problem->channels[index].kind);
    for (int i = 0; i < u->nparameter; i++) {
        const trx_fit_parameter *p = &u->parameters[i];
        if (p->signal == TRX_FIT_DELAY || !trxi_channel_has_signal(&b->problem->channels[index], index, p)) continue;
        const double factor = share * trxi_unknowns_ratio(p);
        for (int k = 0; k < count; k++) {
            const double marker = residual->M[3 * k + p->signal_axis];
            const double slope = p->signal == TRX_FIT_GAIN ? y : p->signal == TRX_FIT_BIAS ? 1 : marker;
            rows[k * n + b->ns + u->unknown_of[i]] += factor * slope;
        }
    }
}

static double *state_at(const trxi_bench *b, int knot)
{
    const trx_model_size size = trx_model_get_size(b->problem->model);
    return b->x + (size_t)(knot % b->kept) * (size_t)size.nstate;
}

static double *sensitivity_at(const trxi_bench *b, int knot)
{
    const int nx = trx_model_get_size(b->problem->model).ntangent;
    return b->S + (size_t)(knot % b->kept) * (size_t)(nx * (b->ns + b->np));
}

// place of a channel of steps among the values of the step that begins at a knot
static size_t step_place(const trxi_bench *b, int channel, int knot)
{
    return (size_t)(knot % b->kept) * (size_t)b->steps.count + (size_t)b->steps.of[channel];
}

// adds `share` of the residuals at a knot, or in the step that begins there, to r and rows, for the channels of one lag. `rate`:
// change of the share with the delay. Missing numbers become NAN
static void add_residuals(trxi_bench *b, int lag, const double *recorded, int knot, double share, double rate,
                          trxi_derivatives derivatives)
{
    const double *x = state_at(b, knot), *S = sensitivity_at(b, knot);
    const int nx = trx_model_get_size(b->problem->model).ntangent, n = b->ns + b->np, delay = b->lags[lag].parameter;
    const trxi_view view = {b->problem->model, b->kinematics, x, b->J};
    const bool unknowns = derivatives == TRXI_BY_ALL;
    for (int i = 0, at = 0; i < b->problem->nchannel; i++) {
        if (!b->used[i]) continue;
        const trx_fit_channel *c = &b->problem->channels[i];
        const int count = trxi_channel_residuals(c->kind);
        const bool of_step = b->steps.of[i] >= 0;
        trxi_residual out = {.H = b->Hx};
        double y = 0;
        const bool missing = trxi_channel_is_missing(c, recorded);
        if (b->lag_of[i] != lag) {
            at += count;
            continue;
        }
        if (!missing && of_step) out.r[0] = b->steps.y[step_place(b, i, knot)] - recorded[c->column];
        else if (!missing) trxi_channel_residual(&view, c, b->marker + 3 * i, recorded + c->column, &out);
        if (!missing && count == 1) y = add_gain(b, i, recorded[c->column], &out);
        if (!missing && unknowns) add_signals(b, i, &out, y, share, b->rows + at * n);
        for (int k = 0; k < count; k++) b->r[at + k] = missing ? NAN : b->r[at + k] + share * out.r[k];
        if (!missing && derivatives != TRXI_VALUE && of_step)
            trxi_axpy(n, share * b->gain[i], b->steps.rows + step_place(b, i, knot) * (size_t)n, b->rows + at * n);
        else if (!missing && derivatives != TRXI_VALUE)
            trxi_gemm_tn(n, count, nx, share, S, nx, b->Hx, nx, 1, b->rows + at * n, n);
        for (int k = 0; k < count && !missing && delay >= 0 && unknowns; k++)
            b->rows[(at + k) * n + b->ns + b->unknowns->unknown_of[delay]] +=
                rate * trxi_unknowns_ratio(&b->unknowns->parameters[delay]) * out.r[k];
        at += count;
    }
}

// Huber's loss of a residual in standard deviations, and its weight
static double loss(double r, double huber, double *weight)
{
    const double size = fabs(r);
    *weight = size <= huber ? 1 : huber / size;
    return size <= huber ? 0.5 * r * r : huber * (size - 0.5 * huber);
}

static void add_sums(trxi_group_sums *s, double r, double last, double weight)
{
    s->squares += r * r;
    s->weighted += weight * r * r;
    s->weights += weight;
    s->count++;
    if (isnan(last)) return;
    s->products += r * last;
    s->neighbours++;
}

// the length of each group's residuals
static void add_norms(trxi_bench *b, trxi_group_sums *sums)
{
    for (int g = 0; g < b->problem->ngroup; g++) {
        bool seen = false;
        double squares = 0;
        for (int i = 0, at = 0; i < b->problem->nchannel; i++) {
            const int count = trxi_channel_residuals(b->problem->channels[i].kind);
            if (!b->used[i]) continue;
            for (int k = at; k < at + count && b->problem->channels[i].group == g; k++) {
                if (isnan(b->r[k])) continue;
                squares += b->r[k] * b->r[k];
                seen = true;
            }
            at += count;
        }
        if (!seen) continue;
        sums[g].norms += sqrt(squares);
        sums[g].samples++;
    }
}

// adds the residuals of a sample to the objective, its gradient and Hessian
static void add_sample(trxi_bench *b, const double *noise, trxi_derivatives derivatives, trxi_evaluation *out)
{
    const int n = b->ns + b->np, columns = derivatives == TRXI_VALUE ? 0 : n;
    int kept = 0;
    add_norms(b, out->sums);
    for (int i = 0, at = 0; i < b->problem->nchannel; i++) {
        if (!b->used[i]) continue;
        const trx_fit_channel *c = &b->problem->channels[i];
        const int count = trxi_channel_residuals(c->kind);
        for (int k = at; k < at + count; k++) {
            const double sd = noise[c->group], r = b->r[k] / sd;
            double weight;
            if (!isnan(r)) {
                out->objective += loss(r, b->settings->huber, &weight);
                add_sums(&out->sums[c->group], b->r[k], b->last[k], weight);
                const double *row = b->rows + k * n;
                double *to = b->rows + kept * n, *weighed = b->weighed + kept * n;
                for (int j = 0; j < columns; j++) {
                    const double s = row[j] / sd;
                    to[j] = s;
                    weighed[j] = weight * s;
                    out->g[j] += weight * s * r;
                }
                kept++;
            }
            b->last[k] = b->r[k];
        }
        at += count;
    }
    if (columns > 0) trxi_gemm_nt_lower(n, kept, b->weighed, n, b->rows, n, out->H, n);
}

// ---- the window ----

// one window while it is simulated
typedef struct walk {
    trxi_bench *bench;
    const trxi_window *window;
    const trx_fit_recording *recording;
    trxi_derivatives derivatives;
    int knot; // the latest one whose state is known
    int held; // row whose controls act
} walk;

// the sensitivities after a step: S_k+1 = A S_k + [0 C dp/dz]
static trx_status propagate(const walk *w)
{
    trxi_bench *b = w->bench;
    const int nx = trx_model_get_size(b->problem->model).ntangent, columns = w->derivatives == TRXI_BY_ALL ? b->ns + b->np : b->ns;
    double *S_next = sensitivity_at(b, w->knot + 1);
    trx_status status = trx_step_jac(b->sim, b->A, NULL);
    if (status < 0) return status;
    trxi_gemm(nx, columns, nx, 1, b->A, nx, sensitivity_at(b, w->knot), nx, 0, S_next, nx);
    if (w->derivatives != TRXI_BY_ALL || b->nlist == 0) return TRX_OK;
    status = trx_step_jac_parameters(b->sim, b->list, b->nlist, b->C);
    if (status < 0) return status;
    trxi_unknowns_chain(b->unknowns, b->slopes, nx, b->C, b->D);
    trxi_add(nx, b->np, 1, b->D, nx, S_next + b->ns * nx, nx);
    return TRX_OK;
}

// takes the step after the present knot, for channels that measure steps
static trx_status take_step(const walk *w, double t)
{
    trxi_bench *b = w->bench;
    const double start = w->recording->t[0];
    const trxi_step_seen seen = {
        .sim = b->sim, .kinematics = b->kinematics, .unknowns = b->unknowns, .slopes = b->slopes,
        .list = b->list, .nlist = b->nlist, .x = state_at(b, w->knot), .x_next = state_at(b, w->knot + 1),
        .S = sensitivity_at(b, w->knot), .S_next = sensitivity_at(b, w->knot + 1), .A = b->A,
        .C = w->derivatives == TRXI_BY_ALL ? b->C : NULL,
        .time = t - start, .time_next = t + b->problem->sim.time_step - start, .place = w->knot % b->kept};
    return trxi_step_channels_take(b->problem, &seen, w->derivatives != TRXI_VALUE, &b->steps);
}

// simulates until the state of a knot is known
static trx_status reach(walk *w, int knot)
{
    trxi_bench *b = w->bench;
    const trx_fit_recording *r = w->recording;
    const int nu = trx_model_get_size(b->problem->model).nu;
    const double dt = b->problem->sim.time_step;
    trx_status status = TRX_OK;
    for (; w->knot < knot && status >= 0; w->knot++) {
        const double t = w->window->begin + w->knot * dt;
        w->held = trxi_held_row(r, dt, t, w->held);
        const double *u = r->u ? r->u + (size_t)w->held * (size_t)nu : NULL;
        const trx_step_input input = {.time = t - r->t[0], .x = state_at(b, w->knot), .u = u};
        status = trx_step_from(b->sim, &input, state_at(b, w->knot + 1));
        if (status >= 0 && w->derivatives != TRXI_VALUE) status = propagate(w);
        if (status >= 0 && b->steps.count > 0) status = take_step(w, t);
    }
    return status;
}

// adds the residuals at one of the two knots, or steps, around the time that a sample shows
static trx_status see(const walk *w, int lag, const double *recorded, int knot, double share, double rate)
{
    trxi_bench *b = w->bench;
    const int nq = trx_model_get_size(b->problem->model).nq;
    const double *x = state_at(b, knot), t = w->window->begin + knot * b->problem->sim.time_step - w->recording->t[0];
    const bool poses = b->kinematics && !b->lags[lag].steps;
    trx_status status = poses ? trx_kinematics_update(b->kinematics, x, x + nq, t) : TRX_OK;
    if (status >= 0) add_residuals(b, lag, recorded, knot, share, rate, w->derivatives);
    return status;
}

// Forces of a step are its means. The time of a mean, in steps after the start of the step: 0 for the symplectic scheme, whose
// forces are those at the positions before the step
static double middle_of(const trxi_bench *b, const trxi_lag *lag)
{
    return lag->steps && b->problem->sim.scheme != TRX_SYMPLECTIC ? 0.5 : 0;
}

// whether a sample shows a time between two knots, or between the means of two steps
static bool has_two(const trxi_lag *lag)
{
    return lag->parameter >= 0 || lag->share != 0;
}

// knots about the times that a sample shows; returns the latest one that is needed
static int place_lags(trxi_bench *b, double begin, double t)
{
    const double dt = b->problem->sim.time_step;
    int latest = 0;
    for (int l = 0; l < b->nlag; l++) {
        trxi_lag *lag = &b->lags[l];
        if (!lag->used) continue;
        if (lag->parameter < 0 && middle_of(b, lag) == 0) {
            lag->knot = trxi_knot_of(begin, dt, t, &lag->share);
        } else {
            const double s = (t - lag->delay - begin) / dt - middle_of(b, lag);
            lag->knot = s > 0 ? (int)s : 0;
            lag->share = s - lag->knot;
        }
        const int end = lag->knot + has_two(lag) + lag->steps;
        if (end > latest) latest = end;
    }
    return latest;
}

static trx_status take_sample(walk *w, int row, const double *noise, trxi_evaluation *out)
{
    trxi_bench *b = w->bench;
    const double rate = 1 / b->problem->sim.time_step;
    const double *recorded = w->recording->values + (size_t)row * (size_t)b->problem->columns;
    memset(b->r, 0, sizeof *b->r * (size_t)b->nresidual);
    if (w->derivatives != TRXI_VALUE) memset(b->rows, 0, sizeof *b->rows * (size_t)((b->ns + b->np) * b->nresidual));
    trx_status status = reach(w, place_lags(b, w->window->begin, w->recording->t[row]));
    for (int l = 0; l < b->nlag && status >= 0; l++) {
        const trxi_lag *lag = &b->lags[l];
        if (!lag->used) continue;
        status = see(w, l, recorded, lag->knot, 1 - lag->share, rate);
        if (status >= 0 && has_two(lag)) status = see(w, l, recorded, lag->knot + 1, lag->share, -rate);
    }
    if (status < 0) return status;
    const size_t length = (size_t)b->nresidual;
    if (out->residuals) memcpy(out->residuals + length * (size_t)(row - w->window->first_row), b->r, length * sizeof *b->r);
    add_sample(b, noise, w->derivatives, out);
    return TRX_OK;
}

// ---- the evaluation ----

static void clear(trxi_bench *b, const double *x, trxi_evaluation *out)
{
    const trx_model_size size = trx_model_get_size(b->problem->model);
    const int nx = size.ntangent, n = b->ns + b->np;
    *out = (trxi_evaluation){.H = out->H, .g = out->g, .sums = out->sums, .residuals = out->residuals};
    memset(out->H, 0, sizeof(double) * (size_t)(n * n));
    memset(out->g, 0, sizeof(double) * (size_t)n);
    memset(out->sums, 0, sizeof *out->sums * (size_t)b->problem->ngroup);
    memset(b->S, 0, sizeof(double) * (size_t)b->kept * (size_t)(nx * n));
    for (int i = 0; i < b->ns; i++) b->S[i * nx + i] = 1;
    for (int i = 0; i < b->nresidual; i++) b->last[i] = NAN;
    memcpy(b->x, x, sizeof *x * (size_t)size.nstate);
}

// the prior of the start state: its change from the first guess. A number that is held has a very small deviation
static void add_start_prior(trxi_bench *b, const trxi_window *w, const double *x, trxi_evaluation *out)
{
    const trx_model_size size = trx_model_get_size(b->problem->model);
    const int n = b->ns + b->np;
    double *dq = b->J; // 6 nv numbers of scratch
    const bool known = w->first_row == 0 && isfinite(b->settings->first_velocity);
    const double sd_velocity = known ? b->settings->first_velocity : b->settings->start_velocity;
    trx_model_difference(b->problem->model, x, w->guess, dq);
    for (int i = 0; i < b->ns; i++) {
        const bool position = i < size.nv;
        const double given = position ? b->settings->start_position : i < 2 * size.nv ? sd_velocity : b->settings->start_activation;
        const double sd = fmax(given, HELD);
        if (!isfinite(sd)) continue;
        const int v = size.nq + i - size.nv;
        const double change = position ? dq[i] : x[v] - w->guess[v];
        out->objective += 0.5 * (change / sd) * (change / sd);
        out->g[i] += change / (sd * sd);
        out->H[i * n + i] += 1 / (sd * sd);
    }
}

// takes the samples in their order until the objective exceeds `most`. No loss is negative, so the objective would stay above
static void walk_samples(walk *w, const double *x, const double *noise, double most, trxi_evaluation *out)
{
    const trxi_window *window = w->window;
    clear(w->bench, x, out);
    if (w->bench->ns > 0) add_start_prior(w->bench, window, x, out);
    for (int row = window->first_row; row < window->first_row + window->rows && out->status >= 0 && out->objective <= most; row++)
        out->status = take_sample(w, row, noise, out);
    if (out->status < 0 || !(out->objective <= most)) out->objective = INFINITY;
}

static walk walk_of(trxi_bench *b, const trxi_window *window, trxi_derivatives derivatives)
{
    return (walk){.bench = b, .window = window, .recording = &b->problem->recordings[window->recording],
                  .derivatives = derivatives, .held = window->first_row};
}

void trxi_evaluate(trxi_bench *b, const trxi_window *window, const double *x, const double *noise, trxi_derivatives derivatives,
                   trxi_evaluation *out)
{
    walk w = walk_of(b, window, derivatives);
    walk_samples(&w, x, noise, INFINITY, out);
}

void trxi_evaluate_below(trxi_bench *b, const trxi_window *window, const double *x, const double *noise, double most,
                         trxi_evaluation *out)
{
    walk w = walk_of(b, window, TRXI_VALUE);
    walk_samples(&w, x, noise, most, out);
}

void trxi_evaluation_copy_value(const trxi_bench *b, const trxi_evaluation *from, trxi_evaluation *to)
{
    to->status = from->status;
    to->objective = from->objective;
    memcpy(to->sums, from->sums, sizeof *to->sums * (size_t)b->problem->ngroup);
}
