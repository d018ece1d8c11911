// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the theta schemes (theory 6); twin of two_stage.c. The residual of stage 2 and its change, with v* and q_th
// functions of the state before:
//
//     r(v) = A(q_th) (v - v*) - J(q0)^T gamma
//     dr   = R dq_th - A dv* - d(J^T gamma) at fixed A      R = d(M(q_th) (v - v*))/dq_th + terms of laws that depend on A
//     dv*  = -N^-1 dm,       dq_th = T dq0 + dt th S (th_vq dv* + (1 - th_vq) dv0)
//
// where dm is the change of m at fixed v. Together, dr = carry dm + R (T dq0 + dt th (1 - th_vq) S dv0) - d(J^T gamma)
// with carry as in step_deriv.h, and
//
//     dm/dq0 = dm/dq_th T        dm/dv0 = -M + (1 - th) dm/dv_th + dt th (1 - th_vq) dm/dq_th S
//
// T = S = 1 except for balls: T = Exp(-dt th w), S = Jr(dt th w), w = the ball's part of v_vq at v*.

#include "step/integrate.h"
#include "step/drag.h"
#include "step/loads.h"
#include "step/sim.h"
#include "step/step_deriv.h"

#include "math/dense.h"
#include "math/lu.h"
#include "math/rotation.h"

#include <string.h>

typedef enum tangent_map { TRANSPORT, INCREMENT } tangent_map; // T, S

// Y += scale X T or scale X S for the columns of one tree; X, Y: rows x tree->nv
static void add_mapped(const trxi_input *in, const trxi_smooth *smooth, const trxi_tree *tree, tangent_map map, double scale,
                       int rows, const double *X, double *Y, int ld)
{
    for (int l = tree->first_link; l < tree->first_link + tree->nlink; l++) {
        const trxi_link *link = &in->model->links[l];
        const double *x = X + (link->v - tree->v) * ld;
        double *y = Y + (link->v - tree->v) * ld, maps[2][9];
        if (link->type != TRXI_BALL) {
            for (int i = 0; i < link->nv; i++) trxi_axpy(rows, scale, x + i * ld, y + i * ld);
            continue;
        }
        trxi_step_ball_maps(in, link, in->th * in->settings.time_step, smooth->stage.v, maps[TRANSPORT], maps[INCREMENT]);
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++) trxi_axpy(rows, scale * maps[map][a + 3 * b], x + a * ld, y + b * ld);
    }
}

// Y += scale X for a symmetric block X, given by its lower triangle
static void add_symmetric(const trxi_tree *tree, double scale, const double *X, double *Y, int ld)
{
    for (int j = 0; j < tree->nv; j++)
        for (int i = 0; i < tree->nv; i++) Y[i + j * ld] += scale * (i < j ? X[j + i * tree->nv] : X[i + j * tree->nv]);
}

// adds dm/dq_th of springs and dm/dv_th of dampers
static void add_springs(const trxi_input *in, trxi_smooth *smooth)
{
    const trx_model *model = in->model;
    trxi_stage *s = &smooth->stage;
    const double dt = in->settings.time_step;
    for (int i = 0; i < model->nv; i++) s->m_vth[model->column[i] + i] += dt * model->damping[i];
    for (int l = 0; l < model->nlink && model->has_springs; l++) {
        const trxi_link *link = &model->links[l];
        if (link->type != TRXI_BALL) {
            for (int i = link->v; i < link->v + link->nv; i++) s->m_qth[model->column[i] + i] += dt * model->stiffness[i];
            continue;
        }
        double j[9];
        trxi_right_jacobian_inverse(s->spring + link->v, j);
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++)
                s->m_qth[model->column[link->v + b] + link->v + a] += dt * model->stiffness[link->v] * j[a + 3 * b];
    }
}

bool trxi_stage_jacobian(const trxi_input *in, trxi_smooth *smooth, int *tree)
{
    const trx_model *model = in->model;
    trxi_stage *s = &smooth->stage;
    const double dt = in->settings.time_step, th = in->th;
    trxi_mass_blocks(model, &s->kin, smooth->composite, smooth->M);
    memset(s->m_qth, 0, (size_t)model->nblock * sizeof *s->m_qth);
    memset(s->m_vth, 0, (size_t)model->nblock * sizeof *s->m_vth);
    trxi_inverse_dynamics_deriv_blocks(model, &s->kin, &s->rnea, model->column, s->m_qth, s->m_vth);
    for (int i = 0; i < model->nblock; i++) s->m_qth[i] *= dt, s->m_vth[i] *= dt;
    add_springs(in, smooth);
    if (model->nload) trxi_step_loads_deriv(in, &s->kin, model->column, s->m_qth);
    if (model->ndrag) trxi_step_drag_deriv(in, &s->kin, s->rnea.V, model->column, s->m_qth, s->m_vth);
    for (int t = 0; t < model->ntree; t++) {
        const trxi_tree *part = &model->trees[t];
        const int n = part->nv;
        double *N = s->N + part->block;
        *tree = t;
        for (int i = 0; i < n; i++)
            if (!(smooth->M[part->block + i * (n + 1)] > 0)) return false;
        for (int i = 0; i < n * n; i++) N[i] = th * s->m_vth[part->block + i];
        add_symmetric(part, 1, smooth->M + part->block, N, n);
        add_mapped(in, smooth, part, INCREMENT, dt * th * in->th_vq, n, s->m_qth + part->block, N, n);
        if (!trxi_lu(n, N, n, NULL, s->pivots + part->v)) return false;
    }
    return true;
}

// R += sign dID/dq(q_th, 0, a)
static void add_inertial(const trxi_solved *step, const trxi_derivatives *deriv, double sign, const double *a)
{
    const trx_model *model = step->in->model;
    trxi_stage *s = &step->smooth->stage;
    memset(s->trial, 0, (size_t)model->nv * sizeof *s->trial);
    trxi_inverse_dynamics(model, &s->kin, s->trial, a, &s->rnea, s->m);
    memset(s->m_q0, 0, (size_t)model->nblock * sizeof *s->m_q0);
    memset(s->m_v0, 0, (size_t)model->nblock * sizeof *s->m_v0);
    trxi_inverse_dynamics_deriv_blocks(model, &s->kin, &s->rnea, model->column, s->m_q0, s->m_v0);
    for (int j = 0; j < model->nv; j++) {
        const trxi_tree *tree = &model->trees[model->dof_tree[j]];
        for (int i = tree->v; i < tree->v + tree->nv; i++) {
            deriv->R[step->places.groups[j] + i] += sign * s->m_q0[model->column[j] + i];
        }
    }
}

trx_status trxi_stage_begin_deriv(const trxi_solved *step, trxi_derivatives *deriv)
{
    const trx_model *model = step->in->model;
    trxi_stage *s = &step->smooth->stage;
    const size_t square = trxi_coupled_size(step->solver);
    memset(deriv->rq, 0, square * sizeof *deriv->rq);
    memset(deriv->rv, 0, square * sizeof *deriv->rv);
    memset(deriv->R, 0, square * sizeof *deriv->R);
    trxi_stage_evaluate(step->in, step->smooth, s->v);
    int tree;
    if (!trxi_stage_jacobian(step->in, step->smooth, &tree))
        return trxi_fail(step->in->context, TRX_ERR_ILL_CONDITIONED, "derivatives: the motion without contact is singular");

    // d(M (v - v*)): inverse dynamics at rest minus inverse dynamics of gravity
    for (int i = 0; i < model->nv; i++) s->accel[i] = step->solver->v[i] - s->v[i];
    add_inertial(step, deriv, 1, s->accel);
    add_inertial(step, deriv, -1, NULL);
    return TRX_OK;
}

static void finish_tree(const trxi_solved *step, trxi_derivatives *deriv, const trxi_tree *tree)
{
    trxi_stage *s = &step->smooth->stage;
    const int rows = trxi_coupled_rows(step->solver, tree->v), n = tree->nv;
    const double dt = step->in->settings.time_step, th = step->in->th, th_vq = step->in->th_vq;
    const ptrdiff_t first = step->places.columns[tree->v];
    const size_t block = (size_t)n * (size_t)n;
    const double *m_qth = s->m_qth + tree->block, *R = deriv->R + first;
    double *m_q0 = s->m_q0 + tree->block, *m_v0 = s->m_v0 + tree->block, *carry = deriv->carry + first;

    // dm/dq0, dm/dv0
    memset(m_q0, 0, block * sizeof *m_q0);
    add_mapped(step->in, step->smooth, tree, TRANSPORT, 1, n, m_qth, m_q0, n);
    for (size_t i = 0; i < block; i++) m_v0[i] = (1 - th) * s->m_vth[(size_t)tree->block + i];
    add_symmetric(tree, -1, step->smooth->M + tree->block, m_v0, n);
    add_mapped(step->in, step->smooth, tree, INCREMENT, dt * th * (1 - th_vq), n, m_qth, m_v0, n);

    // carry = (A - dt th th_vq R S) N^-1
    memset(carry, 0, (size_t)n * (size_t)rows * sizeof *carry);
    add_mapped(step->in, step->smooth, tree, INCREMENT, -dt * th * th_vq, rows, R, carry, rows);
    add_symmetric(tree, 1, step->smooth->A + tree->block, carry + step->places.rows[tree->v], rows);
    trxi_lu_solve_right(n, s->N + tree->block, n, s->pivots + tree->v, rows, carry, rows);

    // rq += R T + carry dm/dq0, rv += dt th (1 - th_vq) R S + carry dm/dv0
    add_mapped(step->in, step->smooth, tree, TRANSPORT, 1, rows, R, deriv->rq + first, rows);
    add_mapped(step->in, step->smooth, tree, INCREMENT, dt * th * (1 - th_vq), rows, R, deriv->rv + first, rows);
    trxi_gemm(rows, n, n, 1, carry, rows, m_q0, n, 1, deriv->rq + first, rows);
    trxi_gemm(rows, n, n, 1, carry, rows, m_v0, n, 1, deriv->rv + first, rows);
}

void trxi_stage_finish_deriv(const trxi_solved *step, trxi_derivatives *deriv)
{
    for (int t = 0; t < step->in->model->ntree; t++) finish_tree(step, deriv, &step->in->model->trees[t]);
}

void trxi_stage_carry(const trxi_solved *step, const trxi_derivatives *deriv, const double *in, double *out)
{
    trxi_coupled_product(step->solver, false, 1, deriv->carry, in, 0, out);
}

void trxi_stage_carry_t(const trxi_solved *step, const trxi_derivatives *deriv, const double *in, double *out)
{
    trxi_coupled_product(step->solver, true, 1, deriv->carry, in, 0, out);
}
