// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Resumes a trial: reads the worlds that an earlier run of the same trial has finished (theory 7, trials), and writes the
// worlds of a running trial. The files are like the files of trx_trial_write.

#ifndef TRXI_TRIAL_RESUME_H
#define TRXI_TRIAL_RESUME_H

#include "trial/worlds.h"

/// Reads the finished worlds from the files settings.resume + ".csv" and ".json" into the results, whose arrays exist already.
/// *finished: their number, 0 if there are no files. Errors: INPUT (the files are damaged or of another trial), IO, MEMORY.
trx_status trxi_trial_resume(trx_context *context, const trxi_worlds *worlds, int ngoal, const trx_trial_goal *goals,
                             trx_trial_world *results, int *finished);

/// Writes the worlds finished so far to the files settings.save + ".csv" and ".json". Errors: IO, MEMORY.
trx_status trxi_trial_save(trx_context *context, const trx_trial *trial);

#endif
