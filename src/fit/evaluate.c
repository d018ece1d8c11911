// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One window (theory 10); see evaluate.h.
//
//     S_0 = [I 0],   S_k+1 = A_k S_k + [0 C_k dp/dz]           sensitivities of the state, forward
//     r(t) = (1 - a) r_k + a r_k+1                              a sample at t between two knots
//     H += w s s^T,  g += w s r,   s = dr/d(start, z)           loss rho with weight w = rho'(r) / r
//
// Cost per step: one step with A and C, and 2 (2nv)^2 n products.

#include "fit/evaluate.h"

#include "base/context.h"
#include "fit/channel.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double TIGHT = 1e-10; // of the convex solve, as for derivatives
static const double HELD = 1e-9; // standard deviation of a start number that is not estimated [m, rad, m/s, rad/s]

// ---- the bench ----

static void layout(trxi_arena *arena, trxi_bench *b, trx_model_size size)
{
    const int nx = 2 * size.nv, n = b->ns + b->np;
    b->used = TRXI_TAKE(arena, bool, b->problem->nchannel + 1);
    b->list = TRXI_TAKE(arena, trx_parameter, b->unknowns->nparameter + 1);
    b->gain = TRXI_TAKE(arena, double, b->problem->nchannel + 1);
    b->bias = TRXI_TAKE(arena, double, b->problem->nchannel + 1);
    b->x = TRXI_TAKE(arena, double, size.nq + size.nv);
    b->x_next = TRXI_TAKE(arena, double, size.nq + size.nv);
    b->A = TRXI_TAKE(arena, double, nx * nx);
    b->C = TRXI_TAKE(arena, double, nx * b->unknowns->nparameter + 1);
    b->D = TRXI_TAKE(arena, double, nx * b->np + 1);
    b->S = TRXI_TAKE(arena, double, nx * n + 1);
    b->S_next = TRXI_TAKE(arena, double, nx * n + 1);
    b->Hx = TRXI_TAKE(arena, double, 3 * nx);
    b->J = TRXI_TAKE(arena, double, 6 * size.nv);
    b->r = TRXI_TAKE(arena, double, b->nresidual + 1);
    b->last = TRXI_TAKE(arena, double, b->nresidual + 1);
    b->rows = TRXI_TAKE(arena, double, n * b->nresidual + 1);
    b->weighed = TRXI_TAKE(arena, double, n * b->nresidual + 1);
    b->step = TRXI_TAKE(arena, double, n + 1);
    b->block = TRXI_TAKE(arena, double, n + b->np * b->np + b->np + 1);
}

static void clear_signals(trxi_bench *b)
{
    for (int i = 0; i < b->problem->nchannel; i++) b->gain[i] = 1, b->bias[i] = 0;
}

trx_status trxi_bench_open(const trx_fit_problem *problem, const trx_fit_settings *settings, const trxi_unknowns *unknowns,
                           trx_context *context, trxi_bench *b)
{
    const trx_model_size size = trx_model_get_size(problem->model);
    const bool held = settings->start_position == 0 && settings->start_velocity == 0;
    bool poses = false;
    *b = (trxi_bench){.problem = problem, .settings = settings, .unknowns = unknowns, .context = context,
                      .ns = held ? 0 : 2 * size.nv, .np = unknowns->count};
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
    clear_signals(b);
    return TRX_OK;
}

void trxi_bench_close(trxi_bench *b)
{
    trxi_release(b->context, b->memory);
    trx_kinematics_destroy(b->kinematics);
    trx_sim_destroy(b->sim);
    *b = (trxi_bench){0};
}

static void set_signal(trxi_bench *b, const trx_fit_parameter *p, double value)
{
    double *to = p->signal == TRX_FIT_GAIN ? b->gain : b->bias;
    for (int i = 0; i < b->problem->nchannel; i++)
        if (trxi_channel_has_signal(&b->problem->channels[i], i, p)) to[i] = value;
}

trx_status trxi_bench_set(trxi_bench *b, const double *values)
{
    trx_status status = TRX_OK;
    clear_signals(b);
    for (int i = 0; i < b->problem->nparameter && status >= 0; i++) {
        const trx_fit_parameter *p = &b->problem->parameters[i];
        if (p->signal) set_signal(b, p, values[i]);
        else status = trx_sim_set_parameter(b->sim, p->of, values[i]);
    }
    return status;
}

// ---- residuals of a sample ----

// residual of channel `index` with its gain and bias: r = gain y + bias - recorded = (y - recorded) + (gain - 1) y + bias.
// H: of y, becomes that of r. rows: n x 1, of the share of r
static void add_signals(trxi_bench *b, int index, double recorded, double share, bool unknowns, double *r, double *H, double *row)
{
    const int nx = 2 * trx_model_get_size(b->problem->model).nv;
    const trxi_unknowns *u = b->unknowns;
    const double y = *r + recorded, gain = b->gain[index];
    *r += (gain - 1) * y + b->bias[index];
    for (int j = 0; j < nx; j++) H[j] *= gain;
    for (int i = 0; i < u->nparameter && unknowns; i++) {
        const trx_fit_parameter *p = &u->parameters[i];
        if (!trxi_channel_has_signal(&b->problem->channels[index], index, p)) continue;
        row[b->ns + u->unknown_of[i]] += share * trxi_unknowns_ratio(p) * (p->signal == TRX_FIT_GAIN ? y : 1);
    }
}

// adds `share` of the residuals at the state x, whose sensitivities are S, to r and rows; missing numbers become NAN
static void add_residuals(trxi_bench *b, const double *recorded, const double *x, const double *S, double share, bool unknowns)
{
    const int nx = 2 * trx_model_get_size(b->problem->model).nv, n = b->ns + b->np;
    for (int i = 0, at = 0; i < b->problem->nchannel; i++) {
        if (!b->used[i]) continue;
        const trx_fit_channel *c = &b->problem->channels[i];
        const int count = trxi_channel_residuals(c->kind);
        double r[3];
        bool missing = false;
        for (int k = 0; k < trxi_channel_columns(c->kind); k++) missing = missing || isnan(recorded[c->column + k]);
        if (!missing) trxi_channel_residual(b->problem->model, b->kinematics, c, x, recorded + c->column, r, b->Hx, b->J);
        if (!missing && count == 1) add_signals(b, i, recorded[c->column], share, unknowns, r, b->Hx, b->rows + at * n);
        for (int k = 0; k < count; k++) b->r[at + k] = missing ? NAN : b->r[at + k] + share * r[k];
        if (!missing) trxi_gemm_tn(n, count, nx, share, S, nx, b->Hx, nx, 1, b->rows + at * n, n);
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

// the sample's residuals into the objective, its gradient and Hessian
static void add_sample(trxi_bench *b, const double *noise, trxi_evaluation *out)
{
    const int n = b->ns + b->np;
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
                for (int j = 0; j < n; j++) {
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
    trxi_gemm_nt_lower(n, kept, b->weighed, n, b->rows, n, out->H, n);
}

// ---- the window ----

// one window while it is simulated
typedef struct walk {
    trxi_bench *bench;
    const trxi_window *window;
    const trx_fit_recording *recording;
    const double *values;
    bool unknowns;
    int knot;
    bool ahead; // x_next and S_next are those of knot + 1
    int held;   // row whose controls act
} walk;

// the sensitivities of x_next: S_next = A S + [0 C dp/dz]
static trx_status propagate(const walk *w)
{
    trxi_bench *b = w->bench;
    const int nx = 2 * trx_model_get_size(b->problem->model).nv, columns = w->unknowns ? b->ns + b->np : b->ns;
    trx_status status = trx_step_jac(b->sim, b->A, NULL);
    if (status < 0) return status;
    trxi_gemm(nx, columns, nx, 1, b->A, nx, b->S, nx, 0, b->S_next, nx);
    if (!w->unknowns || b->nlist == 0) return TRX_OK;
    status = trx_step_jac_parameters(b->sim, b->list, b->nlist, b->C);
    if (status < 0) return status;
    trxi_unknowns_chain(b->unknowns, w->values, nx, b->C, b->D);
    trxi_add(nx, b->np, 1, b->D, nx, b->S_next + b->ns * nx, nx);
    return TRX_OK;
}

// computes the state at the next knot, unless it is there
static trx_status look_ahead(walk *w)
{
    trxi_bench *b = w->bench;
    const trx_fit_recording *r = w->recording;
    const int nu = trx_model_get_size(b->problem->model).nu, last = w->window->first_row + w->window->rows - 1;
    const double dt = b->problem->sim.time_step, t = w->window->begin + w->knot * dt;
    if (w->ahead) return TRX_OK;
    while (w->held < last && r->t[w->held + 1] <= t + 1e-3 * dt) w->held++;
    const double *u = r->u ? r->u + (size_t)w->held * (size_t)nu : NULL;
    const trx_step_input input = {.time = t - r->t[0], .x = b->x, .u = u};
    trx_status status = trx_step_from(b->sim, &input, b->x_next);
    if (status >= 0) status = propagate(w);
    w->ahead = status >= 0;
    return status;
}

static void swap(double **a, double **b)
{
    double *other = *a;
    *a = *b, *b = other;
}

// to the knot at or before a sample
static trx_status go_to(walk *w, int knot)
{
    while (w->knot < knot) {
        const trx_status status = look_ahead(w);
        if (status < 0) return status;
        swap(&w->bench->x, &w->bench->x_next);
        swap(&w->bench->S, &w->bench->S_next);
        w->ahead = false;
        w->knot++;
    }
    return TRX_OK;
}

static trx_status see(const walk *w, const double *recorded, double t, const double *x, const double *S, double share)
{
    trxi_bench *b = w->bench;
    const int nq = trx_model_get_size(b->problem->model).nq;
    trx_status status = b->kinematics ? trx_kinematics_update(b->kinematics, x, x + nq, t) : TRX_OK;
    if (status >= 0) add_residuals(b, recorded, x, S, share, w->unknowns);
    return status;
}

static trx_status take_sample(walk *w, int row, const double *noise, trxi_evaluation *out)
{
    trxi_bench *b = w->bench;
    const double dt = b->problem->sim.time_step, *recorded = w->recording->values + (size_t)row * (size_t)b->problem->columns;
    double share;
    const int knot = trxi_knot_of(w->window->begin, dt, w->recording->t[row], &share);
    const double t = w->window->begin + knot * dt - w->recording->t[0];
    memset(b->r, 0, sizeof *b->r * (size_t)b->nresidual);
    memset(b->rows, 0, sizeof *b->rows * (size_t)((b->ns + b->np) * b->nresidual));
    trx_status status = go_to(w, knot);
    if (status >= 0) status = see(w, recorded, t, b->x, b->S, 1 - share);
    if (status >= 0 && share > 0 && (status = look_ahead(w)) >= 0) status = see(w, recorded, t + dt, b->x_next, b->S_next, share);
    if (status >= 0) add_sample(b, noise, out);
    return status;
}

// ---- the evaluation ----

static void clear(trxi_bench *b, const double *x, trxi_evaluation *out)
{
    const trx_model_size size = trx_model_get_size(b->problem->model);
    const int nx = 2 * size.nv, n = b->ns + b->np;
    *out = (trxi_evaluation){.H = out->H, .g = out->g, .sums = out->sums};
    memset(out->H, 0, sizeof(double) * (size_t)(n * n));
    memset(out->g, 0, sizeof(double) * (size_t)n);
    memset(out->sums, 0, sizeof *out->sums * (size_t)b->problem->ngroup);
    memset(b->S, 0, sizeof(double) * (size_t)(nx * n));
    memset(b->S_next, 0, sizeof(double) * (size_t)(nx * n));
    for (int i = 0; i < b->ns; i++) b->S[i * nx + i] = 1;
    for (int i = 0; i < b->nresidual; i++) b->last[i] = NAN;
    memcpy(b->x, x, sizeof *x * (size_t)(size.nq + size.nv));
}

// the prior of the start state: its change from the first guess. A number that is held has a very small deviation
static void add_start_prior(trxi_bench *b, const trxi_window *w, const double *x, trxi_evaluation *out)
{
    const trx_model_size size = trx_model_get_size(b->problem->model);
    const int n = b->ns + b->np;
    double *dq = b->J; // 6 nv numbers of scratch
    trx_model_difference(b->problem->model, x, w->guess, dq);
    for (int i = 0; i < b->ns; i++) {
        const bool position = i < size.nv;
        const double sd = fmax(position ? b->settings->start_position : b->settings->start_velocity, HELD);
        if (!isfinite(sd)) continue;
        const int v = size.nq + i - size.nv;
        const double change = position ? dq[i] : x[v] - w->guess[v];
        out->objective += 0.5 * (change / sd) * (change / sd);
        out->g[i] += change / (sd * sd);
        out->H[i * n + i] += 1 / (sd * sd);
    }
}

void trxi_evaluate(trxi_bench *b, const trxi_window *window, const double *x, const double *values, const double *noise,
                   bool unknowns, trxi_evaluation *out)
{
    walk w = {.bench = b, .window = window, .recording = &b->problem->recordings[window->recording], .values = values,
              .unknowns = unknowns, .held = window->first_row};
    clear(b, x, out);
    if (b->ns > 0) add_start_prior(b, window, x, out);
    for (int row = window->first_row; row < window->first_row + window->rows && out->status >= 0; row++)
        out->status = take_sample(&w, row, noise, out);
    if (out->status < 0) out->objective = INFINITY;
}
