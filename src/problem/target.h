// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Targets of cost terms: numbers, the start, or columns of a file over time.

#ifndef TRXI_PROBLEM_TARGET_H
#define TRXI_PROBLEM_TARGET_H

#include "problem/read_cost.h"

/// The target of one term: sets target and target_stride.
void trxi_target_resolve(trxi_reader *reader, const trxi_term *entry, const trxi_task *task, trx_cost_term *term);

#endif
