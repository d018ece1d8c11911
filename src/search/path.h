// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Paths of placed bodies without collision (theory 9).

#ifndef TRXI_SEARCH_PATH_H
#define TRXI_SEARCH_PATH_H

#include "search/task.h"

/// A polygon of configurations.
typedef struct trxi_path {
    int count;  // corners, the ends included
    double *q;  // nq x count
    double *at; // count: length of the path from its start to each corner [m]
} trxi_path;

/// Finds a path of the placed dofs from `from` to `to` (nq); the other dofs stay as in `from`. The path keeps the clearance of
/// the task, except at its beginning if the start is nearer. Memory comes from `pool`. Returns 1, 0 when no path was found, or an
/// error.
int trxi_path_find(trxi_scout *scout, trxi_pool *pool, const double *from, const double *to, double time, uint64_t seed,
                   trxi_path *path);

/// The configuration at a length of the path.
void trxi_path_locate(const trxi_search_task *task, const trxi_path *path, double at, double *q);

#endif
