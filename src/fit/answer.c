// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Covariance, verdicts and residuals (theory 10); see answer.h. With P of the shared unknowns (arrow.c) and g_c the reduced
// gradient of recording c:
//
//     cov = P^-1, P with the curvature of the priors                 residuals independent, of known noise
//     cov_robust = m/(m-1) cov (sum over c of g_c g_c^T) cov         any residuals, independent between recordings
//     V diag(lambda) V^T = diag(scale) P diag(scale)                 lambda < 1: direction not determined by the recordings
//     cov_robust_kk > scale_k^2                                      unknown not determined: the recordings disagree
//
// and for the local unknowns of session c, with W_c = -L_c^-T Y_c:
//
//     cov(l_c, z) = W_c cov,   cov(l_c) = L_c^-T L_c^-1 + W_c cov W_c^T

#include "fit/answer.h"

#include "fit/arrow.h"
#include "fit/eigen.h"
#include "fit/minimize.h"
#include "fit/residuals.h"
#include "fit/words.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { FEWEST_CLUSTERS = 8 };
static const double UNKNOWN = 0.5; // standard deviation of a value that is not known, relative
static const double RANK = 1e-13; // smallest eigenvalue that counts, relative to the largest

// ---- noise ----

static trxi_group_sums sum_group(const trxi_windows *windows, int group)
{
    trxi_group_sums sum = {0};
    for (int i = 0; i < windows->count; i++) {
        const trxi_group_sums *s = &windows->now[i].sums[group];
        if (windows->now[i].status < 0) continue;
        sum.squares += s->squares, sum.products += s->products;
        sum.weighted += s->weighted, sum.weights += s->weights;
        sum.count += s->count, sum.neighbours += s->neighbours;
    }
    return sum;
}

// factor n/(n - p) that corrects a mean square of n residuals from which p numbers were estimated; at most 2
static double freedom(const trx_fit *fit)
{
    const double residuals = trxi_fit_numbers(fit);
    double windows = 0;
    for (int i = 0; i < fit->fitted.count; i++) windows += fit->fitted.list[i].rows > 0;
    const double estimated = trxi_sessions_free(&fit->sessions, &fit->unknowns) + fit->benches[0].ns * windows;
    return residuals > 2 * estimated ? residuals / (residuals - estimated) : 2;
}

double trxi_estimate_noise(trx_fit *fit)
{
    double change = 0;
    const double share = freedom(fit);
    for (int g = 0; g < fit->problem.ngroup; g++) {
        const trxi_group_sums s = sum_group(&fit->fitted, g);
        if (!isnan(fit->problem.groups[g].noise) || !(s.weights > 0)) continue;
        const double noise = fmax(sqrt(s.weighted / s.weights * share), 1e-12);
        change = fmax(change, fabs(noise / fit->noise[g] - 1));
        fit->noise[g] = noise;
    }
    return change;
}

// ---- what is determined ----

// The standard deviation of an unknown from which on it counts as not known: half of its size. The 95 % interval of a positive
// parameter then spans a factor of 7.
static double scale_of(const trxi_unknowns *u, int k, double z)
{
    return UNKNOWN * trxi_unknowns_size(u, k, z);
}

typedef struct spectrum {
    int n;
    int *free;              // n: shared unknowns that are not at a bound
    double *scale;          // n
    double *values, *V, *B; // n, n x n, n x n
} spectrum;

static bool take_spectrum(trx_fit *fit, spectrum *s)
{
    const int n = fit->arrow.shared;
    s->free = TRXI_POOL(fit->pool, int, n + 1);
    s->scale = TRXI_POOL(fit->pool, double, n + 1);
    s->values = TRXI_POOL(fit->pool, double, n + 1);
    s->V = TRXI_POOL(fit->pool, double, n * n + 1);
    s->B = TRXI_POOL(fit->pool, double, n * n + 1);
    return s->free && s->scale && s->values && s->V && s->B;
}

// finds the unknowns at a bound, which have no deviation; the others first count as determined
static void find_bounds(trx_fit *fit, spectrum *s)
{
    const trxi_unknowns *u = &fit->unknowns;
    for (int i = 0; i < fit->sessions.count * u->count; i++) {
        const int k = i % u->count;
        fit->arrow.fixed[i] = fit->z[i] <= u->lower[k] || fit->z[i] >= u->upper[k];
        fit->verdicts[i] = fit->arrow.fixed[i] ? TRX_FIT_AT_BOUND : TRX_FIT_DETERMINED;
        if (i >= u->local && i < u->count && !fit->arrow.fixed[i]) s->free[s->n++] = k - u->local;
    }
    for (int i = 0; i < s->n; i++) s->scale[i] = scale_of(u, u->local + s->free[i], fit->z[u->local + s->free[i]]);
}

// the scaled block of the free shared unknowns of P
static void decompose(const trx_fit *fit, spectrum *s)
{
    const int n = fit->arrow.shared;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) {
            const int a = s->free[i] > s->free[j] ? s->free[i] : s->free[j], b = s->free[i] > s->free[j] ? s->free[j] : s->free[i];
            s->B[j * s->n + i] = s->scale[i] * fit->arrow.P[b * n + a] * s->scale[j];
        }
    trxi_symmetric_eigen(s->n, s->B, s->values, s->V);
}

// eigenvalues below the rank are as good as 0: their deviation is a large finite number
static double eigenvalue(const spectrum *s, int i)
{
    return fmax(s->values[i], fmax(RANK * s->values[s->n - 1], 1e-18));
}

// ---- covariances ----

static void set_covariance(trx_fit *fit, const spectrum *s)
{
    const int n = fit->arrow.shared;
    memset(fit->covariance, 0, sizeof *fit->covariance * (size_t)(n * n));
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) {
            double sum = 0;
            for (int k = 0; k < s->n; k++) sum += s->V[k * s->n + i] * s->V[k * s->n + j] / eigenvalue(s, k);
            fit->covariance[s->free[j] * n + s->free[i]] = s->scale[i] * sum * s->scale[j];
        }
}

static void set_local(trx_fit *fit, int session)
{
    const int m = fit->arrow.local, shared = fit->arrow.shared;
    const trxi_eliminated *e = &fit->arrow.eliminated[session];
    const trxi_local_covariance *c = &fit->local[session];
    double *column = fit->scratch;
    for (int j = 0; j < shared; j++) {
        for (int i = 0; i < m; i++) c->slope[j * m + i] = -e->Y[j * m + i];
        trxi_eliminated_back(m, e->L, c->slope + j * m);
    }
    trxi_gemm(m, shared, shared, 1, c->slope, m, fit->covariance, shared, 0, c->cross, m);
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < m; i++) column[i] = i == j;
        trxi_lower_solve(m, e->L, m, 1, column, m);
        trxi_eliminated_back(m, e->L, column);
        for (int i = 0; i < m; i++) {
            double sum = column[i];
            for (int k = 0; k < shared; k++) sum += c->cross[k * m + i] * c->slope[k * m + j];
            const bool known = !fit->arrow.fixed[session * fit->unknowns.count + i] &&
                               !fit->arrow.fixed[session * fit->unknowns.count + j];
            c->own[j * m + i] = known ? sum : 0;
        }
    }
}

// variance of a local unknown in its scale
static double local_variance(const trx_fit *fit, int session, int k)
{
    const double scale = scale_of(&fit->unknowns, k, fit->z[session * fit->unknowns.count + k]);
    return fit->local[session].own[k * fit->arrow.local + k] / (scale * scale);
}

double trxi_shared_variance(const trx_fit *fit, const double *covariance, const trxi_slopes *slopes)
{
    const int n = fit->arrow.shared, first = slopes->first - fit->arrow.local;
    double sum = 0;
    for (int i = 0; i < slopes->count; i++)
        for (int j = 0; j < slopes->count; j++) sum += slopes->by[i] * slopes->by[j] * covariance[(first + j) * n + first + i];
    return sum < 0 ? 0 : sum; // NAN stays
}

// variance of a shared unknown in its scale; for one of the ten unknowns of a body, the variance of the body's number of the
// same index
static double shared_variance(const trx_fit *fit, const double *covariance, int k)
{
    const trxi_unknowns *u = &fit->unknowns;
    const int parameter = u->parameter_of[k];
    trxi_slopes slopes = {k, 1, {1}};
    double scale = scale_of(u, k, fit->z[k]);
    if (u->body[k] >= 0) {
        slopes = trxi_unknowns_slopes_of(u, fit->values, parameter);
        scale = UNKNOWN * trxi_unknowns_body_size(u, parameter, fit->values);
    }
    return trxi_shared_variance(fit, covariance, &slopes) / (scale * scale);
}

// gives a verdict to the unknowns that have the verdict `from` and a variance above, or not above, the limit
static void judge(trx_fit *fit, const spectrum *s, trx_fit_verdict from, bool above, trx_fit_verdict verdict)
{
    const trxi_unknowns *u = &fit->unknowns;
    for (int c = 0; c < fit->sessions.count; c++) {
        trx_fit_verdict *verdicts = fit->verdicts + c * u->count;
        for (int k = 0; k < u->local; k++)
            if (verdicts[k] == from && (local_variance(fit, c, k) > 1) == above) verdicts[k] = verdict;
        for (int i = 0; i < s->n; i++) {
            const int k = u->local + s->free[i];
            if (u->body[k] >= 0 && verdict == TRX_FIT_BY_PRIOR) continue; // the prior only keeps the body near its start
            if (verdicts[k] == from && (shared_variance(fit, fit->covariance, k) > 1) == above) verdicts[k] = verdict;
        }
    }
}

// ---- directions ----

// the largest share that a local unknown has in a direction v of the shared ones, over all sessions
static double local_share(const trx_fit *fit, const spectrum *s, const double *v, int k)
{
    const int m = fit->arrow.local, count = fit->unknowns.count;
    double most = 0;
    for (int c = 0; c < fit->sessions.count; c++) {
        double share = 0;
        for (int i = 0; i < s->n; i++) share += fit->local[c].slope[s->free[i] * m + k] * s->scale[i] * v[m + s->free[i]];
        share /= scale_of(&fit->unknowns, k, fit->z[c * count + k]);
        if (fabs(share) > fabs(most)) most = share;
    }
    return most;
}

// whether a direction consists mostly of numbers of bodies
static bool is_of_bodies(const trxi_unknowns *u, const double *v)
{
    double squares[2] = {0, 0};
    for (int k = 0; k < u->count; k++) squares[u->body[k] >= 0] += v[k] * v[k];
    return squares[1] > squares[0];
}

// one sentence for all numbers of bodies: a motion determines about four of the ten numbers of a link, each as a combination with
// numbers of other links
static trx_status tell_bodies(trx_fit *fit, int undetermined)
{
    int all = 0;
    for (int k = 0; k < fit->unknowns.count; k++) all += fit->unknowns.body[k] >= 0;
    const char *words = trxi_pool_printf(fit->pool, "the recordings determine %d combinations of the %d numbers of inertias; in "
                                         "all other directions these stay near the model's", all - undetermined, all);
    if (!words) return TRX_ERR_MEMORY;
    fit->directions[fit->info.ndirection++] = words;
    return TRX_OK;
}

static trx_status tell_directions(trx_fit *fit, const spectrum *s)
{
    const int np = fit->unknowns.count, m = fit->arrow.local;
    double *v = TRXI_POOL(fit->pool, double, np + 1);
    fit->directions = TRXI_POOL(fit->pool, const char *, 2 * np + 1);
    if (!v || !fit->directions) return TRX_ERR_MEMORY;
    int of_bodies = 0;
    for (int i = 0; i < s->n && eigenvalue(s, i) < 1; i++) {
        memset(v, 0, sizeof *v * (size_t)np);
        for (int k = 0; k < s->n; k++) v[m + s->free[k]] = s->V[i * s->n + k];
        for (int k = 0; k < m; k++) v[k] = local_share(fit, s, v, k);
        if (is_of_bodies(&fit->unknowns, v)) {
            of_bodies++;
            continue;
        }
        const char *words = trxi_direction_words(fit->pool, &fit->unknowns, v, UNKNOWN / sqrt(eigenvalue(s, i)));
        if (!words) return TRX_ERR_MEMORY;
        fit->directions[fit->info.ndirection++] = words;
    }
    return of_bodies > 0 ? tell_bodies(fit, of_bodies) : TRX_OK;
}

// ---- the sandwich ----

// adds (cov g)(cov g)^T of one cluster with the score (l, z), and clears it
static void add_score(trx_fit *fit, int session, double *score)
{
    const int m = fit->arrow.local, n = fit->arrow.shared;
    const trxi_local_covariance *c = &fit->local[session];
    double *moved = fit->dz, *g = score + m;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < m; k++) g[j] += c->slope[j * m + k] * score[k];
    for (int i = 0; i < n; i++) {
        moved[i] = 0;
        for (int k = 0; k < n; k++) moved[i] += fit->covariance[k * n + i] * g[k];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) fit->robust[j * n + i] += moved[i] * moved[j];
    memset(score, 0, sizeof *score * (size_t)(m + n));
    fit->clusters++;
}

// clusters: recordings, or windows where there are few recordings
static void set_robust(trx_fit *fit)
{
    const int ns = fit->benches[0].ns, np = fit->unknowns.count, shared = fit->arrow.shared, count = fit->fitted.count;
    int recordings = 0;
    for (int i = 0; i < count; i++) recordings += i == 0 || fit->fitted.list[i].recording != fit->fitted.list[i - 1].recording;
    const bool by_recording = recordings >= FEWEST_CLUSTERS && recordings > 2 * shared;
    double *score = fit->arrow.r;
    memset(score, 0, sizeof *score * (size_t)np);
    for (int i = 0; i < count; i++) {
        const trxi_evaluation *e = &fit->fitted.now[i];
        trxi_eliminate(ns, np, e->H, e->g, 0, &fit->fitted.eliminated[i], fit->arrow.B, score);
        const bool last = i + 1 == count || fit->fitted.list[i + 1].recording != fit->fitted.list[i].recording;
        if (!by_recording || last) add_score(fit, fit->sessions.of_recording[fit->fitted.list[i].recording], score);
    }
    const bool enough = fit->clusters >= FEWEST_CLUSTERS && fit->clusters > 2 * shared;
    const double correction = enough ? (double)fit->clusters / (fit->clusters - 1) : NAN;
    for (int i = 0; i < shared * shared; i++) fit->robust[i] *= correction;
}

// finds shared unknowns that the residuals seem to determine, but about which the recordings disagree
static trx_status judge_robust(trx_fit *fit, const spectrum *s)
{
    for (int i = 0; i < s->n; i++) {
        const int k = fit->arrow.local + s->free[i];
        const double deviation = sqrt(shared_variance(fit, fit->robust, k));
        if (fit->verdicts[k] != TRX_FIT_DETERMINED || !(deviation > 1)) continue;
        const char *words = trxi_disagreement_words(fit->pool, &fit->unknowns, k, UNKNOWN * deviation);
        if (!words) return TRX_ERR_MEMORY;
        fit->directions[fit->info.ndirection++] = words;
        for (int c = 0; c < fit->sessions.count; c++) fit->verdicts[c * fit->unknowns.count + k] = TRX_FIT_UNDETERMINED;
    }
    return TRX_OK;
}

// the covariances of all unknowns, from the equations as they are
static void set_covariances(trx_fit *fit, spectrum *s)
{
    decompose(fit, s);
    set_covariance(fit, s);
    for (int c = 0; c < fit->sessions.count; c++) set_local(fit, c);
}

static trx_status judge_unknowns(trx_fit *fit)
{
    spectrum s = {0};
    if (!take_spectrum(fit, &s)) return TRX_ERR_MEMORY;
    find_bounds(fit, &s);
    if (!trxi_arrow_sum(fit, 0, NULL) || !trxi_arrow_reduce(fit, 0)) return TRX_OK;
    set_covariances(fit, &s);
    judge(fit, &s, TRX_FIT_DETERMINED, true, TRX_FIT_UNDETERMINED);
    trx_status status = tell_directions(fit, &s);
    trxi_arrow_priors(fit);
    if (!trxi_arrow_reduce(fit, 0)) return status;
    set_covariances(fit, &s);
    judge(fit, &s, TRX_FIT_UNDETERMINED, false, TRX_FIT_BY_PRIOR);
    set_robust(fit);
    return status < 0 ? status : judge_robust(fit, &s);
}

// ---- residuals ----

static void set_group(trx_fit *fit, int g)
{
    const trxi_group_sums fitted = sum_group(&fit->fitted, g), held = sum_group(&fit->held, g);
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

static trx_status take_answer(trx_fit *fit)
{
    const size_t m = (size_t)fit->arrow.local, n = (size_t)fit->arrow.shared, sessions = (size_t)fit->sessions.count;
    fit->covariance = TRXI_POOL(fit->pool, double, n * n + 1);
    fit->robust = TRXI_POOL(fit->pool, double, n * n + 1);
    fit->verdicts = TRXI_POOL(fit->pool, trx_fit_verdict, sessions * (m + n) + 1);
    fit->groups = TRXI_POOL(fit->pool, trx_fit_group_info, fit->problem.ngroup + 1);
    fit->local = TRXI_POOL(fit->pool, trxi_local_covariance, sessions + 1);
    double *numbers = TRXI_POOL(fit->pool, double, sessions * (m * m + 2 * m * n) + 1);
    if (!fit->covariance || !fit->robust || !fit->verdicts || !fit->groups || !fit->local || !numbers) return TRX_ERR_MEMORY;
    for (size_t i = 0; i < sessions; i++, numbers += m * m + 2 * m * n)
        fit->local[i] = (trxi_local_covariance){numbers, numbers + m * m, numbers + m * m + m * n};
    return TRX_OK;
}

trx_status trxi_answer(trx_fit *fit)
{
    trx_status status = take_answer(fit);
    if (status >= 0) status = trxi_residuals(fit);
    if (status < 0) return status;
    for (int g = 0; g < fit->problem.ngroup; g++) set_group(fit, g);
    return judge_unknowns(fit);
}
