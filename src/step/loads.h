// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Loads on bodies in the residual of a step and in its derivatives (theory 2, 6); see loads.c.

#ifndef TRXI_STEP_LOADS_H
#define TRXI_STEP_LOADS_H

#include "step/sim.h"

/// out (nv) += scale J^T f of all loads, with J at the configuration of `kin`.
void trxi_step_loads(const trxi_input *in, const trxi_kinematics *kin, double scale, double *out);
/// The derivative of the residual by q: r -= dt d(J^T f)/dq, with entry (i, j) of one tree at r[places[j] + i].
void trxi_step_loads_deriv(const trxi_input *in, const trxi_kinematics *kin, const ptrdiff_t *places, double *r);

/// Adds the product of the load term of the symplectic scheme with lambda.
void trxi_step_loads_vjp(const trxi_input *in, const trxi_smooth *smooth, const trxi_residual_out *out);

/// r -= scale d(J^T f) of one load, when the loaded tree turns as a whole by w, at the configuration of `kin`.
void trxi_step_load_turn(const trxi_input *in, const trxi_kinematics *kin, int load, const double w[3], double scale, double *r);

/// out += scale tau(u) of the motors; drives are rows of the convex step.
void trxi_step_motors(const trxi_input *in, double scale, double *out);

#endif
