// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Model predictive control: a plan that is solved again in every tick from the measured state, and the policy that a
// robot follows between two ticks (theory 7, model predictive control). Only create allocates memory, with two exceptions: a step
// with more contacts than all steps before (trx_sim_create), and a search beside the ticks.
//
//     trx_mpc_create(context, &task, &settings, &mpc);
//     in every tick:     trx_mpc_update(mpc, time, x)                  a few iterations from the shifted plan
//     at any rate:       trx_mpc_control(mpc, time, x, u)              the policy of the last tick
//
// A tick that fails leaves the last policy in place, which goes on to the end of its horizon.

#ifndef TRACTRIX_MPC_H
#define TRACTRIX_MPC_H

#include <tractrix/policy.h>

TRX_BEGIN_C

typedef struct trx_mpc trx_mpc;

typedef struct trx_mpc_settings {
    size_t size;       // sizeof(trx_mpc_settings), set by the default function
    int horizon;       // knots of a plan, at most as many as the task has; 0: to the end of the task [1]
    int least_horizon; // knots of a plan after the end of the task; until then the horizon shrinks with the time that is left [1]
    int iterations;    // of a tick [1]
    double deadline;   // of a tick, INFINITY: none [s]
    double latency;    // time from a measurement to the use of its policy; the state is predicted over this time [s]
    bool first_plan;   // create solves the whole task, through the stages of the problem; else its guess is the first plan
    int threads;       // of a tick, 1 to 64; results have the same bits for every number [1]
    double delay;      // time from a measurement to the effect of its command; the state is predicted over this time too [s]
    int refine;        // steps of the planner for each step of the task, 1 to 100; horizons count steps of the task [1]
    int soft_stages;   // a tick whose plan misses a goal solves again through this number of stages before the physical stage, and
                       // keeps the cheaper plan; 0: never [1]
    double friction_margin; // share of friction that driven bodies lack in the planner's model, 0 to less than 1 [1]
    const trx_policy *first; // the first plan of the whole task, at any time step; NULL: as first_plan says. Only create reads it
    double max_age; // a state measured longer ago is refused [s]
    // counted work of a search, as in trx_search_settings.effort; 0: no search. A loop that keeps missing its goals searches for
    // another plan in a thread of its own. The arrays of the task must then outlive the controller, and the allocator must be safe
    // for two threads. Without a deadline a tick waits for a search that is due, so that results do not depend on the machine
    double search_effort;
    double search_delay; // time from the tick that begins a search to the start of the search's plan [s]
    const trx_policy_settings *gains; // how the gains between ticks are made (trx_policy_of_plan); NULL: gains of the solver. Only
                                      // create reads it
    double goal_weight;  // factor of the weights of cost terms with a tolerance, in ticks only; > 0 [1]
    double friction_range; // share by which the friction between any two bodies may differ from the model, 0 to less than 1. Ticks
                           // estimate the friction within this range from the motion, and plan with the estimate; 0: friction of
                           // the model. Only with the symplectic scheme and without prescribed motions [1]
} trx_mpc_settings;

/// A horizon to the end of the task and of 10 knots after it, 5 iterations, no deadline, no latency, with a first plan, one thread,
/// no delay, the time step of the task, states up to 0.25 s old, no search (its delay 0.2 s), goals with the weights of the task,
/// the friction of the model.
TRX_API trx_mpc_settings trx_mpc_settings_default(void);

/// Creates a controller for a task; its model must outlive it. Targets per knot follow the time of the task. Errors: as for
/// trx_plan_create and, with first_plan, trx_plan_solve; UNSUPPORTED (weights per knot, limits of some knots, a search in a
/// model that depends on time).
TRX_API trx_status trx_mpc_create(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings,
                                  trx_mpc **mpc);
TRX_API void trx_mpc_destroy(trx_mpc *mpc);

/// Plans again from the state x (nstate) measured at `time` [s] of the task: the state is predicted over the delay under the
/// commands of trx_mpc_control, and over the latency under the policy. Returns the status of the solve: TRX_OK, STALLED,
/// ITERATION_LIMIT, TIME_LIMIT with a new policy. Errors, after which the policy is the one before: ARGUMENT (the time runs
/// back), NOT_FINITE (time or state), errors of trx_plan_solve.
TRX_API trx_status trx_mpc_update(trx_mpc *mpc, double time, const double *x);

/// Like trx_mpc_update at the time `now`, from a state that arrived late. The state was measured at `measured_at`, and is
/// predicted from then on under the commands of trx_mpc_control that have acted since. A measurement older than max_age or in
/// the future gives ARGUMENT and changes nothing; later measurements are accepted.
TRX_API trx_status trx_mpc_update_late(trx_mpc *mpc, double now, double measured_at, const double *x);

/// The command u (nu) for the state x (nstate) measured at `time` [s]: the policy at the state that the model predicts for
/// time + delay. Keeps the command for later predictions. One thread at a time, not during an update. Allocates nothing. Errors:
/// ARGUMENT, NOT_FINITE (time or state), errors of trx_step in the prediction; u is then unchanged, and a robot should hold
/// its last command.
TRX_API trx_status trx_mpc_control(trx_mpc *mpc, double time, const double *x, double *u);

/// Like trx_mpc_control at `now` for a state measured at `measured_at`, as in trx_mpc_update_late. A command for an earlier time
/// than the last command replaces all commands after its time.
TRX_API trx_status trx_mpc_control_late(trx_mpc *mpc, double now, double measured_at, const double *x, double *u);

/// Forgets all ticks and commands: the policy is the first plan, and the time may begin again. Targets stay. Allocates nothing.
/// Errors: ARGUMENT.
TRX_API trx_status trx_mpc_restart(trx_mpc *mpc);

/// The policy of the last successful tick; before the first tick, the first plan. The controller owns the policy, and every update
/// changes it. Its time is the time of the plant's motion: a command that acts after a delay belongs to the time at which it acts.
TRX_API trx_policy *trx_mpc_policy(const trx_mpc *mpc);

/// The plan of the ticks; owned by the controller. The policy has the predicted motion.
TRX_API trx_plan *trx_mpc_plan(const trx_mpc *mpc);

/// The friction of a pair that the next tick plans with, before friction_margin: the estimate, without friction_range the
/// friction of the model; NAN if there is no such pair.
TRX_API double trx_mpc_friction(const trx_mpc *mpc, int pair);

/// A new target for the cost term with index `term`, for terms with one target for all knots. The next tick takes it. Errors:
/// ARGUMENT; the target is then unchanged.
TRX_API trx_status trx_mpc_set_target(trx_mpc *mpc, int term, const double *target);

typedef struct trx_mpc_info {
    int ticks, failures; // updates, and updates that returned an error
    double seconds;      // duration of the last update [s]
    double slowest;      // duration of the slowest update [s]
    int late;            // updates that took longer than the deadline
    int searches, found; // searches that have begun, and searches whose plan became the policy
} trx_mpc_info;

TRX_API trx_mpc_info trx_mpc_get_info(const trx_mpc *mpc);

/// A controller for simulations and trials that updates every `period` seconds of simulated time and follows the policy in
/// between. Each world opens its own trx_mpc on the task. If an update fails, the loop goes on with the policy before.
typedef struct trx_mpc_controller {
    const trx_plan_problem *task; // its guess is the first plan if settings.first_plan is false
    trx_mpc_settings settings;
    double period; // [s]
    trx_mpc_info *ticks; // of the world that closed last; NULL: not wanted. Not for several threads
    /// Called at the end of every tick that began at `time` [s], with the status of its update, or INTERRUPTED for a
    /// dropped tick; NULL: not wanted. Not for several threads.
    void (*on_tick)(const trx_mpc *mpc, double time, trx_status status, void *user);
    void *user;
    double latency; // from the beginning of a tick to the use of its policy; the planner expects settings.latency. The next tick
                    // begins at the first multiple of the period after the latency [s]
    double dropped; // share of ticks that are dropped: no update, the policy goes on; 0 to 1 [1]
    unsigned long long seed; // of dropped ticks, which depend on seed, world and tick alone
} trx_mpc_controller;

/// The controller for trx_simulation and trx_trial_run; `user` must outlive it.
TRX_API trx_controller trx_mpc_as_controller(trx_mpc_controller *user);

TRX_END_C

#endif
