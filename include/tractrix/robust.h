// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Robust plans: controls that lower the mean cost of several worlds under one policy (theory 7, robust plans).

#ifndef TRACTRIX_ROBUST_H
#define TRACTRIX_ROBUST_H

#include <tractrix/trial.h>

TRX_BEGIN_C

typedef struct trx_robust_settings {
    size_t size;             // sizeof(trx_robust_settings), set by the default function
    int worlds;              // number of worlds, 1 to 1000; the first world is the model itself [1]
    unsigned long long seed; // of the draws of the worlds; should differ from the seed of trials
    int iterations;          // largest number of iterations [1]
    double tolerance;        // predicted decrease of the cost, relative, at which the iteration has converged [1]
    int threads;             // 1 to 64; results have the same bits for every number [1]
    trx_trial_settings ranges;  // friction, stiffness, dissipation, mass, damping, start_position and start_rotation count
    trx_policy_settings policy; // of the gains that all worlds share
} trx_robust_settings;

/// 8 worlds, seed 1001, 20 iterations, 1e-3, one thread, ranges and policy by default.
TRX_API trx_robust_settings trx_robust_settings_default(void);

/// A solved plan, and its refinement if there is one.
typedef struct trx_robust_problem {
    const trx_plan_problem *task;
    const trx_plan_settings *settings; // of the result
    const trx_plan *plan;              // of this task, solved
    const trx_plan *refined;           // of `plan` (trx_plan_create_refined), solved; NULL: none
} trx_robust_problem;

/// Costs before [0] and after [1], under the policy: of the model, the mean of all worlds, the worst world.
typedef struct trx_robust_info {
    trx_status status; // OK, STALLED, ITERATION_LIMIT or INTERRUPTED
    int worlds, iterations;
    double nominal[2], mean[2], worst[2];
    double seconds;
} trx_robust_info;

/// Called after every iteration; false ends the work with the best controls so far.
typedef bool (*trx_robust_progress)(const trx_robust_info *info, void *user);

/// Creates a plan whose controls start from the given plan and lower the mean cost of the worlds under the policy of the plan
/// (trx_policy_of_plan). The result is solved and judged; it has the time step of the refinement, if there is one, else of the
/// plan. Returns with a plan: OK, STALLED (no change of the controls lowers the cost, although a decrease is predicted),
/// ITERATION_LIMIT or INTERRUPTED. Errors, without a plan: ARGUMENT, NO_STEP (not solved), UNSUPPORTED (limits, costs of control
/// rates), NOT_PD, FAILED (a step of a world fails), MEMORY. `info` may be NULL.
TRX_API trx_status trx_plan_create_robust(trx_context *context, const trx_robust_problem *problem,
                                          const trx_robust_settings *settings, trx_robust_progress progress, void *user,
                                          trx_robust_info *info, trx_plan **robust);

TRX_END_C

#endif
