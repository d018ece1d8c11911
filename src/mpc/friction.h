// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Estimates the friction of a plant from its motion (theory 7, model predictive control); see friction.c.

#ifndef TRXI_MPC_FRICTION_H
#define TRXI_MPC_FRICTION_H

#include "mpc/prediction.h"

#include "math/spatial.h"

typedef struct trxi_friction {
    double range;          // half width of the range of factors; 0: nothing is estimated [1]
    int count;             // factors: one for any two bodies
    int npair, npossible;  // pairs of the model; pairs whose friction is estimated
    int *factor_of;        // npair: factor of a pair, -1: none
    trx_parameter *possible; // npossible
    double *factors;       // count: friction of the plant / friction of the model [1]
    double *scale;         // npair: the same for each pair; 1 without an estimate [1]
    double *P;             // count x count: covariance of the factors
    double *tree_mass;     // ntree [kg]
    bool measured;         // x and time are valid
    double time;           // of the last measurement [s]
    double *x;             // nstate: the last measurement

    // scratch
    double *A, *C;         // ntangent x ntangent, ntangent x npossible: derivatives of a step
    double *S, *next;      // ntangent x count: derivatives of the prediction by the factors
    double *predicted;     // nstate
    double *motion;        // nv x 2: error and change of the predicted velocity
    double *L;             // nv x nv: Cholesky factor of the mass matrix
    trxi_inertia *composite;
    double *weighed;       // nv x (3 + count): L^T times error, change of velocity, velocity, sensitivities
    double *gain, *change; // count
} trxi_friction;

/// Carves the arrays.
void trxi_friction_layout(trxi_arena *arena, const trx_model *model, trxi_friction *friction);

/// Begins with the friction of the model, and makes room for derivatives in the simulator of the prediction. Errors: MEMORY.
trx_status trxi_friction_begin(const trx_model *model, double range, const trxi_prediction *prediction, trxi_friction *friction);

/// Call with every measurement x at `time`, before the prediction from it. Compares x with the prediction from the measurement
/// before, and changes the factors. Returns whether the factors have changed; the simulator of the prediction then has the new
/// friction. After a measurement that is too late or far from any prediction the factors stay.
bool trxi_friction_learn(trxi_friction *friction, const trxi_prediction *prediction, trx_policy *policy, double time, double most,
                         const double *x);

/// Forgets everything: the friction of the model again, also in the simulator of the prediction.
void trxi_friction_forget(trxi_friction *friction, const trxi_prediction *prediction);

#endif
