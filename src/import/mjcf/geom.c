// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Geoms: shapes with sizes in half lengths, or between two points, or fitted to a mesh; their mass, contact and
// colour. A fitted primitive has the size of the box of equal inertia, or of the bounds, along the mesh's principal
// axes.

#include "import/mjcf/mjcf.h"

#include "geometry/shape.h"
#include "math/tensor.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF, TYPES };

static const char *const types[TYPES] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                         "cylinder", "box",    "mesh",   "sdf"};
static const int sizes_needed[TYPES] = {0, 0, 1, 2, 3, 2, 3, 0, 0};

// the geom that is being read
typedef struct reading {
    trxi_mjcf_element e;
    int type;
    trx_shape shape;
    trx_pose pose; // in the body frame
    double size[3]; // half lengths
    trxi_mjcf_mesh *mesh; // the mesh of the geom, or the mesh to which it is fitted
} reading;

static void set_shape(reading *g)
{
    const double *s = g->size;
    static const trx_shape_type of[TYPES] = {TRX_SHAPE_HALFSPACE, TRX_SHAPE_HEIGHT_FIELD, TRX_SHAPE_SPHERE,
                                             TRX_SHAPE_CAPSULE,   TRX_SHAPE_ELLIPSOID,    TRX_SHAPE_CYLINDER,
                                             TRX_SHAPE_BOX,       TRX_SHAPE_MESH,         TRX_SHAPE_MESH};
    g->shape = trx_shape_default(of[g->type]);
    g->shape.radius = s[0];
    g->shape.length = 2 * s[1];
    trxi_scale3(2, s, g->shape.size);
}

// sizes in the file
static bool read_size(reading *g, bool between)
{
    const trxi_mjcf_element *e = &g->e;
    trx_source where;
    const char *text = trxi_mjcf_text(e, "size", &where);
    int needed = between ? 1 : sizes_needed[g->type];
    int count = trxi_mjcf_numbers(e, "size", 1, 3, g->size);
    if (text && count == 0) return false;
    for (int i = 0; i < needed; i++) {
        if (i < count && g->size[i] > 0) continue;
        if (i < count)
            trxi_mjcf_error(e, where, "size", "size of this %s is '%.60s'; all of it must be positive", types[g->type],
                            text);
        else
            trxi_mjcf_error(e, e->node->source, "size", "this %s needs %d %s in size, half lengths in m; %s",
                            types[g->type], needed, needed == 1 ? "number" : "numbers",
                            count ? "there are fewer" : "there are none");
        return false;
    }
    return true;
}

// z axis from the second point to the first, as MuJoCo turns it
static bool read_between(reading *g, const double ends[6])
{
    double along[3], length;
    if (g->type != CAPSULE && g->type != CYLINDER && g->type != ELLIPSOID && g->type != BOX) {
        trxi_mjcf_error(&g->e, g->e.node->source, "fromto",
                        "fromto is for capsules, cylinders, ellipsoids and boxes; this is a %s", types[g->type]);
        return false;
    }
    trxi_sub3(ends, ends + 3, along);
    length = trxi_norm3(along);
    if (!(length > 0)) {
        trxi_mjcf_error(&g->e, g->e.node->source, "fromto", "the two points of fromto are the same");
        return false;
    }
    if (!read_size(g, true)) return false;
    g->size[1] = length / 2;
    if (g->type == ELLIPSOID || g->type == BOX) g->size[2] = length / 2, g->size[1] = g->size[0];
    for (int i = 0; i < 3; i++) g->pose.p[i] = (ends[i] + ends[3 + i]) / 2;
    trxi_mjcf_quat_of_axis(along, g->pose.quat);
    return true;
}

// half lengths of the box of equal inertia
static void fit_inertia(const reading *g, const double moments[3], double half[3])
{
    for (int i = 0; i < 3; i++) {
        double square = 6 * (moments[(i + 1) % 3] + moments[(i + 2) % 3] - moments[i]) / g->mesh->solid.mass;
        half[i] = sqrt(fmax(square, 0)) / 2;
    }
}

// half lengths and centre of the box around the mesh, along the axes R about its centre of mass
static void fit_bounds(const reading *g, const double R[9], double half[3], double centre[3])
{
    const trx_mesh *mesh = g->mesh->mesh;
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int v = 0; v < mesh->nvertex; v++) {
        double d[3], at[3];
        trxi_sub3(mesh->vertices + 3 * v, g->mesh->solid.com, d);
        trxi_mulv3_t(R, d, at);
        for (int i = 0; i < 3; i++) lower[i] = fmin(lower[i], at[i]), upper[i] = fmax(upper[i], at[i]);
    }
    for (int i = 0; i < 3; i++) half[i] = (upper[i] - lower[i]) / 2, centre[i] = (upper[i] + lower[i]) / 2;
}

// sizes of the primitive for a box of these half lengths: the largest lengths for bounds, else the means
static void set_fitted_size(reading *g, const double half[3], bool bounds)
{
    double across = bounds ? fmax(half[0], half[1]) : (half[0] + half[1]) / 2, cap = bounds ? across : across / 2;
    trxi_copy3(half, g->size);
    if (g->type == SPHERE) g->size[0] = bounds ? fmax(across, half[2]) : (half[0] + half[1] + half[2]) / 3;
    if (g->type == CAPSULE) g->size[0] = across, g->size[1] = fmax(0, half[2] - cap);
    if (g->type == CYLINDER) g->size[0] = across, g->size[1] = half[2];
    trxi_scale3(trxi_mjcf_number(&g->e, "fitscale", 1), g->size, g->size);
}

static bool fit(reading *g)
{
    if (!trxi_mjcf_weigh_mesh(g->e.reader, g->mesh)) return false;
    bool bounds = g->e.reader->compiler.fit_box;
    double moments[3], R[9], half[3], centre[3] = {0, 0, 0};
    trxi_mjcf_eigen(g->mesh->solid.tensor, moments, R);
    if (bounds)
        fit_bounds(g, R, half, centre);
    else
        fit_inertia(g, moments, half);
    set_fitted_size(g, half, bounds);

    trx_pose inertial;
    trxi_mulv3(R, centre, inertial.p);
    trxi_add3(inertial.p, g->mesh->solid.com, inertial.p);
    trxi_quat_from_matrix(R, inertial.quat);
    g->pose = trxi_pose_mul(&g->pose, &inertial);
    return true;
}

static bool resolve_mesh(reading *g)
{
    const trxi_mjcf_element *e = &g->e;
    if (g->type == MESH && !trxi_mjcf_text(e, "mesh", NULL)) {
        trxi_mjcf_error(e, e->node->source, "mesh", "this geom is a mesh, but names none; write mesh=\"...\"");
        return false;
    }
    if (!trxi_mjcf_text(e, "mesh", NULL) || g->type == PLANE) return true;
    int index = trxi_mjcf_refer(e, "mesh", TRXI_MJCF_MESH);
    if (index < 0) return false;
    g->mesh = TRXI_MJCF_AT(e->reader->meshes, trxi_mjcf_mesh, index);
    return true;
}

static bool read_field(reading *g, bool drawn)
{
    const trxi_mjcf_element *e = &g->e;
    if (!trxi_mjcf_text(e, "hfield", NULL)) {
        trxi_mjcf_error(e, e->node->source, "hfield", "this geom is a height field, but names none; write hfield=\"...\"");
        return false;
    }
    const int index = trxi_mjcf_refer(e, "hfield", TRXI_MJCF_HFIELD);
    if (index < 0) return false;
    trxi_mjcf_field *field = TRXI_MJCF_AT(e->reader->fields, trxi_mjcf_field, index);
    const trx_mesh *mesh = trxi_mjcf_load_field(e->reader, field, drawn);
    g->shape = trx_shape_default(TRX_SHAPE_HEIGHT_FIELD);
    g->shape.mesh = mesh;
    g->shape.columns = field->columns;
    g->shape.length = field->size[3];
    return mesh != NULL;
}

static bool read_shape(reading *g, bool drawn)
{
    double ends[6];
    g->type = trxi_mjcf_text(&g->e, "type", NULL) ? trxi_mjcf_word(&g->e, "type", types, TYPES, -1) : SPHERE;
    if (g->type < 0) return false;
    g->pose = trxi_mjcf_pose(&g->e);
    if (g->type == SDF) {
        trxi_draft_note(g->e.reader->draft, drawn ? TRX_NOTE_DROPPED : TRX_NOTE_MISSING, g->e.node->source, "a geom of type sdf%s",
                        drawn ? "" : ": it neither touches nor weighs");
        return false;
    }
    if (g->type == HFIELD) return read_field(g, drawn);
    if (!resolve_mesh(g)) return false;
    bool between = trxi_mjcf_numbers(&g->e, "fromto", 6, 6, ends) == 6;
    if (g->type == PLANE) {
        double size[3] = {0, 0, 0};
        trxi_mjcf_numbers(&g->e, "size", 1, 3, size);
        if (size[0] > 0 && size[1] > 0)
            trxi_draft_tally(g->e.reader->draft, TRX_NOTE_REPLACED, g->e.node->source, "", "plane", "planes",
                             " of finite size: endless halfspaces, as MuJoCo has them touch");
    } else if (g->type == MESH) {
        if (!trxi_mjcf_load_mesh(g->e.reader, g->mesh, drawn)) return false;
    } else if (g->mesh) {
        if (!fit(g)) return false;
    } else if (between ? !read_between(g, ends) : !read_size(g, false))
        return false;
    set_shape(g);
    assert(g->type != MESH || g->mesh);
    if (g->type == MESH) g->shape.mesh = g->mesh->mesh;
    return true;
}

// volume (area of a shell), and centre and inertia for density 1; false when there is none
static bool measure(const reading *g, double *volume, double com[3], double tensor[6])
{
    const trxi_mjcf_element *e = &g->e;
    trxi_zero3(com);
    if (g->type == MESH) {
        if (!trxi_mjcf_weigh_mesh(e->reader, g->mesh)) return false;
        *volume = g->mesh->solid.mass;
        trxi_copy3(g->mesh->solid.com, com);
        memcpy(tensor, g->mesh->solid.tensor, sizeof g->mesh->solid.tensor);
        return true;
    }
    if (trxi_mjcf_flag(e, "shellinertia", false)) {
        *volume = trxi_mjcf_shell(&g->shape, tensor);
        if (*volume > 0) return true;
        trxi_draft_note(e->reader->draft, TRX_NOTE_REPLACED, e->node->source,
                        "shellinertia: this %s is weighed as a solid", types[g->type]);
    }
    *volume = trxi_shape_volume(&g->shape);
    trxi_shape_inertia(&g->shape, *volume, com, tensor);
    return true;
}

static void weigh(reading *g, trxi_mjcf_body *body)
{
    const trxi_mjcf_element *e = &g->e;
    double mass = trxi_mjcf_number(e, "mass", NAN), density = trxi_mjcf_number(e, "density", 1000);
    double volume, R[9], com[3], tensor[6];
    if (mass < 0 || density < 0)
        trxi_mjcf_error(e, e->node->source, "mass", "%s of this geom is %g; it must not be negative",
                        mass < 0 ? "mass" : "density", mass < 0 ? mass : density);
    bool weighty = isnan(mass) ? density > 0 : mass > 0;
    if (weighty && g->type == HFIELD)
        trxi_draft_note(e->reader->draft, TRX_NOTE_MISSING, e->node->source, "a height field weighs nothing here");
    if (!weighty || g->type == PLANE || g->type == HFIELD || !measure(g, &volume, com, tensor)) return;

    if (!(volume > 0 && isfinite(volume))) {
        trxi_mjcf_error(e, e->node->source, "size", "this geom is too %s to be weighed; its volume is %g m^3",
                        volume > 0 ? "large" : "small", volume);
        return;
    }
    if (isnan(mass)) mass = density * volume;
    for (int k = 0; k < 6; k++) tensor[k] *= mass / volume;
    trxi_mjcf_solid *solid = trxi_draft_push(e->reader->draft, &body->solids, sizeof *solid);
    *solid = (trxi_mjcf_solid){.mass = mass};
    trxi_pose_point(&g->pose, com, solid->com);
    trxi_quat_to_matrix(g->pose.quat, R);
    trxi_tensor_rotate(tensor, R, solid->tensor);
}

int trxi_mjcf_dimension(const trxi_mjcf_element *e)
{
    int dimension = trxi_mjcf_integer(e, "condim", 3);
    if (dimension == 1 || dimension == 3 || dimension == 4 || dimension == 6) return dimension;
    trx_source where;
    trxi_mjcf_text(e, "condim", &where);
    trxi_mjcf_error(e, where, "condim", "condim of this %s is %d; write 1, 3, 4 or 6", e->node->name, dimension);
    return 3;
}

// defaults of torsional and rolling friction are MuJoCo's
static void read_friction(const trxi_mjcf_element *e, trxi_mjcf_geom *geom)
{
    double friction[3] = {NAN, 0.005, 0.0001};
    trx_source where;
    trxi_mjcf_text(e, "friction", &where);
    trxi_mjcf_numbers_over(e, "friction", 3, friction);
    for (int i = 0; i < 3; i++) {
        if (!(friction[i] < 0)) continue;
        trxi_mjcf_error(e, where, "friction", "friction of this geom is %g; it must not be negative", friction[i]);
        friction[i] = 0;
    }
    geom->friction = friction[0];
    geom->torsional = friction[1];
    geom->rolling = friction[2];
    geom->dimension = trxi_mjcf_dimension(e);
}

int trxi_mjcf_touching_material(trxi_mjcf *reader, const trxi_mjcf_geom *geom)
{
    return trxi_draft_material_turning(reader->draft, geom->friction, geom->dimension >= 4 ? geom->torsional : NAN,
                                       geom->dimension == 6 ? geom->rolling : NAN, geom->dimension == 1);
}

static void read_color(const reading *g, trx_geometry_def *def)
{
    static const double usual[4] = {0.5, 0.5, 0.5, 1};
    double color[4];
    memcpy(color, usual, sizeof color);
    trxi_mjcf_numbers(&g->e, "rgba", 4, 4, color);
    const char *name = trxi_mjcf_text(&g->e, "material", NULL);
    if (!name && g->type == MESH) name = g->mesh->material;
    if (name && !*name) name = NULL; // MuJoCo's word for none
    int index = name ? trxi_mjcf_find(g->e.reader, TRXI_MJCF_MATERIAL, name) : -1;
    if (name && index < 0)
        trxi_mjcf_error(&g->e, g->e.node->source, "material", "there is no material called '%.60s'", name);
    if (index >= 0 && memcmp(color, usual, sizeof color) == 0)
        memcpy(color, TRXI_MJCF_AT(g->e.reader->materials, trxi_mjcf_material, index)->color, sizeof color);
    memcpy(def->color, color, sizeof color);
    def->has_color = index >= 0 || memcmp(color, usual, sizeof color) != 0;
}

static void note_contact(const trxi_mjcf_element *e)
{
    trxi_draft *draft = e->reader->draft;
    double six[6] = {0};
    trxi_mjcf_numbers(e, "surfacevel", 1, 6, six);
    for (int i = 0; i < 6; i++)
        if (six[i] != 0) {
            trxi_draft_note(draft, TRX_NOTE_DROPPED, e->node->source, "surfacevel: the surface does not move");
            break;
        }
    if (trxi_mjcf_number(e, "adhesion", 0) > 0)
        trxi_draft_note(draft, TRX_NOTE_DROPPED, e->node->source, "adhesion: contacts never pull");
}

static void note_fluid(const trxi_mjcf_element *e)
{
    const trxi_mjcf_fluid *fluid = &e->reader->fluid;
    const char *shape = trxi_mjcf_text(e, "fluidshape", NULL);
    if (shape && strcmp(shape, "ellipsoid") == 0 && (fluid->density > 0 || fluid->viscosity > 0))
        trxi_draft_tally(e->reader->draft, TRX_NOTE_REPLACED, e->node->source, "fluidshape ellipsoid of ", "geom", "geoms",
                         ": drag is that of the box of the body's inertia");
}

void trxi_mjcf_read_geom(trxi_mjcf *reader, trxi_xml_node *node, int body, const trx_pose *frame,
                         const trxi_mjcf_class *class)
{
    reading g = {.e = {reader, node, "geom", trxi_mjcf_class_of(reader, node, "class", class)}};
    trxi_mjcf_body *owner = body >= 0 ? TRXI_MJCF_AT(reader->bodies, trxi_mjcf_body, body) : NULL;
    int type = trxi_mjcf_integer(&g.e, "contype", 1), mask = trxi_mjcf_integer(&g.e, "conaffinity", 1);
    int group = trxi_mjcf_integer(&g.e, "group", 0);
    const int *range = reader->compiler.group_range;
    bool weighs = owner && owner->infer && group >= range[0] && group <= range[1];
    if (!read_shape(&g, type == 0 && mask == 0 && !weighs)) {
        trxi_mjcf_bind(reader, TRXI_MJCF_GEOM, node, TRXI_MJCF_LEFT_OUT);
        return;
    }
    g.pose = trxi_pose_mul(frame, &g.pose);
    if (weighs) weigh(&g, owner);

    int carrier = trxi_mjcf_carrier(reader, body, node->source), number = reader->geoms.count;
    trxi_mjcf_geom *geom = trxi_draft_push(reader->draft, &reader->geoms, sizeof *geom);
    const char *raw = trxi_mjcf_bind(reader, TRXI_MJCF_GEOM, node, number);
    const char *name = raw ? trxi_draft_name(reader->draft, raw, "geometry", node->source) : NULL;
    *geom = (trxi_mjcf_geom){.body = carrier, .owner = body, .index = trxi_draft_geometry_count(reader->draft, carrier)};
    read_friction(&g.e, geom);
    trx_geometry_def *def = trxi_draft_geometry(reader->draft, carrier, name, node->source);
    def->shape = g.shape;
    def->pose = g.pose;
    def->collide = !reader->off.contact && (type != 0 || mask != 0);
    def->collision_type = (unsigned)type;
    def->collision_mask = (unsigned)mask;
    if (def->collide && isnan(geom->friction))
        trxi_draft_tally(reader->draft, TRX_NOTE_ASSUMED, node->source, "friction of ", "geom", "geoms",
                         ", of which the file says nothing: that of the material (MuJoCo takes 1)");
    if (def->collide)
        def->material = trxi_mjcf_touching_material(reader, geom), note_contact(&g.e);
    else
        def->material = trxi_draft_material(reader->draft, NAN);
    read_color(&g, def);
    note_fluid(&g.e);
}
