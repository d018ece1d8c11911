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
    int knot, steps;      // first knot of the rest, number of its steps, at the time step of the task
    const trx_plan *plan; // plan with the current targets of terms whose target is the same for all knots
    const double *friction; // npair: factors of the friction of the model; NULL: 1 [1]
} trxi_quest;

typedef enum trxi_background_state {
    TRXI_IDLE,      // no search was begun, or its result was taken
    TRXI_SEARCHING, // a search runs
    TRXI_FOUND,     // a search has found a plan
    TRXI_NOTHING,   // the search failed
} trxi_background_state;

/// Starts the thread, which then waits. The arrays of `task` must outlive the search. Errors: MEMORY, also when a thread cannot be
/// started; UNSUPPORTED for prescribed motions and loads that vary, because the time of a search begins at 0.
trx_status trxi_background_create(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings,
                                  trxi_background **background);
/// Stops a running search and the thread. NULL is accepted.
void trxi_background_destroy(trxi_background *background);

/// Begins a search; there must be none. Copies the quest, allocates nothing in the thread of the caller and does not wait.
void trxi_background_begin(trxi_background *background, const trxi_quest *quest);

/// The state of the search; with `wait`, waits for its end first.
trxi_background_state trxi_background_look(trxi_background *background, bool wait);

/// The found plan, at the planner's time step, from the beginning of the quest on. Valid until the next trxi_background_begin.
const trxi_first_plan *trxi_background_plan(const trxi_background *background);

/// Stops a running search, waits for its end, and drops its result: the state becomes IDLE.
void trxi_background_forget(trxi_background *background);

#endif
