// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the tests of published cases: a problem file of problems/cases/ with overrides, stepped one by one, with
// its coordinates by name, and the sums that the cases are judged by. A run that cannot be opened or stepped fails the
// test that asked for it, unless the function says otherwise.

#ifndef TESTS_PAPER_RUN_H
#define TESTS_PAPER_RUN_H

#include <tractrix/tractrix.h>

enum { PAPER_SETS = 12 };

typedef struct paper_run {
    trx_context *context;
    trx_problem *problem;
    const trx_model *model;
    trx_sim *sim;
    trx_model_size size;
    double *x, *x0; // state after and before the last step (nq + nv)
    double dt;      // [s]
    int steps;      // of the problem file
    int step;       // taken so far
    long iterations; // Newton iterations so far
    int most_iterations;
} paper_run;

/// Loads problems/cases/NAME.yaml, or the file NAME if it has a slash, under the texts "KEY=VALUE" that follow (NULL ends them).
paper_run paper_open(const char *name, ...) __attribute__((sentinel));

/// The same with the overrides as an array; with `may_fail` a run without sim tells that it failed.
paper_run paper_open_sets(const char *name, const char *const *sets, int nset, bool may_fail);

void paper_close(paper_run *run);

/// One step; a negative status fails the test.
void paper_step(paper_run *run);

/// One step; the caller judges its status.
trx_status paper_try_step(paper_run *run);

/// Steps until `time` after the start.
void paper_until(paper_run *run, double time);

/// Index in x of a coordinate ("box.x") or velocity ("box.vx").
int paper_index(const paper_run *run, const char *name);
double paper_value(const paper_run *run, const char *name);

/// Kinetic and potential energy of the state [J].
double paper_energy(const paper_run *run);

/// Total normal force of the last step's contacts [N].
double paper_normal_force(const paper_run *run);

/// Slope of log(y) over log(x) by least squares, and the square of the correlation (NULL: not wanted).
double paper_order(const double *x, const double *y, int n, double *r_squared);

/// Error of the configuration at step `dt` against `reference` (rows of nq numbers at multiples of `grid`, the start left
/// out): the root of the mean over the rows of the square of its first three coordinates, which are the place of a
/// free body. `sets` as in paper_open_sets.
double paper_error(const char *name, const char *const *sets, int nset, double dt, double grid, const double *reference,
                   int rows);

/// The rows that paper_error takes, computed at step dt; owned by the caller.
double *paper_reference(const char *name, const char *const *sets, int nset, double dt, double grid, int rows);

#endif
