// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One iteration of a method whose Riccati sweep is damped (theory 7): iLQR and multiple shooting.

#ifndef TRXI_TRAJOPT_DAMPING_H
#define TRXI_TRAJOPT_DAMPING_H

#include "trajopt/method.h"

/// A minimization by damped sweeps. The argument `method` of the functions is the solver that contains this struct.
typedef struct trxi_damped {
    const trxi_workspace *work;
    double tolerance; // of this minimization
    double mu;        // damping of the next sweep [1]
    trxi_method_info info;
    bool (*sweep)(void *method);         // with mu; sets info.expected and info.gradient; false: not positive definite
    bool (*line_search)(void *method);   // along the last sweep; sets info.step; whether a step was accepted
    double (*merit)(const void *method); // what a step must decrease
} trxi_damped;

/// Starts a minimization; the damping stays.
void trxi_damped_start(trxi_damped *d, double tolerance);

/// Sweep, test for the end, step: an iteration after the linearization. Returns status and *finished like trxi_method.iterate.
trx_status trxi_damped_iterate(trxi_damped *d, void *method, bool *finished);

#endif
