// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The broad phase keeps every pair that touches and drops most of the others, whether it sorts the shapes or walks the list. The
// result depends on poses, travels and reaches alone.

#include "geometry/broad_phase.h"
#include "geometry/probe.h"
#include "geometry/shape.h"

#include <stdlib.h>
#include <string.h>

enum { SHAPES = 60, PAIRS = SHAPES * (SHAPES - 1) / 2 };

// two shapes in the order trxi_collide wants them
typedef struct shape_pair {
    int a, b;
} shape_pair;

typedef struct scene {
    body bodies[SHAPES];
    trxi_placed_shape shapes[SHAPES];
    double radii[SHAPES], travel[SHAPES], reach[PAIRS], margin[PAIRS];
    shape_pair pairs[PAIRS];
    trxi_pair_run runs[PAIRS]; // each pair is a kind of its own
    int rows[SHAPES + 1];
    trxi_pair_table table;
    int nshapes, npairs;
    trx_context *context;
    trxi_pair_filter filter;
    void *block; // of the filter
} scene;

static scene s; // too large for the stack

static void place_body(int i, body b)
{
    s.bodies[i] = b;
    s.shapes[i] = placed(&s.bodies[i]);
    s.radii[i] = trxi_shape_bounding_radius(&b.shape);
}

// lists the pairs that trxi_collide has a function for, without about one in `every`. Travels of -infinity leave reaches as margins
static void build_pairs(dice *d, int nshapes, int every)
{
    s.nshapes = nshapes;
    s.npairs = 0;
    for (int i = 0; i < nshapes; i++) {
        s.travel[i] = -INFINITY;
        s.rows[i] = s.npairs;
        for (int j = i + 1; j < nshapes; j++) {
            bool swap = s.bodies[i].shape.type > s.bodies[j].shape.type;
            int a = swap ? j : i, b = swap ? i : j;
            if (!trxi_pair_served(s.bodies[a].shape.type, s.bodies[b].shape.type)) continue;
            if (every > 0 && uniform(d, 0, every) < 1) continue;
            s.reach[s.npairs] = uniform(d, -0.01, 0.03);
            s.runs[s.npairs] = (trxi_pair_run){.first = s.npairs, .count = 1, .row = i, .geom = j, .kind = s.npairs};
            s.pairs[s.npairs++] = (shape_pair){a, b};
        }
    }
    s.rows[nshapes] = s.npairs;
    s.table = (trxi_pair_table){s.npairs, s.npairs, nshapes + 1, s.runs, s.rows};
}

static void close_filter(void)
{
    if (!s.context) return;
    trxi_pair_filter_close(&s.filter);
    trx_context_destroy(s.context);
    free(s.block);
    s.context = NULL;
}

// a new filter for the pairs as they are
static void open_filter(void)
{
    close_filter();
    ck_assert_int_eq(trx_context_create(NULL, &s.context), TRX_OK);
    ck_assert_int_eq(trxi_pair_filter_open(s.context, &s.table, &s.filter), TRX_OK);
    trxi_arena arena = {0};
    trxi_pair_filter_layout(&arena, s.nshapes, &s.filter);
    s.block = malloc(arena.used + 1);
    ck_assert_ptr_nonnull(s.block);
    memset(s.block, 0xa5, arena.used);
    arena = (trxi_arena){.base = s.block};
    trxi_pair_filter_layout(&arena, s.nshapes, &s.filter);
    trxi_pair_filter_set_reach(&s.filter, s.reach);
    trxi_pair_filter_prepare(&s.filter, s.shapes, s.radii);
}

static void build_scene(dice *d, double spread, int every)
{
    for (int i = 0; i < SHAPES; i++) {
        trx_shape_type types[] = {TRX_SHAPE_BOX,  TRX_SHAPE_CAPSULE,   TRX_SHAPE_SPHERE,
                                  TRX_SHAPE_MESH, TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CYLINDER};
        // two halfspaces, not the first ones
        body b = random_body(d, i % 30 == 7 ? TRX_SHAPE_HALFSPACE : types[i % 6], spread);
        if (b.shape.type == TRX_SHAPE_BOX && i % 4 == 2) b.shape.rounding = 0.02;
        // some plates
        if (i % 8 == 0) b.shape.size[2] = 0.01;
        place_body(i, b);
    }
    build_pairs(d, SHAPES, every);
    open_filter();
}

// gives travels to the shapes; the margin of some pairs is still their reach
static void let_travel(dice *d)
{
    for (int i = 0; i < s.nshapes; i++) s.travel[i] = i % 5 == 0 ? 0 : uniform(d, 0, 0.03);
}

static double margin_of(int k)
{
    return fmax(s.travel[s.pairs[k].a] + s.travel[s.pairs[k].b], s.reach[k]);
}

static int query(bool sweeps)
{
    s.filter.sweeps = sweeps;
    ck_assert_int_eq(trxi_pair_filter_query(&s.filter, s.travel), TRX_OK);
    return s.filter.ncandidate;
}

// every pair that touches is among the candidates, which ascend and have their margins; returns how many touch
static int check_candidates(int count)
{
    int touching = 0, next = 0;
    for (int k = 1; k < count; k++) ck_assert_int_lt(s.filter.candidates[k - 1].pair, s.filter.candidates[k].pair);
    for (int k = 0; k < s.npairs; k++) {
        trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
        double margin = margin_of(k);
        bool is_candidate = next < count && s.filter.candidates[next].pair == k;
        if (is_candidate) {
            const trxi_candidate *found = &s.filter.candidates[next];
            ck_assert_double_eq(found->margin, margin);
            ck_assert(found->a == s.pairs[k].a && found->b == s.pairs[k].b && found->kind == k);
            next++;
        }
        if (!trxi_collide(&s.shapes[s.pairs[k].a], &s.shapes[s.pairs[k].b], margin, false, points)) continue;
        touching++;
        ck_assert_msg(is_candidate, "pair %d, phi %g of margin %g, was dropped", k, points[0].phi, margin);
    }
    ck_assert_int_eq(next, count);
    return touching;
}

START_TEST(no_contact_is_dropped_and_few_others_are_kept)
{
    dice d = {.seed = 18};
    int touching = 0, kept = 0, pairs = 0, swept = 0;
    for (int trial = 0; trial < 40; trial++) {
        build_scene(&d, 0.1 + 0.025 * trial, 3 * (trial % 3));
        if (trial % 2) let_travel(&d);
        ck_assert(s.filter.sweeps);
        int count = query(false);
        touching += check_candidates(count);
        kept += count;
        pairs += s.npairs;
        count = query(true);
        check_candidates(count);
        swept += count;
    }
    ck_assert_int_gt(touching, 1000);
    ck_assert_int_le(swept, kept);
    ck_assert_msg(kept < touching + (pairs - touching) / 20, "%d kept, %d touch, %d pairs", kept, touching, pairs);
    close_filter();
}
END_TEST

START_TEST(a_margin_just_above_the_distance_keeps_the_pair)
{
    // the bounds are exact for two spheres and for a halfspace: round-off must not decide
    dice d = {.seed = 19};
    for (int trial = 0; trial < 50; trial++) {
        build_scene(&d, 1 + trial, 0);
        for (int k = 0; k < s.npairs; k++) {
            trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
            int count = trxi_collide(&s.shapes[s.pairs[k].a], &s.shapes[s.pairs[k].b], INFINITY, false, points);
            double reach = INFINITY;
            for (int i = 0; i < count; i++) reach = fmin(reach, nextafter(points[i].phi, INFINITY));
            s.reach[k] = reach;
        }
        trxi_pair_filter_set_reach(&s.filter, s.reach);
        ck_assert_int_eq(query(false), s.npairs);
        ck_assert_int_eq(query(true), s.npairs);
    }
    close_filter();
}
END_TEST

START_TEST(boxes_along_the_axes_are_exact_up_to_rounding)
{
    // two shapes of a kind side by side along an axis of the world, the margin equal to the gap: bounding boxes overlap by
    // round-off only. Bounding boxes of hulls are wider, because they are made in the axes of the hull
    dice d = {.seed = 21};
    const trx_shape_type types[] = {TRX_SHAPE_BOX,  TRX_SHAPE_CAPSULE,   TRX_SHAPE_SPHERE,
                                    TRX_SHAPE_MESH, TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CYLINDER};
    for (int trial = 0; trial < 600; trial++) {
        int along = trial % 3;
        double gap[3] = {0};
        for (int i = 0; i < 2; i++) place_body(i, random_body(&d, types[trial % 6], 0));
        gap[along] = 1;
        // moves B along the axis, to 0.01 from A; the distances from halfspaces normal to the axis measure both
        body floor = halfspace_body(), ceiling = halfspace_body();
        trxi_frame33(gap, floor.R);
        double minus[3] = {-gap[0], -gap[1], -gap[2]};
        trxi_frame33(minus, ceiling.R);
        trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
        double top = INFINITY, bottom = INFINITY;
        int count = collide(&ceiling, &s.bodies[0], points);
        for (int i = 0; i < count; i++) top = fmin(top, points[i].phi);
        count = collide(&floor, &s.bodies[1], points);
        for (int i = 0; i < count; i++) bottom = fmin(bottom, points[i].phi);
        trxi_axpy3(0.01 - top - bottom, gap, s.bodies[1].p);
        build_pairs(&d, 2, 0);
        for (int half = 0; half < 2; half++) {
            s.travel[0] = s.travel[1] = half ? 0.005 : -INFINITY;
            s.reach[0] = half ? 0 : 0.01;
            open_filter();
            query(true);
            trxi_world_box *A = &s.filter.boxes[0], *B = &s.filter.boxes[1];
            double overlap = fmin(A->high[along] - B->low[along], B->high[along] - A->low[along]);
            ck_assert_double_gt(overlap, 0);
            if (types[trial % 6] != TRX_SHAPE_MESH) ck_assert_double_lt(overlap, 1e-11);
        }
    }
    close_filter();
}
END_TEST

static bool same_candidate(const trxi_candidate *one, const trxi_candidate *other)
{
    return one->pair == other->pair && one->a == other->a && one->b == other->b && one->kind == other->kind &&
           one->piece == other->piece && one->margin == other->margin;
}

START_TEST(what_was_asked_before_does_not_matter)
{
    dice d = {.seed = 22};
    static body bodies[SHAPES];
    for (int trial = 0; trial < 10; trial++) {
        build_scene(&d, 0.4, 3);
        for (int i = 0; i < SHAPES; i++) s.travel[i] = 0.01;
        int count = query(true);
        static trxi_candidate candidates[PAIRS];
        memcpy(candidates, s.filter.candidates, (size_t)count * sizeof *candidates);
        ck_assert_int_gt(count, 10);

        // other poses, travels and reaches in between
        memcpy(bodies, s.bodies, sizeof bodies);
        for (int i = 0; i < SHAPES; i++) random_vector(&d, 2, s.bodies[i].p), s.travel[i] = 0.3;
        ck_assert_int_ne(query(true), count);
        double reach[PAIRS];
        memcpy(reach, s.reach, sizeof reach);
        for (int k = 0; k < s.npairs; k += 7) s.reach[k] = 5;
        trxi_pair_filter_set_reach(&s.filter, s.reach);
        ck_assert_int_gt(check_candidates(query(true)), s.npairs / 20);

        memcpy(s.bodies, bodies, sizeof bodies);
        memcpy(s.reach, reach, sizeof reach);
        for (int i = 0; i < SHAPES; i++) s.travel[i] = 0.01;
        trxi_pair_filter_set_reach(&s.filter, s.reach);
        ck_assert_int_eq(query(true), count);
        for (int k = 0; k < count; k++) ck_assert(same_candidate(&s.filter.candidates[k], &candidates[k]));
    }
    close_filter();
}
END_TEST

START_TEST(a_pair_that_may_not_meet_is_never_a_candidate)
{
    // all shapes in one place: every pair of the list is kept; the list has gaps of all lengths
    dice d = {.seed = 23};
    for (int every = 2; every < 40; every += 3) {
        build_scene(&d, 0, every);
        for (int i = 0; i < SHAPES; i++) s.travel[i] = 1;
        ck_assert_int_eq(query(true), s.npairs);
        for (int k = 0; k < s.npairs; k++) ck_assert_int_eq(s.filter.candidates[k].pair, k);
    }
    close_filter();
}
END_TEST

START_TEST(poses_without_a_number_end_nothing)
{
    dice d = {.seed = 24};
    build_scene(&d, 0.4, 0);
    for (int i = 0; i < SHAPES; i++) s.travel[i] = 0;
    s.bodies[3].p[1] = NAN;
    s.bodies[5].R[2] = INFINITY;
    s.travel[9] = NAN;
    s.travel[11] = INFINITY;
    int count = query(true), with_11 = 0;
    for (int k = 0; k < count; k++) {
        const trxi_candidate *pair = &s.filter.candidates[k];
        with_11 += pair->a == 11 || pair->b == 11;
    }
    ck_assert_int_gt(with_11, SHAPES - 8);
    // the others are found as before
    for (int k = 0; k < s.npairs; k++) {
        const shape_pair *pair = &s.pairs[k];
        bool odd = pair->a == 3 || pair->b == 3 || pair->a == 5 || pair->b == 5 || pair->a == 9 || pair->b == 9;
        trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
        if (odd || !trxi_collide(&s.shapes[pair->a], &s.shapes[pair->b], margin_of(k), false, points)) continue;
        bool found = false;
        for (int i = 0; i < count; i++) found = found || s.filter.candidates[i].pair == k;
        ck_assert(found);
    }
    close_filter();
}
END_TEST

// whether a query keeps the one pair of two bodies
static bool keeps(body A, body B, double margin)
{
    dice d = {.seed = 25};
    place_body(0, A);
    place_body(1, B);
    build_pairs(&d, 2, 0);
    s.reach[0] = margin;
    open_filter();
    ck_assert(!s.filter.sweeps);
    int count = query(false);
    close_filter();
    return count > 0;
}

START_TEST(a_box_three_centimetres_from_a_small_sphere_is_mostly_rejected)
{
    dice d = {.seed = 20};
    int kept = 0, trials = 2000;
    for (int trial = 0; trial < trials; trial++) {
        body box = box_body(0.1, 0.1, 0.1), ball = sphere_body(0.02);
        random_rotation(&d, box.R);
        // a random direction at the distance that leaves 3 cm
        double m[3], reach = 0;
        random_direction(&d, m);
        trxi_scale3(0.05, m, ball.p);
        while (reach = surface_distance(&box, ball.p) - 0.02, reach < 0.03) trxi_axpy3(1e-3, m, ball.p);
        kept += keeps(box, ball, 1e-3);
    }
    ck_assert_int_eq(kept, 0);
}
END_TEST

START_TEST(a_ball_over_a_plate_is_rejected)
{
    body plate = box_body(2, 2, 0.02), ball = sphere_body(0.05);
    trxi_set3(0.7, -0.6, 0.1, ball.p);
    ck_assert(!keeps(plate, ball, 1e-3));
    ck_assert(keeps(plate, ball, 0.05));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/broad_phase");
    TCase *cases = tcase_create("broad_phase");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, no_contact_is_dropped_and_few_others_are_kept);
    tcase_add_test(cases, a_margin_just_above_the_distance_keeps_the_pair);
    tcase_add_test(cases, boxes_along_the_axes_are_exact_up_to_rounding);
    tcase_add_test(cases, what_was_asked_before_does_not_matter);
    tcase_add_test(cases, a_pair_that_may_not_meet_is_never_a_candidate);
    tcase_add_test(cases, poses_without_a_number_end_nothing);
    tcase_add_test(cases, a_box_three_centimetres_from_a_small_sphere_is_mostly_rejected);
    tcase_add_test(cases, a_ball_over_a_plate_is_rejected);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
