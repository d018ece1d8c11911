// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A trial that goes on: the worlds that an earlier run of the same trial has finished (theory 7, trials).

#ifndef TRXI_TRIAL_RESUME_H
#define TRXI_TRIAL_RESUME_H

#include "trial/worlds.h"

/// Takes the finished worlds from the files settings.resume + ".csv" and ".json" into the results, whose arrays exist already.
/// Without the files nothing happens. Errors: INPUT (the files are damaged or of another trial), IO, MEMORY.
trx_status trxi_trial_resume(trx_context *context, const trxi_worlds *worlds, int ngoal, const trx_trial_goal *goals,
                             trx_trial_world *results, int *finished);

#endif
