// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A function of a term's residual with the quadratic model 1/2 sum_i c_i e_i^2 adds to the expansion of a knot (theory 7),
// with the Jacobian R of the residual,
//
//     l_x += R^T C e          l_xx += R^T C R          C = diag(c)
//
// R is never formed as a whole: a coordinate touches its own diagonal entry, the difference of a ball joint a
// 3 x 3 block, a spatial term the columns on the path of its link. Dense terms also add R_x^T C R_u to l_xu.

#include "trajopt/term_expansion.h"

#include "math/dense.h"
#include "math/rotation.h"

// adds gradient and diagonal entry of residual components that are single coordinates, first + at[i] or first + i
static void add_coordinates(int count, const int *at, int first, const double *e, const double *c, int ld,
                            double *l, double *l_2)
{
    for (int i = 0; i < count; i++) {
        const int index = first + (at ? at[i] : i);
        l[index] += c[i] * e[i];
        l_2[index + index * ld] += c[i];
    }
}

// adds R^T C e and the lower triangle of R^T C R of a residual of up to 3 rows over n columns at `columns`, shifted by `offset`
static void add_block(int rows, const double *e, const double *c, int n, const double *J, const int *columns,
                      int offset, int ld, double *l_x, double *l_xx)
{
    for (int j = 0; j < n; j++) {
        double weighted[3] = {0, 0, 0};
        int column = offset + columns[j];
        for (int i = 0; i < rows; i++) {
            weighted[i] = c[i] * J[i + 3 * j];
            l_x[column] += weighted[i] * e[i];
        }
        for (int i = j; i < n; i++) l_xx[offset + columns[i] + column * ld] += trxi_dot3(weighted, J + 3 * i);
    }
}

// adds R_v^T C R_q: rows in v, columns in q, all below the diagonal
static void add_cross_block(const double *c, int n, const double *J_q, const double *J_v, const int *columns,
                            int nv, int ld, double *l_xx)
{
    for (int j = 0; j < n; j++) {
        double weighted[3];
        for (int i = 0; i < 3; i++) weighted[i] = c[i] * J_q[i + 3 * j];
        for (int i = 0; i < n; i++) l_xx[nv + columns[i] + columns[j] * ld] += trxi_dot3(weighted, J_v + 3 * i);
    }
}

static void expand_spatial(const trx_model *model, const trxi_term *term, trxi_term_work *work, const double *r,
                           const double *e, const double *c, const trxi_expansion *out)
{
    const int nv = model->nv, ld = model->ntangent;
    trxi_term_spatial_jacobian(model, term, work, r);
    add_block(term->dim, e, c, work->ndof, work->J_q, work->dofs, 0, ld, out->l_x, out->l_xx);
    if (!trxi_quantity_is(term->quantity, TRXI_RATE)) return;
    add_block(term->dim, e, c, work->ndof, work->J_v, work->dofs, nv, ld, out->l_x, out->l_xx);
    add_cross_block(c, work->ndof, work->J_q, work->J_v, work->dofs, nv, ld, out->l_xx);
}

// q (-) target: the identity, and Jr^-1 of the difference on balls
static void expand_position(const trx_model *model, const double *r, const double *e, const double *c,
                            const trxi_expansion *out)
{
    const int ld = model->ntangent;
    for (int k = 0; k < model->nlink; k++) {
        const trxi_link *link = &model->links[k];
        const int v = link->v;
        if (link->type == TRXI_BALL) {
            const int columns[3] = {v, v + 1, v + 2};
            double inverse[9];
            trxi_right_jacobian_inverse(r + v, inverse);
            add_block(3, e + v, c + v, 3, inverse, columns, 0, ld, out->l_x, out->l_xx);
        } else {
            add_coordinates(link->nv, NULL, v, e + v, c + v, ld, out->l_x, out->l_xx);
        }
    }
}

// adds J^T C e and the lower triangle of J^T C J of a full Jacobian
static void add_dense(int rows, const double *e, const double *c, int n, const double *J, double *l, double *l_2)
{
    for (int j = 0; j < n; j++) {
        for (int a = 0; a < rows; a++) l[j] += c[a] * J[a + rows * j] * e[a];
        for (int i = j; i < n; i++)
            for (int a = 0; a < rows; a++) l_2[i + n * j] += c[a] * J[a + rows * i] * J[a + rows * j];
    }
}

static void expand_dense(const trx_model *model, const trxi_term *term, trxi_term_work *work, const double *x, const double *u,
                         const double *e, const double *c, const trxi_expansion *out)
{
    const int nx = model->ntangent, nu = model->nu, rows = term->dim;
    trxi_term_dense_jacobian(model, term, work, x, u);
    add_dense(rows, e, c, nx, work->r_x, out->l_x, out->l_xx);
    if (!u) return;
    add_dense(rows, e, c, nu, work->r_u, out->l_u, out->l_uu);
    for (int j = 0; out->l_xu && j < nu; j++)
        for (int i = 0; i < nx; i++)
            for (int a = 0; a < rows; a++) out->l_xu[i + nx * j] += c[a] * work->r_x[a + rows * i] * work->r_u[a + rows * j];
}

// adds the part of this knot's controls, and the numbers from which rates.c adds the part of the previous controls
static void expand_rate(const trx_model *model, const trxi_term_work *work, const double *e, const double *c,
                        const trxi_expansion *out)
{
    const double rate = 1 / work->time_step;
    for (int i = 0; work->u_before && i < model->nu; i++) {
        const double slope = c[i] * e[i] * rate, curvature = c[i] * rate * rate;
        out->l_u[i] += slope;
        out->l_uu[i * (model->nu + 1)] += curvature;
        if (!out->rate_slope) continue;
        out->rate_slope[i] += slope;
        out->rate_curvature[i] += curvature;
    }
}

void trxi_term_expand(const trx_model *model, const trxi_term *term, trxi_term_work *work, const double *x, const double *u,
                      const double *r, const double *e, const double *c, const trxi_expansion *out)
{
    const int nv = model->nv, ld = model->ntangent, dim = term->dim;
    switch (term->quantity) {
    case TRX_JOINT_POSITION:
        add_coordinates(dim, term->v_index, 0, e, c, ld, out->l_x, out->l_xx);
        return;
    case TRX_JOINT_VELOCITY:
        add_coordinates(dim, term->v_index, nv, e, c, ld, out->l_x, out->l_xx);
        return;
    case TRX_POSITION: expand_position(model, r, e, c, out); return;
    case TRX_VELOCITY: add_coordinates(dim, NULL, nv, e, c, ld, out->l_x, out->l_xx); return;
    case TRX_CONTROL: add_coordinates(dim, NULL, 0, e, c, model->nu, out->l_u, out->l_uu); return;
    case TRX_CONTROL_RATE: expand_rate(model, work, e, c, out); return;
    case TRX_USER:
    case TRX_CONTACT_FORCE: expand_dense(model, term, work, x, u, e, c, out); return;
    default: expand_spatial(model, term, work, r, e, c, out);
    }
}
