// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Activations in a step (theory 4). An activation a depends only on itself and on the control u. A step therefore computes it
// first, and drives the actuator by w instead of u: w = a' = a(t + dt) (`early`), or w = a. Let B_w be the derivative of the step
// by w, and A_x the part of A without activations. Then
//
//     A = [ A_x  B_w dw/da ; 0  da'/da ]        B = [ B_w dw/du ; da'/du ]
//
// where dw/da, dw/du, da'/da and da'/du have one number for each actuator.

#include "step/activation.h"

#include "base/random.h"

enum { ACTIVATION_KEY = 2000 }; // beside the keys of laws and spans

void trxi_activations_layout(trxi_arena *arena, const trx_model *model, trxi_activations *act)
{
    act->a1 = TRXI_TAKE(arena, double, model->na);
    act->a1_a = TRXI_TAKE(arena, double, model->na);
    act->a1_u = TRXI_TAKE(arena, double, model->na);
    act->w_a = TRXI_TAKE(arena, double, model->nu);
    act->w_u = TRXI_TAKE(arena, double, model->nu);
}

void trxi_activations_advance(const trx_model *model, double dt, const double *a, const double *u, trxi_activations *act,
                              double *w)
{
    act->kink = INFINITY;
    act->branches = 0;
    for (int i = 0; i < model->nu; i++) {
        const trxi_actuator *of = &model->actuators[i];
        const int k = of->a;
        act->w_a[i] = 0, act->w_u[i] = 1;
        w[i] = u[i];
        if (k < 0) continue;
        const trxi_activated next = trxi_activation_advance(&of->activation, dt, a[k], u[i]);
        act->a1[k] = next.value, act->a1_a[k] = next.by_a, act->a1_u[k] = next.by_u;
        act->kink = fmin(act->kink, next.room * dt * fmax(1, fabs(of->gain)));
        const unsigned long long at = (unsigned long long)i * TRXI_ACTIVATION_BRANCHES + next.branch;
        if (next.branch) act->branches += trxi_random_bits(~0ull - ACTIVATION_KEY, at);
        const bool early = of->activation.early;
        w[i] = early ? next.value : a[k];
        act->w_a[i] = early ? next.by_a : 1, act->w_u[i] = early ? next.by_u : 0;
    }
}

void trxi_activations_jvp(const trx_model *model, const trxi_activations *act, const double *da, const double *du, double *dw,
                          double *da1)
{
    for (int i = 0; i < model->nu; i++) {
        const int k = model->actuators[i].a;
        const double a = da && k >= 0 ? da[k] : 0, u = du ? du[i] : 0;
        dw[i] = act->w_a[i] * a + act->w_u[i] * u;
        if (k >= 0) da1[k] = act->a1_a[k] * a + act->a1_u[k] * u;
    }
}

void trxi_activations_vjp(const trx_model *model, const trxi_activations *act, const double *seed_w, const double *seed_a1,
                          double *grad_a, double *grad_u)
{
    for (int i = 0; i < model->nu; i++) {
        const int k = model->actuators[i].a;
        const double seed = k >= 0 ? seed_a1[k] : 0, of_w = seed_w[i];
        if (grad_a && k >= 0) grad_a[k] = act->w_a[i] * of_w + act->a1_a[k] * seed;
        if (grad_u) grad_u[i] = act->w_u[i] * of_w + (k >= 0 ? act->a1_u[k] * seed : 0);
    }
}
