// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The normal equations (theory 10); see arrow.h. With the unknowns (l_c, z) of session c, l_c its own ones and z the
// shared ones, and the windows w of session c:
//
//     R_c = sum over w (H_zz - Y^T Y) + priors               start states eliminated (eliminate.c)
//     P = sum over c (R_c,zz - Y_c^T Y_c)                    local unknowns eliminated in the same way
//     dz = -P^-1 p,   dl_c = -L_c^-T (y_c + Y_c dz)

#include "fit/arrow.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double LONGEST_STEP = 2.0; // of a logarithm: a factor of 7 in one iteration
static const double FLOOR = 1e-12;      // of a shared unknown that nothing determines

static size_t size_of(const trx_fit *fit)
{
    return (size_t)fit->unknowns.count;
}

trx_status trxi_arrow_begin(trx_fit *fit)
{
    trxi_arrow *a = &fit->arrow;
    const size_t n = size_of(fit), m = (size_t)fit->unknowns.local, shared = n - m, sessions = (size_t)fit->sessions.count;
    a->local = (int)m, a->shared = (int)shared;
    a->R = TRXI_POOL(fit->pool, double, sessions * n * n + 1);
    a->r = TRXI_POOL(fit->pool, double, sessions * n + 1);
    a->B = TRXI_POOL(fit->pool, double, n * n + n + 1);
    a->P = TRXI_POOL(fit->pool, double, shared * shared + 1);
    a->p = TRXI_POOL(fit->pool, double, shared + 1);
    a->L = TRXI_POOL(fit->pool, double, shared * shared + shared + 1);
    a->fixed = TRXI_POOL(fit->pool, bool, sessions * n + 1);
    a->eliminated = TRXI_POOL(fit->pool, trxi_eliminated, sessions + 1);
    double *numbers = TRXI_POOL(fit->pool, double, sessions * (m * m + m * shared + m) + 1);
    if (!a->R || !a->r || !a->B || !a->P || !a->p || !a->L || !a->fixed || !a->eliminated || !numbers) return TRX_ERR_MEMORY;
    for (size_t i = 0; i < sessions; i++, numbers += m * m + m * shared + m)
        a->eliminated[i] = (trxi_eliminated){numbers, numbers + m * m, numbers + m * m + m * shared};
    return TRX_OK;
}

bool trxi_arrow_sum(trx_fit *fit, double damping, const double *own)
{
    trxi_arrow *a = &fit->arrow;
    const int ns = fit->benches[0].ns, n = fit->unknowns.count;
    memset(a->R, 0, sizeof *a->R * (size_t)fit->sessions.count * size_of(fit) * size_of(fit));
    memset(a->r, 0, sizeof *a->r * (size_t)fit->sessions.count * size_of(fit));
    for (int i = 0; i < fit->fitted.count; i++) {
        const trxi_evaluation *e = &fit->fitted.now[i];
        const size_t session = (size_t)fit->sessions.of_recording[fit->fitted.list[i].recording];
        double *R = a->R + session * size_of(fit) * size_of(fit), *r = a->r + session * size_of(fit);
        if (!trxi_eliminate(ns, n, e->H, e->g, own ? fmax(damping, own[i]) : damping, &fit->fitted.eliminated[i], R, r))
            return false;
    }
    return true;
}

// shared priors go into the first session
void trxi_arrow_priors(trx_fit *fit)
{
    const trxi_unknowns *u = &fit->unknowns;
    for (int c = 0; c < fit->sessions.count; c++) {
        const size_t at = (size_t)c * size_of(fit);
        trxi_unknowns_prior(u, c == 0 ? u->count : u->local, fit->z + at, fit->arrow.r + at, fit->arrow.R + at * size_of(fit),
                            u->count);
    }
}

// the equations of a session, with fixed local unknowns taken out
static void copy_session(trx_fit *fit, int session)
{
    const int n = fit->unknowns.count, m = fit->arrow.local;
    const bool *fixed = fit->arrow.fixed + session * n;
    double *B = fit->arrow.B, *b = B + n * n;
    memcpy(B, fit->arrow.R + (size_t)session * size_of(fit) * size_of(fit), sizeof *B * size_of(fit) * size_of(fit));
    memcpy(b, fit->arrow.r + (size_t)session * size_of(fit), sizeof *b * size_of(fit));
    for (int k = 0; k < m; k++) {
        if (!fixed[k]) continue;
        for (int i = 0; i < n; i++) *(i >= k ? &B[k * n + i] : &B[i * n + k]) = i == k;
        b[k] = 0;
    }
}

bool trxi_arrow_reduce(trx_fit *fit, double damping)
{
    trxi_arrow *a = &fit->arrow;
    const int n = fit->unknowns.count;
    memset(a->P, 0, sizeof *a->P * (size_t)(a->shared * a->shared));
    memset(a->p, 0, sizeof *a->p * (size_t)a->shared);
    for (int c = 0; c < fit->sessions.count; c++) {
        copy_session(fit, c);
        if (!trxi_eliminate(a->local, a->shared, a->B, a->B + n * n, damping, &a->eliminated[c], a->P, a->p)) return false;
    }
    return true;
}

// solves P dz = -p over the shared unknowns that are not fixed, then the local ones of every session
static bool solve_free(trx_fit *fit, double damping)
{
    trxi_arrow *a = &fit->arrow;
    const int n = fit->unknowns.count, m = a->local, shared = a->shared;
    const bool *fixed = a->fixed + m;
    double *dz = a->L + shared * shared;
    if (!trxi_arrow_reduce(fit, damping)) return false;
    for (int k = 0; k < shared; k++) a->P[k * shared + k] += damping * a->P[k * shared + k] + FLOOR;
    for (int j = 0; j < shared; j++) {
        dz[j] = fixed[j] ? 0 : -a->p[j];
        for (int i = j; i < shared; i++) a->L[j * shared + i] = fixed[i] || fixed[j] ? i == j : a->P[j * shared + i];
    }
    if (shared > 0 && trxi_cholesky(shared, a->L, shared) >= 0) return false;
    trxi_cholesky_solve(shared, a->L, shared, 1, dz, shared);
    for (int c = 0; c < fit->sessions.count; c++) {
        trxi_eliminated_step(m, shared, &a->eliminated[c], dz, fit->dz + c * n);
        memcpy(fit->dz + c * n + m, dz, sizeof *dz * (size_t)shared);
    }
    return true;
}

// fixes the unknowns at a bound whose step leads out; returns whether there are new ones
static bool fix_more(trx_fit *fit)
{
    const trxi_unknowns *u = &fit->unknowns;
    bool changed = false;
    for (int i = 0; i < fit->sessions.count * u->count; i++) {
        const int k = i % u->count;
        const bool out = (fit->z[i] <= u->lower[k] && fit->dz[i] < 0) || (fit->z[i] >= u->upper[k] && fit->dz[i] > 0);
        if (fit->arrow.fixed[i] || !out) continue;
        fit->arrow.fixed[i] = changed = true;
    }
    return changed;
}

// steps of bodies end before the body becomes impossible
static void shorten_bodies(trx_fit *fit)
{
    const trxi_unknowns *u = &fit->unknowns;
    for (int i = 0; i < fit->sessions.count * u->count; i++) {
        if (u->body[i % u->count] != 0) continue;
        const double reach = trxi_moments_reach(fit->z + i, fit->dz + i);
        for (int k = 0; k < TRXI_BODY_NUMBERS; k++) fit->dz[i + k] *= reach;
    }
}

bool trxi_arrow_step(trx_fit *fit, double damping)
{
    const trxi_unknowns *u = &fit->unknowns;
    const int all = fit->sessions.count * u->count;
    memset(fit->arrow.fixed, 0, sizeof *fit->arrow.fixed * (size_t)all);
    do {
        if (!solve_free(fit, damping)) return false;
    } while (fix_more(fit));
    shorten_bodies(fit);
    for (int i = 0; i < all; i++) {
        const int k = i % u->count;
        const double longest = u->positive[k] ? LONGEST_STEP : INFINITY;
        const double z = fit->z[i] + fmin(fmax(fit->dz[i], -longest), longest);
        fit->dz[i] = fmin(fmax(z, u->lower[k]), u->upper[k]) - fit->z[i];
        fit->z_trial[i] = fit->z[i] + fit->dz[i];
    }
    trxi_sessions_values(&fit->sessions, u, fit->z_trial, fit->values_trial);
    return true;
}

// dz^T P dz, and |L^T dl + Y dz|^2 of every session
double trxi_arrow_length(const trx_fit *fit)
{
    const trxi_arrow *a = &fit->arrow;
    const int n = fit->unknowns.count, m = a->local;
    double sum = 0;
    for (int j = 0; j < a->shared; j++)
        for (int i = j; i < a->shared; i++)
            sum += (i == j ? 1 : 2) * fit->dz[m + i] * a->P[j * a->shared + i] * fit->dz[m + j];
    for (int c = 0; c < fit->sessions.count; c++) {
        const trxi_eliminated *e = &a->eliminated[c];
        const double *dl = fit->dz + c * n;
        for (int i = 0; i < m; i++) {
            double row = 0;
            for (int k = i; k < m; k++) row += e->L[i * m + k] * dl[k];
            for (int j = 0; j < a->shared; j++) row += e->Y[j * m + i] * dl[m + j];
            sum += row * row;
        }
    }
    return sqrt(fmax(sum, 0));
}
