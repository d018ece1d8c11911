// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of an identification, shared by the files of this room (theory 10).

#ifndef TRXI_FIT_STATE_H
#define TRXI_FIT_STATE_H

#include "base/workers.h"
#include "fit/eliminate.h"
#include "fit/evaluate.h"
#include "fit/sessions.h"
#include "formats/journal.h"

/// Windows, and what the minimization keeps for each window.
typedef struct trxi_windows {
    trxi_window *list;
    int count;
    trxi_evaluation *now, *trial; // count, at w->x and at x_trial
    trxi_eliminated *eliminated;  // count
    double *damping;              // count: of each start state
    double *x_trial, *x_kept;     // nstate x count
    double *x_best;               // nstate x count: of the best start
    double *kept;                 // count: objectives at x_kept
} trxi_windows;

/// The normal equations (arrow.h). n = local + shared unknowns of a session.
typedef struct trxi_arrow {
    int local, shared;
    double *R, *r;   // sessions: n x n lower, n
    double *P, *p;   // shared x shared lower, shared
    bool *fixed;     // sessions x n: at a bound, with a gradient that points out of it
    trxi_eliminated *eliminated; // sessions
    double *B, *L;   // n x n + n, shared x shared + shared: scratch
} trxi_arrow;

/// Covariances of the local unknowns of one session: with each other, and with the shared unknowns.
typedef struct trxi_local_covariance {
    double *own;   // local x local
    double *cross; // local x shared
    double *slope; // local x shared: derivative of the local unknowns by the shared ones
} trxi_local_covariance;

struct trx_fit {
    trx_context *context;
    trxi_pool *pool;
    trx_fit_problem problem;
    trx_fit_settings settings;
    trxi_unknowns unknowns;
    trxi_sessions sessions;
    trxi_windows fitted, held;
    double *z, *values, *noise;   // unknowns x sessions, nparameter x (sessions + 1), ngroup: current
    double *z_trial, *values_trial;
    double damping;               // of the last iteration, with which the next solve begins
    int rough;                    // windows that got worse in the last iteration
    bool stale;                   // the last step was judged by values alone: derivatives belong to the point before the step
    trxi_arrow arrow;
    struct trxi_fit_ipopt *ipopt; // the solver of rounds; NULL: Gauss-Newton
    double *dz, *scratch;         // unknowns x sessions, n + 2 unknowns
    trxi_workers *workers;
    trxi_bench *benches;          // settings.threads
    trx_context **contexts;       // settings.threads
    trx_fit_progress progress;
    void *user;
    trx_fit_iteration *rows;      // of all iterations
    int nrow, row_capacity;
    trx_fit_start *starts;        // settings.starts
    int start;                    // the present one
    trxi_journal journal;         // of the parts that have ended (progress.c)
    char hash[65];                // of what the fit depends on
    double due;                   // time of the next writing of the journal (trx_clock) [s]
    double *best_z, *best_noise;  // of the best start
    // the answer
    trx_fit_info info;
    double *covariance, *robust;  // shared x shared, in z; zero rows where unknown
    trxi_local_covariance *local; // sessions
    trx_fit_verdict *verdicts;    // unknowns x sessions
    int clusters;                 // of the sandwich
    double *halved;               // entries: changes of values at half the time step (half_step.c); NULL: not known
    const char **directions;      // info.ndirection
    trx_fit_group_info *groups;
    trx_fit_recording_info *recordings;
    trx_fit_residual_info *residuals; // info.nresidual
    trx_fit_recording_info *validated; // nrecording, NULL: no folds
    double *folded;                   // estimates x folds
    trx_fit_profile *profiles;        // info.nprofile
    double *windowed, *whole;         // residuals of all samples, from the starts of windows, and from the starts of recordings
};

#endif
