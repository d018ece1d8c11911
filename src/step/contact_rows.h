// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contacts of one step (theory 1, 4), their friction, and their terms in the derivatives of the residual (theory 6); see
// contact_rows.c, friction_rows.c, contact_rows_deriv.c.

#ifndef TRXI_STEP_CONTACT_ROWS_H
#define TRXI_STEP_CONTACT_ROWS_H

#include "step/motion.h"

/// Computes the contact rows from the geometry at q0. Errors: MEMORY, only when the step has more candidates than all steps before.
trx_status trxi_step_contact_rows(const trxi_input *in, const trxi_pair_laws *laws, const trxi_smooth *smooth,
                                  trxi_placed_geometry *geometry, trxi_rows *rows);

/// Computes the frame F of a contact with given n, with t1 along the pair's axis of friction if there is one, and row->axis.
void trxi_step_friction_frame(const trxi_input *in, const trxi_smooth *smooth, const trxi_placed_geometry *geometry,
                              const trxi_meeting *meeting, trxi_row *row);

/// Computes mu of a contact from its law and its velocity before the step, and the derivative of mu by this velocity.
void trxi_step_friction(trxi_contact *contact, trxi_row *row);

/// Adds an angular block for the last contact if its law has torsional or rolling friction.
void trxi_step_add_turn(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, const trxi_bias *bias);

/// Checks before the solve. Errors: INFEASIBLE, ARGUMENT, LAW, UNSUPPORTED for contacts with which no solve can begin.
trx_status trxi_step_check_laws(const trxi_input *in, const trxi_rows *rows);
/// Finds the cause of a solve that ended with numbers that are not finite. Returns LAW for a user's law, INFEASIBLE for a barrier,
/// NOT_FINITE otherwise.
trx_status trxi_step_explain_not_finite(const trxi_input *in, const trxi_rows *rows);

/// Adds the terms of contacts to dr/dq0 and dr/dv0.
void trxi_step_contact_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out);

/// Derivative of gap, normal and point of a contact point by q: each column of `motion` (7 x ncol) is [dphi; dn; dp].
void trxi_step_contact_motion(const trxi_solved *step, trxi_derivatives *deriv, int contact, double *motion);

#endif
