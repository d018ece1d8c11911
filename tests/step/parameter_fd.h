// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The column of C of one parameter against central differences of the whole step at other values of it.

#ifndef TESTS_STEP_PARAMETER_FD_H
#define TESTS_STEP_PARAMETER_FD_H

#include <tractrix/sim.h>

typedef struct parameter_tally {
    int judged, nonzero, kinks;
    double worst; // error relative to the column, as an effect of the parameter's own size
} parameter_tally;

/// Steps at (x, u) and adds the error of the derivative to the tally; fails the test when it is above `bound`. Effects below
/// 1e-3 m/s or rad/s per size of the parameter are lost in the rounding of the differences. A column is not judged where every
/// pair of ends takes other branches.
void parameter_judge(trx_sim *sim, trx_parameter p, const double *x, const double *u, double bound, parameter_tally *tally);

/// The typical size of a parameter: its value, or a change that matters in a scene of 0.1 m and 1 kg.
double parameter_size(trx_sim *sim, trx_parameter p);

#endif
