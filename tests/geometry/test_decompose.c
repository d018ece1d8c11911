// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Convex decomposition: the parts of an L, a U, a mug and a torus. Parts are convex, cover the mesh and its solid, and stay within
// the tolerance, measured without the grid. Every run gives the same parts. Meshes that are no solids have parts too.

#include "base/random.h"
#include "geometry/decompose.h"
#include "geometry/hull.h"
#include "geometry/mesh.h"
#include "geometry/solids.h"
#include "math/vec3.h"
#include "support/parser.h"

#include <math.h>
#include <string.h>

// the share of a tolerance: sanitizers see coarser grids
#define SHARE(share) (SANITIZED ? 0.08 : (share))

static const double pi = 3.14159265358979323846;
static solid s;
static trxi_convex_parts parts;
static const trxi_hull *hulls[TRX_MOST_PARTS];

static void decompose(int most, double share)
{
    trx_decomposition settings = trx_decomposition_default();
    settings.most = most, settings.share = share;
    ck_assert_msg(trxi_decompose(context, pool, &s.mesh, &settings, &parts) == TRX_OK, "%s", trx_context_message(context));
    ck_assert(parts.npart >= 1 && parts.npart <= most);
    for (int i = 0; i < parts.npart; i++)
        ck_assert_int_eq(trxi_hull_create(context, pool, &parts.parts[i], &hulls[i]), TRX_OK);
}

static double volume_of(const trx_mesh *mesh)
{
    trxi_mesh_integrals sums;
    trxi_mesh_integrate(mesh, &sums);
    return sums.volume;
}

// each part is closed, and its own hull: all its vertices are corners
static void check_convex(void)
{
    for (int i = 0; i < parts.npart; i++) {
        trxi_mesh_integrals sums;
        ck_assert_ptr_null(trxi_mesh_defect(&parts.parts[i]));
        trxi_mesh_integrate(&parts.parts[i], &sums);
        ck_assert(sums.closed && sums.volume > 0);
        ck_assert_int_eq(hulls[i]->nvertex, parts.parts[i].nvertex);
        assert_close(sums.volume, hulls[i]->volume, 1e-4 * sums.volume);
    }
}

// largest height over the planes of a part's faces [m]: the signed distance inside the part, at most the distance outside
static double height_over(const trxi_hull *hull, const double x[3])
{
    double r[3], height = -INFINITY;
    trxi_sub3(x, hull->centre, r);
    for (int f = 0; f < hull->nface; f++)
        height = fmax(height, trxi_dot3(hull->faces + 4 * f, r) - hull->faces[4 * f + 3]);
    return height;
}

static double height_over_parts(const double x[3])
{
    double least = INFINITY;
    for (int i = 0; i < parts.npart; i++) least = fmin(least, height_over(hulls[i], x));
    return least;
}

// random points of the triangles lie in some part
static void check_surface_covered(double slack)
{
    double worst = -INFINITY;
    for (uint64_t i = 0; i < SAMPLES(4000); i++) {
        const int t = (int)(trxi_random_bits(5, i) % (uint64_t)s.mesh.ntriangle), *corner = s.mesh.triangles + 3 * t;
        double u = trxi_random_uniform(6, i), w = trxi_random_uniform(7, i), x[3];
        if (u + w > 1) u = 1 - u, w = 1 - w;
        for (int a = 0; a < 3; a++)
            x[a] = (1 - u - w) * s.mesh.vertices[3 * corner[0] + a] + u * s.mesh.vertices[3 * corner[1] + a] +
                   w * s.mesh.vertices[3 * corner[2] + a];
        worst = fmax(worst, height_over_parts(x));
    }
    assert_below(worst, slack);
}

typedef double distance(const double x[3]);

// Random points in the box of the mesh: a point of the solid lies in a part, and a point of a part is no farther from the solid
// than the tolerance and a cell.
static void check_solid(distance *from_solid, double slack)
{
    trxi_mesh_integrals box;
    trxi_mesh_integrate(&s.mesh, &box);
    double missing = -INFINITY, beyond = -INFINITY;
    for (uint64_t i = 0; i < SAMPLES(40000); i++) {
        double x[3];
        for (uint64_t a = 0; a < 3; a++)
            x[a] = box.box_lower[a] + trxi_random_uniform(11 + a, i) * (box.box_upper[a] - box.box_lower[a]);
        const double d = from_solid(x), height = height_over_parts(x);
        if (d <= 0) missing = fmax(missing, height);
        if (height <= 0) beyond = fmax(beyond, d);
    }
    assert_below(missing, slack);
    assert_below(beyond, fmax(parts.tolerance, parts.excess) + parts.cell);
}

// ---- solids ----

START_TEST(an_l_is_two_boxes)
{
    make_cells(&s, (int[3]){4, 3, 1}, "#..."
                                      "#..."
                                      "####",
               0.1);
    decompose(32, 0.02);
    check_convex();
    ck_assert_int_eq(parts.npart, 2);
    ck_assert(parts.parts[0].nvertex == 8 && parts.parts[1].nvertex == 8);
    assert_close(volume_of(&parts.parts[0]) + volume_of(&parts.parts[1]), 0.006, 1e-12);
    check_surface_covered(1e-12);
}
END_TEST

START_TEST(a_u_is_three_boxes_also_when_it_is_turned)
{
    for (int turned = 0; turned < 2; turned++) {
        make_cells(&s, (int[3]){4, 3, 1}, "#..#"
                                          "#..#"
                                          "####",
                   0.1);
        move_solid(&s, (double[3]){1, 2, 3}, turned * 0.7, (double[3]){turned * 0.3, 0, 0});
        decompose(32, 0.02);
        check_convex();
        ck_assert_int_eq(parts.npart, 3);
        double volume = 0;
        for (int i = 0; i < 3; i++) volume += volume_of(&parts.parts[i]);
        assert_close(volume, 0.008, 1e-9);
        check_surface_covered(1e-9);
    }
}
END_TEST

static void make_torus(int sides, int n)
{
    double ring[64][2];
    for (int i = 0; i < sides; i++)
        ring[i][0] = 0.08 + 0.02 * cos(2 * pi * i / sides), ring[i][1] = 0.02 * sin(2 * pi * i / sides);
    make_lathe(&s, (const double(*)[2])ring, sides, n);
}

static double from_torus(const double x[3])
{
    return hypot(hypot(x[0], x[1]) - 0.08, x[2]) - 0.02;
}

START_TEST(the_hole_of_a_torus_stays_open)
{
    make_torus(16, 64);
    decompose(32, SHARE(0.03));
    check_convex();
    ck_assert_int_ge(parts.npart, 6);
    assert_below(parts.excess, parts.tolerance);
    check_surface_covered(1e-9);
    // the polygon of 64 is inside the circle by 0.1 (1 - cos(pi/64)), that of 16 by 0.02 (1 - cos(pi/16))
    check_solid(from_torus, 0.1 * (1 - cos(pi / 64)) + 0.02 * (1 - cos(pi / 16)));
    for (int k = -10; k <= 10; k++) ck_assert(height_over_parts((double[3]){0, 0, 0.003 * k}) > 0.02);
}
END_TEST

static double from_cup(const double x[3])
{
    // outer radius 0.04, height 0.09, wall and bottom 0.004; a point beside the cup is measured from the handle as well
    const double r = hypot(x[0], x[1]), dz = fmax(-x[2], x[2] - 0.09);
    const double handle = hypot(hypot(x[0] - 0.038, x[2] - 0.045) - 0.027, x[1]) - 0.002;
    const double outside = hypot(fmax(r - 0.04, 0), fmax(dz, 0));
    const double inside = fmin(0.036 - r, x[2] - 0.004);
    const double cup = outside > 0 ? outside : inside > 0 ? inside : -1;
    return x[0] > 0.037 ? fmin(cup, handle) : cup;
}

START_TEST(a_mug_is_open_and_so_is_its_handle)
{
    make_mug(&s, 0.04, 0.09, 0.004);
    decompose(48, SANITIZED ? 0.05 : 0.02);
    check_convex();
    assert_below(parts.excess, parts.tolerance);
    check_surface_covered(1e-9);
    check_solid(from_cup, 0.04 * (1 - cos(pi / 32)) + 0.002 * (1 - cos(pi / 8)) + 0.029 * (1 - cos(pi / 16)));
    for (int k = 0; k < 20; k++) ck_assert(height_over_parts((double[3]){0, 0, 0.01 + 0.004 * k}) > 0);
    ck_assert(height_over_parts((double[3]){0.052, 0, 0.045}) > 0);
}
END_TEST

START_TEST(the_inside_of_a_thick_solid_belongs_to_the_parts)
{
    // a cube with a notch in the middle of each side: cuts leave cells without any surface
    char cells[343];
    memset(cells, '#', sizeof cells);
    const int notches[6] = {3 * 49 + 3 * 7, 3 * 49 + 3 * 7 + 6, 3 * 49 + 3, 3 * 49 + 45, 24, 6 * 49 + 24};
    for (int i = 0; i < 6; i++) cells[notches[i]] = '.';
    make_cells(&s, (int[3]){7, 7, 7}, cells, 0.1);
    decompose(64, 0.02);
    check_convex();
    int missing = 0;
    for (int x = 0; x < 7; x++)
        for (int y = 0; y < 7; y++)
            for (int z = 0; z < 7; z++) {
                const double p[3] = {0.1 * x + 0.05, 0.1 * y + 0.05, 0.1 * z + 0.05};
                const bool filled = cells[(z * 7 + y) * 7 + x] == '#';
                if (filled) missing += height_over_parts(p) > 1e-9;
                else ck_assert(height_over_parts(p) > 0.02);
            }
    ck_assert_int_eq(missing, 0);
}
END_TEST

START_TEST(a_convex_mesh_is_one_part_its_hull)
{
    make_icosphere(&s, 4);
    decompose(32, 0.02);
    ck_assert_int_eq(parts.npart, 1);
    ck_assert_int_eq(parts.parts[0].nvertex, s.mesh.nvertex);
    ck_assert(parts.excess == 0);
}
END_TEST

START_TEST(few_parts_reach_out_farther_and_say_so)
{
    make_torus(8, 24);
    decompose(4, 0.05);
    ck_assert_int_le(parts.npart, 4);
    check_surface_covered(1e-9);
    ck_assert(parts.excess > parts.tolerance);
    const double coarse = parts.excess;
    check_solid(from_torus, 2.5e-3);
    decompose(10, 0.05);
    ck_assert(parts.excess < coarse);
}
END_TEST

START_TEST(every_run_gives_the_same_parts)
{
    make_torus(8, 24);
    decompose(24, 0.05);
    const trxi_convex_parts first = parts;
    decompose(24, 0.05);
    ck_assert_int_eq(first.npart, parts.npart);
    for (int i = 0; i < parts.npart; i++) {
        const trx_mesh *a = &first.parts[i], *b = &parts.parts[i];
        ck_assert(a->nvertex == b->nvertex && a->ntriangle == b->ntriangle);
        ck_assert_mem_eq(a->vertices, b->vertices, 3 * (size_t)a->nvertex * sizeof *a->vertices);
        ck_assert_mem_eq(a->triangles, b->triangles, 3 * (size_t)a->ntriangle * sizeof *a->triangles);
    }
}
END_TEST

// ---- meshes that are no solids ----

START_TEST(a_box_of_sheets_without_a_lid_is_open)
{
    // five squares of no thickness, each as two triangles
    make_box(&s, (double[3]){0.2, 0.2, 0.2}, (double[3]){0, 0, 0});
    int kept = 0;
    for (int t = 0; t < 12; t++) {
        double top = INFINITY;
        for (int k = 0; k < 3; k++) top = fmin(top, s.vertices[3 * s.triangles[3 * t + k] + 2]);
        if (top > 0) continue;
        memmove(s.triangles + 3 * kept++, s.triangles + 3 * t, 3 * sizeof *s.triangles);
    }
    ck_assert_int_eq(kept, 10);
    s.mesh.ntriangle = kept;
    decompose(32, 0.03);
    check_convex();
    check_surface_covered(1e-9);
    ck_assert_int_eq(parts.npart, 5);
    assert_below(parts.excess, parts.tolerance);
    for (int k = 0; k < 10; k++) ck_assert(height_over_parts((double[3]){0, 0, -0.08 + 0.02 * k}) > 0);
}
END_TEST

START_TEST(any_triangles_have_parts_that_cover_them)
{
    for (uint64_t trial = 0; trial < 12; trial += SANITIZED ? 4 : 2) {
        const int nvertex = 4 + (int)(trxi_random_bits(trial, 0) % 40), ntriangle = 1 + (int)(trxi_random_bits(trial, 1) % 60);
        for (int i = 0; i < 3 * nvertex; i++) s.vertices[i] = trxi_random_normal(trial, 10 + (uint64_t)i);
        for (int i = 0; i < 3 * ntriangle; i++)
            s.triangles[i] = (int)(trxi_random_bits(trial, 1000 + (uint64_t)i) % (uint64_t)nvertex);
        s.mesh = (trx_mesh){"soup", nvertex, s.vertices, ntriangle, s.triangles};
        decompose(12, 0.05);
        check_convex();
        check_surface_covered(1e-8);
    }
}
END_TEST

START_TEST(a_flat_mesh_has_no_parts)
{
    make_box(&s, (double[3]){0.2, 0.2, 0.2}, (double[3]){0, 0, 0});
    for (int i = 0; i < 8; i++) s.vertices[3 * i] = 0;
    trx_decomposition settings = trx_decomposition_default();
    settings.most = 8;
    ck_assert_int_eq(trxi_decompose(context, pool, &s.mesh, &settings, &parts), TRX_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(context), "one plane"));
}
END_TEST

// before, sheets had parts too thin for a hull
START_TEST(sheets_are_divided_at_any_tolerance)
{
    // the floor and one wall of a box
    static const double corners[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1};
    static const int sheets[] = {0, 1, 2, 0, 2, 3, 0, 5, 1, 0, 4, 5};
    s.mesh = (trx_mesh){"angle", 6, corners, 4, sheets};
    decompose(2, 1e-9);
    ck_assert_int_eq(parts.npart, 2);
    check_convex();
    check_surface_covered(1e-6);
}
END_TEST

START_TEST(a_mesh_beyond_all_sizes_is_refused)
{
    static const double scales[] = {1e-300, 1e16, 1.7e308};
    const trx_decomposition settings = {.most = 4, .tolerance = NAN, .share = 0.1};
    for (int k = 0; k < 3; k++) {
        make_box(&s, (double[]){2, 2, 2}, (double[]){0, 0, 0});
        for (int i = 0; i < 3 * s.mesh.nvertex; i++) s.vertices[i] *= scales[k];
        ck_assert_int_eq(trxi_decompose(context, pool, &s.mesh, &settings, &parts), TRX_ERR_INPUT);
    }
}
END_TEST

START_TEST(settings_without_sense_are_named)
{
    trx_decomposition d = trx_decomposition_default();
    ck_assert_ptr_null(trxi_decomposition_defect(&d));
    d.most = 257;
    ck_assert_ptr_nonnull(strstr(trxi_decomposition_defect(&d), "256"));
    d.most = 4, d.tolerance = 0;
    ck_assert_ptr_nonnull(strstr(trxi_decomposition_defect(&d), "tolerance"));
    d.tolerance = NAN, d.share = 1.5;
    ck_assert_ptr_nonnull(strstr(trxi_decomposition_defect(&d), "share"));
}
END_TEST

static trx_status decompose_any(trx_context *c, trxi_pool *p, const void *input)
{
    (void)input;
    trx_decomposition settings = trx_decomposition_default();
    settings.most = 4, settings.share = 0.15;
    trxi_convex_parts made;
    return trxi_decompose(c, p, &s.mesh, &settings, &made);
}

START_TEST(memory_may_run_out_anywhere)
{
    make_cells(&s, (int[3]){2, 2, 1}, "#."
                                      "##",
               0.1);
    ck_assert_int_gt(fail_every_allocation(decompose_any, NULL), 50);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("decompose");
    tcase_add_checked_fixture(tcase, open_pool, close_pool);
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, an_l_is_two_boxes);
    tcase_add_test(tcase, a_u_is_three_boxes_also_when_it_is_turned);
    tcase_add_test(tcase, the_hole_of_a_torus_stays_open);
    tcase_add_test(tcase, a_mug_is_open_and_so_is_its_handle);
    tcase_add_test(tcase, the_inside_of_a_thick_solid_belongs_to_the_parts);
    tcase_add_test(tcase, a_convex_mesh_is_one_part_its_hull);
    tcase_add_test(tcase, few_parts_reach_out_farther_and_say_so);
    tcase_add_test(tcase, every_run_gives_the_same_parts);
    tcase_add_test(tcase, a_box_of_sheets_without_a_lid_is_open);
    tcase_add_test(tcase, any_triangles_have_parts_that_cover_them);
    tcase_add_test(tcase, a_flat_mesh_has_no_parts);
    tcase_add_test(tcase, sheets_are_divided_at_any_tolerance);
    tcase_add_test(tcase, a_mesh_beyond_all_sizes_is_refused);
    tcase_add_test(tcase, settings_without_sense_are_named);
    tcase_add_test(tcase, memory_may_run_out_anywhere);
    Suite *suite = suite_create("decompose");
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
