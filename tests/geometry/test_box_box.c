// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Box against box and against capsule: faces, edges, corners, apart and overlapping.

#include "geometry/probe.h"

// a box turned about z and placed at p
static body turned_box(double x, double y, double z, double yaw, const double p[3])
{
    body b = box_body(x, y, z);
    trxi_exp33((double[]){0, 0, yaw}, b.R);
    trxi_copy3(p, b.p);
    return b;
}

static void turn(const double w[3], body *b)
{
    double by[9], R[9];
    trxi_exp33(w, by);
    trxi_mul33(by, b->R, R);
    for (int i = 0; i < 9; i++) b->R[i] = R[i];
}

static double brute_distance(const body *A, const body *B);

START_TEST(a_box_flat_on_a_table_touches_with_its_four_corners)
{
    body table = box_body(1, 2, 0.1), box = turned_box(0.1, 0.2, 0.3, 0.3, (double[]){0.1, -0.3, 0.199});
    trxi_contact_point c[8];
    for (int swapped = 0; swapped < 2; swapped++) {
        ck_assert_int_eq(swapped ? collide(&box, &table, c) : collide(&table, &box, c), 4);
        for (int k = 0; k < 4; k++) {
            assert_close(c[k].phi, -0.001, 1e-15);
            assert_close(c[k].n[2], swapped ? -1 : 1, 1e-15);
            double offset[3], l[3];
            trxi_sub3(c[k].a, box.p, offset);
            trxi_mulv3_t(box.R, offset, l);
            assert_close(fabs(l[0]), 0.05, 1e-15);
            assert_close(fabs(l[1]), 0.1, 1e-15);
            assert_close(c[k].a[2], swapped ? 0.049 : 0.05, 1e-15);
            ck_assert(!c[k].sliding);
            for (int j = 0; j < k; j++) ck_assert_int_lt(c[j].feature, c[k].feature);
        }
    }
}
END_TEST

START_TEST(equal_boxes_stacked_with_an_offset_touch_at_the_corners_of_the_overlap)
{
    body A = box_body(0.1, 0.1, 0.1), B = turned_box(0.1, 0.1, 0.1, 0, (double[]){0.03, 0.02, 0.1005});
    trxi_contact_point c[8];
    ck_assert_int_eq(collide(&A, &B, c), 4);
    int seen = 0, sliding = 0;
    for (int k = 0; k < 4; k++) {
        assert_close(c[k].phi, 0.0005, 1e-15);
        bool left = c[k].a[0] < 0.01, lower = c[k].a[1] < 0.01;
        assert_close(c[k].a[0], left ? -0.02 : 0.05, 1e-15);
        assert_close(c[k].a[1], lower ? -0.03 : 0.05, 1e-15);
        seen |= 1 << (left + 2 * lower);
        sliding += c[k].sliding;
    }
    ck_assert_int_eq(seen, 15);
    // a corner of B, a corner of A, and two crossings
    ck_assert_int_eq(sliding, 3);

    // without the offset the corners of B count as over A, however round-off places them
    trxi_zero3(B.p);
    for (int trial = 0; trial < 5; trial++) {
        trxi_set3(trial * 1e-16, -trial * 1e-9, 0.0999, B.p);
        ck_assert_int_eq(collide(&A, &B, c), 4);
        for (int k = 0; k < 4; k++) ck_assert(!c[k].sliding);
    }
}
END_TEST

START_TEST(an_eighth_turn_gives_eight_points)
{
    const double pi = 3.14159265358979323846;
    body A = box_body(0.1, 0.1, 0.1), B = turned_box(0.1, 0.1, 0.1, pi / 4, (double[]){0, 0, 0.0999});
    trxi_contact_point c[8];
    ck_assert_int_eq(collide(&A, &B, c), 8);
    double side = 0.05 * (sqrt(2) - 1);
    for (int k = 0; k < 8; k++) {
        assert_close(c[k].phi, -1e-4, 1e-15);
        assert_close(fmax(fabs(c[k].a[0]), fabs(c[k].a[1])), 0.05, 1e-15);
        assert_close(fmin(fabs(c[k].a[0]), fabs(c[k].a[1])), side, 1e-15);
        ck_assert(c[k].sliding);
    }
}
END_TEST

START_TEST(an_edge_a_corner_and_crossed_edges_over_a_face)
{
    body table = box_body(1, 1, 0.1), box = box_body(0.1, 0.1, 0.1);
    trxi_contact_point c[8];
    trxi_placed_shape a = placed(&table), b = placed(&box);
    // leaning by 0.6 rad on one edge
    turn((double[]){0, 0.6, 0}, &box);
    box.p[2] = 0.05 + 0.05 * (cos(0.6) + sin(0.6)) - 1e-4;
    ck_assert_int_eq(trxi_collide(&a, &b, 0.01, true, c), 2);
    for (int k = 0; k < 2; k++) {
        assert_close(c[k].phi, -1e-4, 1e-15);
        assert_close(fabs(c[k].a[1]), 0.05, 1e-15);
    }
    // then on one corner
    turn((double[]){0.7, 0, 0}, &box);
    ck_assert_int_eq(trxi_collide(&a, &b, 0.01, true, c), 1);
    ck_assert(!c->sliding);
    double height = INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        double z = box.p[2];
        for (int i = 0; i < 3; i++) z += (corner >> i & 1 ? 0.05 : -0.05) * box.R[3 * i + 2];
        height = fmin(height, z - 0.05);
    }
    assert_close(c->phi, height, 1e-15);

    // two edges that cross at a right angle, each leaning by an eighth of a turn
    const double pi = 3.14159265358979323846;
    body A = box_body(0.2, 0.2, 0.2), B = box_body(0.2, 0.2, 0.2);
    turn((double[]){pi / 4, 0, 0}, &A);
    turn((double[]){0, pi / 4, 0}, &B);
    for (int apart = 0; apart < 2; apart++) {
        double gap = apart ? 0.003 : -0.003;
        trxi_set3(0.02, 0.03, 0.2 * sqrt(2) + gap, B.p);
        ck_assert_int_eq(collide(&A, &B, c), 1);
        assert_close(c->phi, gap, 1e-15);
        assert_below(max_difference(c->n, (double[]){0, 0, 1}, 3), 1e-15);
        assert_below(max_difference(c->a, (double[]){0.02, 0, 0.1 * sqrt(2)}, 3), 1e-15);
        ck_assert(max_magnitude(c->dn_dtheta, 9) > 0.9);
    }
}
END_TEST

START_TEST(the_points_of_a_turned_box_span_the_common_area)
{
    dice d = {.seed = 20};
    for (int trial = 0; trial < 200; trial++) {
        double w = uniform(&d, 0.05, 0.2), l = uniform(&d, 0.05, 0.2), yaw = uniform(&d, -3, 3);
        double p[3] = {uniform(&d, -0.05, 0.05), uniform(&d, -0.05, 0.05), 0.0995};
        body A = box_body(0.1, 0.1, 0.1), B = turned_box(w, l, 0.1, yaw, p);
        trxi_contact_point c[8];
        int count = collide(&A, &B, c);
        ck_assert_int_ge(count, 3);
        // the points by their angle about their middle
        double middle[2] = {0, 0}, angle[8];
        for (int k = 0; k < count; k++)
            for (int i = 0; i < 2; i++) middle[i] += c[k].a[i] / count;
        int order[8];
        for (int k = 0; k < count; k++) {
            assert_close(c[k].phi, -0.0005, 1e-15);
            angle[k] = atan2(c[k].a[1] - middle[1], c[k].a[0] - middle[0]);
            int j = k;
            for (; j > 0 && angle[order[j - 1]] > angle[k]; j--) order[j] = order[j - 1];
            order[j] = k;
        }
        double area = 0;
        for (int k = 0; k < count; k++) {
            const double *x = c[order[k]].a, *y = c[order[(k + 1) % count]].a;
            area += (x[0] * y[1] - y[0] * x[1]) / 2;
        }
        // strips of A's face along y: the sides of B bound each strip
        double common = 0;
        const int strips = 10000;
        for (int k = 0; k < strips; k++) {
            double x = -0.05 + (k + 0.5) * 0.1 / strips - p[0], lo = -0.05 - p[1], hi = 0.05 - p[1];
            for (int side = 0; side < 4; side++) {
                // side normal m, offset h: m . (x, y) <= h
                double at = yaw + side * 1.57079632679489661923, h = (side % 2 ? l : w) / 2, m[2] = {cos(at), sin(at)};
                double y = (h - m[0] * x) / m[1];
                if (m[1] > 0) hi = fmin(hi, y);
                else lo = fmax(lo, y);
            }
            common += fmax(0, hi - lo) * 0.1 / strips;
        }
        assert_close(area, common, 2e-5);
    }
}
END_TEST

START_TEST(a_capsule_along_a_face_touches_at_both_ends_of_what_lies_on_it)
{
    body box = box_body(0.2, 0.2, 0.2), capsule = capsule_body(0.02, 0.1);
    trxi_contact_point c[2];
    trxi_exp33((double[]){0, 1.57079632679489661923, 0}, capsule.R);
    trxi_set3(0.01, 0.05, 0.1199, capsule.p);
    ck_assert_int_eq(collide(&box, &capsule, c), 2);
    for (int k = 0; k < 2; k++) {
        assert_close(c[k].phi, -1e-4, 1e-15);
        assert_below(max_difference(c[k].a, (double[]){k ? 0.06 : -0.04, 0.05, 0.1}, 3), 1e-15);
        ck_assert(!c[k].sliding);
    }
    // the capsule reaches beyond a side of the face: one contact lies over this side
    capsule.p[0] = 0.09;
    ck_assert_int_eq(collide(&box, &capsule, c), 2);
    for (int k = 0; k < 2; k++) {
        assert_close(c[k].phi, -1e-4, 1e-15);
        assert_close(c[k].a[0], c[k].sliding ? 0.1 : 0.04, 1e-15);
    }
    // an upright capsule has one contact with a face, an edge or a corner
    trxi_placed_shape a = placed(&box), b = placed(&capsule);
    trxi_identity33(capsule.R);
    trxi_set3(0.03, 0.02, 0.17, capsule.p);
    ck_assert_int_eq(trxi_collide(&a, &b, 0.05, true, c), 1);
    assert_close(c->phi, 0, 1e-15);
    assert_below(max_difference(c->a, (double[]){0.03, 0.02, 0.1}, 3), 1e-15);
    trxi_set3(0.13, 0.02, 0.19, capsule.p);
    ck_assert_int_eq(trxi_collide(&a, &b, 0.05, true, c), 1);
    assert_close(c->phi, 0.03, 1e-15);
    assert_below(max_difference(c->n, (double[]){0.6, 0, 0.8}, 3), 1e-14);
    trxi_set3(0.13, 0.14, 0.15 + 0.12, capsule.p);
    ck_assert_int_eq(trxi_collide(&a, &b, 0.2, true, c), 1);
    assert_close(c->phi, 0.13 - 0.02, 1e-15);
    assert_below(max_difference(c->a, (double[]){0.1, 0.1, 0.1}, 3), 1e-15);
    // with its axis inside, the nearest face pushes it out
    trxi_set3(0.09, 0.01, 0, capsule.p);
    ck_assert_int_eq(collide(&box, &capsule, c), 2);
    for (int k = 0; k < 2; k++) {
        assert_close(c[k].phi, -0.03, 1e-15);
        assert_below(max_difference(c[k].n, (double[]){1, 0, 0}, 3), 1e-15);
    }
}
END_TEST

START_TEST(crossed_planks_keep_four_points_while_they_lean_little)
{
    for (int lean = 0; lean < 2; lean++) {
        body A = box_body(1, 0.1, 0.02), B = box_body(0.1, 1, 0.02);
        double angle = lean ? 0.015 : 0.035;
        turn((double[]){angle, 0.7 * angle, 0}, &B);
        B.p[2] = 0.022;
        trxi_contact_point c[8];
        int count = collide(&A, &B, c);
        if (!lean) {
            // the lowest of the four crossings alone
            ck_assert_int_eq(count, 1);
            continue;
        }
        ck_assert_int_eq(count, 4);
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 4; k++) {
            ck_assert(c[k].sliding);
            assert_close(fabs(c[k].a[1]), 0.05, 1e-15);
            assert_close(c[k].n[2], 1, 1e-15);
            low = fmin(low, c[k].phi), high = fmax(high, c[k].phi);
        }
        assert_close(low, brute_distance(&A, &B), 1e-3 * fabs(low) + 1e-6);
        assert_close(high - low, 0.1 * 1.7 * angle, 1e-5);
    }
}
END_TEST

START_TEST(edges_that_stand_beside_each_other_have_two_points)
{
    // corner to corner, upright
    body A = box_body(0.2, 0.2, 0.4), B = box_body(0.1, 0.1, 0.4);
    trxi_set3(0.18, 0.19, 0.3, B.p);
    trxi_contact_point c[8];
    dice d = {.seed = 26};
    for (int rounded = 0; rounded < 2; rounded++) {
        A.shape.rounding = B.shape.rounding = 0.01 * rounded;
        ck_assert_int_eq(collide(&A, &B, c), 2);
        for (int k = 0; k < 2; k++) {
            assert_close(c[k].phi, 0.05 - 0.02 * rounded, 1e-15);
            assert_below(max_difference(c[k].n, (double[]){0.6, 0.8, 0}, 3), 1e-14);
            assert_close(c[k].a[2], k ? 0.2 : 0.1, 1e-15);
            check_derivatives(&d, &A, &B, k);
        }
    }
    // a capsule beside an edge
    body capsule = capsule_body(0.02, 0.3);
    trxi_set3(0.13, -0.14, 0.1, capsule.p);
    ck_assert_int_eq(collide(&A, &capsule, c), 2);
    for (int k = 0; k < 2; k++) {
        assert_close(c[k].phi, 0.05 - 0.03, 1e-15);
        check_derivatives(&d, &A, &capsule, k);
    }
}
END_TEST

// a corner of a box, rounding aside
static void corner_of(const body *b, int corner, double x[3])
{
    trxi_copy3(b->p, x);
    for (int i = 0; i < 3; i++) trxi_axpy3((corner >> i & 1 ? 0.5 : -0.5) * b->shape.size[i], b->R + 3 * i, x);
}

// least distance of the edges of A from B, by golden section on each (the distance from a convex body is convex)
static double least_over_edges(const body *A, const body *B)
{
    const double golden = 0.61803398874989484820;
    double best = INFINITY;
    for (int edge = 0; edge < 12; edge++) {
        int axis = edge % 3, corner = 0;
        for (int k = 0; k < 2; k++) corner |= (edge / 3 >> k & 1) << ((axis + 1 + k) % 3);
        double from[3], to[3], lo = 0, hi = 1;
        corner_of(A, corner, from);
        corner_of(A, corner | 1 << axis, to);
        for (int k = 0; k < 70; k++) {
            double f[2], at[2] = {hi - golden * (hi - lo), lo + golden * (hi - lo)};
            for (int i = 0; i < 2; i++) {
                double x[3];
                for (int j = 0; j < 3; j++) x[j] = from[j] + at[i] * (to[j] - from[j]);
                f[i] = surface_distance(B, x);
                best = fmin(best, f[i]);
            }
            if (f[0] < f[1]) hi = at[1];
            else lo = at[0];
        }
    }
    return best;
}

// the axis of a capsule as a box without width
static body as_box(const body *b)
{
    body box = *b;
    if (b->shape.type == TRX_SHAPE_CAPSULE) {
        box.shape.type = TRX_SHAPE_BOX;
        trxi_set3(0, 0, b->shape.length, box.shape.size);
        box.shape.rounding = b->shape.radius;
    }
    return box;
}

static double brute_distance(const body *A, const body *B)
{
    body a = as_box(A), b = as_box(B);
    double swept = a.shape.rounding + b.shape.rounding;
    a.shape.rounding = b.shape.rounding = 0;
    return fmin(least_over_edges(&a, &b), least_over_edges(&b, &a)) - swept;
}

static int lowest(const trxi_contact_point *c, int count)
{
    int least = 0;
    for (int k = 1; k < count; k++)
        if (c[k].phi < c[least].phi) least = k;
    return least;
}

// gap between two bodies along a direction
static double gap_along(const body *A, const body *B, const double n[3])
{
    body a = as_box(A), b = as_box(B);
    double w[3];
    trxi_sub3(B->p, A->p, w);
    double gap = trxi_dot3(w, n) - a.shape.rounding - b.shape.rounding;
    for (int i = 0; i < 3; i++) {
        gap -= 0.5 * a.shape.size[i] * fabs(trxi_dot3(a.R + 3 * i, n));
        gap -= 0.5 * b.shape.size[i] * fabs(trxi_dot3(b.R + 3 * i, n));
    }
    return gap;
}

// whether an edge of one, or the capsule, is parallel to a face of the other to 0.02 rad
static bool an_edge_lies_along_a_face(const body *A, const body *B)
{
    bool along = false;
    for (int i = 0; i < 3; i++)
        for (int j = B->shape.type == TRX_SHAPE_CAPSULE ? 2 : 0; j < 3; j++)
            along |= fabs(trxi_dot3(A->R + 3 * i, B->R + 3 * j)) < 0.02;
    return along;
}

START_TEST(the_least_phi_of_bodies_apart_is_their_distance)
{
    dice d = {.seed = 21};
    int apart = 0;
    for (int trial = 0; trial < SAMPLES(4000); trial++) {
        body A = random_body(&d, TRX_SHAPE_BOX, 0.1);
        body B = random_body(&d, trial % 3 ? TRX_SHAPE_BOX : TRX_SHAPE_CAPSULE, 0.15);
        if (trial % 2) A.shape.rounding = uniform(&d, 0, 0.02), B.shape.rounding = uniform(&d, 0, 0.02);
        double swept = A.shape.rounding + (B.shape.type == TRX_SHAPE_BOX ? B.shape.rounding : B.shape.radius);
        trxi_contact_point c[8];
        int count = collide(&A, &B, c);
        ck_assert_int_ge(count, 1);
        const trxi_contact_point *first = c + lowest(c, count);
        if (first->phi + swept < 1e-9) continue;
        bool parallel = an_edge_lies_along_a_face(&A, &B);
        assert_close(first->phi, brute_distance(&A, &B), parallel ? 1e-3 * (first->phi + swept) + 1e-6 : 1e-12);
        if (!parallel) check_witnesses(&A, &B, 1e-12, first);
        apart++;
    }
    ck_assert_int_ge(apart, SAMPLES(1000));
}
END_TEST

START_TEST(the_least_phi_of_cores_that_overlap_is_the_shortest_way_out)
{
    dice d = {.seed = 22};
    int overlapping = 0;
    for (int trial = 0; trial < SAMPLES(3000); trial++) {
        body A = random_body(&d, TRX_SHAPE_BOX, 0.05);
        body B = random_body(&d, trial % 3 ? TRX_SHAPE_BOX : TRX_SHAPE_CAPSULE, 0.05);
        double swept = B.shape.type == TRX_SHAPE_BOX ? 0 : B.shape.radius;
        trxi_contact_point c[8];
        int count = collide(&A, &B, c);
        ck_assert_int_ge(count, 1);
        const trxi_contact_point *first = c + lowest(c, count);
        if (first->phi + swept > 0 || an_edge_lies_along_a_face(&A, &B)) continue;
        assert_close(first->phi, gap_along(&A, &B, first->n), 1e-12);
        // no other direction is shorter
        for (int k = 0; k < 300; k++) {
            double n[3];
            random_direction(&d, n);
            ck_assert(gap_along(&A, &B, n) < first->phi + 1e-12);
        }
        overlapping++;
    }
    ck_assert_int_ge(overlapping, SAMPLES(500));
}
END_TEST

START_TEST(derivatives_agree_with_differences_for_every_kind_of_point)
{
    dice d = {.seed = 23};
    // kinds of points. On a face of A, then of B: corner, edge over side, corner under the face. Then corners and edges of both
    int seen[10] = {0};
    for (int trial = 0; trial < 20000; trial++) {
        body A = random_body(&d, TRX_SHAPE_BOX, 0.05), B = random_body(&d, TRX_SHAPE_BOX, trial % 3 ? 0.1 : 0.3);
        if (trial % 2) A.shape.rounding = uniform(&d, 0, 0.02), B.shape.rounding = uniform(&d, 0, 0.02);
        trxi_contact_point c[8];
        int count = collide(&A, &B, c);
        for (int k = 0; k < count; k++) {
            int local = c[k].feature % 256, sharp = c[k].feature - 12 * 256, face = c[k].feature / (6 * 256);
            int kind = sharp >= 0 ? 6 + (sharp / 20 >= 8) + 2 * (sharp % 20 >= 8)
                                  : 3 * face + (local >= 152 ? 2 : local >= 8 ? 1 : 0);
            double d_core = c[k].phi + A.shape.rounding + B.shape.rounding;
            if (c[k].tie < 3e-3 || seen[kind] >= 60) continue;
            if (kind >= 6 && kind < 9 && fabs(d_core) < 0.02) continue;
            seen[kind]++;
            check_derivatives(&d, &A, &B, k);
            ck_assert(c[k].sliding == (kind < 6 && kind % 3 != 0));
            if (c[k].sliding) ck_assert(max_magnitude(c[k].dphi_dx, 3) > 1e-6);
        }
    }
    for (int k = 0; k < 10; k++) ck_assert_msg(seen[k] >= 30, "kind %d: %d", k, seen[k]);
}
END_TEST

// a pose with round numbers, or nearly so: parallel and touching faces, edges and corners abound
static void round_pose(dice *d, body *b)
{
    static const double angles[4] = {0, 0.78539816339744830962, 1.57079632679489661923, 3.14159265358979323846};
    static const double noises[5] = {0, 1e-15, 1e-10, 1e-6, 1e-3};
    double noise = noises[(int)uniform(d, 0, 5)], w[3];
    trxi_identity33(b->R);
    for (int i = 0; i < 3; i++) {
        double axis[3] = {0, 0, 0};
        axis[i] = angles[(int)uniform(d, 0, 4)];
        turn(axis, b);
        b->p[i] = 0.05 * (int)uniform(d, -4, 5) + uniform(d, -noise, noise);
        b->shape.size[i] = 0.1 * (1 + (int)uniform(d, 0, 3));
        w[i] = uniform(d, -noise, noise);
    }
    turn(w, b);
    b->shape.length = 0.1 * (1 + (int)uniform(d, 0, 3));
    b->shape.radius = 0.05;
    b->shape.rounding = uniform(d, 0, 1) < 0.5 ? 0 : 0.05;
}

START_TEST(derivatives_with_a_capsule_agree_with_differences)
{
    dice d = {.seed = 25};
    // end over a face, axis over a side of a face; corner and edge of the box with end and axis
    int seen[6] = {0};
    for (int trial = 0; trial < 6000; trial++) {
        body A = random_body(&d, TRX_SHAPE_BOX, 0.05), B = random_body(&d, TRX_SHAPE_CAPSULE, trial % 3 ? 0.1 : 0.3);
        if (trial % 2) A.shape.rounding = uniform(&d, 0, 0.02);
        trxi_contact_point c[2];
        int count = collide(&A, &B, c);
        for (int k = 0; k < count; k++) {
            int local = c[k].feature % 256, sharp = c[k].feature - 12 * 256;
            int kind = sharp >= 0 ? 2 + (sharp / 20 >= 8) + 2 * (sharp % 20 >= 8) : local >= 8;
            double d_core = c[k].phi + A.shape.rounding + B.shape.radius;
            if (c[k].tie < 3e-3 || seen[kind] >= 60 || (kind >= 2 && kind < 5 && fabs(d_core) < 0.02)) continue;
            seen[kind]++;
            check_derivatives(&d, &A, &B, k);
            ck_assert(c[k].sliding == (kind == 1));
        }
    }
    for (int k = 0; k < 6; k++) ck_assert_msg(seen[k] >= 30, "kind %d: %d", k, seen[k]);
}
END_TEST

START_TEST(contacts_move_with_the_whole_scene)
{
    dice d = {.seed = 27};
    for (int trial = 0; trial < 300; trial++) {
        body A = random_body(&d, TRX_SHAPE_BOX, 0.1);
        body B = random_body(&d, trial % 3 ? TRX_SHAPE_BOX : TRX_SHAPE_CAPSULE, 0.1);
        check_invariance(&d, &A, &B);
    }
}
END_TEST

START_TEST(every_pose_has_finite_points_and_derivatives)
{
    dice d = {.seed = 24};
    int most = 0;
    for (int trial = 0; trial < SAMPLES(100000); trial++) {
        trx_shape_type type = trial % 3 ? TRX_SHAPE_BOX : TRX_SHAPE_CAPSULE;
        body A = random_body(&d, TRX_SHAPE_BOX, 0.1), B = random_body(&d, type, 0.1);
        if (trial % 2) round_pose(&d, &A), round_pose(&d, &B);
        trxi_contact_point c[8];
        int count = collide(&A, &B, c);
        ck_assert(count >= 1 && count <= trxi_max_points(TRX_SHAPE_BOX, type));
        most = count > most ? count : most;
        for (int k = 0; k < count; k++) {
            const double *parts[6] = {c[k].n, c[k].a, c[k].dn_dtheta, c[k].dn_dx, c[k].da_dtheta, c[k].da_dx};
            for (int i = 0; i < 6; i++) ck_assert(isfinite(max_magnitude(parts[i], i < 2 ? 3 : 9)));
            ck_assert(isfinite(c[k].phi) && c[k].tie >= 0);
            if (c[k].sliding) ck_assert(isfinite(max_magnitude(c[k].dphi_dx, 3) + max_magnitude(c[k].dphi_dtheta, 3)));
            for (int j = 0; j < k; j++) ck_assert_int_ne(c[j].feature, c[k].feature);
        }
        if (trial % 10 && trial % 10 != 5) continue;
        // the least phi is a distance, or a way out, to the accuracy that parallel faces and edges allow
        double least = c[lowest(c, count)].phi, gap = gap_along(&A, &B, c[lowest(c, count)].n);
        double swept = A.shape.rounding + (type == TRX_SHAPE_BOX ? B.shape.rounding : B.shape.radius);
        if (least + swept > 1e-9) assert_close(least, brute_distance(&A, &B), 1.1e-3 * (least + swept) + 1e-6);
        else ck_assert(least > gap - 1e-9 && least < gap + 3e-3);
    }
    ck_assert_int_eq(most, 8);
}
END_TEST

// corners and edges at the distance 0 do not define a normal: the chosen normal is constant, derivatives are finite
START_TEST(features_that_just_meet_have_finite_derivatives)
{
    dice d = {77, 0};
    int met = 0;
    for (int i = 0; i < 2000; i++) {
        body A = box_body(0.1, 0.12, 0.08), B = box_body(0.06, 0.1, 0.14);
        double corner[3] = {0.05, 0.06, 0.04}, other[3] = {-0.03, -0.05, -0.07}, arm[3];
        if (i % 2) corner[2] = uniform(&d, -0.03, 0.03); // a point of A's edge
        double turn[3];
        random_vector(&d, 0.3, turn);
        trxi_exp33(turn, B.R);
        trxi_mulv3(B.R, other, arm);
        trxi_sub3(corner, arm, B.p);
        trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
        int count = collide(&A, &B, points);
        for (int k = 0; k < count; k++) {
            met += fabs(points[k].phi) < 1e-14;
            for (int j = 0; j < 9; j++) {
                ck_assert(isfinite(points[k].dn_dx[j]) && isfinite(points[k].da_dx[j]));
                ck_assert(isfinite(points[k].dn_dtheta[j]) && isfinite(points[k].da_dtheta[j]));
            }
        }
    }
    ck_assert_int_gt(met, 500);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/box_box");
    TCase *cases = tcase_create("box_box");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_box_flat_on_a_table_touches_with_its_four_corners);
    tcase_add_test(cases, equal_boxes_stacked_with_an_offset_touch_at_the_corners_of_the_overlap);
    tcase_add_test(cases, an_eighth_turn_gives_eight_points);
    tcase_add_test(cases, an_edge_a_corner_and_crossed_edges_over_a_face);
    tcase_add_test(cases, the_points_of_a_turned_box_span_the_common_area);
    tcase_add_test(cases, a_capsule_along_a_face_touches_at_both_ends_of_what_lies_on_it);
    tcase_add_test(cases, crossed_planks_keep_four_points_while_they_lean_little);
    tcase_add_test(cases, edges_that_stand_beside_each_other_have_two_points);
    tcase_add_test(cases, the_least_phi_of_bodies_apart_is_their_distance);
    tcase_add_test(cases, the_least_phi_of_cores_that_overlap_is_the_shortest_way_out);
    tcase_add_test(cases, derivatives_agree_with_differences_for_every_kind_of_point);
    tcase_add_test(cases, derivatives_with_a_capsule_agree_with_differences);
    tcase_add_test(cases, contacts_move_with_the_whole_scene);
    tcase_add_test(cases, every_pose_has_finite_points_and_derivatives);
    tcase_add_test(cases, features_that_just_meet_have_finite_derivatives);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
