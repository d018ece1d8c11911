// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The linear-quadratic model of a trajectory and its Riccati sweep (theory 7).

#ifndef TRXI_TRAJOPT_ILQR_BACKWARD_H
#define TRXI_TRAJOPT_ILQR_BACKWARD_H

#include "trajopt/box_qp.h"

/// How a step moves positions on: dq' = T dq + S dv' + S_0 dv, each map a number times 1 but for balls (theory 6).
typedef enum trxi_move { TRXI_MOVE_T, TRXI_MOVE_S, TRXI_MOVE_S_0, TRXI_MOVES } trxi_move;

enum { TRXI_BALL_MAPS = 9 * TRXI_MOVES }; // numbers for one ball in one step

typedef struct trxi_moves {
    int count;                // positions, the first so many of dx: nv, or 0 for general A and B
    double rates[TRXI_MOVES]; // the numbers [1, s, s]
    int nball;
    int *balls;               // nball: first coordinate of each
    double *maps;             // per step and ball: the 3 x 3 block of each map less its number times 1
} trxi_moves;

/// dx_{k+1} = A dx_k + B du_k, and the expansion of the cost; nx = 2nv, knots 0 .. N.
typedef struct trxi_lq {
    int nx, nu, steps;
    double *BA;       // per step [B A]: nx x (nu + nx)
    trxi_moves moves; // what makes its first rows out of the others
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
    double *V_x;         // nx
    double *Q;           // [Q_uu .; Q_xu Q_xx]: (nu + nx)^2, lower triangle; between knots V_xx in the place of Q_xx
    double *Z_T, *Y, *G; // (nu + nx) x nx each: products of one knot
    double *Q_l;         // [Q_u; Q_x]
    double *Q_uu;        // regularized: nu x nu, lower triangle
    double *K_T;         // gains of one knot, transposed: nx x nu
    double *left, *right; // V_xx = Q_xx + left right^T: up to nx x 2nu
    double *Q_uuk;       // Q_uu k: nu
    double *curvature;   // nu: largest Q_uu,ii over the knots swept
    int failed_knot;     // where Q_uu was not positive definite
} trxi_backward;

/// Begins with moves.count 0; `nball` balls at most.
void trxi_lq_layout(trxi_arena *arena, int nx, int nu, int steps, int nball, trxi_lq *lq);
void trxi_policy_layout(trxi_arena *arena, const trxi_lq *lq, trxi_policy *policy);
void trxi_backward_layout(trxi_arena *arena, const trxi_lq *lq, trxi_backward *work);

/// Sweeps from knot N to 0 with Q_uu + mu diag(scale); scale is nu numbers. Box QPs start from policy->k.
/// Returns false when Q_uu is not positive definite at work->failed_knot; the policy is then spoilt.
bool trxi_backward_sweep(const trxi_lq *lq, double mu, const double *scale, trxi_backward *work, trxi_policy *policy);

#endif
