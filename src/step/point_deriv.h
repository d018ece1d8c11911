// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// An impulse at a point between two links, and its change with q (theory 6): what contacts and constraints share.
//
// For each column j of the two sides, J_j and w_j its linear (at p) and angular column in the world, signed (+ for B):
//
//     du_X(v) = [d(J_X v) with p fixed in space] + (W_X v) x dp
//     d(J_i . f) = J_i . (DF) + w_i . (dp x f)  [ + J_i . (f x w_j) + w_i . (f x J_j) for rows of j's own side ]
//
//     d(w_i . m) = w_i . (DF)                  [ + w_i . (m x w_j) ]                       for a moment m in place of f
//
// with DF the change of the impulse in the world. The last bracket holds for rows not nearer the root than j: columns turn
// with the joints before them.

#ifndef TRXI_STEP_POINT_DERIV_H
#define TRXI_STEP_POINT_DERIV_H

#include "step/sim.h"

// vectors of one column in sim->row_scratch: signed column of J_B - J_A and of its angular part, total change of the impulse
// and of p, and the two cross products of the same-side term
enum { TRXI_JW = 0, TRXI_WW = 3, TRXI_DF = 6, TRXI_DP = 9, TRXI_FXW = 12, TRXI_FXJ = 15, TRXI_COLUMN = 18 };

typedef struct trxi_point {
    trx_sim *sim;
    const trxi_pair_columns *columns;
    const int *cols;  // columns->ncol dofs
    const double *p;  // in the world [m]
    double f[3];      // impulse on B, world [N s]
} trxi_point;

/// Fills JW, WW, FXW, FXJ of all columns.
void trxi_point_columns(const trxi_point *point);

/// V (nlink x 6) for the joint velocities v (nv), of the links in the trees of A and B alone.
void trxi_point_velocities(const trxi_point *point, const double *v, double *V);

/// Velocity of B against A at p for link velocities V (nlink x 6); angular velocity of B against A.
void trxi_point_velocity(const trxi_point *point, const double *V, double out[3]);
void trxi_point_spin(const trxi_point *point, const double *V, double out[3]);

/// Change of both links' velocities V with the columns of their sides, into dV (2 x 6 x max_path).
void trxi_point_velocity_derivs(const trxi_point *point, const double *V, double *dV);

/// du = du_B - du_A for the column at `index` of a side, given dp; dW the same of the angular velocity.
void trxi_point_velocity_change(const trxi_point *point, const trxi_pair_side *side, int index, const double *V,
                                const double *dV, const double dp[3], double du[3]);
void trxi_point_spin_change(const trxi_point *point, const trxi_pair_side *side, int index, const double *dV,
                            double dW[3]);

/// rq -= d(J^T f), or grad_q -= lambda^T d(J^T f), with DF and DP of all columns filled; rq -= d(J^T m) of the
/// angular rows, f being the moment, with DF.
void trxi_point_subtract(const trxi_point *point);
void trxi_point_subtract_turn(const trxi_point *point);

/// J lambda of a contact, in its frame.
void trxi_point_project(const trxi_row_block *contact, const double *lambda, double out[3]);

/// dw (nv, in sim->W_scratch) of w = |W|_F / 3, W of the three rows of J_B - J_A at p, with DP of all columns filled; or
/// of the three angular rows.
const double *trxi_point_mass_change(const trxi_point *point, double w, bool angular);

#endif
