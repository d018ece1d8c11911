// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Finite-difference twin of step_deriv.c (theory 6): the reference for tests and `check`. Every column is the Richardson
// extrapolation (4 D(e/2) - D(e)) / 3 of central differences D of the step solved to its round-off floor, so its
// error is of order e^4 plus rounding over e. Positions use an increment below a hundredth of the distance to the
// nearest kink, so that a difference rarely crosses one; whether one did shows in the branches the steps took. Stiff
// contacts turn from stick to slip within micrometres: where D(e) and D(e/2) disagree, a tenth of e is used.

#include "step/kink.h"

#include <string.h>

typedef struct differences {
    trx_sim *sim;
    const double *x, *u;
    double *x_moved, *u_moved, *x_plus, *x_minus; // scratch: nq + nv, nu
    double *dx;                                   // 2 nv: tangent increment
    unsigned long long branches;
    bool kink;
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
    if (status >= 0 && trxi_step_branches(d->sim) != d->branches) d->kink = true;
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

// `resolved`: the two differences agree to 1e-4, so that the error of order e^4 is far below it
static trx_status richardson(differences *d, int column, double e, double *half, double *out, bool *resolved)
{
    trx_status status = central(d, column, e, out);
    if (status < 0) return status;
    if ((status = central(d, column, 0.5 * e, half)) < 0) return status;
    double change = 0, size = 0;
    for (int i = 0; i < 2 * d->sim->model->nv; i++) {
        change = fmax(change, fabs(half[i] - out[i]));
        size = fmax(size, fabs(half[i]));
        out[i] = (4 * half[i] - out[i]) / 3;
    }
    *resolved = change <= 1e-4 * size;
    return status;
}

static trx_status all_columns(differences *d, double eps_q, double eps_v, double *A, double *B)
{
    const trx_model *model = d->sim->model;
    const int nx = 2 * model->nv;
    double *half = d->dx + model->nv;
    for (int column = 0; column < nx + model->nu; column++) {
        double *out = column < nx ? (A ? A + (size_t)column * (size_t)nx : NULL)
                                  : (B ? B + (size_t)(column - nx) * (size_t)nx : NULL);
        if (!out) continue;
        double e = column < model->nv ? eps_q : eps_v;
        bool resolved;
        trx_status status = richardson(d, column, e, half, out, &resolved);
        if (status >= 0 && !resolved) status = richardson(d, column, 0.1 * e, half, out, &resolved);
        if (status < 0) return status;
    }
    return TRX_OK;
}

trx_status trx_step_fd(trx_sim *sim, const double *x, const double *u, double eps_v, double *A, double *B, bool *kink)
{
    const trx_model *model = sim->model;
    const int nx = model->nq + model->nv;
    if (!(eps_v > 0)) return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "the increment must be positive");
    double *u_base = sim->fd;
    differences d = {.sim = sim, .x = x, .u = u_base};
    d.u_moved = u_base + model->nu;
    d.x_moved = d.u_moved + model->nu;
    d.x_plus = d.x_moved + nx;
    d.x_minus = d.x_plus + nx;
    d.dx = d.x_minus + nx;
    memset(u_base, 0, (size_t)model->nu * sizeof *u_base);
    if (u) memcpy(u_base, u, (size_t)model->nu * sizeof *u);

    const double tolerance = sim->settings.tolerance;
    sim->settings.tolerance = 0;
    trx_status status = trx_step(sim, x, u_base, NULL);
    if (status >= 0) {
        d.branches = trxi_step_branches(sim);
        double nearest = trxi_step_kink_distance(sim);
        d.kink = !(nearest > 0); // exactly on one: differences of any size straddle it
        status = all_columns(&d, d.kink ? eps_v : fmin(eps_v, 0.01 * nearest), eps_v, A, B);
        if (status >= 0) status = trx_step(sim, x, u_base, NULL);
    }
    sim->settings.tolerance = tolerance;
    if (kink) *kink = d.kink;
    return status < 0 ? status : TRX_OK;
}
