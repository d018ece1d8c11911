// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals of contact points against rigid contact with Coulomb friction (theory 4).

#ifndef TRXI_CONTACT_CONTACT_RESIDUAL_H
#define TRXI_CONTACT_CONTACT_RESIDUAL_H

#include "contact/row_block.h"

#include <tractrix/sim.h>

/// Largest residuals of the points among `nblock` solved blocks. The impulses of time steps of `dt` seconds become forces.
trx_contact_residual trxi_contact_residual(const trxi_row_block *blocks, int nblock, double dt);

#endif
