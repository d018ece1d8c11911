// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The one query of this room: where two placed shapes touch or nearly touch, and how that place moves when
// the shapes do (theory 6).
//
// A contact point has witness points a on A and b = a + phi n on B, with n the unit normal from A to B and
// phi the signed distance, negative when the shapes overlap. Everything is in world axes.
//
// Motion. Let A's material be displaced rigidly with rotation vector W_A. Let B be displaced relative to A by
// the rotation vector theta = W_B - W_A and by x = u_B(a) - u_A(a), where u_X(a) is the displacement of the
// material point of X (extended rigidly) that now coincides with the witness point a. To first order
//
//     dphi = (n + dphi_dx) . x + dphi_dtheta . theta
//     dn   = W_A x n + dn_dtheta theta + dn_dx x
//     da   = u_A(a)  + da_dtheta theta + da_dx x
//
// Where a and b are witness points of a distance, dphi_dx and dphi_dtheta are zero: theta does not enter because b - a is
// parallel to n (B's material at b moves by x + theta x (phi n), and n . (theta x n) = 0). They are not zero for the points
// of a patch between faces that are nearly parallel (patch.h), where an edge slides along a face. If a caller
// evaluates x at another point p = a + s n of the segment, it replaces x by x_p - s theta x n.
//
// dn . n = 0 always. On the boundary between two features (`tie` = 0) the derivative is the one of the feature
// that was evaluated.

#ifndef TRXI_GEOMETRY_CONTACT_GEOMETRY_H
#define TRXI_GEOMETRY_CONTACT_GEOMETRY_H

#include <stdbool.h>
#include <tractrix/geometry.h>

enum { TRXI_MAX_CONTACT_POINTS = 8 }; // of any served pair

/// A shape at a pose in the world; a view that owns nothing.
typedef struct trxi_placed_shape {
    const trx_shape *shape;
    const double *R; // 3 x 3, shape axes to world
    const double *p; // centre of the shape [m]
} trxi_placed_shape;

typedef struct trxi_contact_point {
    double phi;           // signed distance [m]
    double n[3];          // unit normal from A to B [1]
    double a[3];          // witness point on A [m]; the one on B is a + phi n
    double tie;           // estimate of the distance to the nearest change of feature; INFINITY if there is none [m]
    int feature;          // which branch: corner, clamp pattern, segment regions; equal under small motions
    double dn_dtheta[9];  // 3 x 3 [1]
    double dn_dx[9];      // 3 x 3 [1/m]
    double da_dtheta[9];  // 3 x 3 [m]
    double da_dx[9];      // 3 x 3 [1]
    bool sliding;         // dphi_dx, dphi_dtheta are not zero; without derivatives asked for it may be either
    double dphi_dx[3];    // written when `sliding` [1]
    double dphi_dtheta[3]; // [m]
} trxi_contact_point;

/// Whether trxi_collide knows the pair, in this order: `a` must not be the larger kind.
bool trxi_pair_served(trx_shape_type a, trx_shape_type b);

/// Most points a pair can have, 0 when it is not served.
int trxi_max_points(trx_shape_type a, trx_shape_type b);

/// Writes the contact points with phi < margin [m] to `points` (capacity trxi_max_points), in an order that
/// depends on the features only, and returns how many there are. The derivative fields are written only when
/// `derivatives` is set. The shapes must be valid and the pair served.
int trxi_collide(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                 trxi_contact_point *points);

#endif
