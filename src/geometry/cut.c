// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The plane that divides a part of a mesh best (theory 1); see mesh_part.h.
//
// The planes tried have a few directions. Along each direction they lie at even distances, and in the largest flat sides of
// the mesh: an L is divided exactly in the plane of a side at its reflex edge. Two more planes lie one cell from the ends: they
// take thin walls off. The best plane is then moved by half and by a quarter of the even distance, if this lowers its cost. The
// cost of a plane is
//
//     (sum of the distances of outside cells in the hulls of both sides + c h) (1 + 0.05 t),
//
// h is the side of a cell, c = 1 for planes in flat sides and 2 for others; t = 0 for the plane in the middle of the part, 1 at
// its end. The hulls are hulls of the clipped triangles. Corners inside the solid (mesh_part.c) are left out here: they would
// change the choice of a plane, but not a part. Small triangles of a dense mesh are thinned out to one in each cube of a grid with
// 20 cubes along the longest side, so they do not raise the cost of a choice. If more than FEW large triangles are left, only
// every n-th is kept, with n so that at most FEW remain. This bounds the cost of a choice.

#include "geometry/mesh_part.h"

#include "geometry/mesh.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { FEW = 1500, COARSE = 20, EVEN = 7, FLATS = 4, CLUSTERS = 48, REFINED = 2 };
static const double BALANCE = 0.05;

// ---- directions ----

// index of a direction or its opposite among the first `count` of n, to 1 degree; -1: none
static int same_direction(const double (*n)[3], int count, const double m[3])
{
    for (int i = 0; i < count; i++)
        if (fabs(trxi_dot3(n[i], m)) > 0.99985) return i;
    return -1;
}

// the directions of flat sides, with the area of their triangles; only the first CLUSTERS directions of a mesh count
static int flat_sides(const trx_mesh *mesh, double n[CLUSTERS][3], double area[CLUSTERS])
{
    int count = 0;
    for (int t = 0; t < mesh->ntriangle; t++) {
        double m[3];
        trxi_triangle_normal(mesh, t, m);
        const double size = trxi_norm3(m);
        if (!(size > 0)) continue;
        trxi_scale3(1 / size, m, m);
        int i = same_direction((const double(*)[3])n, count, m);
        if (i < 0 && count == CLUSTERS) continue;
        if (i < 0) {
            i = count++;
            trxi_copy3(m, n[i]);
            area[i] = 0;
        }
        area[i] += size;
    }
    return count;
}

void trxi_cut_directions_find(const trx_mesh *mesh, trxi_cut_directions *d)
{
    d->count = 0;
    for (int a = 0; a < 3; a++) {
        trxi_zero3(d->n[d->count]);
        d->n[d->count++][a] = 1;
    }
    for (int a = 0; a < 3; a++)
        for (int sign = -1; sign <= 1; sign += 2) {
            trxi_zero3(d->n[d->count]);
            d->n[d->count][a] = sqrt(0.5);
            d->n[d->count++][(a + 1) % 3] = sign * sqrt(0.5);
        }
    double n[CLUSTERS][3], area[CLUSTERS];
    const int sides = flat_sides(mesh, n, area);
    while (d->count < TRXI_CUT_DIRECTIONS) {
        int largest = -1;
        for (int i = 0; i < sides; i++) {
            const bool known = same_direction((const double(*)[3])d->n, d->count, n[i]) >= 0;
            if (!known && (largest < 0 || area[i] > area[largest])) largest = i;
        }
        if (largest < 0) break;
        trxi_copy3(n[largest], d->n[d->count++]);
    }
}

// ---- polygons of a part ----

typedef struct chooser {
    trxi_cutter *cutter;
    trxi_pool *scratch;
    const trxi_mesh_part *part;
    int *triangles, *starts; // npolygon, npolygon + 1: the triangle of each polygon, and its first corner
    double (*corners)[3];
    int npolygon;
    double best;             // least cost so far
    double plane[4];         // its plane
} chooser;

// chooses the polygons to keep when there are many: in each cube the first one, and large ones
typedef struct sieve {
    double lower[3], side;
    int n[3];
    bool *taken; // NULL: keep all
    int nlarge, every; // large polygons so far; each `every`-th one is kept
} sieve;

// length along an axis, and the middle
static double extent(const trxi_polygon *p, int axis, double *middle)
{
    double lower = p->x[0][axis], upper = lower;
    for (int k = 1; k < p->count; k++) lower = fmin(lower, p->x[k][axis]), upper = fmax(upper, p->x[k][axis]);
    *middle = 0.5 * (lower + upper);
    return upper - lower;
}

// polygons of the part that are longer than a cube
static int count_large(const chooser *c, double side)
{
    int count = 0;
    for (int i = 0; i < c->part->ntriangle; i++) {
        const trxi_polygon p = trxi_part_polygon(c->cutter, c->part, c->part->triangles[i]);
        double middle, largest = 0;
        for (int a = 0; a < 3 && p.count > 0; a++) largest = fmax(largest, extent(&p, a, &middle));
        count += largest > side;
    }
    return count;
}

static bool open_sieve(chooser *c, sieve *s)
{
    const trxi_hull *hull = c->part->hull;
    double upper[3];
    *s = (sieve){.taken = NULL};
    if (c->part->ntriangle <= FEW) return true;
    trxi_point_bounds(hull->vertices, hull->nvertex, s->lower, upper);
    trxi_add3(hull->centre, s->lower, s->lower);
    trxi_add3(hull->centre, upper, upper);
    s->side = fmax(upper[0] - s->lower[0], fmax(upper[1] - s->lower[1], upper[2] - s->lower[2])) / COARSE;
    s->every = 1 + count_large(c, s->side) / FEW;
    for (int a = 0; a < 3; a++) s->n[a] = (int)((upper[a] - s->lower[a]) / s->side) + 1;
    s->taken = TRXI_POOL(c->scratch, bool, (size_t)s->n[0] * (size_t)s->n[1] * (size_t)s->n[2]);
    return s->taken != NULL;
}

static bool keep_polygon(sieve *s, const trxi_polygon *p)
{
    if (p->count == 0 || !s->taken) return p->count > 0;
    double largest = 0;
    size_t cube = 0;
    for (int a = 2; a >= 0; a--) {
        double middle;
        largest = fmax(largest, extent(p, a, &middle));
        const int at = (int)fmin(fmax((middle - s->lower[a]) / s->side, 0), s->n[a] - 1);
        cube = cube * (size_t)s->n[a] + (size_t)at;
    }
    const bool first = !s->taken[cube];
    s->taken[cube] = true;
    return first || (largest > s->side && s->nlarge++ % s->every == 0);
}

static bool take_polygons(chooser *c)
{
    sieve s;
    int capacity = 0, used = 0;
    c->triangles = TRXI_POOL(c->scratch, int, c->part->ntriangle);
    c->starts = TRXI_POOL(c->scratch, int, c->part->ntriangle + 1);
    if (!c->triangles || !c->starts || !open_sieve(c, &s)) return false;
    for (int i = 0; i < c->part->ntriangle; i++) {
        const trxi_polygon p = trxi_part_polygon(c->cutter, c->part, c->part->triangles[i]);
        if (!keep_polygon(&s, &p)) continue;
        while (used + p.count > capacity)
            if (!(c->corners = trxi_pool_grow(c->scratch, c->corners, used, &capacity, sizeof *c->corners))) return false;
        memcpy(c->corners + used, p.x, (size_t)p.count * sizeof *p.x);
        used += p.count;
        c->triangles[c->npolygon++] = c->part->triangles[i];
        c->starts[c->npolygon] = used;
    }
    return true;
}

// ---- cost of a plane ----

// the corners of all polygons on one side, and where their edges cross the plane
static int side_points(const chooser *c, const double plane[4], const int *sides, int side, double *points)
{
    int count = 0;
    const double eps = c->cutter->eps;
    for (int i = 0; i < c->npolygon; i++) {
        if (!(sides[i] & side)) continue;
        for (int k = c->starts[i]; k < c->starts[i + 1]; k++) {
            const double *a = c->corners[k], *b = c->corners[k + 1 < c->starts[i + 1] ? k + 1 : c->starts[i]];
            const double da = trxi_dot3(plane, a) - plane[3], db = trxi_dot3(plane, b) - plane[3];
            if (sides[i] != 3 || (side == 1 ? da <= eps : da >= -eps)) trxi_copy3(a, points + 3 * count++);
            if (sides[i] != 3 || fmin(da, db) >= -eps || fmax(da, db) <= eps) continue;
            for (int j = 0; j < 3; j++) points[3 * count + j] = (db * a[j] - da * b[j]) / (db - da);
            count++;
        }
    }
    return count;
}

// excess of the hull of one side; -1: the side is empty, -2: memory is out
static double side_excess(const chooser *c, trxi_pool *pool, const double plane[4], const int *sides, int side)
{
    double *points = TRXI_POOL(pool, double, 6 * (size_t)c->starts[c->npolygon]);
    if (!points) return -2;
    const int count = side_points(c, plane, sides, side, points);
    if (count < 4) return count ? 0 : -1;
    const trx_mesh cloud = {.nvertex = count, .vertices = points};
    const trxi_hull *hull;
    const trxi_hull_outcome outcome = trxi_hull_make(c->cutter->context, pool, &cloud, &hull);
    if (outcome == TRXI_HULL_NO_MEMORY) return -2;
    return outcome == TRXI_HULL_MADE ? trxi_solid_grid_excess(c->cutter->grid, hull).sum : 0;
}

// the excess of both sides; stops when it is no better than the best so far
static double plane_excess(const chooser *c, trxi_pool *pool, const double plane[4])
{
    int *sides = TRXI_POOL(pool, int, c->npolygon);
    if (!sides) return -2;
    for (int i = 0; i < c->npolygon; i++)
        sides[i] = trxi_polygon_sides(c->cutter, (const double(*)[3])c->corners + c->starts[i],
                                      c->starts[i + 1] - c->starts[i], c->triangles[i], plane);
    double sum = 0;
    for (int side = 1; side <= 2 && sum < c->best; side++) {
        const double more = side_excess(c, pool, plane, sides, side);
        if (more < 0) return more;
        sum += more;
    }
    return sum;
}

// compares a plane with the best so far; `tilt`: its distance from the middle of the part, from 0 to 1 at the end; `in_side`:
// the plane contains a flat side. False when memory is out
static bool try_plane(chooser *c, const double n[3], double d, double tilt, bool in_side)
{
    const double plane[4] = {n[0], n[1], n[2], d};
    trxi_pool *pool = trxi_pool_create(c->cutter->context);
    if (!pool) return false;
    const double excess = plane_excess(c, pool, plane);
    trxi_pool_destroy(pool);
    if (excess < 0) return excess != -2;

    // the term in h decides among planes without visible excess: a plane in a flat side wins, then the plane nearest the middle
    const double cost = (excess + (in_side ? 1 : 2) * c->cutter->grid->h) * (1 + BALANCE * tilt);
    if (cost < c->best) {
        c->best = cost;
        for (int k = 0; k < 4; k++) c->plane[k] = plane[k];
    }
    return true;
}

// ---- planes along a direction ----

typedef struct flat {
    double d, area;
} flat;

// the positions of the largest flat sides across n, at most FLATS
static int find_flats(const chooser *c, const double n[3], flat out[FLATS])
{
    const trx_mesh *mesh = c->cutter->mesh;
    flat all[CLUSTERS];
    int count = 0, kept = 0;
    for (int i = 0; i < c->part->ntriangle; i++) {
        double normal[3];
        const int t = c->part->triangles[i];
        trxi_triangle_normal(mesh, t, normal);
        const double size = trxi_norm3(normal);
        if (!(fabs(trxi_dot3(n, normal)) > (1 - 1e-9) * size)) continue;
        const double d = trxi_dot3(n, mesh->vertices + 3 * (size_t)mesh->triangles[3 * t]);
        int k = 0;
        while (k < count && fabs(all[k].d - d) > c->cutter->eps) k++;
        if (k == CLUSTERS) continue;
        if (k == count) all[count++] = (flat){d, 0};
        all[k].area += size;
    }
    for (; kept < FLATS && count > 0; kept++) {
        int largest = 0;
        for (int k = 1; k < count; k++)
            if (all[k].area > all[largest].area) largest = k;
        out[kept] = all[largest];
        all[largest] = all[--count];
    }
    return kept;
}

typedef struct interval {
    double lower, upper;
} interval;

static interval along(const chooser *c, const double n[3])
{
    interval out = {INFINITY, -INFINITY};
    for (int i = 0; i < c->part->hull->nvertex; i++) {
        const double d = trxi_dot3(n, c->part->hull->vertices + 3 * i) + trxi_dot3(n, c->part->hull->centre);
        out.lower = fmin(out.lower, d), out.upper = fmax(out.upper, d);
    }
    return out;
}

static bool try_at(chooser *c, const double n[3], interval in, double d, bool in_side)
{
    if (!(d > in.lower + 2 * c->cutter->eps && d < in.upper - 2 * c->cutter->eps)) return true;
    return try_plane(c, n, d, fabs(2 * (d - in.lower) / (in.upper - in.lower) - 1), in_side);
}

static bool try_direction(chooser *c, const double n[3])
{
    flat flats[FLATS];
    const interval in = along(c, n);
    const double h = c->cutter->grid->h;
    const int count = find_flats(c, n, flats);
    bool memory = true;
    for (int k = 0; k < count && memory; k++) memory = try_at(c, n, in, flats[k].d, true);
    if (memory && in.upper - in.lower > 4 * h)
        memory = try_at(c, n, in, in.lower + h, false) && try_at(c, n, in, in.upper - h, false);
    for (int k = 1; k <= EVEN && memory; k++) memory = try_at(c, n, in, in.lower + k * (in.upper - in.lower) / (EVEN + 1), false);
    return memory;
}

static bool refine(chooser *c)
{
    const double n[3] = {c->plane[0], c->plane[1], c->plane[2]};
    const interval in = along(c, n);
    double spacing = (in.upper - in.lower) / (EVEN + 1);
    for (int k = 0; k < REFINED; k++) {
        const double d = c->plane[3];
        spacing *= 0.5;
        if (!try_at(c, n, in, d - spacing, false) || !try_at(c, n, in, d + spacing, false)) return false;
    }
    return true;
}

trx_status trxi_cut_choose(trxi_cutter *cutter, const trxi_cut_directions *directions, const trxi_mesh_part *part,
                           double plane[4], bool *found)
{
    chooser c = {.cutter = cutter, .scratch = trxi_pool_create(cutter->context), .part = part, .best = INFINITY};
    if (!c.scratch) return TRX_ERR_MEMORY;
    bool memory = take_polygons(&c);
    for (int i = 0; i < directions->count && memory; i++) memory = try_direction(&c, directions->n[i]);
    *found = isfinite(c.best);
    if (*found && memory) memory = refine(&c);
    for (int k = 0; k < 4; k++) plane[k] = c.plane[k];
    trxi_pool_destroy(c.scratch);
    return memory ? TRX_OK : TRX_ERR_MEMORY;
}
