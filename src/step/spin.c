// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Spin by momentum (theory 2), for trees of one free body each. In body axes, an explicit step would move the angular momentum
// h = I w along the tangent of its rotation, which lengthens h in every step. This file rotates h instead:
//
//     gain(w) = Exp(-dt w) h - (h - dt w x h)
//     dgain   = [ Exp(-dt w) (I + dt [h]x Jr(-dt w)) - I + dt ([w]x I - [h]x) ] dw
//
// I is about the centre of mass, so another body frame changes nothing: the gain is a couple. Rotor inertia of the
// joint is not part of I.

#include "step/spin.h"

#include "math/rotation.h"
#include "step/sim.h"

void trxi_spin_gain(const double I[6], const double w[3], double dt, double gain[3])
{
    double J[9], h[3], back[3], R[9], gyroscopic[3];
    trxi_tensor_matrix(I, J);
    trxi_mulv3(J, w, h);
    trxi_scale3(-dt, w, back);
    trxi_exp33(back, R);
    trxi_mulv3(R, h, gain);
    trxi_cross3(w, h, gyroscopic);
    for (int a = 0; a < 3; a++) gain[a] += dt * gyroscopic[a] - h[a];
}

void trxi_spin_gain_deriv(const double I[6], const double w[3], double dt, double D[9])
{
    double J[9], h[3], back[3], R[9], map[9], skew_h[9], skew_w[9], turned[9], bias[9];
    trxi_tensor_matrix(I, J);
    trxi_mulv3(J, w, h);
    trxi_scale3(-dt, w, back);
    trxi_exp33(back, R);
    trxi_right_jacobian(back, map);
    trxi_skew33(h, skew_h);
    trxi_skew33(w, skew_w);
    trxi_mul33(skew_h, map, turned);
    for (int i = 0; i < 9; i++) turned[i] = J[i] + dt * turned[i];
    trxi_mul33(R, turned, D);
    trxi_mul33(skew_w, J, bias);
    for (int i = 0; i < 9; i++) D[i] += dt * (bias[i] - skew_h[i]) - J[i];
}

const trxi_link *trxi_spin_body(const trx_model *model, int tree)
{
    const trxi_link *link = &model->links[model->trees[tree].first_link];
    bool single = model->trees[tree].nlink == 2 && link[0].type == TRXI_TRANSLATION && link[1].type == TRXI_BALL;
    return single ? &link[1] : NULL;
}

void trxi_step_spin(const trxi_input *in, trxi_smooth *smooth)
{
    for (int t = 0; t < in->model->ntree; t++) {
        const trxi_link *link = trxi_spin_body(in->model, t);
        if (!link) continue;
        double gain[3];
        trxi_spin_gain(link->inertia, in->v0 + link->v, in->settings.time_step, gain);
        trxi_add3(smooth->p0 + link->v, gain, smooth->p0 + link->v);
    }
}

void trxi_step_spin_deriv(const trxi_input *in, const trxi_residual_out *out)
{
    for (int t = 0; t < in->model->ntree; t++) {
        const trxi_link *link = trxi_spin_body(in->model, t);
        if (!link) continue;
        double D[9];
        trxi_spin_gain_deriv(link->inertia, in->v0 + link->v, in->settings.time_step, D);
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++) trxi_residual_add_v(out, link->v + a, link->v + b, -D[a + 3 * b]);
    }
}
