// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A policy as text: a table, or C.

#ifndef TRXI_REPORT_POLICY_EXPORT_H
#define TRXI_REPORT_POLICY_EXPORT_H

#include "formats/text.h"

#include <tractrix/policy.h>

/// C99: tables and void policy_control(REAL t, const REAL *x, REAL *u). The policy must have gains.
void trxi_write_policy_c(const trx_model *model, const trx_policy_def *def, trxi_text *out);

/// One row per knot: t, x, u.ACTUATOR, and the gains. K.ACTUATOR.NAME, with a velocity NAME, multiplies the change of the tangent
/// coordinate of this velocity; K.ACTUATOR.d_NAME multiplies the change of a velocity or an activation NAME. The last row has no
/// controls and gains.
void trxi_write_policy_csv(const trx_model *model, const trx_policy_def *def, trxi_text *out);

#endif
