// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Many steps in one call from Python. A loop in Python would take the interpreter's lock before and after every step, so threads
// that simulate at the same time would wait for each other.

#ifndef TRXI_PYTHON_ROLLOUT_H
#define TRXI_PYTHON_ROLLOUT_H

#include <tractrix/sim.h>

typedef struct trxi_rollout {
    double time;     // of the first knot [s]
    int steps;
    const double *u; // nu x steps; NULL: zero
    double *x;       // nstate x (steps + 1): knot 0 is the start, the others are written
    double *A;       // ntangent x ntangent x steps, column-major; NULL: not wanted
    double *B;       // ntangent x nu x steps, column-major; NULL: not wanted
} trxi_rollout;

/// Simulates. `done` takes the number of steps whose results are written: all, or those before a step that failed. Errors: those
/// of trx_step_from and trx_step_jac.
trx_status trxi_rollout_run(trx_sim *sim, const trxi_rollout *rollout, int *done);

#endif
