// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Exact line search on the slope of the convex objective (theory 5, point 3).

#ifndef TRXI_CONTACT_LINE_SEARCH_H
#define TRXI_CONTACT_LINE_SEARCH_H

#include "contact/work.h"

/// True when the exact search takes the full step for the slopes at its start and its end: the end is past the minimum by next to
/// nothing, or before it by little. Below round-off the slope is noise and the Newton step is trusted.
bool trxi_line_search_accepts(const trxi_work *s, double slope0, double slope1);

/// The full step: next = now + dv with its balance. Returns the slope dv . r there.
double trxi_line_search_full(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s);

/// next = now + alpha dv, where the slope dv . r at `now` is slope0 < 0. Returns alpha. Exact: at the root of the slope in
/// (0, 1.5]. Backtracking: the first of 1, 1/2, 1/4, ... that surely decreases enough. Velocity and balance of `next` are sums of
/// those of `now` and of the change, not computed there. Returns 0 when v does not change: the end lies within its last digits.
double trxi_line_search(const trxi_contact_problem *problem, trxi_island *island, double slope0, trxi_work *s);

/// The exact search after a full step that is not accepted: `next` is that step, where the slope is slope1.
double trxi_line_search_within(const trxi_contact_problem *problem, trxi_island *island, double slope0, double slope1,
                               trxi_work *s);

#endif
