// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The local tangent of a block of rows (theory 6): the change of the impulse of a contact or a constraint between two
// bodies A and B when the bodies move. It contains no law: a contact fills it from its law and its geometry, a
// constraint from its own equations.
//
// Displace B relative to A by x at the witness point a and by the rotation vector W, with A at rest. A displacement
// of A is the opposite displacement of B plus a motion of both with A. Then
//
//     dn  = dn_dx x + dn_dW W  [+ W_A x n]            o  = n x dn + n (spin_n . dn + spin_W . W)      spin of the frame
//     da  = da_dx x + da_dW W  [+ u_A(a)]             dp = da + weight (n dg_0 + phi dn)              p = a + weight phi n
//     dg  = gap_x . x + gap_W . W                     each gap
//     du  = [d(J v) with p held in space] + spin x dp + slip x o        slip, spin: velocities u_B - u_A, W_B - W_A at p
//     df  = o x f + F (-G F^T du(v) + sum of impulse_gap dg + sum of impulse_start (velocity_start . du(v0)))
//
// with f = F gamma. The rows of an angular block measure W_B - W_A, and f is a moment: dW replaces du(v), without dp.
// The velocities du(v0) still belong to the point, because friction depends on the normal impulse of the point.
//
// Prescribed motions and surface velocities (the bias of motion.h) add to du, with T = 1 - n n^T and surface_X of the displaced
// side X:
//
//     slip += bias.u          du += bias.W dp + T (bias.surface x o + W x surface_X)
//     slip0 += bias.u0        du(v0) += bias.W0 dp + T (bias.surface x o + W x surface_X)

#ifndef TRXI_STEP_BLOCK_TANGENT_H
#define TRXI_STEP_BLOCK_TANGENT_H

#include "step/inverse_mass.h"
#include "step/motion.h"
#include "step/residual_out.h"

typedef struct trxi_block_tangent {
    const trxi_pair_columns *columns; // columns of the two sides
    const int *cols;                  // dofs of these columns
    bool angular;
    const double *p, *F;              // point, frame [t1 t2 n] in the world
    const double *gamma;              // impulse in the frame [N s] or [N m s]
    const trxi_sym3 *G;               // -d gamma/d v_c, its symmetric part where it is skewed
    bool skewed;                      // -d gamma/d v_c = G + [skew]x
    double skew[3];

    // motion of the frame and of the point
    const double *witness;                        // a
    const double *dn_dx, *dn_dW, *da_dx, *da_dW;  // 3 x 3, column-major
    double weight, phi;                           // p = a + weight phi n
    bool oriented;                                // the turn of the frame about n counts
    double spin_n[3], spin_W[2][3];               // spin_W: for displacements of A and of B

    // derivatives of gaps and velocities before the step, in the world; derivatives of the impulse by them, in the frame
    int ngap, nstart;
    const double *gap_x[3], *gap_W[3], *velocity_start[2];
    double impulse_gap[3][3], impulse_start[2][3];
    double numbers[2][3]; // storage for vectors of a contact that the pointers above refer to

    trxi_bias bias; // prescribed motions and surface velocities, at p

    int nmass;
    trxi_mass_rows mass[TRXI_MASS_NUMBERS]; // numbers of W that the impulse depends on
} trxi_block_tangent;

/// A rigid displacement of one side: rotation vector w, and the displacement u(x) of a point x.
typedef struct trxi_displacement {
    double w[3], at[3], v[3]; // u(x) = v + w x (x - at)
    bool tree;                // the tree of the side moves as a whole; else only the geometry at the point moves
} trxi_displacement;

static inline void trxi_displace(const trxi_displacement *motion, const double x[3], double u[3])
{
    double arm[3];
    trxi_sub3(x, motion->at, arm);
    trxi_cross3(motion->w, arm, u);
    trxi_add3(u, motion->v, u);
}

/// r (nv) -= d(J^T F gamma) for a parameter that displaces side A or B. Velocities as for matrices (trxi_block_subtract).
void trxi_block_subtract_displaced(const trxi_solved *step, trxi_derivatives *deriv, const trxi_block_tangent *block,
                                   bool on_a, const trxi_displacement *by, double *r);

/// Change of gap, normal and point with q: motion (7 x ncol), [dg_0; dn; dp] a column.
void trxi_block_motion(const trxi_solved *step, const trxi_derivatives *deriv, const trxi_block_tangent *block, double *motion);

/// The kernels of these functions, in plain C or AVX2 (block_tangent.inc).
typedef struct trxi_block_passes {
    void (*add_gradient)(const trxi_solved *step, const trxi_block_tangent *block);
    void (*subtract_matrices)(const trxi_solved *step, trxi_derivatives *deriv, const trxi_block_tangent *block,
                              const trxi_residual_out *out);
    /// Change of the impulse F gamma in the world with q0 and v0 at fixed v and w: by_q, by_v (3 x ncol each), columns in the order
    /// of block->cols. Velocities as for matrices.
    void (*force_columns)(const trxi_solved *step, trxi_derivatives *deriv, const trxi_block_tangent *block, double *by_q,
                          double *by_v);
    void (*displace)(const trxi_solved *step, const trxi_block_tangent *block, bool on_a, bool tree, const double w[3],
                     const double u[3], double df[3], double moment[3]);
    void (*move)(const trxi_solved *step, const trxi_block_tangent *block, bool on_a, const double w[3], const double u[3],
                 double out[7]);
    void (*weigh)(const trxi_solved *step, const trxi_block_tangent *block, const double o[3], const double dp[3],
                  double wrench[2][8]);
} trxi_block_passes;

extern const trxi_block_passes trxi_block_portable;

/// The AVX2 set, or NULL if this processor or this compiler's target lacks AVX2.
const trxi_block_passes *trxi_block_vector(void);

/// The set of this processor; trxi_derivatives keeps it as `passes`.
static inline const trxi_block_passes *trxi_block_choose(void)
{
    const trxi_block_passes *vector = trxi_block_vector();
    return vector ? vector : &trxi_block_portable;
}

/// Subtracts d(J^T F gamma)/d(q0, v0) from the residual. For matrices the link velocities are step->smooth->V1 at v and rnea.V at
/// v0. A product with lambda must lie between trxi_adjoint_begin and trxi_adjoint_end; its forces are added to rnea.adjoint.
static inline void trxi_block_subtract(const trxi_solved *step, trxi_derivatives *deriv, const trxi_block_tangent *block,
                                       const trxi_residual_out *out)
{
    if (out->lambda) deriv->passes->add_gradient(step, block);
    else deriv->passes->subtract_matrices(step, deriv, block, out);
    if (block->nmass) trxi_block_subtract_mass(step, deriv, block, out);
}

/// Fills the tangent of a contact from its law and from its geometry with derivatives at `point`. `point` must stay valid.
void trxi_contact_tangent(const trxi_solved *step, int contact, const trxi_contact_point *point, trxi_block_tangent *block);

/// The point of a contact with derivatives. Collides the shapes again unless *collided is already the contact's meeting; the caller
/// begins with *collided = -1.
const trxi_contact_point *trxi_contact_geometry(const trxi_solved *step, trxi_derivatives *deriv, int contact, int *collided);

/// Numbers that the tangent of a constraint points to.
typedef struct trxi_constraint_numbers {
    double gamma[3], dn_dx[9], gap_W[3][3];
    trxi_sym3 G;
} trxi_constraint_numbers;

/// Fills the tangent of a block of rows of a constraint, except a coupler. J is written to deriv->row_scratch.
void trxi_constraint_tangent(const trxi_solved *step, trxi_derivatives *deriv, const trxi_constraint_rows *rows,
                             trxi_constraint_numbers *numbers, trxi_block_tangent *block);

#endif
