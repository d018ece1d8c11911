// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Exact line search on the slope of the convex objective (theory 5, point 3).

#ifndef TRXI_CONTACT_LINE_SEARCH_H
#define TRXI_CONTACT_LINE_SEARCH_H

#include "contact/work.h"

/// True when the exact search takes the full step, given the slopes at its start and its end: the end lies just past the minimum,
/// or a little before the minimum. A slope below round-off is noise, and the Newton step is taken.
bool trxi_line_search_accepts(const trxi_work *s, double slope0, double slope1);

/// The full step: next = now + dv with its balance. Returns the slope dv . r there.
double trxi_line_search_full(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s);

/// next = now + alpha dv, where the slope dv . r at `now` is slope0 < 0. Returns alpha. Exact: at the root of the slope in (0,
/// 1.5]. Backtracking: the first of 1, 1/2, 1/4, ... whose decrease is sufficient by a bound. Velocity and balance of `next` are
/// the values of `now` plus the change, not evaluated again. Returns 0 when the step is below the last digits of v.
double trxi_line_search(const trxi_contact_problem *problem, trxi_island *island, double slope0, trxi_work *s);

/// The exact search after a rejected full step. `next` is the full step, and slope1 the slope there.
double trxi_line_search_within(const trxi_contact_problem *problem, trxi_island *island, double slope0, double slope1,
                               trxi_work *s);

#endif
