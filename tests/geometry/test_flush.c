// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Faces and edges that lie along each other.

#include "geometry/witness.h"

#include "geometry/pairs.h"
#include "geometry/search.h"

static int general(const body *A, const body *B, trxi_contact_point *points)
{
    trxi_placed_shape a = placed(A), b = placed(B);
    return trxi_collide_convex(&a, &b, INFINITY, true, points);
}

static body box_mesh(const double size[3])
{
    double corners[24];
    for (int k = 0; k < 24; k++) corners[k] = (k / 3 >> k % 3 & 1 ? 0.5 : -0.5) * size[k % 3];
    return mesh_body(8, corners);
}

START_TEST(a_mesh_that_stands_on_a_box_has_its_four_corners)
{
    body table = box_body(1, 1, 0.1), brick = box_mesh((double[]){0.1, 0.2, 0.3});
    trxi_set3(0.1, 0.2, 0.05 + 0.15 - 1e-3, brick.p);
    for (int tilted = 0; tilted < 2; tilted++) {
        if (tilted) trxi_exp33((double[]){0.003, -0.004, 0.5}, brick.R);
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
        ck_assert_int_eq(general(&brick, &table, c), 4);
        double seen = 0;
        for (int k = 0; k < 4; k++) {
            assert_below(max_difference(c[k].n, (double[]){0, 0, -1}, 3), 1e-15);
            if (!tilted) assert_close(c[k].phi, -1e-3, 1e-15);
            double arm[3], l[3];
            trxi_sub3(c[k].a, brick.p, arm);
            trxi_mulv3_t(brick.R, arm, l);
            assert_close(fabs(l[0]), 0.05, 1e-3);
            assert_close(fabs(l[1]), 0.1, 1e-3);
            seen += (l[0] > 0 ? 1 : 2) * (l[1] > 0 ? 10 : 20);
        }
        assert_close(seen, 10 + 20 + 20 + 40, 0);
    }
}
END_TEST

START_TEST(a_cylinder_stands_on_eight_points_and_lies_on_two)
{
    body table = box_body(1, 1, 0.1), tin = cylinder_body(0.1, 0.3);
    tin.shape.rounding = 0.01;
    trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
    trxi_set3(0.1, 0.2, 0.05 + 0.16 + 1e-4, tin.p);
    ck_assert_int_eq(general(&table, &tin, c), 8);
    for (int k = 0; k < 8; k++) {
        assert_close(c[k].phi, 1e-4, 1e-15);
        assert_close(hypot(c[k].a[0] - 0.1, c[k].a[1] - 0.2), 0.1, 1e-15);
    }
    trxi_set3(1, 0, 0, tin.R + 6);
    trxi_set3(0, 1, 0, tin.R);
    trxi_set3(0, 0, 1, tin.R + 3);
    tin.p[2] = 0.05 + 0.11 - 1e-4;
    ck_assert_int_eq(general(&table, &tin, c), 2);
    for (int k = 0; k < 2; k++) {
        assert_close(c[k].phi, -1e-4, 1e-15);
        assert_close(fabs(c[k].a[0] - 0.1), 0.15, 1e-15);
        assert_close(c[k].a[1], 0.2, 1e-15);
    }
}
END_TEST

START_TEST(cylinders_side_by_side_touch_at_the_ends_of_their_overlap)
{
    body A = cylinder_body(0.1, 0.6), B = cylinder_body(0.05, 0.4);
    trxi_set3(0.151, 0, 0.2, B.p);
    trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
    for (int deep = 0; deep < 2; deep++) {
        ck_assert_int_eq(general(&A, &B, c), 2);
        assert_close(c[0].a[2], 0, 1e-14);
        assert_close(c[1].a[2], 0.3, 1e-14);
        for (int k = 0; k < 2; k++) {
            assert_close(c[k].phi, deep ? -0.003 : 0.001, 1e-15);
            assert_below(max_difference(c[k].n, (double[]){1, 0, 0}, 3), 1e-14);
            assert_close(c[k].a[0], 0.1, 1e-14);
        }
        ck_assert_int_ne(c[0].feature, c[1].feature);
        B.p[0] = 0.147;
    }
    // crossed by more than 0.02 rad there is one point
    trxi_exp33((double[]){0.021, 0, 0}, B.R);
    ck_assert_int_eq(general(&A, &B, c), 1);
}
END_TEST

// places B on a side of A, tilted by a few mrad, with a small gap or overlap, and turns both at random
static void lay(dice *d, body *A, body *B)
{
    static const double turns[3][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 1, 0, 0, 0, 1, 1, 0, 0}, {0, 0, 1, 1, 0, 0, 0, 1, 0}};
    int axis = (int)uniform(d, 0, 3);
    double spin[3] = {0, 0, 0}, turn[9], R[9], tilt[3];
    trxi_identity33(A->R);
    trxi_zero3(A->p);
    spin[axis] = uniform(d, -3, 3);
    trxi_exp33(spin, turn);
    trxi_mul33(turn, turns[(int)uniform(d, 0, 3)], B->R);
    random_vector(d, 0.003, tilt);
    trxi_exp33(tilt, turn);
    trxi_mul33(turn, B->R, R);
    for (int i = 0; i < 9; i++) B->R[i] = R[i];
    for (int i = 0; i < 3; i++) B->p[i] = uniform(d, -0.05, 0.05);
    B->p[axis] = uniform(d, 0, 1) < 0.5 ? 0.3 : -0.3;
    trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
    general(A, B, c);
    trxi_axpy3(uniform(d, -3e-3, 3e-3) - c->phi, c->n, B->p);
    random_rotation(d, turn);
    body *both[2] = {A, B};
    for (int k = 0; k < 2; k++) {
        trxi_mul33(turn, both[k]->R, R);
        for (int i = 0; i < 9; i++) both[k]->R[i] = R[i];
        trxi_mulv3(turn, both[k]->p, tilt);
        trxi_copy3(tilt, both[k]->p);
    }
}

static body random_flat_body(dice *d, int kind)
{
    double size[3] = {uniform(d, 0.05, 0.2), uniform(d, 0.05, 0.2), uniform(d, 0.05, 0.2)};
    if (kind == 0) return box_mesh(size);
    trx_shape_type types[4] = {TRX_SHAPE_MESH, TRX_SHAPE_BOX, TRX_SHAPE_CYLINDER, TRX_SHAPE_CAPSULE};
    return random_body(d, types[kind], 0);
}

START_TEST(points_of_a_patch_are_on_one_surface_at_least_and_the_lowest_is_the_distance)
{
    dice d = {.seed = 60};
    int several = 0;
    for (int trial = 0; trial < 480; trial++) {
        body A = random_flat_body(&d, trial % 3), B = random_flat_body(&d, trial / 3 % 4);
        lay(&d, &A, &B);
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
        double n[3], least = INFINITY, found = searched_separation(&d, &A, &B, n);
        int count = general(&A, &B, c);
        several += count > 1;
        for (int k = 0; k < count; k++) {
            double b[3];
            trxi_copy3(c[k].a, b);
            trxi_axpy3(c[k].phi, c[k].n, b);
            // a circle has eight corners here: its edges are up to 8 % of the radius inside it
            double on_A = fabs(surface_distance(&A, c[k].a)), on_B = fabs(surface_distance(&B, b));
            ck_assert_msg(fmin(on_A, on_B) < 2e-3 && fmax(on_A, on_B) < 6e-3, "off by %g, %g", on_A, on_B);
            least = fmin(least, c[k].phi);
        }
        assert_close(least, found, 2e-3);
    }
    ck_assert_int_gt(several, 300);
}
END_TEST

START_TEST(derivatives_of_patches_agree_with_differences)
{
    dice d = {.seed = 61};
    int checked[3][4] = {{0}};
    for (int trial = 0; trial < 2400; trial++) {
        int i = trial % 3, j = trial / 3 % 4;
        body A = random_flat_body(&d, i), B = random_flat_body(&d, j);
        lay(&d, &A, &B);
        trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
        int count = general(&A, &B, c);
        for (int k = 0; k < count && count > 1; k++) {
            bool clear = true;
            for (int m = 0; m < count; m++) clear = clear && c[m].tie > 1e-3;
            if (!clear) continue;
            check_derivatives_of(&d, general, &A, &B, k);
            checked[i][j]++;
        }
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) ck_assert_msg(checked[i][j] > 10, "kinds %d, %d: %d", i, j, checked[i][j]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/flush");
    TCase *cases = tcase_create("flush");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_mesh_that_stands_on_a_box_has_its_four_corners);
    tcase_add_test(cases, a_cylinder_stands_on_eight_points_and_lies_on_two);
    tcase_add_test(cases, cylinders_side_by_side_touch_at_the_ends_of_their_overlap);
    tcase_add_test(cases, points_of_a_patch_are_on_one_surface_at_least_and_the_lowest_is_the_distance);
    tcase_add_test(cases, derivatives_of_patches_agree_with_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
