// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contacts of one step (theory 1, 4); see contact_rows.c.

#ifndef TRXI_STEP_CONTACT_ROWS_H
#define TRXI_STEP_CONTACT_ROWS_H

#include "step/sim.h"

/// Contact rows from the geometry at q0. Errors: MEMORY, possible only when a step has more candidates than all before.
trx_status trxi_step_contact_rows(const trxi_input *in, const trxi_pair_laws *laws, const trxi_smooth *smooth,
                                  trxi_placed_geometry *geometry, trxi_rows *rows);

#endif
