// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Exact line search. Along v + alpha dv the objective has the slope and curvature
//
//     l'(alpha)  = dv.r + alpha dv.dp - sum dv_c . (gamma(v_c + alpha dv_c) - gamma(v_c))
//     l''(alpha) = dv.dp + sum dv_c . G dv_c                                         (theory 5, point 3)
//
// l' is monotone, costs O(contacts), and needs no value of the objective, so no law needs a potential. The full
// step is taken when it is already exact, the longest one (1.5) when the slope is still negative there; otherwise
// Newton on l' inside a bracket, with bisection whenever Newton leaves it or does not halve the last interval but one.

#include "contact/line_search.h"

#include "math/dense.h"

static const double longest = 1.5;
static const double slope_tolerance = 1e-8;
enum { MAX_EVALUATIONS = 100 };

typedef struct slope {
    double first, second; // l', l''
} slope;

static double quadratic(const trxi_sym3 *G, const double d[3])
{
    return G->xx * d[0] * d[0] + G->yy * d[1] * d[1] + G->nn * d[2] * d[2] +
           2 * (G->xy * d[0] * d[1] + G->xn * d[0] * d[2] + G->yn * d[1] * d[2]);
}

static slope slope_at(const trxi_contact_problem *problem, double slope0, double curvature0, double alpha,
                      trxi_solver *s)
{
    slope l = {slope0 + alpha * curvature0, curvature0};
    for (int i = 0; i < problem->ncontact; i++) {
        const trxi_contact *c = problem->contacts + i;
        double v_c[3], gamma[3];
        trxi_sym3 G;
        int branch;
        for (int a = 0; a < 3; a++) v_c[a] = c->v_c[a] + alpha * c->dv_c[a];
        trxi_contact_impulse(c, problem->dt, v_c, gamma, &G, &branch);
        for (int a = 0; a < 3; a++) l.first -= c->dv_c[a] * (gamma[a] - c->gamma[a]);
        l.second += quadratic(&G, c->dv_c);
    }
    for (int i = 0; i < problem->nscalar; i++) {
        const trxi_scalar *row = problem->scalars + i;
        double gamma, G;
        int branch;
        trxi_scalar_impulse(row, problem->dt, row->v_c + alpha * row->dv_c, &gamma, &G, &branch);
        l.first -= row->dv_c * (gamma - row->gamma);
        l.second += G * row->dv_c * row->dv_c;
    }
    s->stats.line_search++;
    return l;
}

static void project_direction(const trxi_contact_problem *problem, trxi_solver *s)
{
    const trx_model *model = problem->model;
    const int nv = model->nv;
    for (int t = 0; t < model->ntree; t++) {
        int first = model->trees[t].v;
        trxi_symv(model->trees[t].nv, problem->A + first + first * nv, nv, s->dv + first, s->dp + first);
    }
    for (int k = 0; k < problem->ncontact; k++) {
        trxi_contact *c = problem->contacts + k;
        c->dv_c[0] = c->dv_c[1] = c->dv_c[2] = 0;
        for (int i = 0; i < c->ncol; i++)
            for (int a = 0; a < 3; a++) c->dv_c[a] += c->J[3 * i + a] * s->dv[c->cols[i]];
    }
    for (int k = 0; k < problem->nscalar; k++) {
        trxi_scalar *row = problem->scalars + k;
        row->dv_c = 0;
        for (int i = 0; i < row->ncol; i++) row->dv_c += row->J[i] * s->dv[row->cols[i]];
    }
}

double trxi_line_search(const trxi_contact_problem *problem, double slope0, trxi_solver *s)
{
    project_direction(problem, s);

    // below round-off the slope is noise: trust the Newton step
    if (fabs(slope0) < 1e-20 * s->stats.scale * s->stats.scale) return 1;
    double curvature0 = trxi_dot(problem->model->nv, s->dv, s->dp);
    slope l = slope_at(problem, slope0, curvature0, 1, s);
    if (fabs(l.first) <= slope_tolerance * fabs(slope0)) return 1;
    if (l.first < 0 && slope_at(problem, slope0, curvature0, longest, s).first <= 0) return longest;

    // the root is in (low, high): l'(low) < 0 < l'(high)
    double low = 0, high = longest, alpha = 1, last = longest, step = longest;
    for (int i = 0; i < MAX_EVALUATIONS && fabs(l.first) > slope_tolerance * fabs(slope0); i++) {
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
        l = slope_at(problem, slope0, curvature0, alpha, s);
    }
    return alpha;
}
