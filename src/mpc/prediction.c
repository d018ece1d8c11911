// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Prediction of the state (theory 7, model predictive control): a few steps of the model, from the measurement to the time at
// which the new command or policy begins to act. The commands that were sent act over the age of the measurement and the delay.
// The policy acts before the first sent command and over the latency.

#include "mpc/prediction.h"

#include "base/context.h"
#include "model/model.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { KEPT = 1024, PARTS = 5 }; // number of kept commands; steps of a prediction for each step of the planner

static const double SAME_TIME = 1e-9; // share of a step

void trxi_prediction_layout(trxi_arena *arena, const trx_model *model, trxi_prediction *p)
{
    p->times = TRXI_TAKE(arena, double, KEPT);
    p->commands = TRXI_TAKE(arena, double, KEPT * (size_t)model->nu);
    p->u = TRXI_TAKE(arena, double, model->nu);
}

trx_status trxi_prediction_begin(trx_context *context, const trx_model *model, const trx_sim_settings *sim, trxi_prediction *p)
{
    p->planner_step = sim->time_step;
    p->nu = model->nu;
    trxi_prediction_forget(p);
    return trx_sim_create(context, model, sim, &p->sim);
}

// ---- commands on their way ----

void trxi_prediction_keep(trxi_prediction *p, double time, const double *u)
{
    while (p->sent > 0 && p->times[(p->oldest + p->sent - 1) % KEPT] >= time) p->sent--; // u replaces later commands
    const int slot = (p->oldest + p->sent) % KEPT;
    p->times[slot] = time;
    memcpy(p->commands + (size_t)(p->nu * slot), u, (size_t)p->nu * sizeof *u);
    if (p->sent < KEPT) p->sent++;
    else p->oldest = (p->oldest + 1) % KEPT;
}

void trxi_prediction_forget(trxi_prediction *p)
{
    p->sent = p->oldest = 0;
}

// the last command that acts at a time; NULL when there is none
static const double *command_at(const trxi_prediction *p, double time)
{
    for (int i = p->sent - 1; i >= 0; i--) {
        const int slot = (p->oldest + i) % KEPT;
        if (p->times[slot] <= time) return p->commands + (size_t)(p->nu * slot);
    }
    return NULL;
}

// ---- steps ----

// sets the time step of the simulator so that whole steps fill a span; returns their number
static int divide(const trxi_prediction *p, double span)
{
    trx_sim_settings settings = trx_sim_get_settings(p->sim);
    const double count = fmin(fmax(1, ceil(PARTS * span / p->planner_step - 1e-6)), INT_MAX), step = span / count;
    if (settings.time_step != step) {
        settings.time_step = step;
        trx_sim_set_settings(p->sim, &settings);
    }
    return (int)count;
}

static trx_status step(const trxi_prediction *p, double time, const double *u, double *x)
{
    const trx_step_input input = {.time = time, .x = x, .u = u};
    return trx_step_from(p->sim, &input, x);
}

trx_status trxi_predict_watched(const trxi_prediction *p, trx_policy *policy, double time, double span,
                                trxi_prediction_watch *watch, void *user, double *x)
{
    if (!(span > 0)) return TRX_OK;
    const int steps = divide(p, span);
    const double h = trx_sim_get_settings(p->sim).time_step;
    trx_status status = TRX_OK;
    for (int k = 0; k < steps && status >= 0; k++) {
        const double t = time + k * h, *u = command_at(p, t + SAME_TIME * h);
        if (!u) status = trx_policy_control(policy, t, x, p->u);
        if (status >= 0) status = step(p, t, u ? u : p->u, x);
        if (status >= 0 && watch) status = watch(p->sim, user);
    }
    return status;
}

trx_status trxi_predict_sent(const trxi_prediction *p, trx_policy *policy, double time, double span, double *x)
{
    return trxi_predict_watched(p, policy, time, span, NULL, NULL, x);
}

trx_status trxi_predict_policy(const trxi_prediction *p, trx_policy *policy, double time, double span, double *x)
{
    if (!(span > 0)) return TRX_OK;
    const int steps = divide(p, span);
    const double h = trx_sim_get_settings(p->sim).time_step;
    trx_status status = TRX_OK;
    for (int k = 0; k < steps && status >= 0; k++) {
        status = trx_policy_control(policy, time + k * h, x, p->u);
        if (status >= 0) status = step(p, time + k * h, p->u, x);
    }
    return status;
}
