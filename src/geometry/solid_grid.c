// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The solid of a mesh on a grid of cubes (theory 1); see solid_grid.h.
//
// 1. Cells that a triangle crosses: the triangle is projected along the axis nearest to its normal. For every square that the
//    projection covers, the plane of the triangle gives a range of cells. Each of these cells keeps the nearest point of
//    the surface.
// 2. Outside: cells that are reached from a corner of the grid through faces of cells. The grid has a border of free cells.
// 3. Distance of an outside cell: to the nearest of the points of step 1. A cell takes this point from its 26 neighbours, in two
//    passes over the grid (Danielsson 1980). The distance is too large by about h^2/(4 d), and
//    never too small by more than rounding.
//
// Cost: the number of cells, and of squares that triangles cover. The side of a cell grows until the number of squares is below
// MOST_SQUARES, or until the grid is coarse.

#include "geometry/solid_grid.h"

#include "geometry/mesh.h"
#include "math/vec3.h"

#include <limits.h>
#include <math.h>

enum { MOST_CELLS = 80 };              // along a side
static const double MOST_SQUARES = 3e7; // largest sum of the squares of the grid that triangles cover

// ---- triangles ----

typedef struct triangle {
    const double *corner[3];
    double lower[3], upper[3];
    double normal[3]; // not of unit length
} triangle;

// false when the triangle has no area
static bool triangle_at(const trx_mesh *mesh, int t, triangle *out)
{
    for (int k = 0; k < 3; k++) out->corner[k] = mesh->vertices + 3 * (size_t)mesh->triangles[3 * t + k];
    for (int a = 0; a < 3; a++) {
        out->lower[a] = fmin(out->corner[0][a], fmin(out->corner[1][a], out->corner[2][a]));
        out->upper[a] = fmax(out->corner[0][a], fmax(out->corner[1][a], out->corner[2][a]));
    }
    trxi_triangle_normal(mesh, t, out->normal);
    return trxi_norm3(out->normal) > 0;
}

static void closest_on_edge(const double a[3], const double b[3], const double x[3], double *best, double out[3])
{
    double e[3], r[3], p[3];
    trxi_sub3(b, a, e);
    trxi_sub3(x, a, r);
    const double length = trxi_dot3(e, e), s = length > 0 ? trxi_dot3(e, r) / length : 0;
    trxi_copy3(a, p);
    trxi_axpy3(fmin(fmax(s, 0), 1), e, p);
    trxi_sub3(x, p, r);
    const double d = trxi_norm3(r);
    if (d < *best) *best = d, trxi_copy3(p, out);
}

// the point of a triangle nearest to x, and its distance: the foot on the plane if it is inside, else a point of an edge
static double closest_on_triangle(const triangle *t, const double x[3], double out[3])
{
    double r[3], foot[3];
    const double nn = trxi_dot3(t->normal, t->normal);
    trxi_sub3(x, t->corner[0], r);
    const double height = trxi_dot3(r, t->normal) / nn;
    trxi_copy3(x, foot);
    trxi_axpy3(-height, t->normal, foot);
    bool inside = true;
    for (int k = 0; k < 3 && inside; k++) {
        double e[3], across[3];
        trxi_sub3(t->corner[(k + 1) % 3], t->corner[k], e);
        trxi_sub3(foot, t->corner[k], r);
        trxi_cross3(e, r, across);
        inside = trxi_dot3(across, t->normal) >= 0;
    }
    if (inside) {
        trxi_copy3(foot, out);
        return fabs(height) * sqrt(nn);
    }
    double best = INFINITY;
    trxi_copy3(t->corner[0], out);
    for (int k = 0; k < 3; k++) closest_on_edge(t->corner[k], t->corner[(k + 1) % 3], x, &best, out);
    return best;
}

// ---- the cells of the surface ----

typedef struct maker {
    trxi_solid_grid *grid;
    int *nearest;  // of each cell: a sample, -1: none yet
    double (*samples)[3]; // the nearest point of the surface, for each cell that the surface crosses
    float *away;          // of each sample: distance from its cell's centre
    int nsample, capacity;
    trxi_pool *scratch;
} maker;

static size_t index_of(const trxi_solid_grid *g, const int at[3])
{
    return ((size_t)at[2] * (size_t)g->n[1] + (size_t)at[1]) * (size_t)g->n[0] + (size_t)at[0];
}

static void centre_of(const trxi_solid_grid *g, const int at[3], double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = g->origin[a] + g->h * at[a];
}

// the cells along an axis that the interval touches, within the grid
static void range(const trxi_solid_grid *g, int axis, double lower, double upper, int out[2])
{
    out[0] = (int)fmax(ceil((lower - g->origin[axis]) / g->h - 0.5), 0);
    out[1] = (int)fmin(floor((upper - g->origin[axis]) / g->h + 0.5), g->n[axis] - 1);
}

// keeps the point of the triangle nearest to the centre of a cell, if no earlier triangle has a nearer one; false: no memory
static bool cross_cell(maker *m, const triangle *t, const int at[3])
{
    double x[3], p[3];
    centre_of(m->grid, at, x);
    const float d = (float)closest_on_triangle(t, x, p);
    int *sample = &m->nearest[index_of(m->grid, at)];
    if (*sample >= 0 && !(d < m->away[*sample])) return true;
    if (*sample < 0) {
        if (m->nsample == m->capacity) {
            int capacity = m->capacity;
            m->samples = trxi_pool_grow(m->scratch, m->samples, m->nsample, &capacity, sizeof *m->samples);
            m->away = trxi_pool_grow(m->scratch, m->away, m->nsample, &m->capacity, sizeof *m->away);
            if (!m->samples || !m->away) return false;
        }
        *sample = m->nsample++;
    }
    trxi_copy3(p, m->samples[*sample]);
    m->away[*sample] = d;
    return true;
}

// whether the triangle's projection along `axis` touches the square about (x, y): no edge has the whole square on its outer side
static bool covers(const triangle *t, int axis, double x, double y, double h)
{
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    const double turn = t->normal[axis] > 0 ? 1 : -1;
    for (int k = 0; k < 3; k++) {
        const double *p = t->corner[k], *q = t->corner[(k + 1) % 3];
        const double ea = turn * (q[a] - p[a]), eb = turn * (q[b] - p[b]);
        const double side = ea * (y - p[b]) - eb * (x - p[a]);
        if (side + 0.5 * h * (fabs(ea) + fabs(eb)) < 0) return false;
    }
    return true;
}

static int steepest_axis(const double n[3])
{
    const double x = fabs(n[0]), y = fabs(n[1]), z = fabs(n[2]);
    return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static bool cross_triangle(maker *m, const triangle *t)
{
    const trxi_solid_grid *g = m->grid;
    const int axis = steepest_axis(t->normal), a = (axis + 1) % 3, b = (axis + 2) % 3;
    const double slope_a = -t->normal[a] / t->normal[axis], slope_b = -t->normal[b] / t->normal[axis];
    const double spread = 0.5 * g->h * (fabs(slope_a) + fabs(slope_b));
    int ra[2], rb[2], rc[2], at[3];
    double x[3];
    range(g, a, t->lower[a], t->upper[a], ra);
    range(g, b, t->lower[b], t->upper[b], rb);
    for (at[b] = rb[0]; at[b] <= rb[1]; at[b]++)
        for (at[a] = ra[0]; at[a] <= ra[1]; at[a]++) {
            at[axis] = 0;
            centre_of(g, at, x);
            if (!covers(t, axis, x[a], x[b], g->h)) continue;
            const double *p = t->corner[0], middle = p[axis] + slope_a * (x[a] - p[a]) + slope_b * (x[b] - p[b]);
            range(g, axis, fmax(middle - spread, t->lower[axis]), fmin(middle + spread, t->upper[axis]), rc);
            for (at[axis] = rc[0]; at[axis] <= rc[1]; at[axis]++)
                if (!cross_cell(m, t, at)) return false;
        }
    return true;
}

// ---- outside, distance ----

static void flood(trxi_solid_grid *g, int *stack)
{
    const int step[3] = {1, g->n[0], g->n[0] * g->n[1]};
    int count = 0;
    g->cells[0] = TRXI_CELL_OUTSIDE;
    stack[count++] = 0;
    while (count > 0) {
        const int at = stack[--count];
        const int place[3] = {at % g->n[0], at / g->n[0] % g->n[1], at / step[2]};
        for (int side = 0; side < 6; side++) {
            const int axis = side / 2, sign = side % 2 ? 1 : -1, next = at + sign * step[axis];
            const int moved = place[axis] + sign;
            if (moved < 0 || moved >= g->n[axis] || g->cells[next] != TRXI_CELL_INSIDE) continue;
            g->cells[next] = TRXI_CELL_OUTSIDE;
            stack[count++] = next;
        }
    }
}

static double distance_to(const maker *m, const int at[3], int sample)
{
    double x[3], d[3];
    if (sample < 0) return INFINITY;
    centre_of(m->grid, at, x);
    trxi_sub3(x, m->samples[sample], d);
    return trxi_norm3(d);
}

// the nearest sample of a cell and of the 13 neighbours that come before it (sign -1) or after it
static void look_around(maker *m, const int at[3], int sign)
{
    const trxi_solid_grid *g = m->grid;
    int *own = &m->nearest[index_of(g, at)];
    double best = distance_to(m, at, *own);
    for (int k = 0; k < 13; k++) {
        const int offset[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}; // the first 13 of 27 come before the middle
        int there[3];
        bool in = true;
        for (int a = 0; a < 3; a++) {
            there[a] = at[a] - sign * offset[a];
            in = in && there[a] >= 0 && there[a] < g->n[a];
        }
        const int other = in ? m->nearest[index_of(g, there)] : -1;
        if (other < 0 || other == *own) continue;
        const double d = distance_to(m, at, other);
        if (d < best) best = d, *own = other;
    }
}

static void spread_distances(maker *m)
{
    trxi_solid_grid *g = m->grid;
    const int total = g->n[0] * g->n[1] * g->n[2], plane = g->n[0] * g->n[1];
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < total; i++) {
            const int cell = pass ? total - 1 - i : i;
            look_around(m, (const int[3]){cell % g->n[0], cell / g->n[0] % g->n[1], cell / plane}, pass ? 1 : -1);
        }
    for (int i = 0; i < total; i++) {
        const int at[3] = {i % g->n[0], i / g->n[0] % g->n[1], i / plane};
        if (g->cells[i] == TRXI_CELL_OUTSIDE) g->distance[i] = (float)distance_to(m, at, m->nearest[i]);
    }
}

// ---- entry points ----

static double squares_covered(const trx_mesh *mesh, double h)
{
    double sum = 0;
    for (int t = 0; t < mesh->ntriangle; t++) {
        triangle tri;
        if (!triangle_at(mesh, t, &tri)) continue;
        const int axis = steepest_axis(tri.normal), a = (axis + 1) % 3, b = (axis + 2) % 3;
        sum += ((tri.upper[a] - tri.lower[a]) / h + 1) * ((tri.upper[b] - tri.lower[b]) / h + 1);
    }
    return sum;
}

static void place_grid(trxi_solid_grid *g, const trx_mesh *mesh, double h)
{
    double lower[3], upper[3];
    const double longest = trxi_point_bounds(mesh->vertices, mesh->nvertex, lower, upper);
    g->h = fmax(h, longest / MOST_CELLS);
    while (squares_covered(mesh, g->h) > MOST_SQUARES && g->h < longest / 8) g->h *= 1.5;

    // a border of one free cell, and the mesh in the middle of the rest
    for (int a = 0; a < 3; a++) {
        const double length = upper[a] - lower[a];
        g->n[a] = (int)floor(length / g->h) + 4;
        g->origin[a] = 0.5 * (lower[a] + upper[a]) - 0.5 * g->h * (g->n[a] - 1);
    }
}

trx_status trxi_solid_grid_create(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, double h,
                                  trxi_solid_grid *grid)
{
    *grid = (trxi_solid_grid){0};
    place_grid(grid, mesh, h);
    trxi_pool *scratch = trxi_pool_create(context);
    if (!scratch) return TRX_ERR_MEMORY;
    const size_t total = (size_t)grid->n[0] * (size_t)grid->n[1] * (size_t)grid->n[2];
    maker m = {.grid = grid, .scratch = scratch};
    m.nearest = TRXI_POOL(scratch, int, total);
    int *stack = TRXI_POOL(scratch, int, total);
    grid->cells = TRXI_POOL(pool, unsigned char, total);
    grid->distance = TRXI_POOL(pool, float, total);
    bool memory = m.nearest && stack && grid->cells && grid->distance;
    for (size_t i = 0; i < total && memory; i++) m.nearest[i] = -1;
    for (int t = 0; t < mesh->ntriangle && memory; t++) {
        triangle tri;
        if (triangle_at(mesh, t, &tri)) memory = cross_triangle(&m, &tri);
    }
    if (memory) {
        for (size_t i = 0; i < total; i++) grid->cells[i] = m.nearest[i] >= 0 ? TRXI_CELL_SURFACE : TRXI_CELL_INSIDE;
        flood(grid, stack);
        spread_distances(&m);
    }
    trxi_pool_destroy(scratch);
    return memory ? TRX_OK : TRX_ERR_MEMORY;
}

trxi_cell trxi_solid_grid_at(const trxi_solid_grid *grid, const double x[3])
{
    int at[3];
    for (int a = 0; a < 3; a++) {
        const double place = round((x[a] - grid->origin[a]) / grid->h);
        if (!(place >= 0 && place < grid->n[a])) return TRXI_CELL_OUTSIDE;
        at[a] = (int)place;
    }
    return (trxi_cell)grid->cells[index_of(grid, at)];
}

// the part of the line x + s e_0 inside a hull whose faces are moved outwards by half the width of a cube of side `grow`
static bool line_in_hull(const trxi_hull *hull, const double x[3], double grow, double inside[2])
{
    inside[0] = -INFINITY, inside[1] = INFINITY;
    for (int f = 0; f < hull->nface && inside[0] <= inside[1]; f++) {
        const double *n = hull->faces + 4 * (size_t)f;
        const double room = n[3] - trxi_dot3(n, x) + 0.5 * grow * (fabs(n[0]) + fabs(n[1]) + fabs(n[2]));
        if (n[0] > 0) inside[1] = fmin(inside[1], room / n[0]);
        else if (n[0] < 0) inside[0] = fmax(inside[0], room / n[0]);
        else if (room < 0) return false;
    }
    return inside[0] <= inside[1];
}

// the cells of a row within an interval, and within the row of the hull's box
static void cells_in(const trxi_solid_grid *g, const double inside[2], const int row[2], int out[2])
{
    out[0] = (int)fmax(ceil(inside[0] / g->h), row[0]);
    out[1] = (int)fmin(floor(inside[1] / g->h), row[1]);
}

// Adds the cells of one row that the hull may touch. A cell whose centre is in the hull counts with the distance of the centre. Any
// other cell counts with the least distance that a point of the cell can have: a hull thinner than a cell may have only such cells.
static void add_row(const trxi_solid_grid *g, const trxi_hull *hull, const int at[3], const int ends[2], trxi_excess *out)
{
    double x[3], near[2], inside[2];
    int touched[2], kept[2] = {INT_MAX, INT_MIN};
    centre_of(g, at, x);
    trxi_sub3(x, hull->centre, x);
    if (!line_in_hull(hull, x, g->h, near)) return;
    cells_in(g, near, ends, touched);
    if (line_in_hull(hull, x, 0, inside)) cells_in(g, inside, ends, kept);
    const float *row = g->distance + index_of(g, at);
    for (int i = touched[0]; i <= touched[1]; i++) {
        const bool in = i >= kept[0] && i <= kept[1];
        const double d = in ? row[i] : fmax(row[i] - 0.5 * sqrt(3) * g->h, 0);
        out->largest = fmax(out->largest, d);
        out->sum += d;
    }
}

trxi_excess trxi_solid_grid_excess(const trxi_solid_grid *grid, const trxi_hull *hull)
{
    trxi_excess out = {0, 0};
    int low[3], high[3];
    double lower[3], upper[3];
    trxi_point_bounds(hull->vertices, hull->nvertex, lower, upper);
    for (int a = 0; a < 3; a++) {
        low[a] = (int)fmax(ceil((hull->centre[a] + lower[a] - grid->origin[a]) / grid->h - 0.5), 0);
        high[a] = (int)fmin(floor((hull->centre[a] + upper[a] - grid->origin[a]) / grid->h + 0.5), grid->n[a] - 1);
    }
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            add_row(grid, hull, (const int[3]){0, j, k}, (const int[2]){low[0], high[0]}, &out);
    return out;
}
