// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as a binary grid of heights, and what is read as the surface of a height field.

#include "formats/height_map.h"
#include "geometry/height_field.h"

#include "fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double sides[2] = {2, 1};
    trx_context *context = fuzz_context();
    trxi_pool *pool = trxi_pool_create(context);
    trxi_height_map map;
    trx_mesh mesh;
    const trx_status status = trxi_height_map_parse(context, pool, "a.hf", (const char *)data, size, &map);
    if (status < 0) {
        FUZZ_CHECK(status == TRX_ERR_INPUT && trx_context_error_count(context) == 1);
    } else {
        FUZZ_CHECK(map.columns >= 2 && map.rows >= 2 && 8 + 4 * (size_t)map.columns * (size_t)map.rows == size);
        FUZZ_CHECK(trxi_height_field_make(pool, map.columns, map.rows, sides, map.heights, &mesh));
        trx_shape field = {.type = TRX_SHAPE_HEIGHT_FIELD, .mesh = &mesh, .columns = map.columns, .length = 1};
        double least = INFINITY, height;
        for (int i = 0; i < mesh.nvertex; i++) least = fmin(least, mesh.vertices[3 * i + 2]);
        if (least <= -1) field.length = 1 - 2 * least;
        if (!trxi_height_field_defect(&field)) FUZZ_CHECK(trxi_field_height(&field, 0.3, 0.2, &height) && isfinite(height));
    }
    trxi_pool_destroy(pool);
    return 0;
}
