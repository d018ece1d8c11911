// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Velocities at a contact that do not come from joints: prescribed motions and surface velocities. With them v_c = J
// v + b (theory 2).

#ifndef TRXI_STEP_MOTION_H
#define TRXI_STEP_MOTION_H

#include "step/sim.h"

/// At one point p, of B relative to A, in the world. Surface velocities are tangential: b = F^T u + (1 - e_n e_n^T)
/// F^T belt.
typedef struct trxi_drift {
    bool any;
    double u[3], u0[3];  // of the bodies, over this step and over the one before [m/s]
    double W[9], W0[9];  // du/dp, du0/dp [1/s]
    double belt_a[3], belt_b[3]; // of the two surfaces [m/s]
    double belt[3];      // belt_b - belt_a
} trxi_drift;

/// Computes poses and velocities of prescribed motions for the step; call it after the kinematics.
void trxi_step_motion(trx_sim *sim);

/// Whether a body of a pair has a prescribed motion or a surface velocity.
bool trxi_step_drifts(const trx_sim *sim, const trxi_meeting *meeting);

/// The velocities of the pair's two geometries at p; only `any` is set when both are zero.
void trxi_step_drift(const trx_sim *sim, const trxi_meeting *meeting, const double p[3], trxi_drift *drift);

/// b in the contact frame F, and the same before the step.
void trxi_drift_bias(const trxi_drift *drift, const double F[9], double bias[3], double bias0[3]);

/// Angular velocity of prescribed motions, of B relative to A.
void trxi_drift_spin(const trxi_drift *drift, double w[3]);

/// Bounds the speed of the points of a geometry with prescribed motion, over this step plus the step before, within
/// the region of other geometries [m/s]; 0 for all other geometries.
double trxi_step_motion_speed(const trx_sim *sim, int geom);

#endif
