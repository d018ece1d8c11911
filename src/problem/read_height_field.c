// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Height fields of the problem file: a grid of heights in the file itself or in another, scaled, over a rectangle.

#include "formats/height_map.h"
#include "geometry/height_field.h"
#include "problem/read_model.h"

// rows of equal lengths, the row of least y first; false when the list has no such rows (reported)
static bool read_rows(trxi_reader *reader, const trxi_yaml_node *list, trxi_height_map *map)
{
    static const char *const wanted = "at least 2 rows of at least 2 heights: [[0, 0], [0, 0.1]]";
    if (list->kind != TRXI_YAML_SEQUENCE || list->count < 2) return trxi_wrong(reader, list, "heights", wanted);
    const int columns = list->items[0]->kind == TRXI_YAML_SEQUENCE ? list->items[0]->count : 0;
    if (columns < 2) return trxi_wrong(reader, list->items[0], "heights", wanted);
    double *heights = TRXI_READER_TAKE(reader, double, list->count * columns);
    bool fine = heights != NULL;
    for (int i = 0; i < list->count && heights; i++)
        fine &= trxi_read_vector(reader, list->items[i], "heights", columns, heights + (size_t)i * (size_t)columns);
    *map = (trxi_height_map){columns, list->count, heights};
    return fine;
}

static bool read_map(trxi_reader *reader, const trxi_yaml_node *node, const char *file, trxi_height_map *map)
{
    const trxi_yaml_node *heights = trxi_yaml_get(node, "heights");
    if (heights && file) {
        trxi_error_at(reader->context, trxi_key_source(node, "heights"), "heights and file both give the heights: remove one");
        return false;
    }
    if (heights) return read_rows(reader, heights, map);
    if (!file) {
        trxi_error_at(reader->context, node->source, "a heightfield needs heights: write heights or file");
        return false;
    }
    const trx_status status = trxi_height_map_read(reader->context, reader->pool, trxi_file_path(reader, file), map);
    if (status == TRX_ERR_MEMORY) reader->memory = false;
    if (status == TRX_ERR_IO) trxi_unreadable(reader, trxi_key_source(node, "file"), trx_context_message(reader->context));
    if (status == TRX_ERR_UNSUPPORTED)
        trxi_error_at(reader->context, trxi_key_source(node, "file"), "%s", trx_context_message(reader->context));
    return status >= 0;
}

void trxi_read_height_field(trxi_reader *reader, const trxi_yaml_node *node, const char *file, double scale, trx_shape *shape)
{
    trxi_height_map map = {0};
    if (!read_map(reader, node, file, &map)) return;
    trx_mesh *mesh = TRXI_READER_TAKE(reader, trx_mesh, 1);
    double *scaled = TRXI_READER_TAKE(reader, double, map.columns * map.rows);
    if (!mesh || !scaled) return;
    for (int i = 0; i < map.columns * map.rows; i++) scaled[i] = scale * map.heights[i];
    if (!trxi_height_field_make(reader->pool, map.columns, map.rows, shape->size, scaled, mesh)) {
        reader->memory = false;
        return;
    }
    shape->mesh = mesh;
    shape->columns = map.columns;
    shape->length = shape->size[2];
    const char *defect = shape->size[0] > 0 && shape->size[1] > 0 && shape->size[2] > 0 ? trxi_height_field_defect(shape) : NULL;
    if (defect) trxi_error_at(reader->context, node->source, "this heightfield: %s", defect);
}
