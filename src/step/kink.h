// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Where the step map is not smooth (theory 6): the branches a step took, and how far the nearest switch is.

#ifndef TRXI_STEP_KINK_H
#define TRXI_STEP_KINK_H

#include "step/sim.h"

/// Hash of all branches of the last step. Contacts that neither act nor acted at the start do not count, so a pair
/// that merely comes within its margin changes nothing.
unsigned long long trxi_step_branches(const trx_sim *sim);

/// Smallest change of a gap (or of dt times a velocity) that switches a branch [m].
double trxi_step_kink_distance(const trx_sim *sim);

#endif
