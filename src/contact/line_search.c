// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Line search. Along v + alpha dv the objective has the slope and curvature
//
//     l'(alpha)  = dv.r + alpha dv.dp - sum dv_c . (gamma(v_c + alpha dv_c) - gamma(v_c))
//     l''(alpha) = dv.dp + sum dv_c . G dv_c                                         (theory 5, point 3)
//
// l' is monotone, costs O(contacts), and needs no value of the objective, so no law needs a potential.
//
// Contacts with barriers limit the length of a step (barrier.c).
//
// Exact: find a root of l' to within a hundredth of the first slope. A nearer root takes more slopes and saves no iterations; only
// a barrier needs a nearer root. The full step is taken when it ends near the root: past the root with a slope of at most a
// hundredth of the first slope, or short of the root with at most a fiftieth. The longest step (1.5) is taken when its slope is
// still negative. Otherwise Newton's method finds the root of l' inside a bracket. Bisection replaces a Newton step that leaves the
// bracket, or that is longer than half of the step before the last.
//
// Backtracking: halve until the decrease is enough (Armijo). Because l' grows, l(b) - l(a) <= (b - a) l'(b), and two slopes
// bound the decrease without a value of l:
//
//     l(alpha) - l(0) <= alpha/2 (l'(alpha/2) + l'(alpha)) <= c alpha l'(0)

#include "contact/line_search.h"

#include "contact/balance.h"
#include "contact/barrier.h"
#include "contact/islands.h"

static const double most = 1.5;
static const double slope_tolerance = 1e-2;  // slope at an accepted root / first slope [1]
static const double barrier_tolerance = 1e-8; // the same near a barrier, where a coarser root would be too close to the barrier [1]
static const double short_of_root = 0.02;     // the same for a full step short of the root, where the objective surely falls [1]
enum { MAX_EVALUATIONS = 100, MAX_HALVINGS = 40 };

typedef struct slope {
    double first, second; // l', l''
} slope;

// the line from `now`, its constants, and the step length to which the impulses of `next` belong
typedef struct line {
    const trxi_contact_problem *problem;
    trxi_island *island;
    trxi_work *s;
    double slope0;
    double momentum;      // dv . (p - p0): l' at v without impulses, computed from a known slope and known impulses
    double curvature;     // dv . dp
    double full, longest; // 1 and 1.5, or less when barriers limit the step
    double at;
} line;

// the parts of a block: dv_c . gamma and dv_c . G dv_c
static void add_block(const trxi_row_block *block, const trxi_row_state *at, const double *dv_c, slope *sum)
{
    sum->first += trxi_row_dot(block, dv_c, at->gamma);
    sum->second += trxi_row_quadratic(block, &at->G, dv_c);
}

static slope rows_along(const line *along, const trxi_iterate *x)
{
    slope sum = {0, 0};
    const trxi_contact_problem *problem = along->problem;
    for (int k = along->island->block; k >= 0; k = problem->blocks[k].next)
        add_block(&problem->blocks[k], TRXI_STATE(problem, x, k), problem->rows[k].dv_c, &sum);
    return sum;
}

static slope slope_at(line *along, double alpha)
{
    const trxi_contact_problem *problem = along->problem;
    const trxi_island *island = along->island;
    slope rows = {0, 0};
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *b = &problem->blocks[k];
        const double *v_c = TRXI_STATE(problem, island->now, k)->v_c, *dv_c = problem->rows[k].dv_c;
        trxi_row_state *row = TRXI_STATE(problem, island->next, k);
        for (int a = 0; a < b->n; a++) row->v_c[a] = v_c[a] + alpha * dv_c[a];
        b->law->impulse(b, problem->law.dt, row);
        add_block(b, row, dv_c, &rows);
    }
    along->at = alpha;
    along->s->stats.line_search++;
    return (slope){along->momentum + alpha * along->curvature - rows.first, along->curvature + rows.second};
}

static bool is_noise(const trxi_work *s, double slope0)
{
    return fabs(slope0) < 1e-20 * s->stats.scale * s->stats.scale;
}

bool trxi_line_search_accepts(const trxi_work *s, double slope0, double slope1)
{
    const double size = fabs(slope0);
    if (is_noise(s, slope0)) return isfinite(slope1);
    return slope1 <= slope_tolerance * size && slope1 >= -short_of_root * size;
}

// the root of the slope; `l` is the slope at the full step
static double exact(line *along, slope l)
{
    const double full = along->full, longest = along->longest;
    const double least = (longest < most ? barrier_tolerance : slope_tolerance) * fabs(along->slope0);
    const bool accepted = longest == most && trxi_line_search_accepts(along->s, along->slope0, l.first);
    if (accepted || fabs(l.first) <= least) return full;
    if (l.first < 0 && (full == longest || slope_at(along, longest).first <= 0)) return longest;

    // the root is in (low, high): l'(low) < 0 < l'(high)
    double low = 0, high = longest, alpha = full, last = longest, step = longest;
    for (int i = 0; i < MAX_EVALUATIONS && fabs(l.first) > least; i++) {
        if (l.first > 0)
            high = alpha;
        else
            low = alpha;
        double newton = alpha - l.first / l.second;
        bool slow = fabs(2 * l.first) > fabs(last * l.second);
        last = step;
        if (!(newton > low && newton < high) || slow) newton = 0.5 * (low + high);
        step = newton - alpha;
        alpha = newton;
        if (high - low < 1e-15) break;
        l = slope_at(along, alpha);
    }
    return alpha;
}

static double backtracking(line *along)
{
    static const double enough = 1e-4;
    double alpha = along->full, here = slope_at(along, alpha).first;
    for (int i = 0; i < MAX_HALVINGS; i++) {
        double half = slope_at(along, 0.5 * alpha).first;
        if (0.5 * (half + here) <= enough * along->slope0) break;
        alpha *= 0.5;
        here = half;
    }
    return alpha;
}

// a line with known s->dp and dv_c, whose slope `first` and impulses are known at the iterate x, at step length `at`
static line begin(const trxi_contact_problem *problem, trxi_island *island, double slope0, const trxi_iterate *x, double at,
                  double first, trxi_work *s)
{
    line along = {.problem = problem, .island = island, .s = s, .slope0 = slope0, .full = 1, .longest = most, .at = at};
    along.curvature = trxi_island_dot(island, s, s->dv, s->dp);
    along.momentum = first - at * along.curvature + rows_along(&along, x).first;
    return along;
}

// moves `next` to the step length alpha; returns false when the step is below the last digit of v
static bool go(line *along, double alpha)
{
    trxi_work *s = along->s;
    const trxi_iterate *now = along->island->now;
    trxi_iterate *next = along->island->next;
    bool moves = false;
    if (alpha != along->at) slope_at(along, alpha);
    for (int k = 0; k < trxi_island_runs(along->island); k++) {
        const trxi_dof_run dofs = trxi_island_run(along->island, s, k);
        for (int i = dofs.first; i < dofs.end; i++) {
            next->v[i] = now->v[i] + alpha * s->dv[i];
            next->p[i] = now->p[i] + alpha * s->dp[i];
            moves = moves || next->v[i] != now->v[i];
        }
    }
    next->sums = now->sums + 1;
    trxi_balance_collect(along->problem, along->island, s, next);
    return moves;
}

// dp = A dv, dv_c = J dv
static void project(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s)
{
    trxi_island_mass(problem, island, s, s->dv, s->dp);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        trxi_row_project(&problem->blocks[k], s->dv, trxi_row_rest, problem->rows[k].dv_c);
}

double trxi_line_search(const trxi_contact_problem *problem, trxi_island *island, double slope0, trxi_work *s)
{
    project(problem, island, s);
    line along = begin(problem, island, slope0, island->now, 0, slope0, s);
    if (island->barriers)
        along.longest = trxi_barrier_step(problem->blocks, problem->rows, island->now->place, island->block, most);
    along.full = fmin(1, along.longest);
    double alpha = along.full;
    if (!is_noise(s, slope0)) alpha = s->backtracking ? backtracking(&along) : exact(&along, slope_at(&along, alpha));
    return go(&along, alpha) ? alpha : 0;
}

double trxi_line_search_full(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    trxi_island_combine(island, s, island->now->v, 1, s->dv, island->next->v);
    trxi_balance_compute(problem, island, s, island->next);
    s->stats.line_search++;
    return trxi_island_dot(island, s, s->dv, island->next->r);
}

double trxi_line_search_within(const trxi_contact_problem *problem, trxi_island *island, double slope0, double slope1,
                               trxi_work *s)
{
    // dp and dv_c are the changes of the full step
    trxi_island_combine(island, s, island->next->p, -1, island->now->p, s->dp);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        trxi_row_work *row = &problem->rows[k];
        const double *from = row->state[island->now->place].v_c, *to = row->state[island->next->place].v_c;
        for (int a = 0; a < problem->blocks[k].n; a++) row->dv_c[a] = to[a] - from[a];
    }
    line along = begin(problem, island, slope0, island->next, 1, slope1, s);
    const double alpha = exact(&along, (slope){slope1, along.curvature + rows_along(&along, island->next).second});
    return go(&along, alpha) ? alpha : 0;
}
