// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Samples and knots (theory 10); see knot.h.

#include "fit/knot.h"

#include <math.h>

static const double KNOT_TOLERANCE = 1e-3; // of a step

int trxi_knot_of(double begin, double time_step, double t, double *share)
{
    const double s = (t - begin) / time_step, knot = floor(s + KNOT_TOLERANCE);
    *share = s - knot > KNOT_TOLERANCE ? s - knot : 0;
    return (int)knot;
}

int trxi_held_row(const trx_fit_recording *r, double time_step, double t, int row)
{
    const double latest = t + KNOT_TOLERANCE * time_step;
    while (row > 0 && r->t[row] > latest) row--;
    while (row + 1 < r->rows && r->t[row + 1] <= latest) row++;
    return row;
}
