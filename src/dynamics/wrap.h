// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Length of a taut string between two points, straight or around a sphere or a cylinder, with first and second derivatives by the
// points (theory 4, Tendons); see wrap.c.

#ifndef TRXI_DYNAMICS_WRAP_H
#define TRXI_DYNAMICS_WRAP_H

#include "model/model.h"

/// The pieces of the length: straight, around the obstacle in either sense, through the inside of the obstacle.
typedef enum trxi_wrap_branch { TRXI_STRAIGHT, TRXI_CLOCKWISE, TRXI_COUNTERCLOCKWISE, TRXI_INSIDE } trxi_wrap_branch;

typedef struct trxi_wrap {
    trxi_wrap_branch branch;
    double length;  // [m]
    double g[6];    // gradient of the length by both points: unit vectors of the tension [1]
    double H[36];   // second derivatives of the length, 6 x 6 [1/m]
    double margin;  // smallest displacement of the straight line that changes the branch; INFINITY: no branch can change [m]
} trxi_wrap;

/// The straight line from x[0..3) to x[3..6).
void trxi_wrap_straight(const double x[6], trxi_wrap *out);

/// The string around an obstacle at the origin. Points, side point (NULL: none) and results are in the axes of the obstacle; a
/// cylinder lies along z.
void trxi_wrap_around(trx_tendon_point_type obstacle, double radius, const double x[6], const double *side, trxi_wrap *out);

#endif
