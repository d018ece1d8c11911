// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Everything a plan owns (theory 7, 8): one block, which plan.c lays out, and one simulator.

#ifndef TRXI_TRAJOPT_PLAN_H
#define TRXI_TRAJOPT_PLAN_H

#include "trajopt/ilqr.h"
#include "trajopt/team.h"

#include <tractrix/plan.h>

enum { TRXI_MAX_STAGES = 32, TRXI_FINE_STEPS = 10, TRXI_PLAN_MESSAGE = 640 };

struct trx_plan {
    trx_context *context;
    const trx_model *model;
    trx_plan_settings settings;
    trx_sim_settings sim_settings; // physical; tolerance as derivatives need it
    trx_sim *sim;
    char *block;

    // problem
    trxi_cost cost;
    int nstage;
    trx_stage *stages;   // pairs point to stage_pairs
    bool *stage_pairs;   // npair x nstage
    double *u_guess;     // nu x N, within the limits

    // work
    trxi_rollout rollout;
    trxi_team team;
    trxi_trajectory trajectories[2];
    trxi_ilqr ilqr;
    trxi_trajectory saved; // where the last stage, or part of one, ended
    double *saved_K;       // nu x nx x N: and its gains
    double guess_cost;     // of the guess under the first stage
    double *x_fine, *x_plan, *goal_errors;

    // result
    double *x;           // (nq + nv) x (N + 1): the physical replay
    double *A, *B;       // along it
    trx_stage_info *stage_info;
    trx_goal_result *physical_goals, *fine_goals;
    trx_plan_info info;
    char message[TRXI_PLAN_MESSAGE];
};

/// plan_check.c: every field of a problem and of settings. Errors: ARGUMENT, UNSUPPORTED; the message names the
/// field.
trx_status trxi_plan_check(trx_context *context, const trx_plan_problem *problem, const trx_plan_settings *settings);

/// stages.c: the sim under the law of a stage. Errors: ARGUMENT (a combination the sim refuses).
trx_status trxi_stage_apply(const trx_plan *plan, const trx_stage *stage);

/// The same under a law between those of two stages, from the first at t = 0 to the second at t = 1.
trx_status trxi_stage_apply_between(const trx_plan *plan, const trx_stage *a, const trx_stage *b, double t);

/// replay.c: both replays of the controls in plan->ilqr.current, and the linearization of the physical one.
void trxi_plan_replay(trx_plan *plan);

/// diagnose.c: writes plan->message. The first right after a stage failed (status < 0), the second after the
/// replays of a solve that ended with `status` >= 0: nothing to say leaves "".
void trxi_plan_explain_failure(trx_plan *plan, trx_status status);
void trxi_plan_diagnose(trx_plan *plan, trx_status status);

#endif
