// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The variables of a solve (theory 10); see program.h. They are, one after the other,
//
//     z          shared unknowns
//     l_c        local unknowns of each session
//     d_w        tangent coordinates of the start state s_w = s_ref,w (+) d_w of each window that has samples
//
// With E = Jr(d) on the three coordinates of a ball and 1 elsewhere, a window has the gradient [E^T g_s; g_z] and the Hessian [E^T
// H_ss E, . ; H_zs E, H_zz]. Start states of different windows are not coupled, nor are unknowns of different sessions: the
// Hessian is an arrow matrix. Its entries are blocks in this order: P of the shared unknowns, then for each session R_ll and R_lz,
// then for each window H_ss, H_sz and H_sl.

#include "fit/program.h"

#include "fit/state.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// ---- places ----

static int starts_of(const trx_fit *fit)
{
    return fit->benches[0].ns;
}

static int shared_of(const trx_fit *fit)
{
    return fit->unknowns.count - fit->unknowns.local;
}

// the variable of unknown k of a session
static int unknown_at(const trx_fit *fit, int session, int k)
{
    const int m = fit->unknowns.local;
    return k < m ? shared_of(fit) + session * m + k : k - m;
}

// the first variable of the start state of the i-th window
static int start_at(const trxi_fit_program *p, int i)
{
    return shared_of(p->fit) + p->fit->sessions.count * p->fit->unknowns.local + i * starts_of(p->fit);
}

static int session_of(const trxi_fit_program *p, int i)
{
    return p->fit->sessions.of_recording[p->fit->fitted.list[p->windows[i]].recording];
}

static int lower_size(int n)
{
    return n * (n + 1) / 2;
}

static size_t state_size(const trx_fit *fit)
{
    const trx_model_size size = trx_model_get_size(fit->problem.model);
    return (size_t)size.nstate;
}

static int most_entries(const trx_fit *fit, int windows)
{
    const int ns = starts_of(fit), m = fit->unknowns.local, shared = shared_of(fit);
    return lower_size(shared) + fit->sessions.count * (lower_size(m) + m * shared) + windows * (lower_size(ns) + ns * (m + shared));
}

trx_status trxi_fit_program_begin(trx_fit *fit, trxi_fit_program *p)
{
    *p = (trxi_fit_program){.fit = fit};
    const size_t n = (size_t)start_at(p, fit->fitted.count), all = (size_t)(starts_of(fit) + fit->unknowns.count);
    p->windows = TRXI_POOL(fit->pool, int, fit->fitted.count + 1);
    p->hessian = TRXI_POOL(fit->pool, uint64_t, most_entries(fit, fit->fitted.count) + 1);
    p->start = TRXI_POOL(fit->pool, double, 3 * n + 1);
    p->H = TRXI_POOL(fit->pool, double, all * all + 1);
    if (!p->windows || !p->hessian || !p->start || !p->H) return TRX_ERR_MEMORY;
    p->lower = p->start + n, p->upper = p->lower + n;
    return TRX_OK;
}

// ---- entries ----

static uint64_t *add_lower(uint64_t *next, int at, int size)
{
    for (int j = 0; j < size; j++)
        for (int i = j; i < size; i++) *next++ = (uint64_t)(at + i) << 32 | (uint64_t)(at + j);
    return next;
}

static uint64_t *add_block(uint64_t *next, int row, int rows, int column, int columns)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) *next++ = (uint64_t)(row + i) << 32 | (uint64_t)(column + j);
    return next;
}

static void fill_entries(trxi_fit_program *p)
{
    const int ns = starts_of(p->fit), m = p->fit->unknowns.local, shared = shared_of(p->fit);
    uint64_t *next = add_lower(p->hessian, 0, shared);
    for (int c = 0; c < p->fit->sessions.count; c++) {
        next = add_lower(next, shared + c * m, m);
        next = add_block(next, shared + c * m, m, 0, shared);
    }
    for (int i = 0; i < p->count; i++) {
        next = add_lower(next, start_at(p, i), ns);
        next = add_block(next, start_at(p, i), ns, 0, shared);
        next = add_block(next, start_at(p, i), ns, shared + session_of(p, i) * m, m);
    }
}

// ---- variables ----

void trxi_fit_program_fill(trxi_fit_program *p)
{
    const trx_fit *fit = p->fit;
    const trxi_unknowns *u = &fit->unknowns;
    p->count = 0;
    for (int i = 0; i < fit->fitted.count; i++)
        if (fit->fitted.list[i].rows > 0) p->windows[p->count++] = i;
    p->n = start_at(p, p->count);
    p->nhessian = most_entries(fit, p->count);
    fill_entries(p);
    for (int i = 0; i < p->n; i++) p->start[i] = 0, p->lower[i] = -INFINITY, p->upper[i] = INFINITY;
    for (int c = 0; c < fit->sessions.count; c++)
        for (int k = 0; k < u->count; k++) {
            const int at = unknown_at(fit, c, k);
            p->start[at] = fit->z[c * u->count + k];
            p->lower[at] = u->lower[k];
            p->upper[at] = u->upper[k];
        }
}

void trxi_fit_program_try(const trxi_fit_program *p, const double *variables, trx_fit *fit)
{
    const trxi_unknowns *u = &fit->unknowns;
    const size_t length = state_size(fit);
    for (int c = 0; c < fit->sessions.count; c++)
        for (int k = 0; k < u->count; k++) fit->z_trial[c * u->count + k] = variables[unknown_at(fit, c, k)];
    trxi_sessions_values(&fit->sessions, u, fit->z_trial, fit->values_trial);
    for (int i = 0; i < fit->fitted.count; i++)
        memcpy(fit->fitted.x_trial + length * (size_t)i, fit->fitted.list[i].x, length * sizeof(double));
    for (int i = 0; i < p->count && starts_of(fit) > 0; i++)
        trx_model_integrate_state(fit->problem.model, fit->fitted.list[p->windows[i]].x, variables + start_at(p, i),
                                  fit->fitted.x_trial + length * (size_t)p->windows[i]);
}

// ---- derivatives ----

void trxi_fit_program_gradient(const trxi_fit_program *p, const double *variables, double *gradient)
{
    const trx_fit *fit = p->fit;
    const trxi_unknowns *u = &fit->unknowns;
    const int ns = starts_of(fit);
    memset(gradient, 0, sizeof *gradient * (size_t)p->n);
    for (int c = 0; c < fit->sessions.count; c++) {
        double *own = p->H;
        memset(own, 0, sizeof *own * (size_t)u->count);
        trxi_unknowns_prior(u, c == 0 ? u->count : u->local, fit->z_trial + c * u->count, own, NULL, 0);
        for (int k = 0; k < u->count; k++) gradient[unknown_at(fit, c, k)] += own[k];
    }
    for (int i = 0; i < p->count; i++) {
        const double *g = fit->fitted.trial[p->windows[i]].g;
        double *g_s = gradient + start_at(p, i);
        for (int k = 0; k < u->count; k++) gradient[unknown_at(fit, session_of(p, i), k)] += g[ns + k];
        memcpy(g_s, g, sizeof *g * (size_t)ns);
        if (ns > 0) trxi_model_chart_columns(fit->problem.model, variables + start_at(p, i), 1, g_s, 1);
    }
}

static double *put_lower(double *next, double factor, const double *H, int n, int at, int size)
{
    for (int j = 0; j < size; j++)
        for (int i = j; i < size; i++) *next++ = factor * H[(at + j) * n + at + i];
    return next;
}

// rows and columns of a symmetric matrix, of which the lower triangle is stored
static double *put_block(double *next, double factor, const double *H, int n, int row, int rows, int column, int columns)
{
    for (int j = column; j < column + columns; j++)
        for (int i = row; i < row + rows; i++) *next++ = factor * (i >= j ? H[j * n + i] : H[i * n + j]);
    return next;
}

// P, and R of the sessions, from n x n blocks H whose unknowns begin at `first`
static void add_unknowns(const trxi_fit_program *p, double factor, const double *H, int n, int first, int session, double *values)
{
    const int m = p->fit->unknowns.local, shared = shared_of(p->fit);
    double *at = values;
    for (int j = 0; j < shared; j++)
        for (int i = j; i < shared; i++) *at++ += factor * H[(first + m + j) * n + first + m + i];
    at += session * (lower_size(m) + m * shared);
    for (int j = 0; j < m; j++)
        for (int i = j; i < m; i++) *at++ += factor * H[(first + j) * n + first + i];
    for (int j = 0; j < shared; j++)
        for (int i = 0; i < m; i++) *at++ += factor * H[(first + i) * n + first + m + j];
}

// H of a window in the coordinates d of its start state, lower triangle
static void change_start(const trxi_fit_program *p, int i, const double *d)
{
    const int ns = starts_of(p->fit), n = ns + p->fit->unknowns.count;
    const double *H = p->fit->fitted.trial[p->windows[i]].H;
    for (int c = 0; c < n; c++)
        for (int r = c; r < n; r++) p->H[c * n + r] = p->H[r * n + c] = H[c * n + r];
    if (ns == 0) return;
    trxi_model_chart_columns(p->fit->problem.model, d, n, p->H, n);
    for (int c = 0; c < ns; c++)
        for (int r = 0; r < c; r++) {
            const double other = p->H[c * n + r];
            p->H[c * n + r] = p->H[r * n + c];
            p->H[r * n + c] = other;
        }
    trxi_model_chart_columns(p->fit->problem.model, d, ns, p->H, n);
}

void trxi_fit_program_hessian(const trxi_fit_program *p, const double *variables, double factor, double *values)
{
    const trx_fit *fit = p->fit;
    const trxi_unknowns *u = &fit->unknowns;
    const int ns = starts_of(fit), m = u->local, shared = shared_of(fit), n = ns + u->count, sessions = fit->sessions.count;
    double *next = values + lower_size(shared) + sessions * (lower_size(m) + m * shared);
    memset(values, 0, sizeof *values * (size_t)p->nhessian);
    for (int c = 0; c < sessions; c++) {
        double *own = p->H;
        memset(own, 0, sizeof *own * (size_t)(u->count * u->count));
        trxi_unknowns_prior(u, c == 0 ? u->count : m, fit->z_trial + c * u->count, NULL, own, u->count);
        add_unknowns(p, factor, own, u->count, 0, c, values);
    }
    for (int i = 0; i < p->count; i++) {
        change_start(p, i, variables + start_at(p, i));
        add_unknowns(p, factor, p->H, n, ns, session_of(p, i), values);
        next = put_lower(next, factor, p->H, n, 0, ns);
        next = put_block(next, factor, p->H, n, 0, ns, ns + m, shared);
        next = put_block(next, factor, p->H, n, 0, ns, ns, m);
    }
}
