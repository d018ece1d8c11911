// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Any bytes as an OBJ file.

#include "formats/mesh_read.h"

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    trx_context *context = fuzz_context();
    trxi_pool *pool = trxi_pool_create(context);
    trx_mesh mesh;
    fuzz_check_mesh(trxi_obj_parse(context, pool, "a.obj", (const char *)data, size, &mesh), &mesh);
    trx_context_clear(context);
    fuzz_check_mesh(trxi_obj_parse_tinyobj(context, pool, "a.obj", (const char *)data, size, &mesh), &mesh);
    trxi_pool_destroy(pool);
    return 0;
}
