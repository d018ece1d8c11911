// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Any two convex shapes: the distance is the largest separation, equal solids of different types have equal contacts, and
// all results are finite.

#include "geometry/hull.h"
#include "geometry/pairs.h"
#include "geometry/search.h"

static const trx_shape_type types[] = {TRX_SHAPE_MESH,      TRX_SHAPE_BOX,     TRX_SHAPE_CYLINDER,
                                       TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE};
enum { TYPES = 6 };

static int general(const body *A, const body *B, trxi_contact_point *points)
{
    trxi_placed_shape a = placed(A), b = placed(B);
    return trxi_collide_convex(&a, &b, INFINITY, true, points);
}

START_TEST(no_direction_separates_more_than_the_normal)
{
    dice d = {.seed = 50};
    int overlaps = 0, single = 0;
    for (int trial = 0; trial < SAMPLES(3600); trial++) {
        int i = trial % TYPES, j = trial / TYPES % TYPES;
        if (i > j || (i > 3 && j > 3)) continue;
        body A = random_body(&d, types[i], 0.08), B = random_body(&d, types[j], 0.08);
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
        int count = general(&A, &B, c);
        ck_assert_int_ge(count, 1);
        if (count > 1 || c->tie == 0) continue;
        trxi_contact_point other[TRXI_MAX_CONTACT_POINTS];
        double n[3], found = searched_separation(&d, &A, &B, n);
        ck_assert_msg(c->phi > found - 1e-12, "kinds %d, %d: phi %.12g, found %.12g", i, j, c->phi, found);
        check_witnesses(&A, &B, 1e-12, c);
        if (collide(&A, &B, other) == 1) check_invariance(&d, &A, &B);
        overlaps += c->phi < 0;
        single++;
    }
    ck_assert(single > SAMPLES(1000) && overlaps > SAMPLES(400));
}
END_TEST

START_TEST(exchanged_bodies_have_the_opposite_normal)
{
    dice d = {.seed = 51};
    for (int trial = 0; trial < SAMPLES(3600); trial++) {
        int i = trial % TYPES, j = trial / TYPES % TYPES;
        if (i > 3 && j > 3) continue;
        body A = random_body(&d, types[i], 0.08), B = random_body(&d, types[j], 0.08);
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS], e[TRXI_MAX_CONTACT_POINTS];
        int count = general(&A, &B, c);
        ck_assert_int_eq(general(&B, &A, e), count);
        if (count > 1 || c->tie < 1e-5) continue;
        assert_close(c->phi, e->phi, 1e-13);
        double b[3];
        for (int k = 0; k < 3; k++) {
            assert_close(c->n[k], -e->n[k], 1e-10);
            b[k] = c->a[k] + c->phi * c->n[k];
        }
        assert_below(max_difference(b, e->a, 3), 1e-10);
    }
}
END_TEST

// phi, n, a and derivatives of single points
static void assert_same(const trxi_contact_point *c, const trxi_contact_point *e, double tolerance)
{
    assert_close(c->phi, e->phi, tolerance);
    assert_below(max_difference(c->n, e->n, 3), 10 * tolerance);
    assert_below(max_difference(c->a, e->a, 3), 10 * tolerance);
    const double *is[4] = {c->dn_dx, c->dn_dtheta, c->da_dx, c->da_dtheta};
    const double *was[4] = {e->dn_dx, e->dn_dtheta, e->da_dx, e->da_dtheta};
    for (int k = 0; k < 4; k++) assert_below(max_difference(is[k], was[k], 9), 1e4 * tolerance * (1 + max_magnitude(was[k], 9)));
}

START_TEST(spheres_capsules_and_boxes_answer_as_their_own_pairs_do)
{
    dice d = {.seed = 52};
    int compared = 0;
    for (int trial = 0; trial < 3000; trial++) {
        static const trx_shape_type pairs[5][2] = {{TRX_SHAPE_BOX, TRX_SHAPE_SPHERE},
                                                   {TRX_SHAPE_BOX, TRX_SHAPE_BOX},
                                                   {TRX_SHAPE_BOX, TRX_SHAPE_CAPSULE},
                                                   {TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE},
                                                   {TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE}};
        const trx_shape_type *pair = pairs[trial % 5];
        body A = random_body(&d, pair[0], 0.1), B = random_body(&d, pair[1], 0.1);
        if (pair[0] == TRX_SHAPE_BOX && trial % 2) A.shape.rounding = 0.02;
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS], e[TRXI_MAX_CONTACT_POINTS];
        int count = collide(&A, &B, c);
        // axes that meet are flat: no volume to search
        if (pair[0] == TRX_SHAPE_CAPSULE && c->phi < -A.shape.radius - B.shape.radius + 1e-6) continue;
        if (count != 1 || c->tie < 1e-4 || general(&A, &B, e) != 1 || e->tie < 1e-4) continue;
        compared++;
        assert_same(e, c, 1e-12);
    }
    ck_assert_int_gt(compared, 1500);
}
END_TEST

START_TEST(equal_solids_answer_alike_whatever_they_are_given_as)
{
    dice d = {.seed = 53};
    int compared[3] = {0};
    for (int trial = 0; trial < 3000; trial++) {
        body A, as_A, B = random_body(&d, types[trial / 3 % TYPES], 0.1);
        double r = uniform(&d, 0.03, 0.1), size[3] = {uniform(&d, 0.05, 0.2), uniform(&d, 0.05, 0.2), uniform(&d, 0.05, 0.2)};
        int kind = trial % 3;
        if (kind == 0) {
            A = sphere_body(r);
            as_A = ellipsoid_body(0.6 * r, 0.6 * r, 0.6 * r);
            as_A.shape.rounding = 0.7 * r;
        } else if (kind == 1) {
            double corners[24];
            for (int k = 0; k < 24; k++) corners[k] = (k / 3 >> k % 3 & 1 ? 0.5 : -0.5) * size[k % 3];
            A = box_body(size[0], size[1], size[2]);
            as_A = mesh_body(8, corners);
            A.shape.rounding = as_A.shape.rounding = trial % 2 ? 0.01 : 0;
        } else {
            A = capsule_body(r, size[0]);
            as_A = cylinder_body(1e-9, size[0]);
            as_A.shape.rounding = r - 1e-9;
        }
        random_rotation(&d, A.R);
        for (int i = 0; i < 9; i++) as_A.R[i] = A.R[i];
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS], e[TRXI_MAX_CONTACT_POINTS];
        // the function of the pair if it has one
        bool exchanged = B.shape.type < A.shape.type;
        int count = exchanged ? collide(&B, &A, c) : collide(&A, &B, c);
        int count_as = exchanged ? general(&B, &as_A, e) : general(&as_A, &B, e);
        bool both_flat = A.shape.type >= TRX_SHAPE_CAPSULE && B.shape.type >= TRX_SHAPE_CAPSULE;
        if (count != 1 || count_as != 1 || c->tie < 1e-3 || e->tie < (kind == 2 ? 0 : 1e-3)) continue;
        if (both_flat && c->phi < -A.shape.radius - B.shape.radius + 1e-3) continue;
        compared[kind]++;
        if (kind == 2) {
            // the cylinder that stands for a capsule has a core of 1 nm, so both contacts are close, not equal
            assert_close(c->phi, e->phi, 3e-9);
            assert_below(max_difference(c->n, e->n, 3), 1e-6);
        } else
            assert_same(e, c, 1e-12);
    }
    for (int k = 0; k < 3; k++) ck_assert_msg(compared[k] > 200, "kind %d: %d", k, compared[k]);
}
END_TEST

static bool is_sound(const trxi_contact_point *c)
{
    const double *numbers[6] = {&c->phi, c->n, c->a, c->dn_dx, c->da_dx, c->dn_dtheta};
    const int counts[6] = {1, 3, 3, 9, 9, 9};
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < counts[k]; i++)
            if (!isfinite(numbers[k][i])) return false;
    for (int i = 0; i < 9; i++)
        if (!isfinite(c->da_dtheta[i])) return false;
    return c->tie >= 0 && fabs(trxi_norm3(c->n) - 1) < 1e-12;
}

static void scale_body(body *b, double s)
{
    double points[3 * 20];
    for (int i = 0; i < 3; i++) b->shape.size[i] *= s;
    b->shape.radius *= s, b->shape.length *= s, b->shape.rounding *= s;
    if (b->shape.type != TRX_SHAPE_MESH) return;
    const trxi_hull *hull = b->shape.hull;
    for (int i = 0; i < 3 * hull->nvertex; i++) points[i] = s * hull->vertices[i];
    b->shape.hull = mesh_body(hull->nvertex, points).shape.hull;
}

START_TEST(a_hundred_thousand_pairs_of_all_sizes_shapes_and_distances_are_sound)
{
    dice d = {.seed = 54};
    double gaps[] = {0, 1e-15, -1e-15, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6, 1e-4};
    for (int trial = 0; trial < SAMPLES(100000); trial++) {
        int i = trial % TYPES, j = trial / TYPES % TYPES;
        if (i > 3 && j > 3) continue;
        body A = random_body(&d, types[i], 0.1), B = random_body(&d, types[j], 0.1);
        // long and thin, from tenths of millimetres to 100 m, aligned, coincident, touching
        double s = 1;
        if (trial % 5 == 1)
            for (int k = 0; k < 3; k++) {
                A.shape.size[k] *= pow(30, uniform(&d, -1, 1));
                A.shape.length *= pow(10, uniform(&d, -1, 1));
            }
        if (trial % 5 == 2) {
            s = pow(10, uniform(&d, -3, 3));
            double t = pow(10, uniform(&d, -3, 3));
            if (types[i] != TRX_SHAPE_MESH && types[j] != TRX_SHAPE_MESH) scale_body(&A, s), scale_body(&B, t);
            s = fmax(s, t);
        }
        if (trial % 5 == 3) {
            trxi_identity33(A.R);
            trxi_identity33(B.R);
            for (int k = 0; k < 3; k++)
                if (uniform(&d, 0, 1) < 0.5) B.p[k] = A.p[k];
        }
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
        int count = general(&A, &B, c);
        if (trial % 5 == 4) {
            trxi_axpy3(gaps[trial / 5 % 10] - c->phi - (trial % 2) * (A.shape.rounding + B.shape.rounding), c->n, B.p);
            count = general(&A, &B, c);
        }
        ck_assert(count >= 1 && count <= TRXI_MAX_CONTACT_POINTS);
        for (int k = 0; k < count; k++) ck_assert_msg(is_sound(c + k), "kinds %d, %d, trial %d, phi %g", i, j, trial, c[k].phi);
        // phi is the separation along n, except at one corner of a flush overlap (flush.c)
        if (count > 1 || trial % 5 == 4 || c->feature >= 1 << 30) continue;
        trxi_placed_shape a = placed(&A), b = placed(&B);
        trxi_core core_A = trxi_core_of(&a), core_B = trxi_core_of(&b);
        double size = trxi_core_size(&core_A) + trxi_core_size(&core_B) + core_A.radius + core_B.radius + 0.2 * s;
        if (c->tie > 0) assert_close(separation_along(&core_A, &core_B, c->n), c->phi, 1e-12 * size);
    }
}
END_TEST

START_TEST(a_corner_passes_through_a_face_without_a_jump)
{
    dice d = {.seed = 55};
    for (int trial = 0; trial < 200; trial++) {
        body A = random_body(&d, types[trial % 4], 0.05), B = random_body(&d, types[trial / 4 % TYPES], 0.05);
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS], e[TRXI_MAX_CONTACT_POINTS];
        if (general(&A, &B, c) != 1) continue;
        double sweep = c->phi;
        trxi_axpy3(-sweep, c->n, B.p);
        // through phi = 0 (of sharp shapes: where their cores meet)
        for (int k = -6; k <= 6; k++) {
            body moved = B;
            double t = k == 0 ? 0 : copysign(pow(10, -(k < 0 ? -k : k) - 4), k);
            trxi_axpy3(t, c->n, moved.p);
            int count = general(&A, &moved, e);
            double least = INFINITY;
            for (int m = 0; m < count; m++) least = fmin(least, e[m].phi);
            assert_close(least, t, 1e-3 * fabs(t) + 1e-11);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/convex");
    TCase *cases = tcase_create("convex");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, no_direction_separates_more_than_the_normal);
    tcase_add_test(cases, exchanged_bodies_have_the_opposite_normal);
    tcase_add_test(cases, spheres_capsules_and_boxes_answer_as_their_own_pairs_do);
    tcase_add_test(cases, equal_solids_answer_alike_whatever_they_are_given_as);
    tcase_add_test(cases, a_hundred_thousand_pairs_of_all_sizes_shapes_and_distances_are_sound);
    tcase_add_test(cases, a_corner_passes_through_a_face_without_a_jump);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
