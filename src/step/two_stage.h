// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Two-stage theta schemes (theory 2): their additional arrays and their first stage.
//
//     q_th = q0 (+) dt th v_vq,   v_vq = th_vq v + (1 - th_vq) v0,   v_th = th v + (1 - th) v0
//     m(v) = M(q_th) (v - v0) + dt [ bias(q_th, v_th) + K (q_th (-) q_rest) + D v_th - tau - J^T (loads + drag) ]
//
//     stage 1   m(v*) = 0, tree by tree
//     stage 2   A v = A v* + J(q0)^T gamma,   A = M(q_th(v*)) + dt^2 th th_vq K + dt th D,   then q = q0 (+) dt v_vq

#ifndef TRXI_STEP_TWO_STAGE_H
#define TRXI_STEP_TWO_STAGE_H

#include "dynamics/inverse_dynamics.h"

#include "step/input.h"

typedef struct trxi_smooth trxi_smooth;

typedef struct trxi_stage {
    trxi_kinematics kin; // at q_th
    trxi_rnea rnea;
    double *q;           // nq: q_th
    double *v;           // nv: v*
    double *moving;      // nv: dt v_vq, scratch
    double *v_th, *accel, *spring, *m; // nv: at v
    double *trial, *dv, *before;       // nv: Newton
    int *pivots;         // nv
    double *norm, *alpha; // ntree
    bool *done;           // ntree

    // blocks by tree, for Newton and for derivatives: dm/dq_th, dm/dv_th, dm/dv and its factor, dm/dq0, dm/dv0 (at fixed v)
    double *m_qth, *m_vth, *N, *m_q0, *m_v0;
} trxi_stage;

void trxi_stage_layout(trxi_arena *arena, const trx_model *model, trxi_stage *stage);

/// Solves stage 1: v* in stage->v, all other members of stage at q_th(v*), and M(q_th(v*)) in smooth->M. Errors: NOT_CONVERGED,
/// NOT_FINITE, ILL_CONDITIONED; the message names the joint whose balance is farthest from zero.
trx_status trxi_stage_solve(const trxi_input *in, trxi_smooth *smooth);

/// Evaluates q_th, v_th and m at v, which becomes the current iterate.
void trxi_stage_evaluate(const trxi_input *in, trxi_smooth *smooth, const double *v);

/// Computes M and factorizes dm/dv at the current iterate. Returns false when dm/dv of a tree is singular; `tree` is its number.
bool trxi_stage_jacobian(const trxi_input *in, trxi_smooth *smooth, int *tree);

#endif
