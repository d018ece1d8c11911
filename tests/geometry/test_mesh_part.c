// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Parts of solids: cuts of convex solids share their volume exactly, also inside; sides of flat faces; empty sides.

#include "base/random.h"
#include "geometry/mesh.h"
#include "geometry/mesh_part.h"
#include "geometry/solids.h"
#include "math/vec3.h"
#include "support/parser.h"

#include <string.h>

static solid s;
static trxi_solid_grid grid;
static trxi_cutter cutter;

static trxi_mesh_part whole_part(void)
{
    trxi_mesh_part whole;
    ck_assert_int_eq(trxi_solid_grid_create(context, pool, &s.mesh, 0.02, &grid), TRX_OK);
    cutter = (trxi_cutter){.context = context, .pool = pool, .mesh = &s.mesh, .grid = &grid, .closed = true, .eps = 1e-10,
                           .thickness = 1e-3, .mark = TRXI_POOL(pool, int, s.mesh.nvertex)};
    ck_assert_int_eq(trxi_part_whole(&cutter, &whole), TRX_OK);
    return whole;
}

static void split(const trxi_mesh_part *part, const double n[3], double d, trxi_mesh_part sides[2])
{
    const double plane[4] = {n[0], n[1], n[2], d};
    ck_assert_int_eq(trxi_part_split(&cutter, part, plane, sides), TRX_OK);
}

// divides `depth` times by random planes near the middle; the volumes of the parts add up
static double volume_in_parts(const trxi_mesh_part *part, int depth, uint64_t seed)
{
    if (!part->hull) return 0;
    if (depth == 0) return part->hull->volume;
    double n[3];
    for (uint64_t a = 0; a < 3; a++) n[a] = trxi_random_normal(seed, a);
    trxi_normalize3(n, n);
    trxi_mesh_part sides[2];
    split(part, n, trxi_dot3(n, part->hull->centre) + 0.02 * trxi_random_normal(seed, 3), sides);
    return volume_in_parts(&sides[0], depth - 1, 2 * seed + 1) + volume_in_parts(&sides[1], depth - 1, 2 * seed + 2);
}

START_TEST(the_volumes_of_the_parts_of_a_convex_solid_add_up)
{
    // 64 parts; the inner ones have no surface at all
    for (int shape = 0; shape < 2; shape++) {
        if (shape == 0) make_box(&s, (double[3]){1, 0.8, 0.6}, (double[3]){0.1, 0.2, 0.3});
        else make_icosphere(&s, 3);
        const trxi_mesh_part whole = whole_part();
        ck_assert(whole.excess < grid.h);
        for (uint64_t seed = 1; seed < 4; seed++)
            assert_close(volume_in_parts(&whole, 6, seed), whole.hull->volume, 1e-6 * whole.hull->volume);
    }
}
END_TEST

START_TEST(a_flat_side_in_a_cut_belongs_to_its_solid)
{
    make_cells(&s, (int[3]){4, 3, 1}, "#..."
                                      "#..."
                                      "####",
               0.1);
    const trxi_mesh_part whole = whole_part();
    trxi_mesh_part sides[2], flipped[2];
    split(&whole, (double[3]){0, 1, 0}, 0.2, sides);
    split(&whole, (double[3]){0, -1, 0}, -0.2, flipped);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(sides[i].hull->nvertex, 8);
        ck_assert(sides[i].excess == 0);
        assert_close(sides[i].hull->volume, i ? 0.004 : 0.002, 1e-12);
        assert_close(flipped[1 - i].hull->volume, sides[i].hull->volume, 1e-12);
    }
    trxi_mesh_part joined;
    ck_assert_int_eq(trxi_part_join(&cutter, &sides[0], &sides[1], &joined), TRX_OK);
    assert_close(joined.hull->volume, whole.hull->volume, 1e-12);
    assert_close(joined.excess, whole.excess, 1e-12);
}
END_TEST

START_TEST(a_plane_beside_the_solid_leaves_one_side_empty)
{
    make_box(&s, (double[3]){1, 1, 1}, (double[3]){0, 0, 0});
    const trxi_mesh_part whole = whole_part();
    trxi_mesh_part sides[2];
    split(&whole, (double[3]){1, 0, 0}, 0.505, sides);
    ck_assert_ptr_null(sides[1].hull);
    ck_assert_int_eq(sides[1].ntriangle, 0);
    assert_close(sides[0].hull->volume, 1, 1e-12);
}
END_TEST

START_TEST(a_sheet_gets_some_thickness)
{
    make_box(&s, (double[3]){1, 1, 1}, (double[3]){0, 0, 0});
    for (int t = 0; t < 12; t++) {
        double normal[3];
        trxi_triangle_normal(&s.mesh, t, normal);
        if (!(normal[0] > 0.5)) continue;
        // two squares at a distance; the cut leaves one square on each side
        memmove(s.triangles, s.triangles + 3 * t, 6 * sizeof *s.triangles);
        break;
    }
    const int left[6] = {0, 2, 4, 2, 6, 4};
    memcpy(s.triangles + 6, left, sizeof left);
    s.mesh.ntriangle = 4;
    const trxi_mesh_part whole = whole_part();
    trxi_mesh_part sides[2];
    split(&whole, (double[3]){1, 0, 0}, 0, sides);
    for (int i = 0; i < 2; i++) assert_close(sides[i].hull->volume, 1e-3, 1e-5);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("mesh_part");
    tcase_add_checked_fixture(tcase, open_pool, close_pool);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, the_volumes_of_the_parts_of_a_convex_solid_add_up);
    tcase_add_test(tcase, a_flat_side_in_a_cut_belongs_to_its_solid);
    tcase_add_test(tcase, a_plane_beside_the_solid_leaves_one_side_empty);
    tcase_add_test(tcase, a_sheet_gets_some_thickness);
    Suite *suite = suite_create("mesh_part");
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
