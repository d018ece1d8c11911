// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The times of samples and the knots of a simulation (theory 10).

#ifndef TRXI_FIT_KNOT_H
#define TRXI_FIT_KNOT_H

#include <tractrix/fit.h>

/// Knot at or before time t of a recording that begins at `begin`, and the share of the step after the knot; times within a
/// thousandth of a step of a knot are at the knot.
int trxi_knot_of(double begin, double time_step, double t, double *share);

/// Row of a recording whose controls act at time t: the last row up to then, or the first row. The search begins at `row`.
int trxi_held_row(const trx_fit_recording *r, double time_step, double t, int row);

#endif
