// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Polygons of mesh files as triangles.

#ifndef TRXI_FORMATS_POLYGON_H
#define TRXI_FORMATS_POLYGON_H

#include "base/arena.h"

typedef enum trxi_polygons {
    TRXI_POLYGONS_COVERED, // triangles cover the polygon once
    TRXI_POLYGONS_TINYOBJ, // triangles of MuJoCo (formats/polygon_tinyobj.h)
} trxi_polygons;

/// Divides a polygon that may have reflex corners. `fan` (3 count) holds the polygon as a fan of `count` triangles about its first
/// corner and receives the triangles, with the same orientation if they cover the polygon once; corners are numbers of `points`
/// (3 each). False when memory is out.
bool trxi_polygon_divide(trxi_pool *scratch, const double *points, trxi_polygons rule, int *fan, int count);

#endif
