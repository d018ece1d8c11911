// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lists of points and triangles that grow while a mesh file is read. At the end the lists become a mesh (formats/merge.h). This
// file checks indices, coordinates and numbers of items, and decodes numbers of binary files.

#ifndef TRXI_FORMATS_TRIANGLES_H
#define TRXI_FORMATS_TRIANGLES_H

#include "formats/merge.h"

#include <stdint.h>
#include <string.h>

typedef struct trxi_triangles {
    trx_context *context;
    trxi_pool *scratch; // of the reader too; released at the end
    const char *file;
    double *points;
    int npoint, point_capacity;
    int *corners;
    int ntriangle, triangle_capacity;
} trxi_triangles;

/// An empty list for the file called `file`; its scratch is NULL when memory is out.
trxi_triangles trxi_triangles_begin(trx_context *context, const char *file);

/// Adds a point; errors are reported at `source`: INPUT (not finite, beyond 1e12, too many), MEMORY.
trx_status trxi_triangles_point(trxi_triangles *t, trx_source source, const double p[3]);

/// Adds a triangle of three points that are already there. Errors: INPUT (no such point, too many triangles), MEMORY. The second
/// function takes any corners; its caller checks them.
trx_status trxi_triangles_add(trxi_triangles *t, trx_source source, const int corners[3]);
trx_status trxi_triangles_add_unchecked(trxi_triangles *t, trx_source source, const int corners[3]);

/// Divides the polygon whose fan consists of the triangles from number `first` on (formats/polygon.h). Errors: MEMORY.
trx_status trxi_triangles_divide(trxi_triangles *t, int first);

/// If `status` is OK, makes the mesh in the pool. Releases the scratch in any case and returns the status.
trx_status trxi_triangles_end(trxi_triangles *t, trx_status status, trxi_pool *pool, trx_mesh *mesh);

/// A whole number, or a float, of four bytes, the least significant first.
static inline uint32_t trxi_bytes_whole(const void *bytes)
{
    const unsigned char *b = bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline double trxi_bytes_float(const void *bytes)
{
    const uint32_t bits = trxi_bytes_whole(bytes);
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)number;
}

#endif
