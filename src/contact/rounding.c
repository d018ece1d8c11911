// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The test for the end of a solve, and the rounding bound (theory 5, points 1 and 4). E = diag(A)^(-1/2) scales the residual:
// |E r|^2 is an energy, comparable between translations and rotations. Every group of an island has its own scale,
// max(|E p|, |E j|). A group is solved when its residual over this scale is below the tolerance, or when |E r| is below the bound
//
//     4 eps | E (|A||v| + |p0| + |J|^T (|gamma| + |G|(|J||v| + |b|) + offset)) |

#include "contact/rounding.h"

#include "contact/balance.h"
#include "contact/islands.h"

#include <float.h>

// Residuals below this value count as zero [sqrt J].
static const double absolute = 1e-14;

// The bound costs as much as a residual. While residuals fall by a factor of 10, only tiny residuals need the bound. A residual
// that falls slower needs the bound as soon as its share of the scale may be rounding.
static const double fall = 0.1, tiny = 1e-9;

// After this many iterations the bound is always computed: the contacts are stiff, and their round-off floor is high.
enum { THOROUGH_ITERATIONS = 10 };

// A residual below this share of the scale that does not halve in STUCK iterations counts as rounding, whatever the bound.
static const double stuck_share = 1e-10;
enum { STUCK = 4 };

// |A||v| + |p0| of one group
static void smooth_bound(const trxi_contact_problem *problem, const trxi_group *group, const double *v, double *bound)
{
    for (int i = group->v; i < group->v + group->nv; i++) bound[i] = fabs(problem->p0[i]);
    trxi_group_add_bound(problem, group, v, bound);
}

// |J|^T (|gamma| + |G|(|J||v| + |b|) + offset) of a block of n rows
static inline void add_rows_bound(const trxi_row_block *b, int n, const trxi_row_state *at, double dt, const double *v,
                                  double *bound)
{
    const trxi_sym3 *G = &at->G, size = {G->xx, fabs(G->xy), G->yy, fabs(G->xn), fabs(G->yn), G->nn};
    double u[3] = {fabs(b->bias[0]), fabs(b->bias[1]), fabs(b->bias[2])}, f[3];
    for (int i = 0; i < b->ncol; i++)
        for (int a = 0; a < n; a++) u[a] += fabs(b->J[n * i + a] * v[b->cols[i]]);
    trxi_row_product(b, &size, u, f);
    for (int a = 0; a < n; a++) f[a] += fabs(at->gamma[a]);
    if (b->law->offset) b->law->offset(b, dt, at, f);
    for (int i = 0; i < b->ncol; i++)
        for (int a = 0; a < n; a++) bound[b->cols[i]] += fabs(b->J[n * i + a]) * f[a];
}

// the compiler unrolls the loops over a number of rows that it knows
static void add_row_bound(const trxi_row_block *b, const trxi_row_state *at, double dt, const double *v, double *bound)
{
    if (b->n == 1) add_rows_bound(b, 1, at, dt, v, bound);
    else add_rows_bound(b, 3, at, dt, v, bound);
}

// |A||v| + |p0| + |J|^T (|gamma| + |G|(|J||v| + |b|) + offset): rounding error of each entry of r, in units of eps
static void rounding_bound(const trxi_contact_problem *problem, const trxi_island *island, const trxi_iterate *x, trxi_work *s)
{
    for (int k = 0; k < island->ngroup; k++)
        smooth_bound(problem, &s->groups[s->members[island->first_group + k]], x->v, s->bound);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        add_row_bound(&problem->blocks[k], TRXI_STATE(problem, x, k), problem->law.dt, x->v, s->bound);
}

// squared norms of r, p, j and of the bound over one group, scaled by E
typedef struct norms {
    double r, p, j, bound;
} norms;

static norms scaled_norms(const trxi_group *group, const trxi_work *s, const trxi_iterate *x, bool with_bound)
{
    norms sum = {0, 0, 0, 0};
    for (int i = group->v; i < group->v + group->nv; i++) {
        const double e2 = s->E2[i];
        sum.r += e2 * x->r[i] * x->r[i];
        sum.p += e2 * x->p[i] * x->p[i];
        sum.j += e2 * x->j[i] * x->j[i];
        if (with_bound) sum.bound += e2 * s->bound[i] * s->bound[i];
    }
    return sum;
}

static bool passes(const norms *group, double tolerance)
{
    return sqrt(group->r) <= absolute + tolerance * sqrt(fmax(group->p, group->j));
}

// true when every group's residual passes the relative tolerance or is rounding
static bool is_at_rounding(const trxi_contact_problem *problem, const trxi_island *island, double tolerance, const trxi_iterate *x,
                           trxi_work *s, double *floor)
{
    bool all = true;
    double bounds = 0;
    rounding_bound(problem, island, x, s);
    for (int k = 0; k < island->ngroup; k++) {
        norms group = scaled_norms(&s->groups[s->members[island->first_group + k]], s, x, true);
        all = all && (passes(&group, tolerance) || sqrt(group.r) <= 4 * DBL_EPSILON * sqrt(group.bound));
        bounds += group.bound;
    }
    *floor = 4 * DBL_EPSILON * sqrt(bounds);
    return all;
}

bool trxi_rounding_is_thorough(int iteration, int max_iterations)
{
    return iteration == max_iterations || iteration >= THOROUGH_ITERATIONS;
}

void trxi_rounding_judge(const trxi_contact_problem *problem, const trxi_island *island, double tolerance, bool thorough,
                         trxi_work *s, trxi_verdict *v)
{
    const trxi_iterate *x = island->now;
    const double before = v->residual;
    double residuals = 0, scales = 0, worst = 0; // sums of squares, largest ratio
    v->within = true;
    for (int k = 0; k < island->ngroup; k++) {
        const norms group = scaled_norms(&s->groups[s->members[island->first_group + k]], s, x, false);
        const double scale = fmax(group.p, group.j);
        v->within = v->within && passes(&group, tolerance);
        residuals += group.r, scales += scale;
        if (group.r > absolute * absolute) worst = fmax(worst, group.r / scale);
    }
    v->finite = isfinite(residuals) && isfinite(scales);
    v->residual = s->stats.residual = sqrt(residuals);
    v->scale = s->stats.scale = sqrt(scales);
    v->floor = 0;

    const double worth = thorough ? INFINITY : v->residual < fall * before ? tiny : trxi_rounding_share;
    v->at_floor = !v->within && v->residual < worth * v->scale && is_at_rounding(problem, island, tolerance, x, s, &v->floor);
    v->settled = v->within || v->at_floor;
    s->stats.floor = v->floor, s->stats.relative = sqrt(worst);
}

bool trxi_rounding_may_be(const trxi_verdict *v, double tolerance)
{
    return tolerance > 0 && v->floor == 0 && v->residual < trxi_rounding_share * v->scale;
}

bool trxi_rounding_is_stuck(const trxi_verdict *v, int iterations)
{
    return iterations >= STUCK && v->residual <= stuck_share * v->scale;
}
