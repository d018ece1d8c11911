// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Height fields against convex shapes: beside a halfspace, distances of spheres from many points, ridges, derivatives.

#include "geometry/height_field.h"
#include "geometry/pairs.h"
#include "geometry/probe.h"
#include "support/parser.h"

#include <stdlib.h>
#include <string.h>

static const trx_shape_type partners[] = {TRX_SHAPE_SPHERE, TRX_SHAPE_CAPSULE,   TRX_SHAPE_BOX,
                                          TRX_SHAPE_MESH,   TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CYLINDER};
enum { PARTNERS = 6, COLUMNS = 9, ROWS = 7 };

static trx_mesh surface;

// 0.8 x 0.6 m, cells of 0.1 m
static body field_of(const double *heights)
{
    static const double size[2] = {0.8, 0.6};
    ck_assert(trxi_height_field_make(pool, COLUMNS, ROWS, size, heights, &surface));
    body field = {.shape = {.type = TRX_SHAPE_HEIGHT_FIELD, .mesh = &surface, .columns = COLUMNS, .length = 1}};
    trxi_identity33(field.R);
    ck_assert_ptr_null(trxi_height_field_defect(&field.shape));
    return field;
}

static body rough_field(dice *d, double roughness)
{
    double heights[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++) heights[i] = uniform(d, 0, roughness);
    return field_of(heights);
}

static int piece;

static int of_piece(const body *A, const body *B, trxi_contact_point *points)
{
    const trxi_placed_shape a = placed(A), b = placed(B);
    return trxi_collide_piece(&a, &b, piece, INFINITY, true, points);
}

// contacts of all pieces, in their order
static int of_all(const body *A, const body *B, double margin, int room, trxi_contact_point *points)
{
    const trxi_placed_shape a = placed(A), b = placed(B);
    trxi_field_walk walk = trxi_field_walk_under(&a, &b, margin);
    int count = 0;
    for (int at; (at = trxi_field_walk_next(&walk)) >= 0;) {
        trxi_contact_point found[TRXI_MAX_CONTACT_POINTS];
        const int some = trxi_collide_piece(&a, &b, at, margin, true, found);
        for (int i = 0; i < some; i++) {
            ck_assert_int_lt(count, room);
            points[count++] = found[i];
        }
    }
    return count;
}

static int by_place(const void *a, const void *b)
{
    const trxi_contact_point *x = a, *y = b;
    return x->a[0] != y->a[0] ? (x->a[0] < y->a[0] ? -1 : 1) : (x->a[1] > y->a[1]) - (x->a[1] < y->a[1]);
}

START_TEST(a_plane_of_cells_is_a_halfspace)
{
    dice d = {71, 0};
    int seen = 0;
    for (int n = 0; n < 3000; n++) {
        // a tilted plane, so that corners of cells are rounded numbers
        double heights[COLUMNS * ROWS], slope[2] = {uniform(&d, -0.5, 0.5), uniform(&d, -0.5, 0.5)};
        for (int i = 0; i < COLUMNS * ROWS; i++)
            heights[i] = slope[0] * 0.1 * (i % COLUMNS - 4) + slope[1] * 0.1 * (i / COLUMNS - 3);
        body field = field_of(heights), ground = halfspace_body(), B = random_body(&d, partners[n % PARTNERS], 0.05);
        double normal[3] = {-slope[0], -slope[1], 1}, frame[9];
        trxi_normalize3(normal, normal);
        trxi_frame33(normal, frame);
        memcpy(ground.R, frame, 6 * sizeof *frame);
        trxi_copy3(normal, ground.R + 6);

        trxi_contact_point flat[TRXI_MAX_CONTACT_POINTS], cells[64];
        const trxi_placed_shape a = placed(&ground), b = placed(&B);
        int wanted = trxi_collide(&a, &b, 0.01, true, flat);
        // leaves out deep contacts and contacts near the borders of the field, which the halfspace does not have
        bool deep = false;
        for (int i = 0; i < wanted; i++) deep = deep || flat[i].phi < -0.02 || fabs(flat[i].a[0]) > 0.3 || fabs(flat[i].a[1]) > 0.2;
        if (deep) continue;
        const int count = of_all(&field, &B, 0.01, 64, cells);
        ck_assert_int_eq(count, wanted);
        qsort(flat, (size_t)wanted, sizeof *flat, by_place);
        qsort(cells, (size_t)count, sizeof *cells, by_place);
        for (int i = 0; i < count; i++) {
            assert_close(cells[i].phi, flat[i].phi, 1e-13);
            assert_below(max_difference(cells[i].n, flat[i].n, 3), 1e-13);
            assert_below(max_difference(cells[i].a, flat[i].a, 3), 1e-13);
            assert_below(max_difference(cells[i].da_dtheta, flat[i].da_dtheta, 9), 1e-12);
        }
        seen += count > 0;
    }
    ck_assert_int_gt(seen, 200);
}
END_TEST

// distance of a point from a triangle
static double triangle_distance(const double *const x[3], const double n[3], const double l[3])
{
    double nearest = INFINITY, away[3];
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        double e[3], m[3];
        trxi_sub3(x[(k + 1) % 3], x[k], e);
        trxi_sub3(l, x[k], away);
        trxi_cross3(n, e, m);
        inside = inside && trxi_dot3(m, away) >= 0;
        const double t = fmax(0, fmin(1, trxi_dot3(e, away) / trxi_dot3(e, e)));
        trxi_axpy3(-t, e, away);
        nearest = fmin(nearest, trxi_norm3(away));
    }
    trxi_sub3(l, x[0], away);
    return inside ? fmin(nearest, fabs(trxi_dot3(n, away))) : nearest;
}

static double surface_distance_of(const body *field, const double l[3])
{
    double nearest = INFINITY;
    for (int t = 0; t < surface.ntriangle; t++) {
        trxi_field_triangle triangle;
        trxi_field_triangle_of(&field->shape, t, &triangle);
        nearest = fmin(nearest, triangle_distance(triangle.x, triangle.n, l));
    }
    return nearest;
}

// the least gap of the contacts of a sphere is the distance of the surface, and no two contacts have the same place
START_TEST(a_sphere_touches_where_it_is_nearest)
{
    dice d = {72, 0};
    int several = 0;
    for (int n = 0; n < 3000; n++) {
        body field = rough_field(&d, 0.15), ball = sphere_body(0.06);
        double height;
        ball.p[0] = uniform(&d, -0.3, 0.3), ball.p[1] = uniform(&d, -0.2, 0.2);
        ck_assert(trxi_field_height(&field.shape, ball.p[0], ball.p[1], &height));
        ball.p[2] = height + uniform(&d, 0.001, 0.1);
        trxi_contact_point points[64];
        const int count = of_all(&field, &ball, 0.02, 64, points);
        const double distance = surface_distance_of(&field, ball.p) - 0.06;
        double least = INFINITY;
        for (int i = 0; i < count; i++) {
            least = fmin(least, points[i].phi);
            for (int k = 0; k < i; k++) {
                double apart[3];
                trxi_sub3(points[i].a, points[k].a, apart);
                ck_assert_msg(trxi_norm3(apart) > 1e-9, "%d: the same contact twice", n);
            }
        }
        if (distance < 0.019) assert_close(least, distance, 1e-12);
        else ck_assert(count == 0 || least > 0.018);

        // the whole field answers with the nearest contact
        trxi_contact_point nearest;
        const trxi_placed_shape a = placed(&field), b = placed(&ball);
        ck_assert_int_eq(trxi_collide(&a, &b, INFINITY, true, &nearest), 1);
        assert_close(nearest.phi, distance, 1e-12);
        several += count > 1;
    }
    ck_assert_int_gt(several, 300);
}
END_TEST

START_TEST(a_ridge_carries_and_a_valley_has_no_edge)
{
    // a roof along y at x = 0: 45 degrees
    double roof[COLUMNS * ROWS], valley[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++) roof[i] = 0.4 - 0.1 * abs(i % COLUMNS - 4), valley[i] = -roof[i] + 0.4;
    body field = field_of(roof), plate = box_body(0.3, 0.15, 0.02), ball = sphere_body(0.05);
    trxi_contact_point points[64];
    // a level plate touches along the ridge: at its two sides, and at the vertex y = 0 between them
    trxi_set3(0.01, 0.01, 0.4099, plate.p);
    int count = of_all(&field, &plate, 1e-3, 64, points), sides = 0;
    for (int i = 0; i < count; i++) {
        assert_close(points[i].phi, -1e-4, 1e-12);
        assert_below(max_difference(points[i].n, (double[]){0, 0, 1}, 3), 1e-9);
        assert_close(points[i].a[0], 0, 1e-9);
        sides += fabs(fabs(points[i].a[1] - 0.01) - 0.075) < 1e-9;
    }
    ck_assert_int_eq(sides, 2);
    // a ball on the ridge has one contact
    trxi_set3(0, 0.03, 0.449, ball.p);
    ck_assert_int_eq(of_all(&field, &ball, 1e-3, 64, points), 1);
    assert_close(points[0].phi, -0.001, 1e-12);
    // in the valley it lies on both sides
    field = field_of(valley);
    trxi_set3(0, 0.03, 0.049 * sqrt(2), ball.p);
    ck_assert_int_eq(of_all(&field, &ball, 1e-3, 64, points), 2);
    for (int i = 0; i < 2; i++) {
        assert_close(points[i].phi, -0.001, 1e-12);
        assert_close(fabs(points[i].n[0]), sqrt(0.5), 1e-12);
    }
}
END_TEST

START_TEST(the_border_is_an_edge_and_a_wall)
{
    double heights[COLUMNS * ROWS] = {0};
    body field = field_of(heights), ball = sphere_body(0.05);
    trxi_contact_point points[64];
    // beyond the border, above: the edge
    trxi_set3(0.43, 0.02, 0.03, ball.p);
    ck_assert_int_eq(of_all(&field, &ball, 1e-3, 64, points), 1);
    assert_close(points[0].phi, hypot(0.03, 0.03) - 0.05, 1e-12);
    // below: the wall
    trxi_set3(0.44, 0.02, -0.05, ball.p);
    ck_assert_int_eq(of_all(&field, &ball, 1e-3, 64, points), 1);
    assert_close(points[0].phi, -0.01, 1e-12);
    assert_close(points[0].n[0], 1, 1e-12);
}
END_TEST

START_TEST(every_piece_meets_the_claims_of_a_contact)
{
    dice d = {73, 0};
    int seen[PARTNERS][2] = {{0}};
    for (int n = 0; n < 3600; n++) {
        const int kind = n % PARTNERS;
        body field = rough_field(&d, n % 12 < 6 ? 0.12 : 0.03), B = random_body(&d, partners[kind], 0.15);
        random_rotation(&d, field.R);
        random_vector(&d, 0.3, field.p);
        // near the surface
        double height, local[3] = {uniform(&d, -0.3, 0.3), uniform(&d, -0.2, 0.2), 0};
        trxi_field_height(&field.shape, local[0], local[1], &height);
        local[2] = height + uniform(&d, 0.02, 0.15);
        trxi_mulv3(field.R, local, B.p);
        trxi_add3(B.p, field.p, B.p);
        const trxi_placed_shape a = placed(&field), b = placed(&B);
        trxi_field_walk walk = trxi_field_walk_under(&a, &b, 0.02);
        for (; (piece = trxi_field_walk_next(&walk)) >= 0;) {
            trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
            const int count = trxi_collide_piece(&a, &b, piece, INFINITY, true, c);
            for (int k = 0; k < count; k++) {
                if (!(fabs(c[k].phi) < 0.03)) continue;
                assert_close(trxi_norm3(c[k].n), 1, 1e-12);
                if (c[k].tie < 3e-3 || seen[kind][piece % 2] >= 150) continue;
                check_derivatives_of(&d, of_piece, &field, &B, k);
                seen[kind][piece % 2]++;
            }
        }
    }
    for (int k = 0; k < PARTNERS; k++)
        for (int part = 0; part < 2; part++) ck_assert_msg(seen[k][part] >= 20, "%d of kind %d, part %d", seen[k][part], k, part);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/height_field_pair");
    TCase *cases = tcase_create("height field against shapes");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, a_plane_of_cells_is_a_halfspace);
    tcase_add_test(cases, a_sphere_touches_where_it_is_nearest);
    tcase_add_test(cases, a_ridge_carries_and_a_valley_has_no_edge);
    tcase_add_test(cases, the_border_is_an_edge_and_a_wall);
    tcase_add_test(cases, every_piece_meets_the_claims_of_a_contact);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
