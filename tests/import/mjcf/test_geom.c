// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Geoms: shapes, sizes, masses, masks, colours.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(geoms_are_those_of_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_geoms", NULL);
    compare_with_reference(&c, "mjcf_geoms", 1e-9, "body geom site M");
    case_close(&c);
    case_open(&c, "mjcf_masses", NULL);
    compare_with_reference(&c, "mjcf_masses", 1e-9, "body geom M bias");
    case_close(&c);
}
END_TEST

START_TEST(primitives_around_a_mesh_are_those_of_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_fitted", NULL);
    compare_with_reference(&c, "mjcf_fitted", 1e-6, "body geom");
    case_close(&c);
}
END_TEST

START_TEST(masks_say_who_touches_and_zeros_who_is_only_drawn)
{
    mjcf_case c;
    case_open(&c, "mjcf_geoms", NULL);
    const trx_geometry_def *wall = case_geometry(&c, "wall"), *sphere = case_geometry(&c, "sphere");
    ck_assert(wall->collide && wall->collision_type == 2 && wall->collision_mask == 5);
    ck_assert(!sphere->collide);
    ck_assert_uint_eq(case_geometry(&c, "ellipsoid")->collision_mask, 0xffffffffu);
    ck_assert(case_geometry(&c, "cylinder")->collision_type == 1);
    case_close(&c);
}
END_TEST

START_TEST(friction_makes_materials_and_its_absence_is_noted)
{
    mjcf_case c;
    case_open(&c, "mjcf_geoms", NULL);
    const trx_material_def *materials = c.result->def.materials;
    assert_close(materials[case_geometry(&c, "ellipsoid")->material].friction, 1.5, 0);
    assert_close(materials[case_geometry(&c, "floor")->material].friction, 0.3, 0);
    ck_assert_int_eq(case_geometry(&c, "floor")->material, case_geometry(&c, "cylinder")->material);
    assert_close(materials[case_geometry(&c, "wall")->material].friction, 0.5, 0);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_ASSUMED, "friction of 2 geoms"), 1);
    case_close(&c);
}
END_TEST

// Numbers missing in a geom come from its class, then from MuJoCo: 0.005 and 0.0001. Torsional friction acts from condim 4 on,
// rolling friction with condim 6
START_TEST(condim_says_which_friction_counts)
{
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><default><geom friction=\"0.9 0.03\"/><default class=\"soft\"><geom condim=\"6\" friction=\"0.8 "
                   "0.02 0.004\"/></default></default><worldbody><body name=\"b\"><joint name=\"j\" axis=\"0 1 0\"/>"
                   "<geom name=\"slides\" size=\"1\" friction=\"0.7 0.1 0.1\"/>"
                   "<geom name=\"spins\" size=\"1\" condim=\"4\" friction=\"0.7 0.1 0.1\"/>"
                   "<geom name=\"usual\" size=\"1\" condim=\"6\"/>"
                   "<geom name=\"rolls\" size=\"1\" class=\"soft\" friction=\"0.6\"/>"
                   "</body></worldbody></mujoco>",
                   NULL);
    static const struct {
        const char *geom;
        double friction[3];
    } expected[] = {{"slides", {0.7, 0, 0}}, {"spins", {0.7, 0.1, 0}}, {"usual", {0.9, 0.03, 0.0001}},
                    {"rolls", {0.6, 0.02, 0.004}}};
    for (int i = 0; i < 4; i++) {
        const trx_material_def *m = &c.result->def.materials[case_geometry(&c, expected[i].geom)->material];
        assert_close(m->friction, expected[i].friction[0], 0);
        assert_close(m->torsional_friction, expected[i].friction[1], 0);
        assert_close(m->rolling_friction, expected[i].friction[2], 0);
    }
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "friction"), 0);
    case_close(&c);

    trx_import_options options = trx_import_options_default();
    options.material.torsional_friction = 0.5;
    case_open_text(&c, IN_BODY("<geom name=\"h\" size=\"1\" condim=\"6\"/>"), &options);
    assert_close(c.result->def.materials[case_geometry(&c, "g")->material].torsional_friction, 0.5, 0);
    assert_close(c.result->def.materials[case_geometry(&c, "h")->material].torsional_friction, 0.005, 0);
    case_close(&c);
}
END_TEST

START_TEST(colours_come_from_the_geom_or_else_its_material)
{
    mjcf_case c;
    case_open(&c, "mjcf_geoms", NULL);
    const trx_geometry_def *sphere = case_geometry(&c, "sphere"), *wall = case_geometry(&c, "wall");
    ck_assert(sphere->has_color && sphere->color[2] == 1 && sphere->color[3] == 0.5);
    ck_assert(wall->has_color && wall->color[0] == 0.9);
    ck_assert(case_geometry(&c, "capsule")->has_color && !case_geometry(&c, "cylinder")->has_color);
    case_close(&c);
}
END_TEST

START_TEST(what_cannot_be_done_is_noted)
{
    mjcf_case c;
    case_open_text(&c,
                   IN_BODY("<geom type=\"sdf\"/>"
                           "<geom type=\"ellipsoid\" size=\"1 2 3\" shellinertia=\"true\" surfacevel=\"0 0 1 0 0 0\" "
                           "adhesion=\"2\" condim=\"1\"/>"
                           "<geom size=\"1\" condim=\"6\"/>"),
                   NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_MISSING, "a geom of type"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "shellinertia"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "surfacevel"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "adhesion"), 1);
    ck_assert_int_eq(case_body(&c, "b")->ngeometry, 3);
    case_close(&c);
}
END_TEST

START_TEST(wrong_geoms_are_refused)
{
    case_refuses(IN_BODY("<geom/>"), "3: this sphere needs 1 number in size, half lengths in m; there are none");
    case_refuses(IN_BODY("<geom type=\"box\" size=\"1 2\"/>"),
                 "3: this box needs 3 numbers in size, half lengths in m; there are fewer");
    case_refuses(IN_BODY("<geom type=\"capsule\" size=\"1 -2\"/>"),
                 "3: size of this capsule is '1 -2'; all of it must be positive");
    case_refuses(IN_BODY("<geom size=\"1\" fromto=\"0 0 0 1 1 1\"/>"),
                 "3: fromto is for capsules, cylinders, ellipsoids and boxes; this is a sphere");
    case_refuses(IN_BODY("<geom type=\"capsule\" size=\"1\" fromto=\"1 1 1 1 1 1\"/>"),
                 "3: the two points of fromto are the same");
    case_refuses(IN_BODY("<geom type=\"mesh\"/>"), "3: this geom is a mesh, but names none; write mesh=\"...\"");
    case_refuses(IN_BODY("<geom type=\"mesh\" mesh=\"m\"/>"),
                 "3: mesh of this geom is 'm'; there is no mesh of that name");
    case_refuses(IN_BODY("<geom size=\"1e-200\"/>"), "3: this geom is too small to be weighed; its volume is 0 m^3");
    case_refuses(IN_BODY("<geom size=\"1\" material=\"steel\"/>"), "3: there is no material called 'steel'");
    case_refuses(IN_BODY("<geom size=\"1\" friction=\"-1\"/>"),
                 "3: friction of this geom is -1; it must not be negative");
    case_refuses(IN_BODY("<geom size=\"1\" friction=\"1 -0.5\"/>"),
                 "3: friction of this geom is -0.5; it must not be negative");
    case_refuses(IN_BODY("<geom size=\"1\" condim=\"5\"/>"), "3: condim of this geom is 5; write 1, 3, 4 or 6");
    case_refuses(IN_BODY("<geom size=\"1\" density=\"-1\"/>"),
                 "3: density of this geom is -1; it must not be negative");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/geom");
    TCase *tests = tcase_create("mjcf_geom");
    tcase_add_test(tests, geoms_are_those_of_mujoco);
    tcase_add_test(tests, primitives_around_a_mesh_are_those_of_mujoco);
    tcase_add_test(tests, masks_say_who_touches_and_zeros_who_is_only_drawn);
    tcase_add_test(tests, friction_makes_materials_and_its_absence_is_noted);
    tcase_add_test(tests, condim_says_which_friction_counts);
    tcase_add_test(tests, colours_come_from_the_geom_or_else_its_material);
    tcase_add_test(tests, what_cannot_be_done_is_noted);
    tcase_add_test(tests, wrong_geoms_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
