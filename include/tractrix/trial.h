// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Trials: a control law in many worlds that differ from the model it was made with (theory 7, trials). Each world has its
// own friction, stiffness, masses, start, noise and delay, drawn from ranges by seed and number of the world. The result
// is a success rate with its confidence interval, the errors of every world, and the quantities that decide between
// success and failure.

#ifndef TRACTRIX_TRIAL_H
#define TRACTRIX_TRIAL_H

#include <tractrix/policy.h>

TRX_BEGIN_C

/// Half widths of uniform ranges, unless the text says otherwise. 0: no variation.
typedef struct trx_trial_settings {
    size_t size;             // sizeof(trx_trial_settings), set by the default function
    int worlds;              // number of worlds, 1 to 1000000 [1]
    int first_world;         // number of the first world; a world depends only on seed and number [1]
    unsigned long long seed;
    int threads;             // 1 to 64; results have the same bits for every number [1]
    double step_share;       // time step of the worlds / time step of the task; its inverse is a whole number [1]
    double friction;         // of each pair of bodies, relative [1]
    double stiffness;        // of each pair of bodies, relative [1]
    double dissipation;      // of each pair of bodies, relative [1]
    double mass;             // of each body with its inertia, relative [1]
    double damping;          // of each joint, relative [1]
    double start_position;   // of dofs that no actuator drives, or of all dofs if actuators drive all [m]
    double start_rotation;   // of the same dofs [rad]
    double noise_position, noise_rotation, noise_velocity; // of measured states, standard deviation [m, rad, m/s or rad/s]
    double delay;            // from measurement to effect of a control, the same in all worlds; no range [s]
    double push;             // change of velocity, at one random time, of the dofs whose start varies [m/s or rad/s]
    double tolerance_factor; // a goal within this many tolerances counts as met [1]
    double least_tolerance;  // a goal in metres within this distance counts as met, too [m]
    bool (*stop)(void *user); // called at every knot, on every thread; true ends the trial at once, and running worlds count as not
                              // run. NULL: never
    void *stop_user;
    const char *stamp;       // text for the summary that identifies everything, besides the worlds, on which the trial depends;
                             // NULL: none
    const char *resume;      // FOLDER/NAME of trx_trial_write: the worlds in these files are not run again. NULL, or no such
                             // file: all worlds run
    const char *save;        // FOLDER/NAME: the finished worlds are written there about once a second while the trial runs, in
                             // a form that `resume` reads; the caller removes NAME.csv and NAME.json. NULL: not written
} trx_trial_settings;

/// 100 worlds, seed 1, one thread; a tenth of the step; friction and stiffness 20 %, mass 10 %; start 2 mm and 0.02 rad; delay
/// 5 ms; three tolerances or 2 cm; nothing else.
TRX_API trx_trial_settings trx_trial_settings_default(void);

typedef struct trx_trial trx_trial;

/// The run of one world.
typedef struct trx_trial_world {
    trx_status status;       // of its steps and of the controller
    bool success;            // every goal within its widened tolerance
    double ratio;            // largest error of a goal / its widened tolerance; INFINITY after a failure [1]
    double cost;
    const double *errors;    // ngoal: errors of the goals, INFINITY after a failure
    const double *draws;     // nvariation: numbers in [-1, 1]
} trx_trial_world;

/// One quantity that differs from world to world.
typedef struct trx_trial_variation {
    const char *name;        // "pair(box, ground).friction", "box.mass", "start box.x"
    double range;            // half width of its range, relative or in its unit
    bool relative;
    double correlation;      // Spearman's rank correlation of the draws with `ratio`, over all worlds that have run [1]
} trx_trial_variation;

/// A goal of the task.
typedef struct trx_trial_goal {
    const char *name;
    double tolerance, allowed; // tolerance of the task; widened tolerance by which the trial judges
} trx_trial_goal;

typedef struct trx_trial_info {
    int worlds;              // worlds that have run
    int successes;
    double rate_low, rate_high; // 95 % interval of the success rate [Wilson 1927] [1]
    int ngoal, nvariation;
    double seconds;
} trx_trial_info;

/// Called after every world, on the caller's thread or another one, one call at a time; false ends the trial after the
/// worlds that are running.
typedef bool (*trx_trial_progress)(int done, void *user);

/// Runs the controller in all worlds of a task, which must have goals. Only model, sim, steps, x0 and terms of the task count.
/// Returns TRX_OK or INTERRUPTED with a trial, or an error without one: ARGUMENT, NOT_FINITE, MEMORY; with `resume` also IO, INPUT
/// (a damaged file, or another stamp, other goals or other draws).
TRX_API trx_status trx_trial_run(trx_context *context, const trx_plan_problem *task, const trx_trial_settings *settings,
                                 const trx_controller *controller, trx_trial_progress progress, void *user,
                                 trx_trial **trial);
TRX_API void trx_trial_destroy(trx_trial *trial);

TRX_API trx_trial_info trx_trial_get_info(const trx_trial *trial);
TRX_API trx_trial_settings trx_trial_get_settings(const trx_trial *trial);

/// The result number `index`, from 0: the result of the world first_world + index.
TRX_API trx_trial_world trx_trial_get_world(const trx_trial *trial, int index);
TRX_API trx_trial_goal trx_trial_get_goal(const trx_trial *trial, int goal);
TRX_API trx_trial_variation trx_trial_get_variation(const trx_trial *trial, int variation);

/// Writes the indices of at most `room` results with the largest `ratio`, largest first. Returns their number.
TRX_API int trx_trial_worst(const trx_trial *trial, int room, int *indices);
/// Writes the indices of at most `room` variations with the strongest correlations, strongest first. Returns their number.
TRX_API int trx_trial_strongest(const trx_trial *trial, int room, int *indices);

TRX_API trx_context *trx_trial_context(const trx_trial *trial);

/// Writes NAME.csv (one row per world: status, success, ratio, cost, errors of the goals, draws) and NAME.json (rate, quantiles,
/// worst worlds, correlations) into the folder, each file atomically. Errors: ARGUMENT, IO, MEMORY.
TRX_API trx_status trx_trial_write(trx_trial *trial, const char *folder, const char *name);

/// The quantile `share` (0 to 1) of the errors of a goal over all worlds that have run; a failed world counts as INFINITY. NAN
/// without such worlds, for another goal or share, and when memory is out.
TRX_API double trx_trial_quantile(const trx_trial *trial, int goal, double share);

TRX_END_C

#endif
