// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Scenes that depend on time, from the text of a problem file: stepped with the clock, and their derivatives against
// differences.

#ifndef TESTS_STEP_TIMED_H
#define TESTS_STEP_TIMED_H

#include <tractrix/problem.h>

enum { TIMED_MAX_X = 120 };

typedef struct timed {
    trx_context *context;
    trx_problem *problem;
    const trx_model *model;
    trx_sim *sim;
    int nq, nv;
    double dt;
    double x[TIMED_MAX_X]; // at first the start
} timed;

/// The text must load. Solves to 1e-12. To be closed with timed_close.
timed timed_open(const char *text);
void timed_close(timed *t);

/// Steps x from knot `first` to knot `last`, knot k at k dt.
void timed_run(timed *t, int first, int last);

/// Places in x: of a coordinate by its name ("box.x", "px"), of a velocity ("box.vx", "px.v").
int timed_q(const timed *t, const char *name);
int timed_v(const timed *t, const char *name);

/// Step, jac and differences at x at the time given: the largest error of a column of A, relative to its largest entry or to
/// a thousandth of the matrix's; -1 near a kink. Fails the test when A is only that of a motion without forces.
double timed_derivative_error(timed *t, double time);

#endif
