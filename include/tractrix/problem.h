// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Problem files: one YAML text describes model, task and solver (docs/problem_file.md). Loading parses and validates
// the whole schema, builds the model, and provides the inputs of sims and plans.

#ifndef TRACTRIX_PROBLEM_H
#define TRACTRIX_PROBLEM_H

#include <tractrix/fit_design.h>
#include <tractrix/import.h>
#include <tractrix/mpc.h>
#include <tractrix/robust.h>
#include <tractrix/search.h>
#include <tractrix/trial.h>
#include <tractrix/verify.h>

TRX_BEGIN_C

typedef struct trx_problem trx_problem;

typedef struct trx_problem_options {
    size_t size; // sizeof(trx_problem_options), set by the default function
    const char *const *set; // "KEY=VALUE" overrides, applied before validation
    int nset;
    const char *const *packages; // npackage texts "NAME=DIR" for package://NAME/... in included robots
    int npackage;
    const char *const *with; // nwith files with a section `parameters:`, whose values replace values of the model
    int nwith;
    const trx_load_def *loads; // nload loads in addition to the loads of the file; `body` is the body's place in the file
    int nload;
} trx_problem_options;

TRX_API trx_problem_options trx_problem_options_default(void);

/// Reads and validates a problem file and builds its model. The context records all errors with file, line and
/// column, in file order. `options` may be NULL. Errors: IO (the file, or an included file, cannot be read), INPUT,
/// UNSUPPORTED (a key of the model that this version does not support; the message is "not in this version: KEY"),
/// ARGUMENT (bad override), MEMORY.
TRX_API trx_status trx_problem_load(trx_context *context, const char *path, const trx_problem_options *options,
                                    trx_problem **problem);

/// Reads a problem from a text in memory; `file` names the text in messages and is the base of relative paths.
TRX_API trx_status trx_problem_load_text(trx_context *context, const char *file, const char *text, size_t length,
                                         const trx_problem_options *options, trx_problem **problem);

TRX_API void trx_problem_destroy(trx_problem *problem);

/// The title; "" when the file has none.
TRX_API const char *trx_problem_title(const trx_problem *problem);
TRX_API const char *trx_problem_path(const trx_problem *problem);

/// SHA-256 of the text as read, 64 hexadecimal digits.
TRX_API const char *trx_problem_sha256(const trx_problem *problem);

TRX_API const trx_model *trx_problem_model(const trx_problem *problem);

/// The physical simulation settings.
TRX_API trx_sim_settings trx_problem_sim_settings(const trx_problem *problem);

/// Number of steps, and the start state (nstate numbers, owned by the problem).
TRX_API int trx_problem_steps(const trx_problem *problem);
TRX_API const double *trx_problem_start(const trx_problem *problem);

/// Result of settling the start (start: settle); zeros when the file does not ask for settling.
typedef struct trx_settling {
    double seconds; // simulated time, a whole number of steps [s]
    int steps;
    double speed;   // speed of the fastest point after settling [m/s]
} trx_settling;

TRX_API trx_settling trx_problem_settling(const trx_problem *problem);

/// True when the file has a `cost:` section.
TRX_API bool trx_problem_has_cost(const trx_problem *problem);

/// The optimization problem and its settings. Pointers inside belong to the problem. UNSUPPORTED when this version
/// cannot plan the task (method, limits, norms, quantities); the message names the key.
TRX_API trx_status trx_problem_plan(const trx_problem *problem, trx_plan_problem *plan, trx_plan_settings *settings);

/// How the gains of a plan's policy are made: the section `policy:` of the file, or the defaults.
TRX_API trx_policy_settings trx_problem_policy(const trx_problem *problem);

/// The settings of trials: the section `trial:` of the file, or the defaults.
TRX_API trx_trial_settings trx_problem_trial(const trx_problem *problem);

/// The section `fit:` of the file: reads its recordings, which the caller destroys after the fit. The arrays of `fit` belong to
/// `data`. Errors: ARGUMENT, IO, INPUT (with file, line and column), MEMORY.
TRX_API trx_status trx_problem_fit(const trx_problem *problem, trx_fit_data **data, trx_fit_problem *fit,
                                   trx_fit_settings *settings);

/// The section `fit.design`: the motion of `time.steps` steps with its limits, whose controls the caller plans (motion->u is NULL).
/// The caller destroys `data`. Errors: ARGUMENT, INPUT, MEMORY.
TRX_API trx_status trx_problem_fit_design(const trx_problem *problem, trx_fit_data **data, trx_fit_problem *fit,
                                          trx_fit_settings *settings, trx_fit_motion *motion,
                                          trx_fit_design_settings *design_settings);

/// The settings of a search for this problem. Returns false when the file turns the search off.
TRX_API bool trx_problem_search(const trx_problem *problem, trx_search_settings *settings);

/// A force on a body of the plant of a closed loop: at a given time, or at random times.
typedef struct trx_push {
    trx_source source;
    int body;          // place of the body in the file; bodies of includes come first
    double at;         // start of a single push, rounded to whole steps of the plant [s]
    double rate;       // mean number of pushes per second at random times, each component of force and impulse uniform within
                       // +- its value; 0: a single push [1/s]
    double duration;   // rounded to whole steps of the plant, at least one [s]
    double force[3];   // world axes [N]
    double impulse[3]; // force x duration; zeros: `force` counts [N s]
    double point[3];   // point at which the force acts, in the body frame [m]
} trx_push;

/// The section `mpc:` of the file.
typedef struct trx_mpc_problem {
    trx_mpc_settings settings;
    double duration;           // of the closed loop; default: that of the task [s]
    double period;             // from update to update; default: time.step [s]
    const char *const *plant;  // nplant: values of the plant, KEY=VALUE, for trx_problem_options.set
    int nplant;
    const double *noise;       // 2 nv: standard deviations of measured positions (tangent) and velocities; NULL: none
    const trx_push *pushes;    // npush
    int npush;
    double plant_delay;        // from the arrival of a state to the effect of its command in the plant; default: settings.delay [s]
    double plant_latency;      // from the beginning of a tick to the use of its plan in the loop; default: settings.latency [s]
    double age;                // from a measurement to its arrival at the controller [s]
    double dropped;            // share of ticks whose plan never arrives, 0 to 1 [1]
    unsigned long long seed;   // of noise, random pushes and dropped ticks
} trx_mpc_problem;

TRX_API trx_mpc_problem trx_problem_mpc(const trx_problem *problem);

/// Loads the plant of a closed loop: the file at `path` with the values of mpc->plant. Its steps cover the duration of the
/// loop, and the pushes are loads; random pushes depend on mpc->seed. `options` as for the problem, without loads. Errors: as
/// for trx_problem_load; ARGUMENT (more than a million pushes).
TRX_API trx_status trx_problem_load_plant(trx_context *context, const char *path, const trx_problem_options *options,
                                          const trx_mpc_problem *mpc, trx_problem **plant);

/// The settings of a robust plan: solve.robust with the ranges of `trial` and the gains of `policy`. Returns false when the file
/// asks for none.
TRX_API bool trx_problem_robust(const trx_problem *problem, trx_robust_settings *settings);

/// solve.refine: steps of the refinement for each step of the plan (trx_plan_create_refined), 1: no refinement.
TRX_API int trx_problem_refine(const trx_problem *problem);

/// The problem as run, as YAML text (overrides applied, paths resolved); owned by the problem. Empty when memory is out, or when a
/// path starts at the working directory and this directory has no path.
TRX_API const char *trx_problem_text(trx_problem *problem);

/// Notes on included robots: everything that was assumed, replaced, left out or repaired, once each, in the order of
/// the includes. Texts belong to the problem. An index out of range gives an empty text.
TRX_API int trx_problem_note_count(const trx_problem *problem);
TRX_API trx_note trx_problem_note(const trx_problem *problem, int index);

/// Controls from a CSV file with a `t` column and `u.NAME` columns, zero-order hold, sampled at the problem's
/// knots: u (nu x steps). Controls beyond the effort of a motor are reduced, and a warning counts them. Errors: IO, INPUT.
TRX_API trx_status trx_problem_read_controls(const trx_problem *problem, const char *path, double *u);

/// Records warnings about a problem that runs but perhaps not as intended, in the context: start penetration above 1
/// mm, violated limits, mass ratio above 1e4, a time step too long for sqrt(m/k) or for the gains of drives, actuators
/// that cannot balance gravity, cost terms without effect, default materials.
TRX_API trx_status trx_problem_diagnose(trx_problem *problem);

/// Checks the derivatives at the start state and at up to `max_states` states of the motion without controls.
TRX_API trx_status trx_problem_check_gradients(trx_problem *problem, int max_states, trx_gradient_check *result);

/// Checks the derivatives at up to `max_states` (at least one) knots of a run folder, with the states and controls of
/// its trajectory.csv. The last knot is left out because it has no controls. Errors: IO, INPUT (not a run of this
/// problem).
TRX_API trx_status trx_problem_check_run(trx_problem *problem, const char *folder, int max_states, trx_gradient_check *result);

TRX_END_C

#endif
