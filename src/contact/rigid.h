// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What rigid contact asks of the normal velocity (theory 4).

#ifndef TRXI_CONTACT_RIGID_H
#define TRXI_CONTACT_RIGID_H

#include "contact/row_block.h"

/// Share of a penetration that a step removes.
static const double trxi_rigid_share = 0.2;

/// True for a penetration.
static inline bool trxi_rigid_is_behind(const trxi_row_block *block)
{
    return block->phi0 + block->contact.between.behind * block->contact.v_n0 < 0;
}

/// Time in which a contact must close its gap [s]: the time until the gap is evaluated, longer for a penetration.
static inline double trxi_rigid_horizon(const trxi_row_block *block)
{
    const double ahead = block->contact.between.ahead;
    return trxi_rigid_is_behind(block) ? ahead / trxi_rigid_share : ahead;
}

/// Smallest normal velocity [m/s].
static inline double trxi_rigid_target(const trxi_row_block *block)
{
    const trxi_contact *c = &block->contact;
    return -(block->phi0 + c->between.behind * c->v_n0) / trxi_rigid_horizon(block);
}

#endif
