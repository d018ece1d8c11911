// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What moves at a contact beside the joints: bodies that move by themselves, and surfaces that run over their bodies. With
// it v_c = J v + b (theory 2).

#ifndef TRXI_STEP_MOTION_H
#define TRXI_STEP_MOTION_H

#include "step/sim.h"

/// At one point p, of B against A, in the world. Surfaces only run along themselves: b = F^T u + (1 - e_n e_n^T) F^T belt.
typedef struct trxi_drift {
    bool any;
    double u[3], u0[3];  // of the bodies, over this step and over the one before [m/s]
    double W[9], W0[9];  // du/dp, du0/dp [1/s]
    double belt_a[3], belt_b[3]; // of the two surfaces [m/s]
    double belt[3];      // belt_b - belt_a
} trxi_drift;

/// Places the bodies that move by themselves at the time of the step, and how they move from there; after the kinematics.
void trxi_step_motion(trx_sim *sim);

/// Whether something of a pair moves by itself.
bool trxi_step_drifts(const trx_sim *sim, const trxi_meeting *meeting);

/// Of the pair's two geometries at p; `any` alone is set when nothing moves there.
void trxi_step_drift(const trx_sim *sim, const trxi_meeting *meeting, const double p[3], trxi_drift *drift);

/// b in the contact frame F, and the same before the step.
void trxi_drift_bias(const trxi_drift *drift, const double F[9], double bias[3], double bias0[3]);

/// Angular velocity of what moves by itself, of B against A.
void trxi_drift_spin(const trxi_drift *drift, double w[3]);

/// Bounds the speed of the points of a geometry that moves by itself, over this step plus over the one before, as far as other
/// geometries reach [m/s]; 0 for all others.
double trxi_step_motion_speed(const trx_sim *sim, int geom);

#endif
