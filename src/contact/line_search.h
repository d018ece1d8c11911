// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Exact line search on the slope of the convex objective (theory 5, point 3).

#ifndef TRXI_CONTACT_LINE_SEARCH_H
#define TRXI_CONTACT_LINE_SEARCH_H

#include "contact/solver.h"

/// Step length along solver->dv from solver->v; dv_c of the rows and solver->dp are computed here. `slope0` is
/// l'(0) = dv . r < 0.
double trxi_line_search(const trxi_contact_problem *problem, double slope0, trxi_solver *solver);

#endif
