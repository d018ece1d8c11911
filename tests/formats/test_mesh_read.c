// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Mesh files: which names have a parser, what a mesh is called, what is refused, exhausted memory.

#define _DEFAULT_SOURCE // mkstemps

#include "formats/mesh_read.h"
#include "support/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char TRIANGLE[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

// writes a file whose name ends in `ending` of `length` letters
static void make_file(char *path, int length, const char *text)
{
    int file = mkstemps(path, length);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq((int)write(file, text, strlen(text)), (int)strlen(text));
    close(file);
}

START_TEST(the_ending_of_a_name_decides)
{
    static const char *const good[] = {"a.stl", "folder.x/a.OBJ", "a.b.Stl", ".obj", "a.dae", "a.DAE", "a.glb", "a.ply", "a.msh"};
    static const char *const bad[] = {"", "stl", "a.stl2", "a.obj/b", "a.gltf", "a.stl ", "a."};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) ck_assert_msg(trxi_mesh_has_parser(good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) ck_assert_msg(!trxi_mesh_has_parser(bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(a_mesh_is_called_after_its_file)
{
    static const char *const kinds[] = {".obj", ".STL"};
    static const char *const texts[] = {
        TRIANGLE, "solid\nfacet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet\nendsolid\n"};
    for (int i = 0; i < 2; i++) {
        char path[TEMPORARY_PATH], name[40];
        trx_mesh mesh;
        snprintf(name, sizeof name, "tractrix_mesh_XXXXXX%s", kinds[i]);
        temporary_path(path, name);
        make_file(path, 4, texts[i]);
        ck_assert_int_eq(trxi_mesh_read(context, pool, path, TRXI_POLYGONS_COVERED, &mesh), TRX_OK);
        unlink(path);
        ck_assert_str_eq(mesh.name, strrchr(path, '/') + 1);
        ck_assert_int_eq(mesh.ntriangle, 1);
        ck_assert_mem_eq(mesh.vertices, ((double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}), 9 * sizeof(double));
    }
}
END_TEST

START_TEST(missing_and_broken_files_are_told_apart_and_leave_an_empty_mesh)
{
    char path[TEMPORARY_PATH];
    temporary_path(path, "tractrix_mesh_XXXXXX.obj");
    trx_mesh mesh = {.ntriangle = 1};
    ck_assert_int_eq(trxi_mesh_read(context, pool, "/nonexistent/a.obj", TRXI_POLYGONS_COVERED, &mesh), TRX_ERR_IO);
    ck_assert(mesh.ntriangle == 0 && !mesh.name && !mesh.vertices);
    trx_context_clear(context);
    make_file(path, 4, "v 0 0 0\nv 1 0 zero\n");
    mesh.ntriangle = 1;
    ck_assert_int_eq(trxi_mesh_read(context, pool, path, TRXI_POLYGONS_COVERED, &mesh), TRX_ERR_INPUT);
    unlink(path);
    ck_assert(mesh.ntriangle == 0 && !mesh.vertices);
    ck_assert_str_eq(trx_context_diagnostic(context, 0).source.file, path);
    ck_assert_int_eq(trx_context_diagnostic(context, 0).source.line, 2);
}
END_TEST

static trx_status read_path(trx_context *counted, trxi_pool *its_pool, const void *path)
{
    trx_mesh mesh;
    return trxi_mesh_read(counted, its_pool, path, TRXI_POLYGONS_COVERED, &mesh);
}

START_TEST(whatever_allocation_fails_nothing_is_lost)
{
    char path[TEMPORARY_PATH];
    temporary_path(path, "tractrix_mesh_XXXXXX.obj");
    make_file(path, 4, TRIANGLE);
    int calls = fail_every_allocation(read_path, path);
    unlink(path);
    ck_assert_int_ge(calls, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/mesh_read");
    TCase *cases = tcase_create("mesh_read");
    tcase_add_checked_fixture(cases, open_pool, close_pool);
    tcase_add_test(cases, the_ending_of_a_name_decides);
    tcase_add_test(cases, a_mesh_is_called_after_its_file);
    tcase_add_test(cases, missing_and_broken_files_are_told_apart_and_leave_an_empty_mesh);
    tcase_add_test(cases, whatever_allocation_fails_nothing_is_lost);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
