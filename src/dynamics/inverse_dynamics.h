// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inverse dynamics (recursive Newton-Euler) and its analytic derivatives (theory 2, 6).
//
//     tau = ID(q, v, a) = M(q) a + Coriolis(q, v) - gravity(q) + rotor inertia * a

#ifndef TRXI_DYNAMICS_INVERSE_DYNAMICS_H
#define TRXI_DYNAMICS_INVERSE_DYNAMICS_H

#include "dynamics/kinematics.h"

/// Motion of a link and the force on it. Three numbers are stored in a row of four, one AVX2 vector; a spatial vector
/// has two rows, angular and linear.
typedef struct trxi_link_motion {
    double V[8], A[8]; // velocity, acceleration (without gravity)
    double F[8];       // force on the link (inertia less gravity), accumulated over its subtree
    double turning[4]; // J w of the link alone
    double moving[4];  // m v + w x h of the link alone
} trxi_link_motion;

/// Values of a link for an adjoint (inverse_dynamics_vjp.c): W, P and sums over its subtree. Impulses add to K, Q, F,
/// fixed.
typedef struct trxi_link_adjoint {
    double W[8];     // link velocity for the joint velocities lambda
    double V1[8];    // velocity at the end of the step, paired with K
    double k[8];     // I W
    double P[4];     // B^T W
    double fixed[8]; // force on a dof that multiplies none of the velocities below
    double K[8], Q[8], F[8]; // forces that multiply the velocities at the end of the step, before the step, and W
    bool has_impulse; // an impulse acts on this link; set with the first impulse
} trxi_link_adjoint;

/// Scratch of all functions. After trxi_inverse_dynamics it holds the inputs of the derivatives.
typedef struct trxi_rnea {
    double *V; // nlink x 6: velocities
    trxi_link_motion *motion;   // nlink
    trxi_link_adjoint *adjoint; // nlink
    bool without_acceleration;  // the last trxi_inverse_dynamics had a = NULL
    double *B; // nlink x 16: velocity operators, accumulated over the subtree (inverse_dynamics_deriv.c)
    trxi_inertia *composite; // nlink: inertia of the subtree
    double *gravity;         // nlink x 4: mass and first moment of the subtree on which gravity acts
    double *columns;         // nv x 24: factors of a dof as a column of the derivatives
} trxi_rnea;

void trxi_rnea_layout(trxi_arena *arena, const trx_model *model, trxi_rnea *work);

/// tau (nv) for velocities v and accelerations a (nv; a may be NULL for zero). Gravity and rotor inertia included.
void trxi_inverse_dynamics(const trx_model *model, const trxi_kinematics *kin, const double *v, const double *a,
                           trxi_rnea *work, double *tau);

/// After trxi_inverse_dynamics without a: adds the acceleration a to `work`, without tau. Does nothing if the call
/// had an a.
void trxi_inverse_dynamics_accelerate(const trx_model *model, const trxi_kinematics *kin, const double *a, trxi_rnea *work);

/// d tau/dq and d tau/dv (nv x nv, column-major, leading dimension ld; entries between trees are set to 0) at the
/// arguments of the last trxi_inverse_dynamics with the same `kin` and `work`. Increments of q are tangent, from the
/// right for balls; v and a are constant in their own joint frames. Recursive, O(n d).
void trxi_inverse_dynamics_deriv(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, double *dtau_dq,
                                 double *dtau_dv, int ld);

/// The same derivatives without the zeros: entry (i, j) goes to [places[j] + i] if dof i is on the path of dof j or j on the path
/// of i. All other numbers are not written and must be zero. `places` is model->column for blocks by tree.
void trxi_inverse_dynamics_deriv_blocks(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work,
                                        const ptrdiff_t *places, double *dtau_dq, double *dtau_dv);

/// Factors of lambda . (force tau - mass M v), M with rotor inertia.
typedef struct trxi_adjoint_scales {
    double force, mass;
} trxi_adjoint_scales;

/// The adjoint in two halves: grad_q, grad_v += the gradients of lambda . (force tau - mass M v) and of impulses.
/// Impulses may be added to work->adjoint between the halves if v1 (nv) is given, the joint velocities paired with K.
/// V1 (nlink x 6) receives their link velocities. The formulas are in inverse_dynamics_vjp.c.
void trxi_adjoint_begin(const trx_model *model, const trxi_kinematics *kin, const trxi_adjoint_scales *scales,
                        const double *lambda, const double *v1, double *V1, trxi_rnea *work);
void trxi_adjoint_end(const trx_model *model, const trxi_kinematics *kin, const trxi_adjoint_scales *scales,
                      const double *lambda, bool impulses, trxi_rnea *work, double *grad_q, double *grad_v);

/// The passes over the links, in AVX2 if the processor has it.
typedef struct trxi_dynamics_passes {
    void (*inertias)(const trx_model *model, trxi_kinematics *kin);
    void (*compose)(const trx_model *model, const trxi_kinematics *kin, trxi_inertia *composite, int ldm, double *M);
    void (*quadratic)(const trx_model *model, const trxi_kinematics *kin, const trxi_tree *tree, const double *y, double *V,
                      double *h, double *g);
    void (*inverse_dynamics)(const trx_model *model, const trxi_kinematics *kin, const double *v, const double *a,
                             trxi_rnea *work, double *tau);
    void (*accelerate)(const trx_model *model, const trxi_kinematics *kin, const double *a, trxi_rnea *work);
    void (*adjoint_begin)(const trx_model *model, const trxi_kinematics *kin, double dt, const double *lambda, const double *v1,
                          double *V1, trxi_rnea *work);
    void (*adjoint_end)(const trx_model *model, const trxi_kinematics *kin, const trxi_adjoint_scales *by, const double *lambda,
                        bool impulses, trxi_rnea *work, double *grad_q, double *grad_v);
    void (*derivatives)(const trx_model *model, const trxi_kinematics *kin, trxi_rnea *work, const ptrdiff_t *places, int ld,
                        double *dtau_dq, double *dtau_dv);
} trxi_dynamics_passes;

extern const trxi_dynamics_passes trxi_dynamics_portable;

/// The AVX2 set, or NULL if this processor or this compiler's target lacks AVX2.
const trxi_dynamics_passes *trxi_dynamics_vector(void);

/// The set in use.
static inline const trxi_dynamics_passes *trxi_dynamics_use(void)
{
    const trxi_dynamics_passes *vector = trxi_dynamics_vector();
    return vector ? vector : &trxi_dynamics_portable;
}

#endif
