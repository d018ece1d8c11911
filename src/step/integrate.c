// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The maps that move positions in a step (theory 2, 6): q1 = q0 (+) dt v_vq with v_vq = th_vq v + (1 - th_vq) v0, and the tangent
//
//     dq1 = T dq0 + dt th_vq S dv + dt (1 - th_vq) S dv0
//
// T = Exp(-w) and S = Jr(w) for a ball that turns by w = dt v_vq, and 1 for all other links.

#include "step/integrate.h"

#include "math/rotation.h"

void trxi_step_moving(const trxi_input *in, double scale, const double *v, double *out)
{
    const double th_vq = in->th_vq;
    for (int i = 0; i < in->model->nv; i++)
        out[i] = scale * (th_vq == 1 ? v[i] : th_vq * v[i] + (1 - th_vq) * in->v0[i]);
}

void trxi_step_ball_maps(const trxi_input *in, const trxi_link *link, double scale, const double *v, double T[9], double S[9])
{
    const double th_vq = in->th_vq;
    double turn[3], back[3];
    for (int i = 0; i < 3; i++) {
        double w = v[link->v + i];
        turn[i] = scale * (th_vq == 1 ? w : th_vq * w + (1 - th_vq) * in->v0[link->v + i]);
    }
    trxi_scale3(-1, turn, back);
    trxi_exp33(back, T);
    trxi_right_jacobian(turn, S);
}

trxi_end_maps trxi_step_end_maps(const trxi_solved *step, const trxi_link *link)
{
    const double dt = step->in->settings.time_step;
    trxi_end_maps maps;
    double S[9];
    trxi_identity33(maps.T);
    trxi_identity33(S);
    if (link->type == TRXI_BALL) trxi_step_ball_maps(step->in, link, dt, step->solver->v, maps.T, S);
    for (int i = 0; i < 9; i++) maps.v[i] = step->in->th_vq * dt * S[i], maps.v0[i] = (1 - step->in->th_vq) * dt * S[i];
    return maps;
}

// out += map x, or map^T x, for the dofs of one link
static void add_product(int n, bool transposed, const double map[9], const double *x, double *out)
{
    double moved[3];
    if (n == 1) {
        *out += *map * *x;
        return;
    }
    if (transposed) trxi_mulv3_t(map, x, moved);
    else trxi_mulv3(map, x, moved);
    trxi_add3(out, moved, out);
}

void trxi_step_integrate_tangent(const trxi_solved *step, const double *dq, const double *dv, int ncol, int ld_in, double *out,
                                 int ld_out)
{
    // all coordinates as numbers, then the balls
    const trx_model *model = step->in->model;
    const double rate = step->in->th_vq * step->in->settings.time_step;
    for (int c = 0; c < ncol; c++) {
        const double *v = dv + (size_t)c * (size_t)ld_in, *q = dq ? dq + (size_t)c * (size_t)ld_in : NULL;
        double *o = out + (size_t)c * (size_t)ld_out;
        for (int i = 0; i < model->nv; i++) o[i] = rate * v[i];
        for (int i = 0; q && i < model->nv; i++) o[i] += q[i];
    }
    for (int l = 0; l < model->nlink; l++) {
        const trxi_link *link = &model->links[l];
        if (link->type != TRXI_BALL) continue;
        const trxi_end_maps maps = trxi_step_end_maps(step, link);
        for (int c = 0; c < ncol; c++) {
            const size_t from = (size_t)c * (size_t)ld_in + (size_t)link->v;
            double *o = out + (size_t)c * (size_t)ld_out + link->v;
            trxi_zero3(o);
            add_product(link->nv, false, maps.v, dv + from, o);
            if (dq) add_product(link->nv, false, maps.T, dq + from, o);
        }
    }
}

// direct effect of v0 on positions, in addition to v: out += dt (1 - th_vq) S dv0, or the transpose for a seed
void trxi_step_integrate_start(const trxi_solved *step, bool transposed, const double *in, double *out)
{
    if (step->in->th_vq == 1) return;
    for (int l = 0; l < step->in->model->nlink; l++) {
        const trxi_link *link = &step->in->model->links[l];
        const trxi_end_maps maps = trxi_step_end_maps(step, link);
        add_product(link->nv, transposed, maps.v0, in + link->v, out + link->v);
    }
}

// transposes of T and dt th_vq S applied to one seed
void trxi_step_integrate_adjoint(const trxi_solved *step, const double *seed_q, double *through_q, double *through_v)
{
    const trx_model *model = step->in->model;
    const double rate = step->in->th_vq * step->in->settings.time_step;
    for (int i = 0; i < model->nv; i++) through_q[i] = seed_q[i], through_v[i] = rate * seed_q[i];
    for (int l = 0; l < model->nlink; l++) {
        const trxi_link *link = &model->links[l];
        if (link->type != TRXI_BALL) continue;
        const trxi_end_maps maps = trxi_step_end_maps(step, link);
        trxi_mulv3_t(maps.T, seed_q + link->v, through_q + link->v);
        trxi_mulv3_t(maps.v, seed_q + link->v, through_v + link->v);
    }
}
