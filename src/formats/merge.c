// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Merging of equal points; see merge.h. A hash table with open addressing, at most half full, in one pass over the
// corners. The hash starts from a digest of all points: a change that makes points collide also changes the hash, so
// collisions cannot be forced. The result depends only on the order of the corners.

#include "formats/merge.h"

#include <stdint.h>
#include <string.h>

typedef struct merger {
    const double *points;
    uint64_t seed;
    uint32_t mask;
    int *slots;    // mask + 1: 1 + a vertex, 0 where there is none
    int *vertices; // point of each vertex
    int count;
} merger;

// the finalizer of SplitMix64 (Steele, Lea, Flood 2014)
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t digest(uint64_t seed, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        double x = numbers[i] + 0.0; // -0 and 0 are equal
        memcpy(&bits, &x, sizeof bits);
        seed = mix(seed + 0x9e3779b97f4a7c15u + bits);
    }
    return seed;
}

// the vertex of a point, a new one if necessary
static int vertex_of(merger *m, int point)
{
    const double *p = m->points + 3 * (size_t)point;
    uint32_t at = (uint32_t)digest(m->seed, p, 3) & m->mask;
    for (; m->slots[at]; at = (at + 1) & m->mask) {
        const double *other = m->points + 3 * (size_t)m->vertices[m->slots[at] - 1];
        if (p[0] == other[0] && p[1] == other[1] && p[2] == other[2]) return m->slots[at] - 1;
    }
    m->vertices[m->count] = point;
    m->slots[at] = m->count + 1;
    return m->count++;
}

// triangles over merged vertices; returns their number
static int merge_triangles(merger *m, const int *corners, int ntriangle, int *triangles)
{
    int kept = 0;
    for (int t = 0; t < ntriangle; t++) {
        int v[3];
        const double *p[3];
        for (int k = 0; k < 3; k++) p[k] = m->points + 3 * (size_t)(corners ? corners[3 * t + k] : 3 * t + k);
        bool same = false;
        for (int k = 0; k < 3; k++) {
            const double *a = p[k], *b = p[(k + 1) % 3];
            same = same || (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]);
        }
        if (same) continue;
        for (int k = 0; k < 3; k++) v[k] = vertex_of(m, (int)((p[k] - m->points) / 3));
        for (int k = 0; k < 3; k++) triangles[3 * kept + k] = v[k];
        kept++;
    }
    return kept;
}

static bool keep(trxi_pool *pool, const merger *m, const int *triangles, int ntriangle, const char *file,
                 trx_mesh *mesh)
{
    double *vertices = TRXI_POOL(pool, double, 3 * (size_t)m->count);
    int *kept = TRXI_POOL(pool, int, 3 * (size_t)ntriangle);
    const char *name = trxi_pool_string(pool, file, strlen(file));
    if (!vertices || !kept || !name) return false;
    for (int i = 0; i < m->count; i++)
        for (int a = 0; a < 3; a++) vertices[3 * i + a] = m->points[3 * (size_t)m->vertices[i] + (size_t)a] + 0.0;
    memcpy(kept, triangles, 3 * (size_t)ntriangle * sizeof *kept);
    *mesh = (trx_mesh){name, m->count, vertices, ntriangle, kept};
    return true;
}

trx_status trxi_mesh_merge(trx_context *context, trxi_pool *pool, const char *file, const double *points, int npoint,
                           const int *corners, int ntriangle, trx_mesh *mesh)
{
    *mesh = (trx_mesh){0};
    size_t most = npoint < 3 * ntriangle ? (size_t)npoint : 3 * (size_t)ntriangle, slots = 16;
    while (slots < 2 * most) slots *= 2;
    trxi_pool *scratch = trxi_pool_create(context);
    if (!scratch) return TRX_ERR_MEMORY;

    merger m = {.points = points, .mask = (uint32_t)(slots - 1)};
    m.slots = TRXI_POOL(scratch, int, slots);
    m.vertices = TRXI_POOL(scratch, int, most);
    int *triangles = TRXI_POOL(scratch, int, 3 * (size_t)ntriangle);
    trx_status status = TRX_ERR_MEMORY;
    if (m.slots && m.vertices && triangles) {
        m.seed = digest(0, points, 3 * (size_t)npoint);
        int kept = merge_triangles(&m, corners, ntriangle, triangles);
        if (ntriangle == 0 && npoint > 0)
            status = trxi_error_at(context, (trx_source){file, 0, 0},
                                   "this file has %d points, but no triangle or other face", npoint);
        else if (ntriangle == 0)
            status = trxi_error_at(context, (trx_source){file, 0, 0}, "there is no triangle in this file");
        else if (kept == 0)
            status = trxi_error_at(context, (trx_source){file, 0, 0},
                                   "each triangle in this file has two corners at the same point");
        else if (keep(pool, &m, triangles, kept, file, mesh))
            status = TRX_OK;
    }
    trxi_pool_destroy(scratch);
    return status;
}
