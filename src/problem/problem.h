// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inside view of a loaded problem.

#ifndef TRXI_PROBLEM_PROBLEM_H
#define TRXI_PROBLEM_PROBLEM_H

#include "model/model.h"
#include "problem/read_solve.h"
#include "problem/read_start.h"
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
    double *start; // nq + nv
    trx_settling settling;
    bool has_cost;
    trx_source cost_source;
    trx_cost_term *terms;
    int nterm;
    trxi_solve solve;
    trx_stage *stages; // NULL: by default
    const char *not_planned; // dotted path of the first thing this version cannot plan, NULL: none
    trxi_text text;
};

/// Lets the start settle as start: says (settle.c); reports what does not come to rest.
void trxi_settle(trxi_reader *reader, trx_problem *problem, const trxi_start *start);

/// Controls (nu) that hold the start state at rest against gravity and springs, contacts and constraints aside, each within
/// its limits or not. Where the actuators cannot, those that leave the least acceleration (holding.c). Errors: MEMORY.
trx_status trxi_holding_controls(const trx_problem *problem, double *u);

/// The same, each moved into its limits.
trx_status trxi_holding_controls_within(const trx_problem *problem, double *u);

/// The forces f (nu) of the actuators under these controls (trx_actuator_def).
trx_status trxi_holding_forces(const trx_problem *problem, double *f);

/// The task of a plan without its stages, settings and guess; model and terms are the problem's own.
trx_plan_problem trxi_plan_task(const trx_problem *problem);

/// Controls of a file, those of motors within their efforts (trx_problem_read_controls); what it points at belongs to `pool`.
trx_status trxi_read_controls(const trx_problem *problem, trxi_pool *pool, const char *path, double *u);

#endif
