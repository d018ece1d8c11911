// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Weights of cost terms: numbers, or numbers times a factor that changes over time.

#ifndef TRXI_PROBLEM_READ_WEIGHT_H
#define TRXI_PROBLEM_READ_WEIGHT_H

#include "problem/read_cost.h"

/// Reads `weight:` (NULL: 1 for every component) of a term whose quantity is known: weight and schedule.
void trxi_read_weight(trxi_reader *reader, const trxi_yaml_node *node, trxi_term *term);

/// The weights of one term: sets weight and weight_stride.
void trxi_weight_resolve(trxi_reader *reader, const trxi_term *entry, const trxi_task *task, trx_cost_term *term);

#endif
