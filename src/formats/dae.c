// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Collada; see mesh_read.h. The scene's nodes have transforms, one after the other, and geometries by name. A geometry has
// triangles, strips and fans of triangles, or polygons that are divided, whose indices lead to points through <vertices>:
//
//     <p> -> input VERTEX -> vertices -> input POSITION -> source -> accessor -> float_array
//
// Lengths are multiplied by the file's unit. The up axis is ignored, as in RViz: x, y and z stay as in the file.
// Skins, curves and splines are passed over. A polygon with holes is an error.

#include "formats/mesh_read.h"

#include "formats/affine.h"
#include "formats/triangles.h"
#include "formats/xml.h"
#include "math/constants.h"
#include "math/rotation.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INSTANCES = 4096, MAX_DEPTH = 64, MAX_INPUT = 64 };

typedef struct reader {
    trxi_triangles t;
    trxi_xml_node *root;
    int instances;
} reader;

// how the corners of a <p> become triangles: the triangles of a fan share its first corner, each triangle of a strip has
// the last two corners of the triangle before
typedef enum shape { TRIANGLES, POLYGON, FAN, STRIP, NO_SHAPE } shape;

// where corners of a group are read: each corner takes `stride` indices of <p>, and the index at `offset` among them is a point
// of the group. The points of the group are first .. first + npoint - 1 of all points
typedef struct corners {
    const char *at; // text of <p>
    int stride, offset, first, npoint;
    shape shape;
    bool mirrored;
} corners;

// ---- elements ----

// the child called `name` whose id is `url` without the leading "#"
static trxi_xml_node *by_id(trxi_xml_node *parent, const char *name, const char *url)
{
    if (!parent || !url) return NULL;
    if (*url == '#') url++;
    for (int i = 0; i < parent->count; i++) {
        const char *id = strcmp(parent->items[i]->name, name) == 0 ? trxi_xml_get(parent->items[i], "id") : NULL;
        if (id && strcmp(id, url) == 0) return parent->items[i];
    }
    return NULL;
}

// the child of `parent` to which the attribute `key` of `node` refers; reports an error when there is none
static trxi_xml_node *referred(reader *r, trxi_xml_node *node, const char *key, trxi_xml_node *parent, const char *name)
{
    const char *url = trxi_xml_get(node, key);
    trxi_xml_node *found = by_id(parent, name, url);
    if (!found)
        trxi_error_at(r->t.context, node->source, "<%.60s> names the %s \"%.100s\", which is not there", node->name, name,
                      url ? url : "");
    return found;
}

static int whole(trxi_xml_node *node, const char *key, int otherwise)
{
    const char *text = trxi_xml_get(node, key);
    double x;
    if (!text || trxi_xml_numbers(text, 1, &x) != 1 || x != floor(x) || x < 0 || x > TRXI_MESH_MAX_POINTS) return otherwise;
    return (int)x;
}

// ---- points ----

static trx_status read_source(reader *r, trxi_xml_node *source, const trxi_affine *map, int *npoint)
{
    trxi_xml_node *technique = trxi_xml_child(source, "technique_common"), *list = trxi_xml_child(source, "float_array");
    trxi_xml_node *accessor = technique ? trxi_xml_child(technique, "accessor") : NULL;
    if (!accessor || !list)
        return trxi_error_at(r->t.context, source->source, "<source> needs <float_array> and <technique_common> with <accessor>");
    int count = whole(accessor, "count", 0), stride = whole(accessor, "stride", 3), offset = whole(accessor, "offset", 0);
    size_t capacity = strlen(list->text) / 2 + 1;
    double *values = TRXI_POOL(r->t.scratch, double, capacity);
    if (!values) return TRX_ERR_MEMORY;
    int found = trxi_xml_numbers(list->text, (int)capacity, values);
    if (found < 0) return trxi_error_at(r->t.context, list->source, "<float_array> has a word that is no finite number");
    if (stride < 3 || (long long)offset + (long long)count * stride > found + (long long)stride - 3)
        return trxi_error_at(r->t.context, accessor->source, "%d points of %d numbers do not fit the %d numbers of <float_array>",
                             count, stride, found);
    trx_status status = TRX_OK;
    for (int i = 0; status == TRX_OK && i < count; i++) {
        double p[3];
        trxi_affine_point(map, values + offset + (size_t)i * (size_t)stride, p);
        status = trxi_triangles_point(&r->t, list->source, p);
    }
    *npoint = count;
    return status;
}

// the <input> with this semantic; NULL when there is none
static trxi_xml_node *input_of(trxi_xml_node *node, const char *semantic)
{
    for (int i = 0; i < node->count; i++) {
        const char *own = strcmp(node->items[i]->name, "input") == 0 ? trxi_xml_get(node->items[i], "semantic") : NULL;
        if (own && strcmp(own, semantic) == 0) return node->items[i];
    }
    return NULL;
}

// ---- triangles ----

// the next whole number of a text; -1 at the end, -2 for other words
static int next_index(const char **at)
{
    char *end;
    *at += strspn(*at, " \t\r\n");
    if (**at == '\0') return -1;
    errno = 0;
    long value = strtol(*at, &end, 10);
    bool fine = end != *at && errno == 0 && value >= 0 && value < TRXI_MESH_MAX_POINTS && strchr(" \t\r\n", *end);
    *at = end;
    return fine ? (int)value : -2;
}

// the point of the next corner, -1 at the end of the text, -2 when it is wrong
static int next_corner(corners *c)
{
    int point = -1;
    for (int k = 0; k < c->stride; k++) {
        int index = next_index(&c->at);
        if (index < 0) return k == 0 ? index : -2;
        if (k == c->offset) point = index < c->npoint ? c->first + index : -2;
    }
    return point;
}

// swaps two corners of each triangle from number `first` on
static void mirror(trxi_triangles *t, int first)
{
    for (int *corner = t->corners + 3 * (size_t)first; corner < t->corners + 3 * (size_t)t->ntriangle; corner += 3) {
        const int kept = corner[1];
        corner[1] = corner[2], corner[2] = kept;
    }
}

// one polygon, fan or strip; `count` < 0: to the end of the text
static trx_status read_polygon(reader *r, const trxi_xml_node *p, corners *c, int count)
{
    int triangle[3] = {0};
    const int first = r->t.ntriangle;
    for (int i = 0; count < 0 || i < count; i++) {
        int corner = next_corner(c);
        if (corner == -1 && count < 0) break;
        if (corner < 0)
            return trxi_error_at(r->t.context, p->source, "<p> names a point that is not there, or has too few whole numbers");
        // every second triangle of a strip has the opposite winding: the last corner of the triangle before comes first, not second
        if (i > 2) triangle[c->shape == STRIP && i % 2 == 1 ? 0 : 1] = triangle[2];
        triangle[i < 2 ? i : 2] = corner;
        trx_status status = TRX_OK;
        if (i >= 2) status = trxi_triangles_add(&r->t, p->source, triangle);
        if (status < 0) return status;
    }
    trx_status status = c->shape == POLYGON ? trxi_triangles_divide(&r->t, first) : TRX_OK;
    if (c->mirrored && status == TRX_OK) mirror(&r->t, first);
    return status;
}

static trx_status read_group(reader *r, trxi_xml_node *group, corners c)
{
    trxi_xml_node *vcount = trxi_xml_child(group, "vcount"), *holes = trxi_xml_child(group, "ph"), *p;
    const char *counts = vcount ? vcount->text : "";
    trx_status status = TRX_OK;
    if (holes) return trxi_error_at(r->t.context, holes->source, "polygons with holes are not read: divide them into triangles");
    for (int i = 0; status == TRX_OK && i < group->count; i++) {
        if (strcmp((p = group->items[i])->name, "p") != 0) continue;
        c.at = p->text;
        int count;
        if (c.shape != TRIANGLES && !vcount) status = read_polygon(r, p, &c, -1);
        while (status == TRX_OK && c.shape == TRIANGLES && c.at[strspn(c.at, " \t\r\n")]) status = read_polygon(r, p, &c, 3);
        while (status == TRX_OK && vcount && (count = next_index(&counts)) != -1) {
            if (count < 0) return trxi_error_at(r->t.context, vcount->source, "<vcount> has a word that is no whole number");
            status = read_polygon(r, p, &c, count);
        }
    }
    return status;
}

static shape shape_of(const char *name)
{
    static const struct {
        const char *name;
        shape shape;
    } known[] = {{"triangles", TRIANGLES}, {"polylist", POLYGON}, {"polygons", POLYGON}, {"trifans", FAN}, {"tristrips", STRIP}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) return known[i].shape;
    return NO_SHAPE;
}

// a group of triangles of a mesh
static trx_status read_triangles(reader *r, trxi_xml_node *mesh, trxi_xml_node *group, const trxi_affine *map)
{
    trxi_xml_node *input = input_of(group, "VERTEX"), *vertices, *source;
    corners c = {.first = r->t.npoint, .shape = shape_of(group->name), .mirrored = trxi_affine_mirrors(map)};
    if (!input) return trxi_error_at(r->t.context, group->source, "<%.60s> has no input VERTEX", group->name);
    for (int i = 0; i < group->count; i++)
        if (strcmp(group->items[i]->name, "input") == 0 && whole(group->items[i], "offset", 0) >= c.stride)
            c.stride = whole(group->items[i], "offset", 0) + 1;
    if (c.stride > MAX_INPUT) return trxi_error_at(r->t.context, group->source, "an offset of more than 63");
    c.offset = whole(input, "offset", 0);
    vertices = referred(r, input, "source", mesh, "vertices");
    if (!vertices) return TRX_ERR_INPUT;
    input = input_of(vertices, "POSITION");
    if (!input) return trxi_error_at(r->t.context, vertices->source, "<vertices> has no input POSITION");
    source = referred(r, input, "source", mesh, "source");
    trx_status status = source ? read_source(r, source, map, &c.npoint) : TRX_ERR_INPUT;
    return status == TRX_OK ? read_group(r, group, c) : status;
}

static trx_status read_geometry(reader *r, trxi_xml_node *geometry, const trxi_affine *map)
{
    trxi_xml_node *mesh = trxi_xml_child(geometry, "mesh");
    trx_status status = TRX_OK;
    if (++r->instances > MAX_INSTANCES)
        return trxi_error_at(r->t.context, geometry->source, "more than %d instances of geometries and nodes", MAX_INSTANCES);
    for (int i = 0; mesh && status == TRX_OK && i < mesh->count; i++)
        if (shape_of(mesh->items[i]->name) != NO_SHAPE) status = read_triangles(r, mesh, mesh->items[i], map);
    return status;
}

// ---- nodes ----

static void turn(const double *axis_angle, trxi_affine *out)
{
    double w[3], quat[4], R[9], length = trxi_norm3(axis_angle);
    for (int i = 0; i < 3; i++) w[i] = length > 0 ? axis_angle[i] / length * axis_angle[3] * TRXI_PI / 180 : 0;
    trxi_quat_exp(w, quat);
    trxi_quat_to_matrix(quat, R);
    *out = trxi_affine_turn(R);
}

// map = map * the element's transform; leaves map unchanged when the element is no transform
static trx_status apply(reader *r, trxi_xml_node *node, trxi_affine *map)
{
    static const struct {
        const char *name;
        int count;
    } known[] = {{"matrix", 16}, {"translate", 3}, {"rotate", 4}, {"scale", 3}, {"lookat", -1}, {"skew", -1}};
    double x[16];
    trxi_affine own = trxi_affine_identity();
    int k = 0;
    while (k < 6 && strcmp(node->name, known[k].name) != 0) k++;
    if (k == 6) return TRX_OK;
    if (known[k].count < 0) return trxi_error_at(r->t.context, node->source, "<%.60s> is not read: write a matrix", node->name);
    if (trxi_xml_numbers(node->text, known[k].count, x) != known[k].count)
        return trxi_error_at(r->t.context, node->source, "<%.60s> needs %d numbers", node->name, known[k].count);
    if (k == 0) memcpy(own.m, x, sizeof own.m);
    if (k == 1) own = trxi_affine_move(x[0], x[1], x[2]);
    if (k == 2) turn(x, &own);
    if (k == 3) own = trxi_affine_scale(x[0], x[1], x[2]);
    *map = trxi_affine_mul(map, &own);
    return TRX_OK;
}

static trxi_xml_node *library(const reader *r, const char *name)
{
    return trxi_xml_child(r->root, name);
}

// recursion ends at MAX_DEPTH: a file may name a node inside itself
static trx_status read_node(reader *r, trxi_xml_node *node, const trxi_affine *above, int depth)
{
    trxi_affine map = *above;
    trx_status status = TRX_OK;
    if (depth == MAX_DEPTH || ++r->instances > MAX_INSTANCES)
        return trxi_error_at(r->t.context, node->source, "more than %d levels or %d nodes", MAX_DEPTH, MAX_INSTANCES);
    for (int i = 0; status == TRX_OK && i < node->count; i++) {
        trxi_xml_node *child = node->items[i], *other;
        status = apply(r, child, &map);
        if (status < 0) break;
        if (strcmp(child->name, "node") == 0) status = read_node(r, child, &map, depth + 1);
        if (strcmp(child->name, "instance_geometry") == 0) {
            other = referred(r, child, "url", library(r, "library_geometries"), "geometry");
            status = other ? read_geometry(r, other, &map) : TRX_ERR_INPUT;
        }
        if (strcmp(child->name, "instance_node") == 0) {
            other = referred(r, child, "url", library(r, "library_nodes"), "node");
            status = other ? read_node(r, other, &map, depth + 1) : TRX_ERR_INPUT;
        }
    }
    return status;
}

// ---- the file ----

// every geometry as it is, for a file without a scene
static trx_status read_library(reader *r, const trxi_affine *map)
{
    trxi_xml_node *all = library(r, "library_geometries");
    trx_status status = TRX_OK;
    for (int i = 0; all && status == TRX_OK && i < all->count; i++)
        if (strcmp(all->items[i]->name, "geometry") == 0) status = read_geometry(r, all->items[i], map);
    return status;
}

static trx_status read_all(reader *r, const char *data, size_t length)
{
    trx_status status = trxi_xml_parse(r->t.context, r->t.scratch, r->t.file, data, length, &r->root);
    if (status < 0) return status;
    if (strcmp(r->root->name, "COLLADA") != 0)
        return trxi_error_at(r->t.context, r->root->source, "<%.60s> is no Collada: the first element must be <COLLADA>",
                             r->root->name);
    trxi_xml_node *asset = trxi_xml_child(r->root, "asset"), *unit = asset ? trxi_xml_child(asset, "unit") : NULL;
    const char *text = unit ? trxi_xml_get(unit, "meter") : NULL;
    double metre = 1;
    if (text && (trxi_xml_numbers(text, 1, &metre) != 1 || !(metre > 0)))
        return trxi_error_at(r->t.context, unit->source, "meter=\"%.60s\" of <unit>: write one positive number", text);
    trxi_affine map = trxi_affine_scale(metre, metre, metre);
    trxi_xml_node *scene = trxi_xml_child(r->root, "scene"), *shown = scene ? trxi_xml_child(scene, "instance_visual_scene") : NULL;
    if (!shown) return read_library(r, &map);
    trxi_xml_node *nodes = referred(r, shown, "url", library(r, "library_visual_scenes"), "visual_scene");
    return nodes ? read_node(r, nodes, &map, 0) : TRX_ERR_INPUT;
}

trx_status trxi_dae_parse(trx_context *context, trxi_pool *pool, const char *file, const char *data, size_t length,
                          trx_mesh *mesh)
{
    reader r = {.t = trxi_triangles_begin(context, file)};
    trx_status status = r.t.scratch ? read_all(&r, data, length) : TRX_ERR_MEMORY;
    return trxi_triangles_end(&r.t, status, pool, mesh);
}
