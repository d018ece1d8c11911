// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The convex hull of a mesh (theory 1: what it touches with), in four steps; see hull.h.
//
//     qhull    which points are corners of which facet, on points scaled to the cube [-1, 1]^3
//     loops    the corners of each facet in order, from the edges (ridges) it shares with its neighbours; corners that only
//              two facets share are no corners
//     order    vertices as in the mesh, loops from their smallest vertex, faces by their loops, whatever qhull's order
//     numbers  centre, planes, neighbours
//
// Qhull merges facets that are not clearly convex where they meet. It may fail to on points that are nearly, but not
// quite, in many common planes; then it is asked again to merge at rounding errors only, and at last to move the points by
// rounding errors. Its messages go into a buffer that no one reads; its memory is its own, and freed before this returns.
// Only its sets are read here, no function of it is called that may leave by longjmp.

#include "geometry/hull.h"

#include "geometry/mesh.h"
#include "math/vec3.h"

#include <libqhull_r/libqhull_r.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 4096 };

// thickness of a mesh that counts as flat, over half its size
static const double THINNEST = 1e-6;

typedef enum outcome { MADE, FAILED, FLAT, OUT_OF_MEMORY } outcome;

// faces as lists of numbers of points
typedef struct polyhedron {
    int nface, nloop;
    int *start; // nface + 1
    int *loops; // nloop
} polyhedron;

typedef struct maker {
    trx_context *context;
    trxi_pool *scratch;
    const trx_mesh *mesh;
    double *points; // 3 x nvertex of the mesh, scaled
    int *links;     // 2 x nvertex: scratch of a loop, -1 between loops
    polyhedron p;
} maker;

// ---- qhull ----

static void scale_points(maker *m)
{
    const trx_mesh *mesh = m->mesh;
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, half = 0;
    for (int i = 0; i < mesh->nvertex; i++)
        for (int a = 0; a < 3; a++) {
            lower[a] = fmin(lower[a], mesh->vertices[3 * i + a]);
            upper[a] = fmax(upper[a], mesh->vertices[3 * i + a]);
        }
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

// Whether the points are nearly in one plane: that of the first, the farthest from it, and the farthest from their line.
static bool is_flat(const maker *m)
{
    double directions[2][3], best[3];
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
    }
    return false;
}

static int point_of(const qhT *qh, const vertexT *vertex)
{
    return (int)((vertex->point - qh->first_point) / 3);
}

// room for all loops: facets and their edges are counted before they are read
static bool reserve(maker *m, const qhT *qh)
{
    const facetT *facet;
    size_t faces = 0, corners = 0;
    for (facet = qh->facet_list; facet && facet->next; facet = facet->next) {
        ridgeT *ridge, **ridgep;
        faces++;
        if (facet->simplicial) corners += 3;
        else FOREACHridge_(facet->ridges) corners++;
    }
    m->p.start = TRXI_POOL(m->scratch, int, faces + 1);
    m->p.loops = TRXI_POOL(m->scratch, int, corners);
    return m->p.start && m->p.loops;
}

static bool link_points(int *links, int a, int b)
{
    for (int i = 0; i < 2; i++) {
        int *ends = links + 2 * (size_t)(i ? b : a);
        if (ends[1] >= 0) return false;
        ends[ends[0] >= 0] = i ? a : b;
    }
    return true;
}

// the corners of a facet with ridges, linked by these, one after the other; 0 when they are not one ring
static int walk_ring(const maker *m, const qhT *qh, const facetT *facet, int *loop)
{
    ridgeT *ridge, **ridgep;
    int count = 0, ridges = 0, first = -1;
    bool good = true;
    FOREACHridge_(facet->ridges) {
        int a = point_of(qh, SETfirstt_(ridge->vertices, vertexT)), b = point_of(qh, SETsecondt_(ridge->vertices, vertexT));
        good = good && link_points(m->links, a, b);
        first = a;
        ridges++;
    }
    for (int at = first, from = -1; good && count < ridges; count++) {
        const int *ends = m->links + 2 * (size_t)at;
        int next = ends[0] == from ? ends[1] : ends[0];
        loop[count] = at;
        from = at, at = next;
        good = at >= 0 && (at == first) == (count + 1 == ridges);
    }
    FOREACHridge_(facet->ridges)
        for (int i = 0; i < 2; i++) {
            int point = point_of(qh, i ? SETsecondt_(ridge->vertices, vertexT) : SETfirstt_(ridge->vertices, vertexT));
            m->links[2 * (size_t)point] = m->links[2 * (size_t)point + 1] = -1;
        }
    return good && count > 2 ? count : 0;
}

static int corners_of_simplex(const qhT *qh, const facetT *facet, int *loop)
{
    vertexT *vertex, **vertexp;
    int count = 0;
    FOREACHvertex_(facet->vertices) if (count < 3) loop[count++] = point_of(qh, vertex);
    return count == 3 ? 3 : 0;
}

// twice the area vector of a loop, counted from its first point: sum of p_i x p_(i+1)
static void area_vector(const double *points, const int *loop, int count, double out[3])
{
    trxi_zero3(out);
    for (int i = 1; i + 1 < count; i++) {
        double a[3], b[3];
        trxi_sub3(points + 3 * (size_t)loop[i], points + 3 * (size_t)loop[0], a);
        trxi_sub3(points + 3 * (size_t)loop[i + 1], points + 3 * (size_t)loop[0], b);
        trxi_cross_add3(a, b, out);
    }
}

static void reverse(int *loop, int count)
{
    for (int i = 0; i < count / 2; i++) {
        int held = loop[i];
        loop[i] = loop[count - 1 - i];
        loop[count - 1 - i] = held;
    }
}

static outcome read_facets(maker *m, const qhT *qh)
{
    m->p = (polyhedron){0};
    if (!reserve(m, qh)) return OUT_OF_MEMORY;
    for (const facetT *facet = qh->facet_list; facet && facet->next; facet = facet->next) {
        int *loop = m->p.loops + m->p.nloop;
        int count = facet->simplicial ? corners_of_simplex(qh, facet, loop) : walk_ring(m, qh, facet, loop);
        if (count == 0) return FAILED;
        double area[3];
        area_vector(m->points, loop, count, area);
        if (trxi_dot3(area, facet->normal) < 0) reverse(loop, count);
        m->p.nloop += count;
        m->p.start[++m->p.nface] = m->p.nloop;
    }
    return MADE;
}

static outcome run_qhull(maker *m, const char *command)
{
    char messages[MESSAGES], words[64];
    qhT *qh = TRXI_POOL(m->scratch, qhT, 1);
    FILE *sink = qh ? fmemopen(messages, sizeof messages, "w") : NULL;
    if (!sink) return OUT_OF_MEMORY;
    snprintf(words, sizeof words, "%s", command);

    qh_zero(qh, sink);
    int code = qh_new_qhull(qh, 3, m->mesh->nvertex, m->points, False, words, sink, sink);
    outcome result = code == qh_ERRsingular ? FLAT : code == qh_ERRmem ? OUT_OF_MEMORY : FAILED;
    if (code == qh_ERRnone) result = read_facets(m, qh);
    int blocks, bytes;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &blocks, &bytes);
    fclose(sink);
    return result;
}

// ---- loops ----

// drops corners of fewer than three faces, which lie on an edge or in a face; at least a polygon must be left
static outcome drop_false_corners(maker *m)
{
    polyhedron *p = &m->p;
    int *faces = TRXI_POOL(m->scratch, int, m->mesh->nvertex);
    if (!faces) return OUT_OF_MEMORY;
    for (int i = 0; i < p->nloop; i++) faces[p->loops[i]]++;
    int kept = 0;
    for (int f = 0, begin = 0; f < p->nface; f++) {
        int end = p->start[f + 1], first = kept;
        for (int i = begin; i < end; i++)
            if (faces[p->loops[i]] > 2) p->loops[kept++] = p->loops[i];
        if (kept - first < 3) return FAILED;
        begin = end;
        p->start[f + 1] = kept;
    }
    p->nloop = kept;
    return MADE;
}

// fans of all faces, to integrate over; NULL when memory is out
static int *triangulate(const maker *m, const int *loops, const int *start, int *count)
{
    int *triangles = TRXI_POOL(m->scratch, int, 3 * (size_t)m->p.nloop);
    *count = 0;
    for (int f = 0; triangles && f < m->p.nface; f++)
        for (int i = start[f] + 1; i + 1 < start[f + 1]; i++) {
            int *t = triangles + 3 * (size_t)(*count)++;
            t[0] = loops[start[f]], t[1] = loops[i], t[2] = loops[i + 1];
        }
    return triangles;
}

// whether it is one: closed, of one piece without handles (Euler), around a volume, with faces that have a normal
static outcome judge(maker *m)
{
    const polyhedron *p = &m->p;
    trx_mesh mesh = {.nvertex = m->mesh->nvertex, .vertices = m->points};
    bool *used = TRXI_POOL(m->scratch, bool, mesh.nvertex);
    mesh.triangles = triangulate(m, p->loops, p->start, &mesh.ntriangle);
    if (!used || !mesh.triangles) return OUT_OF_MEMORY;
    int vertices = 0;
    for (int i = 0; i < p->nloop; i++) {
        vertices += !used[p->loops[i]];
        used[p->loops[i]] = true;
    }
    for (int f = 0; f < p->nface; f++) {
        double area[3];
        area_vector(m->points, p->loops + p->start[f], p->start[f + 1] - p->start[f], area);
        if (!(trxi_norm3(area) > 0)) return FAILED;
    }
    trxi_mesh_integrals sums;
    trxi_mesh_integrate(&mesh, &sums);
    bool euler = p->nloop % 2 == 0 && vertices - p->nloop / 2 + p->nface == 2;
    return sums.closed && euler && sums.volume > 0 ? MADE : FAILED;
}

// the polyhedron, by the first command that makes one
static outcome make(maker *m)
{
    static const char *const commands[] = {"qhull C-4e-7", "qhull", "qhull QJ"};
    outcome result = FAILED;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        result = run_qhull(m, commands[i]);
        if (result == MADE) result = drop_false_corners(m);
        if (result == MADE) result = judge(m);
        if (result != FAILED) return result;
    }
    return result;
}

// ---- order ----

typedef struct face_order {
    const int *loop;
    int count;
} face_order;

static int compare_faces(const void *a, const void *b)
{
    const face_order *x = a, *y = b;
    for (int i = 0; i < x->count && i < y->count; i++)
        if (x->loop[i] != y->loop[i]) return x->loop[i] < y->loop[i] ? -1 : 1;
    return x->count < y->count ? -1 : x->count > y->count;
}

static void rotate_to_smallest(int *loop, int count)
{
    int smallest = 0;
    for (int i = 1; i < count; i++)
        if (loop[i] < loop[smallest]) smallest = i;
    reverse(loop, smallest);
    reverse(loop + smallest, count - smallest);
    reverse(loop, count);
}

// numbers vertices as they come in the mesh, and writes the ordered loops
static bool put_in_order(maker *m, trxi_hull *h, int **start, int **loops, double **vertices, trxi_pool *pool)
{
    polyhedron *p = &m->p;
    int *numbers = TRXI_POOL(m->scratch, int, m->mesh->nvertex);
    face_order *order = TRXI_POOL(m->scratch, face_order, p->nface);
    *start = TRXI_POOL(pool, int, p->nface + 1);
    *loops = TRXI_POOL(pool, int, p->nloop);
    if (!numbers || !order || !*start || !*loops) return false;

    for (int i = 0; i < p->nloop; i++) numbers[p->loops[i]] = 1;
    for (int i = 0; i < m->mesh->nvertex; i++) numbers[i] = numbers[i] ? h->nvertex++ : -1;
    *vertices = TRXI_POOL(pool, double, 3 * (size_t)h->nvertex);
    if (!*vertices) return false;
    for (int i = 0; i < m->mesh->nvertex; i++)
        if (numbers[i] >= 0) trxi_copy3(m->mesh->vertices + 3 * (size_t)i, *vertices + 3 * (size_t)numbers[i]);

    for (int i = 0; i < p->nloop; i++) p->loops[i] = numbers[p->loops[i]];
    for (int f = 0; f < p->nface; f++) {
        order[f] = (face_order){p->loops + p->start[f], p->start[f + 1] - p->start[f]};
        rotate_to_smallest(p->loops + p->start[f], order[f].count);
    }
    qsort(order, (size_t)p->nface, sizeof *order, compare_faces);
    for (int f = 0; f < p->nface; f++) {
        memcpy(*loops + (*start)[f], order[f].loop, (size_t)order[f].count * sizeof **loops);
        (*start)[f + 1] = (*start)[f] + order[f].count;
    }
    h->nface = p->nface, h->nloop = h->nneighbour = p->nloop;
    h->face_start = *start, h->loops = *loops, h->vertices = *vertices;
    return true;
}

// ---- numbers ----

// every edge is in two loops, once in each direction, so that the loops' directed edges are all neighbours
static bool find_neighbours(const maker *m, trxi_hull *h, trxi_pool *pool)
{
    int *start = TRXI_POOL(pool, int, h->nvertex + 1), *neighbours = TRXI_POOL(pool, int, h->nneighbour);
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
    mesh.triangles = triangulate(m, h->loops, h->face_start, &mesh.ntriangle);
    if (!mesh.triangles) return false;
    trxi_mesh_integrals sums;
    trxi_mesh_integrate(&mesh, &sums);
    trxi_copy3(sums.com, h->centre);
    for (int i = 0; i < h->nvertex; i++) {
        trxi_sub3(vertices + 3 * i, h->centre, vertices + 3 * i);
        h->radius = fmax(h->radius, trxi_norm3(vertices + 3 * i));
    }
    return true;
}

// the largest n . x of all vertices: from each corner of the face along edges up to where there is none higher
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

static bool find_planes(trxi_hull *h, trxi_pool *pool)
{
    double *faces = TRXI_POOL(pool, double, 4 * (size_t)h->nface);
    if (!faces) return false;
    for (int f = 0; f < h->nface; f++) {
        const int *loop = h->loops + h->face_start[f], count = h->face_start[f + 1] - h->face_start[f];
        double *plane = faces + 4 * (size_t)f;
        area_vector(h->vertices, loop, count, plane);
        trxi_normalize3(plane, plane);
        plane[3] = support(h, plane, loop, count);
    }
    h->faces = faces;
    return true;
}

static trx_status finish(maker *m, trxi_pool *pool, const trxi_hull **hull)
{
    int *start, *loops;
    double *vertices;
    trxi_hull *h = TRXI_POOL(pool, trxi_hull, 1);
    if (!h || !put_in_order(m, h, &start, &loops, &vertices, pool)) return TRX_ERR_MEMORY;
    if (!find_neighbours(m, h, pool) || !centre(m, h, vertices) || !find_planes(h, pool)) return TRX_ERR_MEMORY;
    *hull = h;
    return TRX_OK;
}

static const char *defect(const trx_mesh *mesh)
{
    if (mesh->nvertex < 4 || !mesh->vertices) return "a convex hull needs at least four vertices";
    for (size_t i = 0; i < 3 * (size_t)mesh->nvertex; i++)
        if (!isfinite(mesh->vertices[i])) return "a vertex of the mesh is not finite";
    return NULL;
}

trx_status trxi_hull_create(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trxi_hull **hull)
{
    *hull = NULL;
    const char *wrong = defect(mesh);
    if (wrong) return trxi_fail(context, TRX_ERR_INPUT, "%s", wrong);
    maker m = {.context = context, .mesh = mesh, .scratch = trxi_pool_create(context)};
    if (!m.scratch) return TRX_ERR_MEMORY;
    m.points = TRXI_POOL(m.scratch, double, 3 * (size_t)mesh->nvertex);
    m.links = TRXI_POOL(m.scratch, int, 2 * (size_t)mesh->nvertex);
    trx_status status = TRX_ERR_MEMORY;
    if (m.points && m.links) {
        for (size_t i = 0; i < 2 * (size_t)mesh->nvertex; i++) m.links[i] = -1;
        scale_points(&m);
        outcome result = is_flat(&m) ? FLAT : make(&m);
        if (result == MADE)
            status = finish(&m, pool, hull);
        else if (result == FLAT)
            status = trxi_fail(context, TRX_ERR_INPUT,
                               "all vertices of the mesh are nearly in one plane, so that its convex hull has no volume");
        else if (result == FAILED)
            status = trxi_fail(context, TRX_ERR_INPUT, "the convex hull of the mesh cannot be computed");
        else
            status = trxi_fail(context, TRX_ERR_MEMORY, "out of memory (hull of %d vertices)", mesh->nvertex);
    }
    trxi_pool_destroy(m.scratch);
    return status;
}
