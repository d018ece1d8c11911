// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Exact line search on the slope of the convex objective (theory 5, point 3).

#ifndef TRXI_CONTACT_LINE_SEARCH_H
#define TRXI_CONTACT_LINE_SEARCH_H

#include "contact/solver.h"

/// True when the exact search takes the full step for the slopes at its start and its end: the end is past the minimum by next to
/// nothing, or before it by little. Below round-off the slope is noise and the Newton step is trusted.
bool trxi_line_search_accepts(const trxi_solver *solver, double slope0, double slope1);

/// Step along s->dv on the unknowns of the island, whose slope dv . r at the start is slope0 < 0; fills s->dp and dv_c.
/// Exact: the root of the slope in (0, 1.5]. Backtracking: the first of 1, 1/2, 1/4, ... that surely decreases enough.
double trxi_line_search(const trxi_contact_problem *problem, const trxi_island *island, double slope0, trxi_solver *solver);

#endif
