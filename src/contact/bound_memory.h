// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Anderson's acceleration of the friction bounds of a two-level solve (theory 4): see bound_memory.c. Shared by the solver's files.

#ifndef TRXI_CONTACT_BOUND_MEMORY_H
#define TRXI_CONTACT_BOUND_MEMORY_H

#include "contact/work.h"

/// Levels that are remembered, at most TRXI_LEVELS_KEPT.
typedef struct trxi_bound_memory {
    int count, slot; // remembered levels; place of the next one
    double part;     // of the way that a level goes, 1 at first
} trxi_bound_memory;

/// Remembers the bounds of the level that was solved.
void trxi_bound_memory_keep(const trxi_contact_problem *problem, const trxi_island *island, const trxi_bound_memory *memory);

/// The next level has the bounds that follow from the last: remembers their change, and replaces the bounds by those at which a
/// linear map through the remembered levels would change nothing.
void trxi_bound_memory_advance(const trxi_contact_problem *problem, const trxi_island *island, trxi_bound_memory *memory);

#endif
