// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The Riccati sweep of an optimal-control quadratic program, and its policy (theory 7).

#ifndef TRXI_TRAJOPT_RICCATI_H
#define TRXI_TRAJOPT_RICCATI_H

#include "trajopt/box_qp.h"
#include "trajopt/ocp.h"

/// u = u_ref + alpha k + K (x (-) x_ref), and its expected decrease.
typedef struct trxi_policy {
    double *k;        // controls of all stages, at stage->u_at
    double *K;        // gains of all stages, nu x nx each, at stage->K_at
    double *P;        // gains by the change of the controls before, nu x nu of each stage, for costs of rates; NULL: none
    double linear;    // expected change of the cost: alpha linear + alpha^2 quadratic; defects shrink as 1 - alpha
    double quadratic;
    double gradient;  // max |Q_u| over free controls
    int clamped;      // controls at a bound
    const trxi_ocp *ocp; // the program of the policy; NULL: none
} trxi_policy;

/// Scratch of a sweep; nx and nu are the largest sizes of all stages.
typedef struct trxi_riccati {
    trxi_box_qp qp;
    double *V_x;         // nx: gradient of V at the last stage of the sweep
    double *V;           // V_xx of this stage: lower triangle with leading dimension ldv, in Q
    int ldv;
    double *Q;           // [Q_uu .; Q_xu Q_xx]: (nu + nx)^2, lower triangle
    double *Z_T, *Y, *G; // (nu + nx) x nx each: products of one stage
    double *Q_l;         // [Q_u; Q_x]
    double *Q_uu;        // regularized: nu x nu, lower triangle
    double *K_T;         // gains of one stage, transposed: nx x nu
    double *left, *right; // V_xx = Q_xx + left right^T: up to nx x 2nu
    double *Q_uuk;       // Q_uu k: nu
    double *Vb;          // V_xx b: nx
    double *p, *P;       // nx, nu + nx: adjoint of the gradients alone, for the slope with defects
    double slope, offset; // of the cost at alpha = 0; cost of the defects themselves
    double multiplier;   // with defects: mean over the stages of max |V_x|
    double *curvature;   // nu: largest Q_uu,ii over the stages of the sweep
    int failed_knot;     // knot at which Q_uu is not positive definite
} trxi_riccati;

void trxi_policy_layout(trxi_arena *arena, const trxi_ocp *ocp, trxi_policy *policy);
void trxi_riccati_layout(trxi_arena *arena, const trxi_ocp *ocp, trxi_riccati *work);

/// Sweeps from stage N to 0 with mu diag(scale) added to Q_uu; scale has nu numbers. Box QPs, which start from policy->k, keep the
/// bounds of u exactly. Returns false when Q_uu is not positive definite at work->failed_knot; the policy is then invalid.
bool trxi_riccati_sweep(const trxi_ocp *ocp, double mu, const double *scale, trxi_riccati *work, trxi_policy *policy);

#endif
