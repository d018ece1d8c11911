// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Limits as constraints of a program (theory 7, direct transcription): one row per component and knot that a plan can change.

#ifndef TRXI_TRAJOPT_LIMIT_ROWS_H
#define TRXI_TRAJOPT_LIMIT_ROWS_H

#include "trajopt/limits.h"

/// Rows in the order of knots, then limits, then components.
typedef struct trxi_limit_rows {
    const trxi_limit_set *set;
    int steps, nx, nu, count;
    int at_start, at_end; // rows of the first and of the last knot
    int *first;     // N + 2: first row of each knot, then the number of rows
    double *values; // count: residuals
    double *r_x;    // nx x count: derivatives of the residuals by tangent coordinates of the state
    double *r_u;    // nu x count
} trxi_limit_rows;

/// Carves the arrays for the limits of a set. trxi_limit_rows_fill then numbers the rows of a horizon, which may be shorter than at
/// the layout.
void trxi_limit_rows_layout(trxi_arena *arena, const trx_model *model, int steps, const trxi_limit_set *set, trxi_limit_rows *rows);
void trxi_limit_rows_fill(trxi_limit_rows *rows, int steps);

/// Writes the residuals at a knot.
void trxi_limit_rows_value(const trxi_limit_rows *rows, const trxi_knot *at);
/// Writes the residuals at a knot and their derivatives. `out` gives the inputs of an expansion.
void trxi_limit_rows_expand(const trxi_limit_rows *rows, const trxi_knot *at, const trxi_expansion *out);

/// Bounds of the residuals (count each).
void trxi_limit_rows_bounds(const trxi_limit_rows *rows, double *lower, double *upper);

/// The largest violation, in tolerances of the limits [1].
double trxi_limit_rows_violation(const trxi_limit_rows *rows);

#endif
