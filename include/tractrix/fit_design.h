// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Design of a motion for identification (theory 10): the standard deviations of parameters that one recording of a planned
// motion is expected to give, before anything is recorded, and controls that lower these deviations.

#ifndef TRACTRIX_FIT_DESIGN_H
#define TRACTRIX_FIT_DESIGN_H

#include <tractrix/fit.h>

TRX_BEGIN_C

/// A planned motion and its limits.
typedef struct trx_fit_motion {
    int steps, every;            // number of steps; steps from one sample to the next
    const double *u;             // steps x nu: planned controls
    const double *lower, *upper; // nu: limits of the controls, finite
    const double *low, *high;    // nstate: limits of coordinates and velocities, INFINITY: none; NULL: none at all
} trx_fit_motion;

/// Means of the expected standard deviations of the free parameters. Deviations of positive parameters are relative to the value,
/// other deviations to half the range between the bounds or to the start.
typedef enum trx_fit_criterion {
    TRX_FIT_TRACE = 0,           // root of the mean square: the trace of the covariance (A-optimal)
    TRX_FIT_LOG_DETERMINANT = 1, // geometric mean along the axes of the ellipsoid: its determinant (D-optimal)
} trx_fit_criterion;

typedef struct trx_fit_design_settings {
    size_t size;             // sizeof(trx_fit_design_settings), set by the default function
    trx_fit_criterion criterion;
    int knots;               // knots of the curve of each control, 2 or more [1]
    int evaluations;         // largest number of tried motions; 0: only the planned motion is judged [1]
    unsigned long long seed; // of the search [1]
    int threads;             // over motions, 1 to 64; results have the same bits for every number [1]
} trx_fit_design_settings;

/// Trace, 8 knots, 2000 evaluations, seed 1, one thread.
TRX_API trx_fit_design_settings trx_fit_design_settings_default(void);

typedef struct trx_fit_design_info {
    trx_status status;         // OK, or INTERRUPTED with the best motion so far
    double planned, designed;  // criterion; planned NAN: the planned motion leaves its limits or fails [1]
    int evaluations, nparameter;
    double seconds;
} trx_fit_design_info;

typedef struct trx_fit_design trx_fit_design;

/// Called after every generation of the search with the best criterion so far (INFINITY: no motion within the limits yet); false
/// ends the search.
typedef bool (*trx_fit_design_progress)(int evaluations, double best, void *user);

/// Judges the planned motion from the state x0 of the problem at the starts of the parameters, and searches for a better
/// motion. `problem` has channels and groups with given noise, and no recordings. Only the start deviations of `settings`
/// count. Returns the status of trx_fit_design_info, or an error without a result. Errors: ARGUMENT, UNSUPPORTED (delays),
/// INPUT (also: no motion within the limits was found), MEMORY.
TRX_API trx_status trx_fit_design_run(trx_context *context, const trx_fit_problem *problem, const trx_fit_settings *settings,
                                      const trx_fit_motion *motion, const trx_fit_design_settings *design_settings,
                                      trx_fit_design_progress progress, void *user, trx_fit_design **design);
TRX_API void trx_fit_design_destroy(trx_fit_design *design);

TRX_API trx_fit_design_info trx_fit_design_get_info(const trx_fit_design *design);

/// Expected standard deviation of a parameter from one recording of the designed motion, or of the planned one; NAN: not known.
TRX_API double trx_fit_design_deviation(const trx_fit_design *design, int parameter, bool designed);

/// The designed controls, steps x nu; the planned controls if the search found nothing better.
TRX_API const double *trx_fit_design_controls(const trx_fit_design *design);

TRX_END_C

#endif
