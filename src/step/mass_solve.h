// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Solutions with the factor of A, and the effective inverse mass of rows (theory 4); see mass_solve.c.

#ifndef TRXI_STEP_MASS_SOLVE_H
#define TRXI_STEP_MASS_SOLVE_H

#include "step/sim.h"

/// Loop over the trees that the ascending dofs touch.
#define TRXI_FOR_TREES(model, cols, ncol, tree)                                                                        \
    for (int i_ = 0, last_ = -1; i_ < (ncol); i_++)                                                                      \
        if ((model)->dof_tree[(cols)[i_]] != last_)                                                                      \
            for (const trxi_tree *tree = &(model)->trees[last_ = (model)->dof_tree[(cols)[i_]]]; tree; tree = NULL)

/// Y = A^-1 Y for nrhs columns (nv each) that are zero outside the trees of the ncol dofs `cols`.
void trxi_step_solve_mass(const trxi_input *in, const trxi_smooth *smooth, const int *cols, int ncol, int nrhs, double *Y);

/// |W|_F / rows with W = J A^-1 J^T, J rows x ncol in the columns `cols` (rows 1 or 3).
double trxi_step_inverse_mass(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, const int *cols, int ncol,
                              const double *J, int n);

#endif
