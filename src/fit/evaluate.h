// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One window, simulated with its sensitivities: objective, gradient and Gauss-Newton Hessian with respect to the start state and
// the unknowns (theory 10).

#ifndef TRXI_FIT_EVALUATE_H
#define TRXI_FIT_EVALUATE_H

#include "fit/step_channel.h"
#include "fit/unknowns.h"
#include "fit/window.h"

#include <tractrix/kinematics.h>

/// Sums over residuals of one group in one window.
typedef struct trxi_group_sums {
    double squares, products; // of r^2, and of r times the residual of the sample before
    double weighted, weights; // of r^2 times the weight of the loss, and of the weights
    double norms;             // of the norms of all residuals of the group in one sample
    long long count, neighbours, samples;
} trxi_group_sums;

/// The result of the evaluation of a window. n = ns + np: start state first (ns: ntangent, or 0), then unknowns.
typedef struct trxi_evaluation {
    trx_status status;
    double objective;
    double *H, *g;         // n x n lower triangle, n
    trxi_group_sums *sums; // ngroup
    double *residuals;     // rows of the window x nresidual, unweighted, NAN: missing; NULL: not wanted
} trxi_evaluation;

/// The channels that show the motion at the same time before their sample.
typedef struct trxi_lag {
    int parameter; // of the delay, -1: these channels have none
    bool steps;    // the channels show steps, whose values count from the start of a step, or from its middle
    bool used;     // by a channel that has residuals
    double delay;  // [s]
    int knot;      // the last knot before the time that the present sample shows,
    double share;  // and the time since this knot as a share of the step
} trxi_lag;

/// The scratch of one thread: a simulator and the sensitivities of its window.
typedef struct trxi_bench {
    const trx_fit_problem *problem;
    const trx_fit_settings *settings;
    const trxi_unknowns *unknowns;
    trx_context *context;
    trx_sim *sim;
    trx_kinematics *kinematics; // NULL: no channel needs poses
    bool *used;                 // nchannel
    trx_parameter *list;        // nlist: parameters of the model, without those of signals
    int nlist;
    bool set;                   // the simulator has `values`
    double *values;             // nparameter
    trxi_slopes *slopes;        // nparameter: of these values
    double *gain, *bias;        // nchannel: of the values that are set
    double *marker;             // nchannel x 3: offset or turn of the marker that a channel shows
    trxi_step_channels steps;
    trxi_lag *lags;             // nlag: times between what channels show and their samples
    int nlag, *lag_of;          // lag_of: nchannel
    int ns, np, nresidual;      // nresidual: of one sample
    int kept;                   // number of knots whose states are kept: knot k at place k mod kept
    double *x, *S;              // nstate and ntangent x n of each kept knot
    double *A, *C, *D;          // ntangent x ntangent, ntangent x nparameter, ntangent x np
    double *Hx, *J;             // ntangent x 3, 6 nv
    double *r, *last;           // nresidual: of this sample, and of the one before (NAN: missing)
    double *rows, *weighed;     // n x nresidual
    double *step, *block;       // n, and n + np^2 + np, for the steps of the minimization
    double *start;              // nstate: a start state that is tried
    trxi_evaluation spare;      // evaluation of this start state
    void *memory;
} trxi_bench;

/// `context` is the thread's own and outlives the bench. Errors: of trx_sim_create, MEMORY.
trx_status trxi_bench_open(const trx_fit_problem *problem, const trx_fit_settings *settings, const trxi_unknowns *unknowns,
                           trx_context *context, trxi_bench *bench);
void trxi_bench_close(trxi_bench *bench);

/// Sets the parameters of the simulator. Errors: INPUT (a value that is not allowed).
trx_status trxi_bench_set(trxi_bench *bench, const double *values);

/// Derivatives that an evaluation computes; the others are 0. The value alone costs less than half.
typedef enum trxi_derivatives {
    TRXI_VALUE = 0,    // none
    TRXI_BY_START = 1, // with respect to the start state
    TRXI_BY_ALL = 2,   // with respect to the start state and the unknowns
} trxi_derivatives;

/// Evaluates a window from the start state x with the parameters of the last trxi_bench_set. noise: ngroup.
void trxi_evaluate(trxi_bench *bench, const trxi_window *w, const double *x, const double *noise, trxi_derivatives derivatives,
                   trxi_evaluation *out);

/// The value alone of a window whose objective matters only below `most`: ends with the objective INFINITY where the samples so far
/// pass this bound.
void trxi_evaluate_below(trxi_bench *bench, const trxi_window *w, const double *x, const double *noise, double most,
                         trxi_evaluation *out);

/// Copies status, objective and sums, without derivatives and residuals.
void trxi_evaluation_copy_value(const trxi_bench *bench, const trxi_evaluation *from, trxi_evaluation *to);

#endif
