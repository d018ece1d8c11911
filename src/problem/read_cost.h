// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `cost:`: entries before the model is known, and the terms of the plan made from them.

#ifndef TRXI_PROBLEM_READ_COST_H
#define TRXI_PROBLEM_READ_COST_H

#include "problem/quantity.h"
#include "problem/time_table.h"

#include <tractrix/plan.h>

/// The forms of `target:`.
typedef enum trxi_target_form {
    TRXI_TARGET_ZERO,
    TRXI_TARGET_NUMBERS,
    TRXI_TARGET_START,
    TRXI_TARGET_FILE,
} trxi_target_form;

/// An entry of the list, before the model is known.
typedef struct trxi_term {
    trxi_quantity of;
    trx_source source;
    trxi_target_form form;
    trx_source target_source;
    const double *numbers; // TRXI_TARGET_NUMBERS: of.target_length
    const char *file;      // TRXI_TARGET_FILE: its path
    double *weight;        // of.dimension
    const trxi_time_table *schedule; // factor of the weight over time; NULL: 1
    trx_term_time time;
    double tolerance;
    trx_norm norm;
    double norm_scale;
} trxi_term;

typedef struct trxi_cost {
    trxi_term *terms; // without wrong entries
    int count;
} trxi_cost;

void trxi_read_cost(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_cost *cost);

/// Reads `target:` of a term whose quantity is known.
void trxi_read_target(trxi_reader *reader, const trxi_yaml_node *node, trxi_term *term);

/// Inputs for computing targets.
typedef struct trxi_task {
    const trxi_scene *scene;
    const trx_model *model;
    const double *x0;
    double time_step;
    int steps;
    const double *hold; // nu: controls that keep the start at rest; NULL unless a term has them as target
} trxi_task;

/// Makes one term of the plan from its entry. All memory is the pool's.
void trxi_term_resolve(trxi_reader *reader, const trxi_term *entry, const trxi_task *task, trx_cost_term *term);

/// The terms of the plan. All memory is the pool's.
trx_cost_term *trxi_cost_resolve(trxi_reader *reader, const trxi_cost *cost, const trxi_task *task);

#endif
