// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Predicts the state by the model (theory 7, model predictive control): over the age of a measurement and the delay under the
// commands that have acted or are on their way to the plant, and over the latency under the policy in effect.

#ifndef TRXI_MPC_PREDICTION_H
#define TRXI_MPC_PREDICTION_H

#include "base/arena.h"

#include <tractrix/policy.h>

typedef struct trxi_prediction {
    double planner_step; // [s]
    trx_sim *sim;        // its time step divides the span of the last prediction
    int nu;
    int sent, oldest;              // number of kept commands, slot of the oldest
    double *times, *commands;      // ring: time at which a command begins to act [s]; nu numbers of each command
    double *u;                     // nu
} trxi_prediction;

void trxi_prediction_layout(trxi_arena *arena, const trx_model *model, trxi_prediction *prediction);

/// Creates the simulator with the settings of the planner's model; the caller destroys it.
trx_status trxi_prediction_begin(trx_context *context, const trx_model *model, const trx_sim_settings *sim,
                                 trxi_prediction *prediction);

/// Advances the state x, measured at `time`, by `span` under the commands that act during the span.
trx_status trxi_predict_sent(const trxi_prediction *prediction, trx_policy *policy, double time, double span, double *x);

/// Called after every step of a prediction; a negative status ends the prediction.
typedef trx_status trxi_prediction_watch(trx_sim *sim, void *user);

/// The same, with a call after every step.
trx_status trxi_predict_watched(const trxi_prediction *prediction, trx_policy *policy, double time, double span,
                                trxi_prediction_watch *watch, void *user, double *x);

/// Advances the state x at `time` by `span` under the policy.
trx_status trxi_predict_policy(const trxi_prediction *prediction, trx_policy *policy, double time, double span, double *x);

/// Keeps the command u (nu), which acts from `time` until the next command. Kept commands that would act later are dropped.
void trxi_prediction_keep(trxi_prediction *prediction, double time, const double *u);

/// Forgets all commands.
void trxi_prediction_forget(trxi_prediction *prediction);

#endif
