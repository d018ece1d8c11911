// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives compared with differences: derivatives of the whole step, and each term of these derivatives.

#ifndef TRACTRIX_VERIFY_H
#define TRACTRIX_VERIFY_H

#include <tractrix/plan.h>

TRX_BEGIN_C

/// The reference for tests and `check`: A and B by Richardson-extrapolated central differences of the step, solved to its
/// round-off floor. `eps` is the largest increment (of controls: eps / time_step, divided by their gain). Each column chooses
/// an increment from `eps` down to a small share of it (step_fd.c): the increment whose two differences agree best, and that
/// crosses no kink of the step map. `kink` is set when a column has no such increment, or when (x, u) lies on a kink; the
/// result is then no reference. Afterwards the last step is the step at (x, u). Allocates. Errors: ARGUMENT, MEMORY, errors of
/// trx_step.
TRX_API trx_status trx_step_fd(trx_sim *sim, const double *x, const double *u, double eps, double *A, double *B,
                               bool *kink);

/// The terms of A and B, derivatives of: M(q) a; Coriolis, centrifugal forces and gravity; gap, normal and point of every
/// contact; every contact's impulse with respect to its velocity, gap and the other constants of its law; forces of limits,
/// constraints, drives and dry friction; positions at the end with respect to positions before and velocities.
typedef enum trx_term {
    TRX_TERM_MASS = 0,
    TRX_TERM_BIAS = 1,
    TRX_TERM_GEOMETRY = 2,
    TRX_TERM_FRICTION = 3,
    TRX_TERM_LIMIT = 4,
    TRX_TERM_INTEGRATION = 5,
    TRX_TERMS = 6, // their number
} trx_term;

/// "mass", "bias", "geometry", "friction", "limit", "integration".
TRX_API const char *trx_term_name(trx_term term);

typedef struct trx_term_check {
    double error;      // largest error of a column relative to its size [1]
    char at[280];      // the worst entry: "d force(elbow) / d shoulder", "box|ground point 2, d n.x / d box.rx"; "" if all are
                       // exact
    int columns, left; // judged columns; columns without a reference, for example near a kink
} trx_term_check;

/// Judges each term at (x, u) against extrapolated central differences of its own value, and adds the result to `terms`.
/// Set `terms` to zero before the first state. Afterwards the last step is the step at (x, u). Allocates. Errors: ARGUMENT,
/// MEMORY, errors of trx_step.
TRX_API trx_status trx_step_check_terms(trx_sim *sim, const double *x, const double *u, trx_term_check terms[TRX_TERMS]);

/// Checks the Jacobian of every cost term that counts at a knot (0 .. N; u is ignored at N) against differences of the residual of
/// the term. A residual of contact forces depends on x and u through the step, under the physical law. Adds to *check: start with
/// {0}. `at` is "box.position, d x / d box.x". Allocates memory. Errors: ARGUMENT, MEMORY.
TRX_API trx_status trx_plan_check_terms(trx_plan *plan, int knot, const double *x, const double *u, trx_term_check *check);

/// Result of the gradient check of a problem at some states: A, B, C (with respect to parameters) and the terms.
typedef struct trx_gradient_check {
    double a_error, b_error, c_error;         // largest column-wise relative error
    char a_at[160], b_at[160], c_at[160];     // where: "knot 3, d box.vx / d px"
    int states, kinks;             // states judged, states counted as kinks
    int parameters;                // columns of C judged, over all states
    int parameters_left;           // columns not judged: at a kink or lost in rounding
    trx_term_check terms[TRX_TERMS]; // the terms of A and B, "knot 3, d force(elbow) / d shoulder"
    int term_states;               // number of states at which the terms were judged
    bool ok;                       // all errors are below 1e-5
    trx_term_check cost;           // Jacobians of the cost terms of a plan, "knot 3, box.position, d x / d box.x"
} trx_gradient_check;

TRX_END_C

#endif
