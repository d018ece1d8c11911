// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Faces of a convex hull (theory 1) by qhull, in three steps; see hull_facets.h.
//
//     qhull    which points are corners of which facet
//     loops    the corners of each facet in order, from the edges (ridges) it shares with its neighbours; points that only
//              two facets share are dropped
//     order    loops from their smallest point, faces by their loops: the result does not depend on the order of qhull
//
// Qhull merges facets that are not clearly convex where they meet. Merging may fail for points that are nearly, but
// not quite, in many common planes. Qhull then runs again and merges at rounding errors only, and finally with points
// moved by rounding errors. Qhull's messages go into a buffer that no one reads. Qhull allocates its own memory, which
// is freed after each run. This file only reads qhull's sets and calls no function of qhull that may leave by longjmp.

#include "geometry/hull_facets.h"

#include "geometry/mesh.h"
#include "math/vec3.h"

#include <libqhull_r/libqhull_r.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 4096 };

typedef struct maker {
    trxi_pool *scratch;
    double *points; // 3 x npoint; qhull only reads them, although its interface is not const
    int npoint;
    int *links; // 2 x npoint: scratch of a loop, -1 between loops
    trxi_hull_facets p;
} maker;

void trxi_loop_area(const double *points, const int *loop, int count, double out[3])
{
    trxi_zero3(out);
    for (int i = 1; i + 1 < count; i++) {
        double a[3], b[3];
        trxi_sub3(points + 3 * (size_t)loop[i], points + 3 * (size_t)loop[0], a);
        trxi_sub3(points + 3 * (size_t)loop[i + 1], points + 3 * (size_t)loop[0], b);
        trxi_cross_add3(a, b, out);
    }
}

int *trxi_loop_fans(trxi_pool *scratch, const int *start, const int *loops, int nface, int *count)
{
    int *triangles = TRXI_POOL(scratch, int, 3 * (size_t)start[nface]);
    *count = 0;
    for (int f = 0; triangles && f < nface; f++)
        for (int i = start[f] + 1; i + 1 < start[f + 1]; i++) {
            int *t = triangles + 3 * (size_t)(*count)++;
            t[0] = loops[start[f]], t[1] = loops[i], t[2] = loops[i + 1];
        }
    return triangles;
}

// ---- qhull ----

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

// the corners of a facet in order, linked by its ridges; 0 when they are not one ring
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

static void reverse(int *loop, int count)
{
    for (int i = 0; i < count / 2; i++) {
        int held = loop[i];
        loop[i] = loop[count - 1 - i];
        loop[count - 1 - i] = held;
    }
}

static trxi_hull_outcome read_facets(maker *m, const qhT *qh)
{
    m->p = (trxi_hull_facets){0};
    if (!reserve(m, qh)) return TRXI_HULL_NO_MEMORY;
    for (const facetT *facet = qh->facet_list; facet && facet->next; facet = facet->next) {
        int *loop = m->p.loops + m->p.nloop;
        int count = facet->simplicial ? corners_of_simplex(qh, facet, loop) : walk_ring(m, qh, facet, loop);
        if (count == 0) return TRXI_HULL_FAILED;
        double area[3];
        trxi_loop_area(m->points, loop, count, area);
        if (trxi_dot3(area, facet->normal) < 0) reverse(loop, count);
        m->p.nloop += count;
        m->p.start[++m->p.nface] = m->p.nloop;
    }
    return TRXI_HULL_MADE;
}

static trxi_hull_outcome run_qhull(maker *m, const char *command)
{
    char messages[MESSAGES], words[64];
    qhT *qh = TRXI_POOL(m->scratch, qhT, 1);
    FILE *sink = qh ? fmemopen(messages, sizeof messages, "w") : NULL;
    if (!sink) return TRXI_HULL_NO_MEMORY;
    snprintf(words, sizeof words, "%s", command);

    qh_zero(qh, sink);
    int code = qh_new_qhull(qh, 3, m->npoint, m->points, False, words, sink, sink);
    trxi_hull_outcome result = code == qh_ERRsingular ? TRXI_HULL_FLAT : code == qh_ERRmem ? TRXI_HULL_NO_MEMORY : TRXI_HULL_FAILED;
    if (code == qh_ERRnone) result = read_facets(m, qh);
    int blocks, bytes;
    qh_freeqhull(qh, !qh_ALL);
    // qhull forgets these tables when memory ends before their set-up
    if (qh->qhmem.LASTsize == 0) free(qh->qhmem.freelists), free(qh->qhmem.sizetable);
    qh_memfreeshort(qh, &blocks, &bytes);
    fclose(sink);
    return result;
}

// ---- loops ----

// drops corners of fewer than three faces, because they lie on an edge or in a face; at least a polygon must remain
static trxi_hull_outcome drop_false_corners(maker *m)
{
    trxi_hull_facets *p = &m->p;
    int *faces = TRXI_POOL(m->scratch, int, m->npoint);
    if (!faces) return TRXI_HULL_NO_MEMORY;
    for (int i = 0; i < p->nloop; i++) faces[p->loops[i]]++;
    int kept = 0;
    for (int f = 0, begin = 0; f < p->nface; f++) {
        int end = p->start[f + 1], first = kept;
        for (int i = begin; i < end; i++)
            if (faces[p->loops[i]] > 2) p->loops[kept++] = p->loops[i];
        if (kept - first < 3) return TRXI_HULL_FAILED;
        begin = end;
        p->start[f + 1] = kept;
    }
    p->nloop = kept;
    return TRXI_HULL_MADE;
}

// whether the result is a hull: closed, of one piece without handles (Euler), around a volume, with faces that have a
// normal
static trxi_hull_outcome judge(maker *m)
{
    const trxi_hull_facets *p = &m->p;
    trx_mesh mesh = {.nvertex = m->npoint, .vertices = m->points};
    bool *used = TRXI_POOL(m->scratch, bool, mesh.nvertex);
    mesh.triangles = trxi_loop_fans(m->scratch, p->start, p->loops, p->nface, &mesh.ntriangle);
    if (!used || !mesh.triangles) return TRXI_HULL_NO_MEMORY;
    int vertices = 0;
    for (int i = 0; i < p->nloop; i++) {
        vertices += !used[p->loops[i]];
        used[p->loops[i]] = true;
    }
    for (int f = 0; f < p->nface; f++) {
        double area[3];
        trxi_loop_area(m->points, p->loops + p->start[f], p->start[f + 1] - p->start[f], area);
        if (!(trxi_norm3(area) > 0)) return TRXI_HULL_FAILED;
    }
    trxi_mesh_integrals sums;
    trxi_mesh_integrate(&mesh, &sums);
    bool euler = p->nloop % 2 == 0 && vertices - p->nloop / 2 + p->nface == 2;
    return sums.closed && euler && sums.volume > 0 ? TRXI_HULL_MADE : TRXI_HULL_FAILED;
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

static trxi_hull_outcome put_in_order(maker *m)
{
    const trxi_hull_facets *p = &m->p;
    face_order *order = TRXI_POOL(m->scratch, face_order, p->nface);
    trxi_hull_facets ordered = {p->nface, p->nloop, TRXI_POOL(m->scratch, int, p->nface + 1),
                                TRXI_POOL(m->scratch, int, p->nloop)};
    if (!order || !ordered.start || !ordered.loops) return TRXI_HULL_NO_MEMORY;
    for (int f = 0; f < p->nface; f++) {
        order[f] = (face_order){p->loops + p->start[f], p->start[f + 1] - p->start[f]};
        rotate_to_smallest(p->loops + p->start[f], order[f].count);
    }
    qsort(order, (size_t)p->nface, sizeof *order, compare_faces);
    for (int f = 0; f < p->nface; f++) {
        memcpy(ordered.loops + ordered.start[f], order[f].loop, (size_t)order[f].count * sizeof *ordered.loops);
        ordered.start[f + 1] = ordered.start[f] + order[f].count;
    }
    m->p = ordered;
    return TRXI_HULL_MADE;
}

trxi_hull_outcome trxi_hull_find_facets(trxi_pool *scratch, double *points, int npoint, trxi_hull_facets *facets)
{
    static const char *const commands[] = {"qhull C-4e-7", "qhull", "qhull QJ"};
    maker m = {.scratch = scratch, .points = points, .npoint = npoint, .links = TRXI_POOL(scratch, int, 2 * (size_t)npoint)};
    if (!m.links) return TRXI_HULL_NO_MEMORY;
    for (size_t i = 0; i < 2 * (size_t)npoint; i++) m.links[i] = -1;

    trxi_hull_outcome result = TRXI_HULL_FAILED;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0] && result == TRXI_HULL_FAILED; i++) {
        result = run_qhull(&m, commands[i]);
        if (result == TRXI_HULL_MADE) result = drop_false_corners(&m);
        if (result == TRXI_HULL_MADE) result = judge(&m);
    }
    if (result == TRXI_HULL_MADE) result = put_in_order(&m);
    *facets = m.p;
    return result;
}
