// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Covariance, verdicts and residuals (theory 10); see answer.h. With P the sum of the windows' Schur complements, g_c the reduced
// gradient of recording c, and Q the curvature of the priors:
//
//     cov = (P + Q)^-1                                     residuals independent, of known noise
//     cov_robust = m/(m-1) cov (sum over c of g_c g_c^T) cov      any residuals, independent between recordings
//     V diag(lambda) V^T = diag(scale) P diag(scale)        lambda < 1: direction not determined by the recordings

#include "fit/answer.h"

#include "fit/eigen.h"
#include "fit/minimize.h"
#include "fit/words.h"

#include <math.h>
#include <string.h>

enum { FEWEST_CLUSTERS = 8 };
static const double UNKNOWN = 0.5; // standard deviation of a value that is not known, relative
static const double RANK = 1e-13; // smallest eigenvalue that counts, relative to the largest

// ---- noise ----

static trxi_group_sums sum_group(const trx_fit *fit, const trxi_windows *windows, int group)
{
    trxi_group_sums sum = {0};
    (void)fit;
    for (int i = 0; i < windows->count; i++) {
        const trxi_group_sums *s = &windows->now[i].sums[group];
        if (windows->now[i].status < 0) continue;
        sum.squares += s->squares, sum.products += s->products;
        sum.weighted += s->weighted, sum.weights += s->weights;
        sum.count += s->count, sum.neighbours += s->neighbours;
    }
    return sum;
}

// residuals per number that was estimated from them
static double freedom(const trx_fit *fit)
{
    double residuals = 0;
    for (int g = 0; g < fit->problem.ngroup; g++) residuals += (double)sum_group(fit, &fit->fitted, g).count;
    const double estimated = fit->unknowns.count + (double)fit->benches[0].ns * fit->fitted.count;
    return residuals > 2 * estimated ? residuals / (residuals - estimated) : 2;
}

double trxi_estimate_noise(trx_fit *fit)
{
    double change = 0;
    const double share = freedom(fit);
    for (int g = 0; g < fit->problem.ngroup; g++) {
        const trxi_group_sums s = sum_group(fit, &fit->fitted, g);
        if (!isnan(fit->problem.groups[g].noise) || !(s.weights > 0)) continue;
        const double noise = fmax(sqrt(s.weighted / s.weights * share), 1e-12);
        change = fmax(change, fabs(noise / fit->noise[g] - 1));
        fit->noise[g] = noise;
    }
    return change;
}

// ---- what is determined ----

// The standard deviation of an unknown from which on it counts as not known: half of the value, or half of half the range. The 95 %
// interval of a positive parameter then spans a factor of 7.
static double scale_of(const trxi_unknowns *u, int k, double z)
{
    if (u->positive[k]) return UNKNOWN;
    if (isfinite(u->lower[k]) && isfinite(u->upper[k])) return 0.5 * UNKNOWN * (u->upper[k] - u->lower[k]);
    const double size = fmax(fabs(z), fabs(u->start[k]));
    return UNKNOWN * (size > 0 ? size : 1);
}

typedef struct spectrum {
    int n;
    int *free;              // n: unknowns that are not at a bound
    double *scale;          // n
    double *values, *V, *B; // n, n x n, n x n
} spectrum;

static bool take_spectrum(trx_fit *fit, spectrum *s)
{
    const int np = fit->unknowns.count;
    s->free = TRXI_POOL(fit->pool, int, np + 1);
    s->scale = TRXI_POOL(fit->pool, double, np + 1);
    s->values = TRXI_POOL(fit->pool, double, np + 1);
    s->V = TRXI_POOL(fit->pool, double, np * np + 1);
    s->B = TRXI_POOL(fit->pool, double, np * np + 1);
    for (int k = 0; k < np; k++) {
        const bool at_bound = fit->z[k] <= fit->unknowns.lower[k] || fit->z[k] >= fit->unknowns.upper[k];
        fit->verdicts[k] = at_bound ? TRX_FIT_AT_BOUND : TRX_FIT_DETERMINED;
        if (!at_bound) s->free[s->n++] = k;
    }
    for (int i = 0; i < s->n; i++) s->scale[i] = scale_of(&fit->unknowns, s->free[i], fit->z[s->free[i]]);
    return s->free && s->scale && s->values && s->V && s->B;
}

// the scaled block of the free unknowns of P + diagonal
static void decompose(const trx_fit *fit, spectrum *s, const double *diagonal)
{
    const int np = fit->unknowns.count;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) {
            const int a = s->free[i] > s->free[j] ? s->free[i] : s->free[j], b = s->free[i] > s->free[j] ? s->free[j] : s->free[i];
            const double entry = fit->P[b * np + a] + (diagonal && i == j ? diagonal[a] : 0);
            s->B[j * s->n + i] = s->scale[i] * entry * s->scale[j];
        }
    trxi_symmetric_eigen(s->n, s->B, s->values, s->V);
}

// eigenvalues below the rank are as good as 0: their deviation is a large finite number
static double eigenvalue(const spectrum *s, int i)
{
    return fmax(s->values[i], fmax(RANK * s->values[s->n - 1], 1e-18));
}

// scaled variance of free unknown i
static double variance(const spectrum *s, int i)
{
    double sum = 0;
    for (int k = 0; k < s->n; k++) sum += s->V[k * s->n + i] * s->V[k * s->n + i] / eigenvalue(s, k);
    return sum;
}

static trx_status tell_directions(trx_fit *fit, const spectrum *s)
{
    const int np = fit->unknowns.count;
    double *v = TRXI_POOL(fit->pool, double, np + 1);
    fit->directions = TRXI_POOL(fit->pool, const char *, np + 1);
    if (!v || !fit->directions) return TRX_ERR_MEMORY;
    for (int i = 0; i < s->n && eigenvalue(s, i) < 1; i++) {
        memset(v, 0, sizeof *v * (size_t)np);
        for (int k = 0; k < s->n; k++) v[s->free[k]] = s->V[i * s->n + k];
        const char *words = trxi_direction_words(fit->pool, &fit->unknowns, v, UNKNOWN / sqrt(eigenvalue(s, i)));
        if (!words) return TRX_ERR_MEMORY;
        fit->directions[fit->info.ndirection++] = words;
    }
    return TRX_OK;
}

// ---- covariances ----

static void set_covariance(trx_fit *fit, const spectrum *s)
{
    const int np = fit->unknowns.count;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) {
            double sum = 0;
            for (int k = 0; k < s->n; k++) sum += s->V[k * s->n + i] * s->V[k * s->n + j] / eigenvalue(s, k);
            fit->covariance[s->free[j] * np + s->free[i]] = s->scale[i] * sum * s->scale[j];
        }
}

// adds (cov g)(cov g)^T of one cluster, and clears g
static void add_score(trx_fit *fit, double *g)
{
    const int np = fit->unknowns.count;
    double *moved = fit->dz;
    for (int i = 0; i < np; i++) {
        moved[i] = 0;
        for (int k = 0; k < np; k++) moved[i] += fit->covariance[k * np + i] * g[k];
    }
    for (int i = 0; i < np; i++)
        for (int j = 0; j < np; j++) fit->robust[j * np + i] += moved[i] * moved[j];
    memset(g, 0, sizeof *g * (size_t)np);
    fit->clusters++;
}

// clusters: recordings, or windows where there are few recordings
static void set_robust(trx_fit *fit)
{
    const int ns = fit->benches[0].ns, np = fit->unknowns.count, count = fit->fitted.count;
    int recordings = 0;
    for (int i = 0; i < count; i++) recordings += i == 0 || fit->fitted.list[i].recording != fit->fitted.list[i - 1].recording;
    const bool by_recording = recordings >= FEWEST_CLUSTERS && recordings > 2 * np;
    double *score = fit->p;
    memset(score, 0, sizeof *score * (size_t)np);
    for (int i = 0; i < count; i++) {
        const trxi_evaluation *e = &fit->fitted.now[i];
        trxi_eliminate(ns, np, e->H, e->g, 0, &fit->fitted.eliminated[i], fit->scratch, score);
        const bool last = i + 1 == count || fit->fitted.list[i + 1].recording != fit->fitted.list[i].recording;
        if (!by_recording || last) add_score(fit, score);
    }
    const bool enough = fit->clusters >= FEWEST_CLUSTERS && fit->clusters > 2 * np;
    const double correction = enough ? (double)fit->clusters / (fit->clusters - 1) : NAN;
    for (int i = 0; i < np * np; i++) fit->robust[i] *= correction;
}

static trx_status judge_unknowns(trx_fit *fit)
{
    const int np = fit->unknowns.count;
    spectrum s = {0};
    double *diagonal = TRXI_POOL(fit->pool, double, 2 * np + 1);
    if (!diagonal || !take_spectrum(fit, &s)) return TRX_ERR_MEMORY;
    if (!trxi_reduce(fit, fit->P, fit->p)) return TRX_OK;
    trxi_unknowns_prior(&fit->unknowns, fit->values, diagonal + np, diagonal);
    decompose(fit, &s, NULL);
    for (int i = 0; i < s.n; i++)
        if (variance(&s, i) > 1) fit->verdicts[s.free[i]] = TRX_FIT_UNDETERMINED;
    trx_status status = tell_directions(fit, &s);
    decompose(fit, &s, diagonal);
    for (int i = 0; i < s.n; i++)
        if (fit->verdicts[s.free[i]] == TRX_FIT_UNDETERMINED && variance(&s, i) <= 1) fit->verdicts[s.free[i]] = TRX_FIT_BY_PRIOR;
    set_covariance(fit, &s);
    set_robust(fit);
    return status;
}

// ---- residuals ----

static void set_group(trx_fit *fit, int g)
{
    const trxi_group_sums fitted = sum_group(fit, &fit->fitted, g), held = sum_group(fit, &fit->held, g);
    const double mean = fitted.count > 0 ? fitted.squares / (double)fitted.count : NAN;
    fit->groups[g] = (trx_fit_group_info){
        .name = fit->problem.groups[g].name,
        .noise = fit->noise[g],
        .estimated = isnan(fit->problem.groups[g].noise),
        .rms = sqrt(mean),
        .rms_held = held.count > 0 ? sqrt(held.squares / (double)held.count) : NAN,
        .autocorrelation = fitted.neighbours > 0 && mean > 0 ? fitted.products / (double)fitted.neighbours / mean : 0,
        .count = fitted.count,
    };
    fit->info.residuals += fitted.count;
}

trx_status trxi_answer(trx_fit *fit)
{
    const int np = fit->unknowns.count;
    fit->covariance = TRXI_POOL(fit->pool, double, np * np + 1);
    fit->robust = TRXI_POOL(fit->pool, double, np * np + 1);
    fit->verdicts = TRXI_POOL(fit->pool, trx_fit_verdict, np + 1);
    fit->groups = TRXI_POOL(fit->pool, trx_fit_group_info, fit->problem.ngroup + 1);
    if (!fit->covariance || !fit->robust || !fit->verdicts || !fit->groups) return TRX_ERR_MEMORY;
    const trx_status status = trxi_evaluate_all(fit, &fit->fitted, true);
    if (status < 0) return status;
    for (int g = 0; g < fit->problem.ngroup; g++) set_group(fit, g);
    return judge_unknowns(fit);
}
