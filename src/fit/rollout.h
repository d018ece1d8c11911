// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Whole recordings predicted from one start state (theory 10).

#ifndef TRXI_FIT_ROLLOUT_H
#define TRXI_FIT_ROLLOUT_H

#include "fit/state.h"

/// Predicts every recording with the fitted parameters into fit->recordings. Errors: MEMORY.
trx_status trxi_rollouts(trx_fit *fit);

#endif
