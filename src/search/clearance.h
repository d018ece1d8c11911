// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Distances between the placed bodies and everything that they may touch (theory 9).

#ifndef TRXI_SEARCH_CLEARANCE_H
#define TRXI_SEARCH_CLEARANCE_H

#include "search/task.h"

/// Least distance over the obstacle pairs at q, minus the clearance of the task [m].
double trxi_clearance(trxi_scout *scout, const double *q, double time);

/// Moves the placed dofs of q until every obstacle pair keeps the clearance. Returns false when this fails.
bool trxi_clearance_gain(trxi_scout *scout, double *q, double time);

/// Length of the motion of placed dofs from p to q: the norm of the displacements that each dof can cause [m].
double trxi_clearance_travel(const trxi_search_task *task, const double *p, const double *q);

#endif
