// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Symmetric 3 x 3 matrices as six numbers, xx yy zz xy xz yz, and operations on inertia tensors: other axes, another
// point, principal moments.

#ifndef TRXI_MATH_TENSOR_H
#define TRXI_MATH_TENSOR_H

#include "math/vec3.h"

#include <stdbool.h>

/// The matrix, column-major.
static inline void trxi_tensor_matrix(const double t[6], double out[9])
{
    out[0] = t[0], out[1] = t[3], out[2] = t[4];
    out[3] = t[3], out[4] = t[1], out[5] = t[5];
    out[6] = t[4], out[7] = t[5], out[8] = t[2];
}

/// out = T x.
static inline void trxi_tensor_mulv(const double t[6], const double x[3], double out[3])
{
    out[0] = t[0] * x[0] + t[3] * x[1] + t[4] * x[2];
    out[1] = t[3] * x[0] + t[1] * x[1] + t[5] * x[2];
    out[2] = t[4] * x[0] + t[5] * x[1] + t[2] * x[2];
}

/// out = R T R^T. May alias.
void trxi_tensor_rotate(const double t[6], const double R[9], double out[6]);

/// Adds a body of mass m and tensor T about its centre of mass to a tensor about another point o,
///
///     out += R T R^T + m (|d|^2 1 - d d^T),     d: from o to the centre of mass.
///
/// R may be NULL if the axes are the same.
void trxi_tensor_add(const double t[6], const double R[9], double m, const double d[3], double out[6]);

/// out += s (2 (a . b) 1 - a b^T - b a^T)/2: for a = b the tensor of a point mass s at a.
void trxi_tensor_add_arms(double s, const double a[3], const double b[3], double out[6]);

/// Eigenvalues in ascending order and their axes as the columns of R, a rotation. R may be NULL.
void trxi_tensor_principal(const double t[6], double moments[3], double R[9]);

/// The tensor with these eigenvalues along the columns of R.
void trxi_tensor_from_principal(const double moments[3], const double R[9], double out[6]);

/// Whether a mass distribution can have these ascending principal moments: none is negative, and the two smaller ones
/// sum to at least the largest, with a tolerance of a millionth of the sum of all three.
bool trxi_moments_possible(const double moments[3]);

#endif
