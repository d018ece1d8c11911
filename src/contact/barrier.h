// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Where the solver may go when contacts have barriers (theory 3): see barrier.c. `first` is the first of a list of blocks that
// go on by their field `next`.

#ifndef TRXI_CONTACT_BARRIER_H
#define TRXI_CONTACT_BARRIER_H

#include "contact/row_block.h"

/// Largest share of a feasible step that is taken.
static const double trxi_barrier_share = 0.99;

/// min(most, 0.99 of the largest alpha that is feasible along v_c + alpha dv_c for the blocks from `first` on), with v_c and dv_c
/// of rows[k].state[which] and rows[k].
double trxi_barrier_step(const trxi_row_block *blocks, const trxi_row_work *rows, int which, int first, double most);

/// True when one of these blocks has a barrier.
bool trxi_barrier_any(const trxi_row_block *blocks, int first);

/// Scale in [0, 1] by which the velocities v (of all dofs) come to lie inside the barriers of these blocks, as v = 0 does
/// unless a prescribed motion closes a gap.
double trxi_barrier_entry(const trxi_row_block *blocks, int first, const double *v);

/// Gap [m] that the law of a contact sees at v_c.
double trxi_contact_gap_at(const trxi_row_block *contact, const double *v_c);

#endif
