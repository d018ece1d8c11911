// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Gains of the policy of a plan, computed repeatedly in the same memory (theory 7, policies).

#ifndef TRXI_TRAJOPT_PLAN_POLICY_H
#define TRXI_TRAJOPT_PLAN_POLICY_H

#include <tractrix/policy.h>

typedef struct trxi_policy_gains trxi_policy_gains;

/// Checks the settings. Errors: ARGUMENT.
trx_status trxi_policy_settings_check(trx_context *context, const trx_policy_settings *settings);

/// Allocates the memory for plans with the sizes of `plan` and at most as many steps. Errors: MEMORY.
trx_status trxi_policy_gains_create(const trx_plan *plan, const trx_policy_settings *settings, trxi_policy_gains **gains);
void trxi_policy_gains_destroy(trxi_policy_gains *gains);

/// K (nu x ntangent x N): the gains of trx_policy_of_plan for a solved plan, valid until the next call. Allocates nothing. Errors:
/// NOT_PD, a step that fails along the plan.
trx_status trxi_policy_gains_make(const trx_plan *plan, trxi_policy_gains *gains, const double **K);

#endif
