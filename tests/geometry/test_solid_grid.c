// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Solids on grids: which cells are inside, distances against closed forms, how far hulls reach out.

#include "geometry/solid_grid.h"
#include "geometry/solids.h"
#include "math/vec3.h"
#include "support/parser.h"

#include <math.h>
#include <string.h>

static solid s;
static trxi_solid_grid grid;

static void make_grid(double h)
{
    ck_assert_int_eq(trxi_solid_grid_create(context, pool, &s.mesh, h, &grid), TRX_OK);
}

// legs of width 0.1 along y at x = 0, and along x at y = 0.2; open towards (0.4, 0)
static void make_l(void)
{
    make_cells(&s, (int[3]){4, 3, 1}, "#..."
                                      "#..."
                                      "####",
               0.1);
}

START_TEST(cells_of_a_box_lie_inside_on_and_outside_its_surface)
{
    make_box(&s, (double[3]){0.4, 0.6, 1}, (double[3]){1, 2, 3});
    make_grid(0.05);
    for (int i = 0; i < 3; i++) ck_assert_int_ge(grid.n[i], 8);
    ck_assert_int_eq(trxi_solid_grid_at(&grid, (double[3]){1, 2, 3}), TRXI_CELL_INSIDE);
    ck_assert_int_eq(trxi_solid_grid_at(&grid, (double[3]){1.2, 2, 3}), TRXI_CELL_SURFACE);
    ck_assert_int_eq(trxi_solid_grid_at(&grid, (double[3]){1, 2, 2.5}), TRXI_CELL_SURFACE);
    ck_assert_int_eq(trxi_solid_grid_at(&grid, (double[3]){1.3, 2, 3}), TRXI_CELL_OUTSIDE);
    ck_assert_int_eq(trxi_solid_grid_at(&grid, (double[3]){99, 2, 3}), TRXI_CELL_OUTSIDE);
    ck_assert_int_eq(trxi_solid_grid_at(&grid, (double[3]){NAN, 2, 3}), TRXI_CELL_OUTSIDE);
}
END_TEST

START_TEST(distances_in_the_corner_of_an_l_are_those_of_its_sides)
{
    make_l();
    make_grid(0.01);
    int outside = 0;
    double worst = 0;
    for (int k = 0; k < grid.n[2]; k++)
        for (int j = 0; j < grid.n[1]; j++)
            for (int i = 0; i < grid.n[0]; i++) {
                const size_t cell = ((size_t)k * (size_t)grid.n[1] + (size_t)j) * (size_t)grid.n[0] + (size_t)i;
                const double x = grid.origin[0] + i * grid.h, y = grid.origin[1] + j * grid.h, z = grid.origin[2] + k * grid.h;
                if (grid.cells[cell] != TRXI_CELL_OUTSIDE) {
                    ck_assert(grid.distance[cell] == 0);
                    continue;
                }
                if (!(x > 0.1 && x < 0.4 && y > 0 && y < 0.2 && z > 0 && z < 0.1)) continue;
                worst = fmax(worst, fabs(grid.distance[cell] - fmin(x - 0.1, 0.2 - y)));
                outside++;
            }
    ck_assert_int_gt(outside, 100);
    assert_below(worst, 0.5 * grid.h);
}
END_TEST

START_TEST(the_hull_of_an_l_reaches_out_to_the_middle_of_its_opening)
{
    make_l();
    make_grid(0.005);
    const trxi_hull *hull;
    ck_assert_int_eq(trxi_hull_create(context, pool, &s.mesh, &hull), TRX_OK);
    const trxi_excess excess = trxi_solid_grid_excess(&grid, hull);
    // the line from (0.1, 0) to (0.4, 0.2) is farthest from both legs where it is equally far from both
    assert_close(excess.largest, 0.12, 1.5 * grid.h);
    trx_mesh leg = s.mesh;
    double corners[24];
    for (int i = 0; i < 8; i++)
        trxi_set3(i & 1 ? 0.1 : 0, i & 2 ? 0.3 : 0, i & 4 ? 0.1 : 0, corners + 3 * i);
    leg.nvertex = 8, leg.vertices = corners;
    ck_assert_int_eq(trxi_hull_create(context, pool, &leg, &hull), TRX_OK);
    ck_assert(trxi_solid_grid_excess(&grid, hull).largest == 0);
}
END_TEST

START_TEST(a_hull_thinner_than_a_cell_is_seen)
{
    make_l();
    make_grid(0.02);
    double corners[24];
    for (int i = 0; i < 8; i++) trxi_set3(i & 1 ? 0.4 : 0, i & 2 ? 0.2 : 0, i & 4 ? 0.05 : 0.0499, corners + 3 * i);
    const trx_mesh sheet = {.nvertex = 8, .vertices = corners};
    const trxi_hull *hull;
    ck_assert_int_eq(trxi_hull_create(context, pool, &sheet, &hull), TRX_OK);
    // (0.4, 0) is 0.2 from the long leg
    assert_close(trxi_solid_grid_excess(&grid, hull).largest, 0.2, 2 * grid.h);
}
END_TEST

START_TEST(a_hollow_without_an_opening_is_solid_and_an_opening_is_not)
{
    char cells[125];
    memset(cells, '#', sizeof cells);
    cells[62] = '.';
    make_cells(&s, (int[3]){5, 5, 5}, cells, 0.1);
    make_grid(0.02);
    ck_assert_int_eq(trxi_solid_grid_at(&grid, (double[3]){0.25, 0.25, 0.25}), TRXI_CELL_INSIDE);
    cells[37] = cells[12] = '.';
    make_cells(&s, (int[3]){5, 5, 5}, cells, 0.1);
    make_grid(0.02);
    ck_assert_int_eq(trxi_solid_grid_at(&grid, (double[3]){0.25, 0.25, 0.25}), TRXI_CELL_OUTSIDE);
}
END_TEST

START_TEST(very_many_large_triangles_make_the_cells_larger)
{
    static double vertices[9] = {0, 0, 0, 1, 0.2, 0.1, 0.3, 1, 0.2};
    enum { COUNT = 20000 };
    static int triangles[3 * COUNT];
    for (int i = 0; i < 3 * COUNT; i++) triangles[i] = i % 3;
    s.mesh = (trx_mesh){NULL, 3, vertices, COUNT, triangles};
    make_grid(0.001);
    ck_assert(grid.h > 1.0 / 60);
    ck_assert_int_eq(trxi_solid_grid_at(&grid, (double[3]){0.3, 0.3, 0.08}), TRXI_CELL_SURFACE);
}
END_TEST

static trx_status make_any(trx_context *c, trxi_pool *p, const void *input)
{
    (void)input;
    trxi_solid_grid made;
    return trxi_solid_grid_create(c, p, &s.mesh, 0.05, &made);
}

START_TEST(memory_may_run_out_anywhere)
{
    make_l();
    ck_assert_int_gt(fail_every_allocation(make_any, NULL), 2);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("solid_grid");
    tcase_add_checked_fixture(tcase, open_pool, close_pool);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, cells_of_a_box_lie_inside_on_and_outside_its_surface);
    tcase_add_test(tcase, distances_in_the_corner_of_an_l_are_those_of_its_sides);
    tcase_add_test(tcase, the_hull_of_an_l_reaches_out_to_the_middle_of_its_opening);
    tcase_add_test(tcase, a_hull_thinner_than_a_cell_is_seen);
    tcase_add_test(tcase, a_hollow_without_an_opening_is_solid_and_an_opening_is_not);
    tcase_add_test(tcase, very_many_large_triangles_make_the_cells_larger);
    tcase_add_test(tcase, memory_may_run_out_anywhere);
    Suite *suite = suite_create("solid_grid");
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
