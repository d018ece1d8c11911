// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// GLB; see mesh_read.h. A head of 12 bytes, then a chunk of JSON and a chunk of bytes. The JSON, which the reader of YAML
// reads, has a scene of nodes with transforms and meshes; the triangles of a mesh are numbers in the second chunk:
//
//     scene -> nodes -> mesh -> primitive -> accessors (POSITION, indices) -> bufferView -> bytes
//
// The axes stay as in the file: x, y and z are not exchanged. Compressed and sparse data, and data in other files, are
// refused.

#include "formats/mesh_read.h"

#include "formats/affine.h"
#include "formats/scalar.h"
#include "formats/triangles.h"
#include "formats/yaml.h"
#include "math/rotation.h"

#include <string.h>

enum { HEAD = 12, CHUNK = 8, MAX_NODES = 10000, MAX_DEPTH = 64 };
enum { TRIANGLES = 4, BYTE = 5121, SHORT = 5123, INT = 5125, FLOAT = 5126 }; // of the format

typedef struct reader {
    trxi_triangles t;
    trxi_yaml_node *root;
    const char *bytes; // of the second chunk
    size_t nbyte;
    int visited;
} reader;

// numbers of an accessor: `count` times `width` values of one type
typedef struct view {
    const char *at;
    size_t stride;
    int count, type;
} view;

static trx_status refuse(const reader *r, const char *what)
{
    return trxi_error_at(r->t.context, (trx_source){r->t.file, 0, 0}, "%s", what);
}

// ---- values of the JSON ----

// a whole number; `otherwise` if absent, -1 if it is no number from 0 on
static int whole(const trxi_yaml_node *node, const char *key, int otherwise)
{
    const trxi_yaml_node *value = trxi_yaml_get(node, key);
    int number;
    if (!value) return otherwise;
    return trxi_int_parse(value->text, &number) && number >= 0 ? number : -1;
}

// the item of a list of the file by its index; NULL when there is none
static const trxi_yaml_node *item(const reader *r, const char *list, int index)
{
    const trxi_yaml_node *all = trxi_yaml_get(r->root, list);
    return all && all->kind == TRXI_YAML_SEQUENCE && index >= 0 && index < all->count ? all->items[index] : NULL;
}

// true when `key` is a list of `count` numbers
static bool numbers(const trxi_yaml_node *node, const char *key, int count, double *out)
{
    const trxi_yaml_node *list = trxi_yaml_get(node, key);
    if (!list || list->kind != TRXI_YAML_SEQUENCE || list->count != count) return false;
    for (int i = 0; i < count; i++)
        if (!trxi_number_parse(list->items[i]->text, &out[i])) return false;
    return true;
}

// ---- accessors ----

static int size_of(int type)
{
    return type == BYTE ? 1 : type == SHORT ? 2 : type == INT || type == FLOAT ? 4 : 0;
}

// opens an accessor with `width` numbers per item; returns the error's text, NULL without an error
static const char *open_view(const reader *r, int accessor, int width, view *out)
{
    const trxi_yaml_node *a = item(r, "accessors", accessor);
    const trxi_yaml_node *b = a ? item(r, "bufferViews", whole(a, "bufferView", -1)) : NULL;
    if (!a || trxi_yaml_get(a, "sparse") || !b) return "an accessor is absent, sparse or without a bufferView";
    out->type = whole(a, "componentType", -1);
    out->count = whole(a, "count", -1);
    int unit = size_of(out->type), begin = whole(b, "byteOffset", 0), length = whole(b, "byteLength", -1);
    int offset = whole(a, "byteOffset", 0), stride = whole(b, "byteStride", width * unit);
    if (unit == 0 || out->count <= 0 || begin < 0 || length < 0 || offset < 0 || stride < width * unit)
        return "an accessor or its bufferView has wrong numbers";
    if (whole(b, "buffer", 0) != 0 || (size_t)begin + (size_t)length > r->nbyte)
        return "a bufferView reaches beyond the bytes of the file";
    size_t last = (size_t)offset + (size_t)stride * (size_t)(out->count - 1) + (size_t)(width * unit);
    if (last > (size_t)length) return "an accessor reaches beyond its bufferView";
    out->at = r->bytes + begin + offset;
    out->stride = (size_t)stride;
    return NULL;
}

static double real_at(const view *v, int i, int k)
{
    return trxi_bytes_float(v->at + v->stride * (size_t)i + 4 * (size_t)k);
}

static int index_at(const view *v, int i)
{
    const unsigned char *b = (const unsigned char *)v->at + v->stride * (size_t)i;
    uint32_t value = v->type == BYTE ? b[0] : v->type == SHORT ? (uint32_t)b[0] | (uint32_t)b[1] << 8 : trxi_bytes_whole(b);
    return value > INT32_MAX ? -1 : (int)value;
}

// ---- triangles ----

static trx_status add_triangles(reader *r, const view *indices, int first, int npoint, bool mirrored)
{
    const trx_source source = {r->t.file, 0, 0};
    int count = indices ? indices->count : npoint;
    trx_status status = TRX_OK;
    for (int i = 0; status == TRX_OK && i + 2 < count; i += 3) {
        int corners[3];
        for (int k = 0; k < 3; k++) {
            int index = indices ? index_at(indices, i + k) : i + k;
            corners[mirrored ? 2 - k : k] = index >= 0 && index < npoint ? first + index : -1;
        }
        status = trxi_triangles_add(&r->t, source, corners);
    }
    return status;
}

static trx_status read_primitive(reader *r, const trxi_yaml_node *primitive, const trxi_affine *map)
{
    const trx_source source = {r->t.file, 0, 0};
    view points, indices;
    int index = whole(primitive, "indices", -2);
    if (whole(primitive, "mode", TRIANGLES) != TRIANGLES) return TRX_OK; // points, lines and strips have no solid
    const char *why = open_view(r, whole(trxi_yaml_get(primitive, "attributes"), "POSITION", -1), 3, &points);
    if (!why && points.type != FLOAT) why = "POSITION has numbers other than floats";
    if (!why && index != -2) why = open_view(r, index, 1, &indices);
    if (!why && index != -2 && indices.type == FLOAT) why = "indices are floats";
    if (why) return refuse(r, why);
    int first = r->t.npoint;
    trx_status status = TRX_OK;
    for (int i = 0; status == TRX_OK && i < points.count; i++) {
        double p[3];
        trxi_affine_point(map, (double[]){real_at(&points, i, 0), real_at(&points, i, 1), real_at(&points, i, 2)}, p);
        status = trxi_triangles_point(&r->t, source, p);
    }
    if (status < 0) return status;
    return add_triangles(r, index == -2 ? NULL : &indices, first, points.count, trxi_affine_mirrors(map));
}

static trx_status read_mesh(reader *r, const trxi_yaml_node *mesh, const trxi_affine *map)
{
    const trxi_yaml_node *all = trxi_yaml_get(mesh, "primitives");
    if (!all || all->kind != TRXI_YAML_SEQUENCE) return refuse(r, "a node names a mesh that is absent or has no primitives");
    trx_status status = TRX_OK;
    for (int i = 0; status == TRX_OK && i < all->count; i++) status = read_primitive(r, all->items[i], map);
    return status;
}

// ---- nodes ----

static trxi_affine transform_of(const trxi_yaml_node *node)
{
    double m[16], p[3], q[4], s[3];
    trxi_affine map = trxi_affine_identity(), next;
    if (numbers(node, "matrix", 16, m))
        return (trxi_affine){{m[0], m[4], m[8], m[12], m[1], m[5], m[9], m[13], m[2], m[6], m[10], m[14]}};
    if (numbers(node, "translation", 3, p)) map = trxi_affine_move(p[0], p[1], p[2]);
    if (numbers(node, "rotation", 4, q)) {
        double quat[4] = {q[3], q[0], q[1], q[2]}, R[9];
        trxi_quat_normalize(quat);
        trxi_quat_to_matrix(quat, R);
        next = trxi_affine_turn(R);
        map = trxi_affine_mul(&map, &next);
    }
    if (numbers(node, "scale", 3, s)) {
        next = trxi_affine_scale(s[0], s[1], s[2]);
        map = trxi_affine_mul(&map, &next);
    }
    return map;
}

// recursion ends at MAX_DEPTH: a file may name a node inside itself
static trx_status read_node(reader *r, int index, const trxi_affine *above, int depth)
{
    const trxi_yaml_node *node = item(r, "nodes", index);
    if (!node) return refuse(r, "a node is absent");
    if (depth == MAX_DEPTH || ++r->visited > MAX_NODES) return refuse(r, "more than 64 levels or 10000 nodes");
    trxi_affine own = transform_of(node), map = trxi_affine_mul(above, &own);
    trx_status status = TRX_OK;
    if (trxi_yaml_get(node, "mesh")) status = read_mesh(r, item(r, "meshes", whole(node, "mesh", -1)), &map);
    const trxi_yaml_node *children = trxi_yaml_get(node, "children");
    for (int i = 0; status == TRX_OK && children && i < children->count; i++) {
        int child;
        if (!trxi_int_parse(children->items[i]->text, &child)) return refuse(r, "a node is absent");
        status = read_node(r, child, &map, depth + 1);
    }
    return status;
}

static trx_status read_scene(reader *r)
{
    const trxi_yaml_node *required = trxi_yaml_get(r->root, "extensionsRequired");
    for (int i = 0; required && i < required->count; i++)
        if (strstr(required->items[i]->text, "compression")) return refuse(r, "compressed meshes are not read");
    const trxi_yaml_node *scene = item(r, "scenes", whole(r->root, "scene", 0)), *nodes = trxi_yaml_get(scene, "nodes");
    const trxi_affine identity = trxi_affine_identity();
    if (!nodes) return refuse(r, "the file has no scene with nodes");
    trx_status status = TRX_OK;
    for (int i = 0; status == TRX_OK && i < nodes->count; i++) {
        int index;
        if (!trxi_int_parse(nodes->items[i]->text, &index)) return refuse(r, "a node is absent");
        status = read_node(r, index, &identity, 0);
    }
    return status;
}

// ---- the file ----

static trx_status read_all(reader *r, const char *data, size_t length)
{
    static const char magic[] = "glTF", json[] = "JSON", binary[] = "BIN";
    if (length < HEAD + CHUNK || memcmp(data, magic, 4) != 0 || trxi_bytes_whole(data + 4) != 2)
        return refuse(r, "no GLB file of version 2: it begins with other bytes");
    size_t size = trxi_bytes_whole(data + 12), rest = length - HEAD - CHUNK;
    if (memcmp(data + 16, json, 4) != 0 || size > rest) return refuse(r, "the first chunk is no JSON, or is longer than the file");
    const char *text = data + HEAD + CHUNK;
    rest -= size;
    if (rest >= CHUNK && memcmp(text + size + 4, binary, 4) == 0) {
        r->bytes = text + size + CHUNK;
        r->nbyte = trxi_bytes_whole(text + size);
        if (r->nbyte > rest - CHUNK) return refuse(r, "the second chunk is longer than the file");
    }
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\0')) size--;
    trx_status status = trxi_yaml_parse(r->t.context, r->t.scratch, r->t.file, text, size, &r->root);
    return status < 0 ? status : read_scene(r);
}

trx_status trxi_glb_parse(trx_context *context, trxi_pool *pool, const char *file, const char *data, size_t length,
                          trx_mesh *mesh)
{
    reader r = {.t = trxi_triangles_begin(context, file)};
    trx_status status = r.t.scratch ? read_all(&r, data, length) : TRX_ERR_MEMORY;
    return trxi_triangles_end(&r.t, status, pool, mesh);
}
