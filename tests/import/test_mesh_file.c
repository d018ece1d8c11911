// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes of a draft: STL and OBJ, read once, scaled and mirrored; drawings that may be missing.

#define _DEFAULT_SOURCE // mkstemps

#include "geometry/hull.h"
#include "geometry/mesh.h"
#include "import/draft.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double ONE[3] = {1, 1, 1};

typedef struct fixture {
    trx_context *context;
    trxi_pool *pool;
    trxi_draft *draft;
} fixture;

static fixture begin(void)
{
    fixture f = {0};
    trx_import_options options = trx_import_options_default();
    ck_assert_int_eq(trx_context_create(NULL, &f.context), TRX_OK);
    f.pool = trxi_pool_create(f.context);
    f.draft = trxi_draft_create(f.context, f.pool, "tests/malformed_robots/robot.urdf", &options);
    return f;
}

static void end(fixture *f)
{
    trxi_pool_destroy(f->pool);
    trx_context_destroy(f->context);
}

static trx_source place(void)
{
    return (trx_source){"tests/malformed_robots/robot.urdf", 5, 3};
}

static const trx_mesh *mesh(fixture *f, const char *uri, const double scale[3])
{
    return trxi_draft_mesh(f->draft, place(), uri, NULL, scale);
}

START_TEST(a_mesh_is_read_once_per_file_and_scale)
{
    fixture f = begin();
    const double two[3] = {2, 3, 4};
    const trx_mesh *a = mesh(&f, "tetrahedron.obj", ONE), *b = mesh(&f, "tetrahedron.obj", two);
    ck_assert(a && b && a != b);
    ck_assert(mesh(&f, "tetrahedron.obj", ONE) == a);
    ck_assert(mesh(&f, "tetrahedron.obj", two) == b);
    ck_assert_str_eq(a->name, "tetrahedron.obj");
    ck_assert_int_eq(b->nvertex, 4);
    for (int i = 0; i < 12; i++) assert_close(b->vertices[i], two[i % 3] * a->vertices[i], 0);
    end(&f);
}
END_TEST

START_TEST(a_mirrored_mesh_keeps_its_normals_outside)
{
    static const double scales[4][3] = {{-1, 1, 1}, {-1, -1, 1}, {-1, -1, -1}, {1, 0.5, 1}};
    for (int k = 0; k < 4; k++) {
        fixture f = begin();
        trxi_mesh_integrals of;
        trxi_mesh_integrate(mesh(&f, "tetrahedron.obj", scales[k]), &of);
        assert_close(of.volume, fabs(scales[k][0] * scales[k][1] * scales[k][2]) / 6, 1e-15);
        assert_close(of.com[0], scales[k][0] / 4, 1e-15);
        ck_assert(of.closed);
        end(&f);
    }
}
END_TEST

START_TEST(a_scale_of_zero_or_infinity_is_refused)
{
    fixture f = begin();
    ck_assert(mesh(&f, "tetrahedron.obj", (double[]){1, 0, 1}) == NULL);
    ck_assert(mesh(&f, "tetrahedron.obj", (double[]){1, 1, INFINITY}) == NULL);
    ck_assert_int_eq(trx_context_error_count(f.context), 2);
    ck_assert_str_eq(trx_context_message(f.context), "tests/malformed_robots/robot.urdf:5:3: scale 1 0 1: write three "
                                                     "numbers that are not 0");
    end(&f);
}
END_TEST

START_TEST(a_needed_mesh_that_is_missing_is_an_error_and_a_drawing_a_note)
{
    fixture f = begin();
    ck_assert(mesh(&f, "nothing.stl", ONE) == NULL);
    ck_assert(mesh(&f, "cycle.urdf", ONE) == NULL);
    ck_assert_int_eq(trx_context_error_count(f.context), 2);
    trx_context_clear(f.context);
    ck_assert(trxi_draft_drawing(f.draft, place(), "nothing.stl", NULL, ONE) == NULL);
    ck_assert(trxi_draft_drawing(f.draft, place(), "cycle.urdf", NULL, ONE) == NULL);
    ck_assert_int_eq(trx_context_error_count(f.context), 0);
    trx_import_result result;
    ck_assert_int_eq(trxi_draft_finish(f.draft, &result), TRX_OK);
    ck_assert_int_eq(result.nnote, 2);
    ck_assert_str_eq(result.notes[0].text, "mesh: there is no file \"tests/malformed_robots/nothing.stl\"; it is not "
                                           "drawn");
    ck_assert_int_eq(result.notes[1].kind, TRX_NOTE_DROPPED);
    end(&f);
}
END_TEST

START_TEST(a_broken_mesh_is_a_note_when_it_is_drawn_and_one_error_when_it_is_needed)
{
    char path[TEMPORARY_PATH];
    temporary_path(path, "tractrix_broken_XXXXXX.OBJ");
    int file = mkstemps(path, 4);
    ck_assert(file >= 0);
    ck_assert_int_eq(write(file, "v 0 0\n", 6), 6);
    close(file);
    fixture f = begin();
    ck_assert(trxi_draft_drawing(f.draft, place(), path, NULL, ONE) == NULL);
    ck_assert(trxi_draft_drawing(f.draft, place(), path, NULL, ONE) == NULL);
    ck_assert_int_eq(trx_context_error_count(f.context), 0);
    ck_assert(mesh(&f, path, (double[]){2, 2, 2}) == NULL);
    ck_assert(mesh(&f, path, ONE) == NULL);
    ck_assert_int_eq(trx_context_error_count(f.context), 1);
    ck_assert_str_eq(trx_context_diagnostic(f.context, 0).source.file, path);
    remove(path);
    end(&f);
}
END_TEST

START_TEST(a_flat_mesh_that_touches_is_a_thin_plate)
{
    // a square across (0, 1, 1): markers of Stretch were refused
    char path[TEMPORARY_PATH];
    temporary_path(path, "tractrix_flat_XXXXXX.obj");
    int file = mkstemps(path, 4);
    static const char text[] = "v 0 0 0\nv 2 0 0\nv 2 1 -1\nv 0 1 -1\nf 1 2 3 4\n";
    ck_assert(file >= 0);
    ck_assert_int_eq(write(file, text, sizeof text - 1), sizeof text - 1);
    close(file);
    fixture f = begin();
    const trx_mesh *plate = trxi_draft_touching_mesh(f.draft, place(), path, NULL, ONE);
    ck_assert_int_eq(plate->nvertex, 8);
    const trxi_hull *hull;
    ck_assert_int_eq(trxi_hull_create(f.context, f.pool, plate, &hull), TRX_OK);
    assert_close(hull->volume, 2 * sqrt(2) * 0.002, 1e-12);
    ck_assert_int_eq(mesh(&f, path, ONE)->nvertex, 4);
    trx_import_result result;
    ck_assert_int_eq(trxi_draft_finish(f.draft, &result), TRX_OK);
    ck_assert_str_eq(result.notes[0].text, "1 mesh that touches is flat: a plate as thick as a thousandth of the longest side");
    remove(path);
    end(&f);
}
END_TEST

START_TEST(both_formats_of_one_solid_are_the_same_solid)
{
    fixture f = begin();
    const double millimetres[3] = {0.001, 0.001, 0.001};
    trxi_mesh_integrals stl, obj;
    trxi_mesh_integrate(trxi_draft_mesh(f.draft, place(), "bracket.stl", "tests/import/data", millimetres), &stl);
    trxi_mesh_integrate(trxi_draft_mesh(f.draft, place(), "bracket.obj", "tests/import/data/", ONE), &obj);
    ck_assert(stl.volume > 0);
    assert_close(stl.volume, obj.volume, 1e-6 * obj.volume);
    assert_close(max_difference(stl.com, obj.com, 3), 0, 1e-6);
    end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mesh_file");
    TCase *tests = tcase_create("mesh_file");
    tcase_add_test(tests, a_mesh_is_read_once_per_file_and_scale);
    tcase_add_test(tests, a_mirrored_mesh_keeps_its_normals_outside);
    tcase_add_test(tests, a_scale_of_zero_or_infinity_is_refused);
    tcase_add_test(tests, a_needed_mesh_that_is_missing_is_an_error_and_a_drawing_a_note);
    tcase_add_test(tests, a_flat_mesh_that_touches_is_a_thin_plate);
    tcase_add_test(tests, a_broken_mesh_is_a_note_when_it_is_drawn_and_one_error_when_it_is_needed);
    tcase_add_test(tests, both_formats_of_one_solid_are_the_same_solid);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
