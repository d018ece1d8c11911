// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Masses of meshes by four rules, compared with MuJoCo.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <stdio.h>

START_TEST(meshes_weigh_what_they_weigh_in_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_meshes", NULL);
    compare_with_reference(&c, "mjcf_meshes", 1e-6, "body geom M");
    case_close(&c);
}
END_TEST

// the bracket is 0.3 x 0.1 x 0.05 and 0.1 x 0.1 x 0.05 m
START_TEST(the_exact_rule_gives_the_volume_and_the_legacy_one_more)
{
    mjcf_case c;
    case_open(&c, "mjcf_meshes", NULL);
    assert_close(case_body(&c, "file")->inertia.mass, 1000 * 0.04 * 0.05, 1e-6);
    assert_close(case_body(&c, "mirrored")->inertia.mass, 2, 1e-6);
    assert_close(case_body(&c, "exact")->inertia.mass, 2, 1e-15);
    ck_assert_double_gt(case_body(&c, "legacy")->inertia.mass, 2.05);
    assert_close(case_body(&c, "cloud")->inertia.mass, 1000 * 0.1 * 0.2 * 0.3 / 6, 1e-12);
    case_close(&c);
}
END_TEST

START_TEST(a_mirrored_mesh_keeps_its_outside)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><asset><mesh name=\"t\" inertia=\"exact\" scale=\"1 1 -2\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" "
        "face=\"0 2 1 0 1 3 0 3 2 1 2 3\"/></asset><worldbody><body name=\"b\"><freejoint/>"
        "<geom name=\"g\" type=\"mesh\" mesh=\"t\"/></body></worldbody></mujoco>",
        NULL);
    assert_close(case_body(&c, "b")->inertia.mass, 1000.0 / 3, 1e-9);
    assert_close(case_body(&c, "b")->inertia.com[2], -0.5, 1e-12);
    case_close(&c);
}
END_TEST

// MuJoCo 4.0: x = scale R^T (v - refpos), with R a quarter turn about x. The second scale mirrors
START_TEST(a_reference_pose_is_taken_before_the_scale)
{
    static const char *const scales[] = {"2 3 4", "2 3 -4"};
    static const double placed[2][12] = {{-2, 0, 0, 0, 0, 0, -2, 0, -4, -2, 3, 0}, {-2, 0, 0, 0, 0, 0, -2, 0, 4, -2, 3, 0}};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh name=\"t\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\" face=\"0 2 1 0 1 3 0 3 2 1 2 3\" "
                 "refpos=\"1 0 0\" refquat=\"1 1 0 0\" scale=\"%s\"/></asset><worldbody><body name=\"b\"><freejoint/>"
                 "<geom name=\"g\" type=\"mesh\" mesh=\"t\" mass=\"1\"/></body></worldbody></mujoco>", scales[i]);
        mjcf_case c;
        case_open_text(&c, text, NULL);
        for (int k = 0; k < 12; k++) assert_close(case_geometry(&c, "g")->shape.mesh->vertices[k], placed[i][k], 1e-12);
        const double com[3] = {-1.5, 0.75, i == 0 ? -1 : 1};
        for (int k = 0; k < 3; k++) assert_close(case_body(&c, "b")->inertia.com[k], com[k], 1e-12);
        case_close(&c);
    }
}
END_TEST

START_TEST(reflex_polygons_weigh_what_they_enclose)
{
    // a fan about a corner of the L covers area outside, and its surface weighed too much in silence
    static const char *const rules[] = {"exact", "shell"};
    static const double masses[] = {4000, 1000 * (2 * 4 + 10)};
    for (int i = 0; i < 2; i++) {
        mjcf_case c;
        char text[400];
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh name=\"l\" inertia=\"%s\" file=\"reflex.obj\"/></asset><worldbody>"
                 "<body name=\"b\"><freejoint/><geom type=\"mesh\" mesh=\"l\"/></body></worldbody></mujoco>", rules[i]);
        case_open_text(&c, text, NULL);
        assert_close(case_body(&c, "b")->inertia.mass, masses[i], 1e-9);
        case_close(&c);
    }
}
END_TEST

START_TEST(an_obj_file_of_two_objects_and_open_polygons_weighs_what_it_weighs_in_mujoco)
{
    // masses and centres of MuJoCo 4.0.0, which takes the first object and leaves its faces with a reflex corner open
    static const char *const rules[] = {"legacy", "exact", "shell"};
    static const double masses[] = {4491.694033935413, 4000, 20000};
    static const double centres[][3] = {
        {-4.19222085, -3.73610427, 0.47364532}, {-4.25, -3.75, 0.5}, {-4.16666667, -3.68333333, 0.45}};
    for (int i = 0; i < 3; i++) {
        mjcf_case c;
        char text[400];
        snprintf(text, sizeof text,
                 "<mujoco><asset><mesh name=\"l\" inertia=\"%s\" file=\"two_objects.obj\"/></asset><worldbody>"
                 "<body name=\"b\"><freejoint/><geom type=\"mesh\" mesh=\"l\"/></body></worldbody></mujoco>", rules[i]);
        case_open_text(&c, text, NULL);
        assert_close(case_body(&c, "b")->inertia.mass, masses[i], 1e-9);
        for (int k = 0; k < 3; k++) assert_close(case_body(&c, "b")->inertia.com[k], centres[i][k], 1e-8);
        ck_assert_int_eq(case_notes(&c, TRX_NOTE_ASSUMED, "mesh 'l' weighs as in MuJoCo"), 1);
        ck_assert_int_eq(case_body(&c, "b")->geometry[0].shape.mesh->ntriangle, 24);
        case_close(&c);
    }
}
END_TEST

START_TEST(meshes_that_weigh_nothing_are_refused_where_they_are_weighed)
{
    case_refuses(
        "<mujoco>\n<asset><mesh name=\"flat\" vertex=\"0 0 0 1 0 0 0 1 0\" face=\"0 1 2 0 2 1\"/></asset>\n"
        "<worldbody><body name=\"b\"><joint/><geom type=\"mesh\" mesh=\"flat\"/><geom size=\"1\"/></body></worldbody>"
        "</mujoco>",
        "2: mesh 'flat' has the volume 0 m^3 by the rule of its attribute inertia, but bodies are weighed by it: give "
        "them an inertial, or write inertia=\"convex\"");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/mesh");
    TCase *tests = tcase_create("mjcf_mesh");
    tcase_add_test(tests, meshes_weigh_what_they_weigh_in_mujoco);
    tcase_add_test(tests, the_exact_rule_gives_the_volume_and_the_legacy_one_more);
    tcase_add_test(tests, a_mirrored_mesh_keeps_its_outside);
    tcase_add_test(tests, a_reference_pose_is_taken_before_the_scale);
    tcase_add_test(tests, reflex_polygons_weigh_what_they_enclose);
    tcase_add_test(tests, an_obj_file_of_two_objects_and_open_polygons_weighs_what_it_weighs_in_mujoco);
    tcase_add_test(tests, meshes_that_weigh_nothing_are_refused_where_they_are_weighed);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
