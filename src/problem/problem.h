// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inside view of a loaded problem.

#ifndef TRXI_PROBLEM_PROBLEM_H
#define TRXI_PROBLEM_PROBLEM_H

#include "model/model.h"
#include "problem/read_fit.h"
#include "problem/read_mpc.h"
#include "problem/read_solve.h"
#include "problem/read_start.h"
#include "problem/read_values.h"
#include "problem/scene.h"

#include <tractrix/problem.h>

struct trx_problem {
    trx_context *context;
    trxi_pool *pool; // everything below but the model and the text
    const char *path, *title;
    const char *folder; // of the file, as given, with a slash at its end unless empty
    char sha256[65];
    trxi_yaml_node *root;
    trxi_scene scene;
    trx_model *model;
    trx_sim_settings sim;
    int steps;
    double *start; // nstate
    trx_settling settling;
    bool has_cost;
    trx_source cost_source;
    trx_cost_term *terms;
    int nterm;
    trx_limit *limits;
    int nlimit;
    trxi_solve solve;
    trx_policy_settings policy;
    trx_trial_settings trial;
    trxi_named_values values; // the section parameters
    trxi_fit_section fit;
    trxi_mpc_section mpc;
    int nadded; // loads of the caller, the last ones of the model
    trx_stage *stages; // NULL: by default
    const char *not_planned; // dotted path of the first thing this version cannot plan, NULL: none
    trxi_text text;
};

/// The problem as run, and why there is none (trx_problem_text). The text belongs to the problem and is "" after an error. Errors:
/// MEMORY; IO when a path starts at the working directory, and this directory has no path.
trx_status trxi_problem_text(trx_problem *problem, const char **text);

/// SHA-256 of the problem as run, without solve.time_limit and solve.search.time_limit. Errors: as for trxi_problem_text.
trx_status trxi_problem_hash(trx_problem *problem, char hash[65]);

/// Simulates the settling that the section `start` asks for (settle.c). Reports bodies that do not come to rest.
void trxi_settle(trxi_reader *reader, trx_problem *problem, const trxi_start *start);

/// Controls u (nu) that hold the start state at rest against gravity and springs, without contacts and constraints
/// (holding.c). If no controls do so, u leaves the least acceleration. u may exceed the limits of the controls. Errors: MEMORY.
trx_status trxi_holding_controls(const trx_problem *problem, double *u);

/// Like trxi_holding_controls, but clamps u to the limits of the controls.
trx_status trxi_holding_controls_within(const trx_problem *problem, double *u);

/// The forces f (nu) of the actuators under the controls of trxi_holding_controls (trx_actuator_def).
trx_status trxi_holding_forces(const trx_problem *problem, double *f);

/// The task of a plan without its stages, settings and guess; model and terms are the problem's own.
trx_plan_problem trxi_plan_task(const trx_problem *problem);

/// The path of a guess: a table, or the trajectory of a run folder. NULL: no memory.
const char *trxi_guess_table(const trx_problem *problem, const char *path);

/// Channels of recordings, parameters and settings of the section as a problem. Errors: INPUT.
trx_status trxi_fit_use(const trx_problem *problem, trx_fit_data *data, trx_fit_problem *fit, trx_fit_settings *settings);

/// States of the guess (states.c): nstate x (N + 1) in the problem's pool; NULL: none. Errors: IO, INPUT, MEMORY.
trx_status trxi_guess_states(const trx_problem *problem, const double **states);

/// Reads controls u (nu x N) from a file and clamps the controls of motors to their efforts (trx_problem_read_controls).
/// Scratch memory comes from `pool`.
trx_status trxi_read_controls(const trx_problem *problem, trxi_pool *pool, const char *path, double *u);

#endif
