// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The Delassus operator W = J A^-1 J^T of an island, which is never formed (theory 4). A velocity that follows the impulses
// takes the place of the product: v = A^-1 (p0 + J^T gamma). Shared by the solver's files.

#ifndef TRXI_CONTACT_DELASSUS_H
#define TRXI_CONTACT_DELASSUS_H

#include "contact/work.h"

/// The diagonal block of W that belongs to a block of rows. A block of one row has xx alone.
trxi_sym3 trxi_delassus_block(const trxi_contact_problem *problem, const trxi_row_block *block, trxi_work *s);

/// v += A^-1 J^T gamma of one block of rows.
void trxi_delassus_apply(const trxi_contact_problem *problem, const trxi_row_block *block, const double *gamma, trxi_work *s,
                         double *v);

/// v = A^-1 (p0 + J^T gamma) on an island, with the impulses of `now`.
void trxi_delassus_velocity(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, double *v);

#endif
