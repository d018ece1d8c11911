// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals at the estimates (theory 10); see residuals.h. With the residuals r_i of one number of a channel, their mean m and
// the n_k pairs of samples k apart in one window:
//
//     rho_k = (1/n_k sum (r_i - m)(r_i+k - m)) / (1/n sum (r_i - m)^2)     autocorrelation
//     |rho_1| < 3.29/sqrt(n_1)                                             99.9 % of white noise
//     Q = sum over k <= 10 of n_k rho_k^2 < chi^2_10 (99.9 %)               all these lags together
//     (1 + rho_1)/(1 - rho_1)                                              variance of a mean of alike neighbours, relative
//
// Cost: one evaluation of every window, and TRX_FIT_LAGS products per residual.

#include "fit/residuals.h"

#include "fit/channel.h"
#include "fit/minimize.h"
#include "math/rotation.h"

#include <math.h>

enum { FEWEST = 30 };              // pairs of neighbours below which there is no verdict
enum { TESTED = 10 };              // lags of Q
static const double NORMAL = 3.291; // standard deviations within which 99.9 % of normal numbers lie
static const double CHI_SQUARE = 29.588; // 99.9 % of the sums of TESTED squares lie below

// ---- the tables ----

static size_t rows_before(const trx_fit *fit, int recording)
{
    size_t rows = 0;
    for (int i = 0; i < recording; i++) rows += (size_t)fit->problem.recordings[i].rows;
    return rows;
}

trx_status trxi_residuals_take(trx_fit *fit, double **table)
{
    const size_t count = rows_before(fit, fit->problem.nrecording) * (size_t)fit->benches[0].nresidual;
    *table = TRXI_POOL(fit->pool, double, count + 1);
    for (size_t i = 0; *table && i < count; i++) (*table)[i] = NAN;
    return *table ? TRX_OK : TRX_ERR_MEMORY;
}

double *trxi_residuals_of(const trx_fit *fit, double *table, int recording)
{
    return table + rows_before(fit, recording) * (size_t)fit->benches[0].nresidual;
}

// the first residual of a channel in a row of a table; -1: ignored
static int place_of(const trx_fit *fit, int channel)
{
    int at = 0;
    for (int i = 0; i < channel; i++)
        if (fit->benches[0].used[i]) at += trxi_channel_residuals(fit->problem.channels[i].kind);
    return fit->benches[0].used[channel] ? at : -1;
}

bool trxi_predicted(const trx_fit *fit, double *table, int recording, int row, int channel, double out[4])
{
    const trx_fit_problem *p = &fit->problem;
    const trx_fit_channel *c = &p->channels[channel];
    const int at = place_of(fit, channel);
    if (at < 0) return false;
    const double *r = trxi_residuals_of(fit, table, recording) + (size_t)row * (size_t)fit->benches[0].nresidual + at;
    const double *recorded = p->recordings[recording].values + (size_t)row * (size_t)p->columns + c->column;
    for (int i = 0; i < 4; i++) out[i] = NAN;
    if (!trxi_channel_is_rotation(c->kind)) {
        out[0] = recorded[0] + r[0];
    } else if (!isnan(r[0])) {
        trxi_quat_integrate(recorded, r, out);
    }
    return true;
}

static trx_status evaluate_windows(trx_fit *fit, trxi_windows *windows, trxi_derivatives derivatives)
{
    const size_t length = (size_t)fit->benches[0].nresidual;
    for (int i = 0; i < windows->count; i++) {
        const trxi_window *w = &windows->list[i];
        windows->now[i].residuals = trxi_residuals_of(fit, fit->windowed, w->recording) + length * (size_t)w->first_row;
    }
    return trxi_evaluate_all(fit, windows, derivatives);
}

// ---- statistics ----

// adds the residuals of all windows of a list: their number, sum and squares
static long long sum_windows(const trx_fit *fit, const trxi_windows *windows, int place, double *sum, double *squares)
{
    const int length = fit->benches[0].nresidual;
    long long count = 0;
    *sum = *squares = 0;
    for (int i = 0; i < windows->count; i++)
        for (int k = 0; k < windows->list[i].rows; k++) {
            const double r = windows->now[i].residuals[k * length + place];
            if (isnan(r)) continue;
            *sum += r, *squares += r * r;
            count++;
        }
    return count;
}

// mean product of residuals, less their mean, that are `lag` samples apart; their number in *pairs
static double mean_product(const trx_fit *fit, int place, double mean, int lag, long long *pairs)
{
    const int length = fit->benches[0].nresidual;
    double sum = 0;
    *pairs = 0;
    for (int i = 0; i < fit->fitted.count; i++) {
        const double *table = fit->fitted.now[i].residuals + place;
        for (int k = lag; k < fit->fitted.list[i].rows; k++) {
            const double product = (table[k * length] - mean) * (table[(k - lag) * length] - mean);
            if (isnan(product)) continue;
            sum += product;
            ++*pairs;
        }
    }
    return *pairs > 0 ? sum / (double)*pairs : NAN;
}

// the sum Q, and the lag of its largest term
static double portmanteau(const trx_fit_residual_info *info, const long long *pairs, int *lag)
{
    double sum = 0, most = -1;
    for (int k = 0; k < TESTED; k++) {
        const double share = (double)pairs[k] * info->autocorrelation[k] * info->autocorrelation[k];
        if (pairs[k] < FEWEST) continue;
        sum += share;
        if (share > most) most = share, *lag = k + 1;
    }
    return sum;
}

static const char *colour_in_words(trx_fit *fit, const trx_fit_residual_info *info, int lag)
{
    const double first = info->autocorrelation[0], alike = fmin(first, 0.9999);
    if (first > info->band)
        return trxi_pool_printf(fit->pool, "not white: neighbours are alike (%.2f), the model lacks a motion; "
                                "sd up to %.1f times too small", first, sqrt((1 + alike) / (1 - alike)));
    if (first < -info->band)
        return trxi_pool_printf(fit->pool, "not white: neighbours differ more than noise would (%.2f): short windows, or a sensor "
                                "that overshoots", first);
    return trxi_pool_printf(fit->pool, "not white: samples %d apart are %s (%.2f)", lag,
                            info->autocorrelation[lag - 1] > 0 ? "alike" : "opposite", info->autocorrelation[lag - 1]);
}

static bool judge(trx_fit *fit, trx_fit_residual_info *info, const long long *pairs)
{
    int lag = 1;
    if (pairs[0] < FEWEST || !(info->rms > 0)) {
        info->whiteness = TRX_FIT_TOO_FEW;
        info->verdict = "too few residuals for a verdict";
        return true;
    }
    info->band = NORMAL / sqrt((double)pairs[0]);
    const bool white = fabs(info->autocorrelation[0]) < info->band && portmanteau(info, pairs, &lag) < CHI_SQUARE;
    info->whiteness = white ? TRX_FIT_WHITE : TRX_FIT_COLOURED;
    info->verdict = white ? "looks like white noise" : colour_in_words(fit, info, lag);

    // an offset remains if the mean is far from 0; the mean of correlated neighbours has a larger deviation
    const double alike = fmin(fmax(info->autocorrelation[0], 0), 0.9999), spread = info->rms * info->rms - info->mean * info->mean;
    const double deviation = sqrt(fmax(spread, 0) / (double)info->count * (1 + alike) / (1 - alike));
    if (info->verdict && fabs(info->mean) > NORMAL * deviation)
        info->verdict = trxi_pool_printf(fit->pool, "%s; an offset of %.3g remains", info->verdict, info->mean);
    return info->verdict != NULL;
}

static bool describe(trx_fit *fit, int channel, int component, trx_fit_residual_info *info)
{
    const trx_fit_channel *c = &fit->problem.channels[channel];
    const int place = place_of(fit, channel) + component;
    long long pairs[TRX_FIT_LAGS];
    double sum, squares;
    *info = (trx_fit_residual_info){.name = c->name, .group = c->group, .band = NAN, .mean = NAN, .rms = NAN, .rms_held = NAN};
    if (trxi_channel_is_rotation(c->kind)) info->name = trxi_pool_printf(fit->pool, "%s about %c", c->name, "xyz"[component]);
    if (!info->name) return false;
    const long long held = sum_windows(fit, &fit->held, place, &sum, &squares);
    if (held > 0) info->rms_held = sqrt(squares / (double)held);
    info->count = sum_windows(fit, &fit->fitted, place, &sum, &squares);
    if (info->count > 0) info->mean = sum / (double)info->count, info->rms = sqrt(squares / (double)info->count);
    const double spread = info->rms * info->rms - info->mean * info->mean;
    for (int k = 0; k < TRX_FIT_LAGS; k++)
        info->autocorrelation[k] = mean_product(fit, place, info->mean, k + 1, &pairs[k]) / spread;
    return judge(fit, info, pairs);
}

trx_status trxi_residuals(trx_fit *fit)
{
    trx_status status = trxi_residuals_take(fit, &fit->windowed);
    if (status >= 0) status = evaluate_windows(fit, &fit->fitted, TRXI_BY_ALL);
    if (status >= 0) status = evaluate_windows(fit, &fit->held, TRXI_VALUE);
    if (status < 0) return status;
    fit->residuals = TRXI_POOL(fit->pool, trx_fit_residual_info, fit->benches[0].nresidual + 1);
    if (!fit->residuals) return TRX_ERR_MEMORY;
    for (int i = 0; i < fit->problem.nchannel; i++)
        for (int k = 0; fit->benches[0].used[i] && k < trxi_channel_residuals(fit->problem.channels[i].kind); k++)
            if (!describe(fit, i, k, &fit->residuals[fit->info.nresidual++])) return TRX_ERR_MEMORY;

    // later evaluations leave the table as it is
    for (int i = 0; i < fit->fitted.count; i++) fit->fitted.now[i].residuals = NULL;
    for (int i = 0; i < fit->held.count; i++) fit->held.now[i].residuals = NULL;
    return TRX_OK;
}
