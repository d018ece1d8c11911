// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Projected Gauss-Seidel (theory 4). A sweep visits the blocks of rows in their order. Each visit solves one block alone, with
// the impulses of all other blocks as they are, and v follows at once:
//
//     v_c = J_i v + b_i      gamma_i' from W_ii, v_c and the law      v += A^-1 J_i^T (gamma_i' - gamma_i)
//
// The impulses start at 0, so the solution does not depend on earlier steps. A law may ask that late sweeps take a part of each
// change. Sweeps that go in circles take half of each change, then a quarter. The method ends when the change of v in a sweep,
// relative to v and to the change of v by all impulses, is below 1e-4 of the tolerance: the error of a method that converges slowly
// is larger than its last change. Impulses that v does not feel, as between many points of one body, need not converge. At the end
// v is computed anew from the impulses. Slopes G remain 0: derivatives set them (tangent.c), or solve once more by Newton.

#include "contact/gauss_seidel.h"

#include "contact/balance.h"
#include "contact/delassus.h"
#include "contact/islands.h"
#include "contact/rounding.h"

#include <string.h>

// when the change of v in a sweep does not fall within so many sweeps, sweeps take half as much of each change, at least this part
enum { SWEEPS_TO_FALL = 100 };
static const double least_part = 0.25;

// share of the tolerance that the change of a sweep must pass, and the smallest change that rounding permits
static const double share = 1e-4, least = 1e-14;

// one row: the root of gamma - law(v_c + w (gamma - gamma_0)), whose slope is at least 1; it lies between gamma_0 and law(v_c).
// Between the two corners of a limit that lets go, Newton's method can jump to and fro: later, every second step halves the bracket
static void visit_row(const trxi_row_block *block, double dt, double w, trxi_row_state *at)
{
    enum { MOST = 100, SURE = 8 };
    const double start = at->gamma[0], v_c = at->v_c[0];
    trxi_row_state trial = *at;
    block->law->impulse(block, dt, &trial);
    double low = fmin(start, trial.gamma[0]), high = fmax(start, trial.gamma[0]), gamma = start;
    for (int i = 0; i < MOST; i++) {
        const double error = gamma - trial.gamma[0];
        if (error > 0) high = gamma;
        else low = gamma;
        double next = gamma - error / (1 + w * trial.G.xx);
        if (!(next >= low && next <= high) || (i > SURE && i % 2 && fabs(error) > 1e-15 * high)) next = 0.5 * (low + high);
        const bool same = fabs(next - gamma) <= 1e-15 * fabs(next);
        gamma = next;
        if (same) break;
        trial.v_c[0] = v_c + w * (gamma - start);
        block->law->impulse(block, dt, &trial);
    }
    at->gamma[0] = gamma;
}

// the share of a change that this sweep takes: from 1 to the late share, by a hundredth of the way in each sweep
static double share_of_change(const trxi_law *law, int sweeps)
{
    return law->late_share > 0 ? law->late_share + (1 - law->late_share) * pow(0.99, sweeps) : 1;
}

static void visit(const trxi_contact_problem *problem, int k, double most, trxi_island *island, trxi_work *s)
{
    const trxi_row_block *b = &problem->blocks[k];
    const trxi_sym3 *W = &problem->rows[k].W;
    trxi_row_state *at = TRXI_STATE(problem, island->now, k);
    double before[3], change[3];
    memcpy(before, at->gamma, sizeof before);
    trxi_row_project(b, island->now->v, b->bias, at->v_c);
    if (b->law->visit) b->law->visit(b, W, at);
    else visit_row(b, problem->law.dt, W->xx, at);

    bool moves = false;
    const double part = fmin(most, share_of_change(b->law, s->stats.iterations));
    for (int r = 0; r < b->n; r++) {
        if (part < 1) at->gamma[r] = before[r] + part * (at->gamma[r] - before[r]);
        change[r] = at->gamma[r] - before[r];
        moves = moves || change[r] != 0;
    }
    if (moves) trxi_delassus_apply(problem, b, change, s, island->now->v);
}

// impulses 0, and in s->start the velocity without them
static void begin(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        *TRXI_STATE(problem, island->now, k) = (trxi_row_state){.branch = 0};
        const trxi_sym3 W = trxi_delassus_block(problem, &problem->blocks[k], s);
        problem->rows[k].W = W;
        if (problem->blocks[k].n == 3) memcpy(problem->blocks[k].contact.W_n, (double[]){W.xn, W.yn, W.nn}, 3 * sizeof(double));
    }
    trxi_delassus_velocity(problem, island, s, island->now->v);
    trxi_island_copy(island, s, island->now->v, s->start);
}

// a sweep that takes a part of each change; returns the change of v by whole changes over the size of v and of the change by all
// impulses, weighted by the diagonal of A
static double sweep(const trxi_contact_problem *problem, double part, trxi_island *island, trxi_work *s)
{
    const double *v = island->now->v;
    double change = 0, size = 0;
    trxi_island_copy(island, s, v, s->dv);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) visit(problem, k, part, island, s);
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        for (int i = dofs.first; i < dofs.end; i++) {
            const double dv = v[i] - s->dv[i], dv_all = v[i] - s->start[i];
            change += dv * dv / s->E2[i], size += (v[i] * v[i] + dv_all * dv_all) / s->E2[i];
        }
    }
    return (size > 0 ? sqrt(change / size) : change) / part;
}

typedef struct pace {
    double part;   // of each change
    double change; // when the pace was set last
} pace;

static void set_pace(const trxi_solver_stats *stats, pace *p)
{
    if (stats->iterations % SWEEPS_TO_FALL != 0) return;
    if (stats->change >= p->change) p->part = fmax(least_part, 0.5 * p->part);
    p->change = stats->change;
}

// velocity, balance, branches and slopes of the rows at the impulses
static void finish(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s)
{
    trxi_iterate *x = island->now;
    trxi_delassus_velocity(problem, island, s, x->v);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *b = &problem->blocks[k];
        trxi_row_state *at = TRXI_STATE(problem, x, k), law;
        trxi_row_project(b, x->v, b->bias, at->v_c);
        if (b->law->visit) continue;
        law = *at;
        b->law->impulse(b, problem->law.dt, &law);
        at->branch = law.branch, at->G = law.G;
    }
    trxi_island_mass(problem, island, s, x->v, x->p);
    x->sums = 0;
    trxi_balance_collect(problem, island, s, x);
    trxi_verdict verdict = {.residual = INFINITY};
    trxi_rounding_judge(problem, island, tolerance, false, s, &verdict);
    s->stats.relative = tolerance;
    island->swept = true;
}

trx_status trxi_gauss_seidel_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                                   trxi_work *s)
{
    const double tolerance = fmax(share * settings->tolerance, least);
    bool converged = false;
    pace p = {.part = 1, .change = INFINITY};
    begin(problem, island, s);
    s->stats.still = tolerance;
    while (!converged && s->stats.iterations < settings->max_sweeps) {
        s->stats.change = sweep(problem, p.part, island, s);
        if (!isfinite(s->stats.change)) return TRX_ERR_NOT_FINITE;
        converged = s->stats.change <= tolerance;
        s->stats.iterations += island->block >= 0;
        set_pace(&s->stats, &p);
    }
    finish(problem, island, settings->tolerance, s);
    return converged ? TRX_OK : TRX_ERR_NOT_CONVERGED;
}
