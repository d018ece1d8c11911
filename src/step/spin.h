// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Spin of single free bodies by momentum (theory 2): I w - dt w x I w is replaced by Exp(-dt w) I w.

#ifndef TRXI_STEP_SPIN_H
#define TRXI_STEP_SPIN_H

#include "step/residual_out.h"
#include "step/smooth.h"

#include <tractrix/sim.h>

/// The change of a body's angular momentum by the replacement [kg m^2/s], in body axes: Exp(-dt w) I w - (I w - dt w
/// x I w), of second order in dt w. I: xx yy zz xy xz yz about the centre of mass. The change is linear in I: its derivative
/// with respect to an entry is its value at a tensor with 1 in this entry.
void trxi_spin_gain(const double I[6], const double w[3], double dt, double gain[3]);

/// Its derivative with respect to w (3 x 3).
void trxi_spin_gain_deriv(const double I[6], const double w[3], double dt, double D[9]);

/// The ball joint of a tree that consists of one free body, else NULL.
const struct trxi_link *trxi_spin_body(const trx_model *model, int tree);

/// Adds the gains of angular momentum of all single free bodies: the first function to p0, the second subtracts their derivatives
/// dgain/dw0 from dr/dv0.
void trxi_step_spin(const trxi_input *in, trxi_smooth *smooth);
void trxi_step_spin_deriv(const trxi_input *in, const trxi_residual_out *out);

#endif
