// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Parts of the solid of a mesh (theory 1); see mesh_part.h.
//
// A part is stored as the planes of its region and the list of triangles that reach into the region. Triangles are clipped
// when the hull is computed, each from its own corners, so that rounding does not add up over many cuts.
//
// The extreme points of a part are points of the clipped surface, or corners of the region inside the solid: where
// three planes meet. The hull of both is therefore the hull of the part. The grid tells whether a corner is inside the
// solid. If the corner is in a cell of the surface, the winding number of a closed mesh about the corner tells it (van
// Oosterom, Strackee 1983),
//
//     tan(omega/2) = a . (b x c) / (|a| |b| |c| + (a . b) |c| + (b . c) |a| + (c . a) |b|),      w = sum omega / (4 pi)
//
// A part without volume, of a sheet of triangles, is grown by a small octahedron.

#include "geometry/mesh_part.h"

#include "geometry/mesh.h"
#include "math/constants.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// ---- clipping ----

// the part of a polygon where n . x <= d + eps; a polygon that would have too many corners stays as it is
static void clip(trxi_polygon *p, const double plane[4], double eps)
{
    trxi_polygon out;
    out.count = 0;
    bool cut = false;
    for (int i = 0; i < p->count; i++) cut = cut || trxi_dot3(plane, p->x[i]) > plane[3] + eps;
    if (!cut || p->count + 1 > TRXI_MOST_CORNERS) return;
    for (int i = 0; i < p->count; i++) {
        const double *a = p->x[i], *b = p->x[(i + 1) % p->count];
        const double da = trxi_dot3(plane, a) - plane[3], db = trxi_dot3(plane, b) - plane[3];
        if (da <= eps) trxi_copy3(a, out.x[out.count++]);
        if ((da > eps && db < -eps) || (da < -eps && db > eps)) {
            double *x = out.x[out.count++];
            for (int k = 0; k < 3; k++) x[k] = (db * a[k] - da * b[k]) / (db - da);
        }
    }
    p->count = out.count, p->whole = false;
    memcpy(p->x, out.x, (size_t)out.count * sizeof *out.x);
}

trxi_polygon trxi_part_polygon(const trxi_cutter *c, const trxi_mesh_part *part, int t)
{
    trxi_polygon p = {.count = 3, .whole = true};
    for (int k = 0; k < 3; k++) trxi_copy3(c->mesh->vertices + 3 * (size_t)c->mesh->triangles[3 * t + k], p.x[k]);
    for (int i = 0; i < part->nplane && p.count > 0; i++) clip(&p, part->planes[i], c->eps);
    return p;
}

// ---- points of a part ----

typedef struct points {
    trxi_pool *scratch;
    double *x;
    int count, capacity;
    bool memory;
} points;

static void add_point(points *p, const double x[3])
{
    if (p->count == p->capacity) {
        double *grown = trxi_pool_grow(p->scratch, p->x, p->count, &p->capacity, 3 * sizeof *grown);
        if (!grown) p->memory = false;
        if (!grown) return;
        p->x = grown;
    }
    trxi_copy3(x, p->x + 3 * (size_t)p->count++);
}

static void add_surface(trxi_cutter *c, const trxi_mesh_part *part, points *out)
{
    c->stamp++;
    for (int i = 0; i < part->ntriangle && out->memory; i++) {
        const trxi_polygon p = trxi_part_polygon(c, part, part->triangles[i]);
        for (int k = 0; k < p.count; k++) {
            int *mark = p.whole ? &c->mark[c->mesh->triangles[3 * part->triangles[i] + k]] : NULL;
            if (mark && *mark == c->stamp) continue;
            if (mark) *mark = c->stamp;
            add_point(out, p.x[k]);
        }
    }
}

static double winding(const trx_mesh *mesh, const double x[3])
{
    double sum = 0;
    for (int t = 0; t < mesh->ntriangle; t++) {
        double p[3][3], normal[3], length[3];
        for (int k = 0; k < 3; k++) {
            trxi_sub3(mesh->vertices + 3 * (size_t)mesh->triangles[3 * t + k], x, p[k]);
            length[k] = trxi_norm3(p[k]);
        }
        trxi_cross3(p[1], p[2], normal);
        const double below = length[0] * length[1] * length[2] + trxi_dot3(p[0], p[1]) * length[2] +
                             trxi_dot3(p[1], p[2]) * length[0] + trxi_dot3(p[2], p[0]) * length[1];
        sum += 2 * atan2(trxi_dot3(p[0], normal), below);
    }
    return sum / (4 * TRXI_PI);
}

static bool in_solid(const trxi_cutter *c, const double x[3])
{
    const trxi_cell cell = trxi_solid_grid_at(c->grid, x);
    if (cell != TRXI_CELL_SURFACE) return cell == TRXI_CELL_INSIDE;
    return c->closed && fabs(winding(c->mesh, x)) > 0.5;
}

// the point in three planes; false when there is none or many
static bool meet(const double *a, const double *b, const double *c, double x[3])
{
    double bc[3], ca[3], ab[3];
    trxi_cross3(b, c, bc);
    trxi_cross3(c, a, ca);
    trxi_cross3(a, b, ab);
    const double volume = trxi_dot3(a, bc);
    if (fabs(volume) < 1e-6) return false;
    for (int k = 0; k < 3; k++) x[k] = (a[3] * bc[k] + b[3] * ca[k] + c[3] * ab[k]) / volume;
    return true;
}

// whether x lies in the region of a part, to `eps`
static bool region_has(const trxi_mesh_part *part, const double x[3], double eps)
{
    for (int i = 0; i < part->nplane; i++)
        if (trxi_dot3(part->planes[i], x) > part->planes[i][3] + eps) return false;
    return true;
}

// whether the solid within the region reaches the corner x of three planes: a cut often lies in a flat side of the mesh,
// so a point slightly inside the region is tested
static bool reaches_corner(const trxi_cutter *c, const double x[3], const double *const planes[3])
{
    double inside[3];
    trxi_copy3(x, inside);
    for (int k = 0; k < 3; k++) trxi_axpy3(-1e3 * c->eps, planes[k], inside);
    return in_solid(c, inside);
}

static void add_corners(const trxi_cutter *c, const trxi_mesh_part *part, points *out)
{
    const trxi_plane *p = part->planes;
    double x[3];
    for (int i = 0; i < part->nplane; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < j && out->memory; k++)
                if (meet(p[i], p[j], p[k], x) && region_has(part, x, c->eps) &&
                    reaches_corner(c, x, (const double *const[3]){p[i], p[j], p[k]}))
                    add_point(out, x);
}

// ---- hulls ----

static void grow_points(points *p, double by)
{
    const int count = p->count;
    for (int i = 0; i < count && p->memory; i++)
        for (int side = 0; side < 6 && p->memory; side++) {
            double x[3];
            trxi_copy3(p->x + 3 * (size_t)i, x);
            x[side / 2] += side % 2 ? by : -by;
            add_point(p, x);
        }
}

// the hull of points, or of points with a small octahedron about each when they lie in one plane
static trx_status make_hull(trxi_cutter *c, points *p, trxi_mesh_part *part)
{
    part->hull = NULL, part->excess = 0;
    if (!p->memory) return TRX_ERR_MEMORY;
    if (p->count == 0) return TRX_OK;
    for (int pass = 0; pass < 2; pass++) {
        const trx_mesh cloud = {.nvertex = p->count, .vertices = p->x};
        const trxi_hull_outcome outcome = p->count < 4 ? TRXI_HULL_FLAT : trxi_hull_make(c->context, c->pool, &cloud, &part->hull);
        if (outcome == TRXI_HULL_NO_MEMORY) return TRX_ERR_MEMORY;
        if (outcome == TRXI_HULL_MADE) {
            part->excess = trxi_solid_grid_excess(c->grid, part->hull).largest;
            return TRX_OK;
        }
        if (pass == 0) grow_points(p, 0.5 * c->thickness);
        if (!p->memory) return TRX_ERR_MEMORY;
    }
    return trxi_fail(c->context, TRX_ERR_INPUT, "a part of the mesh has no convex hull");
}

static trx_status find_hull(trxi_cutter *c, trxi_mesh_part *part)
{
    points p = {.scratch = trxi_pool_create(c->context), .memory = true};
    if (!p.scratch) return TRX_ERR_MEMORY;
    add_surface(c, part, &p);
    add_corners(c, part, &p);
    const trx_status status = make_hull(c, &p, part);
    trxi_pool_destroy(p.scratch);
    return status;
}

// ---- entry points ----

trx_status trxi_part_whole(trxi_cutter *c, trxi_mesh_part *part)
{
    trxi_plane *planes = TRXI_POOL(c->pool, trxi_plane, 6);
    int *triangles = TRXI_POOL(c->pool, int, c->mesh->ntriangle);
    if (!planes || !triangles) return TRX_ERR_MEMORY;
    for (int t = 0; t < c->mesh->ntriangle; t++) triangles[t] = t;

    // the planes of the grid's box
    for (int i = 0; i < 6; i++) {
        const int a = i / 2;
        const double sign = i % 2 ? 1 : -1, end = c->grid->origin[a] + (i % 2 ? c->grid->h * (c->grid->n[a] - 1) : 0);
        planes[i][a] = sign, planes[i][3] = sign * end;
    }
    *part = (trxi_mesh_part){.planes = (const trxi_plane *)planes, .nplane = 6, .triangles = triangles,
                             .ntriangle = c->mesh->ntriangle};
    return find_hull(c, part);
}

int trxi_polygon_sides(const trxi_cutter *c, const double (*x)[3], int count, int t, const double plane[4])
{
    double lower = INFINITY, upper = -INFINITY;
    for (int k = 0; k < count; k++) {
        const double d = trxi_dot3(plane, x[k]) - plane[3];
        lower = fmin(lower, d), upper = fmax(upper, d);
    }
    if (count == 0) return 0;
    if (lower >= -c->eps && upper <= c->eps) {
        double normal[3];
        trxi_triangle_normal(c->mesh, t, normal);
        return trxi_dot3(plane, normal) > 0 ? 1 : 2;
    }
    return (lower < -c->eps ? 1 : 0) | (upper > c->eps ? 2 : 0);
}

static trx_status make_side(trxi_cutter *c, const trxi_mesh_part *part, const double plane[4], const int *sides, int side,
                            trxi_mesh_part *out)
{
    trxi_plane *planes = TRXI_POOL(c->pool, trxi_plane, part->nplane + 1);
    int *triangles = TRXI_POOL(c->pool, int, part->ntriangle), count = 0;
    if (!planes || !triangles) return TRX_ERR_MEMORY;
    memcpy(planes, part->planes, (size_t)part->nplane * sizeof *planes);
    for (int k = 0; k < 4; k++) planes[part->nplane][k] = side ? -plane[k] : plane[k];
    for (int i = 0; i < part->ntriangle; i++)
        if (sides[i] & 1 << side) triangles[count++] = part->triangles[i];
    *out = (trxi_mesh_part){.planes = (const trxi_plane *)planes, .nplane = part->nplane + 1, .triangles = triangles,
                            .ntriangle = count};
    return find_hull(c, out);
}

trx_status trxi_part_split(trxi_cutter *c, const trxi_mesh_part *part, const double plane[4], trxi_mesh_part sides[2])
{
    int *found = TRXI_POOL(c->pool, int, part->ntriangle);
    if (!found) return TRX_ERR_MEMORY;
    for (int i = 0; i < part->ntriangle; i++) {
        const trxi_polygon p = trxi_part_polygon(c, part, part->triangles[i]);
        found[i] = trxi_polygon_sides(c, (const double(*)[3])p.x, p.count, part->triangles[i], plane);
    }
    trx_status status = TRX_OK;
    for (int side = 0; side < 2 && status == TRX_OK; side++) status = make_side(c, part, plane, found, side, &sides[side]);
    return status;
}

trx_status trxi_part_join(trxi_cutter *c, const trxi_mesh_part *a, const trxi_mesh_part *b, trxi_mesh_part *joined)
{
    points p = {.scratch = trxi_pool_create(c->context), .memory = true};
    if (!p.scratch) return TRX_ERR_MEMORY;
    const trxi_mesh_part *both[2] = {a, b};
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < both[side]->hull->nvertex; i++) {
            double x[3];
            trxi_add3(both[side]->hull->vertices + 3 * i, both[side]->hull->centre, x);
            add_point(&p, x);
        }
    *joined = (trxi_mesh_part){0};
    const trx_status status = make_hull(c, &p, joined);
    trxi_pool_destroy(p.scratch);
    return status;
}
