// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method on the convex contact problem (theory 5).
//
// Plain Newton first. Where it does not settle within a few iterations (stiff similar contacts crawl along a
// curved edge), the same step is solved with stiction tolerances of 1, 0.1, ... m/s down to the wanted one, each
// from the last solution; where 30 iterations a stage are not enough (similar contacts of steel in an impact), once more
// with 300. The solve ends at the relative tolerance or at the round-off floor of the residual, whichever comes
// first; everything else is a status.

#include "contact/balance.h"
#include "contact/line_search.h"

#include "math/dense.h"

#include <string.h>

enum { PLAIN_ITERATIONS = 15, ATTEMPTS = 2 };
static const int stage_iterations[ATTEMPTS] = {30, 300};
static const double stage_tolerance = 1e-3;
static const double first_soft = 1.0; // [m/s]

void trxi_solver_layout(trxi_arena *arena, const trx_model *model, trxi_solver *s)
{
    const int nv = model->nv;
    s->v = TRXI_TAKE(arena, double, nv);
    s->H = TRXI_TAKE(arena, double, nv * nv);
    s->p = TRXI_TAKE(arena, double, nv);
    s->j = TRXI_TAKE(arena, double, nv);
    s->r = TRXI_TAKE(arena, double, nv);
    s->bound = TRXI_TAKE(arena, double, nv);
    s->dv = TRXI_TAKE(arena, double, nv);
    s->dp = TRXI_TAKE(arena, double, nv);
    s->E = TRXI_TAKE(arena, double, nv);
    s->start = TRXI_TAKE(arena, double, nv);
    s->GJ = TRXI_TAKE(arena, double, 3 * nv);
}

// factor of H at the current v; a failed pivot gets one try with 1e-12 diag(A) added
static bool factorize(const trxi_contact_problem *problem, trxi_solver *s)
{
    const int nv = problem->model->nv;
    for (int attempt = 0; attempt < 2; attempt++) {
        trxi_balance_hessian(problem, s);
        if (attempt > 0)
            for (int i = 0; i < nv; i++) s->H[i * (nv + 1)] += 1e-12 * problem->A[i * (nv + 1)];
        if (trxi_cholesky(nv, s->H, nv) < 0) return true;
    }
    return false;
}

// H dv = -r; returns the slope dv . r, which is negative unless rounding has the last word
static double newton_direction(const trxi_contact_problem *problem, trxi_solver *s)
{
    const int nv = problem->model->nv;
    for (int i = 0; i < nv; i++) s->dv[i] = -s->r[i];
    trxi_cholesky_solve(nv, s->H, nv, 1, s->dv, nv);
    return trxi_dot(nv, s->dv, s->r);
}

static trx_status newton(const trxi_contact_problem *problem, double tolerance, int max_iterations, trxi_solver *s)
{
    const int nv = problem->model->nv;
    double last = INFINITY;
    for (int iteration = 0;; iteration++) {
        trxi_balance_compute(problem, s);
        if (!trxi_all_finite(nv, s->r)) return TRX_ERR_NOT_FINITE;
        bool at_floor, settled = trxi_balance_converged(problem, tolerance, s, &at_floor);
        // squares that overflow compare with nothing
        if (!isfinite(s->stats.residual) || !isfinite(s->stats.scale)) return TRX_ERR_NOT_FINITE;

        // the floor is a bound: with tolerance 0 go on below it while the residual still halves
        bool lowest = !(s->stats.residual < 0.5 * last);
        last = s->stats.residual;
        if (settled && (tolerance > 0 || lowest)) return at_floor ? TRX_ROUND_OFF : TRX_OK;
        if (iteration == max_iterations) return settled ? TRX_ROUND_OFF : TRX_ERR_NOT_CONVERGED;

        double slope = factorize(problem, s) ? newton_direction(problem, s) : 0;
        if (!(slope < 0)) return settled ? TRX_ROUND_OFF : TRX_ERR_ILL_CONDITIONED;
        trxi_axpy(nv, trxi_line_search(problem, slope, s), s->dv, s->v);
        s->stats.iterations++;
    }
}

static bool set_soft(const trxi_contact_problem *problem, double soft)
{
    bool any = false;
    for (int i = 0; i < problem->ncontact; i++) {
        trxi_contact *c = problem->contacts + i;
        c->soft = fmax(soft, c->soft_wanted);
        any = any || (c->law.approximation != TRX_SAP && soft > c->soft_wanted);
    }
    for (int i = 0; i < problem->nscalar; i++) {
        trxi_scalar *row = problem->scalars + i;
        if (row->kind != TRXI_DRY_FRICTION) continue;
        row->soft = fmax(soft, row->soft_wanted);
        any = any || soft > row->soft_wanted;
    }
    return any;
}

static trx_status newton_with_continuation(const trxi_contact_problem *problem, const trxi_solver_settings *settings,
                                           int most, trxi_solver *s)
{
    // failures on the way do not matter, only the last solve does
    for (double soft = first_soft; set_soft(problem, soft); soft *= 0.1) {
        newton(problem, stage_tolerance, most, s);
        s->stats.continuation++;
    }
    return newton(problem, settings->tolerance, settings->max_iterations, s);
}

trx_status trxi_contact_solve(const trxi_contact_problem *problem, const trxi_solver_settings *settings,
                              trxi_solver *s)
{
    const int nv = problem->model->nv;
    s->stats = (trxi_solver_stats){0};
    memcpy(s->start, s->v, (size_t)nv * sizeof *s->v);
    for (int i = 0; i < nv; i++) s->E[i] = 1 / sqrt(problem->A[i * (nv + 1)]);

    set_soft(problem, 0);
    int plain = settings->max_iterations < PLAIN_ITERATIONS ? settings->max_iterations : PLAIN_ITERATIONS;
    trx_status status = newton(problem, settings->tolerance, plain, s);
    if (status >= 0 || settings->max_iterations <= PLAIN_ITERATIONS) return status;

    // without soft friction there is nothing to continue in: go on from here
    if (!set_soft(problem, first_soft)) return newton_with_continuation(problem, settings, 0, s);
    for (int i = 0; i < ATTEMPTS && status < 0; i++) {
        memcpy(s->v, s->start, (size_t)nv * sizeof *s->v);
        status = newton_with_continuation(problem, settings, stage_iterations[i], s);
    }
    return status;
}

trx_status trxi_contact_factorize(const trxi_contact_problem *problem, trxi_solver *s)
{
    if (s->factored) return TRX_OK;
    if (!factorize(problem, s)) return TRX_ERR_ILL_CONDITIONED;
    s->factored = true;
    return TRX_OK;
}

int trxi_contact_worst(const trxi_contact_problem *problem, const trxi_solver *s)
{
    // the contact through which the last residual is felt most: max |J E^2 r|
    int worst = -1;
    double most = -1;
    for (int k = 0; k < problem->ncontact; k++) {
        const trxi_contact *c = problem->contacts + k;
        double u[3] = {0, 0, 0};
        for (int i = 0; i < c->ncol; i++)
            for (int a = 0; a < 3; a++)
                u[a] += c->J[3 * i + a] * s->E[c->cols[i]] * s->E[c->cols[i]] * s->r[c->cols[i]];
        double felt = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        if (felt > most) most = felt, worst = k;
    }
    return worst;
}
