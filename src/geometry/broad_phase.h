// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cheap rejection of pairs that are farther apart than their margin (theory 1), for a model's fixed list of pairs.
//
// Each geometry has a travel, its largest displacement within the step. Each pair has a reach, the distance at which
// its law acts:
//
//     margin(pair) = max(travel_a + travel_b, reach)
//
// The result of a query depends on poses, travels and reaches alone; scratch memory is not a state.

#ifndef TRXI_GEOMETRY_BROAD_PHASE_H
#define TRXI_GEOMETRY_BROAD_PHASE_H

#include "base/arena.h"
#include "geometry/contact_geometry.h"

/// Two shapes by their index, in the order of trxi_collide.
typedef struct trxi_shape_pair {
    int a;
    int b;
} trxi_shape_pair;

/// Half sides of a box in the shape's own axes, and the other quantities that give extents along the world's axes.
/// The centre of a hull's box is not the centre of the hull.
typedef struct trxi_shape_bounds {
    double h[3], centre[3], sweep; // [m]
    trx_shape_type type;
} trxi_shape_bounds;

/// A box along the world's axes [m].
typedef struct trxi_world_box {
    double low[3], high[3];
} trxi_world_box;

/// List of pairs, results of the last query, and scratch memory. The caller fills `pairs` and `reach` between layout
/// and prepare and reads `candidates` and `margin` after a query. Other fields are private.
typedef struct trxi_pair_filter {
    int ngeom, npair;
    trxi_shape_pair *pairs; // npair, ascending by the smaller of the two indices, then by the larger
    double *reach;          // npair; after prepare it changes through set_reach only [m]
    int *candidates;        // pairs that the last query kept, ascending
    double *margin;         // npair; of candidates only [m]

    const trxi_placed_shape *shapes; // ngeom, a view
    const double *radii;             // ngeom, a view [m]
    bool sweeps;                     // whether a query sorts the shapes or tests the whole list
    bool stale;                      // geom_reach is older than reach
    int *first;                      // ngeom + 1: row of pairs of each smaller index
    double *geom_reach;              // ngeom: largest reach of the pairs of a geometry [m]
    int *apart, napart;              // pairs with a shape of infinite size
    int *order, *merged, nbounded;   // the other shapes that have pairs, sorted by their lower ends
    trxi_shape_bounds *bounds;       // ngeom
    trxi_world_box *boxes, *sorted;  // ngeom; nbounded in that order
    double *keys;                    // ngeom: lower ends along the sorted axis [m]
    int *found, *counts;             // npair, ngeom + 1
} trxi_pair_filter;

/// Takes the arrays for this many geometries and pairs.
void trxi_pair_filter_layout(trxi_arena *arena, int ngeom, int npair, trxi_pair_filter *filter);

/// Reads pairs and reach, filled by the caller. `shapes` and `radii` [m] (bounding radii) have length ngeom and are
/// kept as views: shapes are constant, and every query reads the poses anew.
void trxi_pair_filter_prepare(trxi_pair_filter *filter, const trxi_placed_shape *shapes, const double *radii);

/// Sets the distance up to which a pair's law acts [m].
void trxi_pair_filter_set_reach(trxi_pair_filter *filter, int pair, double reach);

/// Writes the pairs that may have a point with phi < margin(pair) to filter->candidates, ascending, and their margins
/// to filter->margin[pair]. Returns their number. `travel` [m] has ngeom entries. No pair with such a point is
/// dropped; some pairs without such a point are kept.
int trxi_pair_filter_query(trxi_pair_filter *filter, const double *travel);

#endif
