// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A link of an SDF file: its inertia and its geometry. The inertia is given about the centre of mass in the axes of
// <pose>,
//
//     I = R I_file R^T                                                                                    (theory 2).
//
// A link without <inertial> has mass 1 and moments 1, as SDF says.

#include "import/sdf/sdf.h"
#include "math/rotation.h"
#include "math/tensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- inertia ----

static void read_inertial(trxi_sdf *sdf, int link)
{
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const trxi_sdf_frame *frame = trxi_sdf_at(sdf, link);
    trxi_xml_node *inertial = trxi_element_child(frame->node, "inertial"), *at = inertial ? inertial : frame->node;
    trx_pose pose = inertial ? trxi_sdf_pose_in_link(sdf, link, inertial) : trx_pose_identity();
    double mass = 1, tensor[6] = {1, 1, 1}, R[9];
    if (!inertial && !frame->is_static)
        trxi_draft_tally(sdf->draft, TRX_NOTE_ASSUMED, at->source, "", "link without <inertial> has",
                         "links without <inertial> have", " mass 1 and moments 1, as SDF says");
    const char *automatic = inertial ? trxi_xml_get(inertial, "auto") : NULL;
    if (automatic && (strcmp(automatic, "true") == 0 || strcmp(automatic, "1") == 0)) {
        trxi_error_at(sdf->context, at->source, "auto=\"%.20s\" is not served: write <mass> and <inertia>", automatic);
        return;
    }
    trxi_sdf_numbers(sdf, inertial, "mass", 1, &mass);
    trxi_xml_node *moments = trxi_element_child(inertial, "inertia");
    for (int i = 0; moments && i < 6; i++) trxi_sdf_numbers(sdf, moments, names[i], 1, &tensor[i]);
    trxi_quat_to_matrix(pose.quat, R);
    trxi_tensor_rotate(tensor, R, tensor);
    trxi_draft_inertia(sdf->draft, frame->body, at->source, mass, pose.p, tensor);
}

// ---- shapes ----

static bool need(trxi_sdf *sdf, trxi_xml_node *node, const char *name, int count, double *values)
{
    if (!trxi_element_child(node, name))
        trxi_error_at(sdf->context, node->source, "<%.60s> has no <%s>: write <%s>...</%s>", node->name, name, name, name);
    return trxi_sdf_numbers(sdf, node, name, count, values);
}

static bool read_sizes(trxi_sdf *sdf, trxi_xml_node *node, trx_shape *shape)
{
    if (shape->type == TRX_SHAPE_BOX) return need(sdf, node, "size", 3, shape->size);
    if (shape->type == TRX_SHAPE_ELLIPSOID) {
        bool fine = need(sdf, node, "radii", 3, shape->size);
        for (int i = 0; i < 3; i++) shape->size[i] *= 2;
        return fine;
    }
    bool round = need(sdf, node, "radius", 1, &shape->radius);
    return shape->type == TRX_SHAPE_SPHERE ? round : need(sdf, node, "length", 1, &shape->length) && round;
}

static bool read_mesh(trxi_sdf *sdf, trxi_xml_node *node, bool collide, trx_shape *shape)
{
    double scale[3] = {1, 1, 1};
    trxi_sdf_numbers(sdf, node, "scale", 3, scale);
    const char *uri = trxi_sdf_uri(sdf, node), *folder = trxi_sdf_folder(sdf, node);
    if (!uri) return false;
    trxi_xml_node *part = trxi_element_child(node, "submesh");
    if (part && collide) {
        trxi_error_at(sdf->context, part->source, "<submesh> is not served: give the part a file of its own");
        return false;
    }
    shape->mesh = collide ? trxi_draft_touching_mesh(sdf->draft, node->source, uri, folder, scale)
                          : trxi_draft_drawing(sdf->draft, node->source, uri, folder, scale);
    return shape->mesh != NULL;
}

// the half space below a plane: its normal becomes z
static bool read_plane(trxi_sdf *sdf, trxi_xml_node *node, trx_pose *pose)
{
    double normal[3] = {0, 0, 1};
    trxi_element_child(node, "size"); // the plane is drawn as large as this; for contact it has no edges
    trxi_sdf_numbers(sdf, node, "normal", 3, normal);
    return trxi_element_turn_plane(sdf->context, node, normal, pose);
}

// notes a shape without a counterpart here; reports that there is no shape
static void note_shape(trxi_sdf *sdf, const trxi_xml_node *around, trxi_xml_node *geometry)
{
    static const char *const others[] = {"heightmap", "polyline", "image", "cone", "empty"};
    for (int i = 0; geometry && i < 5; i++) {
        if (!trxi_element_child(geometry, others[i])) continue;
        trxi_draft_tally(sdf->draft, TRX_NOTE_MISSING, around->source, "", "geometry", "geometries",
                         trxi_draft_printf(sdf->draft, " of the shape <%s>", others[i]));
        return;
    }
    trxi_error_at(sdf->context, around->source,
                  "<%.60s> has no shape: write <geometry> with <box>, <sphere>, <cylinder>, <capsule>, <ellipsoid>, <mesh> "
                  "or <plane>",
                  around->name);
}

static bool read_shape(trxi_sdf *sdf, trxi_xml_node *around, bool collide, trx_shape *shape, trx_pose *pose)
{
    trxi_xml_node *geometry = trxi_element_child(around, "geometry");
    trx_shape_type type = TRX_SHAPE_BOX;
    trxi_xml_node *node = trxi_element_shape(geometry, &type);
    if (!node) {
        note_shape(sdf, around, geometry);
        return false;
    }
    *shape = trx_shape_default(type);
    bool fine = type == TRX_SHAPE_MESH        ? read_mesh(sdf, node, collide, shape)
                : type == TRX_SHAPE_HALFSPACE ? read_plane(sdf, node, pose)
                                              : read_sizes(sdf, node, shape);
    return fine && trxi_element_check_shape(sdf->draft, node, collide, shape);
}

// ---- geometry ----

static double read_friction(trxi_sdf *sdf, trxi_xml_node *collision)
{
    double friction = NAN;
    trxi_xml_node *node = trxi_element_child(trxi_element_child(collision, "surface"), "friction");
    trxi_xml_node *drake = trxi_element_child(collision, "proximity_properties");
    bool given = trxi_sdf_numbers(sdf, trxi_element_child(node, "ode"), "mu", 1, &friction);
    given |= trxi_sdf_numbers(sdf, drake, "mu_dynamic", 1, &friction);
    if (friction < 0) {
        trxi_error_at(sdf->context, collision->source, "friction is %g: it must not be negative", friction);
        return NAN;
    }
    if (!given) {
        char after[64];
        snprintf(after, sizeof after, " is that of the material: %g", sdf->draft->options.material.friction);
        trxi_draft_tally(sdf->draft, TRX_NOTE_ASSUMED, collision->source, "friction of ", "geometry", "geometries", after);
    }
    return friction;
}

static bool read_color(trxi_xml_node *visual, double rgba[4])
{
    trxi_xml_node *node = trxi_element_child(trxi_element_child(visual, "material"), "diffuse");
    rgba[3] = 1;
    if (!node || (trxi_xml_numbers(node->text, 4, rgba) != 4 && trxi_xml_numbers(node->text, 4, rgba) != 3)) return false;
    for (int i = 0; i < 4; i++) rgba[i] = fmin(fmax(rgba[i], 0), 1);
    return true;
}

static void read_geometry(trxi_sdf *sdf, int link, trxi_xml_node *node, bool collide)
{
    trx_pose pose = trxi_sdf_pose_in_link(sdf, link, node);
    trx_shape shape;
    double rgba[4] = {0}, friction = collide ? read_friction(sdf, node) : NAN;
    bool colored = !collide && read_color(node, rgba);
    trxi_xml_get(node, "name"); // nearly every geometry is called collision or visual, so the model numbers them
    if (!read_shape(sdf, node, collide, &shape, &pose)) return;
    trx_geometry_def *def = trxi_draft_geometry(sdf->draft, trxi_sdf_at(sdf, link)->body, NULL, node->source);
    def->shape = shape;
    def->pose = pose;
    def->collide = collide;
    def->material = trxi_draft_material(sdf->draft, friction);
    def->has_color = colored;
    if (colored) memcpy(def->color, rgba, sizeof rgba);
}

void trxi_sdf_read_link(trxi_sdf *sdf, int link)
{
    trxi_xml_node *item, *node = trxi_sdf_at(sdf, link)->node;
    read_inertial(sdf, link);
    for (int i = 0; (item = trxi_element_next(node, "collision", &i));) read_geometry(sdf, link, item, true);
    for (int i = 0; (item = trxi_element_next(node, "visual", &i));) read_geometry(sdf, link, item, false);
}
