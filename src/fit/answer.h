// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// How sure the estimates are (theory 10).

#ifndef TRXI_FIT_ANSWER_H
#define TRXI_FIT_ANSWER_H

#include "fit/state.h"

/// Sets covariances, verdicts, directions and sums of groups from the last evaluation. Errors: MEMORY.
trx_status trxi_answer(trx_fit *fit);

/// Variance of a value with these slopes by shared unknowns; covariance: shared x shared.
double trxi_shared_variance(const trx_fit *fit, const double *covariance, const trxi_slopes *slopes);

/// Standard deviations of groups whose noise is estimated, from the last evaluation. Returns the largest relative change.
double trxi_estimate_noise(trx_fit *fit);

#endif
