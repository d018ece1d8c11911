// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the tests of this room: a problem of a few steps in which a pusher, in contact from the start, pushes a box;
// a run of it; and a fresh folder to write to.

#ifndef TESTS_REPORT_FIXTURE_H
#define TESTS_REPORT_FIXTURE_H

#include "report/run.h"
#include "support/folders.h"
#include "support/support.h"

enum { NQ = 10, NV = 9, NU = 3, STEPS = 12, NX = NQ + NV }; // of the problem

typedef struct fixture {
    trx_context *context;
    trxi_pool *pool;
    trx_problem *problem;
    trx_run *run;
    char place[TEMPORARY_PATH]; // a fresh folder
    char folder[TEMPORARY_PATH + 8]; // PLACE/run, not there yet
} fixture;

void fixture_open(fixture *f);
void fixture_close(fixture *f);

/// FOLDER/NAME, in the fixture's pool.
const char *fixture_file(const fixture *f, const char *name);

/// problems/push_box.yaml for STEPS steps, its pusher at the box.
trx_status fixture_load(trx_context *context, trx_problem **problem);

/// problems/NAME.yaml with one override, and a run of it.
void fixture_load_other(const fixture *f, const char *name, const char *set, trx_problem **problem, trx_run **run);

/// Controls of a push that sticks, then slips.
void fixture_controls(double u[NU * STEPS]);

/// A simulation driven by `u`.
trx_simulation fixture_simulation(const double *u);

/// A sim of the problem at its own settings, and its start state.
trx_sim *fixture_sim(const fixture *f, double x[NX]);

#endif
