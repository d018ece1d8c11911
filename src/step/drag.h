// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drag of bodies in the residual of a step and in its derivatives (theory 2, 6); see drag.c. V: link velocities.

#ifndef TRXI_STEP_DRAG_H
#define TRXI_STEP_DRAG_H

#include "step/sim.h"

/// by_q -= dt d(J^T F)/dq, by_v -= dt d(J^T F)/dv at the configuration of `kin` and at V; entry (i, j) of one tree at
/// [places[j] + i].
void trxi_step_drag_deriv(const trxi_input *in, const trxi_kinematics *kin, const double *V, const ptrdiff_t *places, double *by_q,
                          double *by_v);

/// Adds the products of the drag term of the symplectic scheme with lambda.
void trxi_step_drag_vjp(const trxi_input *in, const trxi_smooth *smooth, const trxi_residual_out *out);

/// r -= scale d(J^T F) of one drag when its tree turns as a whole by w; the wind does not turn.
void trxi_step_drag_turn(const trxi_input *in, const trxi_kinematics *kin, const double *V, int drag, const double w[3],
                         double scale, double *r);

#endif
