// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The query of this room: the points at which two placed shapes touch or nearly touch, and how these points move with
// the shapes (theory 6).
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
// If a and b are witness points of a distance, dphi_dx and dphi_dtheta are zero. theta does not enter because b - a
// is parallel to n (B's material at b moves by x + theta x (phi n), and n . (theta x n) = 0). dphi_dx and dphi_dtheta
// are not zero for the points of a patch between nearly parallel faces (patch.h), where an edge slides along a face. A
// caller that evaluates x at another point p = a + s n of the segment replaces x by x_p - s theta x n.
//
// dn . n = 0 always. On the boundary between two features (`tie` = 0) the derivative belongs to the feature that was
// evaluated.

#ifndef TRXI_GEOMETRY_CONTACT_GEOMETRY_H
#define TRXI_GEOMETRY_CONTACT_GEOMETRY_H

#include <stdbool.h>
#include <tractrix/geometry.h>

enum { TRXI_MAX_CONTACT_POINTS = 8 }; // of any supported pair

/// A shape at a pose in the world; a view that owns nothing.
typedef struct trxi_placed_shape {
    const trx_shape *shape;
    const double *R; // 3 x 3, shape axes to world
    const double *p; // centre of the shape [m]
} trxi_placed_shape;

typedef struct trxi_contact_point {
    double phi;           // signed distance [m]
    double n[3];          // unit normal from A to B [1]
    double a[3];          // witness point on A [m]; the witness point on B is a + phi n
    double tie;           // estimate of the distance to the nearest change of feature; INFINITY if there is none [m]
    int feature;          // branch: corner, clamp pattern, segment regions; constant under small motions
    double dn_dtheta[9];  // 3 x 3 [1]
    double dn_dx[9];      // 3 x 3 [1/m]
    double da_dtheta[9];  // 3 x 3 [m]
    double da_dx[9];      // 3 x 3 [1]
    bool sliding;         // dphi_dx, dphi_dtheta are not zero; undefined when no derivatives were requested
    double dphi_dx[3];    // written when `sliding` [1]
    double dphi_dtheta[3]; // [m]
} trxi_contact_point;

/// Whether the shape of kind b comes before the shape of kind a in a pair, as A. Halfspaces come first, then height fields, then
/// the others in the order of trx_shape_type.
static inline bool trxi_pair_swaps(trx_shape_type a, trx_shape_type b)
{
    if (a == b || a == TRX_SHAPE_HALFSPACE || b == TRX_SHAPE_HALFSPACE) return a > b;
    return b == TRX_SHAPE_HEIGHT_FIELD || (a != TRX_SHAPE_HEIGHT_FIELD && a > b);
}

/// Whether trxi_collide supports the pair in this order.
bool trxi_pair_served(trx_shape_type a, trx_shape_type b);

/// Largest number of points of a pair, 0 when it is not supported.
int trxi_max_points(trx_shape_type a, trx_shape_type b);

/// Writes the contact points with phi < margin [m] to `points` (capacity trxi_max_points), in an order that depends
/// on the features only, and returns their number. The derivative fields are written only when `derivatives` is set.
/// The shapes must be valid and the pair supported. A height field gives its nearest point alone.
int trxi_collide(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                 trxi_contact_point *points);

enum { TRXI_WHOLE = -1 };

/// Like trxi_collide, for one piece of a height field A (height_field.h), or for the whole of any A: TRXI_WHOLE.
int trxi_collide_piece(const trxi_placed_shape *A, const trxi_placed_shape *B, int piece, double margin, bool derivatives,
                       trxi_contact_point *points);

#endif
