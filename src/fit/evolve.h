// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A search without derivatives: an evolution strategy with a step size for each variable (theory 10). The strategy uses only
// the order of the costs.

#ifndef TRXI_FIT_EVOLVE_H
#define TRXI_FIT_EVOLVE_H

#include "base/arena.h"

#include <stdint.h>

typedef struct trxi_evolution {
    int n, count, parents;      // variables, points of a generation, the better ones that count
    double *mean, *deviation;   // n; of each variable, times `size`
    double size;
    double *path_size, *path;   // n
    double *points, *drawn;     // n x count: points of this generation, and their standard normal numbers
    double *weights;            // parents
    int *order;                 // count
    double effective, learn_size, damp_size, learn_path, learn_one, learn_many, length;
    uint64_t seed, draw;
    int generation;
} trxi_evolution;

/// Starts at `mean` (n, copied) with the deviation `size` of every variable. Errors: MEMORY.
trx_status trxi_evolution_begin(trxi_pool *pool, int n, const double *mean, double size, uint64_t seed, trxi_evolution *e);

/// Draws the points of the next generation.
void trxi_evolution_ask(trxi_evolution *e);

/// Learns from the costs (count) of the points. Uses the memory of the points as scratch.
void trxi_evolution_tell(trxi_evolution *e, const double *costs);

#endif
