// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes, bodies, joints and geometries as MJCF. Our q equals MuJoCo's qpos: a body's joints act in order in its
// own frame, a free joint is a world position and a quaternion, and a joint's reference is its ref. A planar joint
// becomes two slides and a hinge. Geometries touch only through the pairs of the model (mjcf_rest.c), so contype
// and conaffinity are 0.

#include "report/mjcf.h"

#include "geometry/mesh.h"
#include "math/dense.h"
#include "math/rotation.h"

#include <stdio.h>
#include <string.h>

// ---- elements ----

void trxi_export_open(const trxi_export *m, int depth, const char *element)
{
    trxi_text_repeat(m->out, ' ', 2 * depth);
    trxi_text_char(m->out, '<');
    trxi_text_string(m->out, element);
}

void trxi_export_text(const trxi_export *m, const char *key, const char *value)
{
    trxi_text_printf(m->out, " %s=\"", key);
    for (const char *c = value ? value : ""; *c; c++) {
        if (*c == '"') trxi_text_string(m->out, "&quot;");
        else if (*c == '<') trxi_text_string(m->out, "&lt;");
        else if (*c == '&') trxi_text_string(m->out, "&amp;");
        else trxi_text_char(m->out, *c);
    }
    trxi_text_char(m->out, '"');
}

void trxi_export_numbers(const trxi_export *m, const char *key, const double *values, int count)
{
    trxi_text_printf(m->out, " %s=\"", key);
    for (int i = 0; i < count; i++) {
        if (i > 0) trxi_text_char(m->out, ' ');
        trxi_text_number(m->out, values[i]);
    }
    trxi_text_char(m->out, '"');
}

void trxi_export_number(const trxi_export *m, const char *key, double value)
{
    trxi_export_numbers(m, key, &value, 1);
}

void trxi_export_close(const trxi_export *m, bool children)
{
    trxi_text_string(m->out, children ? ">\n" : "/>\n");
}

void trxi_export_end(const trxi_export *m, int depth, const char *element)
{
    trxi_text_repeat(m->out, ' ', 2 * depth);
    trxi_text_printf(m->out, "</%s>\n", element);
}

static void put_pose(const trxi_export *m, const trx_pose *pose)
{
    trxi_export_numbers(m, "pos", pose->p, 3);
    trxi_export_numbers(m, "quat", pose->quat, 4);
}

// ---- meshes ----

// MuJoCo needs four vertices: a lone triangle repeats its last vertex
static void put_vertices(const trxi_export *m, const trx_mesh *mesh)
{
    trxi_text_string(m->out, " vertex=\"");
    for (int i = 0; i < mesh->nvertex || i < 4; i++)
        for (int k = 0; k < 3; k++) {
            int from = i < mesh->nvertex ? i : mesh->nvertex - 1;
            if (i > 0 || k > 0) trxi_text_char(m->out, ' ');
            trxi_text_number(m->out, mesh->vertices[3 * from + k]);
        }
    trxi_text_char(m->out, '"');
}

// the height field whose surface is mesh i; NULL: it is a mesh
static const trxi_geom *field_of(const trxi_export *m, int i)
{
    for (int g = 0; g < m->model->ngeom; g++)
        if (m->model->geoms[g].mesh == i && m->model->geoms[g].shape.type == TRX_SHAPE_HEIGHT_FIELD) return &m->model->geoms[g];
    return NULL;
}

// the sizes that MuJoCo takes for a height field, and where its frame is in the frame of our field: MuJoCo scales heights to the
// interval from 0 to the third size, adds a bottom below, and centres the rectangle
static void field_box(const trx_shape *field, double size[4], double at[3])
{
    double lower[3], upper[3];
    trxi_point_bounds(field->mesh->vertices, field->mesh->nvertex, lower, upper);
    for (int i = 0; i < 2; i++) size[i] = (upper[i] - lower[i]) / 2, at[i] = (upper[i] + lower[i]) / 2;
    size[2] = upper[2] > lower[2] ? upper[2] - lower[2] : 1;
    size[3] = lower[2] + field->length;
    at[2] = lower[2];
}

// rows from the greatest y to the least
static void put_elevation(const trxi_export *m, const trx_shape *field)
{
    const int columns = field->columns, rows = field->mesh->nvertex / columns;
    trxi_text_string(m->out, " elevation=\"");
    for (int i = rows - 1; i >= 0; i--)
        for (int j = 0; j < columns; j++) {
            if (i + 1 < rows || j > 0) trxi_text_char(m->out, ' ');
            trxi_text_number(m->out, field->mesh->vertices[3 * (i * columns + j) + 2]);
        }
    trxi_text_char(m->out, '"');
}

static void write_field(const trxi_export *m, const char *name, const trx_shape *field)
{
    double size[4], at[3];
    field_box(field, size, at);
    trxi_export_open(m, 2, "hfield");
    trxi_export_text(m, "name", name);
    trxi_text_printf(m->out, " nrow=\"%d\" ncol=\"%d\"", field->mesh->nvertex / field->columns, field->columns);
    trxi_export_numbers(m, "size", size, 4);
    put_elevation(m, field);
    trxi_export_close(m, false);
}

static void write_meshes(const trxi_export *m)
{
    if (m->model->nmesh == 0) return;
    trxi_export_open(m, 1, "asset");
    trxi_export_close(m, true);
    for (int i = 0; i < m->model->nmesh; i++) {
        const trx_mesh *mesh = &m->model->meshes[i].mesh;
        char name[32];
        const trxi_geom *field = field_of(m, i);
        snprintf(name, sizeof name, "mesh%d", i);
        if (field) {
            write_field(m, name, &field->shape);
            continue;
        }
        trxi_export_open(m, 2, "mesh");
        trxi_export_text(m, "name", name);
        // a mesh that is only drawn may have no volume
        if (!m->model->meshes[i].has_hull) trxi_export_text(m, "inertia", "shell");
        put_vertices(m, mesh);
        trxi_text_string(m->out, " face=\"");
        for (int k = 0; k < 3 * mesh->ntriangle; k++) trxi_text_printf(m->out, k ? " %d" : "%d", mesh->triangles[k]);
        trxi_text_char(m->out, '"');
        trxi_export_close(m, false);
    }
    trxi_export_end(m, 1, "asset");
}

// ---- geometries ----

static void put_shape(const trxi_export *m, const trxi_geom *geom)
{
    const trx_shape *shape = &geom->shape;
    const double half[3] = {shape->size[0] / 2, shape->size[1] / 2, shape->size[2] / 2};
    const double tube[2] = {shape->radius, shape->length / 2}, plane[3] = {0, 0, 1};
    char name[32];
    const bool field = shape->type == TRX_SHAPE_HEIGHT_FIELD;
    trxi_export_text(m, "type", field ? "hfield" : shape->type == TRX_SHAPE_HALFSPACE ? "plane" : trx_shape_name(shape->type));
    switch (shape->type) {
    case TRX_SHAPE_HALFSPACE: trxi_export_numbers(m, "size", plane, 3); break;
    case TRX_SHAPE_HEIGHT_FIELD:
    case TRX_SHAPE_MESH:
        snprintf(name, sizeof name, "mesh%d", geom->mesh);
        trxi_export_text(m, field ? "hfield" : "mesh", name);
        break;
    case TRX_SHAPE_BOX:
    case TRX_SHAPE_ELLIPSOID: trxi_export_numbers(m, "size", half, 3); break;
    case TRX_SHAPE_CYLINDER:
    case TRX_SHAPE_CAPSULE: trxi_export_numbers(m, "size", tube, 2); break;
    case TRX_SHAPE_SPHERE: trxi_export_number(m, "size", shape->radius); break;
    }
}

static void put_geometry_pose(const trxi_export *m, const trxi_geom *geom)
{
    trx_pose pose = geom->pose;
    double size[4], R[9], at[3], shift[3];
    if (geom->shape.type == TRX_SHAPE_HEIGHT_FIELD) {
        field_box(&geom->shape, size, at);
        trxi_quat_to_matrix(pose.quat, R);
        trxi_mulv3(R, at, shift);
        trxi_add3(pose.p, shift, pose.p);
    }
    put_pose(m, &pose);
}

static void write_geometries(const trxi_export *m, int body, int depth)
{
    const trxi_body *b = &m->model->bodies[body];
    for (int i = b->first_geom; i < b->first_geom + b->ngeom; i++) {
        const trxi_geom *geom = &m->model->geoms[i];
        trxi_export_open(m, depth, "geom");
        trxi_export_text(m, "name", geom->name);
        put_shape(m, geom);
        put_geometry_pose(m, geom);
        if (geom->has_color) trxi_export_numbers(m, "rgba", geom->color, 4);
        trxi_text_string(m->out, " contype=\"0\" conaffinity=\"0\"");
        trxi_export_close(m, false);
    }
}

// ---- joints ----

// axis and point of a link's joint in the body's frame, at the neutral configuration
static void put_axis(const trxi_export *m, int body, const trxi_link *link)
{
    int index = (int)(link - m->model->links);
    double R[9], world[3], local[3], offset[3];
    trxi_quat_to_matrix(m->poses[body].quat, R);
    trxi_sub3(m->link_p + 3 * index, m->poses[body].p, offset);
    trxi_mulv3_t(R, offset, local);
    trxi_export_numbers(m, "pos", local, 3);
    if (link->type == TRXI_BALL) return;
    trxi_mulv3(m->link_R + 9 * index, link->axis, world);
    trxi_mulv3_t(R, world, local);
    trxi_export_numbers(m, "axis", local, 3);
}

static void put_dynamics(const trxi_export *m, const trxi_joint *joint)
{
    const struct {
        const char *key;
        double value;
    } values[] = {{"stiffness", joint->stiffness}, {"damping", joint->damping}, {"armature", joint->armature},
                  {"frictionloss", joint->friction}, {"ref", joint->reference}, {"springref", joint->rest}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].value != 0) trxi_export_number(m, values[i].key, values[i].value);
    if (!isfinite(joint->lower) && !isfinite(joint->upper)) return;

    // MuJoCo has no one-sided limits
    const double range[2] = {fmax(joint->lower, -1e6), fmin(joint->upper, 1e6)};
    trxi_export_numbers(m, "range", range, 2);
}

static void write_link(const trxi_export *m, int body, int depth, const trxi_joint *joint, const trxi_link *link,
                       const char *name)
{
    static const char *const types[] = {"hinge", "slide", "ball"};
    trxi_export_open(m, depth, "joint");
    trxi_export_text(m, "name", name);
    trxi_export_text(m, "type", types[link->type]);
    put_axis(m, body, link);
    put_dynamics(m, joint);
    trxi_export_close(m, false);
}

static void write_joint(const trxi_export *m, int body, int depth, const trxi_joint *joint)
{
    const trxi_link *links = m->model->links + joint->first_link;
    if (joint->type == TRX_JOINT_FREE) {
        trxi_export_open(m, depth, "joint");
        trxi_export_text(m, "name", joint->name);
        trxi_export_text(m, "type", "free");
        if (joint->damping != 0) trxi_export_number(m, "damping", joint->damping);
        if (joint->armature != 0) trxi_export_number(m, "armature", joint->armature);
        if (joint->friction != 0) trxi_export_number(m, "frictionloss", joint->friction);
        trxi_export_close(m, false);
        return;
    }
    if (joint->type != TRX_JOINT_PLANAR) {
        write_link(m, body, depth, joint, links, joint->name);
        return;
    }
    for (int i = 0; i < 3; i++) write_link(m, body, depth, joint, links + i, m->model->q_names[joint->q + i]);
}

// ---- bodies ----

static void put_body_pose(const trxi_export *m, int body)
{
    const trx_pose *own = &m->poses[body];
    int parent = m->model->bodies[body].parent;
    if (parent < 0) {
        put_pose(m, own);
        return;
    }
    const trx_pose *other = &m->poses[parent];
    double R[9], R_own[9], R_rel[9], offset[3];
    trx_pose relative;
    trxi_quat_to_matrix(other->quat, R);
    trxi_quat_to_matrix(own->quat, R_own);
    trxi_mul33_at(R, R_own, R_rel);
    trxi_quat_from_matrix(R_rel, relative.quat);
    trxi_sub3(own->p, other->p, offset);
    trxi_mulv3_t(R, offset, relative.p);
    put_pose(m, &relative);
}

// MuJoCo refuses moments with A + B < C, which flat bodies may have by rounding (the model allows them within 1e-6
// of the trace): with I = tensor + more 1, trace(I)/2 1 - I must have a Cholesky factor
static void balance(double tensor[6])
{
    static const double slack[] = {0, 1e-12, 1e-10, 1e-8, 2e-6}, margin = 1e-13;
    const double trace = tensor[0] + tensor[1] + tensor[2];
    for (size_t k = 0; k < sizeof slack / sizeof *slack; k++) {
        const double more = slack[k] * trace, half = (trace + more) / 2 - margin * trace;
        double rest[9] = {half - tensor[0], -tensor[3],       -tensor[4], //
                          -tensor[3],       half - tensor[1], -tensor[5], //
                          -tensor[4],       -tensor[5],       half - tensor[2]};
        if (trxi_cholesky(3, rest, 3) >= 0) continue;
        for (int i = 0; i < 3; i++) tensor[i] += more;
        return;
    }
}

static void write_inertial(const trxi_export *m, int body, int depth)
{
    const trx_body_inertia *in = &m->model->inertias[body];
    bool moves = m->model->bodies[body].link >= 0;
    if (!moves || (in->mass == 0 && in->tensor[0] + in->tensor[1] + in->tensor[2] == 0)) return;
    trxi_export_open(m, depth, "inertial");
    trxi_export_number(m, "mass", in->mass);
    trxi_export_numbers(m, "pos", in->com, 3);
    double tensor[6];
    memcpy(tensor, in->tensor, sizeof tensor);
    balance(tensor);
    trxi_export_numbers(m, "fullinertia", tensor, 6);
    trxi_export_close(m, false);
}

// the points of a span on this body, and the obstacle, which touches nothing; see write_path
static void write_span(const trxi_export *m, int index, int body, int depth)
{
    const trxi_length_span *span = &m->model->spans[index];
    const trxi_span_end *points[] = {&span->end[0], &span->end[1], &span->side};
    char name[32];
    for (int k = 0; k < (span->sided ? 3 : 2); k++) {
        if (points[k]->body != body) continue;
        snprintf(name, sizeof name, "span#%d%d", index, k);
        trxi_export_open(m, depth, "site");
        trxi_export_text(m, "name", name);
        trxi_export_numbers(m, "pos", points[k]->at, 3);
        trxi_export_close(m, false);
    }
    if (span->around == TRX_TENDON_SITE || span->body != body) return;
    const double size[2] = {span->radius, span->radius};
    snprintf(name, sizeof name, "span#%d", index);
    trxi_export_open(m, depth, "geom");
    trxi_export_text(m, "name", name);
    trxi_export_text(m, "type", span->around == TRX_TENDON_SPHERE ? "sphere" : "cylinder");
    trxi_export_numbers(m, "size", size, span->around == TRX_TENDON_SPHERE ? 1 : 2);
    put_pose(m, &span->pose);
    trxi_export_text(m, "contype", "0");
    trxi_export_text(m, "conaffinity", "0");
    trxi_export_text(m, "mass", "0");
    trxi_export_close(m, false);
}

static void write_sites(const trxi_export *m, int body, int depth)
{
    // the two frames of every constraint between bodies; no frame name contains #
    for (int i = 0; i < m->model->nconstraint; i++) {
        const trxi_constraint *c = &m->model->constraints[i];
        for (int side = 0; side < 2 && !trxi_constraint_of_lengths(c); side++) {
            if ((side ? c->body_b : c->body_a) != body) continue;
            char name[32];
            snprintf(name, sizeof name, "held#%d%c", i, side ? 'b' : 'a');
            trxi_export_open(m, depth, "site");
            trxi_export_text(m, "name", name);
            put_pose(m, side ? &c->pose_b : &c->pose_a);
            trxi_export_close(m, false);
        }
    }
    for (int i = 0; i < m->model->nspan; i++) write_span(m, i, body, depth);
    for (int i = 0; i < m->model->nframe; i++) {
        const trxi_frame *frame = &m->model->frames[i];
        if (frame->body != body) continue;
        trxi_export_open(m, depth, "site");
        trxi_export_text(m, "name", frame->name);
        put_pose(m, &frame->pose);
        trxi_export_close(m, false);
    }
}

static void open_body(const trxi_export *m, int body, int depth)
{
    const trxi_body *b = &m->model->bodies[body];
    trxi_export_open(m, depth, "body");
    trxi_export_text(m, "name", b->name);
    put_body_pose(m, body);
    if (!b->gravity) trxi_export_text(m, "gravcomp", "1");
    trxi_export_close(m, true);
    write_inertial(m, body, depth + 1);
    for (int i = 0; i < m->model->njoint; i++)
        if (m->model->joints[i].body == body) write_joint(m, body, depth + 1, &m->model->joints[i]);
    write_geometries(m, body, depth + 1);
    write_sites(m, body, depth + 1);
}

// the next body after `from` with this parent, -1 when there is none
static int next_child(const trx_model *model, int parent, int from)
{
    for (int i = from + 1; i < model->nbody; i++)
        if (model->bodies[i].parent == parent) return i;
    return -1;
}

void trxi_export_bodies(const trxi_export *m)
{
    write_meshes(m);
    trxi_export_open(m, 1, "worldbody");
    trxi_export_close(m, true);
    write_sites(m, -1, 2);

    // depth first without recursion: go down, else close the element and go to the next sibling
    int at = -1, child = next_child(m->model, -1, -1), depth = 2;
    while (at >= 0 || child >= 0) {
        if (child >= 0) {
            open_body(m, child, depth++);
            at = child;
            child = next_child(m->model, at, -1);
            continue;
        }
        trxi_export_end(m, --depth, "body");
        int parent = m->model->bodies[at].parent;
        child = next_child(m->model, parent, at);
        at = parent;
    }
    trxi_export_end(m, 1, "worldbody");
}
