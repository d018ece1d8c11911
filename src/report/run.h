// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The data of a recorded run, and the writers of its files. A plan is copied into the run's pool as a whole, so
// sims and plans may be destroyed before the folder is written. A simulation is written while it runs (stream.h);
// the run keeps only the player's frames and some sums. Matrices have the order of the file (C order).

#ifndef TRXI_REPORT_RUN_H
#define TRXI_REPORT_RUN_H

#include "base/arena.h"
#include "formats/files.h"
#include "formats/text.h"
#include "report/frames.h"
#include "report/horizons.h"
#include "report/statistics.h"

#include <tractrix/report.h>

/// A contact point of the step that starts at `knot`.
typedef struct trxi_contact_row {
    int knot;
    trx_contact contact;
} trxi_contact_row;

/// Statistics of a step.
typedef struct trxi_step_record {
    int knot;            // knot at which the step started
    trx_status status;
    trx_step_info info;  // without kink and branches
    double seconds;      // of trx_step alone [s]
    bool with_condition;
    double condition;    // of the Hessian (trx_sim_condition), when asked for [1]
    trx_contact_residual contact; // with statistics
} trxi_step_record;

/// Settings and result of a stage.
typedef struct trxi_stage_record {
    trx_stage set;
    trx_stage_info info;
} trxi_stage_record;

/// Ticks of a closed loop.
typedef struct trxi_loop {
    bool closed;   // the simulation is a closed loop
    double period; // [s]
    unsigned long long seed;
    trx_tick *ticks;
    int count, capacity;
    trx_status failure; // of adding a tick: the run cannot be written
    trxi_horizons horizons; // nbody and capacity 0: not begun
} trxi_loop;

struct trx_run {
    trx_context *context;
    trx_problem *problem;
    const trx_model *model;
    trx_model_size size;
    trxi_pool *pool;
    trxi_text summary;

    // trajectory: `steps` steps of time_step from knot `first` on
    double time_step;
    int first, steps;
    int every;  // knots from one row of the tables to the next
    double *x;  // nstate x (steps + 1); NULL when it was not kept
    double *u;  // nu x steps
    trxi_contact_row *contacts; // of the steps that are written; NULL when they were not kept
    int ncontact, contact_capacity;
    long long contact_rows;
    trxi_frames frames;
    trxi_statistics statistics;
    bool written; // the folder is in place

    // linearization, one matrix after the other, each row-major; NULL when not asked for
    double *A, *B, *K;
    trx_policy *policy; // of a plan; NULL: none

    // outcome
    trx_status status;
    const char *message;
    bool planned; // a plan, with iterations, stages and the fine replay
    bool has_cost;
    double cost;
    int iteration_count; // numbering of the plan
    trx_iteration *iterations;
    int niteration, iteration_capacity;
    trxi_stage_record *stages;
    int nstage;
    trx_second_try second_try;
    trx_replay physical, fine;
    int ngoal;
    trx_limit_result *limits; // the first `nasked` belong to the problem, the others to the model
    int nlimit, nasked;

    bool made_robust; // the plan is a robust one
    trx_robust_info robust;
    bool searched; // a search followed the plan
    trx_search_info search; // its candidates are in the pool

    trxi_loop loop;

    double solve, setup, write; // seconds
    unsigned long long seed;
};

/// Clears the recording; `steps` steps of time_step from knot `first` on follow. With `keep` allocates the arrays x
/// and u for all of them, with zeros. Errors: MEMORY.
trx_status trxi_run_begin(trx_run *run, double time_step, int first, int steps, bool keep);

/// Whether the tables have a row for the knot that a step starts at.
bool trxi_run_shows(const trx_run *run, int knot);

/// Puts the `count` stages of `before` in front of the stages of the run. Errors: MEMORY.
trx_status trxi_run_join_stages(trx_run *run, const trxi_stage_record *before, int count);

/// Keeps contact points of the step that starts at `knot`. Errors: MEMORY.
trx_status trxi_run_add_contacts(trx_run *run, int knot, const trx_contact *contacts, int count);

/// Copies `count` column-major rows x cols matrices into the pool as row-major ones; NULL when memory is out.
double *trxi_run_copy_matrices(trxi_pool *pool, const double *matrices, int rows, int cols, int count);

/// The word of summary.json for a status: "converged", "stalled", ..., "failed".
const char *trxi_status_word(trx_status status);

// Writers: each appends one file to `out`. If memory is out, the status of `out` says so.
void trxi_write_summary(const trx_run *run, trxi_text *out);
trx_status trxi_write_scene(const trx_run *run, trxi_text *out);
void trxi_write_trajectory(const trx_run *run, trxi_text *out);
void trxi_write_contacts(const trx_run *run, trxi_text *out);
void trxi_write_iterations(const trx_run *run, trxi_text *out);
trx_status trxi_write_linearization(const trx_run *run, trxi_text *out);
trx_status trxi_write_policy(const trx_run *run, trxi_text *out);

// The tables in pieces: the line of names, and rows. u is NULL at the last knot, which has no controls.
void trxi_write_trajectory_head(const trx_run *run, trxi_text *out);
void trxi_write_knot(const trx_run *run, int knot, const double *x, const double *u, trxi_text *out);
void trxi_write_contacts_head(trxi_text *out);
void trxi_write_contact(const trx_run *run, int knot, const trx_contact *contact, trxi_text *out);
void trxi_write_steps_head(bool condition, trxi_text *out);
void trxi_write_step(const trx_run *run, const trxi_step_record *step, trxi_text *out);

/// trx_run_write and trx_run_simulate through `ops`.
trx_status trxi_run_write_with(trx_run *run, const trxi_file_ops *ops, const char *path);
trx_status trxi_run_simulate_with(trx_run *run, const trxi_file_ops *ops, const trx_simulation *simulation);

/// Writes all files of the folder except the tables of knots, contacts and steps, which must be written and closed before.
/// `begun`: time at which writing began [s].
trx_status trxi_run_put_rest(trx_run *run, trxi_folder *folder, double begun);

/// trx_run_write_state through `ops`.
trx_status trxi_state_write(trx_run *run, const trxi_file_ops *ops, const char *path, int step, const double *x);

/// Versions of the library and of its dependencies, as the members of a JSON object.
typedef struct trxi_version_fact {
    const char *name, *text;
} trxi_version_fact;
enum { TRXI_MAX_VERSION_FACTS = 8 };
int trxi_version_facts(trxi_version_fact facts[TRXI_MAX_VERSION_FACTS]);

#endif
