// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The control law between two knots of a trajectory (theory 7, policies), on arrays of the caller.

#ifndef TRXI_JUDGE_POLICY_H
#define TRXI_JUDGE_POLICY_H

#include <tractrix/policy.h>

/// x_plan (nstate), the fraction `share` of the way from the state x_k to the state that follows in memory. dx: ntangent, scratch.
void trxi_policy_between(const trx_model *model, const double *x_k, double share, double *dx, double *x_plan);

/// u = clamp(u + K (x (-) x_plan)), with K (nu x ntangent) or NULL; NAN stays NAN. dx: ntangent, scratch.
void trxi_policy_correct(const trx_model *model, const double *K, const double *x, const double *x_plan, double *dx, double *u);

#endif
