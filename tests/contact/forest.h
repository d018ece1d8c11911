// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Convex contact problems of many trees: random masses, contacts between random trees or with the world, rows with one
// impulse over one, two or three trees.

#ifndef TESTS_CONTACT_FOREST_H
#define TESTS_CONTACT_FOREST_H

#include "contact/linearization.h"
#include "contact/work.h"
#include "model/model.h"

#include <stdint.h>

typedef struct forest {
    trx_context *context;
    trx_model model;
    trxi_contact_problem problem;
    trxi_solver solver;
    trxi_row_block *contacts, *scalars; // of problem.blocks
    int ncontact, nscalar;
    void *memory, *solver_memory;
    double *start; // nv
} forest;

/// `ntree` trees (at most 256) of 1 to 6 dofs each. Must not be moved.
void make_forest(forest *f, trx_approximation approximation, int ntree, int ncontact, int nscalar, uint64_t seed);
void destroy_forest(forest *f);

/// Solves from f->start.
trx_status solve_forest(forest *f, double tolerance);

#endif
