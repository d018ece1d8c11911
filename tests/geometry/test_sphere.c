// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sphere against sphere.

#include "geometry/probe.h"

START_TEST(two_spheres_apart_and_overlapping)
{
    body A = sphere_body(0.1), B = sphere_body(0.2);
    trxi_contact_point c;
    trxi_set3(0, 0.5, 0, B.p);
    ck_assert_int_eq(collide(&A, &B, &c), 1);
    assert_close(c.phi, 0.2, 1e-15);
    assert_below(max_difference(c.n, (double[]){0, 1, 0}, 3), 1e-16);
    assert_below(max_difference(c.a, (double[]){0, 0.1, 0}, 3), 1e-16);
    trxi_set3(0.25, 0, 0, B.p);
    ck_assert_int_eq(collide(&A, &B, &c), 1);
    assert_close(c.phi, -0.05, 1e-15);
    trxi_placed_shape a = placed(&A), b = placed(&B);
    ck_assert_int_eq(trxi_collide(&a, &b, -0.0501, false, &c), 0);
    ck_assert_int_eq(trxi_collide(&a, &b, -0.0499, false, &c), 1);
}
END_TEST

START_TEST(equal_centres_give_a_defined_answer)
{
    dice d = {.seed = 3};
    body A = random_body(&d, TRX_SHAPE_SPHERE, 0.1), B = random_body(&d, TRX_SHAPE_SPHERE, 0.1);
    trxi_copy3(A.p, B.p);
    trxi_contact_point c;
    ck_assert_int_eq(collide(&A, &B, &c), 1);
    assert_close(c.phi, -A.shape.radius - B.shape.radius, 1e-16);
    assert_below(max_difference(c.n, A.R, 3), 1e-16);
    assert_below(max_magnitude(c.dn_dtheta, 9) + max_magnitude(c.dn_dx, 9), 1e-300);
    assert_below(max_magnitude(c.da_dtheta, 9) + max_magnitude(c.da_dx, 9), 1e-300);
    ck_assert(c.tie == 0);
    check_witnesses(&A, &B, 1e-14, &c);
}
END_TEST

START_TEST(swapping_the_spheres_mirrors_the_contact)
{
    dice d = {.seed = 4};
    for (int trial = 0; trial < 50; trial++) {
        body A = random_body(&d, TRX_SHAPE_SPHERE, 0.1), B = random_body(&d, TRX_SHAPE_SPHERE, 0.1);
        trxi_contact_point c, e;
        collide(&A, &B, &c);
        collide(&B, &A, &e);
        assert_close(c.phi, e.phi, 1e-16);
        for (int i = 0; i < 3; i++) {
            assert_close(c.n[i], -e.n[i], 1e-16);
            assert_close(c.a[i] + c.phi * c.n[i], e.a[i], 1e-15);
        }
        check_witnesses(&A, &B, 1e-14, &c);
        check_invariance(&d, &A, &B);
    }
}
END_TEST

START_TEST(derivatives_agree_with_differences)
{
    dice d = {.seed = 5};
    for (int trial = 0; trial < 100; trial++) {
        body A = random_body(&d, TRX_SHAPE_SPHERE, 0.2), B = random_body(&d, TRX_SHAPE_SPHERE, 0.2);
        trxi_contact_point c;
        collide(&A, &B, &c);
        if (c.tie > 0.02) check_derivatives(&d, &A, &B, 0);
        // n = w/|w| with the vector w between the centres: only turns of w change n, so the trace of dn/dx is 2/|w|
        assert_close(c.dn_dx[0] + c.dn_dx[4] + c.dn_dx[8], 2 / c.tie, 1e-12 / c.tie);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/sphere");
    TCase *cases = tcase_create("sphere");
    tcase_add_test(cases, two_spheres_apart_and_overlapping);
    tcase_add_test(cases, equal_centres_give_a_defined_answer);
    tcase_add_test(cases, swapping_the_spheres_mirrors_the_contact);
    tcase_add_test(cases, derivatives_agree_with_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
