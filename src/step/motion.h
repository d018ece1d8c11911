// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Velocities at a contact that do not come from joints: prescribed motions of bodies, and surface velocities. Together they are the
// bias b of v_c = J v + b (theory 2).

#ifndef TRXI_STEP_MOTION_H
#define TRXI_STEP_MOTION_H

#include "step/sim.h"

/// The bias velocity of B relative to A at one point p, in the world. A surface velocity is tangential:
/// b = F^T u + (1 - e_n e_n^T) F^T surface.
typedef struct trxi_bias {
    bool any;
    double u[3], u0[3];      // of the bodies, over this step and over the previous step [m/s]
    double W[9], W0[9];      // du/dp, du0/dp [1/s]
    double spin[3];          // angular velocity [rad/s]
    double surface_of[2][3]; // velocities of the surfaces of A and of B [m/s]
    double surface[3];       // of B relative to A
} trxi_bias;

/// Computes poses and velocities of the bodies with a prescribed motion for this step. The kinematics must be computed before.
void trxi_step_motion(const trxi_input *in, const trxi_smooth *smooth, trxi_placed_geometry *geometry);

/// The bias velocity at p of a pair with prescribed motion or surface velocity.
void trxi_step_compute_bias(const trxi_input *in, const trxi_smooth *smooth, const trxi_placed_geometry *geometry,
                            const trxi_meeting *meeting, const double p[3], trxi_bias *bias);

/// The bias velocity of any pair at p. If the pair has none, only `any` is set, to false.
static inline void trxi_step_bias(const trxi_input *in, const trxi_smooth *smooth, const trxi_placed_geometry *geometry,
                                  const trxi_meeting *meeting, const double p[3], trxi_bias *bias)
{
    const trx_model *model = in->model;
    bias->any = false;
    if (model->nprescribed == 0 && !model->conveys) return;
    const trxi_geom *a = &model->geoms[meeting->geom_a], *b = &model->geoms[meeting->geom_b];
    if (a->prescribed >= 0 || b->prescribed >= 0 || a->conveys || b->conveys)
        trxi_step_compute_bias(in, smooth, geometry, meeting, p, bias);
}

/// b in the contact frame F, in this step and in the previous step (b0).
void trxi_bias_rows(const trxi_bias *bias, const double F[9], double b[3], double b0[3]);

/// Bound for the speed of a geometry with prescribed motion, the sum of the bounds for this step and the previous step [m/s]. The
/// bound holds at all points that other geometries reach. 0 for geometries without prescribed motion.
double trxi_step_motion_speed(const trxi_input *in, const trxi_placed_geometry *geometry, int index);

#endif
