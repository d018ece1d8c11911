// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The OBJ reader: all forms of a face, what is passed over, what is refused and where, exhausted memory.

#include "base/random.h"
#include "formats/mesh_read.h"
#include "support/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static trx_status parse(const char *text, size_t length, trx_mesh *mesh)
{
    char *copy = exact_copy(text, length);
    trx_context_clear(context);
    trx_status status = trxi_obj_parse(context, pool, "a.obj", copy, length, mesh);
    free(copy);
    ck_assert((status == TRX_OK) == (mesh->ntriangle > 0));
    ck_assert_int_eq(trx_context_error_count(context), status == TRX_ERR_INPUT);
    return status;
}

static trx_mesh parse_good(const char *text)
{
    trx_mesh mesh;
    ck_assert_msg(parse(text, strlen(text), &mesh) == TRX_OK, "%s: %s", text, trx_context_message(context));
    return mesh;
}

static void assert_triangles(const trx_mesh *mesh, const int *triangles, int count)
{
    ck_assert_int_eq(mesh->ntriangle, count);
    for (int i = 0; i < 3 * count; i++) ck_assert_int_eq(mesh->triangles[i], triangles[i]);
}

static const char SQUARE[] = "# C:\\models\\\nmtllib a.mtl\no square # 1\nv 0 0 0\nv 1 0 0 1.0\n v 1 1 0 0.5 0.5 0.5 # red\n"
                             "V 0 1e0 0\r\nvt 0 0\nvn 0 0 1\nusemtl m\ns off\n";

START_TEST(every_form_of_a_corner_is_read)
{
    static const char *const faces[] = {"f 1 2 3 4", "f 1/1 2/1 3/1 4/1\n", "f 1//1 2//1 3//1 4//1", "F 1/1/1 2/1/1 3/1/1 4/1/1",
                                        "f -4 -3 -2 -1", "f -4/-1/-1 2//-1 \\\n 3 4 # round", "f 1 2 3\nf 1 3 4"};
    static const int fan[] = {0, 1, 2, 0, 2, 3};
    static const double vertices[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", SQUARE, faces[i]);
        trx_mesh mesh = parse_good(text);
        assert_triangles(&mesh, fan, 2);
        ck_assert_int_eq(mesh.nvertex, 4);
        ck_assert_mem_eq(mesh.vertices, vertices, sizeof vertices);
    }
}
END_TEST

START_TEST(a_polygon_is_a_fan_about_its_first_corner)
{
    trx_mesh mesh = parse_good("v 0 0 0\nv 2 0 0\nv 3 1 0\nv 2 2 0\nv 0 2 0\nf 3 4 5 1 2\n");
    static const int fan[] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
    static const double vertices[] = {3, 1, 0, 2, 2, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0};
    assert_triangles(&mesh, fan, 3);
    ck_assert_mem_eq(mesh.vertices, vertices, sizeof vertices);
}
END_TEST

START_TEST(faces_of_one_or_two_corners_are_passed_over)
{
    trx_mesh mesh = parse_good("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\nf 3\nf 1 2 3\n");
    static const int triangle[] = {0, 1, 2};
    assert_triangles(&mesh, triangle, 1);
}
END_TEST

START_TEST(backward_indices_count_from_their_line)
{
    trx_mesh mesh = parse_good("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -4 -1 -3\n");
    static const int triangles[] = {0, 1, 2, 0, 3, 1};
    assert_triangles(&mesh, triangles, 2);
}
END_TEST

START_TEST(vertices_may_come_after_their_faces)
{
    trx_mesh mesh = parse_good("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
    static const int triangle[] = {0, 1, 2};
    assert_triangles(&mesh, triangle, 1);
}
END_TEST

START_TEST(equal_and_unused_vertices_leave_no_trace)
{
    trx_mesh mesh = parse_good("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 0 0 1\nf 2 3 4\nf 5 6 3\nf 2 5 6\n");
    static const int triangles[] = {0, 1, 2, 0, 3, 1};
    assert_triangles(&mesh, triangles, 2);
    ck_assert_int_eq(mesh.nvertex, 4);
}
END_TEST

START_TEST(errors_have_their_place)
{
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } cases[] = {
        {"", 0, 0, "there is no triangle in this file"},
        {"v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3\n", 0, 0, "this file has 3 points, but no triangle or other face"},
        {"v 0 0 0\nv 1 0 0\nf 1 2 1\n", 0, 0, "each triangle in this file has two corners at the same point"},
        {"v 0 0", 1, 6, "a vertex has three coordinates, finite numbers, not the end"},
        {"v 0 0\n0", 1, 6, "a vertex has three coordinates, finite numbers, not the end"},
        {"v 0 x 0", 1, 5, "a vertex has three coordinates, finite numbers, not \"x\""},
        {"v 0 nan 0", 1, 5, "a vertex has three coordinates, finite numbers, not \"nan\""},
        {"v 0 0 1e999", 1, 7, "a vertex has three coordinates, finite numbers, not \"1e999\""},
        {"v 0 0 -2e12", 1, 7, "a coordinate beyond 1e12"},
        {"v 0,5 0 0", 1, 3, "a vertex has three coordinates, finite numbers, not \"0,5\""},
        {"v 0 0 0 red", 1, 9, "after a vertex come at most four numbers, its weight or colours, not \"red\""},
        {"v 0 0 0 1 1 1 1 1", 1, 17, "after a vertex come at most four numbers, its weight or colours, not \"1\""},
        {"f", 1, 1, "a face needs at least three corners, this one has 0"},
        {"v 0 0 0\nf 1 1 0", 2, 7, "a corner of a face is V, V/VT, V//VN or V/VT/VN with whole numbers other than 0, not \"0\""},
        {"f 1 2 3.5", 1, 7, "a corner of a face is V, V/VT, V//VN or V/VT/VN with whole numbers other than 0, not \"3.5\""},
        {"f 1/ 2 3", 1, 3, "a corner of a face is V, V/VT, V//VN or V/VT/VN with whole numbers other than 0, not \"1/\""},
        {"f 1// 2 3", 1, 3, "a corner of a face is V, V/VT, V//VN or V/VT/VN with whole numbers other than 0, not \"1//\""},
        {"f 1/1/ 2 3", 1, 3, "a corner of a face is V, V/VT, V//VN or V/VT/VN with whole numbers other than 0, not \"1/1/\""},
        {"f 1/1/1/1 2", 1, 3, "a corner of a face is V, V/VT, V//VN or V/VT/VN with whole numbers other than 0, not \"1/1/1/1\""},
        {"f /1 2 3", 1, 3, "a corner of a face is V, V/VT, V//VN or V/VT/VN with whole numbers other than 0, not \"/1\""},
        {"f 99999999999 2", 1, 3,
         "a corner of a face is V, V/VT, V//VN or V/VT/VN with whole numbers other than 0, not \"99999999999\""},
        {"v 0 0 0\nv 1 0 0\nf 1 -2 -3", 3, 8, "vertex -3: only 2 vertices stand before this line"},
        {"v 0 0 0\nv 1 0 0\nf 1 2 4\nf 1 2 2147483647 4\nv 1 1 1", 4, 7, "vertex 2147483647: the file has only 3"},
        {"v 0 0 0\nvertex 1 0 0", 2, 1, "a line begins with v, f, # or another statement of OBJ, not \"vertex\""},
        {"solid cube", 1, 1, "a line begins with v, f, # or another statement of OBJ, not \"solid\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trx_mesh mesh;
        ck_assert_msg(parse(cases[i].text, strlen(cases[i].text), &mesh) == TRX_ERR_INPUT, "%s", cases[i].text);
        trx_diagnostic found = trx_context_diagnostic(context, 0);
        ck_assert_str_eq(found.text, cases[i].says);
        ck_assert_msg(found.source.line == cases[i].line && found.source.column == cases[i].column, "%s: at %d:%d",
                      cases[i].text, found.source.line, found.source.column);
    }
}
END_TEST

START_TEST(damaged_files_never_do_more_than_fail)
{
    char whole[512], file[512];
    snprintf(whole, sizeof whole, "%sf 1/1/1 2/1/1 3/1/1 -1//-1\nf 1 2 3\n", SQUARE);
    int failed = 0, wrong = 0;
    for (uint64_t trial = 0; trial < 8000; trial++) {
        size_t length = strlen(whole);
        memcpy(file, whole, length);
        damage(file, length, trial);
        if (trial % 5 == 0) length = trxi_random_bits(trial, 9) % length;
        trx_mesh mesh;
        failed += parse(file, length, &mesh) == TRX_ERR_INPUT;
        for (int i = 0; i < 3 * mesh.ntriangle; i++)
            wrong += mesh.triangles[i] < 0 || mesh.triangles[i] >= mesh.nvertex;
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(failed, 1000);
    ck_assert_int_lt(failed, 7000);
}
END_TEST

static trx_status parse_counted(trx_context *counted, trxi_pool *its_pool, const void *text)
{
    trx_mesh mesh;
    return trxi_obj_parse(counted, its_pool, "a.obj", text, strlen(text), &mesh);
}

START_TEST(whatever_allocation_fails_nothing_is_lost)
{
    // more vertices and triangles than the first block of a pool holds
    enum { COUNT = 600 };
    static char text[COUNT * 40];
    size_t used = 0;
    for (int i = 0; i < COUNT; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "v %d %d 0\nf 1 2 %d\n", i, i * i, i + 1);
    ck_assert_int_ge(fail_every_allocation(parse_counted, text), 6);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/obj");
    TCase *cases = tcase_create("obj");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, every_form_of_a_corner_is_read);
    tcase_add_test(cases, a_polygon_is_a_fan_about_its_first_corner);
    tcase_add_test(cases, backward_indices_count_from_their_line);
    tcase_add_test(cases, faces_of_one_or_two_corners_are_passed_over);
    tcase_add_test(cases, vertices_may_come_after_their_faces);
    tcase_add_test(cases, equal_and_unused_vertices_leave_no_trace);
    tcase_add_test(cases, errors_have_their_place);
    tcase_add_test(cases, damaged_files_never_do_more_than_fail);
    tcase_add_test(cases, whatever_allocation_fails_nothing_is_lost);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
