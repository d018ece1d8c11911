// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The short way of a contact in an adjoint product (theory 6).

#ifndef TRXI_STEP_CONTACT_ROWS_VJP_H
#define TRXI_STEP_CONTACT_ROWS_VJP_H

#include "step/point_deriv.h"

/// grad_q -= lambda^T d(J^T gamma)/dq, grad_v the same of v0, of a contact point with gamma in point->f. Not for turns, moving
/// surfaces, friction with an axis, or impulses that see the effective mass.
void trxi_step_contact_pull(const trxi_point *point, const trxi_contact *contact, const trxi_row *row,
                            const trxi_contact_point *geometry, const trxi_contact_partials *partials);

#endif
