// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Separations of two boxes along the axes that can separate them.

#include "geometry/box_pair.h"
#include "geometry/probe.h"

START_TEST(aligned_boxes_have_the_gaps_of_their_faces_and_no_axes_of_parallel_edges)
{
    body A = box_body(0.2, 0.4, 0.6), B = box_body(0.1, 0.1, 0.1);
    trxi_set3(0.25, -0.1, 0.32, B.p);
    trxi_placed_shape a = placed(&A), b = placed(&B);
    trxi_box_pair pair = trxi_box_pair_of(&a, &b);
    assert_close(pair.least, 0.05, 1e-16);
    trxi_box_axis axes[TRXI_BOX_AXES];
    ck_assert_int_eq(trxi_box_face_axes(&pair, 1, axes), TRXI_BOX_FACE_AXES);
    const double gaps[3] = {0.1, -0.15, -0.03};
    for (int i = 0; i < 3; i++) {
        assert_close(axes[i].separation, gaps[i], 1e-15);
        assert_close(axes[i + 3].separation, gaps[i], 1e-15);
        assert_close(axes[i].n[i], i == 1 ? -1 : 1, 0);
        assert_below(max_difference(axes[i].n, axes[i + 3].n, 3), 1e-16);
    }
    // six pairs of edges at right angles, three parallel ones
    ck_assert_int_eq(trxi_box_edge_axes(&pair, 1, axes, 6), 12);
    // the search ends at the first axis whose separation exceeds the margin
    ck_assert_int_eq(trxi_box_face_axes(&pair, 0.1, axes), 0);
    ck_assert_int_eq(trxi_box_face_axes(&pair, 0.1001, axes), 6);
}
END_TEST

// gap along a unit vector (world) by the corners of both
static double gap_of_corners(const body *A, const body *B, const double n[3])
{
    double most = -INFINITY, least = INFINITY;
    for (int corner = 0; corner < 8; corner++)
        for (int of_B = 0; of_B < 2; of_B++) {
            const body *b = of_B ? B : A;
            double x[3];
            trxi_copy3(b->p, x);
            for (int i = 0; i < 3; i++) trxi_axpy3((corner >> i & 1 ? 0.5 : -0.5) * b->shape.size[i], b->R + 3 * i, x);
            if (of_B) least = fmin(least, trxi_dot3(x, n));
            else most = fmax(most, trxi_dot3(x, n));
        }
    return least - most;
}

START_TEST(each_separation_is_the_gap_between_the_corners_along_its_axis)
{
    dice d = {.seed = 33};
    for (int trial = 0; trial < 300; trial++) {
        body A = random_body(&d, TRX_SHAPE_BOX, 0.1), B = random_body(&d, TRX_SHAPE_BOX, 0.1);
        trxi_placed_shape a = placed(&A), b = placed(&B);
        trxi_box_pair pair = trxi_box_pair_of(&a, &b);
        trxi_box_axis axes[TRXI_BOX_AXES];
        int count = trxi_box_edge_axes(&pair, INFINITY, axes, trxi_box_face_axes(&pair, INFINITY, axes));
        ck_assert_int_eq(count, 15);
        for (int k = 0; k < count; k++) {
            double n[3];
            trxi_mulv3(A.R, axes[k].n, n);
            assert_close(trxi_norm3(n), 1, 1e-13);
            assert_close(axes[k].separation, gap_of_corners(&A, &B, n), 1e-13);
            if (axes[k].a >= 0 && axes[k].b >= 0) {
                assert_close(trxi_dot3(n, A.R + 3 * axes[k].a), 0, 1e-13);
                assert_close(trxi_dot3(n, B.R + 3 * axes[k].b), 0, 1e-13);
            }
        }
    }
}
END_TEST

START_TEST(a_segment_has_no_faces)
{
    body A = box_body(0.2, 0.2, 0.2), B = capsule_body(0.05, 0.3);
    trxi_set3(0.3, 0, 0, B.p);
    trxi_placed_shape a = placed(&A), b = placed(&B);
    trxi_box_pair pair = trxi_box_pair_of(&a, &b);
    trxi_box_axis axes[TRXI_BOX_AXES];
    ck_assert_int_eq(trxi_box_face_axes(&pair, 1, axes), 3);
    assert_close(axes[0].separation, 0.2, 1e-15);
    assert_close(axes[2].separation, -0.25, 1e-15);
    ck_assert_int_eq(trxi_box_edge_axes(&pair, 1, axes, 3), 5);
    assert_close(pair.least, 0.1, 1e-16);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/box_axes");
    TCase *cases = tcase_create("box_axes");
    tcase_add_test(cases, aligned_boxes_have_the_gaps_of_their_faces_and_no_axes_of_parallel_edges);
    tcase_add_test(cases, each_separation_is_the_gap_between_the_corners_along_its_axis);
    tcase_add_test(cases, a_segment_has_no_faces);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
