// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory of derivatives (theory 6): the coupled matrices dr/dq0 and dr/dv0, the solutions of H, and scratch of the terms.

#ifndef TRXI_STEP_DERIVATIVES_H
#define TRXI_STEP_DERIVATIVES_H

#include "contact/linearization.h"
#include "geometry/contact_geometry.h"
#include "step/residual_out.h"

#include <tractrix/sim.h>

/// The change of a ball's orientation at the end of the step is T dq0 + v dv + v0 dv0. The three matrices are T = Exp(-dt w),
/// v = dt th_vq S and v0 = dt (1 - th_vq) S. Other joints have T = S = 1.
typedef struct trxi_end_maps {
    double T[9], v[9], v0[9];
} trxi_end_maps;

enum { TRXI_PRODUCTS = 18 };

typedef struct trxi_derivatives {
    const struct trxi_block_passes *passes; // of the tangents of rows (block_tangent.h), for this processor
    void *matrix_block;    // memory of rq, rv, dv and two-stage matrices; grows with the islands of linearized steps
    ptrdiff_t matrix_room; // length of a matrix by island
    bool two_stage_room;
    bool linearized;         // rq, rv belong to the step
    double *rq, *rv;         // coupled matrices (linearization.h): dr/dq0, dr/dv0
    double *dv;              // solutions (linearization.h): -H^-1 [rq rv], then -H^-1 ru (nv x nu)
    double *products;        // nv x TRXI_PRODUCTS: vectors of products with derivatives
    trxi_end_maps *end_maps; // nlink: of the balls
    trx_island *parts;       // ntree: the islands that trx_step_jac_islands returned
    int *part_dofs, *part_controls; // dofs (nv) and controls of these islands
    int *part_activations;          // na: of these islands
    double *driven;      // nu: a change or a seed of the driving values (input.h, u)
    double *response;    // nu: impulse of each actuator per unit of its driving value, 0 if its effort is reached
    double *accel;       // nv
    double *R, *carry;   // two-stage schemes (step_deriv.h): coupled matrices
    double *dw, *dw_th;  // nv: change of one effective inverse mass w with q0; two-stage schemes: with q_th
    double *force;       // nv: force of the rows of this w, per unit of w
    trxi_contact_point points[TRXI_MAX_CONTACT_POINTS]; // of one pair, with derivatives
    double *row_scratch; // max_cols x 4: J of one block, forces and slopes of its columns
    double *y_scratch;   // 8 x nv + 16 x nlink
    double *turn, *unit; // nv: a product with the derivative of a length's gradient; zeros
} trxi_derivatives;

/// Carves the arrays of constant size; `max_cols` is the largest number of columns of a pair of links.
void trxi_derivatives_layout(trxi_arena *arena, const trx_model *model, int max_cols, trxi_derivatives *deriv);

/// Makes room for matrices by island of `count` numbers each, with `two_stage` also for R and carry. Growth loses their contents.
/// Errors: MEMORY.
trx_status trxi_derivatives_reserve(trx_context *context, const trx_model *model, ptrdiff_t count, bool two_stage,
                                    trxi_derivatives *deriv);

#endif
