// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The task as a controller plans it (theory 7, model predictive control).

#ifndef TRXI_MPC_PLANNED_TASK_H
#define TRXI_MPC_PLANNED_TASK_H

#include "base/arena.h"

#include <tractrix/mpc.h>

/// Writes the task at the planner's time step, with the planner's weights of goals. Its new arrays belong to the pool. Errors:
/// MEMORY.
trx_status trxi_mpc_planned_task(trx_context *context, trxi_pool *pool, const trx_plan_problem *task,
                                 const trx_mpc_settings *settings, trx_plan_problem *problem);

#endif
