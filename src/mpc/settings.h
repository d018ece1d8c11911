// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The settings of a controller (theory 7, model predictive control).

#ifndef TRXI_MPC_SETTINGS_H
#define TRXI_MPC_SETTINGS_H

#include <tractrix/mpc.h>

/// Checks task and settings. Errors: ARGUMENT, UNSUPPORTED, errors of trxi_plan_check.
trx_status trxi_mpc_check(trx_context *context, const trx_plan_problem *task, const trx_mpc_settings *settings);

#endif
