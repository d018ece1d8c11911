// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Box against sphere: faces, edges, corners, and the centre inside.

#include "geometry/probe.h"

START_TEST(a_sphere_beside_a_face_an_edge_a_corner)
{
    body box = box_body(0.2, 0.4, 0.6), ball = sphere_body(0.05);
    trxi_contact_point c;
    trxi_set3(-0.2, 0.1, -0.1, ball.p);
    ck_assert_int_eq(collide(&box, &ball, &c), 1);
    assert_close(c.phi, 0.05, 1e-16);
    assert_below(max_difference(c.n, (double[]){-1, 0, 0}, 3), 1e-16);
    assert_below(max_difference(c.a, (double[]){-0.1, 0.1, -0.1}, 3), 1e-16);
    ck_assert_int_eq(c.feature, 1);
    assert_close(c.tie, 0.1, 1e-15);

    trxi_set3(0.13, 0.24, 0.1, ball.p);
    collide(&box, &ball, &c);
    assert_close(c.phi, 0, 1e-16);
    assert_below(max_difference(c.n, (double[]){0.6, 0.8, 0}, 3), 1e-15);
    ck_assert_int_eq(c.feature, 2 + 6);
    assert_close(c.tie, 0.03, 1e-15);

    trxi_set3(0.12, -0.24, 0.34, ball.p);
    collide(&box, &ball, &c);
    assert_close(c.phi, 0.01, 1e-16);
    assert_below(max_difference(c.a, (double[]){0.1, -0.2, 0.3}, 3), 1e-16);
    ck_assert_int_eq(c.feature, 2 + 3 + 18);
}
END_TEST

START_TEST(a_centre_inside_leaves_by_the_face_of_least_depth)
{
    body box = box_body(0.2, 0.4, 0.6), ball = sphere_body(0.05);
    trxi_contact_point c;
    trxi_set3(0.01, -0.17, 0.1, ball.p);
    ck_assert_int_eq(collide(&box, &ball, &c), 1);
    assert_close(c.phi, -0.08, 1e-16);
    assert_below(max_difference(c.n, (double[]){0, -1, 0}, 3), 1e-16);
    assert_below(max_difference(c.a, (double[]){0.01, -0.2, 0.1}, 3), 1e-16);
    assert_close(c.tie, 0.06 / sqrt(2), 1e-15);

    // the very centre has a defined answer too
    trxi_zero3(ball.p);
    ck_assert_int_eq(collide(&box, &ball, &c), 1);
    assert_close(c.phi, -0.15, 1e-16);
    assert_below(max_difference(c.n, (double[]){1, 0, 0}, 3), 1e-16);
    ck_assert(c.tie == 0);
}
END_TEST

START_TEST(nothing_changes_in_passing_through_a_face)
{
    dice d = {.seed = 6};
    for (int trial = 0; trial < 50; trial++) {
        body box = random_body(&d, TRX_SHAPE_BOX, 0.1), ball = sphere_body(0.03);
        int axis = trial % 3;
        double l[3], h = box.shape.size[axis] / 2;
        trxi_contact_point c[3];
        for (int side = 0; side < 3; side++) {
            trxi_zero3(l);
            l[axis] = h + (side - 1) * 1e-9;
            trxi_mulv3(box.R, l, ball.p);
            trxi_add3(ball.p, box.p, ball.p);
            ck_assert_int_eq(collide(&box, &ball, c + side), 1);
            assert_close(c[side].phi, (side - 1) * 1e-9 - 0.03, 1e-15);
            ck_assert_int_eq(c[side].feature, c[0].feature);
            assert_below(max_difference(c[side].a, c[0].a, 3), 1e-15);
            assert_below(max_difference(c[side].da_dtheta, c[0].da_dtheta, 9), 3e-9);
        }
    }
}
END_TEST

// least distance of a point to the six faces, by a grid on each that zooms in, and its sign
static double brute_distance(const body *box, const double point[3])
{
    double offset[3], l[3], best = INFINITY;
    bool inside = true;
    trxi_sub3(point, box->p, offset);
    trxi_mulv3_t(box->R, offset, l);
    for (int face = 0; face < 6; face++) {
        int n = face / 2, u = (n + 1) % 3, v = (n + 2) % 3;
        const double *size = box->shape.size;
        double x[3], centre[2] = {0, 0}, half[2] = {size[u] / 2, size[v] / 2};
        x[n] = (face % 2 ? 0.5 : -0.5) * size[n];
        inside = inside && fabs(l[n]) < size[n] / 2;
        for (int zoom = 0; zoom < 60; zoom++) {
            double least = INFINITY, at[2] = {0};
            for (int i = -4; i <= 4; i++)
                for (int j = -4; j <= 4; j++) {
                    x[u] = fmax(-size[u] / 2, fmin(size[u] / 2, centre[0] + i * half[0] / 4));
                    x[v] = fmax(-size[v] / 2, fmin(size[v] / 2, centre[1] + j * half[1] / 4));
                    double gap = hypot(hypot(x[0] - l[0], x[1] - l[1]), x[2] - l[2]);
                    if (gap < least) least = gap, at[0] = x[u], at[1] = x[v];
                }
            best = fmin(best, least);
            for (int i = 0; i < 2; i++) centre[i] = at[i], half[i] *= 0.6;
        }
    }
    return inside ? -best : best;
}

START_TEST(the_distance_is_that_of_the_nearest_point_of_the_surface)
{
    dice d = {.seed = 7};
    int inside = 0;
    for (int trial = 0; trial < 200; trial++) {
        body box = random_body(&d, TRX_SHAPE_BOX, 0.05), ball = random_body(&d, TRX_SHAPE_SPHERE, 0.15);
        if (trial % 2) box.shape.rounding = 0.02;
        trxi_contact_point c;
        ck_assert_int_eq(collide(&box, &ball, &c), 1);
        assert_close(c.phi, brute_distance(&box, ball.p) - ball.shape.radius - box.shape.rounding, 1e-9);
        check_witnesses(&box, &ball, 1e-14, &c);
        check_invariance(&d, &box, &ball);
        inside += surface_distance(&box, ball.p) < -0.02;
    }
    ck_assert_int_gt(inside, 10);
}
END_TEST

// number of set digits in base 3 and whether the centre is inside: 0 inside, 1 face, 2 edge, 3 corner
static int kind_of(const body *box, const body *ball, int feature)
{
    int digits = (feature % 3 > 0) + (feature / 3 % 3 > 0) + (feature / 9 > 0);
    return digits == 1 && surface_distance(box, ball->p) < -box->shape.rounding ? 0 : digits;
}

START_TEST(derivatives_agree_with_differences_in_each_region)
{
    dice d = {.seed = 8};
    int seen[4] = {0}, total = 0, patterns[27] = {0};
    while ((seen[0] < 60 || seen[1] < 60 || seen[2] < 60 || seen[3] < 60) && total++ < 100000) {
        body box = random_body(&d, TRX_SHAPE_BOX, 0.05), ball = random_body(&d, TRX_SHAPE_SPHERE, 0.2);
        if (total % 4 == 1) box.shape.rounding = 0.02;
        trxi_contact_point c;
        collide(&box, &ball, &c);
        int kind = kind_of(&box, &ball, c.feature);
        double distance = surface_distance(&box, ball.p) + box.shape.rounding;
        if (c.tie < 2e-3 || seen[kind] >= 200 || (kind > 1 && distance < 0.02)) continue;
        check_derivatives(&d, &box, &ball, 0);
        seen[kind]++;
        patterns[c.feature]++;

        // over a face the normal is the box's, at edges and corners the sphere turns it
        double turning = max_magnitude(c.dn_dx, 9), sliding = max_magnitude(c.da_dx, 9);
        if (kind < 2) ck_assert(turning == 0 && sliding > 0.3);
        if (kind == 2) ck_assert(turning > 0.3 / distance && sliding > 0.3);
        if (kind == 3) ck_assert(turning > 0.5 / distance && (sliding == 0) == (box.shape.rounding == 0));
    }
    for (int i = 0; i < 4; i++) ck_assert_int_ge(seen[i], 60);
    for (int i = 1; i < 27; i++) ck_assert_msg(patterns[i] > 0, "feature %d never met", i);
    ck_assert_int_eq(patterns[0], 0);
}
END_TEST

START_TEST(tie_is_the_distance_to_the_next_feature)
{
    dice d = {.seed = 9};
    for (int trial = 0; trial < 300; trial++) {
        body box = random_body(&d, TRX_SHAPE_BOX, 0.05), ball = random_body(&d, TRX_SHAPE_SPHERE, 0.15), other = ball;
        trxi_contact_point c, e;
        collide(&box, &ball, &c);
        double nearest_change = INFINITY;
        // no step shorter than tie changes the feature, and some step slightly longer does
        for (int k = 0; k < 400; k++) {
            double u[3];
            random_direction(&d, u);
            for (int i = 0; k < 60 && i < 3; i++) u[i] = 0;
            for (int i = 0; k < 60 && i < 3; i++) {
                int digit = k / (i == 0 ? 1 : i == 1 ? 3 : 9) % 3 - 1;
                trxi_axpy3(digit, box.R + 3 * i, u);
            }
            if (!(trxi_normalize3(u, u) > 0)) continue;
            for (int longer = 0; longer < 2; longer++) {
                trxi_copy3(ball.p, other.p);
                double step = c.tie * (longer ? 1.001 : 0.999) + (longer ? 1e-9 : -1e-9);
                trxi_axpy3(step, u, other.p);
                collide(&box, &other, &e);
                if (e.feature != c.feature) nearest_change = fmin(nearest_change, step);
            }
        }
        ck_assert_msg(nearest_change > c.tie && nearest_change < 1.01 * c.tie + 1e-8, "tie %g, change at %g", c.tie,
                      nearest_change);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/box_sphere");
    TCase *cases = tcase_create("box_sphere");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_sphere_beside_a_face_an_edge_a_corner);
    tcase_add_test(cases, a_centre_inside_leaves_by_the_face_of_least_depth);
    tcase_add_test(cases, nothing_changes_in_passing_through_a_face);
    tcase_add_test(cases, the_distance_is_that_of_the_nearest_point_of_the_surface);
    tcase_add_test(cases, derivatives_agree_with_differences_in_each_region);
    tcase_add_test(cases, tie_is_the_distance_to_the_next_feature);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
