// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The guess of a tick (theory 7, model predictive control).

#ifndef TRXI_MPC_GUESS_H
#define TRXI_MPC_GUESS_H

#include "base/arena.h"

#include <tractrix/plan.h>
#include <tractrix/policy.h>

/// Scratch of a guess.
typedef struct trxi_guess {
    double *x;  // nstate x 2: states at both ends of a step
    double *u;  // nu
    double *dx; // ntangent
} trxi_guess;

void trxi_guess_layout(trxi_arena *arena, const trx_model *model, trxi_guess *guess);

/// Gives a plan that begins at `time` its guess: the steps of `policy` from `time` on, then the steps of `first`, the plan of the
/// whole task. A step that neither contains repeats the step before. If neither contains the first step, the first step is the
/// last step of `policy`, or of `first` after the end of `policy`. Both have gains and the time step of the plan.
void trxi_guess_fill(const trxi_guess *guess, const trx_policy_def *policy, const trx_policy_def *first, double time,
                     trx_plan *plan);

#endif
