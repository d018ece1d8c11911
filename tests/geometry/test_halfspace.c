// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Halfspace against sphere, capsule and box.

#include "geometry/probe.h"

static const trx_shape_type partners[] = {TRX_SHAPE_SPHERE, TRX_SHAPE_CAPSULE, TRX_SHAPE_BOX};

START_TEST(a_sphere_over_the_ground)
{
    body ground = halfspace_body(), ball = sphere_body(0.1);
    trxi_set3(3, -2, 0.08, ball.p);
    trxi_contact_point c;
    ck_assert_int_eq(collide(&ground, &ball, &c), 1);
    assert_close(c.phi, -0.02, 1e-16);
    assert_below(max_difference(c.n, (double[]){0, 0, 1}, 3), 1e-16);
    assert_below(max_difference(c.a, (double[]){3, -2, 0}, 3), 1e-16);
    ck_assert(isinf(c.tie));
}
END_TEST

START_TEST(a_lying_capsule_has_two_points_and_a_standing_one_its_lower_end)
{
    body ground = halfspace_body(), capsule = capsule_body(0.05, 0.2);
    capsule.p[2] = 0.049;
    trxi_placed_shape a = placed(&ground), b = placed(&capsule);
    trxi_contact_point c[2];
    trxi_set3(1, 0, 0, capsule.R + 6);
    trxi_set3(0, 0, -1, capsule.R);
    ck_assert_int_eq(trxi_collide(&a, &b, 1e-3, true, c), 2);
    for (int i = 0; i < 2; i++) {
        assert_close(c[i].phi, -0.001, 1e-15);
        assert_close(c[i].a[0], i ? 0.1 : -0.1, 1e-15);
        ck_assert_int_eq(c[i].feature, i);
    }
    trxi_identity33(capsule.R);
    capsule.p[2] = 0.15;
    ck_assert_int_eq(trxi_collide(&a, &b, 1e-3, true, c), 1);
    ck_assert_int_eq(c[0].feature, 0);
    assert_close(c[0].phi, 0, 1e-15);
}
END_TEST

START_TEST(a_box_has_the_corners_within_the_margin)
{
    body ground = halfspace_body(), box = box_body(0.2, 0.4, 0.1);
    trxi_placed_shape a = placed(&ground), b = placed(&box);
    trxi_contact_point c[8];
    box.p[2] = 0.0495;
    ck_assert_int_eq(trxi_collide(&a, &b, 1e-3, true, c), 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(c[i].feature, i);
        assert_close(c[i].phi, -0.0005, 1e-16);
        assert_close(c[i].a[0], i & 1 ? 0.1 : -0.1, 1e-16);
        assert_close(c[i].a[1], i & 2 ? 0.2 : -0.2, 1e-16);
    }
    ck_assert_int_eq(trxi_collide(&a, &b, 0.2, true, c), 8);
    ck_assert_int_eq(trxi_collide(&a, &b, -0.001, true, c), 0);
    box.p[2] = 0.051;
    ck_assert_int_eq(trxi_collide(&a, &b, 0.0005, true, c), 0);
    // swept by a ball of 1 cm the same corners are lower
    box.shape.rounding = 0.01;
    ck_assert_int_eq(trxi_collide(&a, &b, 0.0005, true, c), 4);
    assert_close(c[0].phi, -0.009, 1e-16);
    assert_close(c[0].a[2], 0, 1e-16);
}
END_TEST

// height of the lowest of many points of the surface, over the plane
static double lowest(const body *A, const body *B)
{
    double best = INFINITY, h = B->shape.type == TRX_SHAPE_CAPSULE ? B->shape.length / 2 : 0;
    enum { N = 300 };
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++) {
            double l[3], x[3], polar = 3.14159265358979323846 * i / N, turn = 6.28318530717958647692 * j / N;
            trxi_set3(sin(polar) * cos(turn), sin(polar) * sin(turn), cos(polar), l);
            if (B->shape.type == TRX_SHAPE_BOX) {
                // stretch the direction until it leaves the box
                double t = INFINITY;
                for (int k = 0; k < 3; k++) t = fmin(t, B->shape.size[k] / 2 / fabs(l[k]));
                trxi_scale3(t, l, l);
            } else {
                trxi_scale3(B->shape.radius, l, l);
                l[2] += polar < 1.57 ? h : -h;
            }
            trxi_mulv3(B->R, l, x);
            trxi_add3(x, B->p, x);
            best = fmin(best, surface_distance(A, x));
        }
    return best;
}

// the witness point on the box is the corner its feature names
static void check_corner(const body *B, const trxi_contact_point *c)
{
    double l[3], x[3], b[3];
    for (int i = 0; i < 3; i++) l[i] = (c->feature >> i & 1 ? 0.5 : -0.5) * B->shape.size[i];
    trxi_mulv3(B->R, l, x);
    trxi_add3(x, B->p, x);
    trxi_copy3(c->a, b);
    trxi_axpy3(c->phi, c->n, b);
    assert_below(max_difference(b, x, 3), 1e-14);
}

START_TEST(the_least_phi_is_the_lowest_point_of_the_surface)
{
    dice d = {.seed = 1};
    for (int trial = 0; trial < 30; trial++) {
        body A = random_body(&d, TRX_SHAPE_HALFSPACE, 0.1), B = random_body(&d, partners[trial % 3], 0.1);
        trxi_contact_point c[8];
        int count = collide(&A, &B, c);
        ck_assert_int_eq(count, trxi_max_points(A.shape.type, B.shape.type));
        double phi = INFINITY, sampled = lowest(&A, &B);
        for (int k = 0; k < count; k++) phi = fmin(phi, c[k].phi);
        for (int k = 0; k < count; k++) {
            // the upper end of a leaning capsule touches from inside, all others are on the surface
            if (c[k].phi == phi) check_witnesses(&A, &B, 1e-14, c + k);
            if (B.shape.type == TRX_SHAPE_BOX) check_corner(&B, c + k);
            assert_close(surface_distance(&A, c[k].a), 0, 1e-14);
        }
        // samples are not below the surface, and one is near its lowest point
        ck_assert_msg(sampled >= phi - 1e-14 && sampled < phi + 4e-3, "sampled %g, phi %g", sampled, phi);
        check_invariance(&d, &A, &B);
    }
}
END_TEST

START_TEST(derivatives_agree_with_differences)
{
    dice d = {.seed = 2};
    for (int trial = 0; trial < 180; trial++) {
        body A = random_body(&d, TRX_SHAPE_HALFSPACE, 0.1), B = random_body(&d, partners[trial % 3], 0.1);
        if (trial % 2 && trial % 3 == 2) B.shape.rounding = 0.03;
        int points = trxi_max_points(A.shape.type, B.shape.type);
        for (int k = 0; k < points; k++) check_derivatives(&d, &A, &B, k);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/halfspace");
    TCase *cases = tcase_create("halfspace");
    tcase_add_test(cases, a_sphere_over_the_ground);
    tcase_add_test(cases, a_lying_capsule_has_two_points_and_a_standing_one_its_lower_end);
    tcase_add_test(cases, a_box_has_the_corners_within_the_margin);
    tcase_add_test(cases, the_least_phi_is_the_lowest_point_of_the_surface);
    tcase_add_test(cases, derivatives_agree_with_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
