// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// SDF: frames and poses, joints, loops, inertias, shapes, and files that are refused. The numbers of crane.sdf at its
// state are those of Drake 1.51 (MultibodyPlant: CalcMassMatrix, CalcBiasTerm - CalcGravityGeneralizedForces).

#include "import/robots.h"

#include <math.h>
#include <string.h>

// the model starts on line 2
#define SDF(version, inside) "<sdf version=\"" version "\">\n<model name=\"m\">\n" inside "</model></sdf>\n"
#define BODY(name, pose)                                                                                                  \
    "<link name=\"" name "\"><pose>" pose "</pose><inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy>"          \
    "<izz>0.1</izz></inertia></inertial></link>\n"
#define BETWEEN(name, type, parent, child, inside)                                                                        \
    "<joint name=\"" name "\" type=\"" type "\"><parent>" parent "</parent><child>" child "</child>" inside "</joint>\n"
#define AXIS "<axis><xyz>0 0 1</xyz></axis>"
#define HELD BODY("a", "0 0 0 0 0 0") BETWEEN("w", "fixed", "world", "a", "")

START_TEST(masses_and_forces_of_a_crane_are_those_of_drake)
{
    static const double q[3] = {0.9233143873275735, 0.4495798815470673, 0.08245371109486843};
    static const double v[3] = {-0.4462175919092584, -0.6786959824497463, 0.9398508264322651};
    static const double mass[9] = {0.7850588411566489, -0.03778503292383937, 0.03475207333994913,
                                   -0.03778503292383937, 0.9000000000000001, 5.551115123125783e-17,
                                   0.03475207333994913, 5.551115123125783e-17, 0.2};
    static const double bias[3] = {0.4299760137857163, -3.537384553446179, -1.740671322208212};
    robot r = read_data("crane.sdf", NULL);
    trx_model *model = model_of(&r);
    double M[9], force[3];
    ck_assert_int_eq(trx_model_get_size(model).nv, 3);
    ck_assert_int_eq(trx_model_dynamics(r.context, model, q, v, M, force), TRX_OK);
    assert_close(max_difference(M, mass, 9), 0, 1e-12);
    assert_close(max_difference(force, bias, 3), 0, 1e-12);
    trx_model_destroy(model);
    free_robot(&r);
}
END_TEST

START_TEST(limits_springs_friction_and_motors_are_read)
{
    robot r = read_data("crane.sdf", NULL);
    const trx_joint_def *slew = joint_of(&r, "boom"), *run = joint_of(&r, "trolley::cart");
    assert_close(slew->lower, -1, 0);
    assert_close(slew->upper, 2, 0);
    assert_close(slew->damping, 0.2, 0);
    assert_close(slew->friction, 0.1, 0);
    assert_close(slew->velocity_limit, 3, 0);
    assert_close(run->stiffness, 5, 0);
    assert_close(run->rest, 0.1, 0);
    ck_assert_int_eq(r.result->def.nactuator, 3);
    assert_close(r.result->def.actuators[0].upper, 30, 0);
    ck_assert(isinf(r.result->def.actuators[1].upper));
    assert_close(r.result->def.materials[body_of(&r, "mast")->geometry[0].material].friction, 0.7, 0);
    free_robot(&r);
}
END_TEST

START_TEST(roots_move_freely_unless_static_or_held)
{
    robot r = read_text(SDF("1.7", BODY("a", "1 2 3 0 0 0")), NULL);
    ck_assert_int_eq(joint_of(&r, "a")->type, TRX_JOINT_FREE);
    assert_close(max_difference(r.result->q0, (double[]){1, 2, 3}, 3), 0, 0);
    free_robot(&r);
    r = read_text(SDF("1.7", "<static>true</static>" BODY("a", "1 2 3 0 0 0")), NULL);
    ck_assert_int_eq(body_of(&r, "a")->njoint, 0);
    free_robot(&r);
    r = read_text(SDF("1.7", HELD), NULL);
    ck_assert_int_eq(body_of(&r, "a")->njoint, 0);
    free_robot(&r);
    trx_import_options options = trx_import_options_default();
    options.base = TRX_BASE_FREE;
    r = read_text(SDF("1.7", HELD), &options);
    assert_refused(&r, 1, "base: free, but joints or <static> hold every model");
    free_robot(&r);
}
END_TEST

// an axis is given in the joint's frame, since 1.5; before, and by use_parent_model_frame, in the model's
START_TEST(axes_follow_the_rules_of_their_version)
{
    static const char turned[] = SDF("1.6", HELD BODY("b", "0 0 0 0 0 1.5707963267948966")
                                         BETWEEN("j", "revolute", "a", "b", "<axis><xyz>1 0 0</xyz></axis>"));
    robot r = read_text(turned, NULL);
    assert_close(max_difference(joint_of(&r, "b")->axis, (double[]){1, 0, 0}, 3), 0, 1e-15);
    free_robot(&r);
    r = read_text(SDF("1.4", HELD BODY("b", "0 0 0 0 0 1.5707963267948966")
                                 BETWEEN("j", "revolute", "a", "b", "<axis><xyz>1 0 0</xyz></axis>")),
                  NULL);
    assert_close(max_difference(joint_of(&r, "b")->axis, (double[]){0, -1, 0}, 3), 0, 1e-15);
    free_robot(&r);
    r = read_text(SDF("1.6", HELD BODY("b", "0 0 0 0 0 1.5707963267948966")
                                 BETWEEN("j", "revolute", "a", "b",
                                         "<pose>0.5 0 0 0 0 0</pose><axis><xyz>1 0 0</xyz>"
                                         "<use_parent_model_frame>1</use_parent_model_frame></axis>")),
                  NULL);
    assert_close(max_difference(joint_of(&r, "b")->axis, (double[]){0, -1, 0}, 3), 0, 1e-15);
    assert_close(max_difference(joint_of(&r, "b")->at, (double[]){0.5, 0, 0}, 3), 0, 1e-15);
    free_robot(&r);
}
END_TEST

START_TEST(ball_universal_and_locked_joints)
{
    robot r = read_text(SDF("1.7", HELD BODY("b", "0 0 1 0 0 0") BETWEEN("j", "ball", "a", "b", "")), NULL);
    ck_assert_int_eq(joint_of(&r, "b")->type, TRX_JOINT_BALL);
    free_robot(&r);
    r = read_text(SDF("1.7", HELD BODY("b", "0 0 1 0 0 0")
                                 BETWEEN("j", "universal", "a", "b", AXIS "<axis2><xyz>1 0 0</xyz></axis2>")),
                  NULL);
    ck_assert_int_eq(body_of(&r, "b")->njoint, 2);
    assert_close(max_difference(body_of(&r, "b")->joints[1].axis, (double[]){1, 0, 0}, 3), 0, 0);
    free_robot(&r);
    r = read_text(SDF("1.7", HELD BODY("b", "1 0 0 0 0 0")
                                 BETWEEN("j", "prismatic", "a", "b",
                                         "<axis><xyz>0 0 1</xyz><limit><lower>2</lower><upper>2</upper></limit></axis>")),
                  NULL);
    ck_assert_int_eq(body_of(&r, "b")->njoint, 0);
    assert_close(max_difference(body_of(&r, "b")->pose.p, (double[]){1, 0, 2}, 3), 0, 1e-15);
    free_robot(&r);
}
END_TEST

// a ball joint closes the loop although it comes first in the file
START_TEST(loops_close_with_constraints)
{
    robot r = read_text(SDF("1.7", HELD BODY("b", "1 0 0 0 0 0") BETWEEN("rod", "ball", "a", "b", "<pose>-1 0 2 0 0 0</pose>")
                                       BETWEEN("j", "revolute", "a", "b", AXIS)),
                        NULL);
    ck_assert_int_eq(joint_of(&r, "b")->type, TRX_JOINT_HINGE);
    ck_assert_int_eq(r.result->def.nconstraint, 1);
    const trx_constraint_def *rod = &r.result->def.constraints[0];
    ck_assert_int_eq(rod->type, TRX_CONSTRAINT_BALL);
    assert_close(max_difference(rod->pose_a.p, (double[]){0, 0, 2}, 3), 0, 1e-15);
    assert_close(max_difference(rod->pose_b.p, (double[]){-1, 0, 2}, 3), 0, 1e-15);
    free_robot(&r);
}
END_TEST

// two points of the axis z of the link b, which is 1 m beside a, coincide with those of a
START_TEST(a_revolute_joint_closes_a_loop_by_two_points_of_its_axis)
{
    robot r = read_text(SDF("1.7", HELD BODY("b", "1 0 0 0 0 0") BETWEEN("i", "revolute", "a", "b", AXIS)
                                       BETWEEN("j", "revolute", "a", "b", "<pose>0 2 0 0 0 0</pose>" AXIS)),
                        NULL);
    ck_assert_int_eq(r.result->def.nconstraint, 2);
    for (int k = 0; k < 2; k++) {
        const trx_constraint_def *end = &r.result->def.constraints[k];
        const double z = k ? 0.05 : -0.05;
        ck_assert_int_eq(end->type, TRX_CONSTRAINT_BALL);
        assert_close(max_difference(end->pose_a.p, (double[]){1, 2, z}, 3), 0, 1e-15);
        assert_close(max_difference(end->pose_b.p, (double[]){0, 2, z}, 3), 0, 1e-15);
    }
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_REPLACED, "1 revolute joint closes a loop: two balls 0.1 m apart"), 1);
    free_robot(&r);
}
END_TEST

START_TEST(models_of_one_name_get_numbers)
{
    robot r = read_text("<sdf version=\"1.7\"><world name=\"w\">\n<model name=\"m\">" BODY("a", "0 0 0 0 0 0") "</model>\n"
                        "<model name=\"m\"><pose>0 3 0 0 0 0</pose>" BODY("a", "0 0 0 0 0 0") "</model></world></sdf>",
                        NULL);
    ck_assert_int_eq(r.result->def.nbody, 2);
    assert_close(body_of(&r, "m_2::a")->inertia.mass, 1, 0);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_REPLACED, "the model \"m\" is called \"m_2\": the name is used on line 2"), 1);
    free_robot(&r);
}
END_TEST

// the places of the hooks: the file's own pose, and those of its includes; one is static; the axis of the old file is in its model
START_TEST(included_models_come_from_their_files)
{
    trx_import_options fixed = trx_import_options_default();
    fixed.base = TRX_BASE_FIXED;
    robot r = read_data("hooks.sdf", &fixed);
    trx_model *model = model_of(&r);
    ck_assert_int_eq(r.result->def.nbody, 7);
    ck_assert_int_eq(body_of(&r, "stone::block")->njoint, 0);
    assert_close(max_difference(body_of(&r, "stone::block")->pose.p, (double[]){4, 0, 0.5}, 3), 0, 1e-15);
    assert_close(max_difference(body_of(&r, "left::block")->pose.p, (double[]){0, 2, 0}, 3), 0, 1e-15);
    assert_close(max_difference(body_of(&r, "right::block")->pose.p, (double[]){0, -2, 0}, 3), 0, 1e-15);
    assert_close(max_difference(joint_of(&r, "left::hook")->axis, (double[]){0, 0, -1}, 3), 0, 1e-12);
    ck_assert_int_eq(body_of(&r, "stone::block")->geometry[0].shape.type, TRX_SHAPE_MESH);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_DROPPED, "3 elements <sensor> in <link>: not served, left out"), 1);
    trx_model_destroy(model);
    free_robot(&r);
}
END_TEST

START_TEST(a_file_that_includes_itself_is_refused)
{
    robot r = read_text("<sdf version=\"1.9\"><include><uri>tests/import/data/endless.sdf</uri></include></sdf>", NULL);
    assert_refused(&r, 4, "<include>: more than 256 files, or files inside each other 32 deep");
    free_robot(&r);
}
END_TEST

START_TEST(links_without_inertia_have_mass_1_and_strange_shapes_are_left_out)
{
    robot r = read_text(SDF("1.7", "<link name=\"a\"><collision name=\"c\"><geometry><heightmap><uri>x</uri></heightmap>"
                                   "</geometry></collision></link>"),
                        NULL);
    assert_close(body_of(&r, "a")->inertia.mass, 1, 0);
    ck_assert_int_eq(body_of(&r, "a")->ngeometry, 0);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_ASSUMED, "1 link without <inertial> has mass 1 and moments 1"), 1);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_MISSING, "1 geometry of the shape <heightmap>"), 1);
    free_robot(&r);
}
END_TEST

START_TEST(wrong_files_are_refused_at_their_places)
{
    static const struct {
        const char *text, *part;
        int line;
    } cases[] = {
        {"<sdf version=\"1.7\"/>", "the file has no models: write <model name=\"...\">", 1},
        {SDF("1.7", "<link/>"), "<link> has no name: write name=\"...\"", 3},
        {SDF("1.7", BODY("a", "0 0 0 0 0 0") BODY("a", "0 0 0 0 0 0")),
         "\"m::a\" is already defined on line 3: rename one of them", 4},
        {SDF("1.7", BODY("a", "0 0 0")), "\"0 0 0\" in <pose>: write six numbers X Y Z ROLL PITCH YAW", 3},
        {SDF("1.9", "<link name=\"a\"><pose rotation_format=\"quat_xyzw\">0 0 0 0 0 0 0</pose></link>"),
         "the quaternion of <pose> is 0: write a unit quaternion", 3},
        {SDF("1.7", "<frame name=\"f\"><pose relative_to=\"g\"/></frame>\n<frame name=\"g\"><pose relative_to=\"f\"/></frame>"),
         "the pose of \"m::f\" is relative to itself through others", 3},
        {SDF("1.7", "<frame name=\"f\" attached_to=\"nobody\"/>"), "<frame>: there is no frame \"nobody\"", 3},
        {SDF("1.7", HELD BETWEEN("j", "fixed", "a", "b", "")), "<child>: there is no frame \"b\"", 5},
        {SDF("1.7", HELD "<joint name=\"j\" type=\"fixed\"><parent>a</parent></joint>"),
         "joint \"m::j\" has no <child>: write <child>LINK</child>", 5},
        {SDF("1.7", HELD BETWEEN("j", "fixed", "a", "world", "")), "joint \"m::j\" must connect a parent and another link", 5},
        {SDF("1.7", HELD BODY("b", "0 0 0 0 0 0") BETWEEN("j", "screw", "a", "b", AXIS)),
         "joint \"m::j\": type \"screw\" is not served: write fixed, revolute,", 6},
        {SDF("1.7", HELD BODY("b", "0 0 0 0 0 0") BETWEEN("j", "revolute", "a", "b", "")),
         "joint \"m::j\" has no <axis>: write <axis><xyz>X Y Z</xyz></axis>", 6},
        {SDF("1.7", HELD BODY("b", "0 0 0 0 0 0") BETWEEN("j", "revolute", "a", "b", "<axis><xyz>0 0 0</xyz></axis>")),
         "axis of joint \"m::j\" is 0 0 0: write a direction such as 0 0 1", 6},
        {SDF("1.7", HELD BODY("b", "0 0 0 0 0 0") BETWEEN("i", "revolute", "a", "b", AXIS)
                        BETWEEN("j", "prismatic", "a", "b", AXIS)),
         "joint \"m::j\" closes a loop: only fixed, ball, revolute and continuous joints can", 7},
        {SDF("1.7", "<include><uri>x</uri></include>"), "<include>: there is no file \"x/model.sdf\"", 3},
        {SDF("1.7", "<include><uri>model://x</uri></include>"),
         "<include>: \"package://x/model.sdf\" is in no folder of the package", 3},
        {SDF("1.7", "<include/>"), "<include> has no <uri>: write <uri>FILE</uri>", 3},
        {SDF("1.7", "<static>maybe</static>"), "\"maybe\" in <static>: write true or false", 3},
        {SDF("1.7", "<link name=\"a\"><collision name=\"c\"><geometry><box/></geometry></collision></link>"),
         "<box> has no <size>: write <size>...</size>", 3},
        {SDF("1.7", "<link name=\"a\"><collision name=\"c\"/></link>"), "<collision> has no shape: write <geometry> with <box>", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        robot r = read_text(cases[i].text, NULL);
        assert_refused(&r, cases[i].line, cases[i].part);
        free_robot(&r);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/sdf");
    TCase *cases = tcase_create("sdf");
    tcase_add_test(cases, masses_and_forces_of_a_crane_are_those_of_drake);
    tcase_add_test(cases, limits_springs_friction_and_motors_are_read);
    tcase_add_test(cases, roots_move_freely_unless_static_or_held);
    tcase_add_test(cases, axes_follow_the_rules_of_their_version);
    tcase_add_test(cases, ball_universal_and_locked_joints);
    tcase_add_test(cases, loops_close_with_constraints);
    tcase_add_test(cases, a_revolute_joint_closes_a_loop_by_two_points_of_its_axis);
    tcase_add_test(cases, models_of_one_name_get_numbers);
    tcase_add_test(cases, included_models_come_from_their_files);
    tcase_add_test(cases, a_file_that_includes_itself_is_refused);
    tcase_add_test(cases, links_without_inertia_have_mass_1_and_strange_shapes_are_left_out);
    tcase_add_test(cases, wrong_files_are_refused_at_their_places);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
