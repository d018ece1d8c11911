// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Exact line search on the slope of the convex objective (theory 5, point 3).

#ifndef TRXI_CONTACT_LINE_SEARCH_H
#define TRXI_CONTACT_LINE_SEARCH_H

#include "contact/work.h"

/// True when the exact search takes the full step for the slopes at its start and its end: the end is past the minimum by next to
/// nothing, or before it by little. Below round-off the slope is noise and the Newton step is trusted.
bool trxi_line_search_accepts(const trxi_work *solver, double slope0, double slope1);

/// Goes along s->dv on the unknowns of the island, where the slope dv . r at the start is slope0 < 0, and returns the share of dv
/// that it went. Exact: to the root of the slope in (0, 1.5]. Backtracking: the first of 1, 1/2, 1/4, ... that surely decreases
/// enough. v, impulses and balance are those of the end: sums of what they were and what was added, not computed at v. 0 when v
/// does not change: the end lies within its last digits.
double trxi_line_search(const trxi_contact_problem *problem, trxi_island *island, double slope0, trxi_work *solver);

/// Goes the full step: s->v becomes v + dv, whose balance is computed, and s->before, s->dp and dv_c of the rows keep v, p and
/// v_c. Returns the slope there.
double trxi_line_search_full(const trxi_contact_problem *problem, trxi_island *island, trxi_work *solver);

/// The exact search after a full step that is not accepted, for which slopes at its start and its end are known.
double trxi_line_search_within(const trxi_contact_problem *problem, trxi_island *island, double slope0, double slope1,
                               trxi_work *solver);

#endif
