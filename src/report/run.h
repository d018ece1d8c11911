// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What a run records, and the writers of its files. Everything recorded lives in the run's pool: a copy, so that
// sims and plans may be gone when the folder is written. Matrices are kept in the order of the file (C order).

#ifndef TRXI_REPORT_RUN_H
#define TRXI_REPORT_RUN_H

#include "base/arena.h"
#include "formats/file_ops.h"
#include "formats/text.h"

#include <tractrix/report.h>

/// A contact point of the step that starts at `knot`.
typedef struct trxi_contact_row {
    int knot;
    trx_contact contact;
} trxi_contact_row;

/// A stage as it was set, and as it went.
typedef struct trxi_stage_record {
    trx_stage set;
    trx_stage_info info;
} trxi_stage_record;

struct trx_run {
    trx_context *context;
    trx_problem *problem;
    const trx_model *model;
    trx_model_size size;
    trxi_pool *pool;
    trxi_text summary;

    // trajectory: `steps` steps of time_step
    double time_step;
    int steps;
    double *x; // (nq + nv) x (steps + 1)
    double *u; // nu x steps
    double *drive_force; // nu x steps: force of each actuator (trx_sim_actuator_force)
    double *limit_force; // njoint x steps: force of each joint's limits
    trxi_contact_row *contacts;
    int ncontact, contact_capacity;

    // linearization, one matrix after the other, each row-major; NULL when not asked for
    double *A, *B, *K;

    // outcome
    trx_status status;
    const char *message;
    bool planned; // a plan, with iterations, stages and the fine replay
    bool has_cost;
    double cost;
    int iteration_count; // as the plan counts
    trx_iteration *iterations;
    int niteration, iteration_capacity;
    trxi_stage_record *stages;
    int nstage;
    trx_replay physical, fine;
    int ngoal;
    trx_limit_result *limits;
    int nlimit;

    double solve, setup, write; // seconds
    unsigned long long seed;
};

/// Sets the length of the recording and takes its arrays, x and u zero. Errors: MEMORY.
trx_status trxi_run_begin(trx_run *run, double time_step, int steps);

/// Records contact points and forces of actuators and limits of the sim's last step, and takes the extremes of the contacts
/// into `replay`. Errors: MEMORY.
trx_status trxi_run_add_forces(trx_run *run, trx_sim *sim, int knot, trx_replay *replay);

/// Copies `count` column-major rows x cols matrices into the pool as row-major ones; NULL when memory is out.
double *trxi_run_copy_matrices(trx_run *run, const double *matrices, int rows, int cols, int count);

/// Errors of the problem's goals along the recorded trajectory, into `physical`. A problem whose cost this version
/// cannot serve has no goals. Errors: MEMORY.
trx_status trxi_run_judge_goals(trx_run *run);

/// Largest excess over joint and actuator limits along the recorded trajectory. Errors: MEMORY.
trx_status trxi_run_judge_limits(trx_run *run);

/// The word of summary.json for a status: "converged", "stalled", ..., "failed".
const char *trxi_status_word(trx_status status);

// Writers: each appends one file to `out`; out of memory is its status.
void trxi_write_summary(const trx_run *run, trxi_text *out);
trx_status trxi_write_scene(const trx_run *run, trxi_text *out);
void trxi_write_trajectory(const trx_run *run, trxi_text *out);
void trxi_write_contacts(const trx_run *run, trxi_text *out);
void trxi_write_iterations(const trx_run *run, trxi_text *out);
trx_status trxi_write_linearization(const trx_run *run, trxi_text *out);

/// trx_run_write through `ops`.
trx_status trxi_run_write_with(trx_run *run, const trxi_file_ops *ops, const char *path);

/// Versions of the library and of what it was built with, as the members of a JSON object.
typedef struct trxi_version_fact {
    const char *name, *text;
} trxi_version_fact;
enum { TRXI_MAX_VERSION_FACTS = 8 };
int trxi_version_facts(trxi_version_fact facts[TRXI_MAX_VERSION_FACTS]);

#endif
