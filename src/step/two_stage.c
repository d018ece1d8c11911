// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Stage 1 of the theta schemes (theory 2): Newton's method on the smooth balance m(v) = 0 of every tree (two_stage_residual.c),
// with
//
//     N = dm/dv = M + th dm/dv_th + dt th th_vq dm/dq_th S,      S = Jr(dt th v_vq) of balls, else 1
//
// from v0. The derivatives of inverse dynamics give the exact N. A step is halved until it decreases the residual of its tree. A
// tree is done when a step changes its velocity by less than 1e-8 of its speed: convergence is quadratic, so the remaining error is
// rounding. All trees are evaluated together, but each tree has its own step length and its own end. The result of a tree therefore
// does not depend on the other trees.

#include "step/integrate.h"
#include "step/loads.h"
#include "step/sim.h"
#include "step/smooth.h"

#include "math/dense.h"
#include "math/lu.h"

#include <string.h>

enum { MAX_ITERATIONS = 50 };
static const double LAST_STEP = 1e-8;       // a step this small, relative to the tree's speed, is the last [1]
static const double LEAST_FRACTION = 1e-4;  // smallest tried fraction of a Newton step [1]
static const double SUFFICIENT = 1e-4;      // least decrease of the residual, as a fraction of the predicted decrease
static const double UNIT_ACCELERATION = 1;  // sets the speed scale of a tree at rest [m/s^2 or rad/s^2]

// computes |m| of every tree in the norm of the current M's diagonal
static void measure(const trxi_input *in, trxi_smooth *smooth, double *norm)
{
    const trx_model *model = in->model;
    for (int t = 0; t < model->ntree; t++) {
        const trxi_tree *tree = &model->trees[t];
        double sum = 0;
        for (int i = tree->v; i < tree->v + tree->nv; i++)
            sum += smooth->stage.m[i] * smooth->stage.m[i] / smooth->M[model->column[i] + i];
        norm[t] = sqrt(sum);
    }
}

// returns whether a step is the last of its tree: small compared with the tree's speed
static bool is_last(const trxi_input *in, const trxi_smooth *smooth, const trxi_tree *tree)
{
    const trxi_stage *s = &smooth->stage;
    double least = in->settings.time_step * UNIT_ACCELERATION, step = 0, speed = 0;
    for (int i = tree->v; i < tree->v + tree->nv; i++) {
        double mass = smooth->M[in->model->column[i] + i];
        step += mass * s->dv[i] * s->dv[i];
        speed += mass * (s->v[i] * s->v[i] + in->v0[i] * in->v0[i] + least * least);
    }
    return step <= LAST_STEP * LAST_STEP * speed;
}

static trx_status fail(const trxi_input *in, trxi_smooth *smooth, int tree_index, trx_status status, const char *reason)
{
    const trx_model *model = in->model;
    const trxi_tree *tree = &model->trees[tree_index];
    double most = -1;
    int worst = tree->v;
    for (int i = tree->v; i < tree->v + tree->nv; i++) {
        double off = smooth->stage.m[i] * smooth->stage.m[i] / smooth->M[model->column[i] + i];
        if (off > most || isnan(off)) most = isnan(off) ? INFINITY : off, worst = i;
    }
    const trxi_joint *joint = &model->joints[model->links[model->dof_link[worst]].joint];
    return trxi_fail(in->context, status, "the motion without contact %s at joint '%s' (residual %.2g): take a shorter "
                                           "time step than %g s", reason, joint->name, sqrt(fmax(most, 0)),
                     in->settings.time_step);
}

// shortens the steps of all trees until each residual decreases; returns a tree without such a step, or -1
static int search(const trxi_input *in, trxi_smooth *smooth)
{
    const trx_model *model = in->model;
    trxi_stage *s = &smooth->stage;
    memcpy(s->before, s->norm, (size_t)model->ntree * sizeof *s->norm);
    for (;;) {
        memcpy(s->trial, s->v, (size_t)model->nv * sizeof *s->v);
        for (int t = 0; t < model->ntree; t++)
            trxi_axpy(model->trees[t].nv, s->alpha[t], s->dv + model->trees[t].v, s->trial + model->trees[t].v);
        trxi_stage_evaluate(in, smooth, s->trial);
        measure(in, smooth, s->norm);
        bool again = false;
        for (int t = 0; t < model->ntree; t++) {
            if (s->done[t] || s->norm[t] <= (1 - SUFFICIENT * s->alpha[t]) * s->before[t]) continue;
            s->alpha[t] /= 2;
            if (s->alpha[t] < LEAST_FRACTION) return t;
            again = true;
        }
        if (!again) break;
    }
    memcpy(s->v, s->trial, (size_t)model->nv * sizeof *s->v);
    return -1;
}

trx_status trxi_stage_solve(const trxi_input *in, trxi_smooth *smooth)
{
    const trx_model *model = in->model;
    trxi_stage *s = &smooth->stage;
    memcpy(s->v, in->v0, (size_t)model->nv * sizeof *s->v);
    memset(s->done, 0, (size_t)model->ntree * sizeof *s->done);
    trxi_stage_evaluate(in, smooth, s->v);
    for (int iteration = 0, left = model->ntree; left > 0; iteration++) {
        int tree = -1;
        if (!trxi_stage_jacobian(in, smooth, &tree)) return fail(in, smooth, tree, TRX_ERR_ILL_CONDITIONED, "is singular");
        measure(in, smooth, s->norm);
        for (int t = 0; t < model->ntree; t++) {
            const trxi_tree *part = &model->trees[t];
            s->alpha[t] = !s->done[t];
            if (!isfinite(s->norm[t])) return fail(in, smooth, t, TRX_ERR_NOT_FINITE, "overflows");
            if (iteration == MAX_ITERATIONS && !s->done[t])
                return fail(in, smooth, t, TRX_ERR_NOT_CONVERGED, "has not converged after 50 iterations");
            for (int i = part->v; i < part->v + part->nv; i++) s->dv[i] = -s->m[i];
            trxi_lu_solve(part->nv, s->N + part->block, part->nv, s->pivots + part->v, 1, s->dv + part->v, part->nv);
            if (s->done[t] || !is_last(in, smooth, part)) continue;
            s->done[t] = true;
            left--;
        }
        if ((tree = search(in, smooth)) >= 0) return fail(in, smooth, tree, TRX_ERR_NOT_CONVERGED, "has no step that helps");
    }
    trxi_mass_blocks(model, &s->kin, smooth->composite, smooth->M);
    return TRX_OK;
}
