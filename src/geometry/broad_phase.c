// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Three lower bounds on the distance of a pair, cheapest first. The first bound that reaches the pair's margin drops
// the pair (theory 1):
//
//   bounding spheres    |p_B - p_A| - r_A - r_B
//   faces of a box A    max_i |l_i| - h_i - r_B, with l = R_A^T (p_B - p_A)
//   centre line         |p_B - p_A| - e_A(m) - e_B(-m), with m along p_B - p_A and e(m) the shape's extent from its
//                       centre in the direction m
//
// A halfspace A has one bound, the height of B's lowest point, which is exact for each shape. The pieces of a height field
// near B are candidates of their own (height_field.h). The second bound serves plates and tables, for which bounding sphere and
// centre line are weak bounds.
//
// Pairs to test: all pairs of a short list. For a long list, pairs with a halfspace or a height field, and pairs whose
// boxes along the world's axes overlap (tests/geometry/bench_broad_phase prints where the second way becomes faster). A
// box is as wide as its shape (for a hull: as the hull's box in its own axes), and on all sides wider by
//
//     max(travel, reach / 2),    reach: largest of the geometry's pairs
//
// The boxes of a pair then overlap whenever its distance is below its margin: both travels add up, and no reach of a
// pair exceeds the mean of its geometries' reaches. Boxes are sorted by their lower ends along the axis along which
// the shapes are spread the most, ties by index. Each box is compared with the boxes that begin before it ends (sort
// and sweep). Sorting starts from the order of the last query and merges its ascending runs: a scene that hardly
// moves costs one pass. The old order changes the cost but not the result. Cost: at most n log n for sorting, plus
// the pairs that overlap along one axis.

#include "geometry/broad_phase.h"

#include "geometry/height_field.h"
#include "geometry/mesh.h"
#include "geometry/support.h"
#include "math/vec3.h"

#include <string.h>

static const int short_list = 8; // pairs per shape up to which testing the whole list is faster

// extent of a hull from its centre, to its farthest vertex
static double hull_extent(const trxi_placed_shape *s, const double m[3])
{
    double l[3];
    trxi_mulv3_t(s->R, m, l);
    const trxi_hull *hull = s->shape->hull;
    return trxi_dot3(hull->vertices + 3 * trxi_hull_climb(hull, 0, l), l);
}

// extent of a shape from its centre along a unit vector m
static double extent(const trxi_placed_shape *s, const double m[3])
{
    const double *size = s->shape->size, r = s->shape->radius, h = s->shape->length / 2, rounding = s->shape->rounding;
    double along = trxi_dot3(s->R + 6, m), l[3] = {trxi_dot3(s->R, m), trxi_dot3(s->R + 3, m), along};
    switch (s->shape->type) {
    case TRX_SHAPE_HALFSPACE:
    case TRX_SHAPE_HEIGHT_FIELD: break;
    case TRX_SHAPE_MESH: return hull_extent(s, m) + rounding;
    case TRX_SHAPE_BOX: return 0.5 * (size[0] * fabs(l[0]) + size[1] * fabs(l[1]) + size[2] * fabs(l[2])) + rounding;
    case TRX_SHAPE_CYLINDER: return h * fabs(along) + r * sqrt(fmax(0, 1 - along * along)) + rounding;
    case TRX_SHAPE_ELLIPSOID:
        for (int i = 0; i < 3; i++) l[i] *= size[i];
        return 0.5 * trxi_norm3(l) + rounding;
    case TRX_SHAPE_CAPSULE: return h * fabs(along) + r;
    case TRX_SHAPE_SPHERE: return r;
    }
    return INFINITY;
}

static bool may_touch(const trxi_placed_shape *A, const trxi_placed_shape *B, double rA, double rB, double margin)
{
    double w[3];
    trxi_sub3(B->p, A->p, w);
    // round-off must not drop a pair that the exact query would find
    margin += 1e-12 * (fabs(w[0]) + fabs(w[1]) + fabs(w[2]) + rB);
    if (A->shape->type == TRX_SHAPE_HALFSPACE) {
        const double *n = A->R + 6;
        double z = trxi_dot3(n, w) - margin;
        double down[3] = {-n[0], -n[1], -n[2]};
        return z < rB && z < extent(B, down);
    }

    // bounding spheres
    double square = trxi_dot3(w, w), reach = rA + rB + margin;
    if (!(reach > 0 && square < reach * reach)) return false;

    // faces of the box
    if (A->shape->type == TRX_SHAPE_BOX)
        for (int i = 0; i < 3; i++)
            if (fabs(trxi_dot3(A->R + 3 * i, w)) - 0.5 * A->shape->size[i] - A->shape->rounding >= rB + margin) return false;

    // centre line
    double d = sqrt(square), m[3];
    if (!(d > 0)) return true;
    trxi_scale3(1 / d, w, m);
    double minus[3] = {-m[0], -m[1], -m[2]};
    return d - extent(A, m) - extent(B, minus) < margin;
}

void trxi_pair_filter_close(trxi_pair_filter *filter)
{
    trxi_release(filter->context, filter->candidates);
    trxi_release(filter->context, filter->found);
}

// makes room for this many candidates and keeps the present ones. False when memory is out
static bool reserve(trxi_pair_filter *filter, int count)
{
    const size_t bytes = (size_t)count * sizeof(trxi_candidate);
    trxi_candidate *candidates = trxi_allocate(filter->context, bytes), *found = trxi_allocate(filter->context, bytes);
    if (!candidates || !found) {
        trxi_release(filter->context, candidates);
        trxi_release(filter->context, found);
        return false;
    }
    if (filter->ncandidate > 0) memcpy(candidates, filter->candidates, (size_t)filter->ncandidate * sizeof *candidates);
    trxi_pair_filter_close(filter);
    filter->candidates = candidates, filter->found = found;
    filter->room = count;
    return true;
}

trx_status trxi_pair_filter_open(trx_context *context, const trxi_pair_table *pairs, trxi_pair_filter *filter)
{
    static const int first_room = 1024; // a model with fewer pairs needs more only for pieces of height fields
    *filter = (trxi_pair_filter){.context = context, .pairs = pairs};
    const int room = pairs->npair < first_room ? pairs->npair : first_room;
    return reserve(filter, room > 0 ? room : 1) ? TRX_OK : TRX_ERR_MEMORY;
}

void trxi_pair_filter_layout(trxi_arena *arena, int ngeom, trxi_pair_filter *filter)
{
    filter->ngeom = ngeom;
    filter->geom_reach = TRXI_TAKE(arena, double, ngeom);
    filter->unbounded = TRXI_TAKE(arena, int, ngeom);
    filter->order = TRXI_TAKE(arena, int, ngeom);
    filter->merged = TRXI_TAKE(arena, int, ngeom);
    filter->bounds = TRXI_TAKE(arena, trxi_shape_bounds, ngeom);
    filter->boxes = TRXI_TAKE(arena, trxi_world_box, ngeom);
    filter->sorted = TRXI_TAKE(arena, trxi_world_box, ngeom);
    filter->keys = TRXI_TAKE(arena, double, ngeom);
    filter->counts = TRXI_TAKE(arena, int, ngeom + 1);
}

// box of a shape in its own axes, without its rounding ball
static trxi_shape_bounds bounds_of(const trxi_placed_shape *placed)
{
    trxi_core core = trxi_core_of(placed);
    trxi_shape_bounds bounds = {.sweep = core.radius, .type = placed->shape->type};
    trxi_copy3(core.h, bounds.h);
    if (core.kind != TRXI_CORE_HULL) return bounds;
    double low[3], high[3];
    trxi_point_bounds(core.hull->vertices, core.hull->nvertex, low, high);
    for (int i = 0; i < 3; i++) {
        bounds.h[i] = (high[i] - low[i]) / 2;
        bounds.centre[i] = (high[i] + low[i]) / 2;
    }
    return bounds;
}

// marks the geometries that are in pairs of two bounded shapes; returns the number of all other pairs
static int mark_bounded(trxi_pair_filter *filter, const double *radii)
{
    int apart = 0;
    for (int r = 0; r < filter->pairs->nrun; r++) {
        const trxi_pair_run *run = &filter->pairs->runs[r];
        for (int g = run->geom; g < run->geom + run->count; g++) {
            if (isfinite(radii[run->row]) && isfinite(radii[g])) filter->counts[run->row] = filter->counts[g] = 1;
            else apart++;
        }
    }
    return apart;
}

void trxi_pair_filter_prepare(trxi_pair_filter *filter, const trxi_placed_shape *shapes, const double *radii)
{
    filter->shapes = shapes;
    filter->radii = radii;
    filter->stale = true;
    memset(filter->counts, 0, (size_t)(filter->ngeom + 1) * sizeof *filter->counts);
    const int apart = mark_bounded(filter, radii);
    filter->nbounded = filter->nunbounded = 0;
    for (int g = 0; g < filter->ngeom; g++) {
        if (!isfinite(radii[g])) filter->unbounded[filter->nunbounded++] = g;
        if (!filter->counts[g]) continue;
        filter->order[filter->nbounded++] = g;
        filter->bounds[g] = bounds_of(&shapes[g]);
    }
    filter->sweeps = filter->pairs->npair - apart > short_list * filter->nbounded;
}

void trxi_pair_filter_set_reach(trxi_pair_filter *filter, const double *reach)
{
    filter->reach = reach;
    filter->stale = true;
}

static void find_geom_reach(trxi_pair_filter *filter)
{
    for (int g = 0; g < filter->ngeom; g++) filter->geom_reach[g] = -INFINITY;
    for (int r = 0; r < filter->pairs->nrun; r++) {
        const trxi_pair_run *run = &filter->pairs->runs[r];
        const double reach = filter->reach[run->kind];
        filter->geom_reach[run->row] = fmax(filter->geom_reach[run->row], reach);
        for (int g = run->geom; g < run->geom + run->count; g++) filter->geom_reach[g] = fmax(filter->geom_reach[g], reach);
    }
    filter->stale = false;
}

// half side of a shape's box along axis i of the world
static double half_side(const trxi_shape_bounds *bounds, const double *R, int i)
{
    const double *h = bounds->h, x = R[i], y = R[i + 3], z = R[i + 6];
    switch (bounds->type) {
    case TRX_SHAPE_ELLIPSOID: return sqrt(h[0] * h[0] * x * x + h[1] * h[1] * y * y + h[2] * h[2] * z * z);
    case TRX_SHAPE_CYLINDER: return h[0] * sqrt(x * x + y * y) + h[2] * fabs(z);
    default: return h[0] * fabs(x) + h[1] * fabs(y) + h[2] * fabs(z);
    }
}

static void place_box(const trxi_pair_filter *filter, int g, double travel)
{
    const trxi_placed_shape *shape = &filter->shapes[g];
    const trxi_shape_bounds *bounds = &filter->bounds[g];
    trxi_world_box *box = &filter->boxes[g];
    double offset[3], wider = bounds->sweep + fmax(travel, filter->geom_reach[g] / 2);
    trxi_mulv3(shape->R, bounds->centre, offset);
    // round-off must not drop a pair that the exact query would find
    wider += 1e-12 * (fabs(shape->p[0]) + fabs(shape->p[1]) + fabs(shape->p[2]) + filter->radii[g]);
    for (int i = 0; i < 3; i++) {
        double half = half_side(bounds, shape->R, i) + wider, middle = shape->p[i] + offset[i];
        box->low[i] = middle - half;
        box->high[i] = middle + half;
        // NaN overlaps everything
        if (!(box->low[i] <= box->high[i])) box->low[i] = -INFINITY, box->high[i] = INFINITY;
    }
}

// the axis along which the shapes are spread the most
static int choose_axis(const trxi_pair_filter *filter)
{
    double sum[3] = {0}, squares[3] = {0}, spread[3];
    for (int k = 0; k < filter->nbounded; k++) {
        // about one of the positions, which avoids cancellation
        double away[3];
        trxi_sub3(filter->shapes[filter->order[k]].p, filter->shapes[filter->order[0]].p, away);
        for (int i = 0; i < 3; i++) sum[i] += away[i], squares[i] += away[i] * away[i];
    }
    for (int i = 0; i < 3; i++) spread[i] = squares[i] - sum[i] * sum[i] / filter->nbounded;
    int axis = spread[1] > spread[0] ? 1 : 0;
    return spread[2] > spread[axis] ? 2 : axis;
}

// order: by key, equal keys by index
static bool precedes(const double *keys, int g, int h)
{
    return keys[g] < keys[h] || (keys[g] == keys[h] && g < h);
}

// end of the ascending run that begins at `start`
static int run_end(const double *keys, const int *order, int start, int n)
{
    int end = start < n ? start + 1 : n;
    while (end < n && precedes(keys, order[end - 1], order[end])) end++;
    return end;
}

static void merge(const double *keys, const int *order, int start, int middle, int end, int *merged)
{
    int i = start, j = middle;
    for (int k = start; k < end; k++)
        merged[k] = i < middle && (j == end || precedes(keys, order[i], order[j])) ? order[i++] : order[j++];
}

// sorts filter->order by filter->keys: neighbouring runs are merged until there is one
static void sort_by_keys(trxi_pair_filter *filter)
{
    for (int runs = 2; runs > 1;) {
        runs = 0;
        for (int start = 0, middle, end; start < filter->nbounded; start = end, runs++) {
            middle = run_end(filter->keys, filter->order, start, filter->nbounded);
            end = run_end(filter->keys, filter->order, middle, filter->nbounded);
            merge(filter->keys, filter->order, start, middle, end, filter->merged);
        }
        int *sorted = filter->merged;
        filter->merged = filter->order;
        filter->order = sorted;
    }
}

static bool add_candidate(trxi_pair_filter *filter, const trxi_candidate *candidate)
{
    if (filter->ncandidate == filter->room && !reserve(filter, 2 * filter->room)) return false;
    filter->candidates[filter->ncandidate++] = *candidate;
    return true;
}

// the pieces of a height field that another shape may touch
static bool add_pieces(trxi_pair_filter *filter, trxi_candidate candidate)
{
    trxi_field_walk walk =
        trxi_field_walk_under(&filter->shapes[candidate.a], &filter->shapes[candidate.b], candidate.margin);
    bool room = true;
    while (room && (candidate.piece = trxi_field_walk_next(&walk)) >= 0) room = add_candidate(filter, &candidate);
    return room;
}

// tests the pair of run->row and `geom`. False when memory is out
static bool test_pair(trxi_pair_filter *filter, const double *travel, const trxi_pair_run *run, int geom)
{
    const bool swap = trxi_pair_swaps(filter->shapes[run->row].shape->type, filter->shapes[geom].shape->type);
    const int a = swap ? geom : run->row, b = swap ? run->row : geom;
    const double margin = fmax(travel[a] + travel[b], filter->reach[run->kind]);
    const trxi_candidate candidate = {trxi_pair_number(run, geom), a, b, run->kind, TRXI_WHOLE, margin};
    if (filter->shapes[a].shape->type == TRX_SHAPE_HEIGHT_FIELD) return add_pieces(filter, candidate);
    return !may_touch(&filter->shapes[a], &filter->shapes[b], filter->radii[a], filter->radii[b], margin) ||
           add_candidate(filter, &candidate);
}

static bool test_run(trxi_pair_filter *filter, const double *travel, const trxi_pair_run *run)
{
    bool room = true;
    for (int g = run->geom; g < run->geom + run->count && room; g++) room = test_pair(filter, travel, run, g);
    return room;
}

// tests two geometries if they form a pair
static bool test_geometries(trxi_pair_filter *filter, const double *travel, int g, int h)
{
    const trxi_pair_run *run = trxi_pair_table_find(filter->pairs, g, h);
    return !run || test_pair(filter, travel, run, g < h ? h : g);
}

// overlap along two axes; without branches, because most answers are no, for any of four reasons
static bool overlap(const trxi_world_box *a, const trxi_world_box *b, int u, int v)
{
    return (a->low[u] < b->high[u]) & (b->low[u] < a->high[u]) & (a->low[v] < b->high[v]) & (b->low[v] < a->high[v]);
}

static bool sweep(trxi_pair_filter *filter, const double *travel, int axis)
{
    const int n = filter->nbounded, u = (axis + 1) % 3, v = (axis + 2) % 3;
    bool room = true;
    for (int i = 0; i < n; i++) filter->sorted[i] = filter->boxes[filter->order[i]];
    for (int i = 0; i < n; i++) {
        const trxi_world_box *box = &filter->sorted[i];
        for (int j = i + 1; j < n && filter->sorted[j].low[axis] < box->high[axis]; j++)
            if (overlap(box, &filter->sorted[j], u, v))
                room = room && test_geometries(filter, travel, filter->order[i], filter->order[j]);
    }
    return room;
}

// tests the pairs with a shape of infinite size. A pair of two such shapes is tested once, at its first shape
static bool test_unbounded(trxi_pair_filter *filter, const double *travel)
{
    bool room = true;
    for (int k = 0; k < filter->nunbounded; k++) {
        const int g = filter->unbounded[k];
        for (int h = 0; h < g && room; h++)
            if (isfinite(filter->radii[h])) room = test_geometries(filter, travel, h, g);
        for (int r = filter->pairs->rows[g]; r < filter->pairs->rows[g + 1] && room; r++)
            room = test_run(filter, travel, &filter->pairs->runs[r]);
    }
    return room;
}

static int smaller_index(const trxi_candidate *pair)
{
    return pair->a < pair->b ? pair->a : pair->b;
}

static int larger_index(const trxi_candidate *pair)
{
    return pair->a < pair->b ? pair->b : pair->a;
}

// `in` to `out`, ascending by one of the two indices; the order of equal ones is kept
static void sort_by_index(trxi_pair_filter *filter, int (*index)(const trxi_candidate *), const trxi_candidate *in,
                          trxi_candidate *out)
{
    int *place = filter->counts;
    memset(place, 0, (size_t)(filter->ngeom + 1) * sizeof *place);
    for (int k = 0; k < filter->ncandidate; k++) place[index(&in[k]) + 1]++;
    for (int g = 0; g < filter->ngeom; g++) place[g + 1] += place[g];
    for (int k = 0; k < filter->ncandidate; k++) out[place[index(&in[k])]++] = in[k];
}

static bool test_all(trxi_pair_filter *filter, const double *travel)
{
    bool room = true;
    for (int r = 0; r < filter->pairs->nrun && room; r++) room = test_run(filter, travel, &filter->pairs->runs[r]);
    return room;
}

static bool sort_and_sweep(trxi_pair_filter *filter, const double *travel)
{
    if (filter->stale) find_geom_reach(filter);
    for (int k = 0; k < filter->nbounded; k++) place_box(filter, filter->order[k], travel[filter->order[k]]);

    // boxes in order along one axis
    int axis = choose_axis(filter);
    for (int k = 0; k < filter->nbounded; k++) filter->keys[filter->order[k]] = filter->boxes[filter->order[k]].low[axis];
    sort_by_keys(filter);

    // pairs that overlap, and pairs of unbounded shapes, all by their number
    if (!sweep(filter, travel, axis) || !test_unbounded(filter, travel)) return false;
    sort_by_index(filter, larger_index, filter->candidates, filter->found);
    sort_by_index(filter, smaller_index, filter->found, filter->candidates);
    return true;
}

trx_status trxi_pair_filter_query(trxi_pair_filter *filter, const double *travel)
{
    filter->ncandidate = 0;
    bool room = filter->sweeps ? sort_and_sweep(filter, travel) : test_all(filter, travel);
    if (!room) filter->ncandidate = 0;
    return room ? TRX_OK : TRX_ERR_MEMORY;
}
