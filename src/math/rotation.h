// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rotations: matrices (column-major), unit quaternions [w x y z], rotation vectors; the exponential map,
// its inverse and their right Jacobians (theory 1). Tangent increments act from the right: R Exp(d).

#ifndef TRXI_MATH_ROTATION_H
#define TRXI_MATH_ROTATION_H

#include "math/vec3.h"

/// R of a unit quaternion.
void trxi_quat_to_matrix(const double q[4], double r[9]);

/// Unit quaternion of R, w >= 0.
void trxi_quat_from_matrix(const double r[9], double q[4]);

/// out = a b; may not alias.
void trxi_quat_mul(const double a[4], const double b[4], double out[4]);

/// exp of a rotation vector [rad].
void trxi_quat_exp(const double w[3], double q[4]);

/// Rotation vector of a unit quaternion, of length at most pi (the sign of the quaternion is chosen with w >= 0).
void trxi_quat_log(const double q[4], double w[3]);

/// out = normalized q exp(w): the retraction of a ball joint. May alias.
void trxi_quat_integrate(const double q[4], const double w[3], double out[4]);

/// w = Log(p^-1 q).
void trxi_quat_difference(const double q[4], const double p[4], double w[3]);

/// Scales to unit length and returns the old length.
double trxi_quat_normalize(double q[4]);

/// R = Exp(w) (Rodrigues).
void trxi_exp33(const double w[3], double r[9]);

/// Right Jacobian: Exp(t + d) = Exp(t) Exp(Jr(t) d) to first order.
void trxi_right_jacobian(const double w[3], double j[9]);

/// Inverse of Jr: Log(R Exp(d)) = Log R + Jr^-1(Log R) d to first order, for |w| < 2 pi.
void trxi_right_jacobian_inverse(const double w[3], double j[9]);

/// Rotation about a unit axis by an angle [rad].
void trxi_axis_angle33(const double axis[3], double angle, double r[9]);

/// Quaternion of fixed-axis roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll).
void trxi_quat_from_rpy(const double rpy[3], double q[4]);

#endif
