// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Assets: where meshes are found, and what they may look like.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(a_mesh_without_a_name_is_called_like_its_file)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><compiler strippath=\"true\"/><asset><mesh file=\"C:\\\\else\\where/bracket.obj\"/></asset>"
        "<worldbody><geom name=\"g\" type=\"mesh\" mesh=\"bracket\" contype=\"0\" conaffinity=\"0\"/></worldbody>"
        "</mujoco>",
        NULL);
    ck_assert_int_eq(case_geometry(&c, "g")->shape.mesh->nvertex, 12);
    case_close(&c);
}
END_TEST

// within an element meshdir counts, of several elements the last one, as in MuJoCo 4.0
START_TEST(meshdir_comes_before_assetdir)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><compiler meshdir=\"nowhere\"/><compiler meshdir=\"../data\" assetdir=\"nowhere\"/><compiler "
        "angle=\"radian\"/><asset><mesh name=\"m\" "
        "file=\"bracket.stl\"/></asset><worldbody><geom name=\"g\" type=\"mesh\" mesh=\"m\"/></worldbody></mujoco>",
        NULL);
    ck_assert_int_eq(case_geometry(&c, "g")->shape.mesh->ntriangle, 20);
    case_close(&c);
    case_open_text(
        &c,
        "<mujoco><compiler meshdir=\"nowhere\"/><compiler assetdir=\"../data\"/><asset><mesh name=\"m\" "
        "file=\"bracket.stl\"/></asset><worldbody><geom name=\"g\" type=\"mesh\" mesh=\"m\"/></worldbody></mujoco>",
        NULL);
    ck_assert_int_eq(case_geometry(&c, "g")->shape.mesh->ntriangle, 20);
    case_close(&c);
}
END_TEST

START_TEST(a_mesh_that_is_not_in_the_folder_of_meshes_may_lie_beside_the_included_file)
{
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><compiler meshdir=\"nowhere\"/><include file=\"parts/mesh_beside.xml\"/><worldbody>"
                   "<geom name=\"g\" type=\"mesh\" mesh=\"beside\"/></worldbody></mujoco>",
                   NULL);
    ck_assert_int_eq(case_geometry(&c, "g")->shape.mesh->nvertex, 12);
    case_close(&c);
}
END_TEST

START_TEST(a_picture_that_is_missing_is_a_note_and_a_body_that_is_missing_an_error)
{
    mjcf_case c;
    case_open_text(
        &c,
        ONE_BODY(
            "<asset><mesh name=\"gone\" file=\"gone.obj\"/><mesh name=\"old\" file=\"old.msh\"/></asset><worldbody>"
            "<geom type=\"mesh\" mesh=\"old\" contype=\"0\" conaffinity=\"0\"/></worldbody>"),
        NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "old.msh"), 1);
    case_close(&c);
    case_refuses(ONE_BODY("<asset><mesh name=\"old\" file=\"old.msh\"/></asset><worldbody><geom type=\"mesh\" "
                          "mesh=\"old\"/></worldbody>"),
                 "3: mesh: there is no file \"tests/import/data/old.msh\"");
}
END_TEST

START_TEST(computed_meshes_are_left_out_and_models_that_nothing_attaches_are_not_opened)
{
    mjcf_case c;
    case_open_text(
        &c,
        ONE_BODY("<asset><mesh name=\"s\" builtin=\"sphere\" params=\"2\"/><mesh name=\"t\"><plugin instance=\"torus\"/></mesh>"
                 "<model name=\"m\" file=\"m.xml\"/></asset>"
                 "<worldbody><geom type=\"mesh\" mesh=\"s\"/></worldbody>"),
        NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_MISSING, "builtin meshes"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_MISSING, "meshes made by a plugin"), 1);
    ck_assert_int_eq(c.result->def.nbody, 1);
    case_close(&c);
}
END_TEST

START_TEST(wrong_meshes_are_refused)
{
    case_refuses(ONE_BODY("<asset><mesh name=\"m\"/></asset>"), "3: this mesh has neither a file nor a vertex");
    case_refuses(ONE_BODY("<asset><mesh vertex=\"0 0 0\"/></asset>"), "3: this mesh needs the attribute name");
    case_refuses(ONE_BODY("<asset><mesh name=\"m\" vertex=\"0 0 0 1\"/></asset>"),
                 "3: vertex of this mesh is no list of numbers, three for each");
    case_refuses(ONE_BODY("<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0\" face=\"0 1 3\"/></asset>"),
                 "3: face of this mesh names vertex 3; there are 3, counted from 0");
    case_refuses(ONE_BODY("<asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0\" refquat=\"0 0 0 0\"/></asset>"),
                 "3: refquat of this mesh is zero; 1 0 0 0 is no rotation");
    case_refuses(ONE_BODY("<asset><mesh name=\"m\" vertex=\"0 0 0\" inertia=\"hollow\"/></asset>"),
                 "3: inertia of this mesh is 'hollow'; write convex, exact, legacy or shell");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/asset");
    TCase *tests = tcase_create("mjcf_asset");
    tcase_add_test(tests, a_mesh_without_a_name_is_called_like_its_file);
    tcase_add_test(tests, meshdir_comes_before_assetdir);
    tcase_add_test(tests, a_mesh_that_is_not_in_the_folder_of_meshes_may_lie_beside_the_included_file);
    tcase_add_test(tests, a_picture_that_is_missing_is_a_note_and_a_body_that_is_missing_an_error);
    tcase_add_test(tests, computed_meshes_are_left_out_and_models_that_nothing_attaches_are_not_opened);
    tcase_add_test(tests, wrong_meshes_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
