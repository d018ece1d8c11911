// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Run folders: the files of a run (docs/run_folder.md). A folder is written beside its final place and exchanged into
// it. A reader never sees half a run, and a failed write leaves the previous run intact.

#ifndef TRACTRIX_REPORT_H
#define TRACTRIX_REPORT_H

#include <tractrix/policy.h>
#include <tractrix/problem.h>

TRX_BEGIN_C

typedef struct trx_run trx_run;

/// Starts recording a run of `problem`, which must outlive it. Errors: MEMORY.
TRX_API trx_status trx_run_create(trx_context *context, trx_problem *problem, trx_run **run);
TRX_API void trx_run_destroy(trx_run *run);

/// Input and output of a simulation. Controls come from a controller, from a policy, or from the array `u`.
typedef struct trx_simulation {
    size_t size;               // sizeof(trx_simulation), set by the default function
    const double *u;           // nu x control_steps, NULL: zero [N or N m]
    int control_steps;         // steps in u; the last one stays in effect; 0: the steps of the problem [1]
    trx_policy *policy;        // of the same model; NULL: the controls are u or the controller's
    const trx_controller *controller; // NULL: none; not with u or a policy
    const double *start;       // nstate: state at the beginning, NULL: the problem's start
    int first_step;            // number of the first step [1]
    const char *folder;        // run folder, written while the simulation runs; NULL: all is kept in memory for trx_run_write
    // rows are written for the first knot, the last, and every knot whose number is a multiple of this [1]
    int every;
    bool statistics;           // also write steps.csv, one row per step; with `folder` only
    bool condition;            // add the condition number of each step to steps.csv (trx_sim_condition), which costs time
    bool linearize;            // also record A and B of every step, in memory until the end
    const char *save;          // file for the last state, NULL: none
    int save_every;            // steps from one saved state to the next; 0: save only at the end [1]
    bool (*progress)(int step, void *user); // after every step; false ends the simulation; may be NULL
    void *user;
} trx_simulation;

/// Default: zero controls from the problem's start, every knot, kept in memory, no other output.
TRX_API trx_simulation trx_simulation_default(void);

/// Simulates the problem's model up to its last step and records states and contacts. A failed step, or `progress`,
/// ends the recording; earlier steps are kept. With `folder` nothing is kept per step. The run folder is in place on
/// return, except after the errors ARGUMENT, MEMORY and IO: then the old folder is intact and trx_run_get_info has
/// `written` false. `simulation` may be NULL for the default. Errors: ARGUMENT, MEMORY, IO, errors of trx_step;
/// INTERRUPTED when `progress` returned false.
TRX_API trx_status trx_run_simulate(trx_run *run, const trx_simulation *simulation);

/// A tick of a closed loop, for the table ticks.csv.
typedef struct trx_tick {
    double time;       // time at which the tick began [s]
    trx_status status; // of the update; INTERRUPTED: dropped
    int knots;         // of the horizon
    double cost;       // of the plan
    double seconds;    // duration of the update [s]
    const trx_policy *policy; // policy after the tick, for the model of the run; its predicted motion is copied for the player.
                              // NULL: no motion
} trx_tick;

/// Declares the recorded simulation a closed loop with a tick every `period` seconds. Call it before the simulation.
TRX_API void trx_run_set_loop(trx_run *run, double period, unsigned long long seed);

/// Records a tick while the simulation runs (trx_mpc_controller.on_tick may call this function). Errors: MEMORY; writing the
/// run then fails with MEMORY too.
TRX_API trx_status trx_run_add_tick(trx_run *run, const trx_tick *tick);

/// Number of bins of a histogram of ticks. Bin i counts ticks of more than 2^(i - 21) s and at most 2^(i - 20) s; bin 0 counts all
/// shorter ticks too, the last bin all longer ticks.
#define TRX_TICK_BINS 32

/// Summary of the ticks of a recorded loop.
typedef struct trx_loop_info {
    double period;     // [s]
    int ticks;         // all ticks, dropped ticks included
    int failed, dropped, late; // late: took longer than the period
    double median, p99, most;  // of the durations of the ticks that were not dropped; 0 if there are none [s]
    int pushes;        // on the plant
    int histogram[TRX_TICK_BINS]; // ticks that were not dropped, by their seconds
} trx_loop_info;

/// The ticks so far, in order, owned by the run, and their summary. Errors: MEMORY.
TRX_API const trx_tick *trx_run_ticks(const trx_run *run, int *count);
TRX_API trx_status trx_run_get_loop(const trx_run *run, trx_loop_info *info);

/// Statistics of a recorded simulation.
typedef struct trx_simulation_info {
    int first_step;           // number of the first step [1]
    int frames, frame_every;  // knots that the player shows, and the number of knots from one to the next [1]
    double iterations;        // Newton iterations of a step: mean [1]
    int most_iterations;      // [1]
    double contacts;          // contact points of a step: mean [1]
    int most_contacts;        // [1]
    int round_off;            // steps that ended at the round-off floor of their residual [1]
    double step_median, step_mean, step_most; // time of one step: median (to 1 %), mean, largest [s]
    double kinetic[2];        // energy at the start and at the end [J]
    double gravity[2];        // potential, zero at the world's origin [J]
    double springs[2];        // of joints and tendons [J]
    double actuators;         // work of the actuators [J]
    double lost;              // energy at the start + work of the actuators - energy at the end [J]
    trx_contact_residual contact; // largest of all steps, with trx_simulation.statistics; else 0
} trx_simulation_info;

/// Zeros when no simulation was recorded.
TRX_API trx_simulation_info trx_run_get_simulation(const trx_run *run);

/// Reads a saved state of a simulation of the same model: x (nstate) and the number of the step that begins there.
/// The continuation (trx_simulation.start, first_step) has the same bits as a simulation without interruption.
/// `same_problem` (may be NULL) tells whether the text of the problem file is unchanged. Errors: IO, INPUT (not a
/// saved state, another model, another time step), MEMORY.
TRX_API trx_status trx_run_read_state(trx_run *run, const char *path, int *step, double *x, bool *same_problem);

/// Saves x (nstate) at step `step` to a file, replacing the old file atomically. Errors: ARGUMENT, IO, MEMORY.
TRX_API trx_status trx_run_write_state(trx_run *run, const char *path, int step, const double *x);

/// Constant controls that keep the start configuration at rest under gravity, springs and the loads at t = 0, as far
/// as the actuators and their limits allow: u (nu), for trx_simulation with control_steps 1. Errors: MEMORY.
TRX_API trx_status trx_run_hold_controls(trx_run *run, double *u);

/// The policy of the run folder at `path` (policy.npz, without it linearization.npz), at any time step of the run; the caller
/// destroys it, before the model of the run. Errors: IO, INPUT (not such a folder, another model), MEMORY.
TRX_API trx_status trx_run_read_policy(trx_run *run, const char *path, trx_policy **policy);

/// Writes the policy of the run folder at `path` to a file. The ending of its name chooses the form: .npz, .csv, or .c (C99 with
/// tables and an interpreter, which sends the controls of the plan `lead` seconds earlier). Replaces the file atomically. Errors:
/// ARGUMENT (the ending), IO, INPUT, MEMORY.
TRX_API trx_status trx_run_export_policy(trx_run *run, const char *path, double lead, const char *file);

/// Records a line of the iteration table (a plan callback may call it). Errors: MEMORY.
TRX_API trx_status trx_run_add_iteration(trx_run *run, const trx_iteration *iteration);

/// Records the result of a plan: trajectory, contacts of its physical replay, linearization, goals, and the policy
/// (trx_policy_of_plan). Errors: MEMORY, errors of trx_problem_plan.
TRX_API trx_status trx_run_set_plan(trx_run *run, const trx_plan *plan);

/// Records the result of a refinement (trx_plan_create_refined) in place of the recorded plan. Its stage, iterations and seconds
/// are added after the stages of the plan. Errors: as for trx_run_set_plan.
TRX_API trx_status trx_run_set_refined(trx_run *run, const trx_plan *refined);

/// Records a robust plan (trx_plan_create_robust) in place of the recorded plan, as trx_run_set_refined does, with its costs.
TRX_API trx_status trx_run_set_robust(trx_run *run, const trx_plan *robust, const trx_robust_info *info);

/// Records the candidates of a search. If the search has a plan, its result replaces the recorded plan; its stages, iterations and
/// seconds are added after the stages of the recorded plan. Errors: as for trx_run_set_plan.
TRX_API trx_status trx_run_set_search(trx_run *run, const trx_search *search);

/// Saved progress of `tractrix plan`.
typedef struct trx_progress {
    const void *plan; // of the plan (trx_plan_save); NULL: none
    size_t plan_length;
    const void *search; // of the search after it; NULL: none
    size_t search_length;
    const void *refined; // of the refined plan after both; NULL: none
    size_t refined_length;
} trx_progress;

/// Writes the progress of a run to PARENT/.NAME.progress beside its run folder PARENT/NAME, replacing the old file atomically.
/// Errors: ARGUMENT, IO, MEMORY.
TRX_API trx_status trx_run_write_progress(trx_run *run, const char *path, const trx_progress *progress);

/// Reads the progress that trx_run_write_progress has written; the parts belong to the run, and are NULL when there is no file.
/// Errors: IO; INPUT (damaged, or of another problem; only solve.time_limit may differ); MEMORY.
TRX_API trx_status trx_run_read_progress(trx_run *run, const char *path, trx_progress *progress);

/// Removes the file of the progress if there is one. Errors: IO, MEMORY.
TRX_API trx_status trx_run_remove_progress(trx_run *run, const char *path);

/// Records setup seconds and random seed, for the summary.
TRX_API void trx_run_set_setup(trx_run *run, double seconds, unsigned long long seed);

/// Checks that a run can be written to `path`, before the work: the path does not exist, or is an empty folder or a run, and a
/// folder can be made beside it, which is removed at once. Errors: ARGUMENT (the path is something else), IO, MEMORY.
TRX_API trx_status trx_run_check_path(trx_context *context, const char *path);

/// Writes the run folder of a recording in memory. Errors: ARGUMENT (the path exists and is no run folder; no
/// recording in memory), IO (the old folder is intact).
TRX_API trx_status trx_run_write(trx_run *run, const char *path);

/// summary.json as one text, owned by the run; "" when memory is out.
TRX_API const char *trx_run_summary(trx_run *run);

/// Summary of the recorded run; pointers belong to the run.
typedef struct trx_run_info {
    trx_status status;   // of the simulation or of the plan
    const char *message; // why, "" when there is nothing to say
    int steps;           // recorded steps
    int iterations;      // over all stages of a plan
    long long contacts;  // rows of contacts.csv
    bool written;        // the run folder is in place
    bool has_cost;       // false: `cost` has no meaning
    double cost;         // of the physical replay [1]
    double solve;        // seconds of solving or simulating [s]
    trx_replay physical;
    trx_replay fine;     // meaningful for plans only
    bool has_fine;
    int ngoal;           // goals of `physical` and `fine`
    const trx_limit_result *limits; // limits that the problem asks for, then the limits of joints and controls of the model
    int nlimit;
    int nasked; // limits that the problem asks for
    trx_second_try second_try; // of a plan
} trx_run_info;

TRX_API trx_run_info trx_run_get_info(const trx_run *run);

/// Among the goals that the plan meets on the physical replay and misses on the fine replay, the goal with the largest error
/// relative to its tolerance. A plan with such a goal leans on its time step. Returns the result on the fine replay; NULL: there is
/// no such goal.
TRX_API const trx_goal_result *trx_run_doubtful_goal(const trx_run *run);

/// True when every goal and limit is met on the physical replay.
TRX_API bool trx_run_goals_met(const trx_run *run);

/// Largest change of a coordinate (tangent space) between two runs, over the knots that both have [m, rad]. NAN: `from` is NULL, a
/// run is not recorded in memory, the runs differ in model sizes, first step or time step, or memory is out.
TRX_API double trx_run_distance(const trx_run *run, const trx_run *from);

/// Rewrites player.html of an existing run folder from its files. Errors: IO, INPUT (not a run folder).
TRX_API trx_status trx_run_rewrite_player(trx_context *context, const char *path);

/// Writes the model of the run folder at `path` and its trajectory as an MJCF file for MuJoCo, with one keyframe per
/// knot. Replaces `file`. Pairs keep their friction; contact stiffness is MuJoCo's own. Errors: IO, INPUT (not a run
/// folder), errors of trx_problem_load, MEMORY.
TRX_API trx_status trx_run_export_mjcf(trx_context *context, const char *path, const char *file);

/// One variant of a comparison: a recorded plan or simulation, or the reason why there is none.
typedef struct trx_variant {
    const char *name;    // the values that differ: "solve.method=ilqr"
    const char *folder;  // folder of its run, relative to the folder of the comparison; NULL: none
    const trx_run *run;  // with its recording in memory; NULL: none
    const char *message; // without a run: why
    const trx_gradient_check *gradients; // derivatives along the run against differences; NULL: not checked
} trx_variant;

/// Writes compare.csv, compare.json and compare.html to the folder `path`: a table of `count` variants of the problem called
/// `title`, and a page without network with the curves of all of them. Errors: ARGUMENT, IO, MEMORY.
TRX_API trx_status trx_compare_write(trx_context *context, const char *title, const trx_variant *variants, int count,
                                     const char *path);

/// Writes the folder of a design: summary.json, design.csv with the designed controls (`steps` of them), and problem.yaml with the
/// text `problem_text` (NULL: none). Errors: ARGUMENT, IO, MEMORY.
TRX_API trx_status trx_fit_design_write(trx_context *context, const trx_fit_design *design, const trx_fit_problem *fit, int steps,
                                        const char *path, const char *problem_text);

TRX_END_C

#endif
