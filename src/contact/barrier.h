// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Feasible steps when contacts have barriers (theory 3); see barrier.c. `first` is the head of a list of blocks linked by their
// field `next`.

#ifndef TRXI_CONTACT_BARRIER_H
#define TRXI_CONTACT_BARRIER_H

#include "contact/row_block.h"

/// Largest share of a feasible step that is taken.
static const double trxi_barrier_share = 0.99;

/// min(most, 0.99 alpha_max), with alpha_max the largest feasible alpha along v_c + alpha dv_c for the blocks from `first` on.
/// v_c is taken from rows[k].state[which], dv_c from rows[k].
double trxi_barrier_step(const trxi_row_block *blocks, const trxi_row_work *rows, int which, int first, double most);

/// A factor in [0, 1] that brings the velocities v (all dofs) inside the barriers of the blocks. v = 0 lies inside unless a
/// prescribed motion closes a gap.
double trxi_barrier_entry(const trxi_row_block *blocks, int first, const double *v);

/// Gap [m] that the law of a contact sees at v_c.
double trxi_contact_gap_at(const trxi_row_block *contact, const double *v_c);

#endif
