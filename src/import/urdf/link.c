// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A URDF link: its inertia and its geometry. The inertia is given about the centre of mass in its own axes, which
// <origin> rotates relative to the link's axes:
//
//     I = R I_file R^T

#include "geometry/shape.h"
#include "import/urdf/urdf.h"
#include "math/rotation.h"
#include "math/tensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- inertia ----

// <inertial> without mass: without moments the link weighs nothing, which is noted; moments without a mass are an error
static void report_no_mass(trxi_urdf *urdf, const trxi_urdf_link *link, const trxi_xml_node *inertial, const double tensor[6])
{
    bool zero = true;
    for (int i = 0; i < 6; i++) zero &= tensor[i] == 0;
    if (zero)
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, inertial->source, "", "<inertial> without <mass> weighs",
                         "<inertial> without <mass> weigh", " nothing");
    else
        trxi_error_at(urdf->context, inertial->source,
                      "<inertial> of link \"%.100s\" has no <mass>: write <mass value=\"...\"/>", link->name);
}

static void read_inertial(trxi_urdf *urdf, trxi_urdf_link *link)
{
    static const char *const keys[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    trxi_xml_node *inertial = trxi_xml_child(link->node, "inertial");
    if (!inertial) {
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, link->node->source, "", "link without <inertial> weighs",
                         "links without <inertial> weigh", " nothing");
        return;
    }
    trx_pose pose = trxi_urdf_origin(urdf, inertial);
    trxi_xml_node *mass_node = trxi_xml_child(inertial, "mass"), *moments = trxi_xml_child(inertial, "inertia");
    double mass = 0, tensor[6] = {0}, R[9];
    if (!mass_node && !moments && trxi_urdf_value(urdf, inertial, "density", &link->density)) {
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, inertial->source, "", "link with a density has",
                         "links with densities have", " the inertia of its collision geometry");
        return;
    }
    int errors = trx_context_error_count(urdf->context);
    if (mass_node) trxi_urdf_numbers(urdf, mass_node, "value", 1, true, &mass);
    for (int i = 0; moments && i < 6; i++) trxi_urdf_numbers(urdf, moments, keys[i], 1, i < 3, &tensor[i]);
    if (!mass_node) report_no_mass(urdf, link, inertial, tensor);
    if (trx_context_error_count(urdf->context) > errors) return;
    trxi_quat_to_matrix(pose.quat, R);
    trxi_tensor_rotate(tensor, R, tensor);
    trxi_draft_inertia(urdf->draft, link->body, moments ? moments->source : inertial->source, mass, pose.p, tensor);
    link->lacks_moments = !moments;
    if (!moments)
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, inertial->source, "", "<inertial> without <inertia> has",
                         "<inertial> without <inertia> have", " the moments of the mass spread over the link's geometry");
}

// mass and inertia of a link with a density: its collision geometry filled with this density
static void weigh(trxi_urdf *urdf, const trxi_urdf_link *link)
{
    int count = trxi_draft_geometry_count(urdf->draft, link->body), n = 0;
    trx_geometry_def *solids = TRXI_DRAFT_TAKE(urdf->draft, trx_geometry_def, count + 1);
    double *masses = TRXI_DRAFT_TAKE(urdf->draft, double, count + 1);
    for (int i = 0; solids && masses && i < count; i++) {
        solids[n] = *trxi_draft_geometry_at(urdf->draft, link->body, i);
        masses[n] = link->density * trxi_shape_volume(&solids[n].shape);
        if (solids[n].collide) n++;
    }
    if (n > 0) trxi_draft_inertia_of_geometry(urdf->draft, link->body, link->node->source, solids, masses, n);
}

// ---- shapes ----

static bool read_sizes(trxi_urdf *urdf, trxi_xml_node *node, trx_shape *shape)
{
    bool fine = true;
    if (shape->type != TRX_SHAPE_BOX) fine &= trxi_urdf_numbers(urdf, node, "radius", 1, true, &shape->radius);
    if (shape->type == TRX_SHAPE_BOX) fine &= trxi_urdf_numbers(urdf, node, "size", 3, true, shape->size);
    if (shape->type == TRX_SHAPE_CYLINDER || shape->type == TRX_SHAPE_CAPSULE)
        fine &= trxi_urdf_numbers(urdf, node, "length", 1, true, &shape->length);
    return fine;
}

// half axes a, b, c
static bool read_ellipsoid(trxi_urdf *urdf, trxi_xml_node *node, trx_shape *shape)
{
    static const char *const keys[] = {"a", "b", "c"};
    bool fine = true;
    for (int i = 0; i < 3; i++) {
        fine &= trxi_urdf_numbers(urdf, node, keys[i], 1, true, &shape->size[i]);
        shape->size[i] *= 2;
    }
    return fine;
}

static bool read_mesh(trxi_urdf *urdf, trxi_xml_node *node, bool collide, trx_shape *shape)
{
    double scale[3] = {1, 1, 1};
    const char *uri = trxi_urdf_text(urdf, node, "filename");
    bool given = trxi_xml_get(node, "scale") != NULL;
    if (given && !trxi_urdf_numbers(urdf, node, "scale", 3, false, scale)) return false;
    if (!uri) return false;
    trxi_element_child(node, "declare_convex");
    shape->mesh = collide ? trxi_draft_touching_mesh(urdf->draft, node->source, uri, NULL, scale)
                          : trxi_draft_drawing(urdf->draft, node->source, uri, NULL, scale);
    return shape->mesh != NULL;
}

// the half space below a plane: its normal becomes z
static bool read_plane(trxi_urdf *urdf, trxi_xml_node *node, trx_pose *pose)
{
    double normal[3] = {0, 0, 1};
    trxi_urdf_numbers(urdf, node, "normal", 3, false, normal);
    return trxi_element_turn_plane(urdf->context, node, normal, pose);
}

static void report_shape(trxi_urdf *urdf, const trxi_xml_node *around, const trxi_xml_node *geometry)
{
    const trxi_xml_node *at = !geometry ? around : geometry->count ? geometry->items[0] : geometry;
    trxi_error_at(urdf->context, at->source,
                  "<%.60s> %s: write <geometry> with <box>, <sphere>, <cylinder>, <capsule>, <ellipsoid>, <mesh> or "
                  "<plane>",
                  at->name, geometry && geometry->count ? "is no shape" : "has no shape");
}

// reads the shape in <geometry>; returns false if it cannot be used (reported, or noted for drawn geometry)
static bool read_shape(trxi_urdf *urdf, trxi_xml_node *around, bool collide, trx_shape *shape, trx_pose *pose)
{
    trxi_xml_node *geometry = trxi_xml_child(around, "geometry");
    trx_shape_type type = TRX_SHAPE_BOX;
    trxi_xml_node *node = trxi_element_shape(geometry, &type);
    if (!node) {
        report_shape(urdf, around, geometry);
        return false;
    }
    *shape = trx_shape_default(type);
    bool fine = type == TRX_SHAPE_MESH        ? read_mesh(urdf, node, collide, shape)
                : type == TRX_SHAPE_HALFSPACE ? read_plane(urdf, node, pose)
                : type == TRX_SHAPE_ELLIPSOID ? read_ellipsoid(urdf, node, shape)
                                              : read_sizes(urdf, node, shape);
    return fine && trxi_element_check_shape(urdf->draft, node, collide, shape);
}

// ---- geometry ----

// friction of one collision geometry: of its own extension, else of its link's extension, else of the material
static double read_friction(trxi_urdf *urdf, const trxi_urdf_link *link, trxi_xml_node *node)
{
    double dynamic = NAN, fixed = NAN;
    trxi_xml_node *properties = trxi_element_child(node, "proximity_properties");
    bool has_dynamic = properties && trxi_urdf_value(urdf, properties, "mu_dynamic", &dynamic);
    bool has_static = properties && trxi_urdf_value(urdf, properties, "mu_static", &fixed);
    if (has_dynamic && has_static && fixed != dynamic)
        trxi_draft_tally(urdf->draft, TRX_NOTE_REPLACED, properties->source, "mu_static of ", "geometry", "geometries",
                         " is not served: mu_dynamic is the friction");
    double friction = has_dynamic ? dynamic : has_static ? fixed : link->friction;
    if (friction < 0) {
        trxi_error_at(urdf->context, node->source, "friction is %g: it must not be negative", friction);
        return NAN;
    }
    if (isnan(friction)) {
        char after[64];
        snprintf(after, sizeof after, " is that of the material: %g", urdf->draft->options.material.friction);
        trxi_draft_tally(urdf->draft, TRX_NOTE_ASSUMED, node->source, "friction of ", "geometry", "geometries", after);
    }
    return friction;
}

static void read_geometry(trxi_urdf *urdf, const trxi_urdf_link *link, trxi_xml_node *node, bool collide)
{
    trx_pose pose = trxi_urdf_origin(urdf, node);
    trx_shape shape;
    const char *name = trxi_xml_get(node, "name");
    double friction = collide ? read_friction(urdf, link, node) : NAN;
    double rgba[4];
    bool colored = !collide && trxi_urdf_color_of(urdf, node, rgba);
    if (!read_shape(urdf, node, collide, &shape, &pose)) return;
    if (name && *name) name = trxi_draft_name(urdf->draft, name, "geometry", node->source);
    trx_geometry_def *def = trxi_draft_geometry(urdf->draft, link->body, name && *name ? name : NULL, node->source);
    def->shape = shape;
    def->pose = pose;
    def->collide = collide;
    def->material = trxi_draft_material(urdf->draft, friction);
    def->has_color = colored;
    if (colored) memcpy(def->color, rgba, sizeof rgba);
}

void trxi_urdf_link_read(trxi_urdf *urdf, trxi_urdf_link *link)
{
    trxi_xml_node *node;
    read_inertial(urdf, link);
    for (int i = 0; (node = trxi_element_next(link->node, "collision", &i));) read_geometry(urdf, link, node, true);
    for (int i = 0; (node = trxi_element_next(link->node, "visual", &i));) read_geometry(urdf, link, node, false);
    if (!isnan(link->density)) weigh(urdf, link);
    if (link->lacks_moments) trxi_draft_spread_mass(urdf->draft, link->body);
}
