// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The short way of a contact in an adjoint product (theory 6).

#ifndef TRXI_STEP_CONTACT_ROWS_VJP_H
#define TRXI_STEP_CONTACT_ROWS_VJP_H

#include "step/point_deriv.h"

/// Adds to sim->rnea.adjoint, between trxi_adjoint_begin and trxi_adjoint_end, what makes of them lambda^T d(J^T gamma)/d(q, v0)
/// of one contact. false, and nothing is added, for those that take the long way.
bool trxi_step_contact_pull(trx_sim *sim, const trxi_contact *contact, const trxi_row *row,
                            const trxi_contact_point *geometry);

/// The same of a contact that takes the short way.
typedef void (*trxi_contact_pull)(trx_sim *sim, const trxi_contact *contact, const trxi_row *row,
                                  const trxi_contact_point *geometry, const trxi_contact_partials *partials);

extern const trxi_contact_pull trxi_contact_pull_portable;

/// By AVX2, or NULL where this processor or this compiler's target has none.
trxi_contact_pull trxi_contact_pull_vector(void);

#endif
