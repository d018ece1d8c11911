// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The test of derivatives of a step: compares A and B with extrapolated central differences, column by column,
//
//     error of column j = max_i |A_ij - F_ij| / max(max_i |F_ij|, 1e-3 max |F|)
//
// and rejects and counts states near kinks, where differences are no reference.

#ifndef TESTS_STEP_JUDGE_H
#define TESTS_STEP_JUDGE_H

#include <stdint.h>
#include <tractrix/sim.h>

/// Largest error of a column of A (rows x columns) against F.
double column_error(int rows, int columns, const double *A, const double *F);

typedef struct judge_tally {
    int accepted, rejected;
    int modes[3];  // contact points of accepted states: open, stick, slip
    int limits;    // accepted states in which a joint limit pushes
    int turned;    // accepted states in which the first contact has a moment
    double worst;  // error of a column of A or B
} judge_tally;

/// Steps at (x, u) and adds the errors of A and B to the tally; true when the state is accepted. The last step is the one
/// at (x, u). Fails the test when the step fails, or A is zero or bit for bit the reference. A column of B that is zero, as of a
/// drive at its effort, is compared with 1e-6.
bool judge_state(trx_sim *sim, const double *x, const double *u, judge_tally *tally);

/// The same with differences from the increment `eps` on, where there are no gaps of micrometres: states without contacts.
bool judge_state_from(trx_sim *sim, double eps, const double *x, const double *u, judge_tally *tally);

/// Compares products of the last step's derivatives with its A and B, for random vectors numbered `seed`: relative to 1 + max |A|,
/// and with each other, <seed, D t> = <D^T seed, t>. Fails the test when the adjoint product is zero.
void judge_products(trx_sim *sim, uint64_t seed, double tolerance);

void judge_add(const judge_tally *from, judge_tally *to);

#endif
