// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives against differences: of the whole step, and of the terms that its derivatives are made of.

#ifndef TRACTRIX_VERIFY_H
#define TRACTRIX_VERIFY_H

#include <tractrix/sim.h>

/// The reference for tests and `check`: A and B by Richardson-extrapolated central differences of the step solved
/// to its round-off floor. `eps` is the largest increment (of controls: eps / time_step, over their gain): each
/// column uses the one, down to a thousandth of it (a tenth for velocities and controls), that crosses no kink of the
/// step map and whose two differences agree best. `kink` is set when a column has none, or when (x, u) lies on a
/// kink: the result is then no reference. Leaves the last step as the one at (x, u). Allocates. Errors: ARGUMENT, MEMORY,
/// those of trx_step.
TRX_API trx_status trx_step_fd(trx_sim *sim, const double *x, const double *u, double eps, double *A, double *B,
                               bool *kink);

/// The derivatives that A and B are made of: of M(q) a; of Coriolis, centrifugal forces and gravity; of gap, normal and point of
/// every contact; of every contact's impulse by its velocity, gap and the other constants of its law; of the forces of limits,
/// constraints, drives and dry friction; of the positions at the end by those before and by velocities.
typedef enum trx_term {
    TRX_TERM_MASS, TRX_TERM_BIAS, TRX_TERM_GEOMETRY, TRX_TERM_FRICTION, TRX_TERM_LIMIT, TRX_TERM_INTEGRATION, TRX_TERMS
} trx_term;

/// "mass", "bias", "geometry", "friction", "limit", "integration".
TRX_API const char *trx_term_name(trx_term term);

typedef struct trx_term_check {
    double error;      // largest error of a column relative to its size [1]
    char at[280];      // where: "d force(elbow) / d shoulder", "box|ground point 2, d n.x / d box.rx"; "" where all is exact
    int columns, left; // columns judged; columns that no difference resolves, as beside a kink
} trx_term_check;

/// Judges each term at (x, u) against extrapolated central differences of its own value, and adds to what `terms` holds: zero them
/// before the first state. Leaves the last step as the one at (x, u). Allocates. Errors: ARGUMENT, MEMORY, those of trx_step.
TRX_API trx_status trx_step_check_terms(trx_sim *sim, const double *x, const double *u, trx_term_check terms[TRX_TERMS]);

/// Result of the gradient check of a problem: A, B, C (by parameters) and the terms, at some states.
typedef struct trx_gradient_check {
    double a_error, b_error, c_error;         // largest column-wise relative error
    char a_at[160], b_at[160], c_at[160];     // where: "knot 3, d box.vx / d px"
    int states, kinks;             // states judged, states counted as kinks
    int parameters;                // columns of C judged, over all states
    int parameters_left;           // columns not judged: at a kink or lost in rounding
    trx_term_check terms[TRX_TERMS]; // the terms of A and B, "knot 3, d force(elbow) / d shoulder"
    int term_states;               // states at which they were judged
    bool ok;                       // all below 1e-5
} trx_gradient_check;

#endif
