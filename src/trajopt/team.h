// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Several threads that work on one trajectory (theory 7). Each thread has its own simulator and cost for the same problem.
// Knots of a linearization and step lengths of a line search are independent, so results have the same bits for every number of
// threads.

#ifndef TRXI_TRAJOPT_TEAM_H
#define TRXI_TRAJOPT_TEAM_H

#include "base/workers.h"
#include "trajopt/rollout.h"

enum { TRXI_MAX_THREADS = 64 };

/// The objects of an additional thread. Messages of its steps go to its own context.
typedef struct trxi_member {
    trx_context *context;
    trx_sim *sim;
    trxi_cost cost;
    trxi_rollout rollout; // x0 and bounds are views of the first rollout's arrays
    trxi_trajectory trajectory;
} trxi_member;

typedef struct trxi_team {
    trxi_workers *workers;
    int size; // threads; members has one less
    trxi_member *members;
    trxi_trajectory **trials; // size: [0] unused, the others point to free trajectories
    trx_status *status;       // max(steps, size): status of each task
} trxi_team;

/// Carves the arrays for `threads` threads on the problem of `first`.
void trxi_team_layout(trxi_arena *arena, const trx_plan_problem *problem, const trxi_rollout *first, int threads,
                      trxi_team *team);

/// Creates simulators, contexts and threads. A team of one needs none. Errors: MEMORY, errors of trx_sim_create.
trx_status trxi_team_start(trx_context *context, const trx_plan_problem *problem, const trx_sim_settings *settings,
                           const trxi_rollout *first, trxi_team *team);
void trxi_team_stop(trxi_team *team);

/// The rollout that `worker` uses: `first`, or a member's.
static inline trxi_rollout *trxi_team_rollout(trxi_team *team, trxi_rollout *first, int worker)
{
    if (worker == 0) return first;
    trxi_rollout *own = &team->members[worker - 1].rollout;
    own->deadline = first->deadline;
    return own;
}

#endif
