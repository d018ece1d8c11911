// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The interface of a method of trajectory optimization (theory 7, 8): a table of functions on its own solver and on
// the workspace of the plan. A driver starts a minimization, iterates until it ends, and finds the best trajectory in
// the workspace. A new method is one file with such a table and one line in method.c.

#ifndef TRXI_TRAJOPT_METHOD_H
#define TRXI_TRAJOPT_METHOD_H

#include "trajopt/rates.h"
#include "trajopt/rollout.h"

#include <tractrix/plan.h>

/// Trajectories, programs and scratch of one plan. A running method owns them. Between runs, replays, measurements
/// and diagnosis use them.
typedef struct trxi_workspace {
    trxi_rollout *rollout;
    trxi_trajectory *current, *trial; // the best trajectory so far, and a trial; exchanged when a step is accepted
    trxi_ocp ocp, next;               // expansions of `current` and of `trial`
    trxi_policy policy;
    trxi_riccati riccati;
    trxi_box_sweep box;
    bool has_rates;                   // terms of control rates: sweeps go through `rates`
    trxi_rates rates;
    double *scale;                    // nu: diagonal of the regularization
    bool whole;                       // no stage of the plan smooths a contact, so sweeps may solve the program as a whole
} trxi_workspace;

/// Accepts a step: the trial becomes the best trajectory so far.
static inline void trxi_workspace_exchange(trxi_workspace *work)
{
    trxi_trajectory *before = work->current;
    work->current = work->trial;
    work->trial = before;
}

/// `defects`: as in the method.
void trxi_workspace_layout(trxi_arena *arena, const trxi_rollout *r, bool defects, trxi_workspace *work);

/// The Riccati sweep of work->ocp into work->policy, within bounds as a whole or knot by knot; see trxi_box_sweep_run.
bool trxi_workspace_sweep(trxi_workspace *work, double mu, bool whole);

/// Result of the last iteration.
typedef struct trxi_method_info {
    double expected;       // decrease predicted for the full step
    double gradient;       // max |Q_u|
    double step;           // accepted step length, 0 when none was accepted
    double regularization; // mu
    double defect;         // sum of |f(x_k, u_k) (-) x_{k+1}|, 0 for a simulated trajectory
    double first_cost;     // first cost of the minimization
    int small_steps;       // accepted steps in a row with a negligible decrease
} trxi_method_info;

/// The start of a minimization.
typedef enum trxi_origin {
    TRXI_CONTROLS = 0,  // the controls of work->current
    TRXI_POLICY = 1,    // also the states of work->current, and the gains of work->policy, made under the same law
    TRXI_OTHER_LAW = 2, // the same, made under another law, so that the gains may not fit
} trxi_origin;

typedef struct trxi_method {
    bool defects; // the stages of work->ocp and work->next have defects
    bool keeps_limits; // the method treats the limits of rollout->cost as constraints; else they are part of the cost
    bool begins_again; // `visit` does not record the whole state: after an interruption a minimization begins again

    /// A solver that works in `work`, which must outlive it. Errors: MEMORY, UNSUPPORTED (not in this build).
    trx_status (*create)(trx_context *context, const trx_plan_settings *settings, trxi_workspace *work, void **solver);
    void (*destroy)(trx_context *context, void *solver);

    /// Clears the damping of earlier minimizations.
    void (*reset)(void *solver);

    /// Starts a minimization at work->current. `tolerance` is the relative decrease of the cost for convergence. Errors: a failed
    /// step, at rollout->failed_knot; NOT_FINITE with failed_knot -1 for a cost that overflows.
    trx_status (*start)(void *solver, trxi_origin origin, double tolerance);

    /// One iteration, which ends early at work->rollout->deadline. `last`: no other iteration follows.
    /// work->current is then the best trajectory so far. With *finished: TRX_OK (converged), STALLED, TIME_LIMIT or an
    /// error; without: TRX_OK. Errors: NOT_PD at work->riccati.failed_knot, a failed step.
    trx_status (*iterate)(void *solver, bool last, bool *finished);

    /// Ends a minimization: makes work->current the best known simulated trajectory. NULL: work->current always is simulated.
    void (*finish)(void *solver);

    trxi_method_info (*info)(const void *solver);

    /// The reason why the method ended, for the message of the plan; "" or NULL: the status says enough.
    const char *(*note)(const void *solver);

    /// Visits the solver's state between two iterations, besides work->current, work->policy, work->scale and work->ocp.
    void (*visit)(trxi_visitor *visitor, void *solver);
} trxi_method;

extern const trxi_method trxi_ilqr;     // ilqr.c
extern const trxi_method trxi_shooting; // shooting.c
extern const trxi_method trxi_ipopt;    // ipopt.c

/// The method of a plan; NULL: unknown, or not in this build.
const trxi_method *trxi_method_find(trx_method method);

#endif
