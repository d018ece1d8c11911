// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Merging of equal points into vertices: numbering, what is left out, many points, exhausted memory.

#include "base/random.h"
#include "formats/merge.h"
#include "support/parser.h"

#include <stdlib.h>
#include <string.h>

START_TEST(equal_points_become_one_vertex_numbered_by_first_use)
{
    static const double points[] = {9, 9, 9, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, -0.0, 1, 1, 1e-300};
    static const int corners[] = {2, 1, 3, 4, 1, 5};
    trx_mesh mesh;
    ck_assert_int_eq(trxi_mesh_merge(context, pool, "a.obj", points, 6, corners, 2, &mesh), TRX_OK);
    static const double vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1e-300};
    static const int triangles[] = {0, 1, 2, 2, 1, 3};
    ck_assert_int_eq(mesh.nvertex, 4);
    ck_assert_int_eq(mesh.ntriangle, 2);
    ck_assert_mem_eq(mesh.vertices, vertices, sizeof vertices);
    ck_assert_mem_eq(mesh.triangles, triangles, sizeof triangles);
    ck_assert_str_eq(mesh.name, "a.obj");
}
END_TEST

START_TEST(triangles_with_two_equal_corners_are_left_out)
{
    static const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0};
    static const int corners[] = {0, 1, 3, 0, 1, 2, 3, 2, 1, 2, 2, 0};
    trx_mesh mesh;
    ck_assert_int_eq(trxi_mesh_merge(context, pool, "a.obj", points, 4, corners, 4, &mesh), TRX_OK);
    ck_assert_int_eq(mesh.ntriangle, 1);
    ck_assert_int_eq(mesh.nvertex, 3);

    ck_assert_int_eq(trxi_mesh_merge(context, pool, "a.obj", points, 4, corners, 1, &mesh), TRX_ERR_INPUT);
    ck_assert_str_eq(trx_context_message(context), "each triangle in this file has two corners at the same point");
    ck_assert(mesh.nvertex == 0 && mesh.ntriangle == 0 && !mesh.vertices && !mesh.triangles);
    trx_context_clear(context);
    ck_assert_int_eq(trxi_mesh_merge(context, pool, "a.obj", points, 4, corners, 0, &mesh), TRX_ERR_INPUT);
    ck_assert_str_eq(trx_context_message(context), "this file has 4 points, but no triangle or other face");
}
END_TEST

START_TEST(every_corner_of_a_large_grid_finds_its_point)
{
    // points on a coarse lattice, most of them many times, in random order
    enum { TRIANGLES = 60000, SIDE = 20 };
    double *points = malloc(9 * TRIANGLES * sizeof *points);
    for (uint64_t i = 0; i < 9 * TRIANGLES; i++) points[i] = (double)(trxi_random_bits(5, i) % SIDE) - SIDE / 2.0;
    trx_mesh mesh;
    ck_assert_int_eq(trxi_mesh_merge(context, pool, "grid", points, 3 * TRIANGLES, NULL, TRIANGLES, &mesh), TRX_OK);
    ck_assert_int_eq(mesh.nvertex, SIDE * SIDE * SIDE);

    // the triangles that were kept, in order, have their corners where they were
    int kept = 0, wrong = 0;
    for (int t = 0; t < TRIANGLES; t++) {
        const double *p = points + 9 * t;
        if (!memcmp(p, p + 3, 24) || !memcmp(p + 3, p + 6, 24) || !memcmp(p, p + 6, 24)) continue;
        for (int k = 0; k < 3; k++) {
            int vertex = mesh.triangles[3 * kept + k];
            wrong += vertex < 0 || vertex >= mesh.nvertex;
            wrong += max_difference(mesh.vertices + 3 * vertex, p + 3 * k, 3) != 0;
        }
        kept++;
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_eq(kept, mesh.ntriangle);
    ck_assert_int_lt(kept, TRIANGLES);
    free(points);
}
END_TEST

static trx_status merge_counted(trx_context *counted, trxi_pool *its_pool, const void *points)
{
    trx_mesh mesh;
    return trxi_mesh_merge(counted, its_pool, "a", points, 3, NULL, 1, &mesh);
}

START_TEST(whatever_allocation_fails_nothing_is_lost)
{
    static const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    ck_assert_int_ge(fail_every_allocation(merge_counted, points), 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/merge");
    TCase *cases = tcase_create("merge");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_add_test(cases, equal_points_become_one_vertex_numbered_by_first_use);
    tcase_add_test(cases, triangles_with_two_equal_corners_are_left_out);
    tcase_add_test(cases, every_corner_of_a_large_grid_finds_its_point);
    tcase_add_test(cases, whatever_allocation_fails_nothing_is_lost);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
