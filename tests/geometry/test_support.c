// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Support points and supporting faces of cores.

#include "geometry/support.h"

#include "geometry/probe.h"
#include "geometry/small_hull.h"

static const trx_shape_type types[] = {TRX_SHAPE_MESH,      TRX_SHAPE_BOX,     TRX_SHAPE_CYLINDER,
                                       TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE};
enum { TYPES = 6 };

// the body without rounding and radius: its surface is the surface of its core
static body bare(const body *b)
{
    body out = *b;
    out.shape.rounding = 0;
    if (b->shape.type == TRX_SHAPE_CAPSULE || b->shape.type == TRX_SHAPE_SPHERE) out.shape.radius = 0;
    return out;
}

START_TEST(no_point_of_the_core_is_farther_than_the_support_point)
{
    dice d = {.seed = 31};
    for (int trial = 0; trial < 600; trial++) {
        body b = random_body(&d, types[trial % TYPES], 0.2), core_body = bare(&b);
        trxi_placed_shape shape = placed(&b);
        trxi_core core = trxi_core_of(&shape);
        double n[3], x[3];
        random_direction(&d, n);
        trxi_core_support(&core, 0, n, x);
        // on the surface, and everything beyond the plane through it is outside
        assert_close(surface_distance(&core_body, x), 0, 1e-12);
        for (int k = 0; k < 50; k++) {
            double y[3], t[3];
            random_vector(&d, 0.1, t);
            trxi_axpy3(1e-9 - trxi_dot3(t, n), n, t);
            trxi_add3(x, t, y);
            ck_assert_msg(surface_distance(&core_body, y) > 0, "kind %d", core.kind);
        }
        double arm[3];
        trxi_sub3(x, b.p, arm);
        ck_assert(trxi_norm3(arm) <= trxi_core_size(&core) * (1 + 1e-12));
        ck_assert(core.radius == (b.shape.type >= TRX_SHAPE_CAPSULE ? b.shape.radius : b.shape.rounding));
    }
}
END_TEST

START_TEST(a_hull_is_climbed_to_its_farthest_vertex_from_everywhere)
{
    dice d = {.seed = 32};
    for (int trial = 0; trial < 100; trial++) {
        body b = random_body(&d, TRX_SHAPE_MESH, 0);
        const trxi_hull *hull = b.shape.hull;
        double n[3], most = -INFINITY;
        random_direction(&d, n);
        for (int i = 0; i < hull->nvertex; i++) most = fmax(most, trxi_dot3(hull->vertices + 3 * i, n));
        for (int i = 0; i < hull->nvertex; i++)
            ck_assert(trxi_dot3(hull->vertices + 3 * trxi_hull_climb(hull, i, n), n) == most);
    }
}
END_TEST

// all points of the face are on the surface and equally far along its normal
static void check_face(const body *b, const double d[3], double sine, const trxi_face *face)
{
    body core_body = bare(b);
    ck_assert_int_ge(face->count, 1);
    ck_assert_int_le(face->count, TRXI_MAX_FACE_POINTS);
    for (int k = 0; k < face->count; k++) {
        // x: a point of the side of a cylinder is the point of its axis, moved by the radius along d
        double across[3], x[3];
        trxi_copy3(d, across);
        trxi_axpy3(-trxi_dot3(d, face->axis), face->axis, across);
        trxi_normalize3(across, across);
        trxi_copy3(face->x[k], x);
        trxi_axpy3(face->ring, across, x);
        assert_close(surface_distance(&core_body, x), 0, 1e-12);
    }
    if (face->count == 2) {
        assert_close(trxi_norm3(face->axis), 1, 1e-14);
        ck_assert(fabs(trxi_dot3(face->axis, d)) <= sine + 1e-12);
    }
    if (face->count < 3) return;
    double cross[3];
    trxi_cross3(face->normal, d, cross);
    assert_close(trxi_norm3(face->normal), 1, 1e-14);
    ck_assert(trxi_norm3(cross) <= sine + 1e-12 && trxi_dot3(face->normal, d) > 0);
    for (int k = 0; k < face->count; k++) {
        double e[3], f[3];
        trxi_sub3(face->x[(k + 1) % face->count], face->x[k], e);
        trxi_sub3(face->x[(k + 2) % face->count], face->x[k], f);
        trxi_cross3(e, f, cross);
        assert_close(trxi_dot3(e, face->normal), 0, 1e-9);
        ck_assert_msg(trxi_dot3(cross, face->normal) > 0, "not counterclockwise");
    }
}

START_TEST(supporting_faces_are_pieces_of_the_surface_within_the_angle)
{
    dice d = {.seed = 33};
    int counts[TRXI_MAX_FACE_POINTS + 1] = {0};
    for (int trial = 0; trial < 3000; trial++) {
        body b = random_body(&d, types[trial % TYPES], 0.2);
        trxi_placed_shape shape = placed(&b);
        trxi_core core = trxi_core_of(&shape);
        trxi_face face;
        double n[3];
        random_direction(&d, n);
        // towards one of the core's axes half of the time
        if (uniform(&d, 0, 1) < 0.5) trxi_axpy3(30, b.R + 3 * (trial / TYPES % 3), n);
        trxi_normalize3(n, n);
        double sine = uniform(&d, 0, 0.2);
        trxi_supporting_face(&core, n, sine, &face);
        check_face(&b, n, sine, &face);
        ck_assert(face.radius == core.radius && face.feature < trxi_core_features(&core));
        counts[face.count]++;
    }
    ck_assert(counts[1] > 100 && counts[2] > 100 && counts[3] > 10 && counts[4] > 50 && counts[8] > 20);
}
END_TEST

START_TEST(pieces_of_a_box_a_cylinder_and_a_capsule_are_the_ones_expected)
{
    trxi_face face;
    body box = box_body(0.2, 0.4, 0.6), tin = cylinder_body(0.1, 0.5), capsule = capsule_body(0.1, 0.5);
    trxi_placed_shape shapes[3] = {placed(&box), placed(&tin), placed(&capsule)};
    trxi_core cores[3] = {trxi_core_of(&shapes[0]), trxi_core_of(&shapes[1]), trxi_core_of(&shapes[2])};

    trxi_supporting_face(&cores[0], (double[]){0, -1, 0}, 0, &face);
    ck_assert_int_eq(face.count, 4);
    for (int k = 0; k < 4; k++) assert_close(face.x[k][1], -0.2, 0);
    trxi_supporting_face(&cores[0], (double[]){0.6, 0, 0.8}, 0.02, &face);
    ck_assert_int_eq(face.count, 2);
    assert_below(max_difference(face.x[0], (double[]){0.1, -0.2, 0.3}, 3), 1e-16);
    assert_below(max_difference(face.x[1], (double[]){0.1, 0.2, 0.3}, 3), 1e-16);

    trxi_supporting_face(&cores[1], (double[]){0, 0.01, -1}, 0.02, &face);
    ck_assert_int_eq(face.count, 8);
    for (int k = 0; k < 8; k++) {
        assert_close(face.x[k][2], -0.25, 0);
        assert_close(hypot(face.x[k][0], face.x[k][1]), 0.1, 1e-16);
    }
    trxi_supporting_face(&cores[1], (double[]){0, 1, 0.01}, 0.02, &face);
    ck_assert_int_eq(face.count, 2);
    assert_close(face.ring, 0.1, 0);
    trxi_supporting_face(&cores[1], (double[]){0, 0.8, 0.6}, 0.02, &face);
    ck_assert_int_eq(face.count, 1);
    assert_below(max_difference(face.x[0], (double[]){0, 0.1, 0.25}, 3), 1e-16);

    trxi_supporting_face(&cores[2], (double[]){1, 0, 0}, 0.02, &face);
    ck_assert_int_eq(face.count, 2);
    ck_assert(face.ring == 0 && face.radius == 0.1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/support");
    TCase *cases = tcase_create("support");
    tcase_add_test(cases, no_point_of_the_core_is_farther_than_the_support_point);
    tcase_add_test(cases, a_hull_is_climbed_to_its_farthest_vertex_from_everywhere);
    tcase_add_test(cases, supporting_faces_are_pieces_of_the_surface_within_the_angle);
    tcase_add_test(cases, pieces_of_a_box_a_cylinder_and_a_capsule_are_the_ones_expected);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
