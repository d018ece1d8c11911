// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A search for another plan in a thread of its own, beside the ticks of a controller (theory 7, model predictive control).

#ifndef TRXI_MPC_BACKGROUND_H
#define TRXI_MPC_BACKGROUND_H

#include "mpc/first_plan.h"

typedef struct trxi_background trxi_background;

/// The task of a search: the rest of the whole task, from a state on.
typedef struct trxi_quest {
    const double *x;      // nstate, at the beginning
    double time;          // of the beginning [s]
    int knot, steps;      // of the task, of its steps: where the rest begins, how long it is
    const trx_plan *plan; // has the targets that are the same for all knots
} trxi_quest;

typedef enum trxi_background_state {
    TRXI_IDLE,      // nothing has been asked, or the result was taken
    TRXI_SEARCHING, // no result yet
    TRXI_FOUND,     // a plan
    TRXI_NOTHING,   // the search failed
} trxi_background_state;

/// Starts the thread, which waits. The arrays of `task` must outlive the search. Errors: MEMORY, also when a thread cannot be
/// started; UNSUPPORTED (prescribed motions and loads that vary: the time of a search begins at 0).
trx_status trxi_background_create(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings,
                                  trxi_background **background);
/// Stops a search that runs. NULL is accepted.
void trxi_background_destroy(trxi_background *background);

/// Begins a search; there must be none. Copies the quest, allocates nothing in the thread of the caller and does not wait.
void trxi_background_begin(trxi_background *background, const trxi_quest *quest);

/// The state of the search; with `wait`, waits for its end first.
trxi_background_state trxi_background_look(trxi_background *background, bool wait);

/// The found plan, at the planner's time step, from the beginning of the quest on. Valid until the next trxi_background_begin.
const trxi_first_plan *trxi_background_plan(const trxi_background *background);

/// Stops a search that runs, waits until it has stopped, and is IDLE again.
void trxi_background_forget(trxi_background *background);

#endif
