// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lengths l(q) at a configuration: value, gradient, and products with the derivative of the gradient (theory 4, Tendons);
// see lengths.c.

#ifndef TRXI_DYNAMICS_LENGTHS_H
#define TRXI_DYNAMICS_LENGTHS_H

#include "dynamics/kinematics.h"
#include "dynamics/wrap.h"

/// A span at the configuration, all in world axes.
typedef struct trxi_span {
    double p[6];    // both ends of the span [m]
    trxi_wrap at;   // length, gradient and second derivatives by the ends, relative to the obstacle
} trxi_span;

typedef struct trxi_lengths {
    double *value;    // nlength [m or rad]
    double *J;        // nlength_dof: dl/dq in the order of model->length_dofs
    trxi_span *spans; // nspan
} trxi_lengths;

/// One length with its gradient, as the rows of the step use it.
typedef struct trxi_length_view {
    double value;
    int ncol;
    const int *cols; // dofs, ascending
    const double *J;
} trxi_length_view;

void trxi_lengths_layout(trxi_arena *arena, const trx_model *model, trxi_lengths *lengths);

/// All lengths and gradients at q (nq); `kin` holds the kinematics at q.
void trxi_lengths_compute(const trx_model *model, const trxi_kinematics *kin, const double *q, trxi_lengths *lengths);

static inline trxi_length_view trxi_length_at(const trx_model *model, const trxi_lengths *lengths, int index)
{
    const trxi_length *length = &model->lengths[index];
    return (trxi_length_view){lengths->value[index], length->ncol, model->length_dofs + length->first, lengths->J + length->first};
}

/// J x of a length, x (nv).
double trxi_length_rate(const trx_model *model, const trxi_lengths *lengths, int index, const double *x);

/// Writes d(J y)/dq at constant y (nv), h_j = sum_i y_i dJ_i/dq_j, to h (nv) at the dofs of the length. Zero for a constant
/// gradient. Other entries of h stay.
void trxi_length_turn(const trx_model *model, const trxi_kinematics *kin, const trxi_lengths *lengths, int index, const double *y,
                      double *h);

/// A rigid displacement of fixed bodies and the trees that they carry: rotation vector w, and displacement v of the point `at`.
typedef struct trxi_carried {
    double w[3], v[3], at[3];
    bool (*has)(const void *context, int body, int link); // whether `body` is displaced; link: link of the body, -1 if fixed
    const void *context;
} trxi_carried;

/// Changes of the length and of J y under the displacement.
void trxi_length_displaced(const trx_model *model, const trxi_kinematics *kin, const trxi_lengths *lengths, int index,
                           const trxi_carried *by, const double *y, double *dl, double *dJ_y);

#endif
