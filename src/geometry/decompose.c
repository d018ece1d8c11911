// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Approximate convex decomposition (theory 1); see decompose.h. The excess of a part is the largest distance of points of
// its hull from the solid (solid_grid.h). Then
//
//     1. begin with the whole mesh
//     2. while the part of largest excess is above the tolerance: divide it by the best plane (cut.c)
//     3. join pairs of parts whose common hull stays within the tolerance, the least excess first
//     4. while there are too many parts: join the pair of least excess
//
// Step 2 ends at twice the number of parts that is wanted, because step 3 takes back cuts that other cuts made
// needless. Every step is a fixed sequence without random numbers or threads. The cost consists of the grid (at most 80 cells
// along a side), up to 160 planes for each part, and one clipping of all triangles for each level of cuts.

#include "geometry/decompose.h"

#include "geometry/mesh.h"
#include "geometry/mesh_part.h"
#include "math/vec3.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double CELLS_PER_TOLERANCE = 2, LARGEST_CELL = 1.0 / 16; // a share of the mesh's longest side
static const double THICKNESS = 0.1;                                  // of flat parts, a share of the tolerance
static const double LEAST_THICKNESS = 1e-4; // share of the mesh's longest side: a thinner part has no computable hull
static const double SMALLEST = 1e-15, LARGEST = 1e15;                 // longest side of a mesh [m]

const char *trxi_decomposition_defect(const trx_decomposition *s)
{
    if (s->most < 0 || s->most > TRX_MOST_PARTS) return "the largest number of parts must be from 1 to 256";
    if (!isnan(s->tolerance) && !(s->tolerance > 0 && isfinite(s->tolerance))) return "the tolerance must be positive and finite";
    if (!(s->share > 0 && s->share <= 1)) return "the share of the size must be above 0 and at most 1";
    return NULL;
}

typedef struct divider {
    trxi_cutter cutter;
    trxi_cut_directions directions;
    double tolerance;
    trxi_mesh_part *parts;
    int count;
    double *joint;   // stride x stride: excess of the common hull of parts i < j; NAN: not known yet; INFINITY: far apart
    int stride;
} divider;

// ---- cuts ----

static int worst_part(const divider *d, const bool *done)
{
    int worst = -1;
    for (int i = 0; i < d->count; i++)
        if (!done[i] && d->parts[i].excess > d->tolerance && (worst < 0 || d->parts[i].excess > d->parts[worst].excess)) worst = i;
    return worst;
}

static trx_status divide(divider *d, int most)
{
    bool *done = TRXI_POOL(d->cutter.pool, bool, most + 1);
    if (!done) return TRX_ERR_MEMORY;
    for (int i; d->count < most && (i = worst_part(d, done)) >= 0;) {
        double plane[4];
        bool found;
        trxi_mesh_part sides[2];
        trx_status status = trxi_cut_choose(&d->cutter, &d->directions, &d->parts[i], plane, &found);
        if (status == TRX_OK && found) status = trxi_part_split(&d->cutter, &d->parts[i], plane, sides);
        if (status < 0) return status;
        done[i] = !found || (!sides[0].hull && !sides[1].hull);
        if (done[i]) continue;

        // a cut that leaves one side without solid only makes the region smaller
        const int kept = sides[0].hull ? 0 : 1;
        done[i] = !sides[1 - kept].hull;
        d->parts[i] = sides[kept];
        if (sides[1 - kept].hull) d->parts[d->count++] = sides[1 - kept];
    }
    return TRX_OK;
}

// ---- joins ----

// the box of a hull
static void hull_bounds(const trxi_hull *hull, double lower[3], double upper[3])
{
    trxi_point_bounds(hull->vertices, hull->nvertex, lower, upper);
    trxi_add3(hull->centre, lower, lower);
    trxi_add3(hull->centre, upper, upper);
}

static double gap(const trxi_hull *a, const trxi_hull *b)
{
    double low[2][3], high[2][3], largest = -INFINITY;
    hull_bounds(a, low[0], high[0]);
    hull_bounds(b, low[1], high[1]);
    for (int axis = 0; axis < 3; axis++) largest = fmax(largest, fmax(low[0][axis] - high[1][axis], low[1][axis] - high[0][axis]));
    return largest;
}

// the excess of the common hull of two parts, computed once; INFINITY for parts that are far apart, unless `all`
static trx_status joint_excess(divider *d, int i, int j, bool all, double *excess)
{
    double *known = &d->joint[i * d->stride + j];
    if (isnan(*known) && gap(d->parts[i].hull, d->parts[j].hull) > 2 * d->tolerance) *known = INFINITY;
    if (isnan(*known) || (all && isinf(*known))) {
        trxi_mesh_part joined;
        const trx_status status = trxi_part_join(&d->cutter, &d->parts[i], &d->parts[j], &joined);
        if (status < 0) return status;
        *known = joined.excess;
    }
    *excess = *known;
    return TRX_OK;
}

static void forget_joints(divider *d, int part)
{
    for (int k = 0; k < d->stride; k++) d->joint[part * d->stride + k] = d->joint[k * d->stride + part] = NAN;
}

// joins part j to part i; the last part takes the place of part j
static trx_status join(divider *d, int i, int j)
{
    trxi_mesh_part joined;
    const trx_status status = trxi_part_join(&d->cutter, &d->parts[i], &d->parts[j], &joined);
    if (status < 0) return status;
    d->parts[i] = joined;
    d->parts[j] = d->parts[--d->count];
    forget_joints(d, i);
    forget_joints(d, j);
    return TRX_OK;
}

// the pair whose common hull has the least excess
static trx_status best_pair(divider *d, bool all, int pair[2], double *least)
{
    *least = INFINITY;
    for (int i = 0; i < d->count; i++)
        for (int j = i + 1; j < d->count; j++) {
            double excess;
            const trx_status status = joint_excess(d, i, j, all, &excess);
            if (status < 0) return status;
            if (excess < *least) *least = excess, pair[0] = i, pair[1] = j;
        }
    return TRX_OK;
}

// joins pairs within the tolerance, then pairs until there are at most `most` parts
static trx_status join_pairs(divider *d, int most)
{
    while (d->count > 1) {
        int pair[2];
        double least;
        trx_status status = best_pair(d, false, pair, &least);
        if (status == TRX_OK && isinf(least) && d->count > most) status = best_pair(d, true, pair, &least);
        if (status < 0) return status;
        if (isinf(least) || (least > d->tolerance && d->count <= most)) return TRX_OK;
        if ((status = join(d, pair[0], pair[1])) < 0) return status;
    }
    return TRX_OK;
}

// ---- entry point ----

static trx_status prepare(trx_context *context, trxi_pool *scratch, const trx_mesh *mesh, const trx_decomposition *settings,
                          trxi_solid_grid *grid, divider *d)
{
    double lower[3], upper[3];
    const double size = trxi_point_bounds(mesh->vertices, mesh->nvertex, lower, upper);
    if (!(size > SMALLEST && size < LARGEST))
        return trxi_fail(context, TRX_ERR_INPUT, "its longest side is %g m; it must be between %g m and %g m", size, SMALLEST,
                         LARGEST);
    d->tolerance = isnan(settings->tolerance) ? settings->share * size : settings->tolerance;
    const double cell = fmin(d->tolerance / CELLS_PER_TOLERANCE, size * LARGEST_CELL);
    trx_status status = trxi_solid_grid_create(context, scratch, mesh, cell, grid);
    if (status < 0) return status;
    d->stride = 2 * settings->most;
    d->parts = TRXI_POOL(scratch, trxi_mesh_part, d->stride + 1);
    d->joint = TRXI_POOL(scratch, double, (size_t)d->stride * (size_t)d->stride);
    int *mark = TRXI_POOL(scratch, int, mesh->nvertex);
    if (!d->parts || !d->joint || !mark) return TRX_ERR_MEMORY;
    for (int i = 0; i < d->stride; i++) forget_joints(d, i);
    trxi_mesh_integrals sums;
    trxi_mesh_integrate(mesh, &sums);
    d->cutter = (trxi_cutter){.context = context, .pool = scratch, .mesh = mesh, .grid = grid, .closed = sums.closed,
                              .eps = 1e-9 * size, .mark = mark,
                              .thickness = fmax(fmin(THICKNESS * d->tolerance, grid->h), LEAST_THICKNESS * size)};
    trxi_cut_directions_find(mesh, &d->directions);
    return TRX_OK;
}

static trx_status take_parts(trxi_pool *pool, const divider *d, trxi_convex_parts *out)
{
    out->parts = TRXI_POOL(pool, trx_mesh, d->count);
    if (!out->parts) return TRX_ERR_MEMORY;
    for (int i = 0; i < d->count; i++) {
        if (!trxi_hull_mesh(pool, d->parts[i].hull, &out->parts[i])) return TRX_ERR_MEMORY;
        out->excess = fmax(out->excess, d->parts[i].excess);
    }
    out->npart = d->count, out->tolerance = d->tolerance, out->cell = d->cutter.grid->h;
    return TRX_OK;
}

static trx_status run(trx_context *context, trxi_pool *pool, trxi_pool *scratch, const trx_mesh *mesh,
                      const trx_decomposition *settings, trxi_convex_parts *out)
{
    divider d = {.count = 1};
    trxi_solid_grid grid;
    trx_status status = prepare(context, scratch, mesh, settings, &grid, &d);
    if (status == TRX_OK) status = trxi_part_whole(&d.cutter, &d.parts[0]);
    if (status == TRX_OK) status = divide(&d, d.stride);
    if (status == TRX_OK) status = join_pairs(&d, settings->most);
    return status == TRX_OK ? take_parts(pool, &d, out) : status;
}

trx_status trxi_decompose(trx_context *context, trxi_pool *pool, const trx_mesh *mesh, const trx_decomposition *settings,
                          trxi_convex_parts *parts)
{
    *parts = (trxi_convex_parts){0};
    trxi_pool *scratch = trxi_pool_create(context);
    if (!scratch) return TRX_ERR_MEMORY;
    const trxi_hull *whole;
    trx_status status = trxi_hull_create(context, scratch, mesh, &whole);
    if (status == TRX_OK) status = run(context, pool, scratch, mesh, settings, parts);
    trxi_pool_destroy(scratch);
    return status;
}
