// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rows between two sides, of contacts and of constraints, when a parameter displaces one side rigidly (theory 6): what
// point_deriv.h is for the columns of dofs, for one displacement that need not be that of any dof. With w and u(x) the
// displacement and S = [w; u] about its side X:
//
//     d(J_i . f) = J_i . df + w_i . (dp x f)  [ + J_i . (f x w) + w_i . (f x u(p)) for rows of X ]
//     d(w_i . m) = w_i . dm                   [ + w_i . (m x w) ]
//     du         = dp carried by W_B - W_A    [ +- (w x u_X - W_X x u(p)) for X ]
//
// The brackets hold where a tree is displaced as a whole: its velocities and columns turn along, and M stays. The size of a shape
// and a side that no joint moves have none.

#ifndef TRXI_STEP_DISPLACEMENT_H
#define TRXI_STEP_DISPLACEMENT_H

#include "step/sim.h"

/// A rigid displacement: rotation vector w, and u at the point x it is asked for.
typedef struct trxi_displacement {
    double w[3], at[3], v[3]; // u(x) = v + w x (x - at)
    bool tree;                // it displaces the tree of its side, else what is at the point alone
} trxi_displacement;

/// Rows at one point, one side of which is displaced.
typedef struct trxi_displaced {
    trx_sim *sim;
    const trxi_pair_columns *columns;
    const trxi_pair_side *side; // the one that is displaced
    const trxi_displacement *motion;
    const double *p, *F; // point and frame; one row alone is along the last axis
    bool turn;           // the rows are angular
    int nrow;            // 1 or 3
    const int *cols;     // of J
    const double *J;     // nrow x columns->ncol
    double w;            // their effective inverse mass |W|_F/nrow
} trxi_displaced;

void trxi_displace(const trxi_displacement *motion, const double x[3], double u[3]);

/// Change `du` of u_B - u_A at p for the link velocities V (nlink x 6), p moving by dp, and u_B - u_A itself; the same of
/// W_B - W_A.
void trxi_displaced_velocity(const trxi_displaced *rows, const double *V, const double dp[3], double du[3], double slip[3]);
void trxi_displaced_spin(const trxi_displaced *rows, const double *V, double dW[3], double spin[3]);

/// Change of w; p moves by dp, the frame turns by o.
double trxi_displaced_mass(const trxi_displaced *rows, const double dp[3], const double o[3]);

/// r -= d(J^T f) for the impulse f on B (world) and its change df; of angular rows f is a moment.
void trxi_displaced_subtract(const trxi_displaced *rows, const double f[3], const double df[3], const double dp[3], double *r);

#endif
