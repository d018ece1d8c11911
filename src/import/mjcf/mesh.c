// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Mass properties of a mesh by the four rules of MJCF. For OBJ files the triangles are the triangles that MuJoCo takes, which may
// leave out parts of the mesh or cover them twice; a note says so where the volume differs. Each triangle and a point c form a
// tetrahedron (for a shell: the triangle itself) of the signed size s; with its corners d, e, f relative to the point,
//
//     size = sum s,   com = sum s (3/4 mid + 1/4 c) / size,
//     integral of x_i x_j = sum s/20 (d_i d_j + e_i e_j + f_i f_j + (d + e + f)_i (d + e + f)_j)
//
// First c is the centroid of the surface, which gives com; then all sums are repeated about com. A shell has 12 in
// place of 20. The rule "legacy" takes |s|: regions behind other parts of the mesh count twice, and the size
// depends on the point. "convex" takes the hull instead of the mesh; "exact" is the signed sum.

#include "import/mjcf/mjcf.h"

#include "geometry/hull.h"

#include <math.h>
#include <string.h>
#include <strings.h>

// a hull as triangles
static const trx_mesh *hull_mesh(trxi_mjcf *reader, const trxi_mjcf_mesh *of, const trx_mesh *mesh)
{
    trxi_draft *draft = reader->draft;
    const trxi_hull *hull = NULL;
    trx_status status = trxi_hull_create(reader->context, trxi_draft_pool(draft), mesh, &hull);
    if (status == TRX_ERR_MEMORY) draft->memory = false;
    if (status < 0) {
        const char *why = trxi_draft_printf(draft, "%s", trx_context_message(reader->context));
        if (status == TRX_ERR_INPUT) trxi_error_at(reader->context, of->source, "mesh '%.60s': %s", of->name, why);
        return NULL;
    }
    trx_mesh *out = TRXI_DRAFT_TAKE(draft, trx_mesh, 1);
    if (!out) return NULL;
    if (!trxi_hull_mesh(trxi_draft_pool(draft), hull, out)) draft->memory = false;
    out->name = mesh->name;
    return draft->memory ? out : NULL;
}

// corners of a triangle about `origin`; returns its area, with its middle and unit normal
static double corners_of(const trx_mesh *mesh, int triangle, const double origin[3], double corners[9],
                         double middle[3], double normal[3])
{
    double side[3], other[3];
    trxi_zero3(middle);
    for (int k = 0; k < 3; k++) {
        trxi_sub3(mesh->vertices + 3 * mesh->triangles[3 * triangle + k], origin, corners + 3 * k);
        trxi_axpy3(1.0 / 3, corners + 3 * k, middle);
    }
    trxi_sub3(corners + 3, corners, side);
    trxi_sub3(corners + 6, corners, other);
    trxi_cross3(side, other, normal);
    return trxi_normalize3(normal, normal) / 2;
}

static void surface_centroid(const trx_mesh *mesh, double centre[3])
{
    static const double zero[3] = {0, 0, 0};
    double area = 0, corners[9], middle[3], normal[3], sum[3] = {0, 0, 0};
    for (int i = 0; i < mesh->ntriangle; i++) {
        double a = corners_of(mesh, i, zero, corners, middle, normal);
        area += a;
        trxi_axpy3(a, middle, sum);
    }
    trxi_scale3(area > 0 ? 1 / area : 0, sum, centre);
}

static double size_of(trxi_mjcf_mesh_inertia rule, double area, const double middle[3], const double normal[3])
{
    if (rule == TRXI_MJCF_MESH_SHELL) return area;
    double volume = trxi_dot3(middle, normal) * area / 3;
    return rule == TRXI_MJCF_MESH_LEGACY ? fabs(volume) : volume;
}

static double centre_of(const trx_mesh *mesh, trxi_mjcf_mesh_inertia rule, double com[3])
{
    double apex[3], size = 0, sum[3] = {0, 0, 0}, corners[9], middle[3], normal[3];
    surface_centroid(mesh, apex);
    for (int i = 0; i < mesh->ntriangle; i++) {
        double area = corners_of(mesh, i, apex, corners, middle, normal), s = size_of(rule, area, middle, normal);
        size += s;
        trxi_axpy3(rule == TRXI_MJCF_MESH_SHELL ? s : 0.75 * s, middle, sum);
    }
    trxi_scale3(size != 0 ? 1 / size : 0, sum, com);
    trxi_add3(com, apex, com);
    return size;
}

static void sum_about(const trx_mesh *mesh, trxi_mjcf_mesh_inertia rule, trxi_mjcf_solid *solid)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double product[6] = {0}, corners[9], middle[3], normal[3];
    solid->mass = 0;
    for (int t = 0; t < mesh->ntriangle; t++) {
        double area = corners_of(mesh, t, solid->com, corners, middle, normal), s = size_of(rule, area, middle, normal);
        solid->mass += s;
        s /= rule == TRXI_MJCF_MESH_SHELL ? 12 : 20;
        for (int k = 0; k < 6; k++) {
            int i = row[k], j = column[k];
            double own = 9 * middle[i] * middle[j];
            for (int c = 0; c < 3; c++) own += corners[3 * c + i] * corners[3 * c + j];
            product[k] += s * own;
        }
    }
    for (int k = 0; k < 3; k++) solid->tensor[k] = product[(k + 1) % 3] + product[(k + 2) % 3];
    for (int k = 3; k < 6; k++) solid->tensor[k] = -product[k];
}

// a scaled mesh relative to its reference pose: x = scale R^T (v - p), where the vertices of `mesh` are scale v
static const trx_mesh *moved_mesh(trxi_mjcf *reader, const trxi_mjcf_mesh *from, const trx_mesh *mesh)
{
    trx_mesh *out = TRXI_DRAFT_TAKE(reader->draft, trx_mesh, 1);
    double *vertices = TRXI_DRAFT_TAKE(reader->draft, double, 3 * mesh->nvertex), R[9];
    if (!out || !vertices) return NULL;
    trxi_quat_to_matrix(from->reference.quat, R);
    for (int i = 0; i < mesh->nvertex; i++) {
        double d[3];
        for (int k = 0; k < 3; k++) {
            const double scale = from->scale[k]; // 0: a flat mesh, which is refused where it is weighed or touches
            d[k] = (scale != 0 ? mesh->vertices[3 * i + k] / scale : 0) - from->reference.p[k];
        }
        trxi_mulv3_t(R, d, vertices + 3 * i);
        for (int k = 0; k < 3; k++) vertices[3 * i + k] *= from->scale[k];
    }
    *out = *mesh;
    out->vertices = vertices;
    return out;
}

// returns the volume (area of a shell)
static double weigh_surface(const trx_mesh *surface, trxi_mjcf_mesh_inertia rule, trxi_mjcf_solid *solid)
{
    const double size = centre_of(surface, rule, solid->com);
    if (size > 1e-14) sum_about(surface, rule, solid);
    return size;
}

// the triangles by which MuJoCo weighs the mesh
static const trx_mesh *weighed_surface(trxi_mjcf *reader, const trxi_mjcf_mesh *mesh, const trx_mesh *surface)
{
    const char *ending = mesh->uri ? strrchr(mesh->uri, '.') : NULL;
    if (mesh->inertia == TRXI_MJCF_MESH_CONVEX) return hull_mesh(reader, mesh, surface);
    if (!ending || strcasecmp(ending, ".obj") != 0) return surface;
    const trx_mesh *taken = trxi_draft_mujoco_mesh(reader->draft, mesh->source, mesh->uri, mesh->folder, mesh->scale);
    return taken && mesh->moved ? moved_mesh(reader, mesh, taken) : taken;
}

static void note_other_size(trxi_mjcf *reader, const trxi_mjcf_mesh *mesh, const trx_mesh *surface, double size)
{
    static const double LARGE_CHANGE = 1e-3;
    trxi_mjcf_solid whole;
    const double all = weigh_surface(surface, mesh->inertia, &whole);
    if (!(fabs(size - all) > LARGE_CHANGE * fabs(all))) return;
    trxi_draft_note(reader->draft, TRX_NOTE_ASSUMED, mesh->source,
                    "mesh '%.60s' weighs as in MuJoCo, %.3g %% of the whole: MuJoCo takes only the first object of an OBJ file, no "
                    "polygon of more than 100 corners, and divides polygons with reflex corners wrongly",
                    mesh->name, 100 * size / all);
}

bool trxi_mjcf_weigh_mesh(trxi_mjcf *reader, trxi_mjcf_mesh *mesh)
{
    const trx_mesh *surface = trxi_mjcf_load_mesh(reader, mesh, false);
    if (!surface) return false;
    if (mesh->weighed) return mesh->solid.mass > 0;
    mesh->weighed = true;
    const trx_mesh *weighed = weighed_surface(reader, mesh, surface);
    if (!weighed) return false;

    const double size = weigh_surface(weighed, mesh->inertia, &mesh->solid);
    if (weighed != surface && mesh->inertia != TRXI_MJCF_MESH_CONVEX) note_other_size(reader, mesh, surface, size);
    if (size > 1e-14 && mesh->solid.mass > 0) return true;
    mesh->solid.mass = 0;
    trxi_error_at(reader->context, mesh->source,
                  "mesh '%.60s' has the volume %g m^3 by the rule of its attribute inertia, "
                  "but bodies are weighed by it: give them an inertial, or write inertia=\"convex\"",
                  mesh->name, size);
    return false;
}

// vertices with the scale of the file; a mirrored mesh is reversed so that its normals point outwards
static const trx_mesh *inline_mesh(trxi_mjcf *reader, const trxi_mjcf_mesh *from)
{
    trxi_draft *draft = reader->draft;
    trx_mesh *out = TRXI_DRAFT_TAKE(draft, trx_mesh, 1);
    double *vertices = TRXI_DRAFT_TAKE(draft, double, 3 * from->nvertex);
    int *triangles = TRXI_DRAFT_TAKE(draft, int, 3 * from->nface);
    if (!out || !vertices || !triangles) return NULL;
    bool mirrored = from->scale[0] * from->scale[1] * from->scale[2] < 0;
    for (int i = 0; i < 3 * from->nvertex; i++) vertices[i] = from->scale[i % 3] * from->vertices[i];
    for (int i = 0; i < 3 * from->nface; i++) {
        int k = i % 3, corner = mirrored && k > 0 ? i + (k == 1 ? 1 : -1) : i;
        triangles[i] = (int)from->faces[corner];
    }
    *out = (trx_mesh){.name = from->name,
                      .nvertex = from->nvertex,
                      .vertices = vertices,
                      .ntriangle = from->nface,
                      .triangles = triangles};
    return from->nface > 0 ? out : hull_mesh(reader, from, out);
}

const trx_mesh *trxi_mjcf_load_mesh(trxi_mjcf *reader, trxi_mjcf_mesh *mesh, bool drawn)
{
    if (mesh->loaded && (mesh->mesh || drawn)) return mesh->mesh;
    mesh->loaded = true;
    if (!mesh->uri)
        mesh->mesh = mesh->vertices ? inline_mesh(reader, mesh) : NULL;
    else if (drawn)
        mesh->mesh = trxi_draft_drawing(reader->draft, mesh->source, mesh->uri, mesh->folder, mesh->scale);
    else
        mesh->mesh = trxi_draft_mesh(reader->draft, mesh->source, mesh->uri, mesh->folder, mesh->scale);
    if (mesh->mesh && mesh->moved) mesh->mesh = moved_mesh(reader, mesh, mesh->mesh);
    return mesh->mesh;
}
