// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of a function of one term's residual with respect to x and u (theory 7).

#ifndef TRXI_TRAJOPT_TERM_EXPANSION_H
#define TRXI_TRAJOPT_TERM_EXPANSION_H

#include "trajopt/cost_terms.h"

/// The output of an expansion. Hessians: lower triangle. Only dense terms couple x and u.
typedef struct trxi_expansion {
    double *l_x;  // ntangent
    double *l_xx; // ntangent x ntangent
    double *l_u;  // nu
    double *l_uu; // nu x nu
    double *l_xu; // ntangent x nu; NULL: not wanted
    double *rate_slope, *rate_curvature; // nu: g, D of g.(u - p) + 1/2 (u - p).D (u - p), p: controls before; NULL: not wanted
    const double *A, *B; // input: derivatives of the step from the knot, where they are known; only contact forces need them
} trxi_expansion;

/// Adds R^T C e and R^T C R, with the Jacobian R of the term at its residual r and C = diag(c), to the gradient and to the
/// Gauss-Newton Hessian: the derivatives of a function of r whose quadratic model is 1/2 sum c_i e_i^2 (dim numbers each).
/// For a weighted norm e is r. Spatial terms need the kinematics in `work`, dense terms x and u.
void trxi_term_expand(const trx_model *model, const trxi_term *term, trxi_term_work *work, const double *x, const double *u,
                      const double *r, const double *e, const double *c, const trxi_expansion *out);

#endif
