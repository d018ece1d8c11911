// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The convex hull of a mesh, its contact shape (theory 1); see hull.h. Its faces come from hull_facets.h, on points
// scaled to the cube [-1, 1]^3. This file chooses the vertices, moves them to the centre, and finds planes and
// neighbours.

#include "geometry/hull.h"

#include "geometry/hull_facets.h"
#include "geometry/mesh.h"
#include "math/vec3.h"

// a mesh thinner than this counts as flat, relative to half its size
static const double THINNEST = 1e-6;

typedef struct maker {
    trxi_pool *pool, *scratch;
    const trx_mesh *mesh;
    double *points; // 3 x nvertex of the mesh, scaled
    trxi_hull_facets facets;
} maker;

static void scale_points(maker *m)
{
    const trx_mesh *mesh = m->mesh;
    double lower[3], upper[3], half = 0;
    trxi_point_bounds(mesh->vertices, mesh->nvertex, lower, upper);
    for (int a = 0; a < 3; a++) half = fmax(half, 0.5 * upper[a] - 0.5 * lower[a]);
    for (int i = 0; i < mesh->nvertex && half > 0; i++)
        for (int a = 0; a < 3; a++)
            m->points[3 * i + a] = (mesh->vertices[3 * i + a] - (0.5 * lower[a] + 0.5 * upper[a])) / half;
}

// how far p is from the origin, the line, or the plane that up to two orthonormal directions span
static double away(const double p[3], int count, const double directions[2][3], double rest[3])
{
    trxi_copy3(p, rest);
    for (int k = 0; k < count; k++) trxi_axpy3(-trxi_dot3(directions[k], rest), directions[k], rest);
    return trxi_norm3(rest);
}

// whether the points are nearly in one plane: the plane of the first point, the farthest from it, and the farthest
// from their line; `normal` is 0 when they are nearly in one line
static bool is_flat(const maker *m, double normal[3])
{
    double directions[2][3], best[3] = {0, 0, 0};
    trxi_zero3(normal);
    for (int count = 0; count < 3; count++) {
        double most = 0;
        for (int i = 0; i < m->mesh->nvertex; i++) {
            double p[3], rest[3];
            trxi_sub3(m->points + 3 * (size_t)i, m->points, p);
            double distance = away(p, count, directions, rest);
            if (distance > most) most = distance, trxi_copy3(rest, best);
        }
        if (!(most > THINNEST)) return true;
        if (count < 2) trxi_normalize3(best, directions[count]);
        if (count == 1) trxi_cross3(directions[0], directions[1], normal);
    }
    return false;
}

bool trxi_hull_is_flat(trxi_pool *scratch, const trx_mesh *mesh, double normal[3])
{
    maker m = {.scratch = scratch, .mesh = mesh, .points = TRXI_POOL(scratch, double, 3 * (size_t)mesh->nvertex)};
    trxi_zero3(normal);
    if (!m.points) return false;
    scale_points(&m);
    return is_flat(&m, normal);
}

// the vertices are the points that are corners, in the order of the mesh
static bool choose_vertices(const maker *m, trxi_hull *h, double **vertices)
{
    const trxi_hull_facets *p = &m->facets;
    int *numbers = TRXI_POOL(m->scratch, int, m->mesh->nvertex);
    int *start = TRXI_POOL(m->pool, int, p->nface + 1), *loops = TRXI_POOL(m->pool, int, p->nloop);
    if (!numbers || !start || !loops) return false;
    for (int i = 0; i < p->nloop; i++) numbers[p->loops[i]] = 1;
    for (int i = 0; i < m->mesh->nvertex; i++) numbers[i] = numbers[i] ? h->nvertex++ : -1;
    *vertices = TRXI_POOL(m->pool, double, 3 * (size_t)h->nvertex);
    if (!*vertices) return false;
    for (int i = 0; i < m->mesh->nvertex; i++)
        if (numbers[i] >= 0) trxi_copy3(m->mesh->vertices + 3 * (size_t)i, *vertices + 3 * (size_t)numbers[i]);
    for (int i = 0; i < p->nloop; i++) loops[i] = numbers[p->loops[i]];
    for (int f = 0; f <= p->nface; f++) start[f] = p->start[f];
    h->nface = p->nface, h->nloop = h->nneighbour = p->nloop;
    h->face_start = start, h->loops = loops, h->vertices = *vertices;
    return true;
}

// every edge is in two loops, once in each direction, so that the loops' directed edges are all neighbours
static bool find_neighbours(const maker *m, trxi_hull *h)
{
    int *start = TRXI_POOL(m->pool, int, h->nvertex + 1), *neighbours = TRXI_POOL(m->pool, int, h->nneighbour);
    int *filled = TRXI_POOL(m->scratch, int, h->nvertex);
    if (!start || !neighbours || !filled) return false;
    for (int i = 0; i < h->nloop; i++) start[h->loops[i] + 1]++;
    for (int i = 0; i < h->nvertex; i++) start[i + 1] += start[i];
    for (int f = 0; f < h->nface; f++)
        for (int i = h->face_start[f]; i < h->face_start[f + 1]; i++) {
            int a = h->loops[i], b = h->loops[i + 1 < h->face_start[f + 1] ? i + 1 : h->face_start[f]];
            neighbours[start[a] + filled[a]++] = b;
        }
    h->neighbour_start = start, h->neighbours = neighbours;
    return true;
}

// moves the vertices to the centre of the volume, which becomes the origin
static bool centre(const maker *m, trxi_hull *h, double *vertices)
{
    trx_mesh mesh = {.nvertex = h->nvertex, .vertices = vertices};
    mesh.triangles = trxi_loop_fans(m->scratch, h->face_start, h->loops, h->nface, &mesh.ntriangle);
    if (!mesh.triangles) return false;
    trxi_mesh_integrals sums;
    trxi_mesh_integrate(&mesh, &sums);
    trxi_copy3(sums.com, h->centre);
    h->volume = sums.volume;
    for (int i = 0; i < h->nvertex; i++) {
        trxi_sub3(vertices + 3 * i, h->centre, vertices + 3 * i);
        h->radius = fmax(h->radius, trxi_norm3(vertices + 3 * i));
    }
    return true;
}

// the largest n . x of all vertices: climbs from each corner of the face along edges
static double support(const trxi_hull *h, const double n[3], const int *loop, int count)
{
    double best = -INFINITY;
    for (int k = 0; k < count; k++) {
        int at = loop[k], next = -1;
        best = fmax(best, trxi_dot3(n, h->vertices + 3 * at));
        while (at != next) {
            next = at;
            for (int i = h->neighbour_start[next]; i < h->neighbour_start[next + 1]; i++) {
                double height = trxi_dot3(n, h->vertices + 3 * h->neighbours[i]);
                if (height > best) best = height, at = h->neighbours[i];
            }
        }
    }
    return best;
}

static bool find_planes(const maker *m, trxi_hull *h)
{
    double *faces = TRXI_POOL(m->pool, double, 4 * (size_t)h->nface);
    if (!faces) return false;
    for (int f = 0; f < h->nface; f++) {
        const int *loop = h->loops + h->face_start[f], count = h->face_start[f + 1] - h->face_start[f];
        double *plane = faces + 4 * (size_t)f;
        trxi_loop_area(h->vertices, loop, count, plane);
        trxi_normalize3(plane, plane);
        plane[3] = support(h, plane, loop, count);
    }
    h->faces = faces;
    return true;
}

static trxi_hull_outcome finish(maker *m, const trxi_hull **hull)
{
    double *vertices;
    trxi_hull *h = TRXI_POOL(m->pool, trxi_hull, 1);
    if (!h || !choose_vertices(m, h, &vertices)) return TRXI_HULL_NO_MEMORY;
    if (!find_neighbours(m, h) || !centre(m, h, vertices) || !find_planes(m, h)) return TRXI_HULL_NO_MEMORY;
    *hull = h;
    return TRXI_HULL_MADE;
}

static const char *defect(const trx_mesh *mesh)
{
    if (mesh->nvertex < 4 || !mesh->vertices) return "a convex hull needs at least four vertices";
    for (size_t i = 0; i < 3 * (size_t)mesh->nvertex; i++)
        if (!isfinite(mesh->vertices[i])) return "a vertex of the mesh is not finite";
    return NULL;
}

static trxi_hull_outcome make(maker *m, const trxi_hull **hull)
{
    m->points = TRXI_POOL(m->scratch, double, 3 * (size_t)m->mesh->nvertex);
    if (!m->points) return TRXI_HULL_NO_MEMORY;
    scale_points(m);
    double normal[3];
    if (is_flat(m, normal)) return TRXI_HULL_FLAT;
    const trxi_hull_outcome outcome = trxi_hull_find_facets(m->scratch, m->points, m->mesh->nvertex, &m->facets);
    return outcome == TRXI_HULL_MADE ? finish(m, hull) : outcome;
}

trxi_hull_outcome trxi_hull_make(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trxi_hull **hull)
{
    *hull = NULL;
    maker m = {.pool = pool, .scratch = trxi_pool_create(context), .mesh = mesh};
    if (!m.scratch) return TRXI_HULL_NO_MEMORY;
    const trxi_hull_outcome outcome = make(&m, hull);
    trxi_pool_destroy(m.scratch);
    return outcome;
}

trx_status trxi_hull_create(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trxi_hull **hull)
{
    *hull = NULL;
    const char *wrong = defect(mesh);
    if (wrong) return trxi_fail(context, TRX_ERR_INPUT, "%s", wrong);
    switch (trxi_hull_make(context, pool, mesh, hull)) {
    case TRXI_HULL_MADE: return TRX_OK;
    case TRXI_HULL_FLAT:
        return trxi_fail(context, TRX_ERR_INPUT,
                         "all vertices of the mesh are nearly in one plane, so that its convex hull has no volume");
    case TRXI_HULL_FAILED: return trxi_fail(context, TRX_ERR_INPUT, "the convex hull of the mesh cannot be computed");
    case TRXI_HULL_NO_MEMORY: break;
    }
    return trxi_fail(context, TRX_ERR_MEMORY, "out of memory (hull of %d vertices)", mesh->nvertex);
}

bool trxi_hull_mesh(trxi_pool *pool, const trxi_hull *hull, trx_mesh *mesh)
{
    double *vertices = TRXI_POOL(pool, double, 3 * (size_t)hull->nvertex);
    *mesh = (trx_mesh){.nvertex = hull->nvertex, .vertices = vertices};
    mesh->triangles = trxi_loop_fans(pool, hull->face_start, hull->loops, hull->nface, &mesh->ntriangle);
    if (!vertices || !mesh->triangles) return false;
    for (int i = 0; i < hull->nvertex; i++) trxi_add3(hull->vertices + 3 * i, hull->centre, vertices + 3 * (size_t)i);
    return true;
}
