// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Poses, velocities and Jacobians of bodies and frames at a state, and distances of geometries. A trx_kinematics holds
// the scratch memory of these queries: set its state, then query. One object per thread; threads share the model.
//
// Spatial vectors are in world axes, angular part first. A Jacobian J (6 x nv, column-major) maps joint velocities v to
// the velocity of a body, and tangent coordinates dq to its rotation vector and displacement.

#ifndef TRACTRIX_KINEMATICS_H
#define TRACTRIX_KINEMATICS_H

#include <tractrix/model.h>

TRX_BEGIN_C

typedef struct trx_kinematics trx_kinematics;

/// Creates the queries of `model`, which must outlive them, at the neutral configuration at rest and t = 0. All memory is
/// allocated here. Errors: ARGUMENT, MEMORY.
TRX_API trx_status trx_kinematics_create(trx_context *context, const trx_model *model, trx_kinematics **kinematics);
TRX_API void trx_kinematics_destroy(trx_kinematics *kinematics);

/// Sets q (nq; quaternions of any length but 0), v (nv; NULL: zero) and time t [s], which places bodies with prescribed
/// motion. After an error the object is unchanged.
/// Errors: ARGUMENT, NOT_FINITE (also for a quaternion whose length is 0 or overflows).
TRX_API trx_status trx_kinematics_update(trx_kinematics *kinematics, const double *q, const double *v, double t);

/// Pose and velocity of a body or frame.
typedef struct trx_placement {
    trx_pose pose;      // in the world
    double velocity[6]; // angular velocity; velocity of the origin [rad/s, m/s]
} trx_placement;

/// Placement and Jacobian J (6 x nv) of a body or of a frame; either output may be NULL. velocity = J v, plus the velocity of the
/// prescribed motion that carries the body. Errors: ARGUMENT.
TRX_API trx_status trx_kinematics_body(const trx_kinematics *kinematics, int body, trx_placement *placement, double *J);
TRX_API trx_status trx_kinematics_frame(const trx_kinematics *kinematics, int frame, trx_placement *placement, double *J);

/// Derivative of the velocity of a body or frame with respect to q (dvelocity_dq: 6 x nv, column-major, tangent coordinates) at
/// fixed v. Errors: ARGUMENT.
TRX_API trx_status trx_kinematics_body_velocity_dq(const trx_kinematics *kinematics, int body, double *dvelocity_dq);
TRX_API trx_status trx_kinematics_frame_velocity_dq(const trx_kinematics *kinematics, int frame, double *dvelocity_dq);

/// The closest points of two geometries, or the deepest points if they overlap.
typedef struct trx_separation {
    double distance;   // negative when they overlap [m]
    double normal[3];  // from the first geometry to the second, world
    double point_a[3]; // on the first geometry, world [m]
    double point_b[3]; // on the second: point_a + distance normal [m]
} trx_separation;

/// Signed distance of two geometries at any range, and its gradient with respect to q (nv, tangent); either output may
/// be NULL. If several points are closest, the gradient belongs to the returned point. Errors: ARGUMENT, UNSUPPORTED
/// (two halfspaces, a mesh that does not collide, or geometries that no joint moves relative to each other).
TRX_API trx_status trx_kinematics_distance(const trx_kinematics *kinematics, int geom_a, int geom_b, trx_separation *separation,
                                           double *gradient);

TRX_END_C

#endif
