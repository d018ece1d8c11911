// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The broad phase drops nothing that touches, and most of what does not.

#include "geometry/broad_phase.h"
#include "geometry/probe.h"
#include "geometry/shape.h"

enum { SHAPES = 60, PAIRS = SHAPES * SHAPES };

typedef struct scene {
    body bodies[SHAPES];
    trxi_placed_shape shapes[SHAPES];
    double radii[SHAPES];
    trxi_shape_pair pairs[PAIRS];
    double margin[PAIRS];
    int candidates[PAIRS];
    int npairs;
} scene;

static scene s; // too large for the stack

static void build_scene(dice *d, double spread)
{
    s.npairs = 0;
    for (int i = 0; i < SHAPES; i++) {
        trx_shape_type types[] = {TRX_SHAPE_BOX,  TRX_SHAPE_CAPSULE,   TRX_SHAPE_SPHERE,
                                  TRX_SHAPE_MESH, TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CYLINDER};
        s.bodies[i] = random_body(d, i == 0 ? TRX_SHAPE_HALFSPACE : types[i % 6], spread);
        if (s.bodies[i].shape.type == TRX_SHAPE_BOX && i % 4 == 2) s.bodies[i].shape.rounding = 0.02;
        // some plates
        if (i % 8 == 0) s.bodies[i].shape.size[2] = 0.01;
        s.shapes[i] = placed(&s.bodies[i]);
        s.radii[i] = trxi_shape_bounding_radius(&s.bodies[i].shape);
    }
    for (int i = 0; i < SHAPES; i++)
        for (int j = 0; j < SHAPES; j++) {
            trx_shape_type a = s.bodies[i].shape.type, b = s.bodies[j].shape.type;
            if (i == j || !trxi_pair_served(a, b) || (a == b && i > j)) continue;
            s.margin[s.npairs] = uniform(d, -0.01, 0.03);
            s.pairs[s.npairs++] = (trxi_shape_pair){i, j};
        }
}

static int run(void)
{
    return trxi_broad_phase(s.shapes, s.radii, s.npairs, s.pairs, s.margin, s.candidates);
}

START_TEST(no_contact_is_dropped_and_few_others_are_kept)
{
    dice d = {.seed = 18};
    int touching = 0, kept = 0, pairs = 0;
    for (int trial = 0; trial < 20; trial++) {
        build_scene(&d, 0.1 + 0.05 * trial);
        int count = run(), next = 0;
        kept += count;
        pairs += s.npairs;
        for (int k = 1; k < count; k++) ck_assert_int_lt(s.candidates[k - 1], s.candidates[k]);
        for (int k = 0; k < s.npairs; k++) {
            trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
            bool is_candidate = next < count && s.candidates[next] == k;
            if (is_candidate) next++;
            if (!trxi_collide(&s.shapes[s.pairs[k].a], &s.shapes[s.pairs[k].b], s.margin[k], false, points)) continue;
            touching++;
            ck_assert_msg(is_candidate, "pair %d, phi %g of margin %g, was dropped", k, points[0].phi, s.margin[k]);
        }
        ck_assert_int_eq(next, count);
    }
    ck_assert_int_gt(touching, 500);
    ck_assert_msg(kept < touching + (pairs - touching) / 20, "%d kept, %d touch, %d pairs", kept, touching, pairs);
}
END_TEST

START_TEST(a_margin_just_above_the_distance_keeps_the_pair)
{
    // the bounds are exact for two spheres and for a halfspace: round-off must not decide
    dice d = {.seed = 19};
    for (int trial = 0; trial < 50; trial++) {
        build_scene(&d, 1 + trial);
        for (int k = 0; k < s.npairs; k++) {
            trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
            int count = trxi_collide(&s.shapes[s.pairs[k].a], &s.shapes[s.pairs[k].b], INFINITY, false, points);
            s.margin[k] = INFINITY;
            for (int i = 0; i < count; i++) s.margin[k] = fmin(s.margin[k], nextafter(points[i].phi, INFINITY));
        }
        ck_assert_int_eq(run(), s.npairs);
    }
}
END_TEST

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
        trxi_placed_shape shapes[2] = {placed(&box), placed(&ball)};
        double radii[2] = {trxi_shape_bounding_radius(&box.shape), 0.02}, margin = 1e-3;
        int candidate;
        kept += trxi_broad_phase(shapes, radii, 1, &(trxi_shape_pair){0, 1}, &margin, &candidate);
    }
    ck_assert_int_eq(kept, 0);
}
END_TEST

START_TEST(a_ball_over_a_plate_is_rejected)
{
    body plate = box_body(2, 2, 0.02), ball = sphere_body(0.05);
    trxi_set3(0.7, -0.6, 0.1, ball.p);
    trxi_placed_shape shapes[2] = {placed(&plate), placed(&ball)};
    double radii[2] = {trxi_shape_bounding_radius(&plate.shape), 0.05}, margin = 1e-3;
    int candidate;
    ck_assert_int_eq(trxi_broad_phase(shapes, radii, 1, &(trxi_shape_pair){0, 1}, &margin, &candidate), 0);
    margin = 0.05;
    ck_assert_int_eq(trxi_broad_phase(shapes, radii, 1, &(trxi_shape_pair){0, 1}, &margin, &candidate), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/broad_phase");
    TCase *cases = tcase_create("broad_phase");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, no_contact_is_dropped_and_few_others_are_kept);
    tcase_add_test(cases, a_margin_just_above_the_distance_keeps_the_pair);
    tcase_add_test(cases, a_box_three_centimetres_from_a_small_sphere_is_mostly_rejected);
    tcase_add_test(cases, a_ball_over_a_plate_is_rejected);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
