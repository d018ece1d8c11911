// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// GLB: a tetrahedron with indices of every width, transforms of nodes; exact errors, damage, exhausted memory.

#include "formats/mesh_read.h"

#include "formats/meshes.h"

#include <stdio.h>
#include <string.h>

enum { POINTS = 48, SIZE = 3000 };

#define ACCESSORS(type)                                                                                                \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},{\"bufferView\":1,"                \
    "\"componentType\":" type ",\"count\":12,\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},"        \
    "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":48}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"          \
    "\"indices\":1},{\"mode\":1,\"attributes\":{}}]}]"
#define NODES(nodes) "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[" nodes "],"
#define PLAIN NODES("{\"mesh\":0}") ACCESSORS("5121") "}"

static void put_word(char *at, unsigned value)
{
    for (int i = 0; i < 4; i++) at[i] = (char)(value >> 8 * i);
}

// a whole file: the JSON, the points, and indices of `width` bytes
static size_t make(char out[SIZE], const char *json, int width)
{
    static const float points[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const char corners[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    size_t length = strlen(json), padded = (length + 3) / 4 * 4;
    memset(out, 0, SIZE);
    memcpy(out, "glTF", 4);
    put_word(out + 4, 2);
    put_word(out + 8, (unsigned)(28 + padded + 96));
    put_word(out + 12, (unsigned)padded);
    memcpy(out + 16, "JSON", 4);
    memset(out + 20, ' ', padded);
    memcpy(out + 20, json, length);
    char *bytes = out + 20 + padded;
    put_word(bytes, 96);
    memcpy(bytes + 4, "BIN", 4);
    for (int i = 0; i < 12; i++) put_number(bytes + 8 + 4 * i, &points[i], 4, false);
    for (int i = 0; i < 12; i++) bytes[8 + POINTS + width * i] = corners[i];
    return 28 + padded + 96;
}

static trx_mesh read_json(const char *json, int width)
{
    char bytes[SIZE];
    size_t length = make(bytes, json, width);
    return read_good(trxi_glb_parse, bytes, length);
}

START_TEST(indices_of_every_width_are_read)
{
    static const char *const texts[] = {PLAIN, NODES("{\"mesh\":0}") ACCESSORS("5123") "}",
                                        NODES("{\"mesh\":0}") ACCESSORS("5125") "}"};
    for (int i = 0; i < 3; i++) {
        trx_mesh mesh = read_json(texts[i], 1 << i);
        assert_tetrahedron(&mesh, 1.0 / 6, (double[]){0.25, 0.25, 0.25});
    }
}
END_TEST

START_TEST(transforms_of_nodes_apply_one_inside_the_other)
{
    // moved, then turned by a quarter about z (x becomes y), then stretched along its x
    trx_mesh mesh = read_json(NODES("{\"translation\":[1,0,0],\"children\":[1]},{\"mesh\":0,\"rotation\":[0,0,0.70710678118654752,"
                                    "0.70710678118654752],\"scale\":[2,1,1]}") ACCESSORS("5121") "}", 1);
    assert_tetrahedron(&mesh, 2.0 / 6, (double[]){0.75, 0.5, 0.25});
    // a mirror keeps the normals outside; a matrix is written by columns
    mesh = read_json(NODES("{\"mesh\":0,\"matrix\":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 5,6,7,1]}") ACCESSORS("5121") "}", 1);
    assert_tetrahedron(&mesh, 1.0 / 6, (double[]){4.75, 6.25, 7.25});
}
END_TEST

static void refuse(const char *json, const char *error)
{
    char bytes[SIZE];
    size_t length = make(bytes, json, 1);
    assert_bad(trxi_glb_parse, bytes, length, error);
}

START_TEST(wrong_files_are_refused)
{
    char bytes[SIZE];
    size_t length = make(bytes, PLAIN, 1);
    assert_bad(trxi_glb_parse, bytes, 10, "0:0: no GLB file of version 2: it begins with other bytes");
    assert_bad(trxi_glb_parse, bytes, 100, "0:0: the first chunk is no JSON, or is longer than the file");
    assert_bad(trxi_glb_parse, bytes, length - 1, "0:0: the second chunk is longer than the file");
    refuse("{}", "0:0: the file has no scene with nodes");
    refuse(NODES("") ACCESSORS("5121") "}", "0:0: a node is absent");
    refuse(NODES("{\"mesh\":1}") ACCESSORS("5121") "}", "0:0: a node names a mesh that is absent or has no primitives");
    refuse(NODES("{\"children\":[0]}") ACCESSORS("5121") "}", "0:0: more than 64 levels or 10000 nodes");
    refuse(NODES("{\"mesh\":0}") ACCESSORS("5126") "}", "0:0: indices are floats");
    refuse(NODES("{\"mesh\":0}") ACCESSORS("5120") "}", "0:0: an accessor or its bufferView has wrong numbers");
    refuse(NODES("{\"mesh\":0}") "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]," ACCESSORS("5121") "}",
           "0:0: compressed meshes are not read");
    refuse(NODES("{\"mesh\":0}") "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
           "0:0: an accessor is absent, sparse or without a bufferView");
    // four times as many bytes as there are
    refuse(NODES("{\"mesh\":0}") "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":9}],\"bufferViews\":["
                                 "{\"byteLength\":96}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
           "0:0: an accessor reaches beyond its bufferView");
    refuse(NODES("{\"mesh\":0}") "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":9}],\"bufferViews\":["
                                 "{\"byteLength\":108}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
           "0:0: a bufferView reaches beyond the bytes of the file");
}
END_TEST

START_TEST(damage_and_exhausted_memory_do_no_harm)
{
    char bytes[SIZE];
    size_t length = make(bytes, PLAIN, 1);
    assert_damage_is_harmless(trxi_glb_parse, bytes, length);
    assert_memory_is_kept(trxi_glb_parse, bytes, length);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/glb");
    TCase *cases = tcase_create("glb");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, indices_of_every_width_are_read);
    tcase_add_test(cases, transforms_of_nodes_apply_one_inside_the_other);
    tcase_add_test(cases, wrong_files_are_refused);
    tcase_add_test(cases, damage_and_exhausted_memory_do_no_harm);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
