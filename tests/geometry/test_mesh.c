// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Integrals over meshes against closed forms, what becomes of flat, open and reversed ones, defects.

#include "base/random.h"
#include "geometry/mesh.h"
#include "geometry/solids.h"
#include "math/vec3.h"
#include "support/support.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

START_TEST(a_box_has_its_volume_centre_and_moments)
{
    static solid s;
    const double size[3] = {0.2, 0.5, 1.5}, c[3] = {3, -2, 0.25};
    make_box(&s, size, c);
    trxi_mesh_integrals x;
    trxi_mesh_integrate(&s.mesh, &x);
    const double V = 0.2 * 0.5 * 1.5;
    assert_close(x.volume, V, 1e-15);
    ck_assert(x.closed);
    for (int a = 0; a < 3; a++) {
        double y = size[(a + 1) % 3], z = size[(a + 2) % 3];
        assert_close(x.com[a], c[a], 1e-14);
        assert_close(x.moment[a], V / 12 * (y * y + z * z), 1e-15);
        assert_close(x.moment[3 + a], 0, 1e-15);
        assert_close(x.box_lower[a], c[a] - size[a] / 2, 1e-15);
        assert_close(x.box_upper[a], c[a] + size[a] / 2, 1e-15);
    }
}
END_TEST

START_TEST(a_tetrahedron_has_products_of_inertia)
{
    // about its corner: int x^2 = V a^2/10, int x y = V a b/20; about the centre of mass less V a^2/16, V a b/16
    static solid s;
    const double e[3] = {0.3, 0.7, 1.1}, V = 0.3 * 0.7 * 1.1 / 6;
    make_corner(&s, e);
    trxi_mesh_integrals x;
    trxi_mesh_integrate(&s.mesh, &x);
    assert_close(x.volume, V, 1e-16);
    for (int a = 0; a < 3; a++) {
        double y = e[(a + 1) % 3], z = e[(a + 2) % 3];
        assert_close(x.com[a], e[a] / 4, 1e-15);
        assert_close(x.moment[a], 3 * V / 80 * (y * y + z * z), 1e-15);
    }
    assert_close(x.moment[3], V * e[0] * e[1] / 80, 1e-16);
    assert_close(x.moment[4], V * e[0] * e[2] / 80, 1e-16);
    assert_close(x.moment[5], V * e[1] * e[2] / 80, 1e-16);
    ck_assert(x.moment[3] > 1e-4);
}
END_TEST

START_TEST(an_icosphere_tends_to_the_ball_quadratically)
{
    static solid s;
    double errors[3][2];
    for (int level = 0; level < 3; level++) {
        make_icosphere(&s, 4 << level);
        trxi_mesh_integrals x;
        trxi_mesh_integrate(&s.mesh, &x);
        ck_assert(x.closed);
        ck_assert_int_eq(s.mesh.nvertex, 2 + 10 * (4 << level) * (4 << level));
        assert_close(max_magnitude(x.com, 3), 0, 1e-14);
        errors[level][0] = 4 * pi / 3 - x.volume;
        errors[level][1] = 8 * pi / 15 - x.moment[1];
        assert_close(x.moment[0], x.moment[2], 1e-13);
    }
    for (int i = 0; i < 2; i++)
        for (int level = 1; level < 3; level++) assert_close(errors[level - 1][i] / errors[level][i], 4, 0.25);
    assert_below(errors[2][0], 0.03);
}
END_TEST

// moment tensor as a matrix
static void matrix_of(const double moment[6], double M[9])
{
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int i = 0; i < 9; i++) M[i] = moment[place[i]];
}

START_TEST(the_integrals_move_with_the_mesh)
{
    static solid s;
    const double e[3] = {0.3, 0.7, 1.1}, axis[3] = {1, 2, -1}, by[3] = {100, -50, 20}, none[3] = {0, 0, 0};
    trxi_mesh_integrals here, there;
    make_corner(&s, e);
    trxi_mesh_integrate(&s.mesh, &here);
    move_solid(&s, axis, 0.9, none);
    double R_com[3], M[9], rotated[9], R[9], RM[9];
    for (int j = 0; j < 3; j++) trxi_scale3(1 / e[j], s.vertices + 3 * (j + 1), R + 3 * j);
    move_solid(&s, axis, 0, by);
    trxi_mesh_integrate(&s.mesh, &there);
    trxi_mulv3(R, here.com, R_com);
    trxi_add3(R_com, by, R_com);
    matrix_of(here.moment, M);
    trxi_mul33(R, M, RM);
    trxi_mul33_bt(RM, R, M);
    matrix_of(there.moment, rotated);
    assert_close(there.volume, here.volume, 1e-13);
    assert_below(max_difference(there.com, R_com, 3), 1e-12);
    assert_below(max_difference(rotated, M, 9), 1e-14);
    ck_assert(max_magnitude(M, 9) > 1e-3);
}
END_TEST

static void turn_inside_out(int *triangles, int count)
{
    for (int t = 0; t < count; t++) {
        int held = triangles[3 * t];
        triangles[3 * t] = triangles[3 * t + 1];
        triangles[3 * t + 1] = held;
    }
}

START_TEST(inside_out_means_negative_with_the_same_centre)
{
    static solid s;
    const double e[3] = {0.3, 0.7, 1.1};
    trxi_mesh_integrals out, in;
    make_corner(&s, e);
    trxi_mesh_integrate(&s.mesh, &out);
    turn_inside_out(s.triangles, s.mesh.ntriangle);
    trxi_mesh_integrate(&s.mesh, &in);
    assert_close(in.volume, -out.volume, 1e-16);
    assert_below(max_difference(in.com, out.com, 3), 1e-15);
    for (int k = 0; k < 6; k++) assert_close(in.moment[k], -out.moment[k], 1e-16);
    ck_assert(in.closed);
}
END_TEST

START_TEST(a_box_inside_out_within_a_box_is_a_hole)
{
    static solid s, hole;
    const double outer[3] = {1, 1, 1}, inner[3] = {0.5, 0.5, 0.5}, c[3] = {0, 0, 0}, shifted[3] = {0.2, 0, 0};
    make_box(&s, outer, c);
    make_box(&hole, inner, shifted);
    turn_inside_out(hole.triangles, 12);
    memcpy(s.vertices + 24, hole.vertices, 24 * sizeof(double));
    for (int i = 0; i < 36; i++) s.triangles[36 + i] = 8 + hole.triangles[i];
    s.mesh.nvertex = 16, s.mesh.ntriangle = 24;
    trxi_mesh_integrals x;
    trxi_mesh_integrate(&s.mesh, &x);
    assert_close(x.volume, 0.875, 1e-15);
    assert_close(x.com[0], -0.2 * 0.125 / 0.875, 1e-15);
    ck_assert(x.closed);
}
END_TEST

START_TEST(a_missing_or_turned_triangle_is_seen)
{
    static solid s;
    trxi_mesh_integrals x;
    make_icosphere(&s, 3);
    for (int t = 0; t < s.mesh.ntriangle; t++) {
        int held[3];
        memcpy(held, s.triangles + 3 * t, sizeof held);
        turn_inside_out(s.triangles + 3 * t, 1);
        trxi_mesh_integrate(&s.mesh, &x);
        ck_assert(!x.closed);
        memcpy(s.triangles + 3 * t, held, sizeof held);
    }
    s.mesh.ntriangle--;
    trxi_mesh_integrate(&s.mesh, &x);
    ck_assert(!x.closed);
    s.mesh.ntriangle++;
    trxi_mesh_integrate(&s.mesh, &x);
    ck_assert(x.closed);
}
END_TEST

START_TEST(two_solids_that_share_an_edge_are_closed)
{
    // boxes that touch along an edge: four triangles meet there
    static solid s, other;
    const double size[3] = {1, 1, 1}, c[3] = {0, 0, 0}, beside[3] = {1, 1, 0};
    make_box(&s, size, c);
    make_box(&other, size, beside);
    int numbers[8];
    for (int i = 0; i < 8; i++) {
        numbers[i] = s.mesh.nvertex;
        for (int j = 0; j < 8; j++)
            if (max_difference(s.vertices + 3 * j, other.vertices + 3 * i, 3) < 1e-12) numbers[i] = j;
        if (numbers[i] == s.mesh.nvertex) memcpy(s.vertices + 3 * s.mesh.nvertex++, other.vertices + 3 * i, 24);
    }
    ck_assert_int_eq(s.mesh.nvertex, 14);
    for (int i = 0; i < 36; i++) s.triangles[36 + i] = numbers[other.triangles[i]];
    s.mesh.ntriangle = 24;
    trxi_mesh_integrals x;
    trxi_mesh_integrate(&s.mesh, &x);
    ck_assert(x.closed);
    assert_close(x.volume, 2, 1e-15);
}
END_TEST

START_TEST(an_open_box_is_closed_from_the_centroid_of_its_surface)
{
    // without its top (two triangles) of area 1: five sides, centroid at z = -1/10; the cone misses a pyramid of height 0.6
    static solid s;
    const double size[3] = {1, 1, 1}, c[3] = {0, 0, 0};
    make_box(&s, size, c);
    memmove(s.triangles + 6, s.triangles + 12, 24 * sizeof(int));
    s.mesh.ntriangle = 10;
    // the sides z = -1/2 and z = 1/2 of make_box are missing; puts the first back
    static const int bottom[6] = {0, 2, 1, 1, 2, 3};
    memcpy(s.triangles, bottom, sizeof bottom);
    trxi_mesh_integrals x;
    trxi_mesh_integrate(&s.mesh, &x);
    ck_assert(!x.closed);
    assert_close(x.volume, 1 - 0.6 / 3, 1e-15);
}
END_TEST

START_TEST(a_flat_mesh_has_no_volume_and_the_centre_of_its_surface)
{
    static solid s;
    trxi_mesh_integrals x;
    // a quadrilateral in random planes, from both sides
    for (uint64_t trial = 0; trial < 50; trial++) {
        const double corners[12] = {0, 0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 0};
        static const int triangles[12] = {0, 1, 2, 0, 2, 3, 0, 2, 1, 0, 3, 2};
        memcpy(s.vertices, corners, sizeof corners);
        memcpy(s.triangles, triangles, sizeof triangles);
        s.mesh = (trx_mesh){NULL, 4, s.vertices, trial % 2 ? 4 : 2, s.triangles};
        double axis[3], by[3];
        for (uint64_t a = 0; a < 3; a++) {
            axis[a] = trxi_random_normal(trial, a);
            by[a] = 10 * trxi_random_normal(trial, 3 + a);
        }
        move_solid(&s, axis, 1 + (double)trial, by);
        double middle[3];
        for (int a = 0; a < 3; a++) middle[a] = 0.5 * (s.vertices[a] + s.vertices[6 + a]);
        trxi_mesh_integrate(&s.mesh, &x);
        ck_assert(x.volume == 0 && max_magnitude(x.moment, 6) == 0);
        assert_below(max_difference(x.com, middle, 3), 1e-13);
        ck_assert(x.closed == (trial % 2 == 1));
    }
}
END_TEST

START_TEST(a_thin_plate_is_not_flat)
{
    static solid s;
    const double size[3] = {1, 1, 1e-6}, c[3] = {5, 5, 5};
    make_box(&s, size, c);
    trxi_mesh_integrals x;
    trxi_mesh_integrate(&s.mesh, &x);
    assert_close(x.volume, 1e-6, 1e-14);
    assert_below(max_difference(x.com, c, 3), 1e-8);
}
END_TEST

START_TEST(defects_are_told_apart)
{
    static solid s;
    const double e[3] = {1, 1, 1};
    make_corner(&s, e);
    ck_assert_ptr_null(trxi_mesh_defect(&s.mesh));
    trx_mesh mesh = s.mesh;
    mesh.nvertex = 0;
    ck_assert_str_eq(trxi_mesh_defect(&mesh), "the mesh has no vertices");
    mesh = s.mesh;
    mesh.ntriangle = 0;
    ck_assert_str_eq(trxi_mesh_defect(&mesh), "the mesh has no triangles");
    for (int bad = 0; bad < 2; bad++) {
        s.triangles[5] = bad ? 4 : -1;
        ck_assert_str_eq(trxi_mesh_defect(&s.mesh), "a triangle of the mesh names a vertex that it does not have");
    }
    for (int bad = 0; bad < 2; bad++) {
        s.vertices[11] = bad ? NAN : -INFINITY;
        ck_assert_str_eq(trxi_mesh_defect(&s.mesh), "a vertex of the mesh is not finite");
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("geometry/mesh");
    TCase *cases = tcase_create("mesh");
    tcase_add_test(cases, a_box_has_its_volume_centre_and_moments);
    tcase_add_test(cases, a_tetrahedron_has_products_of_inertia);
    tcase_add_test(cases, an_icosphere_tends_to_the_ball_quadratically);
    tcase_add_test(cases, the_integrals_move_with_the_mesh);
    tcase_add_test(cases, inside_out_means_negative_with_the_same_centre);
    tcase_add_test(cases, a_box_inside_out_within_a_box_is_a_hole);
    tcase_add_test(cases, a_missing_or_turned_triangle_is_seen);
    tcase_add_test(cases, two_solids_that_share_an_edge_are_closed);
    tcase_add_test(cases, an_open_box_is_closed_from_the_centroid_of_its_surface);
    tcase_add_test(cases, a_flat_mesh_has_no_volume_and_the_centre_of_its_surface);
    tcase_add_test(cases, a_thin_plate_is_not_flat);
    tcase_add_test(cases, defects_are_told_apart);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
