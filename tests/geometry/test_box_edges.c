// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Nearest points of the edges of two boxes, crossing edges, parallel edges.

#include "geometry/box_pair.h"
#include "geometry/probe.h"

static trxi_box_axis widest(const trxi_box_pair *pair)
{
    trxi_box_axis axes[TRXI_BOX_AXES];
    int count = trxi_box_edge_axes(pair, INFINITY, axes, trxi_box_face_axes(pair, INFINITY, axes)), best = 0;
    for (int k = 1; k < count; k++)
        if (axes[k].separation > axes[best].separation) best = k;
    return axes[best];
}

// least distance of 144 pairs of edges: alternating projections on each, which converge as the distance is convex
static double brute_distance(const body *A, const body *B)
{
    double best = INFINITY;
    for (int k = 0; k < 144; k++) {
        const body *b[2] = {A, B};
        int number[2] = {k / 12, k % 12};
        double x[2][3], u[2][3], h[2], s[2] = {0, 0}, w[3];
        for (int i = 0; i < 2; i++) {
            int axis = number[i] % 3;
            h[i] = b[i]->shape.size[axis] / 2;
            trxi_copy3(b[i]->R + 3 * axis, u[i]);
            trxi_copy3(b[i]->p, x[i]);
            for (int j = 1; j < 3; j++) {
                int other = (axis + j) % 3;
                trxi_axpy3((number[i] / 3 >> (j - 1) & 1 ? 0.5 : -0.5) * b[i]->shape.size[other],
                           b[i]->R + 3 * other, x[i]);
            }
        }
        for (int sweep = 0; sweep < 2000; sweep++) {
            int i = sweep % 2;
            trxi_sub3(x[1 - i], x[i], w);
            double along = trxi_dot3(w, u[i]) + s[1 - i] * trxi_dot3(u[1 - i], u[i]);
            s[i] = fmax(-h[i], fmin(h[i], along));
        }
        trxi_sub3(x[1], x[0], w);
        trxi_axpy3(s[1], u[1], w);
        trxi_axpy3(-s[0], u[0], w);
        best = fmin(best, trxi_norm3(w));
    }
    return best;
}

START_TEST(nothing_nearer_is_skipped)
{
    dice d = {.seed = 34};
    int tried = 0;
    for (int trial = 0; trial < 400 && tried < 120; trial++) {
        body A = random_body(&d, TRX_SHAPE_BOX, 0.1), B = random_body(&d, TRX_SHAPE_BOX, 0.2);
        trxi_placed_shape a = placed(&A), b = placed(&B);
        trxi_box_pair pair = trxi_box_pair_of(&a, &b);
        trxi_box_axis axis = widest(&pair);
        if (axis.separation < 1e-3) continue;
        tried++;
        trxi_box_edges e = trxi_box_nearest_edges(&pair, &axis);
        assert_close(e.distance, brute_distance(&A, &B), 1e-9);
        assert_close(trxi_norm3(e.w), e.distance, 1e-16);
        ck_assert(e.distance >= axis.separation - 1e-12);
    }
    ck_assert_int_eq(tried, 120);
}
END_TEST

START_TEST(crossing_edges_meet_along_their_common_normal)
{
    dice d = {.seed = 35};
    int crossing = 0;
    for (int trial = 0; trial < 500; trial++) {
        body A = random_body(&d, TRX_SHAPE_BOX, 0.05), B = random_body(&d, TRX_SHAPE_BOX, 0.1);
        trxi_placed_shape a = placed(&A), b = placed(&B);
        trxi_box_pair pair = trxi_box_pair_of(&a, &b);
        trxi_box_axis axis = widest(&pair);
        if (axis.a < 0 || axis.b < 0) continue;
        trxi_box_edges e = trxi_box_crossing_edges(&pair, &axis);
        for (int i = 0; i < 3; i++) assert_close(e.w[i], axis.separation * axis.n[i], 1e-12);
        bool inside = trxi_box_inside_edge(e.s, pair.A.h[e.a]) && trxi_box_inside_edge(e.t, pair.B.h[e.b]);
        // the shortest way out of an overlap is between edges that do cross
        if (axis.separation < 0) ck_assert(inside);
        crossing += inside;
    }
    ck_assert_int_ge(crossing, 50);
}
END_TEST

START_TEST(parallel_edges_that_face_each_other_have_two_ends)
{
    // corner to corner, upright, B from 0.1 m over A's middle
    body A = box_body(0.2, 0.2, 0.4), B = box_body(0.1, 0.1, 0.4);
    trxi_set3(0.18, 0.19, 0.3, B.p);
    trxi_placed_shape a = placed(&A), b = placed(&B);
    trxi_box_pair pair = trxi_box_pair_of(&a, &b);
    trxi_box_edges ends[2];
    ck_assert(trxi_box_parallel_edges(&pair, (double[]){0.6, 0.8, 0}, ends));
    for (int k = 0; k < 2; k++) {
        assert_close(ends[k].distance, 0.05, 1e-15);
        assert_below(max_difference(ends[k].x_A, (double[]){0.1, 0.1, k ? 0.2 : 0.1}, 3), 1e-15);
        assert_below(max_difference(ends[k].w, (double[]){0.03, 0.04, 0}, 3), 1e-15);
        ck_assert_int_eq(ends[k].a, 2);
        ck_assert_int_eq(ends[k].b, 2);
    }
    ck_assert(trxi_box_inside_edge(ends[0].s, 0.2) && !trxi_box_inside_edge(ends[0].t, 0.2));
    ck_assert(!trxi_box_inside_edge(ends[1].s, 0.2) && trxi_box_inside_edge(ends[1].t, 0.2));
    // refused: a direction nearly along the edges, edges that do not overlap, edges at an angle
    ck_assert(!trxi_box_parallel_edges(&pair, (double[]){0, 0.6, 0.8}, ends));
    B.p[2] = 0.45;
    pair = trxi_box_pair_of(&a, &b);
    ck_assert(!trxi_box_parallel_edges(&pair, (double[]){0.6, 0.8, 0}, ends));
    B.p[2] = 0.3;
    trxi_exp33((double[]){0.03, 0, 0}, B.R);
    pair = trxi_box_pair_of(&a, &b);
    ck_assert(!trxi_box_parallel_edges(&pair, (double[]){0.6, 0.8, 0}, ends));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/box_edges");
    TCase *cases = tcase_create("box_edges");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, nothing_nearer_is_skipped);
    tcase_add_test(cases, crossing_edges_meet_along_their_common_normal);
    tcase_add_test(cases, parallel_edges_that_face_each_other_have_two_ends);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
