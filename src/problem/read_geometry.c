// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// One geometry of a body: the keys of each shape, sizes, mass, material, colour.

#include "formats/scalar.h"
#include "problem/read_model.h"

#include <math.h>
#include <string.h>

enum { SPHERE, CAPSULE, BOX, CYLINDER, HALFSPACE, ELLIPSOID, MESH, HEIGHT_FIELD, SHAPES };

static const char *const shape_words[SHAPES] = {"sphere",    "capsule",   "box",  "cylinder",
                                                  "halfspace", "ellipsoid", "mesh", "heightfield"};
static const trx_shape_type types[SHAPES] = {TRX_SHAPE_SPHERE,    TRX_SHAPE_CAPSULE,   TRX_SHAPE_BOX, TRX_SHAPE_CYLINDER,
                                             TRX_SHAPE_HALFSPACE, TRX_SHAPE_ELLIPSOID, TRX_SHAPE_MESH, TRX_SHAPE_HEIGHT_FIELD};

// sets of shapes
enum {
    LONG = 1 << CAPSULE | 1 << CYLINDER,
    ROUND = LONG | 1 << SPHERE,
    FIELDS_OF_HEIGHTS = 1 << HEIGHT_FIELD,
    SIZED = 1 << BOX | 1 << ELLIPSOID | FIELDS_OF_HEIGHTS,
    ROUNDED = 1 << BOX | 1 << CYLINDER | 1 << ELLIPSOID | 1 << MESH,
    MESHES = 1 << MESH,
    FILES = MESHES | FIELDS_OF_HEIGHTS
};

typedef struct geometry_record {
    trx_geometry_def def;
    int shape;
    const trxi_yaml_node *material, *color, *scale, *heights, *decompose;
    const char *file;
} geometry_record;

static const trxi_field geometry_fields[] = {
    TRXI_FIELD("shape", TRXI_WORD, geometry_record, shape, .required = true, .words = shape_words, .count = SHAPES),
    TRXI_FIELD("radius", TRXI_POSITIVE, geometry_record, def.shape.radius, .of = TRXI_OF_LENGTH,
               .takers = ROUND, .needers = ROUND),
    TRXI_FIELD("length", TRXI_POSITIVE, geometry_record, def.shape.length, .of = TRXI_OF_LENGTH,
               .takers = LONG, .needers = LONG),
    TRXI_FIELD("size", TRXI_VECTOR, geometry_record, def.shape.size, .count = 3, .of = TRXI_OF_LENGTH,
               .takers = SIZED, .needers = SIZED),
    TRXI_FIELD("file", TRXI_PATH, geometry_record, file, .takers = FILES, .needers = MESHES),
    TRXI_FIELD("scale", TRXI_NODE, geometry_record, scale, .takers = FILES),
    TRXI_FIELD("heights", TRXI_LIST, geometry_record, heights, .takers = FIELDS_OF_HEIGHTS),
    TRXI_FIELD("decompose", TRXI_NODE, geometry_record, decompose, .takers = MESHES),
    TRXI_FIELD("rounding", TRXI_NOT_NEGATIVE, geometry_record, def.shape.rounding, .of = TRXI_OF_LENGTH,
               .takers = ROUNDED),
    TRXI_FIELD("name", TRXI_NAME, geometry_record, def.name),
    TRXI_FIELD("pose", TRXI_POSE, geometry_record, def.pose),
    TRXI_FIELD("mass", TRXI_NOT_NEGATIVE, geometry_record, def.mass, .of = TRXI_OF_MASS),
    TRXI_FIELD("density", TRXI_NOT_NEGATIVE, geometry_record, def.density, .of = TRXI_OF_DENSITY),
    TRXI_FIELD("material", TRXI_NODE, geometry_record, material),
    TRXI_FIELD("color", TRXI_LIST, geometry_record, color),
    TRXI_FIELD("collide", TRXI_BOOL, geometry_record, def.collide),
    TRXI_FIELD("surface_velocity", TRXI_VECTOR, geometry_record, def.surface_velocity, .count = 3, .of = TRXI_OF_SPEED),
};

// the fields that give the size of a shape: radius to heights
enum { FIRST_SIZE = 1, END_OF_SIZES = 7, FIELDS = sizeof geometry_fields / sizeof *geometry_fields };

// correction for a key that a shape does not take
static const char *remedy(trxi_reader *reader, int field, int shape)
{
    const char *keys[END_OF_SIZES];
    int count = 0;
    for (int i = FIRST_SIZE; i < END_OF_SIZES; i++)
        if (geometry_fields[i].takers & 1 << shape) keys[count++] = geometry_fields[i].key;
    if (count == 0 || field >= END_OF_SIZES) return "remove it";
    const char *text = trxi_reader_printf(reader, "its size is given by %s", trxi_choices(reader, keys, count));
    return text ? text : "";
}

static void check_shape_keys(trxi_reader *reader, const trxi_yaml_node *node, int shape)
{
    const char *article = shape == ELLIPSOID ? "an" : "a";
    for (int i = 0; i < FIELDS; i++) {
        const char *key = geometry_fields[i].key;
        if (trxi_field_is_foreign(&geometry_fields[i], node, shape))
            trxi_error_at(reader->context, trxi_key_source(node, key), "%s %s has no %s: %s", article, shape_words[shape], key,
                          remedy(reader, i, shape));
        if (trxi_field_is_missing(&geometry_fields[i], node, shape))
            trxi_error_at(reader->context, node->source, "%s %s needs a %s: add it", article, shape_words[shape], key);
    }
}

// reports the numbers of a list of three that are not above 0
static void check_positive(trxi_reader *reader, const trxi_yaml_node *list, const char *key, const double *values)
{
    if (!list || list->kind != TRXI_YAML_SEQUENCE || list->count != 3) return;
    for (int i = 0; i < 3; i++) {
        double number;
        bool is_number = list->items[i]->kind == TRXI_YAML_SCALAR && trxi_number_parse(list->items[i]->text, &number);
        if (is_number && !(values[i] > 0))
            trxi_error_at(reader->context, list->items[i]->source, "%s is %.60s: write a number above 0", key,
                          list->items[i]->text);
    }
}

static void check_mass(trxi_reader *reader, const trxi_yaml_node *node, int shape)
{
    bool mass = trxi_yaml_get(node, "mass"), density = trxi_yaml_get(node, "density");
    trx_source m = trxi_key_source(node, "mass"), d = trxi_key_source(node, "density");
    if (mass && density)
        trxi_error_at(reader->context, trxi_source_after(m, d) ? m : d,
                      "mass and density both give the mass: remove one");
    else if ((mass || density) && (shape == HALFSPACE || shape == HEIGHT_FIELD))
        trxi_error_at(reader->context, mass ? m : d, "a %s has no mass: remove it, or give the body an inertia",
                      shape_words[shape]);
}

static void read_color(trxi_reader *reader, const trxi_yaml_node *list, trx_geometry_def *geometry)
{
    double color[4] = {0, 0, 0, 1};
    if (list->count != 3 && list->count != 4) {
        trxi_error_at(reader->context, list->source,
                      "color: expected 3 or 4 numbers, found %d: write [red, green, blue]", list->count);
        return;
    }
    if (!trxi_read_vector(reader, list, "color", list->count, color)) return;
    for (int i = 0; i < list->count; i++)
        if (color[i] < 0 || color[i] > 1)
            trxi_error_at(reader->context, list->items[i]->source, "color is %.60s: write a number from 0 to 1",
                          list->items[i]->text);
    memcpy(geometry->color, color, sizeof color);
    geometry->has_color = true;
}

// a mesh's scale: one factor or three; false when it is wrong
static bool read_scale(trxi_reader *reader, const trxi_yaml_node *node, double scale[3])
{
    static const trxi_field factor = {.key = "scale", .kind = TRXI_POSITIVE};
    if (node->kind != TRXI_YAML_SEQUENCE) {
        bool fine = trxi_read_value(reader, node, &factor, scale);
        scale[1] = scale[2] = scale[0];
        return fine;
    }
    if (!trxi_read_vector(reader, node, "scale", 3, scale)) return false;
    check_positive(reader, node, "scale", scale);
    return scale[0] > 0 && scale[1] > 0 && scale[2] > 0;
}

static void read_mesh(trxi_reader *reader, const trxi_yaml_node *node, const geometry_record *record, trxi_scene *scene,
                      trx_geometry_def *geometry)
{
    double scale[3] = {1, 1, 1};
    if (record->scale && !read_scale(reader, record->scale, scale)) return;
    if (record->file)
        geometry->shape.mesh =
            trxi_scene_mesh_read(reader, scene, trxi_yaml_get(node, "file")->source, record->file, scale);
}

// heights take one factor
static void read_field(trxi_reader *reader, const trxi_yaml_node *node, const geometry_record *record, trx_shape *shape)
{
    double scale = 1;
    if (record->scale && !trxi_read_number(reader, record->scale, "scale", &scale)) return;
    trxi_read_height_field(reader, node, record->file, scale, shape);
}

void trxi_read_geometry(trxi_reader *reader, const trxi_yaml_node *node, trxi_scene *scene, trx_geometry_def *geometry)
{
    geometry_record record = {.def = trx_geometry_def_default(), .shape = -1};
    record.def.source = node->source;
    *geometry = record.def;
    if (!TRXI_READ_RECORD(reader, node, "a geometry", geometry_fields, &record)) return;

    if (record.shape >= 0) {
        record.def.shape.type = types[record.shape];
        check_shape_keys(reader, node, record.shape);
        if (record.shape == MESH) read_mesh(reader, node, &record, scene, &record.def);
        if (record.shape == HEIGHT_FIELD) read_field(reader, node, &record, &record.def.shape);
    }
    if (record.decompose) trxi_read_decomposition(reader, record.decompose, &record.def.decompose);
    check_positive(reader, trxi_yaml_get(node, "size"), "size", record.def.shape.size);
    check_mass(reader, node, record.shape);
    if (record.color) read_color(reader, record.color, &record.def);
    record.def.material = trxi_find_material(reader, record.material, scene);
    *geometry = record.def;
}
