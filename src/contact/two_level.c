// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Levels of the model first_order (theory 4). A level fixes the bounds of friction, and shares of stiff impulses. The rest is the
// convex problem of theory 2.2, which Newton solves. The impulses of a level determine the fixed numbers of the next level:
//
//     repeat   v, gamma = argmin of the level                 normal, unilateral, bilateral impulses, friction within its bounds
//              bound = mu gamma_n, held = (1 - R/R') gamma    block by block (law.h, hold)
//     until    the error of gamma against the law is small
//
// The first level has no friction. Held shares are a proximal-point method with R' = least w. Its error falls by the factor
// least w/(least w + W) in each level. `least` falls from level to level, because friction with a small R' would cost Newton
// many iterations in the first levels. The error of the bounds falls by mu times the coupling of slip and normal impulse;
// Anderson's acceleration helps when this is slow. Levels without progress start again from friction without bounds, and then
// take parts of the changes. If 200 levels do not converge, lifted contacts (lifted.c) solve the island. The error is an
// energy, relative to the scale of the momentum balance.

#include "contact/island_solvers.h"

#include "contact/anderson.h"
#include "contact/islands.h"

// share of the tolerance that the error of the levels must pass, and the smallest error that rounding permits
static const double share = 1e-4, least_error = 1e-12;

// R' in w: of the first level; the end of the fall from level to level; the end of the fall while the error falls slowly; of the
// slopes for derivatives
static const double first_least = 0.1, usual_least = 1e-5, smallest_least = 1e-9, of_slopes = 1e-8;

static const double first_accuracy = 1e-2; // of Newton in the first level
static const double accuracy = 1e-2;       // of Newton in other levels, relative to the error of the last
static const double slow_fall = 0.3;       // of the error by a level
static const double least_part = 0.125; // least part of the change of a level that is taken [1]
enum { MOST_LEVELS = 200, MOST_IN_LEVEL = 20, PATIENCE = 12 };

typedef struct levels {
    int count, since; // levels; levels since the error was halved
    int starts;       // number of new starts
    bool begins;      // the level is the first of a start, so its bounds do not come from a previous level
    bool settled;     // shares have settled with a small R'
    double least;     // R' in w
    double tolerance; // of Newton
    trxi_level_error error; // of the last level
    double best;
    double part;        // part of the change of a level that is taken, 1 at first
    trxi_anderson past; // bounds of the last levels
} levels;

// the errors of the level that was solved, relative to its scale
static trxi_level_error hold(const trxi_contact_problem *problem, const trxi_island *island, double least, double scale)
{
    trxi_level_error error = {0};
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_block *b = &problem->blocks[k];
        if (b->law->hold) b->law->hold(b, TRXI_STATE(problem, island->now, k)->gamma, least, &error);
    }
    if (!(scale > 0)) scale = 1;
    return (trxi_level_error){sqrt(error.bounds) / scale, sqrt(error.shares) / scale};
}

// friction without bounds
static void unbind(const trxi_contact_problem *problem, const trxi_island *island)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        if (problem->blocks[k].n == 3) problem->blocks[k].contact.level.most = INFINITY;
}

static levels begin(const trxi_contact_problem *problem, const trxi_island *island)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        *TRXI_STATE(problem, island->now, k) = (trxi_row_state){.branch = 0};
    hold(problem, island, first_least, 1);
    return (levels){.begins = true, .least = first_least, .tolerance = first_accuracy, .error = {INFINITY, INFINITY},
                    .best = INFINITY, .part = 1};
}

// gives the blocks the compliances with which derivatives compute slopes, and open contacts the branch without friction
static void finish(const trxi_contact_problem *problem, trxi_island *island)
{
    hold(problem, island, of_slopes, 1);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_state *at = TRXI_STATE(problem, island->now, k);
        if (problem->blocks[k].n == 3 && !(at->gamma[2] > 0)) at->branch = 0;
    }
    island->swept = true;
}

// starts again: the first time without bounds, later from the last bounds with half of the part
static void start_anew(const trxi_contact_problem *problem, const trxi_island *island, levels *l)
{
    l->begins = ++l->starts == 1;
    l->part = l->begins ? 1 : fmax(least_part, 0.5 * l->part);
    l->past = (trxi_anderson){0};
    l->since = 0, l->best = INFINITY;
    if (l->begins) unbind(problem, island);
}

// computes the bounds of the next level by Anderson's acceleration of the map from the bounds of a level to the bounds of the next.
// The map is smooth except where a contact opens, begins to stick or to slide; records from before such a change mislead
static void extrapolate_bounds(const trxi_contact_problem *problem, const trxi_island *island, levels *l)
{
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        const double step[3] = {block->n == 3 ? block->contact.level.most - block->contact.level.before : 0};
        trxi_anderson_record(&l->past, block, block->w, step, &problem->rows[k].past);
    }
    trxi_anderson_end(&l->past);
    trxi_anderson_extrapolate(problem, island, &l->past);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_level *level = &problem->blocks[k].contact.level;
        double *move = problem->rows[k].past.move;
        if (problem->blocks[k].n != 3) continue;
        move[0] = l->part * fmax(move[0], -level->before);
        level->most = level->before + move[0];
    }
}

// shares, accuracy and bounds of the next level, from the errors of the last
static void advance(const trxi_contact_problem *problem, const trxi_island *island, trxi_level_error error, double tolerance,
                    levels *l)
{
    const double sum = error.bounds + error.shares;
    // an error of the held shares is an error of velocities; the error of impulses is 1/least times as large
    const bool falling = l->least > usual_least, matters = error.shares > fmin(tolerance, 0.1 * error.bounds * l->least);
    const bool slow = !l->settled && matters && error.shares > slow_fall * l->error.shares;
    if (falling || slow) l->least = fmax(smallest_least, (falling ? 0.01 : 0.1) * l->least);
    l->tolerance = fmax(tolerance, fmin(l->tolerance, accuracy * sum));
    l->error = error;
    if (l->begins) {
        l->begins = false;
        return;
    }
    l->since = sum < 0.5 * l->best ? 0 : l->since + 1;
    l->best = fmin(l->best, sum);
    if (l->since == PATIENCE) start_anew(problem, island, l);
    else if (error.bounds > tolerance) extrapolate_bounds(problem, island, l);
}

// returns whether the error is rounding: it does not fall, and has the size of the rounding of velocities over R', or stays
// below ten times this size for longer. With a small R' only the shares have settled then: the levels go on with the usual R',
// which rounds less
static bool is_rounding(double error, levels *l)
{
    static const double rounding = 2e-16, most = 1e-6;
    const double factor = l->since < PATIENCE - 1 ? 1 : 10, bound = l->settled ? most : fmin(most, factor * rounding / l->least);
    if (l->since < PATIENCE / 2 || error > bound) return false;
    if (l->least >= usual_least || l->settled) return true;
    l->settled = true;
    l->least = usual_least;
    l->since = 0, l->best = INFINITY;
    return false;
}

// solves for friction and normal impulses together; if this fails too, the statistics of the levels remain
static trx_status solve_without_levels(const trxi_contact_problem *problem, trxi_island *island,
                                       const trxi_solver_settings *settings, trxi_work *s)
{
    const trxi_solver_stats before = s->stats;
    hold(problem, island, 0, 1);
    s->stats = (trxi_solver_stats){0};
    const trx_status status = trxi_lifted_solve(problem, island, settings, s);
    if (status >= 0) finish(problem, island);
    else s->stats = before;
    return status;
}

trx_status trxi_two_level_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                                trxi_work *s)
{
    const double tolerance = fmax(share * settings->tolerance, least_error);
    const int most = settings->max_iterations < MOST_IN_LEVEL ? settings->max_iterations : MOST_IN_LEVEL;
    levels l = begin(problem, island);
    while (l.count++ < MOST_LEVELS && l.count <= 2 * settings->max_iterations) {
        // a level that Newton leaves early still gives bounds
        const trx_status status = trxi_newton(problem, island, l.tolerance, most, s);
        if (status < 0 && status != TRX_ERR_NOT_CONVERGED) return status;
        const trxi_level_error error = hold(problem, island, l.least, s->stats.scale);
        const double sum = error.bounds + error.shares;
        const bool within = sum <= tolerance && l.tolerance <= tolerance, rounding = is_rounding(sum, &l);
        if (status >= 0 && (within || rounding)) {
            finish(problem, island);
            return within ? status : TRX_ROUND_OFF;
        }
        advance(problem, island, error, tolerance, &l);
    }
    s->stats.residual = (l.error.bounds + l.error.shares) * s->stats.scale;
    return l.count > MOST_LEVELS ? solve_without_levels(problem, island, settings, s) : TRX_ERR_NOT_CONVERGED;
}
