// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Finite-difference twin of step_deriv.c (theory 6): the reference for tests and `check`. Every column is the Richardson
// extrapolation (4 D(e/2) - D(e)) / 3 of central differences D of the step solved to its round-off floor, so its
// error is of order e^4 plus rounding over e. No increment suits every column: a small one drowns in rounding, a large
// one crosses a kink, or the micrometres within which stiff contacts turn from stick to slip. So each column goes down
// a ladder from the increment given until D(e) and D(e/2) agree, passing over increments whose steps took other
// branches, and keeps the best of what it saw.

#include "step/kink.h"

#include <math.h>
#include <string.h>
#include <tractrix/verify.h>

static const double SHRINK = 0.3;      // from one increment to the next
static const double LEAST_Q = 5e-4;    // smallest increment of positions over the one given
static const double LEAST_V = 5e-2;    // the same of velocities and controls, which move a gap by dt e only
static const double RESOLVED = 3e-7;   // disagreement of D(e) and D(e/2) at which no other increment is tried
static const double UNRESOLVED = 3e-6; // above it the best increment gives no reference

typedef struct differences {
    trx_sim *sim;
    const double *x, *u;
    double *x_moved, *u_moved, *x_plus, *x_minus; // scratch: nq + nv, nu
    double *dx;                                   // nv: tangent increment
    double *full, *half;                          // 2 nv: D(e), D(e/2)
    double largest;              // entry of the matrix so far
    unsigned long long branches; // of the step at x
    bool crossed;                // a step of the current increment took others
    bool kink;                   // a column has no increment that serves
} differences;

static trx_status evaluate(differences *d, int column, double amount, double *x_next)
{
    const trx_model *model = d->sim->model;
    const int nq = model->nq, nv = model->nv;
    memcpy(d->x_moved, d->x, (size_t)(nq + nv) * sizeof *d->x);
    memcpy(d->u_moved, d->u, (size_t)model->nu * sizeof *d->u);
    if (column < nv) {
        memset(d->dx, 0, (size_t)nv * sizeof *d->dx);
        d->dx[column] = amount;
        trx_model_integrate(model, d->x, d->dx, d->x_moved);
    } else if (column < 2 * nv) {
        d->x_moved[nq + column - nv] += amount;
    } else {
        d->u_moved[column - 2 * nv] += amount;
    }
    trx_status status = trx_step(d->sim, d->x_moved, d->u_moved, x_next);
    if (status >= 0 && trxi_step_branches(d->sim) != d->branches) d->crossed = true;
    return status;
}

// out = (x_plus (-) x_minus) / (2 e)
static trx_status central(differences *d, int column, double e, double *out)
{
    const trx_model *model = d->sim->model;
    const int nq = model->nq, nv = model->nv;
    trx_status status = evaluate(d, column, e, d->x_plus);
    if (status < 0) return status;
    if ((status = evaluate(d, column, -e, d->x_minus)) < 0) return status;
    trx_model_difference(model, d->x_plus, d->x_minus, out);
    for (int i = 0; i < nv; i++) {
        out[i] /= 2 * e;
        out[nv + i] = (d->x_plus[nq + i] - d->x_minus[nq + i]) / (2 * e);
    }
    return status;
}

// how far D(e) and D(e/2) are apart, relative to the largest entry of the column, or to a thousandth of the matrix's
static double disagreement(const differences *d)
{
    double change = 0, size = 1e-3 * d->largest;
    for (int i = 0; i < 2 * d->sim->model->nv; i++) {
        change = fmax(change, fabs(d->half[i] - d->full[i]));
        size = fmax(size, fabs(d->half[i]));
    }
    return size > 0 ? change / size : 0;
}

// one column from the increments e, SHRINK e, ... not below `least`
static trx_status difference(differences *d, int column, double e, double least, double *out)
{
    double best = INFINITY;
    for (bool last = false; !last; e *= SHRINK) {
        last = e * SHRINK < least;
        d->crossed = false;
        trx_status status = central(d, column, e, d->full);
        if (status >= 0 && (last || !d->crossed)) status = central(d, column, 0.5 * e, d->half);
        if (status < 0) return status;
        if (d->crossed && (!last || best < INFINITY)) continue;

        // across a kink only when there is nothing else
        double error = disagreement(d);
        if (d->crossed) d->kink = true;
        if (error >= best) continue;
        best = error;
        for (int i = 0; i < 2 * d->sim->model->nv; i++) out[i] = (4 * d->half[i] - d->full[i]) / 3;
        if (error <= RESOLVED) break;
    }
    for (int i = 0; i < 2 * d->sim->model->nv; i++) d->largest = fmax(d->largest, fabs(out[i]));
    if (best > UNRESOLVED) d->kink = true;
    return TRX_OK;
}

static trx_status all_columns(differences *d, double eps, bool on_kink, double *A, double *B)
{
    const trx_model *model = d->sim->model;
    const int nx = 2 * model->nv;
    for (int column = 0; column < nx + model->nu; column++) {
        double *out = column < nx ? (A ? A + (size_t)column * (size_t)nx : NULL)
                                  : (B ? B + (size_t)(column - nx) * (size_t)nx : NULL);
        if (!out) continue;
        if (column == nx) d->largest = 0;

        // a control moves velocities by dt, and by its gain; exactly on a kink every increment straddles it
        double e = eps;
        if (column >= nx) e /= d->sim->settings.time_step * fmax(1, fabs(model->actuators[column - nx].gain));
        double least = on_kink ? e : e * (column < model->nv ? LEAST_Q : LEAST_V);
        trx_status status = difference(d, column, e, least, out);
        if (status < 0) return status;
    }
    return TRX_OK;
}

trx_status trx_step_fd(trx_sim *sim, const double *x, const double *u, double eps, double *A, double *B, bool *kink)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    const trx_model *model = sim->model;
    const int nx = model->nq + model->nv;
    if (!(eps > 0)) return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "the increment must be positive");
    double *u_base = sim->fd;
    differences d = {.sim = sim, .x = x, .u = u_base};
    d.u_moved = u_base + model->nu;
    d.x_moved = d.u_moved + model->nu;
    d.x_plus = d.x_moved + nx;
    d.x_minus = d.x_plus + nx;
    d.dx = d.x_minus + nx;
    d.full = d.dx + model->nv;
    d.half = d.full + 2 * model->nv;
    memset(u_base, 0, (size_t)model->nu * sizeof *u_base);
    if (u) memcpy(u_base, u, (size_t)model->nu * sizeof *u);

    const double tolerance = sim->settings.tolerance;
    sim->settings.tolerance = 0;
    trx_status status = trx_step(sim, x, u_base, NULL);
    if (status >= 0) {
        d.branches = trxi_step_branches(sim);
        bool on_kink = !(trxi_step_kink_distance(sim) > 0);
        d.kink = on_kink;
        status = all_columns(&d, eps, on_kink, A, B);
        if (status >= 0) status = trx_step(sim, x, u_base, NULL);
    }
    sim->settings.tolerance = tolerance;
    if (kink) *kink = d.kink;
    return status < 0 ? status : TRX_OK;
}
