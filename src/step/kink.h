// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Kinks of the step map (theory 6): the branches of a step, and the distance to the nearest switch.

#ifndef TRXI_STEP_KINK_H
#define TRXI_STEP_KINK_H

#include "step/sim.h"

/// Hash of all branches of the last step. Contacts without an impulse now and at the start do not count, so a pair that
/// only comes within its margin changes nothing.
unsigned long long trxi_step_branches(const trxi_rows *rows);

/// Smallest change of a gap (or of dt times a velocity) that switches a branch [m].
double trxi_step_kink_distance(const trxi_input *in, const trxi_rows *rows);

#endif
