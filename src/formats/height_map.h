// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Grids of heights from files: a table (.csv), or MuJoCo's binary format (any other ending but .png): the numbers of rows
// and columns as 32-bit integers, then the heights as 32-bit floats, all little-endian.

#ifndef TRXI_FORMATS_HEIGHT_MAP_H
#define TRXI_FORMATS_HEIGHT_MAP_H

#include "base/arena.h"

enum { TRXI_MAX_HEIGHTS = 4 << 20 };

typedef struct trxi_height_map {
    int columns, rows;     // at least 2 each
    const double *heights; // columns x rows, row by row, the row of least y first
} trxi_height_map;

/// Reads `path` into memory of the pool. Errors: IO, INPUT (with a place in the file), UNSUPPORTED (PNG), MEMORY.
trx_status trxi_height_map_read(trx_context *context, trxi_pool *pool, const char *path, trxi_height_map *map);

/// Reads the bytes of a file that is no table; the ending of `path` tells its format. Errors: INPUT, UNSUPPORTED (PNG), MEMORY.
trx_status trxi_height_map_parse(trx_context *context, trxi_pool *pool, const char *path, const char *data, size_t length,
                                 trxi_height_map *map);

#endif
