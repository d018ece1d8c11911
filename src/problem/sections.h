// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The sections of a problem file beside the model: what each reads into. Every reader takes the section's node
// (NULL when the file does not have it), reports all errors, and leaves usable defaults.

#ifndef TRXI_PROBLEM_SECTIONS_H
#define TRXI_PROBLEM_SECTIONS_H

#include "problem/law.h"
#include "problem/quantity.h"

#include <tractrix/plan.h>

/// contact: the law of all pairs into `scene->def` and `law`, the pairs, the settings of the solve.
void trxi_read_contact(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene, trx_sim_settings *sim,
                       trxi_law *law);

/// A growing list of pairs of bodies or geometries.
typedef struct trxi_pairs {
    trx_pair_selector *items;
    int count, capacity;
} trxi_pairs;

/// [A, B], bodies, geometries or includes, which stand for all their bodies: appends what it names, nothing when it is
/// wrong.
void trxi_read_pair(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_pairs *pairs);

/// A list of pairs.
trxi_pairs trxi_read_pairs(trxi_reader *reader, const trxi_yaml_node *list, const trxi_scene *scene);

/// time: the step into `sim`, and the number of steps.
void trxi_read_time(trxi_reader *reader, const trxi_yaml_node *node, trx_sim_settings *sim, int *steps);

/// start: what the file says of a joint.
typedef struct trxi_joint_start {
    bool set;
    trx_source source;
    double q[7], v[6]; // as many as the joint has
} trxi_joint_start;

/// joints(NAME): numbers of all 1-dof joints of a group, in the order of q; NULL where absent.
typedef struct trxi_group_start {
    trxi_side side;
    const double *q, *v;
    int *joints; // room for their indices
} trxi_group_start;

typedef struct trxi_start {
    trxi_joint_start **joints; // of each body, of each of its joints
    trxi_group_start *groups;
    int ngroup;
    double settle; // [s]
    trx_source settle_source;
} trxi_start;

void trxi_read_start(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_start *start);

/// The start state as one vector x (nq + nv) of the model that was built from `scene`.
void trxi_start_apply(const trxi_start *start, const trxi_scene *scene, const trx_model *model, double *x);

/// cost: one entry of the list, before the model is known.
typedef enum trxi_target_form {
    TRXI_TARGET_ZERO,
    TRXI_TARGET_NUMBERS,
    TRXI_TARGET_START,
    TRXI_TARGET_FILE,
} trxi_target_form;

typedef struct trxi_term {
    trxi_quantity of;
    trx_source source;
    trxi_target_form form;
    trx_source target_source;
    const double *numbers; // TRXI_TARGET_NUMBERS: of.target_length
    const char *file;      // TRXI_TARGET_FILE: its path
    double *weight;        // of.dimension
    trx_term_time time;
    double tolerance;
} trxi_term;

typedef struct trxi_cost {
    trxi_term *terms; // those that are served
    int count;
} trxi_cost;

void trxi_read_cost(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_cost *cost);
void trxi_read_limits(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene);

/// What targets are computed from.
typedef struct trxi_task {
    const trxi_scene *scene;
    const trx_model *model;
    const double *x0;
    double time_step;
    int steps;
    const double *hold; // nu: controls that hold the start; NULL unless a term aims at them
} trxi_task;

/// The terms of the plan. All memory is the pool's.
trx_cost_term *trxi_cost_resolve(trxi_reader *reader, const trxi_cost *cost, const trxi_task *task);

/// The target of one term (target.c): sets target and target_stride.
void trxi_target_resolve(trxi_reader *reader, const trxi_term *entry, const trxi_task *task, trx_cost_term *term);

/// solve: a stage, before the model is known.
typedef struct trxi_stage_entry {
    trx_stage stage;
    bool all;         // pairs: all
    bool listed;      // pairs: [...]
    trxi_pairs pairs;
} trxi_stage_entry;

typedef struct trxi_solve {
    trx_plan_settings settings;
    const char *guess;      // "zero", "gravity" or a path
    bool guess_is_path;
    trx_source guess_source;
    trxi_stage_entry *stages; // NULL: chosen by default
    int nstage;
} trxi_solve;

void trxi_read_solve(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, const trxi_law *law,
                     trxi_solve *solve);

/// The stages of the plan, with flags of pairs.
trx_stage *trxi_stages_resolve(trxi_reader *reader, const trxi_solve *solve, const trxi_scene *scene,
                               const trx_model *model);

/// mpc, fit: validated only.
void trxi_read_mpc(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene);
void trxi_read_fit(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene);

/// A path in the file as this process finds it: relative ones start at the file's folder.
const char *trxi_file_path(trxi_reader *reader, const char *path);

#endif
