// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Three lower bounds on the distance of a pair, cheapest first. The first bound that reaches the pair's margin drops
// the pair (theory 1):
//
//   bounding spheres    |p_B - p_A| - r_A - r_B
//   faces of a box A    max_i |l_i| - h_i - r_B, with l = R_A^T (p_B - p_A)
//   centre line         |p_B - p_A| - e_A(m) - e_B(m), with m along p_B - p_A and e(m) the shape's extent from its
//                       centre in the direction m
//
// A halfspace A has one bound, the height of B's lowest point, which is exact for each shape. The second bound serves
// plates and tables, for which bounding sphere and centre line are weak bounds.
//
// Pairs to test: all pairs of a short list. For a long list, pairs with a halfspace and pairs whose boxes along the
// world's axes overlap (tests/geometry/bench_broad_phase prints where the second way becomes faster). A box is as
// wide as its shape (for a hull: as the hull's box in its own axes), and on all sides wider by
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

#include "geometry/support.h"
#include "math/vec3.h"

#include <assert.h>
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
    case TRX_SHAPE_HALFSPACE: break;
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

void trxi_pair_filter_layout(trxi_arena *arena, int ngeom, int npair, trxi_pair_filter *filter)
{
    *filter = (trxi_pair_filter){.ngeom = ngeom, .npair = npair};
    filter->pairs = TRXI_TAKE(arena, trxi_shape_pair, npair);
    filter->reach = TRXI_TAKE(arena, double, npair);
    filter->candidates = TRXI_TAKE(arena, int, npair);
    filter->margin = TRXI_TAKE(arena, double, npair);
    filter->first = TRXI_TAKE(arena, int, ngeom + 1);
    filter->geom_reach = TRXI_TAKE(arena, double, ngeom);
    filter->apart = TRXI_TAKE(arena, int, npair);
    filter->order = TRXI_TAKE(arena, int, ngeom);
    filter->merged = TRXI_TAKE(arena, int, ngeom);
    filter->bounds = TRXI_TAKE(arena, trxi_shape_bounds, ngeom);
    filter->boxes = TRXI_TAKE(arena, trxi_world_box, ngeom);
    filter->sorted = TRXI_TAKE(arena, trxi_world_box, ngeom);
    filter->keys = TRXI_TAKE(arena, double, ngeom);
    filter->found = TRXI_TAKE(arena, int, npair);
    filter->counts = TRXI_TAKE(arena, int, ngeom + 1);
}

static int smaller_index(const trxi_shape_pair *pair)
{
    return pair->a < pair->b ? pair->a : pair->b;
}

static int larger_index(const trxi_shape_pair *pair)
{
    return pair->a < pair->b ? pair->b : pair->a;
}

// box of a shape in its own axes, without its rounding ball
static trxi_shape_bounds bounds_of(const trxi_placed_shape *placed)
{
    trxi_core core = trxi_core_of(placed);
    trxi_shape_bounds bounds = {.sweep = core.radius, .type = placed->shape->type};
    trxi_copy3(core.h, bounds.h);
    if (core.kind != TRXI_CORE_HULL) return bounds;
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < core.hull->nvertex; k++) {
            low = fmin(low, core.hull->vertices[3 * k + i]);
            high = fmax(high, core.hull->vertices[3 * k + i]);
        }
        bounds.h[i] = (high - low) / 2;
        bounds.centre[i] = (high + low) / 2;
    }
    return bounds;
}

// rows of the list by the smaller index
static void index_rows(trxi_pair_filter *filter)
{
    memset(filter->first, 0, (size_t)(filter->ngeom + 1) * sizeof *filter->first);
    for (int k = 0; k < filter->npair; k++) {
        const trxi_shape_pair *pair = &filter->pairs[k], *last = k > 0 ? pair - 1 : NULL;
        assert(!last || smaller_index(last) < smaller_index(pair) ||
               (smaller_index(last) == smaller_index(pair) && larger_index(last) < larger_index(pair)));
        (void)last;
        filter->first[smaller_index(pair) + 1]++;
    }
    for (int g = 0; g < filter->ngeom; g++) filter->first[g + 1] += filter->first[g];
}

void trxi_pair_filter_prepare(trxi_pair_filter *filter, const trxi_placed_shape *shapes, const double *radii)
{
    filter->shapes = shapes;
    filter->radii = radii;
    filter->stale = true;
    index_rows(filter);

    // pairs with a halfspace, and the shapes of all others
    memset(filter->counts, 0, (size_t)(filter->ngeom + 1) * sizeof *filter->counts);
    filter->napart = filter->nbounded = 0;
    for (int k = 0; k < filter->npair; k++) {
        int a = filter->pairs[k].a, b = filter->pairs[k].b;
        bool bounded = isfinite(radii[a]) && isfinite(radii[b]);
        if (bounded) filter->counts[a] = filter->counts[b] = 1;
        else filter->apart[filter->napart++] = k;
    }
    for (int g = 0; g < filter->ngeom; g++) {
        if (!filter->counts[g]) continue;
        filter->order[filter->nbounded++] = g;
        filter->bounds[g] = bounds_of(&shapes[g]);
    }
    filter->sweeps = filter->npair - filter->napart > short_list * filter->nbounded;
}

void trxi_pair_filter_set_reach(trxi_pair_filter *filter, int pair, double reach)
{
    filter->stale = filter->stale || reach != filter->reach[pair];
    filter->reach[pair] = reach;
}

static void find_geom_reach(trxi_pair_filter *filter)
{
    for (int g = 0; g < filter->ngeom; g++) filter->geom_reach[g] = -INFINITY;
    for (int k = 0; k < filter->npair; k++) {
        double *a = &filter->geom_reach[filter->pairs[k].a], *b = &filter->geom_reach[filter->pairs[k].b];
        *a = fmax(*a, filter->reach[k]);
        *b = fmax(*b, filter->reach[k]);
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

// position of the pair g, h in the list; -1 when it is not there. Indices in a row ascend, so the distance of a
// position from either end is at most the difference of the indices; a row without gaps needs no search
static int find_pair(const trxi_pair_filter *filter, int g, int h)
{
    const int row = g < h ? g : h, index = g < h ? h : g;
    int low = filter->first[row], high = filter->first[row + 1] - 1;
    while (low <= high) {
        int least = larger_index(&filter->pairs[low]), most = larger_index(&filter->pairs[high]);
        if (index < least || index > most) return -1;
        // between the two bounds
        int from = high - (most - index), to = low + (index - least);
        if (from < low) from = low;
        if (to > high) to = high;
        int middle = from + (to - from) / 2, at = larger_index(&filter->pairs[middle]);
        if (at == index) return middle;
        if (at < index) low = middle + 1;
        else high = middle - 1;
    }
    return -1;
}

// tests a pair; the new number of candidates
static int ask(trxi_pair_filter *filter, const double *travel, int pair, int count)
{
    int a = filter->pairs[pair].a, b = filter->pairs[pair].b;
    double margin = fmax(travel[a] + travel[b], filter->reach[pair]);
    if (!may_touch(&filter->shapes[a], &filter->shapes[b], filter->radii[a], filter->radii[b], margin)) return count;
    filter->margin[pair] = margin;
    filter->candidates[count] = pair;
    return count + 1;
}

// overlap along two axes; without branches, because most answers are no, for any of four reasons
static bool overlap(const trxi_world_box *a, const trxi_world_box *b, int u, int v)
{
    return (a->low[u] < b->high[u]) & (b->low[u] < a->high[u]) & (a->low[v] < b->high[v]) & (b->low[v] < a->high[v]);
}

static int sweep(trxi_pair_filter *filter, const double *travel, int axis)
{
    const int n = filter->nbounded, u = (axis + 1) % 3, v = (axis + 2) % 3;
    int count = 0;
    for (int i = 0; i < n; i++) filter->sorted[i] = filter->boxes[filter->order[i]];
    for (int i = 0; i < n; i++) {
        const trxi_world_box *box = &filter->sorted[i];
        for (int j = i + 1; j < n && filter->sorted[j].low[axis] < box->high[axis]; j++) {
            if (!overlap(box, &filter->sorted[j], u, v)) continue;
            int pair = find_pair(filter, filter->order[i], filter->order[j]);
            if (pair >= 0) count = ask(filter, travel, pair, count);
        }
    }
    return count;
}

// `in` to `out`, ascending by one of the two indices; the order of equal ones is kept
static void sort_by_index(trxi_pair_filter *filter, int (*index)(const trxi_shape_pair *), const int *in, int count, int *out)
{
    int *place = filter->counts;
    memset(place, 0, (size_t)(filter->ngeom + 1) * sizeof *place);
    for (int k = 0; k < count; k++) place[index(&filter->pairs[in[k]]) + 1]++;
    for (int g = 0; g < filter->ngeom; g++) place[g + 1] += place[g];
    for (int k = 0; k < count; k++) out[place[index(&filter->pairs[in[k]])]++] = in[k];
}

int trxi_pair_filter_query(trxi_pair_filter *filter, const double *travel)
{
    int count = 0;
    if (!filter->sweeps) {
        for (int k = 0; k < filter->npair; k++) count = ask(filter, travel, k, count);
        return count;
    }

    if (filter->stale) find_geom_reach(filter);
    for (int k = 0; k < filter->nbounded; k++) place_box(filter, filter->order[k], travel[filter->order[k]]);

    // boxes in order along one axis
    int axis = choose_axis(filter);
    for (int k = 0; k < filter->nbounded; k++) filter->keys[filter->order[k]] = filter->boxes[filter->order[k]].low[axis];
    sort_by_keys(filter);

    // pairs that overlap, and pairs that are always tested, all by their position in the list
    count = sweep(filter, travel, axis);
    for (int k = 0; k < filter->napart; k++) count = ask(filter, travel, filter->apart[k], count);
    sort_by_index(filter, larger_index, filter->candidates, count, filter->found);
    sort_by_index(filter, smaller_index, filter->found, count, filter->candidates);
    return count;
}
