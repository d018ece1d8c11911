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
    trxi_limits limits; // writes its results to the run
} trxi_judge;

/// Puts `count` limits of the problem before the limits of the run. Copies their names. Errors: MEMORY.
trx_status trxi_run_ask_limits(trx_run *run, const trx_limit_result *asked, int count);

/// Starts to judge the limits of joints and actuators, and, unless `task` is NULL, the limits of the task and the goals among its
/// terms. Only model, sim, steps, x0, terms and limits of the task are read. Terms that cannot be evaluated are not judged.
/// Errors: MEMORY.
trx_status trxi_judge_begin(trx_run *run, const trx_plan_problem *task, trxi_judge *judge);

/// Judges one knot; u is NULL at the last knot.
void trxi_judge_knot(trxi_judge *judge, int knot, const double *x, const double *u);

/// Writes the limits of the run, and the goals if the run has reached the last knot of the problem. Releases the judge's
/// memory. Accepts a judge that did not begin.
void trxi_judge_finish(trxi_judge *judge);

#endif
