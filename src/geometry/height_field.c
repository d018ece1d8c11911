// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The grid of a height field (theory 6): its checks, its triangles and their neighbours, and the cells under a shape. Each cell is
// divided by the diagonal from its corner of least x and y, as MuJoCo divides it.

#include "geometry/height_field.h"

#include "geometry/mesh.h"
#include "geometry/support.h"

#include <stddef.h>

static const double regular = 1e-6;   // of a step: how far vertices may be from the places of the grid
static const double wider = 0.25;     // of a cell: reach beyond the shape, for corners that are deep in a slope
static const double MAX_SLOPE = 1e6;  // largest height, in shorter sides of a cell

typedef struct grid {
    int columns, rows;      // of vertices
    double x0, y0, dx, dy;  // first vertex, steps [m]
} grid;

static grid grid_of(const trx_shape *field)
{
    const double *v = field->mesh->vertices;
    const int columns = field->columns, rows = field->mesh->nvertex / columns;
    const double *end = v + 3 * (size_t)(field->mesh->nvertex - 1);
    return (grid){columns, rows, v[0], v[1], (end[0] - v[0]) / (columns - 1), (end[1] - v[1]) / (rows - 1)};
}

// ---- checks ----

static const char *vertices_defect(const trx_shape *field, const grid *g)
{
    for (int i = 0; i < field->mesh->nvertex; i++) {
        const double *v = field->mesh->vertices + 3 * (size_t)i;
        const double x = g->x0 + g->dx * (i % g->columns), y = g->y0 + g->dy * (i / g->columns);
        if (!(fabs(v[0] - x) <= regular * g->dx && fabs(v[1] - y) <= regular * g->dy)) return "the vertices are on no regular grid";
        if (!(v[2] > -field->length)) return "a height is not above the bottom";
        if (!(fabs(v[2]) <= MAX_SLOPE * fmin(g->dx, g->dy))) return "a height is beyond 1e6 times the side of a cell";
    }
    return NULL;
}

static void corners_of(const trx_shape *field, int number, int corner[3])
{
    const int columns = field->columns, cell = number / 2, i = cell % (columns - 1) + cell / (columns - 1) * columns;
    corner[0] = i;
    corner[1] = number % 2 ? i + columns + 1 : i + 1;
    corner[2] = number % 2 ? i + columns : i + columns + 1;
}

const char *trxi_height_field_defect(const trx_shape *field)
{
    const trx_mesh *mesh = field->mesh;
    if (!mesh) return "a height field needs a mesh";
    const char *defect = trxi_mesh_defect(mesh);
    if (defect) return defect;
    if (mesh->nvertex > TRXI_MAX_FIELD_VERTICES) return "a height field has at most 4194304 heights";
    if (field->columns < 2 || mesh->nvertex % field->columns || mesh->nvertex / field->columns < 2)
        return "a height field needs a grid of at least 2 x 2 heights";
    if (!(field->length > 0 && isfinite(field->length))) return "the depth of the bottom must be positive and finite";
    if (field->rounding > 0) return "a height field has no rounding";
    const grid g = grid_of(field);
    if (!(g.dx > 0 && g.dy > 0)) return "x must grow along the rows and y from row to row";
    defect = vertices_defect(field, &g);
    if (defect) return defect;
    if (mesh->ntriangle != 2 * (g.columns - 1) * (g.rows - 1)) return "a height field has two triangles per cell";
    for (int t = 0; t < mesh->ntriangle; t++) {
        int corner[3];
        corners_of(field, t, corner);
        for (int k = 0; k < 3; k++)
            if (mesh->triangles[3 * (size_t)t + (size_t)k] != corner[k]) return "the triangles are not those of the grid";
    }
    return NULL;
}

bool trxi_height_field_make(trxi_pool *pool, int columns, int rows, const double size[2], const double *heights, trx_mesh *mesh)
{
    const int nvertex = columns * rows, ntriangle = 2 * (columns - 1) * (rows - 1);
    double *vertices = TRXI_POOL(pool, double, 3 * (size_t)nvertex);
    int *triangles = TRXI_POOL(pool, int, 3 * (size_t)ntriangle);
    if (!vertices || !triangles) return false;
    for (int i = 0; i < nvertex; i++)
        trxi_set3(size[0] * ((double)(i % columns) / (columns - 1) - 0.5), size[1] * ((double)(i / columns) / (rows - 1) - 0.5),
                  heights[i], vertices + 3 * (size_t)i);
    *mesh = (trx_mesh){.nvertex = nvertex, .vertices = vertices, .ntriangle = ntriangle, .triangles = triangles};
    const trx_shape field = {.type = TRX_SHAPE_HEIGHT_FIELD, .mesh = mesh, .columns = columns};
    for (int t = 0; t < ntriangle; t++) corners_of(&field, t, triangles + 3 * (size_t)t);
    return true;
}

// ---- triangles ----

static const double *vertex_of(const trx_shape *field, int i)
{
    return field->mesh->vertices + 3 * (size_t)i;
}

void trxi_field_triangle_of(const trx_shape *field, int number, trxi_field_triangle *t)
{
    const int columns = field->columns, rows = field->mesh->nvertex / columns, across = columns - 1;
    const int cell = number / 2, i = cell % across, j = cell / across;
    t->number = number;
    corners_of(field, number, t->corner);
    for (int k = 0; k < 3; k++) t->x[k] = vertex_of(field, t->corner[k]);
    double e1[3], e2[3];
    trxi_sub3(t->x[1], t->x[0], e1);
    trxi_sub3(t->x[2], t->x[0], e2);
    trxi_cross3(e1, e2, t->n);
    trxi_normalize3(t->n, t->n);

    // the neighbours and their corners beyond. Lower triangle: below, on the right, across the diagonal. Upper triangle: across the
    // diagonal, above, on the left
    const int at = t->corner[0];
    const bool lower = number % 2 == 0;
    const bool inside[2][3] = {{j > 0, i + 1 < across, true}, {true, j + 2 < rows, i > 0}};
    const int triangle[2][3] = {{2 * (cell - across) + 1, 2 * (cell + 1) + 1, number + 1},
                                {number - 1, 2 * (cell + across), 2 * (cell - 1)}};
    const int beyond[2][3] = {{at - columns, at + columns + 2, at + columns}, {at + 1, at + 2 * columns + 1, at - 1}};
    for (int k = 0; k < 3; k++) {
        const bool there = inside[!lower][k];
        t->neighbour[k] = there ? triangle[!lower][k] : -1;
        t->across[k] = there ? vertex_of(field, beyond[!lower][k]) : NULL;
    }
}

int trxi_field_ring(const trx_shape *field, int vertex, const double *ring[6])
{
    static const int steps[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const int columns = field->columns, rows = field->mesh->nvertex / columns;
    const int i = vertex % columns, j = vertex / columns;
    int count = 0;
    for (int k = 0; k < 6; k++) {
        const int u = i + steps[k][0], v = j + steps[k][1];
        if (u >= 0 && u < columns && v >= 0 && v < rows) ring[count++] = vertex_of(field, u + v * columns);
    }
    return count;
}

int trxi_field_owner(const trx_shape *field, int vertex)
{
    const int columns = field->columns, i = vertex % columns, j = vertex / columns;
    const int cell = (j > 0 ? j - 1 : 0) * (columns - 1) + (i > 0 ? i - 1 : 0);
    return 2 * cell + (i == 0 && j > 0);
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

bool trxi_field_height(const trx_shape *field, double x, double y, double *height)
{
    const grid g = grid_of(field);
    const double across = (x - g.x0) / g.dx, up = (y - g.y0) / g.dy;
    const double u = clamp(across, 0, g.columns - 1), v = clamp(up, 0, g.rows - 1);
    const int i = (int)fmin(u, g.columns - 2), j = (int)fmin(v, g.rows - 2);
    const double fu = u - i, fv = v - j;
    int corner[3];
    corners_of(field, 2 * (j * (g.columns - 1) + i) + (fv > fu), corner);
    const double z0 = vertex_of(field, corner[0])[2], z1 = vertex_of(field, corner[1])[2], z2 = vertex_of(field, corner[2])[2];
    *height = fv > fu ? z0 + fu * (z1 - z2) + fv * (z2 - z0) : z0 + fu * (z1 - z0) + fv * (z2 - z1);
    return u == across && v == up;
}

// ---- the pieces under a shape ----

// the interval of B along axis i of the field, relative to the field's origin
static void interval(const trxi_placed_shape *field, const trxi_core *core, int i, double out[2])
{
    double away[3], along[3], x[3];
    for (int side = 0; side < 2; side++) {
        trxi_scale3(side ? 1 : -1, field->R + 3 * i, along);
        trxi_core_support(core, 0, along, x);
        trxi_sub3(x, field->p, away);
        out[side] = trxi_dot3(field->R + 3 * i, away) + (side ? core->radius : -core->radius);
    }
}

trxi_field_walk trxi_field_walk_under(const trxi_placed_shape *field, const trxi_placed_shape *B, double margin)
{
    const grid g = grid_of(field->shape);
    const double first[2] = {g.x0, g.y0}, step[2] = {g.dx, g.dy};
    const int cells[2] = {g.columns - 1, g.rows - 1};
    const trxi_core core = trxi_core_of(B);
    trxi_field_walk walk = {.field = field->shape, .part = 0};
    double ends[2];
    for (int i = 0; i < 2; i++) {
        interval(field, &core, i, ends);
        const double low = floor((ends[0] - margin - first[i]) / step[i] - wider);
        const double high = floor((ends[1] + margin - first[i]) / step[i] + wider);
        walk.low[i] = (int)clamp(low, 0, cells[i]);
        walk.high[i] = (int)clamp(high, -1, cells[i] - 1);
        walk.cell[i] = walk.low[i];
    }
    interval(field, &core, 2, ends);
    walk.lowest = ends[0] - margin;
    return walk;
}

// whether the triangle reaches the height of the shape
static bool reaches(const trxi_field_walk *walk, int triangle)
{
    int corner[3];
    corners_of(walk->field, triangle, corner);
    for (int k = 0; k < 3; k++)
        if (vertex_of(walk->field, corner[k])[2] > walk->lowest) return true;
    return false;
}

int trxi_field_walk_next(trxi_field_walk *walk)
{
    enum { PARTS = 4 };
    if (walk->low[0] > walk->high[0]) return -1;
    for (; walk->cell[1] <= walk->high[1]; walk->cell[1]++, walk->cell[0] = walk->low[0])
        for (; walk->cell[0] <= walk->high[0]; walk->cell[0]++, walk->part = 0)
            while (walk->part < PARTS) {
                const int cell = walk->cell[1] * (walk->field->columns - 1) + walk->cell[0], part = walk->part++;
                if (reaches(walk, 2 * cell + part / 2)) return PARTS * cell + part;
            }
    return -1;
}
