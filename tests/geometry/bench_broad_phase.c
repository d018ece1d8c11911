// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Measures queries of the broad phase, by a walk over the list of pairs and by sorting, and how their times grow. The shapes are
// spheres and boxes on a halfspace: columns of ten side by side, or one heap. Then measures the narrow phase in the columns, per
// kind of pair. Medians in microseconds; a benchmark, not a test.

#include "geometry/broad_phase.h"
#include "geometry/probe.h"
#include "geometry/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/context.h>

enum { MAX_SHAPES = 1281, ROUNDS = 31 };

static body bodies[MAX_SHAPES];
static trxi_placed_shape shapes[MAX_SHAPES];
static double radii[MAX_SHAPES], travel[MAX_SHAPES];
static trxi_pair_table table;
static trxi_pair_filter filter;
static trx_context *context;

static void place(int g, body b)
{
    bodies[g] = b;
    shapes[g] = placed(&bodies[g]);
    radii[g] = trxi_shape_bounding_radius(&b.shape);
    travel[g] = b.shape.type == TRX_SHAPE_HALFSPACE ? 0 : 0.004; // twice the way in 2 ms at 1 m/s
}

static body sphere_or_box(dice *d, int i)
{
    body b = i % 2 ? box_body(0.1, 0.1, 0.1) : sphere_body(0.05);
    double axis[3] = {0, 0, uniform(d, -0.3, 0.3)};
    trxi_exp33(axis, b.R);
    return b;
}

// a grid of columns, each touching its neighbours above and below, 0.3 m from the others
static void columns(int n)
{
    dice d = {.seed = 1};
    int count = (n + 9) / 10, side = 1;
    while (side * side < count) side++;
    place(0, halfspace_body());
    for (int i = 0; i < n; i++) {
        body b = sphere_or_box(&d, i + i / count);
        int column = i % count;
        trxi_set3(0.3 * (column % side) + uniform(&d, -0.01, 0.01), 0.3 * (column / side) + uniform(&d, -0.01, 0.01),
                  0.05 + 0.0999 * (i / count), b.p);
        place(i + 1, b);
    }
}

// as dense as loose balls lie
static void heap(int n)
{
    dice d = {.seed = 2};
    double side = 0.115 * cbrt(n);
    place(0, halfspace_body());
    for (int i = 0; i < n; i++) {
        body b = sphere_or_box(&d, i);
        random_rotation(&d, b.R);
        trxi_set3(uniform(&d, 0, side), uniform(&d, 0, side), uniform(&d, 0.05, side), b.p);
        place(i + 1, b);
    }
}

// a filter for the pairs of all shapes, which are of one kind; returns its block
static void *open_filter(int nshape)
{
    static trxi_pair_run runs[MAX_SHAPES];
    static int rows[MAX_SHAPES + 1];
    static const double reach = 0;
    table = (trxi_pair_table){0, nshape - 1, nshape + 1, runs, rows};
    for (int i = 0; i < nshape; i++) {
        const int count = nshape - 1 - i;
        if (count > 0) runs[i] = (trxi_pair_run){table.npair, count, i, i + 1, 0};
        rows[i] = i;
        table.npair += count;
    }
    rows[nshape - 1] = rows[nshape] = nshape - 1;
    if (trxi_pair_filter_open(context, &table, &filter) < 0) abort();
    trxi_arena arena = {0};
    trxi_pair_filter_layout(&arena, nshape, &filter);
    void *block = calloc(1, arena.used);
    if (!block) abort();
    arena = (trxi_arena){.base = block};
    trxi_pair_filter_layout(&arena, nshape, &filter);
    trxi_pair_filter_set_reach(&filter, &reach);
    trxi_pair_filter_prepare(&filter, shapes, radii);
    return block;
}

static void close_filter(void *block)
{
    trxi_pair_filter_close(&filter);
    free(block);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_query(bool sweeps, int *count)
{
    double seconds[ROUNDS];
    int repeats = 200000 / (table.npair + 1000) + 1;
    filter.sweeps = sweeps;
    for (int round = 0; round < ROUNDS; round++) {
        double start = trx_clock();
        for (int i = 0; i < repeats; i++) trxi_pair_filter_query(&filter, travel);
        seconds[round] = (trx_clock() - start) / repeats;
    }
    *count = filter.ncandidate;
    qsort(seconds, ROUNDS, sizeof(double), ascending);
    return 1e6 * seconds[ROUNDS / 2];
}

static void scaling(const char *what, void (*build)(int))
{
    static const int sizes[] = {2, 4, 8, 16, 24, 40, 80, 160, 320, 640, 1280};
    double list_8 = 0, sweep_8 = 0;
    printf("%s\n%8s %8s %6s %10s %10s\n", what, "objects", "pairs", "kept", "list [us]", "sort [us]");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int kept = 0;
        build(sizes[i]);
        void *block = open_filter(sizes[i] + 1);
        double list = median_query(false, &kept), sweep = median_query(true, &kept);
        printf("%8d %8d %6d %10.2f %10.2f\n", sizes[i], table.npair, kept, list, sweep);
        if (sizes[i] == 8) list_8 = list, sweep_8 = sweep;
        if (sizes[i] == 320)
            printf("exponent 8 to 320: list %.2f, sort %.2f, as chosen %.2f\n", log(list / list_8) / log(40),
                   log(sweep / sweep_8) / log(40), log(sweep / fmin(list_8, sweep_8)) / log(40));
        close_filter(block);
    }
}

// narrow phase of the candidates of one kind
static void narrow(const char *what, trx_shape_type a, trx_shape_type b, int count, bool derivatives)
{
    double seconds[ROUNDS];
    int queries = 0, touching = 0, points = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = trx_clock();
        queries = touching = points = 0;
        for (int k = 0; k < count; k++) {
            const trxi_candidate *pair = &filter.candidates[k];
            if (bodies[pair->a].shape.type != a || bodies[pair->b].shape.type != b) continue;
            trxi_contact_point out[TRXI_MAX_CONTACT_POINTS];
            int n = trxi_collide(&shapes[pair->a], &shapes[pair->b], pair->margin, derivatives, out);
            queries++, touching += n > 0, points += n;
        }
        seconds[round] = trx_clock() - start;
    }
    qsort(seconds, ROUNDS, sizeof(double), ascending);
    printf("%-18s %5d queries, %5d touch, %5d points: %.3f us a query%s\n", what, queries, touching, points,
           1e6 * seconds[ROUNDS / 2] / fmax(1, queries), derivatives ? " with derivatives" : "");
}

static void narrow_all(const char *what, void (*build)(int))
{
    printf("%s\n", what);
    build(320);
    void *block = open_filter(321);
    if (trxi_pair_filter_query(&filter, travel) < 0) abort();
    int count = filter.ncandidate;
    for (int derivatives = 0; derivatives < 2; derivatives++) {
        narrow("halfspace, sphere", TRX_SHAPE_HALFSPACE, TRX_SHAPE_SPHERE, count, derivatives);
        narrow("halfspace, box", TRX_SHAPE_HALFSPACE, TRX_SHAPE_BOX, count, derivatives);
        narrow("sphere, sphere", TRX_SHAPE_SPHERE, TRX_SHAPE_SPHERE, count, derivatives);
        narrow("box, sphere", TRX_SHAPE_BOX, TRX_SHAPE_SPHERE, count, derivatives);
        narrow("box, box", TRX_SHAPE_BOX, TRX_SHAPE_BOX, count, derivatives);
    }
    close_filter(block);
}

int main(void)
{
    if (trx_context_create(NULL, &context) < 0) return 1;
    scaling("columns of ten", columns);
    scaling("heap", heap);
    narrow_all("columns of ten, 320 objects", columns);
    narrow_all("heap, 320 objects", heap);
    trx_context_destroy(context);
    return 0;
}
