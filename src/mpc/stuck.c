// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A loop is stuck when its plans keep missing a goal (theory 7, model predictive control): at the end of the horizon the error of
// some goal is larger than its tolerance, and has not fallen by the share PROGRESS for some time. The cost is no such measure: it
// falls in every loop whose horizon shrinks, and is small in a loop that stands still.

#include "mpc/stuck.h"

#include "trajopt/plan.h"

#include <math.h>

static const double PROGRESS = 0.05; // decrease of the miss that counts as progress, relative [1]

double trxi_goal_miss(trx_plan *plan)
{
    const int steps = trx_plan_get_steps(plan), goals = plan->info.ngoal;
    double miss = 0;
    trxi_goals_reset(goals, plan->physical_errors);
    trxi_cost_goal_errors(&plan->cost, steps, plan->x + (size_t)plan->rollout.nstate * (size_t)steps, NULL, plan->physical_errors);
    for (int i = 0; i < goals; i++) {
        const double ratio = plan->physical_errors[i].error / plan->physical_goals[i].tolerance;
        miss = ratio <= miss ? miss : isfinite(ratio) ? ratio : INFINITY;
    }
    return miss;
}

void trxi_stuck_reset(double time, trxi_stuck *stuck)
{
    *stuck = (trxi_stuck){.miss = INFINITY, .since = time};
}

bool trxi_stuck_update(double time, double miss, double patience, trxi_stuck *stuck)
{
    if (miss <= 1 || miss < (1 - PROGRESS) * stuck->miss) *stuck = (trxi_stuck){.miss = miss, .since = time};
    return miss > 1 && time - stuck->since >= patience;
}
