// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The short way of a contact in the derivatives of the residual (theory 6).

#ifndef TRXI_STEP_CONTACT_ROWS_SHORT_H
#define TRXI_STEP_CONTACT_ROWS_SHORT_H

#include "step/point_deriv.h"

/// Subtracts d(J^T gamma)/d(q, v0) of one contact from sim->rq, sim->rv, at a fixed effective mass; in an adjoint product, between
/// trxi_adjoint_begin and trxi_adjoint_end, adds to sim->rnea.adjoint what makes of them lambda^T times that. sim->V1 holds the
/// link velocities at v. false, and nothing is done, for contacts that take the long way. `partials` is what the impulse has.
bool trxi_step_contact_short(trx_sim *sim, const trxi_row_block *contact, const trxi_row *row,
                             const trxi_contact_point *geometry, trxi_contact_partials *partials);

/// The same of a contact that takes the short way, in both forms.
typedef void (*trxi_contact_way)(trx_sim *sim, const trxi_row_block *contact, const trxi_row *row,
                                 const trxi_contact_point *geometry, const trxi_contact_partials *partials);

typedef struct trxi_contact_ways {
    trxi_contact_way pull, push; // the product, the matrices
} trxi_contact_ways;

extern const trxi_contact_ways trxi_contact_portable;

/// By AVX2, or NULL where this processor or this compiler's target has none.
const trxi_contact_ways *trxi_contact_vector(void);

#endif
