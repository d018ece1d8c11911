// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contacts of two parallel flat or straight pieces: a reference polygon, whose plane gives the normal, and an
// incident piece of the other shape over it (theory 6). The corners of the overlap are the contact points:
//
//     VERTEX    a corner of the incident piece over the reference face: goes with the incident shape
//     CROSSING  an edge of the incident piece over a side of the reference face: slides along the edge
//     CORNER    a corner of the reference face under the incident face: stays with the reference
//
// The height of each corner over the plane, minus the radii, is its phi. Value and derivative are exact; n is fixed
// in the shape of the reference. A vertex counts as over the face up to a band of 1/2000 of the shortest side beyond
// the face. Pieces whose sides coincide then have a definite answer, and no edge crosses a side at an angle so small
// that its derivatives are useless.

#ifndef TRXI_GEOMETRY_PATCH_H
#define TRXI_GEOMETRY_PATCH_H

#include "geometry/support.h"

typedef enum trxi_patch_kind { TRXI_PATCH_VERTEX, TRXI_PATCH_CROSSING, TRXI_PATCH_CORNER } trxi_patch_kind;

typedef struct trxi_patch_point {
    trxi_patch_kind kind;
    int i, k;           // VERTEX: incident vertex i. CROSSING: incident edge from vertex i to i + 1, over side k of the reference
                        // (from its vertex k to k + 1). CORNER: sides i < k of the reference
    int feature;        // trxi_patch_clip: 256 kind + 16 i + k; callers may write a better name of the point
    double u, v, z;     // coordinates in the plane, height over it [m]
    double tie;         // distance to the next change of the overlap's shape [m]
} trxi_patch_point;

enum { TRXI_MAX_PATCH_POINTS = 2 * TRXI_MAX_FACE_POINTS };

/// Result of trxi_patch_clip: views of both pieces, their coordinates in the frame t, N of the plane (origin: vertex
/// 0 of the reference), and the points in the order around the overlap.
typedef struct trxi_patch {
    const trxi_face *reference, *incident;
    double t1[3], t2[3];
    double ring[3];                             // from the axis of the side of a cylinder to the contact line [m]
    double side[TRXI_MAX_FACE_POINTS][3];       // of the reference: outward unit normal u, v; offset [m]
    double over[TRXI_MAX_FACE_POINTS][3];       // incident vertices u, v, z [m]
    // distance beyond a side within which a vertex still counts as over the face [m]
    double band;
    int count;
    double least;                               // least z minus both radii; INFINITY without points [m]
    trxi_patch_point points[TRXI_MAX_PATCH_POINTS];
} trxi_patch;

/// Clips `incident` (a polygon that faces the plane, a segment, or one point, which is never clipped) against the sides
/// of `reference` (a polygon). Both must outlive the patch.
void trxi_patch_clip(const trxi_face *reference, const trxi_face *incident, trxi_patch *patch);

/// Writes the contacts with phi < margin [m] in the order of their `feature`, at most TRXI_MAX_CONTACT_POINTS. With
/// more contacts it keeps the deepest and the farthest in eight directions fixed in the reference. `reference_is_A`
/// tells whether the reference is a piece of A. Returns their number.
int trxi_patch_points(const trxi_patch *patch, bool reference_is_A, double margin, bool derivatives,
                      trxi_contact_point *points);

#endif
