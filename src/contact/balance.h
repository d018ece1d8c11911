// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Momentum balance of an island at an iterate (theory 2.2): impulses and residual. Shared by the solver's files.

#ifndef TRXI_CONTACT_BALANCE_H
#define TRXI_CONTACT_BALANCE_H

#include "contact/work.h"

/// v_c, gamma, G of the island's rows, and p, j, r = p - p0 - j of its groups at x->v. O(nv of each group squared + rows).
void trxi_balance_compute(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s, trxi_iterate *x);

/// Computes j and r from p and the impulses.
void trxi_balance_collect(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s, trxi_iterate *x);

/// Exchanges the two iterates, so `next` becomes `now`.
static inline void trxi_balance_accept(trxi_island *island)
{
    trxi_iterate *before = island->now;
    island->now = island->next, island->next = before;
}

/// Ends work on an island: the solver's v and the blocks have the velocity and the impulses of `now`.
void trxi_balance_publish(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s);

#endif
