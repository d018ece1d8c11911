// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method on what sticks, slides and is open, which ends methods that are slow near the solution (theory 4). Shared by the
// solver's files.

#ifndef TRXI_CONTACT_ACTIVE_SET_H
#define TRXI_CONTACT_ACTIVE_SET_H

#include "contact/work.h"

/// An island's matrix is dense and unsymmetric: none is made for problems with more dofs than this.
enum { TRXI_ACTIVE_SET_DOFS = 1000 };

/// Goes on from v and the impulses of the iterate `now`, with W of all blocks set. Returns true at a solution: the change of v and
/// the error of the laws, relative to v, are below a hundredth of the tolerance. Else v and the impulses are as they were, and the
/// states of the iterate `next` have these impulses too. Adds its iterations to the statistics.
bool trxi_active_set(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s);

/// Makes room for attempts, once, so that no later step does. Returns false when memory is out.
bool trxi_active_set_reserve(const trxi_contact_problem *problem, trxi_work *s);

/// Iterations of a slow method after which the next attempt is due.
typedef struct trxi_attempts {
    int due;
} trxi_attempts;

/// An attempt when it is due, later and later; none where a problem has more than 1000 dofs, whose matrix is large.
bool trxi_active_set_attempt(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_attempts *attempts,
                             trxi_work *s);

#endif
