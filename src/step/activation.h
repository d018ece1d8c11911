// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Activations of actuators over a step, and their derivatives (theory 4); see activation.c.

#ifndef TRXI_STEP_ACTIVATION_H
#define TRXI_STEP_ACTIVATION_H

#include "model/model.h"

typedef struct trxi_activations {
    double *a1;          // na: activations at the end of the step
    double *a1_a, *a1_u; // na: derivatives of a1 by the activation before the step and by the control
    double *w_a, *w_u;   // nu: derivatives of the driving value w by activation and control; 0 and 1 without activation
    double kink;         // distance to the nearest kink of an activation: change of a or u, times dt, times max(1, |gain|)
    unsigned long long branches; // hash of the branches of activations
} trxi_activations;

void trxi_activations_layout(trxi_arena *arena, const trx_model *model, trxi_activations *act);

/// Computes the activations after a step of `dt` from a (na) under u (nu), and w (nu; may be u), the control or activation that
/// drives each actuator.
void trxi_activations_advance(const trx_model *model, double dt, const double *a, const double *u, trxi_activations *act,
                              double *w);

/// dw (nu) = dw/da da + dw/du du, and da1 (na) likewise; da (na) and du (nu) may be NULL for zero.
void trxi_activations_jvp(const trx_model *model, const trxi_activations *act, const double *da, const double *du, double *dw,
                          double *da1);

/// Adjoint products of the seeds of w (nu) and a1 (na): grad_a (na) and grad_u (nu; may be seed_w); either may be NULL.
void trxi_activations_vjp(const trx_model *model, const trxi_activations *act, const double *seed_w, const double *seed_a1,
                          double *grad_a, double *grad_u);

#endif
