// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Newton's method on the active set of contacts that stick, slide or are open (theory 4). The method finishes the work of other
// methods, which are slow near the solution. Shared by the solver's files.

#ifndef TRXI_CONTACT_ACTIVE_SET_H
#define TRXI_CONTACT_ACTIVE_SET_H

#include "contact/work.h"

/// The matrix of an island is dense and unsymmetric, so the method is not used for problems with more dofs than this.
enum { TRXI_ACTIVE_SET_DOFS = 1000 };

/// Continues from v and the impulses of the iterate `now`, with W of all blocks set. Returns true at a solution: the change of
/// v and the error of the laws, relative to v, are below a hundredth of the tolerance or below 1e-13. Otherwise restores v and
/// the impulses, and copies these impulses to the states of the iterate `next`. Adds its iterations to the statistics.
bool trxi_active_set(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s);

/// Refines the impulses of a solution, if the tolerance is below the compliance and a contact slides: the shares of contacts in a
/// load then agree with the law. The states of the iterate `next` are scratch. Returns whether the impulses have changed.
bool trxi_active_set_refine(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s);

/// Makes room for attempts, once, so that no later step does. Returns false when memory is out.
bool trxi_active_set_reserve(const trxi_contact_problem *problem, trxi_work *s);

/// Iterations of a slow method after which the next attempt is due.
typedef struct trxi_attempts {
    int due;
} trxi_attempts;

/// Makes an attempt when it is due, at growing intervals; never for problems of more than TRXI_ACTIVE_SET_DOFS dofs.
bool trxi_active_set_attempt(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_attempts *attempts,
                             trxi_work *s);

#endif
