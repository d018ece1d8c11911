// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Targets per knot belong to times of the task, so they shift through the moving horizon (theory 7, model predictive control).

#include "mpc/targets.h"

#include <string.h>

static bool has_track(const trx_cost_term *term)
{
    return term->target && term->target_stride > 0;
}

void trxi_targets_layout(trxi_arena *arena, const trx_plan_problem *task, int horizon, trxi_targets *targets)
{
    size_t widest = 0;
    targets->steps = task->steps;
    targets->count = 0;
    targets->tracks = TRXI_TAKE(arena, trxi_track, task->nterm);
    for (int i = 0; task->terms && i < task->nterm; i++) {
        if (!has_track(&task->terms[i])) continue;
        const size_t stride = (size_t)task->terms[i].target_stride;
        double *memory = TRXI_TAKE(arena, double, stride * ((size_t)task->steps + 1));
        if (targets->tracks) targets->tracks[targets->count] = (trxi_track){i, task->terms[i].target_stride, memory};
        targets->count++;
        if (stride > widest) widest = stride;
    }
    targets->window = TRXI_TAKE(arena, double, widest * ((size_t)horizon + 1));
}

void trxi_targets_fill(const trx_plan_problem *task, trxi_targets *targets)
{
    for (int i = 0; i < targets->count; i++) {
        const trxi_track *t = &targets->tracks[i];
        memcpy(t->targets, task->terms[t->term].target, (size_t)t->stride * ((size_t)task->steps + 1) * sizeof(double));
    }
}

trx_status trxi_targets_follow(const trxi_targets *targets, int first, trx_plan *plan)
{
    const int steps = trx_plan_get_steps(plan);
    trx_status status = TRX_OK;
    for (int i = 0; i < targets->count && status >= 0; i++) {
        const trxi_track *t = &targets->tracks[i];
        for (int k = 0; k <= steps; k++) {
            const int knot = first + k < targets->steps ? first + k : targets->steps;
            memcpy(targets->window + (size_t)t->stride * (size_t)k, t->targets + (size_t)t->stride * (size_t)knot,
                   (size_t)t->stride * sizeof(double));
        }
        status = trx_plan_set_target(plan, t->term, targets->window, t->stride);
    }
    return status;
}
