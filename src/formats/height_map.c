// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See height_map.h.

#include "formats/height_map.h"

#include "formats/csv.h"
#include "formats/files.h"
#include "formats/triangles.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const size_t MAX_SIZE = (size_t)256 << 20;

static bool ends_in(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ending) == 0;
}

static trx_status check_grid(trx_context *context, trx_source source, unsigned long rows, unsigned long columns)
{
    if (rows < 2 || columns < 2)
        return trxi_error_at(context, source, "a grid of %lu x %lu heights: it needs at least 2 x 2", rows, columns);
    if (rows > TRXI_MAX_HEIGHTS / columns)
        return trxi_error_at(context, source, "a grid of %lu x %lu heights: at most %d are read", rows, columns, TRXI_MAX_HEIGHTS);
    return TRX_OK;
}

static trx_status refuse_picture(trx_context *context, const char *path)
{
    return trxi_fail(context, TRX_ERR_UNSUPPORTED, "\"%.300s\" is a picture, which is not read: write a .csv file of heights",
                     path);
}

// a line of names, then one line per row
static trx_status read_table(trx_context *context, trxi_pool *pool, const char *path, trxi_height_map *map)
{
    trxi_csv csv;
    trx_status status = trxi_csv_read_rows(context, pool, path, TRXI_MAX_HEIGHTS / 2, &csv);
    if (status < 0) return status;
    status = check_grid(context, trxi_csv_top(&csv), (unsigned long)csv.rows, (unsigned long)csv.cols);
    for (int i = 0; i < csv.rows && status >= 0; i++)
        for (int j = 0; j < csv.cols && status >= 0; j++)
            if (!isfinite(trxi_csv_number(&csv, i, j)))
                status = trxi_error_at(context, trxi_csv_source(&csv, i, j), "write a number: each cell is a height");
    *map = (trxi_height_map){csv.cols, csv.rows, csv.data};
    return status;
}

static trx_status parse_binary(trx_context *context, trxi_pool *pool, const char *path, const char *data, size_t length,
                               trxi_height_map *map)
{
    enum { HEAD = 8 };
    const trx_source source = {path, 0, 0};
    if (length < HEAD) return trxi_error_at(context, source, "no grid of heights: %zu bytes, less than its head of 8", length);
    const unsigned long rows = trxi_bytes_whole(data), columns = trxi_bytes_whole(data + 4);
    const trx_status status = check_grid(context, source, rows, columns);
    if (status < 0) return status;
    if (length != HEAD + 4 * rows * columns)
        return trxi_error_at(context, source, "a grid of %lu x %lu heights has %lu bytes, but this one has %zu", rows, columns,
                             HEAD + 4 * rows * columns, length);
    double *heights = TRXI_POOL(pool, double, rows *columns);
    if (!heights) return TRX_ERR_MEMORY;
    for (size_t i = 0; i < rows * columns; i++) {
        heights[i] = trxi_bytes_float(data + HEAD + 4 * i);
        if (!isfinite(heights[i])) return trxi_error_at(context, source, "height number %zu is not finite", i + 1);
    }
    *map = (trxi_height_map){(int)columns, (int)rows, heights};
    return TRX_OK;
}

trx_status trxi_height_map_parse(trx_context *context, trxi_pool *pool, const char *path, const char *data, size_t length,
                                 trxi_height_map *map)
{
    *map = (trxi_height_map){0};
    return ends_in(path, ".png") ? refuse_picture(context, path) : parse_binary(context, pool, path, data, length, map);
}

trx_status trxi_height_map_read(trx_context *context, trxi_pool *pool, const char *path, trxi_height_map *map)
{
    char *bytes;
    size_t length;
    *map = (trxi_height_map){0};
    if (ends_in(path, ".csv")) return read_table(context, pool, path, map);
    if (ends_in(path, ".png")) return refuse_picture(context, path);
    const trx_status status = trxi_file_read(context, pool, path, MAX_SIZE, &bytes, &length);
    return status < 0 ? status : trxi_height_map_parse(context, pool, path, bytes, length, map);
}
