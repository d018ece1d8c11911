// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The settings of a controller, and the checks of settings and task (theory 7, model predictive control).

#include "mpc/settings.h"

#include "base/context.h"
#include "model/model.h"
#include "trajopt/plan.h"
#include "trajopt/plan_policy.h"

#include <math.h>

enum { MOST_STEPS = 10000000 }; // of latency and delays

trx_mpc_settings trx_mpc_settings_default(void)
{
    return (trx_mpc_settings){.size = sizeof(trx_mpc_settings), .least_horizon = 10, .iterations = 5, .deadline = INFINITY,
                              .first_plan = true, .threads = 1, .refine = 1, .max_age = 0.25, .search_delay = 0.2,
                              .goal_weight = 1};
}

static trx_status check_settings(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *s)
{
    if (!task || !task->model || !s) return trxi_fail(context, TRX_ERR_ARGUMENT, "a controller needs a task and settings");
    trx_status status = trxi_check_size(context, s->size, sizeof *s, "trx_mpc_settings_default");
    if (status < 0) return status;
    if (s->horizon < 0 || s->horizon > task->steps || s->least_horizon < 1 || s->iterations < 1)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "a controller needs a horizon from 0 to the %d steps of the task, at least one "
                         "knot of least_horizon and one iteration", task->steps);
    if (!(s->deadline > 0) || !(s->latency >= 0) || !isfinite(s->latency) || !(s->delay >= 0) || !isfinite(s->delay))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "a controller needs a positive deadline, and a latency and a delay from 0");
    if (!(s->max_age >= 0) || !isfinite(s->max_age)) return trxi_fail(context, TRX_ERR_ARGUMENT, "max_age must be 0 or more");
    if (!(s->friction_margin >= 0 && s->friction_margin < 1))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "friction_margin must be from 0 to less than 1");
    if (s->latency + s->delay > MOST_STEPS * task->sim.time_step || s->search_delay > MOST_STEPS * task->sim.time_step)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "latency and delays of a controller are at most %d steps of the task",
                         MOST_STEPS);
    if (!(s->search_effort >= 0) || !(s->search_delay >= 0) || !isfinite(s->search_delay))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "search_effort and search_delay must be 0 or more");
    if (!(s->goal_weight > 0) || !isfinite(s->goal_weight))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "goal_weight is %g: it must be positive", s->goal_weight);
    if (!(s->friction_range >= 0 && s->friction_range < 1))
        return trxi_fail(context, TRX_ERR_ARGUMENT, "friction_range is %g: it must be from 0 to less than 1", s->friction_range);
    if (s->gains && (status = trxi_policy_settings_check(context, s->gains)) < 0) return status;
    if (s->soft_stages < 0) return trxi_fail(context, TRX_ERR_ARGUMENT, "soft_stages is %d: it must be 0 or more", s->soft_stages);
    if (s->refine < 1 || s->refine > 100)
        return trxi_fail(context, TRX_ERR_ARGUMENT, "refine is %d: it must be 1 to 100", s->refine);
    return TRX_OK;
}

// refuses limits and weights of single knots, because the knots of a controller move with its horizon
static trx_status check_knots(trx_context *context, const trx_plan_problem *task)
{
    for (int i = 0; i < task->nlimit; i++) {
        const trx_limit *limit = &task->limits[i];
        const bool all = limit->first <= 1 && limit->last >= task->steps - 1, end = limit->first >= task->steps - 1;
        if (!all && !end)
            return trxi_fail(context, TRX_ERR_UNSUPPORTED, "limit %d (%s): limits of some knots do not move with the horizon of a "
                             "controller", i, limit->term.name ? limit->term.name : "unnamed");
    }
    for (int i = 0; i < task->nterm; i++)
        if (task->terms[i].weight_stride > 0)
            return trxi_fail(context, TRX_ERR_UNSUPPORTED, "cost term %d (%s): weights per knot do not move with the horizon of a "
                             "controller", i, task->terms[i].name ? task->terms[i].name : "unnamed");
    return TRX_OK;
}

// the estimate of friction needs poses at the start of a step
static trx_status check_friction(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *s)
{
    if (s->friction_range > 0 && (task->sim.scheme != TRX_SYMPLECTIC || task->model->nprescribed > 0))
        return trxi_fail(context, TRX_ERR_UNSUPPORTED, "a controller estimates friction only with the symplectic scheme and "
                         "without prescribed motions");
    return TRX_OK;
}

trx_status trxi_mpc_check(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings)
{
    const trx_plan_settings plan = trx_plan_settings_default();
    trx_status status = check_settings(context, task, settings);
    if (status >= 0) status = check_knots(context, task);
    if (status >= 0) status = check_friction(context, task, settings);
    return status < 0 ? status : trxi_plan_check(context, task, &plan);
}
