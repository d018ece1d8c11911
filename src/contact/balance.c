// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Momentum balance r(v) = A v - p0 - J^T gamma(J v + b) (theory 2.2, 5).
//
// A is used by its group blocks, J by the columns that are not zero. The residual is measured in
// E = diag(A)^(-1/2): |E r|^2 is an energy, comparable between translations and rotations.

#include "contact/balance.h"

#include "contact/groups.h"
#include "contact/islands.h"

#include <float.h>
#include <string.h>

void trxi_balance_collect(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    const int *members = s->members + island->first_group;
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[members[k]];
        memset(s->j + group->v, 0, (size_t)group->nv * sizeof *s->j);
    }
    for (int i = island->block; i >= 0; i = problem->blocks[i].next) {
        const trxi_row_block *b = &problem->blocks[i];
        if (b->gamma[0] != 0 || b->gamma[1] != 0 || b->gamma[2] != 0) trxi_row_apply(b, b->gamma, s->j);
    }
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[members[k]];
        for (int i = group->v; i < group->v + group->nv; i++) s->r[i] = s->p[i] - problem->p0[i] - s->j[i];
    }
    island->factored = false;
}

void trxi_balance_compute(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    trxi_island_mass(problem, island, s, s->v, s->p);
    for (int i = island->block; i >= 0; i = problem->blocks[i].next) {
        trxi_row_block *b = &problem->blocks[i];
        for (int a = 0; a < 3; a++) b->v_c[a] = b->bias[a];
        trxi_row_project(b, s->v, b->v_c);
        trxi_row_impulse(b, problem->law.dt, b->v_c, b->gamma, &b->G, &b->branch);
    }
    trxi_balance_collect(problem, island, s);
}

// |A||v| + |p0| of one group
static void smooth_bound(const trxi_contact_problem *problem, const trxi_group *group, const double *v, double *bound)
{
    for (int i = group->v; i < group->v + group->nv; i++) bound[i] = fabs(problem->p0[i]);
    trxi_group_add_bound(problem, group, v, bound);
}

// |J|^T (|gamma| + |G|(|J||v| + |b|) + offset)
static void add_row_bound(const trxi_row_block *b, double dt, const double *v, double *bound)
{
    const trxi_sym3 *G = &b->G, size = {G->xx, fabs(G->xy), G->yy, fabs(G->xn), fabs(G->yn), G->nn};
    double u[3] = {fabs(b->bias[0]), fabs(b->bias[1]), fabs(b->bias[2])}, f[3];
    for (int i = 0; i < b->ncol; i++)
        for (int a = 0; a < b->n; a++) u[a] += fabs(b->J[b->n * i + a] * v[b->cols[i]]);
    trxi_row_product(b, &size, u, f);
    for (int a = 0; a < b->n; a++) f[a] += fabs(b->gamma[a]);
    if (b->law->offset && G->xx > 0) f[0] += b->law->offset(b, dt);
    for (int i = 0; i < b->ncol; i++)
        for (int a = 0; a < b->n; a++) bound[b->cols[i]] += fabs(b->J[b->n * i + a]) * f[a];
}

// |A||v| + |p0| + |J|^T (|gamma| + |G|(|J||v| + |b|)): what rounding can do to each entry of r, in units of eps
static void rounding_bound(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s)
{
    for (int k = 0; k < island->ngroup; k++)
        smooth_bound(problem, &s->groups[s->members[island->first_group + k]], s->v, s->bound);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        add_row_bound(&problem->blocks[k], problem->law.dt, s->v, s->bound);
}

// squared norms of r, p, j and of the bound over one group, scaled by E
typedef struct norms {
    double r, p, j, bound;
} norms;

static const double absolute = 1e-14; // residuals below are nothing [sqrt J]

static bool passes(const norms *group, double tolerance)
{
    return sqrt(group->r) <= absolute + tolerance * sqrt(fmax(group->p, group->j));
}

static norms scaled_norms(const trxi_group *group, const trxi_work *s, bool with_bound)
{
    norms sum = {0, 0, 0, 0};
    for (int i = group->v; i < group->v + group->nv; i++) {
        const double e2 = s->E2[i];
        sum.r += e2 * s->r[i] * s->r[i];
        sum.p += e2 * s->p[i] * s->p[i];
        sum.j += e2 * s->j[i] * s->j[i];
        if (with_bound) sum.bound += e2 * s->bound[i] * s->bound[i];
    }
    return sum;
}

// true when every group's residual passes the relative tolerance or is rounding; fills the floor of the statistics
static bool is_at_rounding(const trxi_contact_problem *problem, const trxi_island *island, double tolerance, trxi_work *s)
{
    bool all = true;
    double bounds = 0;
    rounding_bound(problem, island, s);
    for (int k = 0; k < island->ngroup; k++) {
        norms group = scaled_norms(&s->groups[s->members[island->first_group + k]], s, true);
        double residual = sqrt(group.r);
        all = all && (passes(&group, tolerance) || residual <= 4 * DBL_EPSILON * sqrt(group.bound));
        bounds += group.bound;
    }
    s->stats.floor = 4 * DBL_EPSILON * sqrt(bounds);
    return all;
}

bool trxi_balance_converged(const trxi_contact_problem *problem, const trxi_island *island, double tolerance,
                            trxi_work *s, bool *at_floor)
{
    bool within = true;
    double residuals = 0, scales = 0, worst = 0; // sums of squares, largest ratio
    for (int k = 0; k < island->ngroup; k++) {
        norms group = scaled_norms(&s->groups[s->members[island->first_group + k]], s, false);
        const double scale = fmax(group.p, group.j);
        within = within && passes(&group, tolerance);
        residuals += group.r, scales += scale;
        if (group.r > absolute * absolute) worst = fmax(worst, group.r / scale);
    }

    // groups that are all within the tolerance are so together
    const double before = s->stats.residual;
    s->stats.residual = sqrt(residuals);
    s->stats.scale = sqrt(scales);
    s->stats.floor = 0;
    s->stats.relative = sqrt(worst);

    // the bound costs as much as the residual: not while that falls, unless it is tiny; in a solve that drags on always
    const double worth = s->thorough ? INFINITY : s->stats.residual < 0.1 * before ? 1e-9 : trxi_rounding_share;
    bool rounding = !within && s->stats.residual < worth * s->stats.scale &&
                    is_at_rounding(problem, island, tolerance, s);
    *at_floor = rounding;
    return within || rounding;
}
