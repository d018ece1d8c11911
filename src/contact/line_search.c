// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Line search. Along v + alpha dv the objective has the slope and curvature
//
//     l'(alpha)  = dv.r + alpha dv.dp - sum dv_c . (gamma(v_c + alpha dv_c) - gamma(v_c))
//     l''(alpha) = dv.dp + sum dv_c . G dv_c                                         (theory 5, point 3)
//
// l' is monotone, costs O(contacts), and needs no value of the objective, so no law needs a potential.
//
// Where contacts have barriers a step goes no further than they allow (barrier.c).
//
// Exact, within a thousandth of the first slope (nearer roots take more slopes and save no iterations; a barrier asks for a
// nearer one): the full step is taken when its end is as near past the root, or at most a fiftieth of the first slope short of it;
// the longest one (1.5) when the slope is still negative there; otherwise Newton on l' inside a bracket, with bisection whenever
// Newton leaves it or does not halve the last interval but one.
//
// Backtracking: halve until the decrease is enough (Armijo). Because l' grows, l(b) - l(a) <= (b - a) l'(b), and two slopes
// bound the decrease without a value of l:
//
//     l(alpha) - l(0) <= alpha/2 (l'(alpha/2) + l'(alpha)) <= c alpha l'(0)

#include "contact/line_search.h"

#include "contact/barrier.h"

#include "math/dense.h"

static const double most = 1.5;
static const double slope_tolerance = 1e-3;  // of a root
static const double barrier_tolerance = 1e-8; // of one on the way into a barrier, where a coarse one is left too close
static const double short_of_root = 0.02;     // of a full step that is not past it: the objective surely falls
enum { MAX_EVALUATIONS = 100, MAX_HALVINGS = 40 };

typedef struct slope {
    double first, second; // l', l''
} slope;

static double quadratic(const trxi_sym3 *G, const double d[3])
{
    return G->xx * d[0] * d[0] + G->yy * d[1] * d[1] + G->nn * d[2] * d[2] +
           2 * (G->xy * d[0] * d[1] + G->xn * d[0] * d[2] + G->yn * d[1] * d[2]);
}

// the line: where it begins and what is constant along it
typedef struct line {
    const trxi_contact_problem *problem;
    const trxi_island *island;
    trxi_solver *s;
    double slope0, curvature0;
    double full, longest; // 1 and 1.5, or what the barriers allow
} line;

static slope slope_at(const line *along, double alpha)
{
    const trxi_contact_problem *problem = along->problem;
    slope l = {along->slope0 + alpha * along->curvature0, along->curvature0};
    for (int i = along->island->contact; i >= 0; i = problem->contacts[i].next) {
        const trxi_contact *c = problem->contacts + i;
        double v_c[3], gamma[3];
        trxi_sym3 G;
        int branch;
        for (int a = 0; a < 3; a++) v_c[a] = c->v_c[a] + alpha * c->dv_c[a];
        trxi_contact_impulse(c, problem->dt, v_c, gamma, &G, &branch);
        for (int a = 0; a < 3; a++) l.first -= c->dv_c[a] * (gamma[a] - c->gamma[a]);
        l.second += quadratic(&G, c->dv_c);
    }
    for (int i = along->island->scalar; i >= 0; i = problem->scalars[i].next) {
        const trxi_scalar *row = problem->scalars + i;
        double gamma, G;
        int branch;
        trxi_scalar_impulse(row, problem->dt, row->v_c + alpha * row->dv_c, &gamma, &G, &branch);
        l.first -= row->dv_c * (gamma - row->gamma);
        l.second += G * row->dv_c * row->dv_c;
    }
    along->s->stats.line_search++;
    return l;
}

// dp = A dv, dv_c = J dv; returns dv . dp
static double project_direction(const trxi_contact_problem *problem, const trxi_island *island, trxi_solver *s)
{
    double curvature = 0;
    for (int k = 0; k < island->ntree; k++) {
        const trxi_tree *tree = &problem->model->trees[s->trees[island->first_tree + k]];
        trxi_symv(tree->nv, problem->A + tree->block, tree->nv, s->dv + tree->v, s->dp + tree->v);
        curvature += trxi_dot(tree->nv, s->dv + tree->v, s->dp + tree->v);
    }
    for (int k = island->contact; k >= 0; k = problem->contacts[k].next) {
        trxi_contact *c = problem->contacts + k;
        c->dv_c[0] = c->dv_c[1] = c->dv_c[2] = 0;
        for (int i = 0; i < c->ncol; i++)
            for (int a = 0; a < 3; a++) c->dv_c[a] += c->J[3 * i + a] * s->dv[c->cols[i]];
    }
    for (int k = island->scalar; k >= 0; k = problem->scalars[k].next) {
        trxi_scalar *row = problem->scalars + k;
        row->dv_c = 0;
        for (int i = 0; i < row->ncol; i++) row->dv_c += row->J[i] * s->dv[row->cols[i]];
    }
    return curvature;
}

static bool is_noise(const trxi_solver *s, double slope0)
{
    return fabs(slope0) < 1e-20 * s->stats.scale * s->stats.scale;
}

bool trxi_line_search_accepts(const trxi_solver *s, double slope0, double slope1)
{
    const double size = fabs(slope0);
    if (is_noise(s, slope0)) return isfinite(slope1);
    return slope1 <= slope_tolerance * size && slope1 >= -short_of_root * size;
}

static double exact(const line *along)
{
    const double full = along->full, longest = along->longest;
    const double least = (longest < most ? barrier_tolerance : slope_tolerance) * fabs(along->slope0);
    slope l = slope_at(along, full);
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

static double backtracking(const line *along)
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

double trxi_line_search(const trxi_contact_problem *problem, const trxi_island *island, double slope0, trxi_solver *s)
{
    double curvature0 = project_direction(problem, island, s);

    const double longest = trxi_barrier_step(problem->contacts, island->contact, problem->dt, most), full = fmin(1, longest);

    if (is_noise(s, slope0)) return full;
    const line along = {problem, island, s, slope0, curvature0, full, longest};
    return s->backtracking ? backtracking(&along) : exact(&along);
}
