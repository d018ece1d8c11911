// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Whether the objective is a parabola within the deviations (theory 10); see parabola.h. Deviations assume a parabola. Impacts, and
// contacts that stick and slip in turn, make the objective a sawtooth function. The derivatives on a tooth say nothing about the
// next tooth, so intervals are too narrow. With the objective V, its minimum V*, and a step d of one deviation of the shared
// unknowns
//
//     d = L^-T n / |n|,   P + Q = L L^T,   n normal      d^T (P + Q) d = 1
//     error of the curvature = V(d) + V(-d) - 2 V* - 1   0 for a parabola, also if V* is not quite the minimum
//
// Local unknowns and start states are at their minima for +d and for -d. The roughness is the root mean square of the error over a
// few random directions. The roughness is not known if a step fails there. Unknowns that are not determined, that are at a bound
// or that belong to a body stay as they are.
//
// Cost: two values for each direction, where start states improve by up to SETTLING iterations; together a fifth to a half of
// a fit. A fit of more than MOST_WINDOWS windows is not checked: such a fit has a sandwich of many recordings.

#include "fit/parabola.h"

#include "base/random.h"
#include "fit/arrow.h"
#include "fit/minimize.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 4, SETTLING = 3, MOST_WINDOWS = 64 };
static const unsigned SEED = 1;
static const double ROUGH = 0.1; // smooth problems stay below 0.03, and sawtooth functions are beyond 0.2

typedef struct parabola {
    trx_fit *fit;
    int known;               // shared unknowns that take part
    bool *takes_part;        // shared
    double *L, *d, *start;   // shared x shared, shared, ns
    double *kept_z, *kept_x; // at the minimum
    double least, most;      // rises of the objective, in all directions
} parabola;

static size_t start_numbers(const trx_fit *fit)
{
    return (size_t)trx_model_get_size(fit->problem.model).nstate;
}

static bool take(parabola *p)
{
    trx_fit *fit = p->fit;
    const size_t shared = (size_t)fit->arrow.shared, all = (size_t)(fit->sessions.count * fit->unknowns.count);
    p->takes_part = TRXI_POOL(fit->pool, bool, shared + 1);
    p->L = TRXI_POOL(fit->pool, double, shared * shared + 1);
    p->d = TRXI_POOL(fit->pool, double, shared + 1);
    p->start = TRXI_POOL(fit->pool, double, fit->benches[0].ns + 1);
    p->kept_z = TRXI_POOL(fit->pool, double, all + 1);
    p->kept_x = TRXI_POOL(fit->pool, double, start_numbers(fit) * (size_t)fit->fitted.count + 1);
    return p->takes_part && p->L && p->d && p->start && p->kept_z && p->kept_x;
}

static void find_known(parabola *p)
{
    const trx_fit *fit = p->fit;
    for (int i = 0; i < fit->arrow.shared; i++) {
        const int k = fit->arrow.local + i;
        const trx_fit_verdict verdict = fit->verdicts[k];
        p->takes_part[i] = fit->unknowns.body[k] < 0 && (verdict == TRX_FIT_DETERMINED || verdict == TRX_FIT_BY_PRIOR);
        p->known += p->takes_part[i];
    }
}

// the normal equations at the minimum, eliminated up to the shared unknowns
static bool reduce(trx_fit *fit)
{
    if (!trxi_arrow_sum(fit, 0, NULL)) return false;
    trxi_arrow_priors(fit);
    return trxi_arrow_reduce(fit, 0);
}

// L of the shared unknowns that take part; the others have rows of the identity
static bool factorize(parabola *p)
{
    const int n = p->fit->arrow.shared;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++)
            p->L[j * n + i] = p->takes_part[i] && p->takes_part[j] ? p->fit->arrow.P[j * n + i] : i == j;
    return trxi_cholesky(n, p->L, n) < 0;
}

// d = L^-T n / |n|
static void draw(parabola *p, int direction)
{
    const int n = p->fit->arrow.shared;
    double squares = 0;
    for (int i = 0; i < n; i++) {
        p->d[i] = p->takes_part[i] ? trxi_random_normal(SEED, (uint64_t)(direction * n + i)) : 0;
        squares += p->d[i] * p->d[i];
    }
    for (int i = 0; i < n; i++) p->d[i] /= sqrt(squares);
    trxi_eliminated_back(n, p->L, p->d);
}

// moves the shared unknowns by sign d within their bounds; local unknowns and start states follow to first order
static void move(parabola *p, double sign)
{
    trx_fit *fit = p->fit;
    const trxi_unknowns *u = &fit->unknowns;
    const int m = fit->arrow.local, n = fit->arrow.shared, ns = fit->benches[0].ns;
    for (int c = 0; c < fit->sessions.count; c++) {
        double *dz = fit->dz + c * u->count;
        for (int i = 0; i < n; i++) dz[m + i] = sign * p->d[i];
        trxi_eliminated_follow(m, n, &fit->arrow.eliminated[c], dz + m, dz);
        for (int k = 0; k < u->count; k++) {
            double *z = &fit->z[c * u->count + k];
            *z = fmin(fmax(*z + dz[k], u->lower[k]), u->upper[k]);
        }
    }
    trxi_sessions_values(&fit->sessions, u, fit->z, fit->values);
    for (int i = 0; i < fit->fitted.count && ns > 0; i++) {
        const double *dz = fit->dz + u->count * fit->sessions.of_recording[fit->fitted.list[i].recording];
        trxi_eliminated_follow(ns, u->count, &fit->fitted.eliminated[i], dz, p->start);
        trx_model_integrate_state(fit->problem.model, p->kept_x + start_numbers(fit) * (size_t)i, p->start, fit->fitted.list[i].x);
    }
}

// rise of the objective at sign d; INFINITY where a step fails
static trx_status find_rise(parabola *p, double sign, double minimum, double *rise)
{
    trx_fit *fit = p->fit;
    *rise = INFINITY;
    if (!reduce(fit)) return TRX_OK;
    move(p, sign);
    trxi_windows_exchange(&fit->fitted);
    const trx_status status = trxi_settle_starts(fit, &fit->fitted, SETTLING, fit->settings.tolerance);
    *rise = trxi_fit_objective_now(fit) - minimum;
    trxi_windows_exchange(&fit->fitted);
    trxi_fit_restore(fit, p->kept_z, p->kept_x);
    p->least = fmin(p->least, *rise), p->most = fmax(p->most, *rise);
    return status;
}

static trx_status measure(parabola *p)
{
    trx_fit *fit = p->fit;
    const double minimum = trxi_fit_objective_now(fit);
    double squares = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        double rises[2];
        draw(p, i);
        for (int side = 0; side < 2; side++) {
            const trx_status status = find_rise(p, side ? -1 : 1, minimum, &rises[side]);
            if (status < 0) return status;
        }
        squares += pow(rises[0] + rises[1] - 1, 2) / DIRECTIONS;
    }
    if (isfinite(squares)) fit->info.roughness = sqrt(squares);
    return TRX_OK;
}

static trx_status tell(parabola *p)
{
    trx_fit *fit = p->fit;
    if (!(fit->info.roughness > ROUGH)) return TRX_OK;
    fit->info.rough_verdict = trxi_pool_printf(
        fit->pool, "the objective is rough: one deviation from the estimates it rises by %.2g to %.2g, where a parabola rises by "
                   "0.5. The intervals may be too narrow: shorten time.step, soften stiff contacts, or ask for profile: true",
        p->least, p->most);
    return fit->info.rough_verdict ? TRX_OK : TRX_ERR_MEMORY;
}

trx_status trxi_parabola(trx_fit *fit)
{
    parabola p = {.fit = fit, .least = INFINITY, .most = -INFINITY};
    if (fit->fitted.count > MOST_WINDOWS) return TRX_OK;
    if (!take(&p)) return TRX_ERR_MEMORY;
    find_known(&p);
    if (p.known == 0 || !reduce(fit) || !factorize(&p)) return TRX_OK;
    trxi_fit_keep(fit, p.kept_z, p.kept_x);
    const trx_status status = measure(&p);
    return status < 0 ? status : tell(&p);
}
