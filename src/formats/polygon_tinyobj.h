// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Polygons of OBJ files as tinyobjloader, and with it MuJoCo, divides them. Masses that MuJoCo computes from meshes depend on these
// triangles, which need not cover the polygon once.

#ifndef TRXI_FORMATS_POLYGON_TINYOBJ_H
#define TRXI_FORMATS_POLYGON_TINYOBJ_H

/// Divides the polygon of `count` >= 4 `corners`, numbers of `points` (3 each), into `count` - 2 `triangles` (3 each). Where
/// tinyobjloader leaves a part open, the last triangles have three equal corners. Reorders `corners`, which lie apart
/// from `triangles`.
void trxi_polygon_divide_tinyobj(const double *points, int *corners, int count, int *triangles);

#endif
