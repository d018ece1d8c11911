// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Projected Gauss-Seidel (theory 4). A sweep visits the blocks of rows in their order. Each visit solves one block alone, with
// the impulses of all other blocks as they are, and v follows at once:
//
//     v_c = J_i v + b_i      gamma_i' from W_ii, v_c and the law      v += A^-1 J_i^T (gamma_i' - gamma_i)
//
// A visit costs six times the dofs of the groups that the block touches.
//
// A contact wedges if friction in some direction presses the contact by more than the friction itself: mu |W_nt| > W_nn. A
// single wedging contact has several solutions, and sweeps that jump between them do not converge. A weight on the change of
// the normal impulse, added to W_nn, keeps a visit near the last impulse and does not change the solution. Sweeps that do not
// converge use the weight first, then half of each change, then a quarter. A law may ask that late sweeps take a part of each
// change.
//
// Every few sweeps the impulses are extrapolated from the last sweeps (anderson.h); the next sweep brings them back to their laws.
// If the change of the impulses grows after an extrapolation, later extrapolations are rarer.
//
// The method ends when the change of v in a sweep, relative to v and to the change of v by all impulses, is below 1e-4 of the
// tolerance, because the error of a slowly converging method is larger than its last change. Where many contacts share a load,
// sweeps do not find the shares, which need 1/R sweeps: Newton's method on the active set finds them at the end (active_set.h).
// Newton's method also takes over from slow sweeps, once they have taken as long as an attempt.

#include "contact/island_solvers.h"

#include "contact/active_set.h"
#include "contact/anderson.h"
#include "contact/impulses.h"
#include "contact/islands.h"

#include <string.h>

// if the change of v does not fall within SWEEPS_TO_FALL sweeps, later sweeps weigh wedging contacts; if this does not help, sweeps
// take half as much of each change, but not less than least_part; a relaxation below least_part stays
enum { SWEEPS_TO_FALL = 100 };
static const double least_part = 0.25;

// W_nn with the weight of a wedging contact, over mu |W_nt|; values of 1.5 to 2.5 are equally good
static const double steep = 2;

// a change of v that does not halve in SWEEPS_TO_FALL sweeps and is below this number is rounding
static const double most_rounding = 1e-12;

// the share of a change that this sweep takes: from 1 to the late share, by a hundredth of the way in each sweep
static double share_of_change(const trxi_law *law, int sweeps)
{
    return law->late_share > 0 ? law->late_share + (1 - law->late_share) * pow(0.99, sweeps) : 1;
}

// how sweeps take changes
typedef struct pace {
    bool weighs;   // wedging contacts have a weight
    double part;   // part of each change that is taken
    double change; // change of v when the pace was set last
} pace;

// W of a block, with the weight
static trxi_sym3 weighed(const trxi_row_block *block, trxi_sym3 W)
{
    if (trxi_row_is_contact(block)) W.nn = fmax(W.nn, steep * block->contact.mu * hypot(W.xn, W.yn));
    return W;
}

// extrapolation of the impulses
typedef struct lookahead {
    trxi_anderson past;
    int plain, sweeps; // least number of sweeps between two extrapolations; sweeps since the last one
    double square;     // of the change of the impulses in this sweep [J]
    double before;     // the same at the last extrapolation [J]
} lookahead;

enum { PLAIN = 3 };

// solves one block; returns the part of its change that is taken
static double visit(const trxi_contact_problem *problem, int k, const pace *p, lookahead *a, trxi_island *island, trxi_work *s)
{
    const trxi_row_block *b = &problem->blocks[k];
    const trxi_sym3 W = p->weighs ? weighed(b, problem->rows[k].W) : problem->rows[k].W;
    trxi_row_state *at = TRXI_STATE(problem, island->now, k);
    double before[3], change[3];
    memcpy(before, at->gamma, sizeof before);
    trxi_row_project(b, island->now->v, b->bias, at->v_c);
    trxi_impulses_visit(problem, b, &W, at);

    bool moves = false;
    const double part = fmin(p->part, share_of_change(b->law, s->stats.iterations));
    for (int r = 0; r < b->n; r++) {
        if (part < 1) at->gamma[r] = before[r] + part * (at->gamma[r] - before[r]);
        change[r] = at->gamma[r] - before[r];
        moves = moves || change[r] != 0;
    }
    if (moves) trxi_delassus_apply(b, s, problem->rows[k].Y, change, island->now->v);
    const double weight = trxi_impulses_weight(b, &problem->rows[k].W);
    a->square += weight * trxi_row_dot(b, change, change);
    trxi_anderson_record(&a->past, b, weight, change, &problem->rows[k].past);
    return part;
}

// a sweep that takes a part of each change. Returns a relative error: the change of v, divided by the smallest part, over the size
// of v and of its change by all impulses, in the norm of the diagonal of A
static double sweep(const trxi_contact_problem *problem, const pace *p, lookahead *a, trxi_island *island, trxi_work *s)
{
    const double *v = island->now->v;
    double change = 0, part = 1;
    a->square = 0;
    trxi_island_copy(island, s, v, s->dv);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) part = fmin(part, visit(problem, k, p, a, island, s));
    for (int k = 0; k < trxi_island_runs(island); k++) {
        const trxi_dof_run dofs = trxi_island_run(island, s, k);
        for (int i = dofs.first; i < dofs.end; i++) {
            const double dv = v[i] - s->dv[i];
            change += dv * dv / s->E2[i];
        }
    }
    const double size = trxi_impulses_size(island, s);
    return (size > 0 ? sqrt(change / size) : change) / part;
}

// extrapolates the impulses, and v with them, when this is due
static void look_ahead(const trxi_contact_problem *problem, const trxi_island *island, lookahead *a, trxi_work *s)
{
    trxi_anderson_end(&a->past);
    if (a->sweeps == 0 && a->square > a->before) a->plain *= 2, a->past = (trxi_anderson){0};
    if (++a->sweeps < a->plain || !trxi_anderson_extrapolate(problem, island, &a->past)) return;
    a->sweeps = 0, a->before = a->square;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_past *past = &problem->rows[k].past;
        double *gamma = TRXI_STATE(problem, island->now, k)->gamma, beyond[3];
        for (int r = 0; r < problem->blocks[k].n; r++) beyond[r] = past->move[r] - past->step[r], gamma[r] += beyond[r];
        trxi_delassus_apply(&problem->blocks[k], s, problem->rows[k].Y, beyond, island->now->v);
    }
}

// sweeps that take as long as an attempt: about ten steps, each with four visits of every block and an elimination of 2/3 nv^3
// operations; a visit has about 400
static int first_attempt(const trxi_contact_problem *problem, const trxi_island *island)
{
    const double nv = island->nv;
    double visits = 0;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) visits++;
    return (int)(40 + nv * nv * nv / (60 * fmax(1, visits)));
}

// adapts the pace; returns true when the change of v is rounding
static bool set_pace(const trxi_solver_stats *stats, pace *p)
{
    if (stats->iterations % SWEEPS_TO_FALL != 0) return false;
    const bool falls = stats->change < p->change, slow = stats->change > 0.5 * p->change;
    if (!falls && p->weighs) p->part = fmin(p->part, fmax(least_part, 0.5 * p->part));
    p->weighs = p->weighs || !falls;
    p->change = stats->change;
    return slow && stats->change < most_rounding;
}

trx_status trxi_gauss_seidel_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                                   trxi_work *s)
{
    const double tolerance = fmax(trxi_impulses_share * settings->tolerance, trxi_impulses_least);
    bool converged = false, settled = false, rounding = false;
    pace p = {.part = settings->relaxation > 0 ? settings->relaxation : 1, .change = INFINITY};
    lookahead ahead = {.plain = PLAIN, .before = INFINITY};
    trxi_attempts attempts = {.due = first_attempt(problem, island)};
    if (!trxi_active_set_reserve(problem, s) || !trxi_impulses_begin(problem, island, s)) return TRX_ERR_MEMORY;
    s->stats.still = tolerance;
    while (!converged && !rounding && s->stats.iterations < settings->max_sweeps) {
        s->stats.change = sweep(problem, &p, &ahead, island, s);
        if (!isfinite(s->stats.change)) return TRX_ERR_NOT_FINITE;
        s->stats.iterations += island->block >= 0;
        settled = s->stats.change <= tolerance;
        converged = settled || trxi_active_set_attempt(problem, island, settings->tolerance, &attempts, s);
        if (!converged) look_ahead(problem, island, &ahead, s);
        rounding = !converged && set_pace(&s->stats, &p);
    }
    if (settled) trxi_active_set_refine(problem, island, settings->tolerance, s);
    trxi_impulses_finish(problem, island, settings->tolerance, s);
    if (rounding) s->stats.still = s->stats.change;
    return converged ? TRX_OK : rounding ? TRX_ROUND_OFF : TRX_ERR_NOT_CONVERGED;
}
