// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Projected Newton for a box-constrained quadratic program (theory 7; Bertsekas 1982; Tassa, Mansard, Todorov 2014).
//
// With the gradient G = H x + g, a variable is clamped when it lies on a bound and G points outwards. The Newton step
// of the other variables,
//
//     H_ff dx_f = -G_f,
//
// is taken along the projected path x(alpha) = clamp(x + alpha dx), alpha = 1, 1/2, ..., until the cost has decreased
// enough (Armijo along the path). Once the right set is clamped, one full step reaches the solution. The loop then
// ends with a factor of exactly the block that the gains need (riccati.c). O(n^3) per iteration; rarely more than
// three iterations from a warm start.

#include "trajopt/box_qp.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 100, MAX_HALVINGS = 40 };

static const double ARMIJO = 0.1;
static const double GRADIENT_TOLERANCE = 1e-12; // relative to the terms that cancel in the gradient

void trxi_box_qp_layout(trxi_arena *arena, int n, trxi_box_qp *qp)
{
    *qp = (trxi_box_qp){.n = n};
    qp->free = TRXI_TAKE(arena, int, n);
    qp->L = TRXI_TAKE(arena, double, n * n);
    qp->gradient = TRXI_TAKE(arena, double, n);
    qp->trial = TRXI_TAKE(arena, double, n);
    qp->step = TRXI_TAKE(arena, double, n);
    qp->clamped = TRXI_TAKE(arena, bool, n);
}

// comparisons, because fmin and fmax are calls
static double clamp(double value, double lower, double upper)
{
    const double raised = value > lower ? value : lower;
    return raised < upper ? raised : upper;
}

static bool is_clamped(double x, double gradient, double lower, double upper)
{
    return lower == upper || (x == lower && gradient > 0) || (x == upper && gradient < 0);
}

// computes the clamped set at x; returns whether it has changed
static bool update_clamped(trxi_box_qp *qp, const double *x, const double *lower, const double *upper)
{
    bool changed = false;
    qp->nfree = 0;
    for (int i = 0; i < qp->n; i++) {
        bool now = is_clamped(x[i], qp->gradient[i], lower[i], upper[i]);
        changed = changed || now != qp->clamped[i];
        qp->clamped[i] = now;
        if (!now) qp->free[qp->nfree++] = i;
    }
    return changed;
}

static bool factor_free_block(trxi_box_qp *qp, const double *H, int ldh)
{
    for (int j = 0; j < qp->nfree; j++)
        for (int i = j; i < qp->nfree; i++) qp->L[i + j * qp->n] = H[qp->free[i] + qp->free[j] * ldh];
    return trxi_cholesky(qp->nfree, qp->L, qp->n) < 0;
}

// returns whether the gradient of the free variables is only rounding error
static bool is_stationary(const trxi_box_qp *qp, const double *H, int ldh, const double *g, const double *x)
{
    for (int k = 0; k < qp->nfree; k++) {
        int i = qp->free[k];
        double terms = fabs(g[i]);
        if (fabs(qp->gradient[i]) <= GRADIENT_TOLERANCE * terms) continue;
        for (int j = 0; j < qp->n; j++) terms += fabs((j < i ? H[i + j * ldh] : H[j + i * ldh]) * x[j]);
        if (fabs(qp->gradient[i]) > GRADIENT_TOLERANCE * terms) return false;
    }
    return true;
}

// dx_f = -H_ff^-1 G_f in `step`, 0 for clamped variables
static void newton_step(trxi_box_qp *qp)
{
    for (int k = 0; k < qp->nfree; k++) qp->trial[k] = -qp->gradient[qp->free[k]];
    trxi_cholesky_solve(qp->nfree, qp->L, qp->n, 1, qp->trial, qp->n);
    memset(qp->step, 0, (size_t)qp->n * sizeof *qp->step);
    for (int k = 0; k < qp->nfree; k++) qp->step[qp->free[k]] = qp->trial[k];
}

// change of the cost from x to `trial`: G.d + 1/2 d^T H d, computed without cancellation; `slope` receives G.d
static double change_of_cost(const trxi_box_qp *qp, const double *H, int ldh, const double *x, double *slope)
{
    double curvature = 0;
    *slope = 0;
    for (int j = 0; j < qp->n; j++) {
        double d = qp->trial[j] - x[j];
        *slope += qp->gradient[j] * d;
        curvature += 0.5 * H[j + j * ldh] * d * d;
        for (int i = j + 1; i < qp->n; i++) curvature += H[i + j * ldh] * d * (qp->trial[i] - x[i]);
    }
    return *slope + curvature;
}

// halves the projected step until the cost decreases enough, and moves x there; returns false when no step does
static bool search_path(trxi_box_qp *qp, const double *H, int ldh, const double *lower, const double *upper, double *x)
{
    double alpha = 1;
    for (int halving = 0; halving < MAX_HALVINGS; halving++, alpha *= 0.5) {
        for (int i = 0; i < qp->n; i++) qp->trial[i] = clamp(x[i] + alpha * qp->step[i], lower[i], upper[i]);
        double slope, change = change_of_cost(qp, H, ldh, x, &slope);
        if (slope < 0 && change <= ARMIJO * slope) {
            memcpy(x, qp->trial, (size_t)qp->n * sizeof *x);
            return true;
        }
    }
    return false;
}

trxi_box_qp_status trxi_box_qp_solve(trxi_box_qp *qp, const double *H, int ldh, const double *g, const double *lower,
                                     const double *upper, double *x)
{
    memset(qp->clamped, 0, (size_t)qp->n * sizeof *qp->clamped);
    for (int i = 0; i < qp->n; i++) x[i] = clamp(x[i], lower[i], upper[i]);

    for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
        qp->iterations = iteration;
        trxi_symv(qp->n, H, ldh, x, qp->gradient);
        trxi_axpy(qp->n, 1, g, qp->gradient);

        // a new clamped set needs a new factor
        bool changed = update_clamped(qp, x, lower, upper);
        if ((changed || iteration == 0) && !factor_free_block(qp, H, ldh)) return TRXI_BOX_QP_NOT_PD;
        if (is_stationary(qp, H, ldh, g, x)) return TRXI_BOX_QP_SOLVED;

        newton_step(qp);
        if (!search_path(qp, H, ldh, lower, upper, x)) return TRXI_BOX_QP_SOLVED;
    }
    return TRXI_BOX_QP_NOT_CONVERGED;
}
