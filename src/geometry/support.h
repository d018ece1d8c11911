// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A convex shape as a core grown by a ball (theory 1), and the queries of pairs: the core's farthest point in a
// direction, and the flat or straight part of its surface at this point. Directions and points are in world axes.
//
//     sphere: point    capsule: segment    box, cylinder, ellipsoid, mesh (its hull): themselves, grown by `rounding`

#ifndef TRXI_GEOMETRY_SUPPORT_H
#define TRXI_GEOMETRY_SUPPORT_H

#include "geometry/contact_geometry.h"
#include "geometry/hull.h"
#include "math/vec3.h"

typedef enum trxi_core_kind {
    TRXI_CORE_POINT,
    TRXI_CORE_SEGMENT,
    TRXI_CORE_BOX,
    TRXI_CORE_CYLINDER,
    TRXI_CORE_ELLIPSOID,
    TRXI_CORE_HULL
} trxi_core_kind;

typedef struct trxi_core {
    trxi_core_kind kind;
    const double *R, *p;   // pose: axes to world, centre [m]
    double h[3];           // box: half lengths; ellipsoid: semi-axes; segment: 0, 0, half length; cylinder: radius twice, half
                           // length [m]
    const trxi_hull *hull; // hull only
    double radius;         // of the ball around the core [m]
} trxi_core;

/// x = p + R local; may not alias.
static inline void trxi_core_to_world(const trxi_core *core, const double local[3], double x[3])
{
    trxi_mulv3(core->R, local, x);
    trxi_add3(x, core->p, x);
}

/// The core of a shape that is neither a halfspace nor a height field; a view.
trxi_core trxi_core_of(const trxi_placed_shape *shape);

/// Writes the farthest point of the core along d (any length but 0) to `x`. Returns a number that names the point:
/// corner bits (1 where the coordinate is positive), end (0 lower, 1 upper), vertex of a hull, 0 for a point and an
/// ellipsoid. Ties go to the positive side and to the vertex that is reached first, from vertex `start` of a hull (0 is
/// always valid).
int trxi_core_support(const trxi_core *core, int start, const double d[3], double x[3]);

/// Farthest point with d and x in the frame of the core.
int trxi_core_support_local(const trxi_core *core, int start, const double d[3], double x[3]);

/// Radius of a ball about the centre that contains the core, without rounding [m].
double trxi_core_size(const trxi_core *core);

/// Whether the core has edges, flat faces or straight lines on its surface.
bool trxi_core_is_straight(const trxi_core *core);

/// One more than the largest feature number.
int trxi_core_features(const trxi_core *core);

/// Farthest vertex along d (frame of the hull), searched from vertex `start`.
int trxi_hull_climb(const trxi_hull *hull, int start, const double d[3]);

/// Index in `neighbours` of the edge of vertices i and j, at the smaller of the two; -1 without such an edge.
int trxi_hull_edge(const trxi_hull *hull, int i, int j);

/// The vertices of the edge at this index of `neighbours`, the smaller first.
void trxi_hull_edge_ends(const trxi_hull *hull, int edge, const double **low, const double **high);

/// The face whose normal is nearest to d (unit vector in the frame of the hull).
int trxi_hull_face(const trxi_hull *hull, const double d[3]);

enum { TRXI_MAX_FACE_POINTS = 16 };

/// A flat or straight piece of a core. Its points are fixed in the material. The points of the side of a cylinder are
/// on its axis; the contact line in direction d is `ring` away from them, along the part of d that is normal to the
/// axis.
typedef struct trxi_face {
    int count;                         // points: 1, 2 (a segment), or 3 to 16 (a convex polygon)
    double x[TRXI_MAX_FACE_POINTS][3]; // polygons counterclockwise seen from outside [m]
    double normal[3];                  // of a polygon: outward unit normal, fixed in the material
    double axis[3];                    // of a segment: unit vector from x[0] to x[1]
    double ring;                       // side of a cylinder: its radius; else 0 [m]
    double radius;                     // of the ball around the core [m]
    // number of the piece; equal for equal pieces, different for different pieces of one core
    int feature;
} trxi_face;

/// The largest piece of the core that is normal to d (unit vector) within an angle of the given sine: the polygon
/// whose normal is nearest to d, else the edge at the farthest point that is most nearly normal to d, else the
/// farthest point. The end of a cylinder has eight points of its rim at equal angles; a polygon with more than 16
/// corners has 16 of them.
void trxi_supporting_face(const trxi_core *core, const double d[3], double sine, trxi_face *face);

#endif
