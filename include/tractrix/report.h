// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Run folders: what a run leaves behind (docs/run_folder.md). A folder is written beside its final place and exchanged
// into it, so that a reader never sees half a run and a failed write leaves the previous one intact.

#ifndef TRACTRIX_REPORT_H
#define TRACTRIX_REPORT_H

#include <tractrix/problem.h>

typedef struct trx_run trx_run;

/// Starts recording a run of `problem`, which must outlive it. Errors: MEMORY.
TRX_API trx_status trx_run_create(trx_context *context, trx_problem *problem, trx_run **run);
TRX_API void trx_run_destroy(trx_run *run);

/// How a simulation is driven: u_k + K_k (x_k (-) x_reference_k), clamped to the actuators' limits.
typedef struct trx_simulation {
    size_t size;               // sizeof(trx_simulation), set by the default function
    const double *u;           // nu x steps, NULL: zero [N or N m]
    const double *K;           // nu x 2nv x steps, column-major, NULL: no feedback
    const double *x_reference; // (nq + nv) x steps, with K
    bool linearize;            // also record A and B of every step
    bool (*progress)(int step, void *user); // after every step; false ends the simulation; may be NULL
    void *user;
} trx_simulation;

/// Zero controls, nothing else.
TRX_API trx_simulation trx_simulation_default(void);

/// Simulates the problem's model from its start state and records states and contacts. A step that fails ends the
/// recording; what came before it is kept. `simulation` may be NULL for the default. Errors: ARGUMENT, MEMORY,
/// those of trx_step; INTERRUPTED when `progress` said so.
TRX_API trx_status trx_run_simulate(trx_run *run, const trx_simulation *simulation);

/// Constant controls that hold the start configuration against gravity and springs as far as the actuators and their
/// limits allow: u (nu x steps). Errors: MEMORY.
TRX_API trx_status trx_run_hold_controls(trx_run *run, double *u);

/// The controls and gains of the run folder at `path` (linearization.npz): u (nu x steps), K (nu x 2nv x steps,
/// column-major), x_reference ((nq + nv) x steps). Steps beyond the folder's last one hold that one. Errors: IO, INPUT
/// (not such a folder, other dimensions, another time step).
TRX_API trx_status trx_run_read_policy(trx_run *run, const char *path, double *u, double *K, double *x_reference);

/// Records a line of the iteration table (a plan callback may call it). Errors: MEMORY.
TRX_API trx_status trx_run_add_iteration(trx_run *run, const trx_iteration *iteration);

/// Records the result of a plan: trajectory, contacts of its physical replay, linearization, goals. Errors: MEMORY,
/// those of trx_problem_plan.
TRX_API trx_status trx_run_set_plan(trx_run *run, const trx_plan *plan);

/// Setup seconds and random seed, for the summary.
TRX_API void trx_run_set_setup(trx_run *run, double seconds, unsigned long long seed);

/// Whether a run may be written to `path`: nothing is there, or an empty folder, or a run. Errors: ARGUMENT
/// (something else is there), IO (it cannot be examined).
TRX_API trx_status trx_run_check_path(trx_context *context, const char *path);

/// Writes the run folder. Errors: ARGUMENT (the path exists and is no run folder), IO (the old folder is intact).
TRX_API trx_status trx_run_write(trx_run *run, const char *path);

/// summary.json as one text, owned by the run; "" when memory is out.
TRX_API const char *trx_run_summary(trx_run *run);

/// A joint or actuator limit and the largest excess over it along the recorded trajectory.
typedef struct trx_limit_result {
    const char *name;    // "px.position", "u.px"
    double violation;    // 0 when kept [unit of the quantity]
    double tolerance;    // up to which it counts as met [unit of the quantity]
    bool met;
} trx_limit_result;

/// What the recorded run amounts to; pointers belong to the run.
typedef struct trx_run_info {
    trx_status status;   // of the simulation or of the plan
    const char *message; // why, "" when there is nothing to say
    int steps;           // recorded
    int iterations;      // over all stages of a plan
    int contacts;        // rows of contacts.csv
    bool has_cost;       // false: cost means nothing
    double cost;         // of the physical replay [1]
    double solve;        // seconds of solving or simulating [s]
    trx_replay physical;
    trx_replay fine;     // meaningful for plans only
    bool has_fine;
    int ngoal;           // goals of `physical` and `fine`
    const trx_limit_result *limits;
    int nlimit;
} trx_run_info;

TRX_API trx_run_info trx_run_get_info(const trx_run *run);

/// True when every goal and limit is met on the physical replay.
TRX_API bool trx_run_goals_met(const trx_run *run);

/// Rewrites player.html of an existing run folder from its files. Errors: IO, INPUT (not a run folder).
TRX_API trx_status trx_run_rewrite_player(trx_context *context, const char *path);

/// Writes the model of the run folder at `path` and its trajectory, one keyframe a knot, as an MJCF file for MuJoCo.
/// Replaces `file`. Pairs keep their friction; contact stiffness is MuJoCo's own. Errors: IO, INPUT (not a run folder),
/// those of trx_problem_load, MEMORY.
TRX_API trx_status trx_run_export_mjcf(trx_context *context, const char *path, const char *file);

#endif
