// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Goals and limits of a trajectory, judged knot by knot.

#ifndef TRXI_REPORT_JUDGE_H
#define TRXI_REPORT_JUDGE_H

#include "judge/limits.h"
#include "report/run.h"

typedef struct trxi_judge {
    trx_run *run;
    struct trxi_judged_goals *goals; // NULL: there are no goals to judge
    trxi_limits limits; // whose results are those of the run
} trxi_judge;

/// Starts with the limits of joints and actuators, and with the goals among the terms of `task` (NULL: none), of which
/// model, sim, steps, x0 and terms count. Terms that cannot be evaluated are no goals. Errors: MEMORY.
trx_status trxi_judge_begin(trx_run *run, const trx_plan_problem *task, trxi_judge *judge);

/// Takes knot `knot` in; u is NULL at the last one.
void trxi_judge_knot(trxi_judge *judge, int knot, const double *x, const double *u);

/// Leaves what was found in the run's limits and, when its last knot is that of the problem, in its goals. Releases what it
/// took; a judge that did not begin is accepted.
void trxi_judge_finish(trxi_judge *judge);

#endif
