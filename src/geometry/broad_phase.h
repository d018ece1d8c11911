// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cheap rejection of pairs that are certainly farther apart than their margin (theory 1), for a model's fixed list of pairs.
//
// Each geometry has a travel, how far it can go within the step; each pair has a reach, how far its law acts at a distance:
//
//     margin(pair) = max(travel_a + travel_b, reach)
//
// What a query finds depends on poses, travels and reaches alone: scratch memory is not a state.

#ifndef TRXI_GEOMETRY_BROAD_PHASE_H
#define TRXI_GEOMETRY_BROAD_PHASE_H

#include "base/arena.h"
#include "geometry/contact_geometry.h"

/// Two shapes by their index, in the order trxi_collide wants them.
typedef struct trxi_shape_pair {
    int a;
    int b;
} trxi_shape_pair;

/// Half sides of a box in the shape's own axes, whose centre is not the shape's in the case of a hull, and the rest of what
/// its extents along the world's axes need.
typedef struct trxi_shape_bounds {
    double h[3], centre[3], sweep; // [m]
    trx_shape_type type;
} trxi_shape_bounds;

/// A box along the world's axes [m].
typedef struct trxi_world_box {
    double low[3], high[3];
} trxi_world_box;

/// List of pairs, results of the last query, and scratch memory. The caller fills `pairs` and `reach` between layout and
/// prepare and reads `candidates` and `margin` after a query; the rest is this file's own.
typedef struct trxi_pair_filter {
    int ngeom, npair;
    trxi_shape_pair *pairs; // npair, ascending by the smaller of the two indices, then by the larger
    double *reach;          // npair; after prepare it changes through set_reach only [m]
    int *candidates;        // pairs that the last query kept, ascending
    double *margin;         // npair; of candidates only [m]

    const trxi_placed_shape *shapes; // ngeom, a view
    const double *radii;             // ngeom, a view [m]
    bool sweeps;                     // whether a query sorts the shapes or walks the list
    bool stale;                      // geom_reach is older than reach
    int *first;                      // ngeom + 1: row of pairs of each smaller index
    double *geom_reach;              // ngeom: largest reach of the pairs of a geometry [m]
    int *apart, napart;              // pairs with a shape of infinite size
    int *order, *merged, nbounded;   // the other shapes that have pairs, sorted by their lower ends
    trxi_shape_bounds *bounds;       // ngeom
    trxi_world_box *boxes, *sorted;  // ngeom; nbounded in that order
    double *keys;                    // ngeom: lower ends along the axis of the sweep [m]
    int *found, *counts;             // npair, ngeom + 1
} trxi_pair_filter;

/// Takes the arrays for this many geometries and pairs.
void trxi_pair_filter_layout(trxi_arena *arena, int ngeom, int npair, trxi_pair_filter *filter);

/// Reads pairs and reach, which the caller has filled. `shapes` and `radii` [m] (bounding radii) are ngeom long and kept as
/// views: shapes stay the same, poses are read anew by every query.
void trxi_pair_filter_prepare(trxi_pair_filter *filter, const trxi_placed_shape *shapes, const double *radii);

/// A pair's law acts up to this distance from now on [m].
void trxi_pair_filter_set_reach(trxi_pair_filter *filter, int pair, double reach);

/// Writes the pairs that may have a point with phi < margin(pair) to filter->candidates, ascending, their margins to
/// filter->margin[pair], and returns their number. `travel` [m] has ngeom entries. No pair with such a point is dropped; some
/// pairs without one are kept.
int trxi_pair_filter_query(trxi_pair_filter *filter, const double *travel);

#endif
