// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Axes and edges of a box and a box, or of a box and a segment (the axis of a capsule) (theory 6). A segment is a box
// without width; its faces do not count. All quantities are in A's frame: its axes, its centre at the origin.

#ifndef TRXI_GEOMETRY_BOX_PAIR_H
#define TRXI_GEOMETRY_BOX_PAIR_H

#include "geometry/support.h"

typedef struct trxi_box_pair {
    trxi_core A, B;
    double C[9];     // a_i . b_j at i + 3 j: the columns are B's axes [1]
    double t[3];     // B's centre [m]
    double t_B[3];   // the same vector in B's axes [m]
    double least;    // smallest half length that is not 0 [m]
} trxi_box_pair;

typedef struct trxi_box_axis {
    double separation; // gap of the cores along n, negative when they overlap [m]
    double n[3];       // unit vector from A to B
    int a, b;          // face of A: axis, -1. Face of B: -1, axis. Edges: the axes of both
} trxi_box_axis;

enum { TRXI_BOX_FACE_AXES = 6, TRXI_BOX_AXES = 15 };

trxi_box_pair trxi_box_pair_of(const trxi_placed_shape *A, const trxi_placed_shape *B);

/// Writes the axes normal to faces, A's first, and returns their number. Returns 0 when one axis separates the cores
/// by `reach` [m] or more.
int trxi_box_face_axes(const trxi_box_pair *pair, double reach, trxi_box_axis *axes);

/// Appends the axes normal to an edge of each box, without nearly parallel edges (sine below 1e-3), and returns the
/// number of all axes; 0 as for faces.
int trxi_box_edge_axes(const trxi_box_pair *pair, double reach, trxi_box_axis *axes, int count);

/// The points of an edge of A and an edge of B that are nearest to each other.
typedef struct trxi_box_edges {
    int a, b;             // axes along which the edges run
    int corner_A, corner_B; // bit k: the edge is on the positive side of axis k (bits a, b: of the nearer end)
    double s, t;          // along the axes, from the middles of the edges [m]
    double x_A[3], w[3];  // A's point, B's point less A's [m]
    double distance;      // |w| [m]
} trxi_box_edges;

/// The nearest points of all edges. `axis` is any axis with a positive separation and limits the search. Nearly
/// parallel edges meet at an end.
trxi_box_edges trxi_box_nearest_edges(const trxi_box_pair *pair, const trxi_box_axis *axis);

/// The nearest points of the two edges of an axis of edges; not clamped to the ends.
trxi_box_edges trxi_box_crossing_edges(const trxi_box_pair *pair, const trxi_box_axis *axis);

/// The two ends of the overlap of two edges that are parallel to a sine of 0.02 and face each other along n, the
/// direction of the nearest points. Returns false without such an overlap.
bool trxi_box_parallel_edges(const trxi_box_pair *pair, const double n[3], trxi_box_edges ends[2]);

/// Whether the point is inside the edge, rather than at its end.
bool trxi_box_inside_edge(double along, double half);

/// Number (0 to 11) of the edge between two corners.
int trxi_box_edge_number(int corner0, int corner1);

/// The contact of the rounded shapes at two edges or their ends, with n (in A's frame) from A to B and d the signed
/// distance along n. feature: 20 (A's corner, or 8 + its edge) + the same number of B. tie: distance to the ends of
/// the edges.
void trxi_box_edges_contact(const trxi_box_pair *pair, const trxi_box_edges *e, const double n[3], double d,
                            bool derivatives, trxi_contact_point *out);

#endif
