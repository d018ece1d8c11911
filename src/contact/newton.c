// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method on the convex contact problem (theory 5), island by island.
//
// Plain Newton first. Where it does not settle (stiff similar contacts crawl along a curved edge), the same step is solved
// with stiction tolerances of 1, 0.1, ... m/s down to the wanted one, each from the last solution; where 36 iterations a
// stage are not enough (similar contacts of steel in an impact), once more with 300. Lagged and sap contacts get four times
// as long before: many of them in an impact take 20 to 60 iterations, and the detour takes longer. A start outside the
// barriers is scaled towards v = 0, which is inside. The solve ends at the relative tolerance or at the round-off floor of
// the residual, whichever comes first; everything else is a status. The first island that fails ends the solve.

#include "contact/balance.h"
#include "contact/barrier.h"
#include "contact/hessian.h"
#include "contact/islands.h"
#include "contact/line_search.h"

#include "math/dense.h"

#include <string.h>

enum { PLAIN_ITERATIONS = 15, PLAIN_ITERATIONS_LAGGED = 60, ATTEMPTS = 2, THOROUGH_ITERATIONS = 10, STUCK_ITERATIONS = 4 };
enum { MOST_SUMS = 4 }; // steps whose balances are added up; in a solve that drags on none, as contacts are stiff there
static const int stage_iterations[ATTEMPTS] = {36, 300};
static const double stage_tolerance = 1e-3;
static const double first_soft = 1.0; // [m/s]
static const double stuck_residual = 1e-10; // relative

// dense islands of several trees have at most dense_limit unknowns, so that all of them together fit here
static size_t dense_room(const trx_model *model, int dense_limit)
{
    size_t room = 0;
    int most = model->nv < dense_limit ? model->nv : dense_limit;
    for (int t = 0; t < model->ntree; t++) {
        int nv = model->trees[t].nv;
        room += (size_t)nv * (size_t)(nv > most ? nv : most);
    }
    return room;
}

void trxi_solver_layout(trxi_arena *arena, const trx_model *model, trxi_solver *s)
{
    const int nv = model->nv;
    s->dense_limit = TRXI_DENSE_LIMIT;
    s->v = TRXI_TAKE(arena, double, nv);
    s->p = TRXI_TAKE(arena, double, nv);
    s->j = TRXI_TAKE(arena, double, nv);
    s->r = TRXI_TAKE(arena, double, nv);
    s->bound = TRXI_TAKE(arena, double, nv);
    s->dv = TRXI_TAKE(arena, double, nv);
    s->dp = TRXI_TAKE(arena, double, nv);
    s->E2 = TRXI_TAKE(arena, double, nv);
    s->start = TRXI_TAKE(arena, double, nv);
    s->before = TRXI_TAKE(arena, double, nv);
    s->GJ = TRXI_TAKE(arena, double, 3 * nv);
    s->gathered = TRXI_TAKE(arena, double, TRXI_GATHERED * nv);
    s->islands = TRXI_TAKE(arena, trxi_island, model->ntree);
    s->trees = TRXI_TAKE(arena, int, model->ntree);
    s->island_of = TRXI_TAKE(arena, int, model->ntree);
    s->local = TRXI_TAKE(arena, int, nv);
    s->column = TRXI_TAKE(arena, ptrdiff_t, nv);
    s->tree_column = TRXI_TAKE(arena, ptrdiff_t, nv);
    s->scratch = TRXI_TAKE(arena, int, model->ntree);
    s->H = TRXI_TAKE(arena, double, dense_room(model, s->dense_limit));

    // an island of several trees has at least two
    s->nsparse = model->ntree / 2;
    s->sparse = TRXI_TAKE(arena, trxi_block_cholesky *, s->nsparse);
}

void trxi_solver_close(trxi_solver *s)
{
    for (int k = 0; k < s->nsparse; k++) trxi_block_cholesky_destroy(s->sparse[k]);
}

// H dv = -r; returns the slope dv . r, which is negative unless rounding has the last word
static double newton_direction(const trxi_contact_problem *problem, trxi_island *island, trxi_solver *s)
{
    trxi_island_combine(problem->model, island, s, NULL, -1, s->r, s->dv);
    trxi_hessian_solve(problem, island, s, 1, s->dv, problem->model->nv);
    return trxi_island_dot(problem->model, island, s, s->dv, s->r);
}

// a step that does not do what it should may be one below the floor, which is not looked at while residuals fall
static bool may_be_rounding(double tolerance, const trxi_solver *s)
{
    return tolerance > 0 && s->stats.floor == 0 && s->stats.residual < trxi_rounding_share * s->stats.scale;
}

// whether the residual at v, computed anew, is one that rounding alone may leave
static bool is_rounding(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_solver *s)
{
    bool at_floor;
    trxi_balance_compute(problem, island, s);
    s->thorough = true;
    return trxi_balance_converged(problem, island, tolerance, s, &at_floor);
}

// One step along dv. Most are full ones: the slope there comes with the residual that the next iteration needs. `sums` counts
// the steps since the balance was computed at v: it is added up in the others. False, with v and its balance as before, when v is
// at rounding already.
static bool advance(const trxi_contact_problem *problem, trxi_island *island, double slope, bool full, double tolerance,
                    int *sums, trxi_solver *s)
{
    const double slope1 = full ? trxi_line_search_full(problem, island, s) : 0;
    const int before = *sums;
    *sums = 0;
    if (full && trxi_line_search_accepts(s, slope, slope1)) return true;
    *sums = before + 1;
    const bool doubtful = may_be_rounding(tolerance, s);
    if (full && !doubtful && isfinite(slope1)) {
        trxi_line_search_within(problem, island, slope, slope1, s);
        return true;
    }
    if (full) trxi_island_combine(problem->model, island, s, NULL, 1, s->before, s->v);
    if (doubtful && is_rounding(problem, island, tolerance, s)) return false;
    if (full && !doubtful) trxi_balance_compute(problem, island, s);
    if (trxi_line_search(problem, island, slope, s) > 0 || !doubtful) return true;

    // at a kink the last digit of v may decide between a soft and a stiff side
    trxi_balance_compute(problem, island, s);
    s->stats.floor = s->stats.residual;
    return false;
}

// the residual and whether it is small enough; one that was added up is computed before it is believed
static bool has_settled(const trxi_contact_problem *problem, trxi_island *island, double tolerance, int sums, bool *at_floor,
                        trxi_solver *s)
{
    if (!trxi_balance_converged(problem, island, tolerance, s, at_floor)) return false;
    if (sums == 0) return true;
    trxi_balance_compute(problem, island, s);
    return trxi_balance_converged(problem, island, tolerance, s, at_floor);
}

static trx_status newton(const trxi_contact_problem *problem, trxi_island *island, double tolerance, int max_iterations,
                         trxi_solver *s)
{
    const trx_model *model = problem->model;
    double last = INFINITY;
    s->stats.residual = INFINITY;
    const double entry = trxi_barrier_entry(problem->blocks, island->block, s->v);
    if (entry < 1) trxi_island_combine(model, island, s, NULL, entry, s->v, s->v);
    trxi_balance_compute(problem, island, s);

    // a barrier limits steps
    const bool full = !s->backtracking && !trxi_barrier_any(problem->blocks, island->block);
    int sums = 0;
    for (int iteration = 0, stuck = 0;; iteration++) {
        if (!trxi_island_finite(model, island, s, s->r)) return TRX_ERR_NOT_FINITE;
        s->thorough = iteration == max_iterations || iteration >= THOROUGH_ITERATIONS;
        bool at_floor, settled = has_settled(problem, island, tolerance, sums, &at_floor, s);
        // squares that overflow compare with nothing
        if (!isfinite(s->stats.residual) || !isfinite(s->stats.scale)) return TRX_ERR_NOT_FINITE;

        // the floor is a bound: with tolerance 0 go on below it while the residual still halves
        bool lowest = !(s->stats.residual < 0.5 * last);
        last = s->stats.residual;

        // a residual at v that is tiny and no longer falls is rounding, whatever the bound says
        stuck = lowest ? stuck + 1 : 0;
        if (tolerance == 0 && sums == 0 && stuck >= STUCK_ITERATIONS && last <= stuck_residual * s->stats.scale)
            return TRX_ROUND_OFF;
        if (settled && (tolerance > 0 || lowest)) return at_floor ? TRX_ROUND_OFF : TRX_OK;
        if (iteration == max_iterations) return settled ? TRX_ROUND_OFF : TRX_ERR_NOT_CONVERGED;

        double slope = trxi_hessian_factorize(problem, island, s) ? newton_direction(problem, island, s) : 0;
        if (!(slope < 0))
            return settled || is_rounding(problem, island, tolerance, s) ? TRX_ROUND_OFF : TRX_ERR_ILL_CONDITIONED;
        if (!advance(problem, island, slope, full, tolerance, &sums, s)) return TRX_ROUND_OFF;
        if (sums == MOST_SUMS || (sums > 0 && s->thorough)) trxi_balance_compute(problem, island, s), sums = 0;
        s->stats.iterations++;
    }
}

static bool set_soft(const trxi_contact_problem *problem, const trxi_island *island, double soft)
{
    bool any = false;
    for (int i = island->block; i >= 0; i = problem->blocks[i].next) {
        trxi_row_block *b = &problem->blocks[i];
        if (!b->law->softens) continue;
        b->soft = fmax(soft, b->soft_wanted);
        any = any || soft > b->soft_wanted;
    }
    return any;
}

static trx_status newton_with_continuation(const trxi_contact_problem *problem, trxi_island *island,
                                           const trxi_solver_settings *settings, int most, trxi_solver *s)
{
    // failures on the way do not matter, only the last solve does
    for (double soft = first_soft; set_soft(problem, island, soft); soft *= 0.1) {
        newton(problem, island, stage_tolerance, most, s);
        s->stats.continuation++;
    }
    return newton(problem, island, settings->tolerance, settings->max_iterations, s);
}

static bool any_crawls(const trxi_contact_problem *problem, const trxi_island *island)
{
    for (int i = island->block; i >= 0; i = problem->blocks[i].next)
        if (problem->blocks[i].law->crawls) return true;
    return false;
}

static trx_status solve_island(const trxi_contact_problem *problem, trxi_island *island,
                               const trxi_solver_settings *settings, trxi_solver *s)
{
    // a tree without rows: v = A^-1 p0
    if (trxi_island_is_free(island)) {
        const trxi_tree *tree = &problem->model->trees[s->trees[island->first_tree]];
        memcpy(s->v + tree->v, problem->p0 + tree->v, (size_t)tree->nv * sizeof *s->v);
        trxi_hessian_solve(problem, island, s, 1, s->v, problem->model->nv);
        return trxi_island_finite(problem->model, island, s, s->v) ? TRX_OK : TRX_ERR_NOT_FINITE;
    }

    trxi_island_combine(problem->model, island, s, NULL, 1, s->v, s->start);
    set_soft(problem, island, 0);
    int patience = any_crawls(problem, island) ? PLAIN_ITERATIONS : PLAIN_ITERATIONS_LAGGED;
    int plain = settings->max_iterations < patience ? settings->max_iterations : patience;
    trx_status status = newton(problem, island, settings->tolerance, plain, s);
    if (status >= 0 || settings->max_iterations <= patience) return status;

    // without soft friction there is nothing to continue in: go on from here
    if (!set_soft(problem, island, first_soft)) return newton_with_continuation(problem, island, settings, 0, s);
    for (int i = 0; i < ATTEMPTS && status < 0; i++) {
        trxi_island_combine(problem->model, island, s, NULL, 1, s->start, s->v);
        status = newton_with_continuation(problem, island, settings, stage_iterations[i], s);
    }
    return status;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void add_stats(const trxi_island *island, const trxi_solver_stats *one, trxi_solver_stats *all)
{
    if (!trxi_island_is_free(island)) all->islands++, all->largest = larger(all->largest, island->nv);
    all->iterations = larger(all->iterations, one->iterations);
    all->continuation = larger(all->continuation, one->continuation);
    all->line_search += one->line_search;
    all->relative = fmax(all->relative, one->relative);
    // squares until all are there
    all->residual += one->residual * one->residual;
    all->scale += one->scale * one->scale;
    all->floor += one->floor * one->floor;
}

trx_status trxi_contact_solve(const trxi_contact_problem *problem, const trxi_solver_settings *settings,
                              trxi_solver *s)
{
    const trx_model *model = problem->model;
    trxi_solver_stats all = {0};
    trx_status status = trxi_islands_find(problem, s), worst = TRX_OK;
    if (status < 0) return status;
    s->backtracking = settings->backtracking;
    for (int i = 0; i < model->nv; i++) s->E2[i] = 1 / problem->A[model->column[i] + i];

    for (int i = 0; i < s->nisland && status >= 0; i++) {
        s->stats = (trxi_solver_stats){0};
        status = solve_island(problem, &s->islands[i], settings, s);
        add_stats(&s->islands[i], &s->stats, &all);
        if (status != TRX_OK) worst = status;
        if (status < 0) s->failed = i;
    }
    all.residual = sqrt(all.residual), all.scale = sqrt(all.scale), all.floor = sqrt(all.floor);
    s->stats = all;
    return worst;
}

trx_status trxi_contact_factorize(const trxi_contact_problem *problem, trxi_solver *s)
{
    for (int i = 0; i < s->nisland; i++) {
        trxi_island *island = &s->islands[i];
        if (island->factored) continue;
        if (!trxi_hessian_factorize(problem, island, s)) return TRX_ERR_ILL_CONDITIONED;
        island->factored = true;
    }
    return TRX_OK;
}

void trxi_contact_back_substitute(const trxi_contact_problem *problem, trxi_solver *s, int nrhs, double *X, int ldx)
{
    for (int i = 0; i < s->nisland; i++) trxi_hessian_solve(problem, &s->islands[i], s, nrhs, X, ldx);
}

void trxi_contact_back_substitute_island(const trxi_contact_problem *problem, trxi_solver *s, const trxi_island *island,
                                         int nrhs, double *X, int ldx)
{
    trxi_hessian_solve_island(problem, island, s, nrhs, X, ldx);
}

int trxi_contact_worst(const trxi_contact_problem *problem, const trxi_solver *s)
{
    // the contact through which the last residual is felt most: max |J E^2 r|
    int worst = -1;
    double most = -1;
    if (s->nisland == 0) return -1;
    for (int k = s->islands[s->failed].block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *c = &problem->blocks[k];
        double u[3] = {0, 0, 0};
        if (c->n != 3) continue;
        for (int i = 0; i < c->ncol; i++)
            for (int a = 0; a < 3; a++)
                u[a] += c->J[3 * i + a] * s->E2[c->cols[i]] * s->r[c->cols[i]];
        double felt = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        if (felt > most) most = felt, worst = k;
    }
    return worst;
}
