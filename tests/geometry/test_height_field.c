// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The grid of a height field: checks, neighbours, heights, pieces under a shape.

#include "geometry/height_field.h"
#include "geometry/probe.h"
#include "support/parser.h"

#include <string.h>

enum { COLUMNS = 5, ROWS = 4 };

static trx_mesh surface;

// 4 x 3 m, cells of 1 m
static trx_shape random_field(dice *d)
{
    static const double size[2] = {4, 3};
    double heights[COLUMNS * ROWS];
    for (int i = 0; i < COLUMNS * ROWS; i++) heights[i] = uniform(d, -0.5, 0.5);
    ck_assert(trxi_height_field_make(pool, COLUMNS, ROWS, size, heights, &surface));
    return (trx_shape){.type = TRX_SHAPE_HEIGHT_FIELD, .mesh = &surface, .columns = COLUMNS, .length = 1};
}

START_TEST(a_grid_has_its_vertices_and_no_defect)
{
    dice d = {1, 0};
    trx_shape field = random_field(&d);
    ck_assert_ptr_null(trxi_height_field_defect(&field));
    assert_below(max_difference(surface.vertices, (double[]){-2, -1.5}, 2), 1e-15);
    assert_below(max_difference(surface.vertices + 3 * (COLUMNS * ROWS - 1), (double[]){2, 1.5}, 2), 1e-15);
    ck_assert_int_eq(surface.ntriangle, 2 * (COLUMNS - 1) * (ROWS - 1));
}
END_TEST

START_TEST(each_defect_has_its_sentence)
{
    dice d = {2, 0};
    double vertices[3 * COLUMNS * ROWS];
    int triangles[6 * (COLUMNS - 1) * (ROWS - 1)];
    trx_shape field = random_field(&d);
    memcpy(vertices, surface.vertices, sizeof vertices);
    memcpy(triangles, surface.triangles, sizeof triangles);
    surface.vertices = vertices, surface.triangles = triangles;
    field.columns = 3;
    ck_assert_str_eq(trxi_height_field_defect(&field), "a height field needs a grid of at least 2 x 2 heights");
    field.columns = COLUMNS, field.length = 0;
    ck_assert_str_eq(trxi_height_field_defect(&field), "the depth of the bottom must be positive and finite");
    field.length = 0.01;
    ck_assert_str_eq(trxi_height_field_defect(&field), "a height is not above the bottom");
    field.length = 1, vertices[3] += 0.01;
    ck_assert_str_eq(trxi_height_field_defect(&field), "the vertices are on no regular grid");
    vertices[3] -= 0.01, triangles[4] = 0;
    ck_assert_str_eq(trxi_height_field_defect(&field), "the triangles are not those of the grid");
    triangles[4] = COLUMNS + 1, field.rounding = 0.1;
    ck_assert_str_eq(trxi_height_field_defect(&field), "a height field has no rounding");
    field.mesh = NULL;
    ck_assert_str_eq(trxi_height_field_defect(&field), "a height field needs a mesh");
}
END_TEST

// a neighbour has the edge in the other direction, and the corner that is across
START_TEST(neighbours_share_an_edge)
{
    dice d = {3, 0};
    trx_shape field = random_field(&d);
    int borders = 0;
    for (int t = 0; t < surface.ntriangle; t++) {
        trxi_field_triangle own, other;
        trxi_field_triangle_of(&field, t, &own);
        ck_assert(own.n[2] > 0);
        for (int k = 0; k < 3; k++) {
            ck_assert_int_eq(own.neighbour[k] < 0, own.across[k] == NULL);
            if (own.neighbour[k] < 0) {
                borders++;
                continue;
            }
            trxi_field_triangle_of(&field, own.neighbour[k], &other);
            int at = 0;
            while (at < 3 && other.neighbour[at] != t) at++;
            ck_assert_int_lt(at, 3);
            ck_assert_int_eq(other.corner[at], own.corner[(k + 1) % 3]);
            ck_assert_int_eq(other.corner[(at + 1) % 3], own.corner[k]);
            ck_assert_ptr_eq(other.x[(at + 2) % 3], own.across[k]);
        }
    }
    ck_assert_int_eq(borders, 2 * (COLUMNS - 1 + ROWS - 1));
}
END_TEST

START_TEST(a_vertex_belongs_to_its_first_triangle)
{
    dice d = {4, 0};
    trx_shape field = random_field(&d);
    for (int vertex = 0; vertex < surface.nvertex; vertex++) {
        int first = 0, ring = 0;
        bool beside[COLUMNS * ROWS] = {false};
        const double *around[6];
        while (!(surface.triangles[3 * first] == vertex || surface.triangles[3 * first + 1] == vertex ||
                 surface.triangles[3 * first + 2] == vertex))
            first++;
        ck_assert_int_eq(trxi_field_owner(&field, vertex), first);
        for (int t = 0; t < surface.ntriangle; t++)
            for (int k = 0; k < 3; k++)
                if (surface.triangles[3 * t + k] == vertex)
                    beside[surface.triangles[3 * t + (k + 1) % 3]] = beside[surface.triangles[3 * t + (k + 2) % 3]] = true;
        for (int i = 0; i < surface.nvertex; i++) ring += beside[i];
        ck_assert_int_eq(trxi_field_ring(&field, vertex, around), ring);
        for (int i = 0; i < ring; i++) ck_assert(beside[(around[i] - surface.vertices) / 3]);
    }
}
END_TEST

START_TEST(heights_are_those_of_the_triangles)
{
    dice d = {5, 0};
    trx_shape field = random_field(&d);
    for (int n = 0; n < 1000; n++) {
        trxi_field_triangle t;
        trxi_field_triangle_of(&field, (int)uniform(&d, 0, surface.ntriangle), &t);
        double u = uniform(&d, 0, 1), v = uniform(&d, 0, 1 - u), x[3], height;
        for (int i = 0; i < 3; i++) x[i] = (1 - u - v) * t.x[0][i] + u * t.x[1][i] + v * t.x[2][i];
        ck_assert(trxi_field_height(&field, x[0], x[1], &height));
        assert_close(height, x[2], 1e-14);
    }
    double height;
    ck_assert(!trxi_field_height(&field, -2.5, 2, &height));
    assert_close(height, surface.vertices[3 * COLUMNS * (ROWS - 1) + 2], 1e-15);
}
END_TEST

START_TEST(the_walk_has_every_piece_that_touches)
{
    dice d = {6, 0};
    int seen = 0;
    for (int n = 0; n < 1500; n++) {
        body A = {.shape = random_field(&d)}, B = random_body(&d, n % 2 ? TRX_SHAPE_BOX : TRX_SHAPE_CAPSULE, 1.5);
        random_rotation(&d, A.R);
        random_vector(&d, 1, A.p);
        trxi_add3(B.p, A.p, B.p);
        for (int i = 0; i < 3; i++) B.shape.size[i] *= 5;
        B.shape.length *= 5;
        const trxi_placed_shape a = placed(&A), b = placed(&B);
        trxi_field_walk walk = trxi_field_walk_under(&a, &b, 0.1);
        int last = -1, next = trxi_field_walk_next(&walk);
        for (int piece = 0; piece < 2 * surface.ntriangle; piece++) {
            trxi_contact_point c[TRXI_MAX_CONTACT_POINTS];
            const int count = trxi_collide_piece(&a, &b, piece, 0.1, false, c);
            // the walk has the pieces of all contacts that are not deeper than its margin around the shape
            bool near = false;
            for (int k = 0; k < count; k++) near = near || c[k].phi > -0.25;
            if (near) ck_assert_int_eq(piece, next);
            seen += near;
            if (piece != next) continue;
            ck_assert_int_gt(next, last);
            last = next, next = trxi_field_walk_next(&walk);
        }
        ck_assert_int_eq(next, -1);
    }
    ck_assert_int_gt(seen, 500);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/height_field");
    TCase *cases = tcase_create("height field");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_add_test(cases, a_grid_has_its_vertices_and_no_defect);
    tcase_add_test(cases, each_defect_has_its_sentence);
    tcase_add_test(cases, neighbours_share_an_edge);
    tcase_add_test(cases, a_vertex_belongs_to_its_first_triangle);
    tcase_add_test(cases, heights_are_those_of_the_triangles);
    tcase_add_test(cases, the_walk_has_every_piece_that_touches);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
