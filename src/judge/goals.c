// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The largest error of each goal over the knots that count (theory 7); see goals.h.

#include "judge/goals.h"

#include <math.h>
#include <string.h>

void trxi_goals_reset(int count, trxi_goal_error *goals)
{
    for (int i = 0; i < count; i++) {
        goals[i].error = 0;
        memset(goals[i].components, 0, (size_t)goals[i].dim * sizeof(double));
    }
}

void trxi_goal_raise(trxi_goal_error *goal, const double *weight, double *r)
{
    double sum = 0;
    for (int i = 0; i < goal->dim; i++) {
        if (!(weight[i] > 0)) r[i] = 0;
        sum += r[i] * r[i];
    }
    const double error = isfinite(sum) ? sqrt(sum) : INFINITY; // a function of the caller may give NaN
    if (error > goal->error) memcpy(goal->components, r, (size_t)goal->dim * sizeof *r);
    goal->error = fmax(goal->error, error);
}

void trxi_goals_conclude(int count, const trxi_goal_error *goals, bool complete, trx_goal_result *results)
{
    for (int i = 0; i < count; i++) {
        results[i].error = complete ? goals[i].error : INFINITY;
        results[i].met = results[i].error <= results[i].tolerance;
    }
}
