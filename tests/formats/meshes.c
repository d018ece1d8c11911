// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See meshes.h.

#include "formats/meshes.h"

#include "base/random.h"
#include "geometry/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trx_status parse(mesh_reader *reader, const char *data, size_t length, trx_mesh *mesh)
{
    char *copy = exact_copy(data, length);
    trx_context_clear(context);
    trx_status status = reader(context, pool, "a.mesh", copy, length, mesh);
    free(copy);
    ck_assert((status == TRX_OK) == (mesh->ntriangle > 0));
    ck_assert_int_eq(trx_context_error_count(context), status == TRX_ERR_INPUT);
    return status;
}

trx_mesh read_good(mesh_reader *reader, const char *data, size_t length)
{
    trx_mesh mesh;
    ck_assert_msg(parse(reader, data, length, &mesh) == TRX_OK, "%s", trx_context_message(context));
    return mesh;
}

void assert_bad(mesh_reader *reader, const char *data, size_t length, const char *error)
{
    trx_mesh mesh;
    char found[800];
    trx_status status = parse(reader, data, length, &mesh);
    ck_assert_msg(status == TRX_ERR_INPUT, "read instead of: %s", error);
    trx_diagnostic d = trx_context_diagnostic(context, 0);
    ck_assert_str_eq(d.source.file, "a.mesh");
    snprintf(found, sizeof found, "%d:%d: %s", d.source.line, d.source.column, d.text);
    ck_assert_str_eq(found, error);
}

void assert_tetrahedron(const trx_mesh *mesh, double volume, const double com[3])
{
    trxi_mesh_integrals of;
    ck_assert_int_eq(mesh->nvertex, 4);
    ck_assert_int_eq(mesh->ntriangle, 4);
    trxi_mesh_integrate(mesh, &of);
    ck_assert(of.closed);
    assert_close(of.volume, volume, 1e-6 * volume);
    assert_close(max_difference(of.com, com, 3), 0, 1e-6);
}

void assert_damage_is_harmless(mesh_reader *reader, const char *data, size_t length)
{
    int failed = 0, wrong = 0;
    char *bytes = malloc(length);
    for (uint64_t trial = 0; trial < 2000; trial++) {
        size_t kept = length;
        memcpy(bytes, data, length);
        damage(bytes, length, trial);
        if (trial % 5 == 0) kept = trxi_random_bits(trial, 9) % length;
        trx_mesh mesh;
        failed += parse(reader, bytes, kept, &mesh) == TRX_ERR_INPUT;
        for (int i = 0; i < 3 * mesh.ntriangle; i++) wrong += mesh.triangles[i] < 0 || mesh.triangles[i] >= mesh.nvertex;
    }
    free(bytes);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(failed, 300);
}

typedef struct input {
    mesh_reader *reader;
    const char *data;
    size_t length;
} input;

static trx_status parse_counted(trx_context *counted, trxi_pool *its_pool, const void *user)
{
    const input *in = user;
    trx_mesh mesh;
    return in->reader(counted, its_pool, "a.mesh", in->data, in->length, &mesh);
}

void assert_memory_is_kept(mesh_reader *reader, const char *data, size_t length)
{
    const input in = {reader, data, length};
    ck_assert_int_ge(fail_every_allocation(parse_counted, &in), 3);
}

size_t put_number(char *out, const void *number, size_t size, bool big)
{
    const unsigned short one = 1;
    const bool same = big == (*(const unsigned char *)&one == 0);
    const char *bytes = number;
    char written[8];
    for (size_t i = 0; i < size; i++) written[i] = bytes[same ? i : size - 1 - i];
    memcpy(out, written, size);
    return size;
}
