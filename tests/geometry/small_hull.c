// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See small_hull.h.

#include "small_hull.h"

#include "math/vec3.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { HULLS = 64, MAX_FACES = 2 * MAX_HULL_POINTS, MAX_LOOPS = 6 * MAX_HULL_POINTS };

typedef struct storage {
    trxi_hull hull;
    double vertices[3 * MAX_HULL_POINTS], faces[4 * MAX_FACES];
    int face_start[MAX_FACES + 1], loops[MAX_LOOPS];
    int neighbour_start[MAX_HULL_POINTS + 1], neighbours[MAX_LOOPS];
    uint64_t members[MAX_FACES];
} storage;

static storage hulls[HULLS];
static int next_hull;

// the points in the plane of three, if all others lie behind it
static uint64_t face_of(int count, const double *x, int i, int j, int k, double n[3])
{
    double e[3], f[3];
    trxi_sub3(x + 3 * j, x + 3 * i, e);
    trxi_sub3(x + 3 * k, x + 3 * i, f);
    trxi_cross3(e, f, n);
    if (!(trxi_normalize3(n, n) > 0)) return 0;
    uint64_t members = 0;
    for (int m = 0; m < count; m++) {
        double height = trxi_dot3(n, x + 3 * m) - trxi_dot3(n, x + 3 * i);
        if (height > 1e-10) return 0;
        if (height > -1e-10) members |= (uint64_t)1 << m;
    }
    return members;
}

// the members by their angle about the face's middle
static void add_loop(storage *s, uint64_t members, const double n[3])
{
    double frame[9], middle[3] = {0, 0, 0}, angle[MAX_HULL_POINTS];
    int start = s->face_start[s->hull.nface], count = 0, *loop = s->loops + start;
    trxi_frame33(n, frame);
    for (int m = 0; m < s->hull.nvertex; m++)
        if (members >> m & 1) trxi_add3(middle, s->vertices + 3 * m, middle), count++;
    trxi_scale3(1.0 / count, middle, middle);
    assert(start + count <= MAX_LOOPS);
    count = 0;
    for (int m = 0; m < s->hull.nvertex; m++) {
        if (!(members >> m & 1)) continue;
        double arm[3];
        trxi_sub3(s->vertices + 3 * m, middle, arm);
        double turn = atan2(trxi_dot3(frame + 3, arm), trxi_dot3(frame, arm));
        int at = count++;
        for (; at > 0 && angle[at - 1] > turn; at--) angle[at] = angle[at - 1], loop[at] = loop[at - 1];
        angle[at] = turn, loop[at] = m;
    }
    int f = s->hull.nface++;
    s->members[f] = members;
    trxi_copy3(n, s->faces + 4 * f);
    s->faces[4 * f + 3] = trxi_dot3(n, s->vertices + 3 * loop[0]);
    s->face_start[f + 1] = start + count;
}

static void add_neighbours(storage *s)
{
    trxi_hull *h = &s->hull;
    for (int v = 0; v < h->nvertex; v++) {
        s->neighbour_start[v] = h->nneighbour;
        for (int f = 0; f < h->nface; f++) {
            const int *loop = s->loops + s->face_start[f];
            int count = s->face_start[f + 1] - s->face_start[f];
            for (int k = 0; k < count; k++)
                if (loop[k] == v) s->neighbours[h->nneighbour++] = loop[(k + 1) % count];
        }
    }
    s->neighbour_start[h->nvertex] = h->nneighbour;
}

const trxi_hull *small_hull(int count, const double *points)
{
    storage *s = &hulls[next_hull++ % HULLS];
    memset(s, 0, sizeof *s);
    trxi_hull *h = &s->hull;
    h->nvertex = count;
    assert(count <= MAX_HULL_POINTS);
    for (int i = 0; i < count; i++)
        for (int a = 0; a < 3; a++) h->centre[a] += points[3 * i + a] / count;
    for (int i = 0; i < count; i++) {
        trxi_sub3(points + 3 * i, h->centre, s->vertices + 3 * i);
        h->radius = fmax(h->radius, trxi_norm3(s->vertices + 3 * i));
    }
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            for (int k = i + 1; k < count; k++) {
                double n[3];
                if (j == k) continue;
                uint64_t members = face_of(count, s->vertices, i, j, k, n);
                bool known = members == 0;
                for (int f = 0; f < h->nface && !known; f++) known = s->members[f] == members;
                if (!known) add_loop(s, members, n);
            }
    add_neighbours(s);
    h->nloop = s->face_start[h->nface];
    h->vertices = s->vertices, h->faces = s->faces, h->face_start = s->face_start, h->loops = s->loops;
    h->neighbour_start = s->neighbour_start, h->neighbours = s->neighbours;
    return h;
}
