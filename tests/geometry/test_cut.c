// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The choice of a cut: in the plane of a side at a reflex edge, in any direction; through the middle where nothing else matters.

#include "geometry/mesh.h"
#include "geometry/mesh_part.h"
#include "geometry/solids.h"
#include "math/vec3.h"
#include "support/parser.h"

#include <math.h>

static solid s;
static trxi_solid_grid grid;
static trxi_cutter cutter;
static trxi_cut_directions directions;

static bool choose(double plane[4])
{
    trxi_mesh_part whole;
    bool found;
    ck_assert_int_eq(trxi_solid_grid_create(context, pool, &s.mesh, 0.01, &grid), TRX_OK);
    cutter = (trxi_cutter){.context = context, .pool = pool, .mesh = &s.mesh, .grid = &grid, .closed = true, .eps = 1e-10,
                           .thickness = 1e-3, .mark = TRXI_POOL(pool, int, s.mesh.nvertex)};
    ck_assert_int_eq(trxi_part_whole(&cutter, &whole), TRX_OK);
    trxi_cut_directions_find(&s.mesh, &directions);
    ck_assert_int_eq(trxi_cut_choose(&cutter, &directions, &whole, plane, &found), TRX_OK);
    return found;
}

START_TEST(an_l_is_cut_in_a_side_at_its_reflex_edge)
{
    for (int turned = 0; turned < 2; turned++) {
        const double axis[3] = {1, -2, 3}, by[3] = {0.3, 0.1, 0};
        make_cells(&s, (int[3]){4, 3, 1}, "#..."
                                          "#..."
                                          "####",
                   0.1);
        // the reflex edge from (0.1, 0.2, 0) to (0.1, 0.2, 0.1), as moved
        int ends[2] = {-1, -1};
        for (int i = 0; i < s.mesh.nvertex; i++)
            if (fabs(s.vertices[3 * i] - 0.1) < 1e-9 && fabs(s.vertices[3 * i + 1] - 0.2) < 1e-9)
                ends[s.vertices[3 * i + 2] > 0.05] = i;
        ck_assert(ends[0] >= 0 && ends[1] >= 0);
        if (turned) move_solid(&s, axis, 0.8, by);
        double plane[4];
        ck_assert(choose(plane));
        for (int k = 0; k < 2; k++) assert_close(trxi_dot3(plane, s.vertices + 3 * ends[k]), plane[3], 1e-12);
        // and in the plane of a side: some triangle has its normal
        double best = 0;
        for (int t = 0; t < s.mesh.ntriangle; t++) {
            double n[3];
            trxi_triangle_normal(&s.mesh, t, n);
            best = fmax(best, fabs(trxi_dot3(n, plane)) / trxi_norm3(n));
        }
        assert_close(best, 1, 1e-12);
    }
}
END_TEST

START_TEST(directions_are_axes_diagonals_and_flat_sides)
{
    make_box(&s, (double[3]){1, 1, 1}, (double[3]){0, 0, 0});
    trxi_cut_directions_find(&s.mesh, &directions);
    ck_assert_int_eq(directions.count, 9);
    move_solid(&s, (double[3]){1, 2, 3}, 0.5, (double[3]){0, 0, 0});
    trxi_cut_directions_find(&s.mesh, &directions);
    ck_assert_int_eq(directions.count, 12);
    for (int i = 0; i < directions.count; i++) assert_close(trxi_norm3(directions.n[i]), 1, 1e-14);
}
END_TEST

START_TEST(a_convex_solid_is_cut_in_its_middle)
{
    make_box(&s, (double[3]){1, 0.9, 0.8}, (double[3]){0.5, 0, 0});
    double plane[4];
    ck_assert(choose(plane));
    assert_close(trxi_dot3(plane, (double[3]){0.5, 0, 0}), plane[3], 1e-9);
}
END_TEST

START_TEST(a_dense_mesh_is_cut_like_a_coarse_one)
{
    // two balls of 1280 triangles side by side: between them
    static solid other;
    make_icosphere(&s, 8);
    make_icosphere(&other, 8);
    move_solid(&other, (double[3]){0, 0, 1}, 0, (double[3]){2.5, 0, 0});
    add_solid(&s, &other);
    double plane[4];
    ck_assert(choose(plane));
    assert_close(fabs(plane[0]), 1, 1e-12);
    assert_close(plane[3] / plane[0], 1.25, 0.26);
}
END_TEST

START_TEST(many_large_triangles_are_cut_like_a_sample_of_them)
{
    // an L with 120 copies of each triangle: the time of a cut once grew with the number of triangles
    enum { COPIES = 120 };
    static int copies[3 * 60 * COPIES];
    make_cells(&s, (int[3]){4, 3, 1}, "#..."
                                      "#..."
                                      "####",
               0.1);
    ck_assert_int_le(s.mesh.ntriangle, 60);
    double plane[4], again[4];
    ck_assert(choose(plane));
    for (int t = 0; t < s.mesh.ntriangle; t++)
        for (int i = 0; i < COPIES; i++)
            for (int k = 0; k < 3; k++) copies[3 * (COPIES * t + i) + k] = s.mesh.triangles[3 * t + k];
    s.mesh.triangles = copies;
    s.mesh.ntriangle *= COPIES;
    ck_assert_int_gt(s.mesh.ntriangle, 3000);
    ck_assert(choose(again));
    for (int k = 0; k < 4; k++) assert_close(again[k], plane[k], 1e-12);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("cut");
    tcase_add_checked_fixture(tcase, open_pool, close_pool);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, an_l_is_cut_in_a_side_at_its_reflex_edge);
    tcase_add_test(tcase, directions_are_axes_diagonals_and_flat_sides);
    tcase_add_test(tcase, a_convex_solid_is_cut_in_its_middle);
    tcase_add_test(tcase, a_dense_mesh_is_cut_like_a_coarse_one);
    tcase_add_test(tcase, many_large_triangles_are_cut_like_a_sample_of_them);
    Suite *suite = suite_create("cut");
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
