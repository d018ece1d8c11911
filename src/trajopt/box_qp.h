// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// min 1/2 x^T H x + g^T x,  lower <= x <= upper, for a handful of variables (theory 7).

#ifndef TRXI_TRAJOPT_BOX_QP_H
#define TRXI_TRAJOPT_BOX_QP_H

#include "base/arena.h"

typedef enum trxi_box_qp_status {
    TRXI_BOX_QP_SOLVED,
    TRXI_BOX_QP_NOT_PD,        // H is not positive definite on the free variables
    TRXI_BOX_QP_NOT_CONVERGED, // never observed; guards against an endless loop
} trxi_box_qp_status;

/// After a solve: the free variables and the Cholesky factor of their block.
typedef struct trxi_box_qp {
    int n;
    int nfree;
    int *free;   // indices of the free variables, ascending (n)
    double *L;   // factor of H_ff, nfree x nfree with leading dimension n
    int iterations;
    double *gradient, *trial, *step; // scratch (n)
    bool *clamped;                   // scratch (n)
} trxi_box_qp;

void trxi_box_qp_layout(trxi_arena *arena, int n, trxi_box_qp *qp);

/// Solves from the guess in x (n), which is clamped first; x receives the solution. H is n x n (lower triangle,
/// leading dimension ldh); bounds may be infinite or equal.
trxi_box_qp_status trxi_box_qp_solve(trxi_box_qp *qp, const double *H, int ldh, const double *g, const double *lower,
                                     const double *upper, double *x);

#endif
