// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The section `limits:`: entries before the model is known, and the limits of the plan made from them.

#ifndef TRXI_PROBLEM_READ_LIMITS_H
#define TRXI_PROBLEM_READ_LIMITS_H

#include "problem/read_cost.h"

/// One entry of the list.
typedef struct trxi_limit_entry {
    trxi_term measured;     // quantity, source, target
    bool robot;             // limits of positions and velocities that the joints have; else the bounds below
    double *lower, *upper;  // dimension of the quantity, possibly infinite
    trx_source when_source; // of at, knots or time
    int first, last;        // knots; last INT_MAX: up to the end, INT_MAX - 1: up to the last knot but one
    bool end;               // the last knot alone
    bool timed;             // the knots from `from` to `to` [s]
    double from, to;
    double tolerance;
} trxi_limit_entry;

typedef struct trxi_limits_section {
    trxi_limit_entry *entries;
    int count;
} trxi_limits_section;

void trxi_read_limits(trxi_reader *reader, const trxi_yaml_node *node, const trxi_scene *scene, trxi_limits_section *limits);

/// The limits of the plan, *count of them. All memory is the pool's.
trx_limit *trxi_limits_resolve(trxi_reader *reader, const trxi_limits_section *limits, const trxi_task *task, int *count);

#endif
