// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Meshes of a problem: volume and inertia after scaling, STL like OBJ, sharing, and files that are missing or broken.

#include "loading.h"

#include "problem/problem.h"

#include <stdio.h>
#include <string.h>

static const char HEAD[] = "tractrix: 1\n"
                           "model:\n"
                           "  bodies:\n"
                           "    - name: wedge\n"
                           "      joint: free\n"
                           "      geometry:\n"
                           "        - {shape: mesh, file: tests/problem/robots/wedge.obj, scale: [0.1, 0.2, 0.3], density: 1000}\n"
                           "        - {shape: mesh, file: tests/problem/robots/wedge.obj, scale: [0.1, 0.2, 0.3], mass: 0}\n"
                           "        - {shape: mesh, file: tests/problem/robots/wedge.obj, scale: 0.1, mass: 0}\n"
                           "time: {step: 0.01, steps: 2}\n";

START_TEST(a_mesh_weighs_what_its_scaled_volume_does)
{
    fixture f = fixture_open();
    load_good(&f, HEAD);
    // half of 1 x 2 x 1, scaled; the centre of its triangle is a third along
    double volume = 1 * 0.1 * 2 * 0.2 * 1 * 0.3 / 2;
    assert_close(trx_model_mass(f.problem->model), 1000 * volume, 1e-12);
    const trx_body_inertia *inertia = &f.problem->model->inertias[0];
    assert_close(inertia->com[0], 0.1 / 3, 1e-14);
    assert_close(inertia->com[1], 0.2, 1e-14);
    assert_close(inertia->com[2], 0.1, 1e-14);
    fixture_close(&f);
}
END_TEST

START_TEST(geometries_of_one_file_and_scale_share_a_mesh)
{
    fixture f = fixture_open();
    load_good(&f, HEAD);
    const trx_geometry_def *geometry = f.problem->scene.bodies[0].geometry;
    ck_assert_ptr_eq(geometry[0].shape.mesh, geometry[1].shape.mesh);
    ck_assert_ptr_ne(geometry[0].shape.mesh, geometry[2].shape.mesh);
    ck_assert_str_eq(geometry[2].shape.mesh->name, "wedge.obj");
    fixture_close(&f);
}
END_TEST

START_TEST(stl_files_serve_as_well)
{
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static const char *const corners[4] = {"0 0 0", "0.3 0 0", "0 0.3 0", "0 0 0.3"};
    char stl[2048] = "solid t\n", set[256];
    for (int i = 0; i < 4; i++) {
        strcat(stl, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) strcat(strcat(strcat(stl, "vertex "), corners[faces[i][k]]), "\n");
        strcat(stl, "endloop\nendfacet\n");
    }
    strcat(stl, "endsolid t\n");
    sandbox s = sandbox_open();
    write_file(&s, "T.STL", stl);
    snprintf(set, sizeof set, "model.bodies.wedge.geometry=[{shape: mesh, file: %s, density: 6}]", in_folder(&s, "T.STL"));
    const char *const sets[] = {set};
    ck_assert_msg(load_text(&s.f, HEAD, sets, 1) == TRX_OK, "%s", trx_context_message(s.f.context));
    assert_close(trx_model_mass(s.f.problem->model), 0.3 * 0.3 * 0.3, 1e-12);
    const char *const names[] = {"T.STL"};
    sandbox_close(&s, names, 1);
}
END_TEST

START_TEST(missing_broken_and_strange_files_are_told_apart)
{
    sandbox s = sandbox_open();
    char set[256];
    const char *const sets[] = {set};
    write_file(&s, "bad.obj", "v 0 0 0\nv 1 0 zero\n");
    write_file(&s, "m.step", "x");
    snprintf(set, sizeof set, "model.bodies.wedge.geometry.0.file=%s", in_folder(&s, "none.obj"));
    ck_assert_int_eq(load_text(&s.f, HEAD, sets, 1), TRX_ERR_IO);
    ck_assert(has_finding(&s.f, TRX_ERROR, "none.obj"));
    snprintf(set, sizeof set, "model.bodies.wedge.geometry.0.file=%s", in_folder(&s, "bad.obj"));
    ck_assert_int_eq(load_text(&s.f, HEAD, sets, 1), TRX_ERR_INPUT);
    ck_assert_int_eq(trx_context_error_count(s.f.context), 1);
    ck_assert_ptr_nonnull(strstr(trx_context_diagnostic(s.f.context, 0).source.file, "bad.obj"));
    ck_assert_int_eq(trx_context_diagnostic(s.f.context, 0).source.line, 2);
    snprintf(set, sizeof set, "model.bodies.wedge.geometry.0.file=%s", in_folder(&s, "m.step"));
    ck_assert_int_eq(load_text(&s.f, HEAD, sets, 1), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "is no STL, OBJ, Collada, GLB, PLY or MSH file: "
                                         "write a file that ends in .stl, .obj, .dae, .glb, .ply or .msh"));
    const char *const names[] = {"bad.obj", "m.step"};
    sandbox_close(&s, names, 2);
}
END_TEST

START_TEST(decompose_divides_meshes_of_problems_and_includes)
{
    // an angle of three cubes, as two parts
    static const char angle[] = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                                "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                                "f 6 5 4 1\nf 4 3 2 1\nf 7 10 11 12\nf 7 8 9 10\n"
                                "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";
    sandbox s = sandbox_open();
    char set[512];
    const char *const sets[] = {set};
    write_file(&s, "angle.obj", angle);
    static const char *const settings[4] = {"true", "{parts: 8}", "{share: 0.3}", "false"};
    static const int parts[4] = {2, 2, 1, 0};
    for (int k = 0; k < 4; k++) {
        snprintf(set, sizeof set,
                 "model.bodies.wedge.geometry=[{shape: mesh, file: %s, scale: 0.1, mass: 1, name: angle, decompose: %s}]",
                 in_folder(&s, "angle.obj"), settings[k]);
        ck_assert_msg(load_text(&s.f, HEAD, sets, 1) == TRX_OK, "%s", trx_context_message(s.f.context));
        ck_assert_int_eq(trx_model_get_size(s.f.problem->model).ngeom, 1 + parts[k]);
        if (parts[k] > 0) ck_assert_int_eq(trx_model_find_geom(s.f.problem->model, "angle#1"), 1);
    }
    write_file(&s, "robot.urdf", "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' "
                                 "iyy='1' iyz='0' izz='1'/></inertial><collision><geometry><mesh filename='angle.obj'/>"
                                 "</geometry></collision></link></robot>");
    snprintf(set, sizeof set, "model.include=[{name: r, file: %s, base: free, decompose: {share: 0.02}}]",
             in_folder(&s, "robot.urdf"));
    ck_assert_msg(load_text(&s.f, HEAD, sets, 1) == TRX_OK, "%s", trx_context_message(s.f.context));
    const trx_body_info body = trx_model_body(s.f.problem->model, trx_model_find_body(s.f.problem->model, "r/a"));
    ck_assert_int_eq(body.ngeom, 3);
    bool noted = false;
    for (int i = 0; i < trx_problem_note_count(s.f.problem); i++)
        noted |= strcmp(trx_problem_note(s.f.problem, i).text, "1 mesh touches as convex parts") == 0;
    ck_assert(noted);
    const char *const names[] = {"angle.obj", "robot.urdf"};
    sandbox_close(&s, names, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_mesh");
    TCase *cases = tcase_create("read_mesh");
    tcase_add_test(cases, a_mesh_weighs_what_its_scaled_volume_does);
    tcase_add_test(cases, geometries_of_one_file_and_scale_share_a_mesh);
    tcase_add_test(cases, stl_files_serve_as_well);
    tcase_add_test(cases, missing_broken_and_strange_files_are_told_apart);
    tcase_add_test(cases, decompose_divides_meshes_of_problems_and_includes);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
