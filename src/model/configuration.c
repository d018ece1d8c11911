// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Configurations and states and their tangent spaces: q (+) dq, q (-) p, x (+) dx, x (-) y (theory 1), and spring
// displacements. All numbers add, except the quaternions of balls, which are multiplied from the right by exp(dq).
//
//     x_ref (+) (z + dz) = (x_ref (+) z) (+) E dz        E = Jr(z) on the three coordinates of a ball, 1 elsewhere

#include "math/rotation.h"
#include "math/vec3.h"
#include "model/model.h"

void trx_model_neutral(const trx_model *model, double *q)
{
    for (int i = 0; i < model->nq; i++) q[i] = 0;
    for (int i = 0; i < model->nlink; i++) {
        const trxi_link *link = &model->links[i];
        if (link->type == TRXI_BALL) q[link->q] = 1;
        else if (link->nv == 1) q[link->q] = link->reference;
    }
}

void trx_model_integrate(const trx_model *model, const double *q, const double *dq, double *out)
{
    for (int i = 0; i < model->nlink; i++) {
        const trxi_link *link = &model->links[i];
        if (link->type == TRXI_BALL)
            trxi_quat_integrate(q + link->q, dq + link->v, out + link->q);
        else
            for (int k = 0; k < link->nv; k++) out[link->q + k] = q[link->q + k] + dq[link->v + k];
    }
}

void trx_model_difference(const trx_model *model, const double *q, const double *p, double *dq)
{
    for (int i = 0; i < model->nlink; i++) {
        const trxi_link *link = &model->links[i];
        if (link->type == TRXI_BALL)
            trxi_quat_difference(q + link->q, p + link->q, dq + link->v);
        else
            for (int k = 0; k < link->nv; k++) dq[link->v + k] = q[link->q + k] - p[link->q + k];
    }
}

void trx_model_integrate_state(const trx_model *model, const double *x, const double *dx, double *out)
{
    trx_model_integrate(model, x, dx, out);
    for (int i = model->nq; i < model->nstate; i++) out[i] = x[i] + dx[i - model->nq + model->nv];
}

void trx_model_difference_state(const trx_model *model, const double *x, const double *y, double *dx)
{
    trx_model_difference(model, x, y, dx);
    for (int i = model->nq; i < model->nstate; i++) dx[i - model->nq + model->nv] = x[i] - y[i];
}

void trxi_model_chart_columns(const trx_model *model, const double *z, int rows, double *M, int ldm)
{
    for (int l = 0; l < model->nlink; l++) {
        if (model->links[l].type != TRXI_BALL) continue;
        const int v = model->links[l].v;
        double Jr[9], old[3];
        trxi_right_jacobian(z + v, Jr);
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < 3; j++) old[j] = M[i + ldm * (v + j)];
            for (int j = 0; j < 3; j++) M[i + ldm * (v + j)] = trxi_dot3(old, Jr + 3 * j);
        }
    }
}

void trxi_model_spring(const trx_model *model, const double *q, double *displacement)
{
    for (int i = 0; i < model->nlink; i++) {
        const trxi_link *link = &model->links[i];
        if (link->type == TRXI_BALL)
            trxi_quat_log(q + link->q, displacement + link->v);
        else
            for (int k = 0; k < link->nv; k++)
                displacement[link->v + k] = q[link->q + k] - model->rest[link->v + k];
    }
}
