// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Capsule against capsule and sphere: all regions, and capsules that lie along each other.

#include "geometry/probe.h"

START_TEST(a_sphere_beside_and_beyond_a_capsule)
{
    body capsule = capsule_body(0.05, 0.4), ball = sphere_body(0.1);
    trxi_contact_point c;
    trxi_set3(0.3, 0, 0.1, ball.p);
    ck_assert_int_eq(collide(&capsule, &ball, &c), 1);
    assert_close(c.phi, 0.15, 1e-15);
    assert_below(max_difference(c.n, (double[]){1, 0, 0}, 3), 1e-16);
    assert_below(max_difference(c.a, (double[]){0.05, 0, 0.1}, 3), 1e-16);
    assert_close(c.tie, 0.1, 1e-15);
    int beside = c.feature;
    trxi_set3(0, 0.3, 0.6, ball.p);
    ck_assert_int_eq(collide(&capsule, &ball, &c), 1);
    assert_close(c.phi, 0.35, 1e-15);
    assert_below(max_difference(c.n, (double[]){0, 0.6, 0.8}, 3), 1e-15);
    ck_assert_int_ne(c.feature, beside);
}
END_TEST

// capsule B along the direction u, its middle at p
static body capsule_along(double radius, double length, const double u[3], const double p[3])
{
    body b = capsule_body(radius, length);
    trxi_frame33(u, b.R);
    trxi_copy3(p, b.p);
    return b;
}

START_TEST(crossed_capsules_touch_at_the_crossing)
{
    body A = capsule_body(0.05, 0.4);
    body B = capsule_along(0.1, 0.6, (double[]){1, 0, 0}, (double[]){0.1, 0.3, 0.05});
    trxi_contact_point c[2];
    ck_assert_int_eq(collide(&A, &B, c), 1);
    assert_close(c->phi, 0.15, 1e-15);
    assert_below(max_difference(c->n, (double[]){0, 1, 0}, 3), 1e-16);
    assert_below(max_difference(c->a, (double[]){0, 0.05, 0.05}, 3), 1e-16);
    assert_close(c->tie, 0.15, 1e-15);
    // a push does not turn the normal, B's roll about A's axis does
    ck_assert(max_magnitude(c->dn_dx, 9) == 0);
    ck_assert(max_magnitude(c->dn_dtheta, 9) > 0.9);
}
END_TEST

START_TEST(a_capsule_lying_along_another_has_the_two_ends_of_the_overlap)
{
    body A = capsule_body(0.05, 0.4);
    trxi_contact_point c[2];
    // B covers A's axis from 0 to 0.2 and goes on to 0.4, in both directions of B's axis
    for (int reversed = 0; reversed < 2; reversed++) {
        double u[3] = {0, 0, reversed ? -1 : 1};
        body B = capsule_along(0.05, 0.4, u, (double[]){0.099, 0, 0.2});
        ck_assert_int_eq(collide(&A, &B, c), 2);
        for (int i = 0; i < 2; i++) {
            assert_close(c[i].phi, -0.001, 1e-15);
            assert_below(max_difference(c[i].n, (double[]){1, 0, 0}, 3), 1e-15);
            assert_close(c[i].a[2], i ? 0.2 : 0, 1e-15);
        }
        // the lower point goes with B's end, the upper stays with A's
        assert_close(c[0].da_dx[8], 1, 1e-15);
        assert_close(c[1].da_dx[8], 0, 1e-15);
    }
    // end to end without overlap there is one
    body B = capsule_along(0.05, 0.4, (double[]){0, 0, 1}, (double[]){0.03, 0, 0.44});
    ck_assert_int_eq(collide(&A, &B, c), 1);
    assert_close(c->phi, 0.05 - 0.1, 1e-15);
}
END_TEST

START_TEST(below_the_parallel_angle_the_two_points_bracket_the_distance)
{
    dice d = {.seed = 10};
    for (int trial = 0; trial < 300; trial++) {
        body A = random_body(&d, TRX_SHAPE_CAPSULE, 0.05), B = random_body(&d, TRX_SHAPE_CAPSULE, 0.05);
        double lean[3], side[3], u[3];
        // B leans by up to 0.019 rad and lies beside A
        random_vector(&d, 1, lean);
        trxi_axpy3(-trxi_dot3(lean, A.R + 6), A.R + 6, lean);
        trxi_normalize3(lean, lean);
        double angle = uniform(&d, 0, 0.019);
        for (int i = 0; i < 3; i++) u[i] = (trial % 2 ? 1 : -1) * cos(angle) * A.R[6 + i] + sin(angle) * lean[i];
        trxi_frame33(u, B.R);
        double apart = uniform(&d, 0.05, 0.2), along = uniform(&d, -0.02, 0.02);
        random_direction(&d, side);
        trxi_axpy3(-trxi_dot3(side, A.R + 6), A.R + 6, side);
        trxi_normalize3(side, side);
        for (int i = 0; i < 3; i++) B.p[i] = A.p[i] + apart * side[i] + along * A.R[6 + i];

        trxi_contact_point c[2];
        ck_assert_int_eq(collide(&A, &B, c), 2);
        ck_assert_int_ne(c[0].feature, c[1].feature);
        double true_distance = INFINITY, L = fmin(A.shape.length, B.shape.length) / 2;
        for (int i = 0; i <= 2000; i++) {
            double x[3];
            trxi_copy3(A.p, x);
            trxi_axpy3((i / 1000.0 - 1) * A.shape.length / 2, A.R + 6, x);
            true_distance = fmin(true_distance, surface_distance(&B, x) - A.shape.radius);
        }
        double phi = fmin(c[0].phi, c[1].phi), sagitta = 0.02 * 0.02 * L * L / (2 * (apart - 0.005));
        ck_assert_msg(phi > true_distance - 1e-7 && phi < true_distance + sagitta, "phi %g, distance %g", phi,
                      true_distance);
        for (int k = 0; k < 2; k++) {
            // the normal at an end leans by the angle between the axes, so b can be this angle times the radius under B's side
            check_witnesses(&A, &B, 2.1e-4 * fmax(A.shape.radius, B.shape.radius), c + k);
            if (c[k].tie > 5e-4) check_derivatives(&d, &A, &B, k);
        }
    }
}
END_TEST

// least distance of the axes: golden section on A's axis (the distance to a segment is convex)
static double brute_distance(const body *A, const body *B)
{
    const double golden = 0.61803398874989484820;
    double h = A->shape.length / 2, lo = -h, hi = h, best = INFINITY;
    for (int k = 0; k < 200; k++) {
        double f[2], at[2] = {hi - golden * (hi - lo), lo + golden * (hi - lo)};
        for (int i = 0; i < 2; i++) {
            double x[3];
            trxi_copy3(A->p, x);
            trxi_axpy3(at[i], A->R + 6, x);
            f[i] = surface_distance(B, x) - A->shape.radius;
            best = fmin(best, f[i]);
        }
        if (f[0] < f[1]) hi = at[1];
        else lo = at[0];
    }
    return best;
}

START_TEST(the_distance_is_that_of_the_nearest_points_of_the_axes)
{
    dice d = {.seed = 11};
    for (int trial = 0; trial < 500; trial++) {
        body A = random_body(&d, TRX_SHAPE_CAPSULE, 0.1);
        body B = random_body(&d, trial % 2 ? TRX_SHAPE_CAPSULE : TRX_SHAPE_SPHERE, 0.1);
        trxi_contact_point c[2];
        if (collide(&A, &B, c) > 1) continue;
        assert_close(c->phi, brute_distance(&A, &B), 1e-9);
        if (c->tie > 1e-9) check_witnesses(&A, &B, 1e-13, c);
        check_invariance(&d, &A, &B);
    }
}
END_TEST

START_TEST(swapping_the_capsules_mirrors_the_contact)
{
    dice d = {.seed = 12};
    for (int trial = 0; trial < 200; trial++) {
        body A = random_body(&d, TRX_SHAPE_CAPSULE, 0.1), B = random_body(&d, TRX_SHAPE_CAPSULE, 0.1);
        trxi_contact_point c[2], e[2];
        int count = collide(&A, &B, c);
        ck_assert_int_eq(collide(&B, &A, e), count);
        if (count > 1 || c->tie < 1e-6) continue;
        assert_close(c->phi, e->phi, 1e-14);
        ck_assert_int_eq(c->feature / 3, e->feature % 3);
        ck_assert_int_eq(c->feature % 3, e->feature / 3);
        for (int i = 0; i < 3; i++) {
            assert_close(c->n[i], -e->n[i], 1e-11);
            assert_close(c->a[i] + c->phi * c->n[i], e->a[i], 1e-11);
        }
    }
}
END_TEST

START_TEST(derivatives_agree_with_differences_in_each_region)
{
    dice d = {.seed = 13};
    int seen[9] = {0}, least = 0, total = 0;
    while (least < 50 && total++ < 100000) {
        body A = random_body(&d, TRX_SHAPE_CAPSULE, 0.15), B = random_body(&d, TRX_SHAPE_CAPSULE, 0.15);
        trxi_contact_point c[2];
        if (collide(&A, &B, c) != 1) continue;
        double distance = c->phi + A.shape.radius + B.shape.radius, sine[3];
        trxi_cross3(A.R + 6, B.R + 6, sine);
        bool crossing = c->feature == 4;
        if (seen[c->feature] >= 100 || c->tie < 2e-3 || distance < 0.02 || trxi_norm3(sine) < 0.3) continue;
        check_derivatives(&d, &A, &B, 0);
        seen[c->feature]++;
        ck_assert(max_magnitude(c->dn_dtheta, 9) > 0 && max_magnitude(c->da_dx, 9) > 0);
        ck_assert(crossing ? max_magnitude(c->dn_dx, 9) == 0 : max_magnitude(c->dn_dx, 9) > 0.3 / distance);
        least = seen[0];
        for (int i = 1; i < 9; i++) least = seen[i] < least ? seen[i] : least;
    }
    ck_assert_int_ge(least, 50);
}
END_TEST

START_TEST(derivatives_with_a_sphere_agree_with_differences)
{
    dice d = {.seed = 14};
    int seen[9] = {0};
    for (int trial = 0; trial < 1000; trial++) {
        body A = random_body(&d, TRX_SHAPE_CAPSULE, 0.15), B = random_body(&d, TRX_SHAPE_SPHERE, 0.15);
        trxi_contact_point c;
        collide(&A, &B, &c);
        double distance = c.phi + A.shape.radius + B.shape.radius;
        if (seen[c.feature] >= 100 || c.tie < 2e-3 || distance < 0.02) continue;
        check_derivatives(&d, &A, &B, 0);
        seen[c.feature]++;
        ck_assert(max_magnitude(c.dn_dx, 9) > 0.3 / distance);
    }
    for (int region = 0; region < 3; region++) ck_assert_int_ge(seen[3 * region + 1], 50);
}
END_TEST

START_TEST(axes_that_meet_give_a_defined_answer)
{
    dice d = {.seed = 15};
    for (int trial = 0; trial < 60; trial++) {
        body A = random_body(&d, TRX_SHAPE_CAPSULE, 0.1);
        body B = random_body(&d, trial % 2 ? TRX_SHAPE_SPHERE : TRX_SHAPE_CAPSULE, 0.1);
        // on one axis; equal; crossing; end on end; end on middle
        trxi_copy3(A.p, B.p);
        int kind = trial / 2 % 5;
        if (kind < 2) for (int i = 0; i < 9; i++) B.R[i] = A.R[i];
        if (kind == 0) trxi_axpy3(0.1 * A.shape.length, A.R + 6, B.p);
        bool has_ends = B.shape.type == TRX_SHAPE_CAPSULE;
        if (kind >= 3 && has_ends) trxi_axpy3(-B.shape.length / 2, B.R + 6, B.p);
        if (kind == 3) trxi_axpy3(A.shape.length / 2, A.R + 6, B.p);
        trxi_contact_point c[2];
        int count = collide(&A, &B, c);
        ck_assert_int_ge(count, 1);
        for (int k = 0; k < count; k++) {
            assert_close(trxi_norm3(c[k].n), 1, 1e-13);
            ck_assert(c[k].phi < 0 && isfinite(c[k].tie));
            const double *parts[5] = {c[k].a, c[k].dn_dtheta, c[k].dn_dx, c[k].da_dtheta, c[k].da_dx};
            for (int i = 0; i < 5; i++) ck_assert(isfinite(max_magnitude(parts[i], i ? 9 : 3)));
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/segment");
    TCase *cases = tcase_create("segment");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_sphere_beside_and_beyond_a_capsule);
    tcase_add_test(cases, crossed_capsules_touch_at_the_crossing);
    tcase_add_test(cases, a_capsule_lying_along_another_has_the_two_ends_of_the_overlap);
    tcase_add_test(cases, below_the_parallel_angle_the_two_points_bracket_the_distance);
    tcase_add_test(cases, the_distance_is_that_of_the_nearest_points_of_the_axes);
    tcase_add_test(cases, swapping_the_capsules_mirrors_the_contact);
    tcase_add_test(cases, derivatives_agree_with_differences_in_each_region);
    tcase_add_test(cases, derivatives_with_a_sphere_agree_with_differences);
    tcase_add_test(cases, axes_that_meet_give_a_defined_answer);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
