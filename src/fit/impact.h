// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Samples of a recording within which the motion jumps (theory 10); see impact.c.

#ifndef TRXI_FIT_IMPACT_H
#define TRXI_FIT_IMPACT_H

#include <tractrix/fit.h>

/// Marks the samples at which the recorded motion jumps: inside (rows). `scratch`: 2 rows numbers.
void trxi_impacts_find(const trx_fit_problem *problem, const trx_fit_recording *recording, double *scratch, bool *inside);

/// Whether time t lies in an impact: between the neighbours of a marked sample.
bool trxi_impacts_at(const trx_fit_recording *recording, const bool *inside, double t);

#endif
