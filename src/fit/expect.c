// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The information of a motion (theory 10); see expect.h. The motion is simulated at the starts of the parameters. The
// channels of the simulation serve as a recording without noise. A fit of this recording would have, at its minimum, the
// Gauss-Newton Hessian P with the start state eliminated:
//
//     V diag(lambda) V^T = S (P + Q) S,      cov = S V diag(1/lambda) V^T S       S: scale of each unknown
//
// Criteria are means of relative standard deviations: the root of the mean of 1/lambda, or the geometric mean of 1/sqrt(lambda).
// Cost: two simulations, one of them with sensitivities (two where rotations are recorded).

#include "fit/expect.h"

#include "base/context.h"
#include "fit/channel.h"
#include "fit/eigen.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

static const double LEAST = 1e-18, RANK = 1e-13; // of eigenvalues: absolute, relative to the largest

// ---- memory ----

static bool take(trxi_pool *pool, trxi_expectation *e)
{
    const trx_model_size size = trx_model_get_size(e->problem.model);
    const size_t rows = (size_t)e->motion->steps + 1, ns = (size_t)e->bench.ns, np = (size_t)e->unknowns->count, n = ns + np;
    e->t = TRXI_POOL(pool, double, rows);
    e->recorded = TRXI_POOL(pool, double, rows * (size_t)e->problem.columns + 1);
    e->u = TRXI_POOL(pool, double, rows * (size_t)size.nu + 1);
    e->x = TRXI_POOL(pool, double, 2 * (size_t)size.nstate);
    e->start_values = TRXI_POOL(pool, double, e->problem.nparameter + 1);
    e->noise = TRXI_POOL(pool, double, e->problem.ngroup + 1);
    e->scale = TRXI_POOL(pool, double, np + 1);
    e->P = TRXI_POOL(pool, double, np * np + np + 1);
    e->B = TRXI_POOL(pool, double, np * np + 1);
    e->V = TRXI_POOL(pool, double, np * np + 1);
    e->values = TRXI_POOL(pool, double, 2 * np + 1);
    double *numbers = TRXI_POOL(pool, double, n * n + n + ns * ns + ns * np + ns + 1);
    trxi_group_sums *sums = TRXI_POOL(pool, trxi_group_sums, e->problem.ngroup + 1);
    double *residuals = TRXI_POOL(pool, double, rows * (size_t)e->bench.nresidual + 1);
    if (!e->t || !e->recorded || !e->u || !e->x || !e->start_values || !e->noise || !e->scale || !e->P || !e->B || !e->V ||
        !e->values || !numbers || !sums || !residuals)
        return false;
    e->evaluation = (trxi_evaluation){.H = numbers, .g = numbers + n * n, .sums = sums, .residuals = residuals};
    numbers += n * n + n;
    e->eliminated = (trxi_eliminated){numbers, numbers + ns * ns, numbers + ns * ns + ns * np};
    return true;
}

trx_status trxi_expectation_open(trx_context *context, trxi_pool *pool, const trx_fit_problem *problem,
                                 const trx_fit_settings *settings, const trxi_unknowns *unknowns, const trx_fit_motion *motion,
                                 trxi_expectation *e)
{
    *e = (trxi_expectation){.motion = motion, .problem = *problem, .settings = *settings, .unknowns = unknowns};
    e->settings.huber = INFINITY;
    e->problem.recordings = &e->recording;
    e->problem.nrecording = 1;
    trx_status status = trxi_bench_open(&e->problem, &e->settings, unknowns, context, &e->bench);
    if (status < 0) return status;
    if (!take(pool, e)) return TRX_ERR_MEMORY;
    const int rows = motion->steps + 1;
    e->recording = (trx_fit_recording){.name = "planned", .rows = rows, .t = e->t, .values = e->recorded, .u = e->u};
    for (int k = 0; k < rows; k++) e->t[k] = k * problem->sim.time_step;
    for (int g = 0; g < problem->ngroup; g++) e->noise[g] = problem->groups[g].noise;
    // in units of these scales, the same share of every unknown counts the same
    for (int k = 0; k < unknowns->count; k++) e->scale[k] = trxi_unknowns_size(unknowns, k, unknowns->start[k]);
    trxi_unknowns_values(unknowns, unknowns->start, e->start_values);
    return trxi_bench_set(&e->bench, e->start_values);
}

void trxi_expectation_close(trxi_expectation *e)
{
    if (e->bench.context) trxi_bench_close(&e->bench);
}

// ---- the motion ----

static double excess_of(const trxi_expectation *e, const double *x)
{
    const trx_model_size size = trx_model_get_size(e->problem.model);
    double sum = 0;
    for (int i = 0; i < size.nstate && e->motion->low; i++) {
        const double width = e->motion->high[i] - e->motion->low[i];
        const double out = fmax(e->motion->low[i] - x[i], x[i] - e->motion->high[i]);
        if (out > 0) sum += out / (isfinite(width) ? width : 1);
    }
    return sum;
}

static trx_status simulate(trxi_expectation *e)
{
    const trx_model_size size = trx_model_get_size(e->problem.model);
    double *now = e->x, *next = e->x + size.nstate;
    memcpy(now, e->problem.x0, sizeof *now * (size_t)size.nstate);
    e->excess = excess_of(e, now);
    for (int k = 0; k < e->motion->steps; k++) {
        const trx_step_input input = {.time = e->t[k], .x = now, .u = size.nu > 0 ? e->u + k * size.nu : NULL};
        const trx_status status = trx_step_from(e->bench.sim, &input, next);
        if (status == TRX_ERR_MEMORY) return status;
        if (status < 0) e->excess = INFINITY;
        if (status < 0) return TRX_OK;
        double *last = now;
        now = next, next = last;
        e->excess += excess_of(e, now);
    }
    return TRX_OK;
}

// ---- the recording ----

// zeros and identities at the samples, nothing between them
static void clear_recording(trxi_expectation *e)
{
    const int columns = e->problem.columns, every = e->motion->every;
    for (int row = 0; row <= e->motion->steps; row++)
        for (int c = 0; c < e->problem.nchannel; c++) {
            const trx_fit_channel *channel = &e->problem.channels[c];
            for (int k = 0; k < trxi_channel_columns(channel->kind); k++)
                e->recorded[row * columns + channel->column + k] =
                    row % every ? NAN : trxi_channel_is_rotation(channel->kind) && k == 0;
        }
}

// adds the residuals to the recording, which then holds the prediction; true when there are rotations
static bool record_prediction(trxi_expectation *e)
{
    const int columns = e->problem.columns;
    bool rotations = false;
    for (int row = 0; row <= e->motion->steps; row += e->motion->every) {
        const double *r = e->evaluation.residuals + (size_t)row * (size_t)e->bench.nresidual;
        for (int c = 0; c < e->problem.nchannel; c++) {
            const trx_fit_channel *channel = &e->problem.channels[c];
            double *to = e->recorded + row * columns + channel->column;
            if (!e->bench.used[c]) continue;
            if (trxi_channel_is_rotation(channel->kind)) trxi_quat_integrate(to, r, to), rotations = true;
            else *to += *r;
            r += trxi_channel_residuals(channel->kind);
        }
    }
    return rotations;
}

static trx_status evaluate(trxi_expectation *e)
{
    const trxi_window whole = {.rows = e->recording.rows, .all_rows = e->recording.rows, .steps = e->motion->steps,
                               .guess = (double *)e->problem.x0, .begin = 0};
    trxi_evaluate(&e->bench, &whole, e->problem.x0, e->noise, TRXI_BY_ALL, &e->evaluation);
    return e->evaluation.status;
}

// ---- the information ----

static bool decompose(trxi_expectation *e)
{
    const int np = e->unknowns->count;
    double *p = e->P + np * np;
    memset(e->P, 0, sizeof *e->P * (size_t)(np * np + np));
    if (!trxi_eliminate(e->bench.ns, np, e->evaluation.H, e->evaluation.g, 0, &e->eliminated, e->P, p)) return false;
    trxi_unknowns_prior(e->unknowns, np, e->unknowns->start, p, e->P, np);
    for (int j = 0; j < np; j++)
        for (int i = 0; i < np; i++) {
            const double entry = i >= j ? e->P[j * np + i] : e->P[i * np + j];
            e->B[j * np + i] = e->scale[i] * entry * e->scale[j];
        }
    trxi_symmetric_eigen(np, e->B, e->values, e->V);
    for (int k = 0; k < np; k++) e->values[k] = fmax(e->values[k], fmax(RANK * e->values[np - 1], LEAST));
    return true;
}

static double criterion_of(const trxi_expectation *e, trx_fit_criterion criterion)
{
    const int np = e->unknowns->count;
    double sum = 0;
    for (int k = 0; k < np; k++) sum += criterion == TRX_FIT_TRACE ? 1 / e->values[k] : -log(e->values[k]);
    return criterion == TRX_FIT_TRACE ? sqrt(sum / np) : exp(0.5 * sum / np);
}

double trxi_expectation_deviation(const trxi_expectation *e, int parameter)
{
    const trxi_slopes slopes = trxi_unknowns_slopes_of(e->unknowns, e->start_values, parameter);
    const int np = e->unknowns->count;
    double sum = 0;
    for (int k = 0; k < np; k++) {
        const double *v = e->V + k * np + slopes.first, *scale = e->scale + slopes.first;
        double share = 0;
        for (int i = 0; i < slopes.count; i++) share += v[i] * scale[i] * slopes.by[i];
        sum += share * share / e->values[k];
    }
    return sqrt(sum);
}

trx_status trxi_expectation_judge(trxi_expectation *e, const double *u, trx_fit_criterion criterion)
{
    const size_t nu = (size_t)trx_model_get_size(e->problem.model).nu, steps = (size_t)e->motion->steps;
    memcpy(e->u, u, sizeof *u * nu * steps);
    memset(e->u + nu * steps, 0, sizeof *u * nu);
    trx_status status = simulate(e);
    if (status < 0 || e->excess > 0) return status;
    clear_recording(e);
    status = evaluate(e);
    if (status >= 0 && record_prediction(e)) status = evaluate(e);
    if (status == TRX_ERR_MEMORY) return status;
    if (status < 0 || !decompose(e)) e->excess = INFINITY;
    else e->criterion = criterion_of(e, criterion);
    return TRX_OK;
}
