// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Momentum balance r(v) = A v - p0 - J^T gamma(J v) and H = dr/dv = A + J^T G J (theory 2.2, 5).
//
// A is used by its tree blocks, J by the columns that are not zero. The residual is measured in
// E = diag(A)^(-1/2): |E r|^2 is an energy, comparable between translations and rotations.

#include "contact/balance.h"

#include "math/dense.h"

#include <float.h>
#include <string.h>

// out = J x for one contact
static void relative_velocity(const trxi_contact *c, const double *x, double out[3])
{
    double a = 0, b = 0, n = 0;
    for (int i = 0; i < c->ncol; i++) {
        double value = x[c->cols[i]];
        a += c->J[3 * i] * value;
        b += c->J[3 * i + 1] * value;
        n += c->J[3 * i + 2] * value;
    }
    out[0] = a, out[1] = b, out[2] = n;
}

static void evaluate_contact(const trxi_contact_problem *problem, trxi_contact *c, const double *v, double *j)
{
    relative_velocity(c, v, c->v_c);
    trxi_contact_impulse(c, problem->dt, c->v_c, c->gamma, &c->G, &c->branch);
    for (int i = 0; i < c->ncol; i++) {
        const double *column = c->J + 3 * i;
        j[c->cols[i]] += column[0] * c->gamma[0] + column[1] * c->gamma[1] + column[2] * c->gamma[2];
    }
}

static void evaluate_scalar(const trxi_contact_problem *problem, trxi_scalar *row, const double *v, double *j)
{
    double v_c = 0;
    for (int i = 0; i < row->ncol; i++) v_c += row->J[i] * v[row->cols[i]];
    row->v_c = v_c;
    trxi_scalar_impulse(row, problem->dt, v_c, &row->gamma, &row->G, &row->branch);
    for (int i = 0; i < row->ncol; i++) j[row->cols[i]] += row->J[i] * row->gamma;
}

void trxi_balance_compute(const trxi_contact_problem *problem, trxi_solver *s)
{
    const trx_model *model = problem->model;
    const int nv = model->nv;
    for (int t = 0; t < model->ntree; t++) {
        int first = model->trees[t].v;
        trxi_symv(model->trees[t].nv, problem->A + first + first * nv, nv, s->v + first, s->p + first);
    }
    memset(s->j, 0, (size_t)nv * sizeof *s->j);
    for (int i = 0; i < problem->ncontact; i++) evaluate_contact(problem, problem->contacts + i, s->v, s->j);
    for (int i = 0; i < problem->nscalar; i++) evaluate_scalar(problem, problem->scalars + i, s->v, s->j);
    for (int i = 0; i < nv; i++) s->r[i] = s->p[i] - problem->p0[i] - s->j[i];
    s->factored = false;
}

// |A||v| + |p0| + |J|^T (|gamma| + |G||J||v|): what rounding can do to each entry of r, in units of eps
static void rounding_bound(const trxi_contact_problem *problem, trxi_solver *s)
{
    const trx_model *model = problem->model;
    const int nv = model->nv;
    for (int i = 0; i < nv; i++) s->bound[i] = fabs(problem->p0[i]);
    for (int t = 0; t < model->ntree; t++)
        for (int c = model->trees[t].v, end = c + model->trees[t].nv; c < end; c++) {
            s->bound[c] += fabs(problem->A[c + c * nv] * s->v[c]);
            for (int i = c + 1; i < end; i++) {
                double a = fabs(problem->A[i + c * nv]);
                s->bound[i] += a * fabs(s->v[c]);
                s->bound[c] += a * fabs(s->v[i]);
            }
        }
    for (int k = 0; k < problem->ncontact; k++) {
        const trxi_contact *c = problem->contacts + k;
        double u[3] = {0, 0, 0};
        for (int i = 0; i < c->ncol; i++)
            for (int a = 0; a < 3; a++) u[a] += fabs(c->J[3 * i + a] * s->v[c->cols[i]]);
        const double f[3] = {
            fabs(c->gamma[0]) + c->G.xx * u[0] + fabs(c->G.xy) * u[1] + fabs(c->G.xn) * u[2],
            fabs(c->gamma[1]) + fabs(c->G.xy) * u[0] + c->G.yy * u[1] + fabs(c->G.yn) * u[2],
            fabs(c->gamma[2]) + fabs(c->G.xn) * u[0] + fabs(c->G.yn) * u[1] + c->G.nn * u[2]};
        for (int i = 0; i < c->ncol; i++)
            for (int a = 0; a < 3; a++) s->bound[c->cols[i]] += fabs(c->J[3 * i + a]) * f[a];
    }
    for (int k = 0; k < problem->nscalar; k++) {
        const trxi_scalar *row = problem->scalars + k;
        double u = 0;
        for (int i = 0; i < row->ncol; i++) u += fabs(row->J[i] * s->v[row->cols[i]]);
        double wanted = row->kind == TRXI_DRIVE ? fabs(row->f0) * problem->dt : fabs(row->v_hat) * row->G;
        double f = fabs(row->gamma) + u * row->G + (row->G > 0 ? wanted : 0);
        for (int i = 0; i < row->ncol; i++) s->bound[row->cols[i]] += fabs(row->J[i]) * f;
    }
}

// squared norms of r, p, j and of the bound over one tree, scaled by E
typedef struct norms {
    double r, p, j, bound;
} norms;

static norms scaled_norms(const trxi_tree *tree, const trxi_solver *s, bool with_bound)
{
    norms sum = {0, 0, 0, 0};
    for (int i = tree->v; i < tree->v + tree->nv; i++) {
        double e2 = s->E[i] * s->E[i];
        sum.r += e2 * s->r[i] * s->r[i];
        sum.p += e2 * s->p[i] * s->p[i];
        sum.j += e2 * s->j[i] * s->j[i];
        if (with_bound) sum.bound += e2 * s->bound[i] * s->bound[i];
    }
    return sum;
}

bool trxi_balance_converged(const trxi_contact_problem *problem, double tolerance, trxi_solver *s, bool *at_floor)
{
    static const double absolute = 1e-14;
    const trx_model *model = problem->model;
    bool within = true, at_rounding = true, bounded = false;
    norms total = {0, 0, 0, 0};
    for (int t = 0; t < model->ntree; t++) {
        norms tree = scaled_norms(&model->trees[t], s, bounded);
        double residual = sqrt(tree.r), scale = sqrt(fmax(tree.p, tree.j));
        bool passes = residual <= absolute + tolerance * scale;

        // the bound costs as much as the residual: only when a tree needs it, then for all of them
        if (!passes && !bounded) {
            rounding_bound(problem, s);
            bounded = true;
            tree = scaled_norms(&model->trees[t], s, true);
        }
        within = within && passes;
        at_rounding = at_rounding && (passes || residual <= 4 * DBL_EPSILON * sqrt(tree.bound));
        total = (norms){total.r + tree.r, total.p + tree.p, total.j + tree.j, total.bound + tree.bound};
    }
    s->stats.residual = sqrt(total.r);
    s->stats.scale = sqrt(fmax(total.p, total.j));
    s->stats.floor = 4 * DBL_EPSILON * sqrt(total.bound);
    *at_floor = !within && at_rounding;
    return at_rounding;
}

// H += J^T G J for one contact, lower triangle
static void add_contact(const trxi_contact *c, int nv, double *GJ, double *H)
{
    const trxi_sym3 *G = &c->G;
    if (c->branch == 0 && G->xx == 0 && G->nn == 0) return;
    for (int i = 0; i < c->ncol; i++) {
        const double *J = c->J + 3 * i;
        GJ[3 * i] = G->xx * J[0] + G->xy * J[1] + G->xn * J[2];
        GJ[3 * i + 1] = G->xy * J[0] + G->yy * J[1] + G->yn * J[2];
        GJ[3 * i + 2] = G->xn * J[0] + G->yn * J[1] + G->nn * J[2];
    }
    for (int i = 0; i < c->ncol; i++) {
        double *column = H + (size_t)c->cols[i] * (size_t)nv;
        const double a = GJ[3 * i], b = GJ[3 * i + 1], n = GJ[3 * i + 2];
        for (int k = i; k < c->ncol; k++)
            column[c->cols[k]] += c->J[3 * k] * a + c->J[3 * k + 1] * b + c->J[3 * k + 2] * n;
    }
}

static void add_scalar(const trxi_scalar *row, int nv, double *H)
{
    if (row->G == 0) return;
    for (int i = 0; i < row->ncol; i++) {
        double *column = H + (size_t)row->cols[i] * (size_t)nv, value = row->G * row->J[i];
        for (int k = i; k < row->ncol; k++) column[row->cols[k]] += row->J[k] * value;
    }
}

void trxi_balance_hessian(const trxi_contact_problem *problem, trxi_solver *s)
{
    const int nv = problem->model->nv;
    memcpy(s->H, problem->A, (size_t)nv * (size_t)nv * sizeof *s->H);
    for (int i = 0; i < problem->ncontact; i++) add_contact(problem->contacts + i, nv, s->GJ, s->H);
    for (int i = 0; i < problem->nscalar; i++) add_scalar(problem->scalars + i, nv, s->H);
}
