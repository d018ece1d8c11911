// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Effective inverse masses w = |W|_F/n of n rows, W = J A^-1 J^T (theory 4), and their change (theory 6). Regularized and sap
// contacts, limits and near-rigid constraints depend on w. The change of w has a part of rank one in dr: -(J^T gamma_w) dw.

#ifndef TRXI_STEP_INVERSE_MASS_H
#define TRXI_STEP_INVERSE_MASS_H

#include "step/residual_out.h"
#include "step/sim.h"

/// Loop over the trees that the ascending dofs touch.
#define TRXI_FOR_TREES(model, cols, ncol, tree)                                                                        \
    for (int i_ = 0, last_ = -1; i_ < (ncol); i_++)                                                                      \
        if ((model)->dof_tree[(cols)[i_]] != last_)                                                                      \
            for (const trxi_tree *tree = &(model)->trees[last_ = (model)->dof_tree[(cols)[i_]]]; tree; tree = NULL)

/// Y = A^-1 Y for nrhs columns (nv each) that are zero outside the trees of the ncol dofs `cols`.
void trxi_step_solve_mass(const trxi_input *in, const trxi_smooth *smooth, const int *cols, int ncol, int nrhs, double *Y);

/// w of n rows (1 or 3) with J (n x ncol) in the columns `cols`.
double trxi_step_inverse_mass(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, const int *cols, int ncol,
                              const double *J, int n);

/// Rows whose impulse depends on one number of W: on w, or if `leans` on h . W e_n with the last unit vector e_n. n = 0: no
/// such rows.
typedef struct trxi_mass_rows {
    int n, ncol;       // n: 1 or 3
    const int *cols;   // dofs, ascending
    const double *J;   // n x ncol
    double w;          // [1/kg] or [1/(kg m^2)]
    double gamma_w[3]; // derivative of gamma by this number
    bool leans;
    double h[3]; // [kg]
} trxi_mass_rows;

enum { TRXI_MASS_NUMBERS = 2 };

struct trxi_block_tangent;
struct trxi_displacement;

/// The rows of a contact: at most TRXI_MASS_NUMBERS; returns how many.
int trxi_contact_mass_rows(const trxi_solved *step, int contact, trxi_mass_rows *rows);
/// The rows of an active limit.
trxi_mass_rows trxi_limit_mass_rows(const trxi_solved *step, const trxi_row_block *row);
/// The rows of a block of a constraint. J is written to deriv->row_scratch.
void trxi_constraint_mass_rows(const trxi_solved *step, trxi_derivatives *deriv, const trxi_constraint_rows *rows,
                               trxi_mass_rows *mass);

/// Y = A^-1 J^T (nv x n) and W = J Y (n x n, leading dimension 3).
void trxi_mass_rows_solve(const trxi_solved *step, const trxi_mass_rows *rows, double *Y, double W[9]);

/// Computes M and returns scale in d(number) = scale <M, dW>, with M in the layout of W. For w, M = W and scale = 1/(n^2 w).
double trxi_mass_rows_weight(const trxi_mass_rows *rows, const double W[9], double M[9]);

/// Sets the change dw (nv, deriv->dw) to zero and returns it. In two-stage schemes A depends on q_th; the part of dw through A is
/// then kept separately in deriv->dw_th, as a derivative with respect to q_th.
double *trxi_mass_change_begin(const trxi_solved *step, trxi_derivatives *deriv);

/// dw (or deriv->dw_th) += scale y^T dM y over the trees of the ncol dofs `cols`, for one y (nv). Uses the end of y_scratch.
void trxi_mass_change_add(const trxi_solved *step, trxi_derivatives *deriv, const int *cols, int ncol, double scale,
                          const double *y, double *dw);

/// r -= (J^T gamma_w) dw, after trxi_mass_change_begin. dw is zero outside the trees of the rows.
void trxi_mass_change_subtract(const trxi_solved *step, trxi_derivatives *deriv, const trxi_mass_rows *rows, const double *dw,
                               const trxi_residual_out *out);

/// dw of one of a block's numbers of W, from its tangent (deriv->dw; see trxi_mass_change_begin).
const double *trxi_block_mass_change(const trxi_solved *step, trxi_derivatives *deriv, const struct trxi_block_tangent *block,
                                     const trxi_mass_rows *rows);

/// r -= (J^T gamma_w) dw for all numbers of a block, with dw computed from its tangent.
void trxi_block_subtract_mass(const trxi_solved *step, trxi_derivatives *deriv, const struct trxi_block_tangent *block,
                              const trxi_residual_out *out);

/// dw of one number of a block for a parameter that displaces one side without a change of A.
double trxi_block_displaced_mass(const trxi_solved *step, trxi_derivatives *deriv, const struct trxi_block_tangent *block,
                                 const trxi_mass_rows *rows, bool on_a, const struct trxi_displacement *by);

#endif
