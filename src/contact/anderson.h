// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Anderson's acceleration of a fixed-point iteration on the rows of an island (theory 4). Shared by the solver's files.

#ifndef TRXI_CONTACT_ANDERSON_H
#define TRXI_CONTACT_ANDERSON_H

#include "contact/work.h"

/// The number of iterations on record, at most TRXI_PAST + 1, and the place of the oldest change.
typedef struct trxi_anderson {
    int count, oldest;
} trxi_anderson;

/// Records the step of the iteration from its point, and takes this step as the move row->move, which an extrapolation may
/// replace. The caller records every block of an island, then ends the record. `weight` times the square of the step is an energy.
void trxi_anderson_record(const trxi_anderson *past, const trxi_row_block *block, double weight, const double *step,
                          trxi_row_past *row);
void trxi_anderson_end(trxi_anderson *past);

/// Sets row->move of all blocks to the extrapolation from the recorded iterations. Returns false and changes no move when there
/// is no extrapolation.
bool trxi_anderson_extrapolate(const trxi_contact_problem *problem, const trxi_island *island, const trxi_anderson *past);

#endif
