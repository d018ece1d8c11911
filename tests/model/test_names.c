// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Namespaces, their duplicates, and the names of coordinates and unnamed geometries.

#include "fixture.h"
#include "support/support.h"

#include <string.h>

START_TEST(names_are_well_formed)
{
    const char *const bad[] = {"", "2box", "_box", "box#1", "my box ", "b\xc3\xbcx", "box.x", "a,b", "a|b", "f(x)"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scene s;
        scene_open(&s), s.bodies[GROUND].name = bad[i];
        scene_refuses(&s, LINE_GROUND, "is no name for a body: use letters, digits, _ - / : + @ and blanks inside, a letter first");
    }
    scene s;
    scene_open(&s), s.bodies[GROUND].name = "arm/Link_7-b: my @+1";
    scene_build(&s);
    scene_close(&s);
}
END_TEST

START_TEST(missing_names_are_reported)
{
    scene s;
    scene_open(&s), s.bodies[GROUND].name = NULL;
    scene_refuses(&s, LINE_GROUND, "this body needs a name");
    scene_open(&s), s.slides[0].name = NULL;
    scene_refuses(&s, LINE_PX, "this joint needs a name");
    scene_open(&s), s.corner.name = NULL;
    scene_refuses(&s, LINE_BOX_FRAME, "this frame needs a name");
    scene_open(&s), s.materials[0].name = NULL;
    scene_refuses(&s, LINE_TABLE, "this material needs a name");
}
END_TEST

START_TEST(world_is_reserved)
{
    scene s;
    scene_open(&s), s.bodies[GROUND].name = "world";
    scene_refuses(&s, LINE_GROUND, "the name 'world' is reserved");
}
END_TEST

START_TEST(a_name_is_given_once)
{
    scene s;
    scene_open(&s), s.bodies[GROUND].name = "pusher";
    scene_refuses(&s, LINE_GROUND, "the name 'pusher' is taken by a body on line 20; give this body another one");
    scene_open(&s), s.slides[2].name = "px", s.def.nactuator = 0;
    scene_refuses(&s, LINE_PZ, "the name 'px' is taken by a joint on line 21");
    scene_open(&s), s.corner.name = "box";
    scene_refuses(&s, LINE_BOX_FRAME, "the name 'box' is taken by a body on line 10; give this frame");
    scene_open(&s), s.materials[1].name = "table";
    scene_refuses(&s, LINE_TIP, "the name 'table' is taken by a material");
    scene_open(&s), s.actuators[1].name = "px";
    scene_refuses(&s, LINE_ACTUATOR_Y, "the name 'px' is taken by an actuator");
}
END_TEST

START_TEST(a_body_a_joint_and_a_geometry_share_a_name)
{
    scene s;
    scene_open(&s);
    s.slides[1].name = "pusher", s.ground_geometry.name = "corner", s.box_geometry.name = "pusher";
    s.actuators[1].name = "y";
    const trx_model *m = scene_build(&s);
    ck_assert_int_eq(trx_model_joint(m, trx_model_find_joint(m, "pusher")).body, trx_model_find_body(m, "pusher"));
    ck_assert_int_eq(trx_model_geom(m, trx_model_find_geom(m, "pusher")).body, trx_model_find_body(m, "box"));
    ck_assert_int_ge(trx_model_find_frame(m, "corner"), 0);
    // a named geometry by its place in its body
    ck_assert_int_eq(trx_model_find_geom(m, "box#1"), trx_model_find_geom(m, "pusher"));
    ck_assert_int_eq(trx_model_find_geom(m, "pusher#1"), trx_model_body(m, trx_model_find_body(m, "pusher")).first_geom);
    ck_assert_int_eq(trx_model_find_geom(m, "box#2"), -1);
    ck_assert_int_eq(trx_model_find_geom(m, "box#"), -1);
    ck_assert_int_eq(trx_model_find_geom(m, "bo#1"), -1);
    ck_assert_int_eq(trx_model_find_geom(m, "box#1x"), -1);
    ck_assert_int_eq(trx_model_find_geom(m, "box#01"), -1);
    ck_assert_int_eq(trx_model_find_geom(m, "box#4294967297"), -1);
    scene_close(&s);
}
END_TEST

START_TEST(two_actuators_of_one_joint_need_names)
{
    scene s;
    scene_open(&s), s.actuators[1].joint = 0;
    scene_refuses(&s, LINE_ACTUATOR_Y, "the name 'px' is taken by an actuator");
    scene_open(&s), s.actuators[1].joint = 0, s.actuators[1].name = "assist";
    const trx_model *m = scene_build(&s);
    ck_assert_str_eq(trx_model_actuator_name(m, 0), "px");
    ck_assert_str_eq(trx_model_actuator_name(m, 1), "assist");
    scene_close(&s);
}
END_TEST

START_TEST(materials_and_actuators_have_namespaces_of_their_own)
{
    scene s;
    scene_open(&s), s.materials[0].name = "box", s.actuators[0].name = "ground";
    scene_build(&s);
    scene_close(&s);
}
END_TEST

START_TEST(names_of_tendons_need_not_differ)
{
    scene s;
    scene_open(&s);
    const trx_joint_factor parts[1] = {{PUSHER, 0, 1}};
    trx_tendon_def tendons[3] = {trx_tendon_def_default(), trx_tendon_def_default(), trx_tendon_def_default()};
    for (int i = 0; i < 3; i++) tendons[i].joints = parts, tendons[i].njoint = 1, tendons[i].name = i < 2 ? "px" : NULL;
    s.def.tendons = tendons, s.def.ntendon = 3;
    const trx_model *m = scene_build(&s);
    ck_assert_str_eq(trx_model_tendon_name(m, 1), "px");
    ck_assert_str_eq(trx_model_tendon_name(m, 2), "");
    scene_close(&s);
}
END_TEST

START_TEST(unnamed_geometry_is_numbered_in_its_body)
{
    scene s;
    scene_open(&s);
    trx_geometry_def list[3] = {s.box_geometry, s.box_geometry, s.box_geometry};
    list[1].name = "lid";
    s.bodies[BOX].geometry = list, s.bodies[BOX].ngeometry = 3;
    const trx_model *m = scene_build(&s);
    const char *const names[] = {"box#1", "lid", "box#3", "pusher#1", "ground#1"};
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(trx_model_geom_name(m, i), names[i]);
        ck_assert_int_eq(trx_model_find_geom(m, names[i]), i);
    }
    scene_close(&s);
}
END_TEST

static void check_names(const trx_model *m, const char *const *q, const char *const *v)
{
    trx_model_size size = trx_model_get_size(m);
    for (int i = 0; i < size.nq; i++) ck_assert_str_eq(trx_model_q_name(m, i), q[i]);
    for (int i = 0; i < size.nv; i++) ck_assert_str_eq(trx_model_v_name(m, i), v[i]);
    ck_assert_ptr_null(trx_model_q_name(m, size.nq));
    ck_assert_ptr_null(trx_model_v_name(m, -1));
}

START_TEST(coordinates_are_named_after_their_joint)
{
    const char *const q[] = {"box.x", "box.y", "box.z", "box.qw", "box.qx", "box.qy", "box.qz", "px", "py", "pz"};
    const char *const v[] = {"box.vx", "box.vy", "box.vz", "box.wx", "box.wy", "box.wz", "px.v", "py.v", "pz.v"};
    scene s;
    scene_open(&s);
    check_names(scene_build(&s), q, v);
    scene_close(&s);
}
END_TEST

START_TEST(balls_and_planar_joints_have_their_names)
{
    const char *const q[] = {"px.x", "px.y", "px.yaw", "py.qw", "py.qx", "py.qy", "py.qz", "pz"};
    const char *const v[] = {"px.vx", "px.vy", "px.wz", "py.wx", "py.wy", "py.wz", "pz.v"};
    scene s;
    scene_open(&s);
    s.slides[0].type = TRX_JOINT_PLANAR, s.slides[1].type = TRX_JOINT_BALL, s.slides[2].type = TRX_JOINT_HINGE;
    s.def.nactuator = 0, s.bodies[BOX].njoint = 0;
    check_names(scene_build(&s), q, v);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/names");
    TCase *cases = tcase_create("names");
    tcase_add_test(cases, names_are_well_formed);
    tcase_add_test(cases, missing_names_are_reported);
    tcase_add_test(cases, world_is_reserved);
    tcase_add_test(cases, a_name_is_given_once);
    tcase_add_test(cases, a_body_a_joint_and_a_geometry_share_a_name);
    tcase_add_test(cases, two_actuators_of_one_joint_need_names);
    tcase_add_test(cases, materials_and_actuators_have_namespaces_of_their_own);
    tcase_add_test(cases, names_of_tendons_need_not_differ);
    tcase_add_test(cases, unnamed_geometry_is_numbered_in_its_body);
    tcase_add_test(cases, coordinates_are_named_after_their_joint);
    tcase_add_test(cases, balls_and_planar_joints_have_their_names);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
