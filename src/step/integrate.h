// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The maps that move positions in a step, and their tangents (theory 2, 6); see integrate.c.

#ifndef TRXI_STEP_INTEGRATE_H
#define TRXI_STEP_INTEGRATE_H

#include "step/sim.h"

/// out = scale v_vq (nv), v_vq = th_vq v + (1 - th_vq) v0.
void trxi_step_moving(const trxi_input *in, double scale, const double *v, double *out);

/// Maps of one ball that turns by scale v_vq: T = Exp(-scale w), S = Jr(scale w).
void trxi_step_ball_maps(const trxi_input *in, const trxi_link *link, double scale, const double *v, double T[9], double S[9]);

/// The maps of one link; for links other than balls the maps are multiples of 1.
trxi_end_maps trxi_step_end_maps(const trxi_solved *step, const trxi_link *link);

/// out = T dq + dt th_vq S dv for ncol tangent columns (theory 6); dq may be NULL for zero.
void trxi_step_integrate_tangent(const trxi_solved *step, const double *dq, const double *dv, int ncol, int ld_in, double *out,
                                 int ld_out);

/// Direct effect of v0 on positions, in addition to v: out += dt (1 - th_vq) S dv0, or its transpose for a seed.
void trxi_step_integrate_start(const trxi_solved *step, bool transposed, const double *in, double *out);

/// The transpose of trxi_step_integrate_tangent: through_q (nv) = T^T seed_q, through_v (nv) = dt S^T seed_q.
void trxi_step_integrate_adjoint(const trxi_solved *step, const double *seed_q, double *through_q, double *through_v);

/// Writes n rows of ncol columns v (ldv apart) twice: times `rate` to the position rows at out, and unchanged to the velocity rows,
/// `rows` below out. Columns of `out` are ldo apart.
void trxi_place_rows(int n, int ncol, double rate, const double *v, int ldv, double *out, int ldo, int rows);

/// Copies columns of dv of a free body into A: velocities unchanged, positions multiplied by the maps of the integration. For
/// 2 ncol columns v (ldv apart) writes [rate v_1..3; S v_4..6] at out and v at out + rows, in a matrix with 2 `rows` rows. The
/// first ncol columns are adjacent; the others come `rows` columns later. A has its position and velocity columns in this order.
void trxi_place_free(int ncol, double rate, const double S[9], const double *v, int ldv, double *out, int rows);

#endif
