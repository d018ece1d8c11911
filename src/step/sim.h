// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// All mutable state of one simulator, in the order a step fills it:
//
//     x0, u -> kinematics -> M, A, p0 -> free velocity -> contact rows, limit rows -> convex solve -> v -> q
//
// One block of memory, carved once at creation. Derivatives read what the step left here and add dr/dq0 and
// dr/dv0; the factor of H stays in the solver.

#ifndef TRXI_STEP_SIM_H
#define TRXI_STEP_SIM_H

#include "contact/linearization.h"
#include "dynamics/inverse_dynamics.h"
#include "dynamics/mass_matrix.h"
#include "geometry/broad_phase.h"
#include "step/pair_laws.h"
#include "step/residual_out.h"
#include "step/two_stage.h"

#include <tractrix/sim.h>

/// Columns of one side of a pair: the last `count` dofs on the path of `link`, those the other side does not share.
typedef struct trxi_pair_side {
    int link;    // -1: world
    int skip;    // dofs on the path before them: common ancestors, which move both sides alike
    int count;
    int offset;  // first of them in the pair's columns
    double sign; // +1 for b, -1 for a: J = J_b - J_a
} trxi_pair_side;

typedef struct trxi_pair_columns {
    trxi_pair_side a, b;
    int ncol;
    int first; // of its dofs in the list of all
} trxi_pair_columns;

/// A pair that has contact points in this step.
typedef struct trxi_meeting {
    int pair, geom_a, geom_b;
    double margin;           // its points are nearer than this [m]
    double weight_b;
    const trx_pair_law *law;
    trxi_pair_columns columns; // dofs in sim->meeting_cols
} trxi_meeting;

/// What a contact row came from; parallel to sim->contacts.
typedef struct trxi_row {
    int pair, point;
    int meeting;         // in sim->meetings
    double p[3], F[9]; // contact point and frame [t1 t2 n] in the world
    double phi_weight; // p = a + phi_weight phi n
    double vn0, vt0[2]; // normal and tangential v_c before the step: F^T J v0 and what moves beside the joints
    double f0_phi, f0_v; // partials of the force law at (phi0, vn0): gn0 = dt f0
    int law0_branch;     // branch of the law there
    double mu_rate;      // d mu = mu_rate vt0 . d vt0: static and dynamic friction
    double axis[3];      // of anisotropic friction, in the world; carried by B where axis_sign is 1, by A where it is -1
    int axis_sign;       // 0: friction is isotropic
    double axis_arm;     // length of its tangential part
    double tie;
    int feature;
} trxi_row;

typedef enum trxi_constraint_kind {
    TRXI_CONSTRAINT_POINT,
    TRXI_CONSTRAINT_TURN,
    TRXI_CONSTRAINT_DISTANCE,
    TRXI_CONSTRAINT_COUPLER
} trxi_constraint_kind;

/// Rows of one constraint that belong together, with what their tangent needs. Their velocities are those of B against A at p,
/// in the frame F that A carries. The last axis of F of a distance points from A to B.
typedef struct trxi_constraint_rows {
    trxi_constraint_kind kind;
    int constraint;
    int first, nrow;   // in sim->scalars; 3 for point and turn
    double p[3], F[9]; // point of B [m], frame
    double g[3];       // gap in F; a coupler's and a distance's in g[0] [m or rad]
    double length;     // |p_B - p_A| [m]
    double slope, curvature; // coupler: dq_a/dq_b, d2q_a/dq_b2 at q0
    double w;          // effective inverse mass of the block [1/kg or 1/(kg m^2)]
    bool rigid;        // the near-rigid bound decides R
    double horizon;    // dt + tau [s]
} trxi_constraint_rows;

/// The prescribed motion of a body, with its origin at the start of the step. A point at p moves at linear + W (p - origin) over
/// this step, and at linear0 + W0 (p - origin) over the step before (motion.c).
typedef struct trxi_prescribed_motion {
    double origin[3];
    double linear[3], W[9];
    double linear0[3], W0[9];
} trxi_prescribed_motion;

/// The configuration of a ball at the end of the step moves by T dq0 + v dv + v0 dv0: T = Exp(-dt w), dt th_vq S,
/// dt (1 - th_vq) S. Of other joints T = S = 1.
typedef struct trxi_end_maps {
    double T[9], v[9], v0[9];
} trxi_end_maps;

struct trx_sim {
    trx_context *context;
    const trx_model *model;
    const trx_model *given; // the one it was created with
    trx_model *own;         // a copy with other values of parameters, NULL before the first is set; then `model` is this
    trx_sim_settings settings;
    bool two_stage;    // the scheme is not the symplectic one
    double th, th_vq;  // of the scheme (theory 2); symplectic: positions move with v, 1 and 1
    void *block; // all arrays below

    trxi_pair_laws laws;

    // arguments of the next trx_step
    double time;              // [s]
    bool warm;                // v_warm is the guess
    double *v_warm;           // nv

    // arguments and result of the last step
    double t0;                // [s]
    double *q0, *v0, *u, *q1; // nq, nv, nu, nq
    double *displacement;     // nv: q1 (-) q0
    bool stepped;             // the fields below belong to a converged step
    trx_status status;        // of that step
    double solved_tolerance;

    // smooth dynamics
    trxi_kinematics kin;
    trxi_rnea rnea;
    trxi_inertia *composite;
    double *M, *A, *LA;     // blocks by tree: mass matrix, A = M + th dt D + th th_vq dt^2 K, its Cholesky factor
    double *spring;         // nv: q0 (-) q_rest
    double *bias, *p0;      // nv
    double *v_free;         // nv: A^-1 p0
    double *V1;             // nlink x 6: link velocities at v_free, later at v; those at v0 are rnea.V
    trxi_stage stage;       // of two-stage schemes

    // geometry
    trxi_prescribed_motion *prescribed;        // nmover
    trxi_placed_shape *shapes; // ngeom
    double *geom_R, *geom_p;   // ngeom x 9, x 3
    double *radii, *travel;    // ngeom: bounding radius, bound of the way in this step [m]
    trxi_pair_filter filter;
    trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];

    // rows
    void *point_block; // the arrays from here to J: grows with the contacts of a step
    int point_room, column_room;
    trxi_row_block *contacts; // ncontact blocks of three rows; the blocks of one row follow them
    int ncontact;
    trxi_row *rows;
    trx_contact *reported; // of the same contacts, for the user
    trxi_meeting *meetings;
    int nmeeting;
    int *meeting_cols; // column_room: dofs of all pairs that meet
    double *J;         // 3 column_room: 3 x ncol of each contact
    int ncolumn;       // columns of all contacts together
    trxi_row_block *scalars; // limits, constraints, drives, dry friction: contacts + ncontact
    int nscalar, max_scalars;
    int *scalar_cols;     // their columns and
    double *scalar_J;     // values, in the order of the rows
    int scalar_used;
    trxi_constraint_rows *constraint_rows; // 2 nconstraint, nconstraint_rows of them in the step
    int nconstraint_rows;
    double *gaps; // 6 nconstraint: g of every row of every constraint, of those too that nothing can move
    trxi_pair_columns *constraint_columns; // nconstraint
    int *constraint_cols;       // columns of all constraints
    trxi_contact_problem problem;
    trxi_solver solver;
    trxi_coupled_places places; // of rq, rv and the other coupled matrices
    double *W_scratch; // nv x 3

    // derivatives
    void *matrix_block;      // rq, rv, dv and those of two-stage schemes: grows with the islands of linearized steps
    ptrdiff_t matrix_room;   // numbers of a matrix by island
    bool two_stage_room;
    bool linearized;        // rq, rv belong to the step
    double *rq, *rv;        // coupled matrices (linearization.h): dr/dq0, dr/dv0
    double *dv;             // what linearization.h solves for: -H^-1 [rq rv], then -H^-1 ru (nv x nu)
    double *products;       // nv x TRXI_PRODUCTS: vectors of products with derivatives
    trxi_end_maps *end_maps; // nlink: of the balls
    trx_island *parts;      // ntree: what trx_step_jac_islands gave out, with
    int *part_dofs, *part_controls; // nv and nfactor of them
    double *response;       // nu: impulse of each actuator per control, 0 where its effort is reached
    double *accel;          // nv
    int max_cols;           // most columns of a pair of links
    double *row_scratch;    // max_cols x 4: J of one block, forces and slopes of its columns
    double *y_scratch;      // 8 x nv + 16 x nlink
};

enum { TRXI_PRODUCTS = 18 };

/// Room for this many contacts and columns in all; contacts of this step that are there stay. Errors: MEMORY.
trx_status trxi_sim_reserve_points(trx_sim *sim, int points, int columns);

/// Room for the matrices of derivatives of a step whose matrices by island have `count` numbers. Errors: MEMORY.
trx_status trxi_sim_reserve_matrices(trx_sim *sim, ptrdiff_t count);

/// Columns of the two sides of a pair of links; their dofs in ascending order to `cols` when it is not NULL.
trxi_pair_columns trxi_sim_pair_columns(const trx_model *model, int link_a, int link_b, int *cols);

/// The pair of a row, and its contact points with or without derivatives to sim->points.
static inline const trxi_meeting *trxi_sim_meeting(const trx_sim *sim, const trxi_row *row)
{
    return &sim->meetings[row->meeting];
}

void trxi_sim_collide(trx_sim *sim, const trxi_meeting *meeting, bool derivatives);

/// Kinematics, mass matrix, A with its factor, p0 and the free velocity at (q0, v0, u). ILL_CONDITIONED
/// names the joint when A is not positive definite.
trx_status trxi_step_smooth(trx_sim *sim);

/// out += scale J^T f of the loads (nv) at the configuration of `kin`; r -= dt d(J^T f)/dq there, entry (i, j)
/// of one tree at [places[j] + i].
void trxi_step_loads(const trx_sim *sim, const trxi_kinematics *kin, double scale, double *out);
void trxi_step_loads_deriv(const trx_sim *sim, const trxi_kinematics *kin, const ptrdiff_t *places, double *r);

/// The same of the symplectic scheme as a product with lambda.
void trxi_step_loads_vjp(const trx_sim *sim, const trxi_residual_out *out);

/// r -= scale d(J^T f) of one load when the tree it acts on is turned as a whole by w, at the configuration of `kin`.
void trxi_step_load_turn(const trx_sim *sim, const trxi_kinematics *kin, int load, const double w[3], double scale, double *r);

/// out += scale tau(u) of the motors; drives are rows of the convex step.
void trxi_step_motors(const trx_sim *sim, double scale, double *out);

/// Contact rows from the geometry at q0. Errors: MEMORY, when there are more candidates than ever before.
trx_status trxi_step_contact_rows(trx_sim *sim);

/// The rows with one impulse each: limits, constraints, drives, dry friction, in this order.
void trxi_step_scalar_rows(trx_sim *sim);
void trxi_step_limit_rows(trx_sim *sim);
void trxi_step_constraint_rows(trx_sim *sim);
void trxi_step_drive_rows(trx_sim *sim);

/// A new row of `ncol` columns, which the caller fills: cols and J may be written through `cols` and `J`.
trxi_row_block *trxi_step_add_scalar(trx_sim *sim, const trxi_law *law, int index, int part, int ncol, int **cols,
                                     double **J);

/// The output of terms: the matrices sim->rq and sim->rv.
static inline trxi_residual_out trxi_residual_matrices(const trx_sim *sim)
{
    return (trxi_residual_out){.q = sim->rq, .v = sim->rv, .q_th = sim->two_stage ? sim->stage.R : NULL,
                           .places = sim->places};
}

/// Add the terms of rows to dr/dq0 and dr/dv0 (theory 6).
void trxi_step_contact_rows_deriv(trx_sim *sim, const trxi_residual_out *out);
void trxi_step_limit_rows_deriv(trx_sim *sim, const trxi_residual_out *out);
void trxi_step_constraint_rows_deriv(trx_sim *sim, const trxi_residual_out *out);
void trxi_step_drive_rows_deriv(trx_sim *sim, const trxi_residual_out *out);

/// Change of gap, normal and point of a contact (not a turn) with q: motion (7 x ncol) = [dphi; dn; dp] a column of it.
void trxi_step_contact_motion(trx_sim *sim, int contact, double *motion);

/// dr -= J^T d gamma of all rows whose impulse depends on the controls, and the motors' part: out (nv x nu) = -dr/du; of a
/// combination: out (nv) += -dr/du u; of the transpose: grad_u (nu) = -(dr/du)^T lambda.
void trxi_step_control_jac(const trx_sim *sim, double *out);
void trxi_step_control_jvp(const trx_sim *sim, const double *tangent_u, double *out);
void trxi_step_control_vjp(const trx_sim *sim, const double *lambda, double *grad_u);

/// |W|_F / rows with W = J A^-1 J^T, J rows x ncol in the columns `cols` (rows 1 or 3).
double trxi_step_inverse_mass(trx_sim *sim, const int *cols, int ncol, const double *J, int rows);

/// For each tree that the ascending dofs touch.
#define TRXI_FOR_TREES(model, cols, ncol, tree)                                                                        \
    for (int i_ = 0, last_ = -1; i_ < (ncol); i_++)                                                                      \
        if ((model)->dof_tree[(cols)[i_]] != last_)                                                                      \
            for (const trxi_tree *tree = &(model)->trees[last_ = (model)->dof_tree[(cols)[i_]]]; tree; tree = NULL)

/// Y = A^-1 Y for nrhs columns (nv each) that live in the trees of the ncol dofs `cols`.
void trxi_step_solve_mass(const trx_sim *sim, const int *cols, int ncol, int nrhs, double *Y);

/// out = scale v_vq (nv), v_vq = th_vq v + (1 - th_vq) v0.
void trxi_step_moving(const trx_sim *sim, double scale, const double *v, double *out);

/// Maps of one ball that turns by scale v_vq: T = Exp(-scale w), S = Jr(scale w).
void trxi_step_ball_maps(const trx_sim *sim, const trxi_link *link, double scale, const double *v, double T[9],
                         double S[9]);

/// out = T dq + dt th_vq S dv for ncol tangent columns (theory 6); dq may be NULL for zero.
void trxi_step_integrate_tangent(const trx_sim *sim, const double *dq, const double *dv, int ncol, int ld_in,
                                 double *out, int ld_out);

trxi_end_maps trxi_step_end_maps(const trx_sim *sim, const trxi_link *link);

/// The transpose of trxi_step_integrate_tangent: through_q (nv) = T^T seed_q, through_v (nv) = dt S^T seed_q.
void trxi_step_integrate_adjoint(const trx_sim *sim, const double *seed_q, double *through_q, double *through_v);

/// Reads shapes, poses and sizes of geometries from the model anew.
void trxi_sim_read_geometry(trx_sim *sim);

/// trx_sim_set_parameter for differences: damping, stiffness and rotor inertia of joints may become negative.
trx_status trxi_sim_put_parameter(trx_sim *sim, trx_parameter parameter, double value);

/// What v0 moves by itself, beside v: out += dt (1 - th_vq) S dv0, or of a seed its transpose.
void trxi_step_integrate_start(const trx_sim *sim, bool transposed, const double *in, double *out);

/// The converged velocity derivatives belong to, and H factored there. Errors: NO_STEP, ILL_CONDITIONED, those of the solve.
trx_status trxi_step_refine(trx_sim *sim);

/// The same with the factor that the solve ended with, at half the cost: its last digits depend on where the step started.
trx_status trxi_step_refine_quickly(trx_sim *sim);

/// Brings sim->rq, rv and the factor to the last step: A, B and their forward product stand on it, in two-stage schemes every
/// form of derivative.
trx_status trxi_step_linearize(trx_sim *sim);

/// Symplectic scheme: brings sim->rnea from the bias of the step to the acceleration (v - v0)/dt.
void trxi_step_accelerate(trx_sim *sim);

/// Terms of all rows at sim->solver.v, with the velocities of the links there in sim->V1; of the springs of the symplectic scheme.
void trxi_step_rows_deriv(trx_sim *sim, const trxi_residual_out *out);
void trxi_step_springs_deriv(const trx_sim *sim, const trxi_residual_out *out);

#endif
