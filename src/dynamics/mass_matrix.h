// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joint-space mass matrix by the composite rigid body algorithm, with rotor inertia (theory 2).

#ifndef TRXI_DYNAMICS_MASS_MATRIX_H
#define TRXI_DYNAMICS_MASS_MATRIX_H

#include "dynamics/kinematics.h"

/// M as blocks by tree (model->nblock numbers, lower triangles). `composite` (nlink) is scratch and afterwards holds the
/// composite inertia of each link's subtree.
void trxi_mass_blocks(const trx_model *model, const trxi_kinematics *kin, trxi_inertia *composite, double *M);

/// M as one matrix (nv x nv, lower triangle, leading dimension ldm); entries between trees are set to 0.
void trxi_mass_matrix(const trx_model *model, const trxi_kinematics *kin, trxi_inertia *composite, double *M, int ldm);

/// g_j = y^T (dM/dq_j) y for one y (nv) and the dofs j of one tree: the gradient of twice its kinetic energy. Rotor
/// inertia does not contribute. V (nlink x 8) and h (nlink x 8) are scratch.
void trxi_mass_quadratic_dq(const trx_model *model, const trxi_kinematics *kin, const trxi_tree *tree, const double *y,
                            double *V, double *h, double *g);

#endif
