// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The inside of an identification, shared by the files of this room (theory 10).

#ifndef TRXI_FIT_STATE_H
#define TRXI_FIT_STATE_H

#include "base/workers.h"
#include "fit/eliminate.h"
#include "fit/evaluate.h"

/// Windows with what the minimization keeps of each.
typedef struct trxi_windows {
    trxi_window *list;
    int count;
    trxi_evaluation *now, *trial; // count, at w->x and at x_trial
    trxi_eliminated *eliminated;  // count
    double *damping;              // count: of each start state
    double *x_trial, *x_kept;     // (nq + nv) x count
    double *kept;                 // count: objectives at x_kept
} trxi_windows;

struct trx_fit {
    trx_context *context;
    trxi_pool *pool;
    trx_fit_problem problem;
    trx_fit_settings settings;
    trxi_unknowns unknowns;
    trxi_windows fitted, held;
    double *z, *values, *noise;   // count, nparameter, ngroup: current
    double *z_trial, *values_trial;
    double *P, *p, *dz, *scratch; // np x np, np, np, n + np^2
    bool *fixed;                  // np: at a bound, with a gradient that points out of it
    trxi_workers *workers;
    trxi_bench *benches;          // settings.threads
    trx_context **contexts;       // settings.threads
    trx_fit_progress progress;
    void *user;
    trx_fit_iteration *rows;      // of all iterations
    int nrow, row_capacity;
    // the answer
    trx_fit_info info;
    double *covariance, *robust;  // np x np, in z; zero rows where unknown
    trx_fit_verdict *verdicts;    // np
    int clusters;                 // of the sandwich
    const char **directions;      // info.ndirection
    trx_fit_group_info *groups;
    trx_fit_recording_info *recordings;
};

#endif
