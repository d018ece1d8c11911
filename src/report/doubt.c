// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Whether a plan leans on its time step: a goal is met at the step of the plan and missed at a tenth of it (theory 7, replays).

#include "report/run.h"

const trx_goal_result *trx_run_doubtful_goal(const trx_run *run)
{
    const trx_goal_result *worst = NULL;
    double most = 1;
    for (int i = 0; run->planned && i < run->ngoal; i++) {
        const trx_goal_result *fine = &run->fine.goals[i];
        const double times = fine->error / fine->tolerance;
        if (!run->physical.goals[i].met || !(times > most)) continue;
        most = times;
        worst = fine;
    }
    return worst;
}
