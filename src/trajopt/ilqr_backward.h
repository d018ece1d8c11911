// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The linear-quadratic model of a trajectory and its Riccati sweep (theory 7).

#ifndef TRXI_TRAJOPT_ILQR_BACKWARD_H
#define TRXI_TRAJOPT_ILQR_BACKWARD_H

#include "trajopt/box_qp.h"

/// dx_{k+1} = A dx_k + B du_k, and the expansion of the cost; nx = 2nv, knots 0 .. N.
typedef struct trxi_lq {
    int nx, nu, steps;
    double *BA;       // per step [B A]: nx x (nu + nx)
    double *l_x;      // nx x (N + 1)
    double *l_xx;     // nx x nx x (N + 1), lower triangles
    double *l_u;      // nu x N
    double *l_uu;     // nu x nu x N, lower triangles
    double *du_lower; // nu x N: bounds of the change of controls, possibly infinite
    double *du_upper;
} trxi_lq;

/// u = u_ref + alpha k + K (x (-) x_ref), and what it promises.
typedef struct trxi_policy {
    double *k;        // nu x N
    double *K;        // (nu x nx) x N
    double linear;    // sum Q_u.k                expected change of the cost: alpha linear + alpha^2 quadratic
    double quadratic; // 1/2 sum k.Q_uu k
    double gradient;  // max |Q_u| over free controls
    int clamped;      // controls at a bound
    const trxi_lq *lq; // the model it was made for; NULL: none
} trxi_policy;

typedef struct trxi_backward {
    trxi_box_qp qp;
    double *V_x, *V_xx;  // nx, nx x nx (full)
    double *VBA;         // V_xx [B A]: nx x (nu + nx)
    double *Q;           // [Q_uu .; Q_xu Q_xx]: (nu + nx)^2, lower triangle
    double *Q_l;         // [Q_u; Q_x]
    double *Q_uu;        // regularized: nu x nu, lower triangle
    double *K_T;         // gains of one knot, transposed: nx x nu
    double *left, *right; // V_xx = Q_xx + left right^T: up to nx x 2nu
    double *Q_uuk;       // Q_uu k: nu
    double *curvature;   // nu: largest Q_uu,ii over the knots swept
    int failed_knot;     // where Q_uu was not positive definite
} trxi_backward;

void trxi_lq_layout(trxi_arena *arena, int nx, int nu, int steps, trxi_lq *lq);
void trxi_policy_layout(trxi_arena *arena, const trxi_lq *lq, trxi_policy *policy);
void trxi_backward_layout(trxi_arena *arena, const trxi_lq *lq, trxi_backward *work);

/// Sweeps from knot N to 0 with Q_uu + mu diag(scale); scale is nu numbers. Box QPs start from policy->k.
/// Returns false when Q_uu is not positive definite at work->failed_knot; the policy is then spoilt.
bool trxi_backward_sweep(const trxi_lq *lq, double mu, const double *scale, trxi_backward *work, trxi_policy *policy);

#endif
