// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cheap rejection of pairs that are farther apart than their margin (theory 1), for a model's table of pairs.
//
// Each geometry has a travel, its largest displacement within the step. Each kind of pair has a reach, the distance at
// which its law acts:
//
//     margin(pair) = max(travel_a + travel_b, reach)
//
// The result of a query depends on poses, travels and reaches alone; scratch memory is not a state. Memory grows with the
// numbers of geometries and of candidates, not with the number of pairs.

#ifndef TRXI_GEOMETRY_BROAD_PHASE_H
#define TRXI_GEOMETRY_BROAD_PHASE_H

#include "base/arena.h"
#include "geometry/contact_geometry.h"
#include "geometry/pair_table.h"

/// A pair that a query kept, or a piece of it: its number, its geometries in the order of trxi_collide, its kind, the piece when a
/// is a height field (height_field.h), else TRXI_WHOLE, and its margin [m].
typedef struct trxi_candidate {
    int pair, a, b, kind, piece;
    double margin;
} trxi_candidate;

/// A box of the shape in its own axes, without its rounding ball.
typedef struct trxi_shape_bounds {
    double h[3];      // half sides [m]
    double centre[3]; // of the box; not the centre of a hull [m]
    double sweep;     // radius of the rounding ball [m]
    trx_shape_type type;
} trxi_shape_bounds;

/// A box along the world's axes [m].
typedef struct trxi_world_box {
    double low[3], high[3];
} trxi_world_box;

/// Results of the last query, and scratch memory. The caller reads `candidates`; all else is private to broad_phase.c.
typedef struct trxi_pair_filter {
    trxi_candidate *candidates; // ncandidate: pairs that the last query kept, ascending, and by piece
    int ncandidate;

    trx_context *context;
    int ngeom, room;                 // of candidates and found
    const trxi_pair_table *pairs;    // a view
    const double *reach;             // of each kind of pair, a view [m]
    const trxi_placed_shape *shapes; // ngeom, a view
    const double *radii;             // ngeom, a view [m]
    bool sweeps;                     // whether a query sorts the shapes or tests the whole table
    bool stale;                      // geom_reach is older than reach
    double *geom_reach;              // ngeom: largest reach of the pairs of a geometry [m]
    int *unbounded, nunbounded;      // geometries of infinite size
    int *order, *merged, nbounded;   // the other geometries that have pairs among themselves, sorted by their lower ends
    trxi_shape_bounds *bounds;       // ngeom
    trxi_world_box *boxes, *sorted;  // ngeom; nbounded in that order
    double *keys;                    // ngeom: lower ends along the sorted axis [m]
    trxi_candidate *found;           // room
    int *counts;                     // ngeom + 1
} trxi_pair_filter;

/// A filter for the pairs of a table, which is kept as a view. Errors: MEMORY.
trx_status trxi_pair_filter_open(trx_context *context, const trxi_pair_table *pairs, trxi_pair_filter *filter);
void trxi_pair_filter_close(trxi_pair_filter *filter);

/// Takes the arrays whose size is the number of geometries, from a block of the caller; after trxi_pair_filter_open.
void trxi_pair_filter_layout(trxi_arena *arena, int ngeom, trxi_pair_filter *filter);

/// Reads the table. `shapes` and `radii` [m] (bounding radii) have length ngeom and are kept as views: shapes are constant,
/// and every query reads the poses anew.
void trxi_pair_filter_prepare(trxi_pair_filter *filter, const trxi_placed_shape *shapes, const double *radii);

/// Sets the distances up to which each kind of pair acts [m], kept as a view. Call this again when a distance changes or
/// when the table has new kinds.
void trxi_pair_filter_set_reach(trxi_pair_filter *filter, const double *reach);

/// Writes the pairs that may have a point with phi < margin(pair) to filter->candidates. `travel` [m] has ngeom entries. No
/// pair with such a point is dropped; some pairs without such a point are kept. Errors: MEMORY; memory is taken only for
/// more candidates than ever before.
trx_status trxi_pair_filter_query(trxi_pair_filter *filter, const double *travel);

#endif
