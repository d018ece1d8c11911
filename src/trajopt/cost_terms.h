// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One cost term: its residual and the Jacobian of the residual in tangent coordinates (theory 7).

#ifndef TRXI_TRAJOPT_COST_TERMS_H
#define TRXI_TRAJOPT_COST_TERMS_H

#include "trajopt/dynamics.h"
#include "trajopt/quantities.h"

#include <tractrix/plan.h>

/// Part of a link in the bodies whose centre of mass a term measures.
typedef struct trxi_point_mass {
    int link;
    double share;  // fraction of the whole mass [1]
    double com[3]; // in the link frame [m]
} trxi_point_mass;

/// A term in the plan. `dofs` are the tangent columns on which a residual can depend, in q and in v.
typedef struct trxi_term {
    char *name;
    trx_quantity quantity;
    int dim;
    bool running, end;
    double tolerance;
    trx_norm norm;
    double norm_scale;
    double *weight;          // dim, once or per knot
    int weight_stride;       // 0: constant
    double *target;          // one, or one per knot
    int target_length;       // length of one target
    int target_stride;       // 0: constant
    int body, link;          // of a body or frame; link -1: world
    double R_LF[9], p_LF[3]; // body or frame in its link
    const int *dofs;         // ndof: path of the link, or dofs that move the masses; distances choose the dofs in each evaluation
    int ndof;
    int *q_index, *v_index;  // joint terms: dim numbers each
    int *set, *other;        // distances: geometries of the two sides, nset and nother
    int nset, nother;
    trxi_point_mass *masses; // centres of mass: nmass moving links
    int nmass;
    int *bodies, nbody;      // bodies of the masses
    int *moved;              // dofs that move the masses
    double still[3];         // part of the centre of mass that does not move: sum of fraction times position [m]
    signed char *signs;      // contact forces: npair signs (step/forces.h)
    trx_term_function function; // of the caller, and its argument
    void *user;
} trxi_term;

/// Kinematics at one state, shared by all terms, and scratch.
typedef struct trxi_term_work {
    int knot;    // of the state
    double time; // of this knot [s]
    double time_step;       // from knot to knot [s]
    const double *u_before; // controls of the knot before; NULL: none, or unknown
    const trxi_dynamics *step;  // contact forces: has just taken the step from this state; NULL: the step failed
    const double *A, *B;        // derivatives of this step, for Jacobians of contact forces
    trxi_kinematics kin;
    double *V;   // nlink x 6: link velocities
    double *dV;  // 6 x nv
    double *J_q; // 3 x ndof: residual of a spatial term with respect to q
    double *J_v; // residual with respect to v
    const int *dofs; // ndof: the tangent columns of the last Jacobian
    int ndof;
    int *either;     // nv: dofs of the last distance
    double *subtree; // nlink x 4: mass fraction and first moment of a link and all links beyond it
    double *r_dense, *r_x, *r_u; // dim, dim x ntangent, dim x nu: Jacobians of terms that may depend on everything
} trxi_term_work;

/// `dense_dim`: largest dimension of a dense term.
void trxi_term_work_layout(trxi_arena *arena, const trx_model *model, int dense_dim, trxi_term_work *work);

/// Kinematics at x; needed before spatial terms.
void trxi_term_prepare(const trx_model *model, const double *x, trxi_term_work *work);

/// r (dim) at state x (nstate) and controls u (nu; NULL at the last knot). work->knot and time belong to this state.
void trxi_term_residual(const trx_model *model, const trxi_term *term, const trxi_term_work *work, const double *target,
                        const double *x, const double *u, double *r);

/// Velocity of the point p (world) of a link, and the spin of the link; zero without a link (-1).
void trxi_point_velocity(const trx_model *model, const trxi_term_work *work, int link, const double p[3], double velocity[3],
                         double spin[3]);

/// Spatial terms: fills work->J_q and J_v (3 x ndof each, columns in the order of work->dofs) at the residual r; J_v
/// only for rates.
void trxi_term_spatial_jacobian(const trx_model *model, const trxi_term *term, trxi_term_work *work, const double *r);

/// Dense terms: fills work->r_x and r_u; no r_u where u is NULL.
void trxi_term_dense_jacobian(const trx_model *model, const trxi_term *term, trxi_term_work *work, const double *x,
                              const double *u);

#endif
