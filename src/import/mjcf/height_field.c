// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Height fields of the assets, as MuJoCo takes them: the least height becomes 0 and the greatest the third number of size (0 for
// all when they are equal). The rows of the attribute elevation begin at the greatest y, the rows of a binary file at the least y.
// Without heights the field is flat: such a file expects a program to fill in the heights.

#include "import/mjcf/mjcf.h"

#include "formats/height_map.h"
#include "geometry/height_field.h"
#include "import/mesh_path.h"

#include <math.h>
#include <string.h>

// the numbers of the attribute, from the least y on; false when they are wrong (reported)
static bool read_elevation(const trxi_mjcf_element *e, int rows, int columns, double *heights)
{
    const char *text = trxi_mjcf_text(e, "elevation", NULL);
    double *given = TRXI_DRAFT_TAKE(e->reader->draft, double, (size_t)rows * (size_t)columns);
    if (!given) return false;
    if (trxi_xml_numbers(text, rows * columns, given) != rows * columns) {
        trxi_mjcf_error(e, e->node->source, "elevation", "elevation of this hfield is no list of %d x %d numbers", rows,
                        columns);
        return false;
    }
    for (int i = 0; i < rows; i++)
        memcpy(heights + (size_t)i * (size_t)columns, given + (size_t)(rows - 1 - i) * (size_t)columns,
               (size_t)columns * sizeof *heights);
    return true;
}

// the heights of the element; false when they are wrong (reported)
static bool read_inline(const trxi_mjcf_element *e, trxi_height_map *map)
{
    const int rows = trxi_mjcf_integer(e, "nrow", 0), columns = trxi_mjcf_integer(e, "ncol", 0);
    if (rows < 2 || columns < 2 || rows > TRXI_MAX_HEIGHTS / columns) {
        trxi_mjcf_error(e, e->node->source, "nrow",
                        "this hfield has %d x %d heights; write a file, or nrow and ncol, each at least 2, together at most %d",
                        rows, columns, TRXI_MAX_HEIGHTS);
        return false;
    }
    double *heights = TRXI_DRAFT_TAKE(e->reader->draft, double, (size_t)rows * (size_t)columns);
    if (!heights) return false;
    *map = (trxi_height_map){columns, rows, heights};
    if (trxi_mjcf_text(e, "elevation", NULL)) return read_elevation(e, rows, columns, heights);
    trxi_draft_tally(e->reader->draft, TRX_NOTE_ASSUMED, e->node->source, "", "height field has", "height fields have",
                     " no heights: flat");
    return true;
}

// the heights of a file; false when there are none (reported, or noted)
static bool read_file(const trxi_mjcf_element *e, const trxi_mjcf_field *field, bool drawn, trxi_height_map *map)
{
    trxi_draft *draft = e->reader->draft;
    const char *why = "", *path = trxi_mesh_path(draft, field->uri, field->folder, &why);
    if (!path) path = trxi_mesh_path_by_end(draft, field->uri);
    const trx_status status = path ? trxi_height_map_read(draft->context, draft->pool, path, map) : TRX_ERR_IO;
    if (status == TRX_ERR_MEMORY) draft->memory = false;
    if (status == TRX_ERR_IO && path) why = trxi_draft_printf(draft, "\"%.300s\" cannot be read", path);
    if (status == TRX_ERR_UNSUPPORTED)
        trxi_draft_note(draft, drawn ? TRX_NOTE_DROPPED : TRX_NOTE_MISSING, e->node->source, "the height field of %s",
                        trx_context_message(draft->context));
    else if (status == TRX_ERR_IO && draft->memory)
        trxi_mjcf_error(e, e->node->source, "file", "height field: %s", why);
    return status >= 0;
}

// the surface, with MuJoCo's heights
static const trx_mesh *make_surface(trxi_draft *draft, const trxi_mjcf_field *field, const trxi_height_map *map)
{
    const int count = map->columns * map->rows;
    const double size[2] = {2 * field->size[0], 2 * field->size[1]};
    double *heights = TRXI_DRAFT_TAKE(draft, double, count), least = INFINITY, most = -INFINITY;
    trx_mesh *mesh = TRXI_DRAFT_TAKE(draft, trx_mesh, 1);
    if (!heights || !mesh) return NULL;
    for (int i = 0; i < count; i++) least = fmin(least, map->heights[i]), most = fmax(most, map->heights[i]);
    for (int i = 0; i < count && most > least; i++) heights[i] = field->size[2] * ((map->heights[i] - least) / (most - least));
    if (trxi_height_field_make(draft->pool, map->columns, map->rows, size, heights, mesh)) return mesh;
    draft->memory = false;
    return NULL;
}

const trx_mesh *trxi_mjcf_load_field(trxi_mjcf *reader, trxi_mjcf_field *field, bool drawn)
{
    if (field->loaded) return field->mesh;
    field->loaded = true;
    const trxi_mjcf_element e = trxi_mjcf_plain(reader, field->node);
    trxi_height_map map;
    if (trxi_mjcf_numbers(&e, "size", 4, 4, field->size) == 0) {
        trxi_mjcf_required(&e, "size");
        return NULL;
    }
    for (int i = 0; i < 4; i++)
        if (!(field->size[i] > 0)) {
            trxi_mjcf_error(&e, field->node->source, "size", "size of this hfield: all four numbers must be positive");
            return NULL;
        }
    if (field->uri ? !read_file(&e, field, drawn, &map) : !read_inline(&e, &map)) return NULL;
    field->columns = map.columns;
    field->mesh = make_surface(reader->draft, field, &map);
    return field->mesh;
}
