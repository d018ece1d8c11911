// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Halfspace against mesh, cylinder and ellipsoid.

#include "geometry/hull.h"
#include "geometry/probe.h"
#include "geometry/support.h"

static const trx_shape_type partners[] = {TRX_SHAPE_MESH, TRX_SHAPE_CYLINDER, TRX_SHAPE_ELLIPSOID};

static body wheel(double radius, int corners, double height)
{
    double points[3 * 40];
    for (int k = 0; k < corners; k++) {
        double turn = 6.28318530717958647692 * (k / 2) / (corners / 2);
        trxi_set3(radius * cos(turn), radius * sin(turn), (k % 2 - 0.5) * height, points + 3 * k);
    }
    return mesh_body(corners, points);
}

START_TEST(a_standing_cylinder_has_eight_points_a_leaning_one_a_lying_two)
{
    body ground = halfspace_body(), tin = cylinder_body(0.1, 0.4);
    tin.shape.rounding = 0.01;
    trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
    tin.p[2] = 0.209;
    ck_assert_int_eq(collide(&ground, &tin, c), 8);
    for (int k = 0; k < 8; k++) {
        assert_close(c[k].phi, -1e-3, 1e-15);
        assert_close(hypot(c[k].a[0], c[k].a[1]), 0.1, 1e-15);
        ck_assert_int_eq(c[k].feature, k);
    }
    trxi_exp33((double[]){0, 0.3, 0}, tin.R);
    ck_assert_int_eq(collide(&ground, &tin, c), 1);
    assert_close(c->phi, 0.209 - 0.2 * cos(0.3) - 0.1 * sin(0.3) - 0.01, 1e-15);
    assert_close(c->a[0], 0.1 * cos(0.3) - 0.2 * sin(0.3), 1e-15);
    ck_assert_int_eq(c->feature, 16);
    trxi_exp33((double[]){0, 1.57, 0}, tin.R);
    ck_assert_int_eq(collide(&ground, &tin, c), 2);
    for (int k = 0; k < 2; k++) {
        assert_close(c[k].phi, 0.209 - 0.11, 2e-4);
        assert_close(fabs(c[k].a[0]), 0.2, 1e-3);
        ck_assert_int_eq(c[k].feature, 16 + k);
    }
}
END_TEST

START_TEST(an_ellipsoid_touches_at_its_lowest_point)
{
    dice d = {.seed = 70};
    for (int trial = 0; trial < 200; trial++) {
        body A = random_body(&d, TRX_SHAPE_HALFSPACE, 0.1), B = random_body(&d, TRX_SHAPE_ELLIPSOID, 0.1);
        trxi_contact_point c[1];
        ck_assert_int_eq(collide(&A, &B, c), 1);
        check_witnesses(&A, &B, 1e-12, c);
        ck_assert(isinf(c->tie));
        // no point of the surface is lower
        trxi_placed_shape shape = placed(&B);
        trxi_core core = trxi_core_of(&shape);
        for (int k = 0; k < 50; k++) {
            double m[3], x[3];
            random_direction(&d, m);
            trxi_core_support(&core, 0, m, x);
            ck_assert(surface_distance(&A, x) - B.shape.rounding >= c->phi - 1e-14);
        }
    }
}
END_TEST

START_TEST(a_mesh_has_all_corners_within_the_margin_if_they_are_few)
{
    dice d = {.seed = 71};
    for (int trial = 0; trial < 300; trial++) {
        body A = random_body(&d, TRX_SHAPE_HALFSPACE, 0.1), B = random_body(&d, TRX_SHAPE_MESH, 0.1);
        trxi_placed_shape a = placed(&A), b = placed(&B);
        const trxi_hull *hull = B.shape.hull;
        double margin = uniform(&d, -0.1, 0.1), least = INFINITY;
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
        int count = trxi_collide(&a, &b, margin, true, c), expected = 0;
        for (int i = 0; i < hull->nvertex; i++) {
            double x[3];
            trxi_mulv3(B.R, hull->vertices + 3 * i, x);
            trxi_add3(x, B.p, x);
            double phi = surface_distance(&A, x) - B.shape.rounding;
            expected += phi < margin;
            least = fmin(least, phi);
        }
        if (expected <= 8) ck_assert_int_eq(count, expected);
        else ck_assert(count >= 1 && count <= 8);
        bool has_least = count == 0;
        for (int k = 0; k < count; k++) {
            has_least = has_least || fabs(c[k].phi - least) < 1e-14;
            ck_assert(k == 0 || c[k].feature > c[k - 1].feature);
            assert_close(surface_distance(&A, c[k].a), 0, 1e-14);
        }
        ck_assert(has_least);
    }
}
END_TEST

START_TEST(of_many_corners_those_around_the_lowest_are_kept)
{
    // a wheel of 18 corners a side, flat on the ground: eight, spread all around, and the same whatever its yaw
    body ground = halfspace_body(), disc = wheel(0.2, 36, 0.1);
    trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
    int first[8] = {0};
    for (int yaw = 0; yaw < 10; yaw++) {
        trxi_exp33((double[]){0, 0, 0.61 * yaw}, disc.R);
        disc.p[2] = 0.05 - 1e-3;
        ck_assert_int_eq(collide(&ground, &disc, c), 8);
        double widest = 0, angles[8];
        for (int k = 0; k < 8; k++) {
            assert_close(c[k].phi, -1e-3, 1e-14);
            if (yaw == 0) first[k] = c[k].feature;
            ck_assert_int_eq(c[k].feature, first[k]);
            angles[k] = atan2(c[k].a[1], c[k].a[0]);
        }
        for (int k = 0; k < 8; k++) {
            double next = 7;
            for (int m = 0; m < 8; m++) {
                double gap = angles[m] - angles[k];
                if (gap <= 1e-9) gap += 6.28318530717958647692;
                next = fmin(next, gap);
            }
            widest = fmax(widest, next);
        }
        assert_below(widest, 1.2);
    }
}
END_TEST

START_TEST(derivatives_agree_with_differences)
{
    dice d = {.seed = 72};
    int seen[4] = {0};
    for (int trial = 0; trial < 400; trial++) {
        body A = random_body(&d, TRX_SHAPE_HALFSPACE, 0.1), B = random_body(&d, partners[trial % 3], 0.1);
        if (trial % 3 == 1 && trial % 4 < 2) {
            // standing or lying, nearly
            double frame[9], tilt[3], turn[9];
            trxi_frame33(A.R + 6, frame);
            if (trial % 4) trxi_copy3(frame + 6, frame + 3), trxi_copy3(frame, frame + 6), trxi_copy3(frame + 3, frame),
                trxi_cross3(frame + 6, frame, frame + 3);
            random_vector(&d, 0.004, tilt);
            trxi_exp33(tilt, turn);
            trxi_mul33(turn, frame, B.R);
        }
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
        int count = collide(&A, &B, c);
        for (int k = 0; k < count; k++) {
            if (c[k].tie < 3e-4) continue;
            check_derivatives(&d, &A, &B, k);
            seen[trial % 3 != 1 ? 0 : count == 8 ? 1 : count]++;
        }
        check_invariance(&d, &A, &B);
    }
    // others, standing, leaning and lying cylinders
    ck_assert_msg(seen[0] > 400 && seen[1] > 50 && seen[2] > 20, "%d %d %d %d", seen[0], seen[1], seen[2], seen[3]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/halfspace_solid");
    TCase *cases = tcase_create("halfspace_solid");
    tcase_add_test(cases, a_standing_cylinder_has_eight_points_a_leaning_one_a_lying_two);
    tcase_add_test(cases, an_ellipsoid_touches_at_its_lowest_point);
    tcase_add_test(cases, a_mesh_has_all_corners_within_the_margin_if_they_are_few);
    tcase_add_test(cases, of_many_corners_those_around_the_lowest_are_kept);
    tcase_add_test(cases, derivatives_agree_with_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
