// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The plan that a controller follows after a search, and when it searches (theory 7, model predictive control).

#ifndef TRXI_MPC_COURSE_H
#define TRXI_MPC_COURSE_H

#include "mpc/background.h"
#include "mpc/stuck.h"

#include <tractrix/policy.h>

typedef struct trxi_course {
    trxi_background *background; // NULL: no search
    int steps, least;            // of the task; the least number of steps that a search plans [1]
    double step, delay;          // of the task; settings.search_delay [s]
    bool wait;                   // whether a tick waits for a search that is due
    trxi_stuck stuck;
    bool asked;                  // a search runs, or its plan waits to be taken
    bool unwanted;               // the targets of the task have changed since the search began
    double due;                  // time at which the plan of the search begins [s]
    double *x;                   // nstate: state at which the plan of the search begins
    bool leads;                  // the loop follows `plan`
    trxi_first_plan plan;        // plan found by a search
    int searches, taken;         // searches begun; searches whose plan became the policy
} trxi_course;

/// Carves the arrays for the planner's problem, which is the task at the planner's time step.
void trxi_course_layout(trxi_arena *arena, const trx_plan_problem *problem, trxi_course *course);

/// Creates the background where settings.search_effort is positive; the caller destroys it. Errors: as for trxi_background_create.
trx_status trxi_course_open(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings,
                            trxi_course *course);

/// Returns the plan of a search if it is due at `time`, else NULL. The plan is valid until the caller, in the same tick, calls
/// trxi_course_decide.
const trxi_first_plan *trxi_course_due(trxi_course *course, double time);

/// Ends the comparison of a found plan: with `follow` the loop follows the plan from now on, else the plan is forgotten.
void trxi_course_decide(trxi_course *course, double time, bool follow);

/// Time at which the followed plan ends [s]; -INFINITY when the loop follows no found plan.
double trxi_course_end(const trxi_course *course);

/// Call after `plan` has become the policy at `time`. Begins a search when the loop is stuck. Only a plan to the end of the task
/// shows whether the loop is stuck. `friction` (npair): factors of the friction of the model for the search; NULL: 1.
void trxi_course_watch(trxi_course *course, double time, trx_plan *plan, trx_policy *policy, const double *friction);

/// Call when targets have changed: the result of a running search is not used.
void trxi_course_turn(trxi_course *course);

/// Forgets searches and their plans. Waits until a search has stopped.
void trxi_course_reset(trxi_course *course);

#endif
