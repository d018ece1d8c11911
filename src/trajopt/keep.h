// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A guess that keeps the limits is never replaced by a worse result (theory 7).

#ifndef TRXI_TRAJOPT_KEEP_H
#define TRXI_TRAJOPT_KEEP_H

#include "trajopt/plan.h"

/// Simulates a guess of states and controls under the law of the model. A simulation that keeps all limits is kept in plan->kept,
/// and the limits have penalties from the start. Multipliers that already belong to the guess stay.
void trxi_keep_guess(trx_plan *plan);

/// Makes the kept guess the result again if the result violates a limit or costs more.
void trxi_keep_better(trx_plan *plan);

#endif
