// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// All data of a plan (theory 7, 8): a problem, a method with the workspace of all methods, and a result. plan.c lays them out in
// one block. The simulators and the private memory of the method are separate.

#ifndef TRXI_TRAJOPT_PLAN_H
#define TRXI_TRAJOPT_PLAN_H

#include "trajopt/limit_results.h"
#include "trajopt/minimize.h"
#include "trajopt/reach.h"
#include "trajopt/team.h"

#include <tractrix/plan.h>

enum { TRXI_MAX_STAGES = 32, TRXI_FINE_STEPS = 10, TRXI_PLAN_MESSAGE = 640 };

struct trx_plan {
    trx_context *context;
    const trx_model *model;
    trx_plan_settings settings;
    trx_sim_settings sim_settings; // of the physical stage, with the tolerance that derivatives need
    trx_sim *sim;
    char *block;

    // problem
    trxi_rollout rollout; // dynamics, cost with limits, start, bounds
    trxi_cost cost;       // without limits
    trxi_limit_set limits;
    trxi_cost limited;    // the same terms with the limits: the cost of rollouts
    trxi_team team;
    int most_steps; // of the problem; rollout.steps may be lower
    int nstage;
    trx_stage *stages;   // pairs point to stage_pairs
    bool *stage_pairs;   // npair x nstage
    double *friction;    // npair: factor of the friction of each pair, 1 unless trxi_plan_scale_friction changed it [1]
    double *u_guess;     // nu x N, within the limits
    double *x_guess;     // nstate x (N + 1): states of the guess, valid if guess_is_warm
    double *K_guess;     // (nu x nx) x N: gains of the guess, valid if guess_is_warm
    bool guess_is_warm;
    bool limits_are_warm; // the multipliers of the limits belong to the guess: after a shift, until the next solve

    // method
    const trxi_method *method;
    void *solver;
    trxi_workspace work;
    trxi_trajectory trajectories[2];

    // continuation
    trxi_minimization run; // of the stage that ran last
    trxi_journal journal;  // of the solve, with settings.resumable
    bool restored;         // the next solve continues from the end of the journal
    double used;           // time that the restored solve has used before the interruption [s]
    char solve_hash[65];   // identity of the solve of the journal, "": none
    trxi_text progress;    // bytes that trx_plan_save returned last
    trxi_trajectory saved; // result of the last stage or part of a stage
    double *saved_K;       // nu x nx x N: gains of this result
    double guess_cost;     // cost of the guess under the first stage
    trxi_trajectory kept;  // simulation of a guess that keeps the limits; cost INFINITY: none
    int late_stage;        // first stage that the time limit ended, -1: none

    // second try
    double *first_u;       // nu x N: result of the first try
    trx_stage_info *first_stages;
    bool *chosen_pairs;    // npair x nstage: the pairs of the stages in the first try

    // judgement
    bool linearized; // work.ocp and work.policy belong to the result
    trxi_goal_error *physical_errors, *fine_errors;
    double *x_fine, *x_plan, *u_fine;
    trxi_reach reach; // of the last diagnosis

    // result
    bool solved; // the fields below are valid
    double *x;           // nstate x (N + 1): the physical replay
    double *u, *K;       // nu x N, (nu x nx) x N
    double *A, *B;       // along x
    trx_stage_info *stage_info;
    trx_goal_result *physical_goals, *fine_goals;
    trx_limit_result *physical_limits, *fine_limits;
    trx_plan_info info;
    char message[TRXI_PLAN_MESSAGE];
};

/// plan_check.c: checks every field of a problem and of settings. Errors: ARGUMENT, NOT_FINITE, UNSUPPORTED; the message names the
/// field.
trx_status trxi_plan_check(trx_context *context, const trx_plan_problem *problem, const trx_plan_settings *settings);

/// Checks the parts of a problem that change between solves: a start state (nstate); states of all knots; target and stride
/// of a term, whose quantity, name and njoint are also used.
trx_status trxi_plan_check_start(trx_context *context, const trx_model *model, const double *x0);
trx_status trxi_plan_check_states(trx_context *context, const trx_model *model, int steps, const double *x);
trx_status trxi_plan_check_target(trx_context *context, const trx_model *model, const trx_cost_term *term, int index,
                                  int steps);

/// stages.c: the stage of the unchanged model.
trx_stage trxi_stage_physical(void);

/// Returns whether some stage of the plan has a smoothed law.
bool trxi_plan_has_smoothed_stage(const trx_plan *plan);

/// Sets the laws of a stage in the simulators. Errors: ARGUMENT (a combination that the simulator refuses).
trx_status trxi_stage_apply(const trx_plan *plan, const trx_stage *stage);

/// Sets the laws of the model, under which every result is judged.
trx_status trxi_stage_apply_model(const trx_plan *plan);

/// Sets laws between two stages, from the first at t = 0 to the second at t = 1.
trx_status trxi_stage_apply_between(const trx_plan *plan, const trx_stage *a, const trx_stage *b, double t);

/// progress.c: begins the journal of a solve, or returns to the start of the restored journal. Returns the time of trx_clock at
/// which the solve has begun, minus the time that was used before an interruption [s].
double trxi_plan_begin_journal(trx_plan *plan);

/// Inputs of a solve.
typedef struct trxi_solve_call {
    double start_time; // of trx_clock [s]
    trx_plan_callback callback; // may be NULL
    void *user;
    int attempt;       // 0: first try
} trxi_solve_call;

/// continuation.c: runs all stages from the guess. plan->work.current has the best trajectory in every case. Statuses as for
/// trx_plan_solve. Adds to plan->info.iterations.
trx_status trxi_plan_run_stages(trx_plan *plan, const trxi_solve_call *call);

/// plan_solve.c: makes the trajectory in plan->work.current the result.
void trxi_plan_take(trx_plan *plan);
/// Judges the result by the replays.
void trxi_plan_judge(trx_plan *plan, trx_status status);
/// Takes and judges a result whose last stage is `stage`.
void trxi_plan_conclude(trx_plan *plan, const trx_stage_info *stage);

/// plan_edit.c: copies start state and controls for a solve: normalizes quaternions, clamps controls to the limits. NULL: zero.
void trxi_plan_keep_start(trx_plan *plan, const double *x0, double time);
void trxi_plan_keep_controls(trx_plan *plan, const double *u);

/// plan_edit.c: scales the friction of each pair by a factor (npair), from the next solve on, in all stages and replays.
void trxi_plan_scale_friction(trx_plan *plan, const double *factors);

/// plan_edit.c: replaces `count` steps of the guess from `knot` on by states (nstate x (count + 1)), controls and gains.
void trxi_plan_continue_guess(trx_plan *plan, int knot, int count, const double *x, const double *u, const double *K);
/// plan_edit.c: repeats the step before `knot` (at least 1) from `knot` to the end of the guess.
void trxi_plan_repeat_guess(trx_plan *plan, int knot);

/// plan_edit.c: copies states of a guess for a solve, without gains; normalizes quaternions. NULL: no states.
void trxi_plan_keep_states(trx_plan *plan, const double *x);

/// replay.c: runs both replays of the result's controls, and linearizes the physical replay.
void trxi_plan_replay(trx_plan *plan);

/// replay.c: resets the results of replays to their values before a replay.
void trxi_plan_forget_replays(trx_plan *plan);

/// diagnose.c: writes plan->message right after a stage has failed (status < 0).
void trxi_plan_explain_failure(trx_plan *plan, trx_status status);
/// diagnose.c: writes plan->message after the replays of a solve that ended with `status` >= 0; "" when there is nothing to report.
void trxi_plan_diagnose(trx_plan *plan, trx_status status);

#endif
