// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Included robots: names, order, place and start; which of robot file and problem file counts where they differ; robots that
// cannot be read.

#include "loading.h"
#include "problem/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the two robots of tests/problem/robots, and a problem around them
static const char SCENE[] = "tractrix: 1\n"
                            "model:\n"
                            "  include:\n"
                            "    - {name: arm, file: tests/problem/robots/arm.urdf, pose: {xyz: [0, 0.5, 0]}, material: rubber}\n"
                            "    - {name: crane, file: tests/problem/robots/crane.xml}\n"
                            "  materials: {rubber: {stiffness: 3.0e4, friction: 0.8}}\n"
                            "  bodies:\n"
                            "    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.1, mass: 0.3}]}\n"
                            "    - {name: ground, geometry: [{shape: halfspace, material: rubber}]}\n"
                            "  actuators: [{joint: arm/elbow, name: extra}]\n"
                            "contact: {pairs: {exclude: [[arm, ground]]}}\n"
                            "time: {step: 0.01, steps: 10}\n"
                            "start: {ball: {xyz: [2, 0, 1]}}\n";

static void load_set(fixture *f, const char *const *set, int count)
{
    trx_status status = load_text(f, SCENE, set, count);
    ck_assert_msg(status == TRX_OK, "%s: %s", trx_status_name(status), trx_context_message(f->context));
}

static trx_pose pose_of(const fixture *f, const char *name)
{
    const trx_model *model = f->problem->model;
    trx_pose poses[64];
    int body = trx_model_find_body(model, name);
    ck_assert_int_ge(body, 0);
    trx_model_body_poses(model, f->problem->start, poses);
    return poses[body];
}

static double start_of(const fixture *f, const char *joint, bool velocity)
{
    const trx_model *model = f->problem->model;
    int index = trx_model_find_joint(model, joint);
    ck_assert_int_ge(index, 0);
    trx_joint_info info = trx_model_joint(model, index);
    return f->problem->start[velocity ? trx_model_get_size(model).nq + info.v_index : info.q_index];
}

static const trx_note *find_note(const fixture *f, trx_note_kind kind, const char *words)
{
    static trx_note note;
    for (int i = 0; i < trx_problem_note_count(f->problem); i++) {
        note = trx_problem_note(f->problem, i);
        if (note.kind == kind && strstr(note.text, words)) return &note;
    }
    return NULL;
}

START_TEST(robots_come_first_in_every_order)
{
    static const char *const joints[] = {"arm/shoulder", "arm/elbow",   "arm/grip",    "arm/follow",
                                         "crane/rail",   "crane/swing", "crane/loose", "ball"};
    static const char *const actuators[] = {"arm/shoulder", "arm/elbow", "arm/grip", "crane/drive", "crane/pull", "extra"};
    fixture f = fixture_open();
    load_good(&f, SCENE);
    const trx_model *model = f.problem->model;
    trx_model_size size = trx_model_get_size(model);
    ck_assert_int_eq(size.njoint, 8);
    for (int i = 0; i < 8; i++) ck_assert_str_eq(trx_model_joint_name(model, i), joints[i]);
    ck_assert_int_eq(size.nu, 6);
    for (int i = 0; i < 6; i++) ck_assert_str_eq(trx_model_actuator_name(model, i), actuators[i]);
    ck_assert_int_ge(trx_model_find_body(model, "arm/tool"), 0);
    ck_assert_int_ge(trx_model_find_geom(model, "crane/rope"), 0);

    // parents, constraints, tendons and materials follow their bodies
    ck_assert_str_eq(trx_model_body_name(model, trx_model_body(model, trx_model_find_body(model, "crane/hook")).parent),
                     "crane/trolley");
    trx_constraint_info follow = trx_model_constraint(model, 0);
    ck_assert_int_eq(size.nconstraint, 1);
    ck_assert_str_eq(trx_model_joint_name(model, follow.joint_a), "arm/follow");
    ck_assert_str_eq(trx_model_joint_name(model, follow.joint_b), "arm/grip");
    trx_actuator_info pull = trx_model_actuator(model, 4), extra = trx_model_actuator(model, 5);
    ck_assert_int_eq(pull.nfactor, 2);
    ck_assert_int_eq(pull.v_indices[1], trx_model_joint(model, trx_model_find_joint(model, "crane/swing")).v_index);
    assert_close(pull.gear * pull.factors[1], -0.75, 1e-15);
    ck_assert_str_eq(trx_model_joint_name(model, extra.joint), "arm/elbow");
    int upper = trx_model_geom(model, trx_model_find_geom(model, "arm/upper#1")).material;
    int rope = trx_model_geom(model, trx_model_find_geom(model, "crane/rope")).material;
    ck_assert(model->materials[upper].stiffness == 3e4 && model->materials[upper].friction == 0.8);
    ck_assert(model->materials[rope].stiffness == 1e5);
    fixture_close(&f);
}
END_TEST

START_TEST(robots_start_where_their_files_put_them)
{
    fixture f = fixture_open();
    load_good(&f, SCENE);
    trx_pose base = pose_of(&f, "arm/base"), stone = pose_of(&f, "crane/stone");
    assert_close(base.p[1], 0.5, 1e-15);
    assert_close(stone.p[0], 0.7, 1e-15);
    assert_close(stone.p[2], 0.3, 1e-15);

    // the problem file changes parts of this start: a velocity, a robot's joints in the order of q, a base by the robot's name
    const char *const set[] = {"start.crane/loose={velocity: [0, 0, 2]}", "start.joints(arm)=[0.1, 0.2, 0.01, 0.01]",
                               "model.include.arm.base=free", "start.arm={rpy: [0, 0, 1.5707963267948966]}"};
    load_set(&f, set, 4);
    stone = pose_of(&f, "crane/stone"), base = pose_of(&f, "arm/base");
    assert_close(stone.p[0], 0.7, 1e-15);
    assert_close(start_of(&f, "arm/elbow", false), 0.2, 0);
    assert_close(base.p[1], 0.5, 1e-15);
    assert_close(base.quat[3], sqrt(0.5), 1e-14);
    fixture_close(&f);
}
END_TEST

// a robot that a body of the problem file carries had no base, because this body comes after the robot
START_TEST(a_robot_on_a_body_of_the_file_is_placed_by_its_base)
{
    fixture f = fixture_open();
    const char *const set[] = {"model.include=[{name: arm, file: tests/problem/robots/arm.urdf, base: planar, parent: ball}]",
                               "start.arm={x: 0.3, yaw: 1.5707963267948966}"};
    load_set(&f, set, 2);
    const trx_pose base = pose_of(&f, "arm/base");
    assert_close(base.p[0], 2.3, 1e-14);
    assert_close(base.p[2] - pose_of(&f, "ball").p[2], 0, 1e-14);
    assert_close(base.quat[3], sqrt(0.5), 1e-14);
    fixture_close(&f);
}
END_TEST

START_TEST(a_keyframe_places_its_robot_and_single_joints_come_on_top)
{
    fixture f = fixture_open();
    const char *const set[] = {"start.crane/swing=0.7", "start.keyframe=crane/home"};
    load_set(&f, set, 2);
    assert_close(start_of(&f, "crane/rail", false), 0.25, 0);
    assert_close(start_of(&f, "crane/rail", true), 0.5, 0);
    assert_close(start_of(&f, "crane/swing", false), 0.7, 0);
    assert_close(pose_of(&f, "crane/stone").p[2], 0.4, 0);
    assert_close(start_of(&f, "ball", false), 2, 0);

    const char *const list[] = {"start.keyframe=[crane/home]"};
    load_set(&f, list, 1);
    assert_close(start_of(&f, "crane/swing", false), -0.3, 0);
    const char *const wrong[] = {"start.keyframe=crane/hom"}, *const strange[] = {"start.keyframe=sleep"};
    ck_assert_int_eq(load_text(&f, SCENE, wrong, 1), TRX_ERR_INPUT);
    ck_assert(has_finding(&f, TRX_ERROR, "unknown keyframe \"crane/hom\": did you mean \"crane/home\"?"));
    ck_assert_int_eq(load_text(&f, SCENE, strange, 1), TRX_ERR_INPUT);
    ck_assert(has_finding(&f, TRX_ERROR, "unknown keyframe \"sleep\": write crane/home"));
    fixture_close(&f);
}
END_TEST

// pairs between the bodies whose names begin with these
static int count_pairs(const trx_model *model, const char *a, const char *b)
{
    int count = 0;
    for (int i = 0; i < trx_model_get_size(model).npair; i++) {
        trx_pair_info pair = trx_model_pair(model, i);
        const char *x = trx_model_body_name(model, trx_model_geom(model, pair.geom_a).body);
        const char *y = trx_model_body_name(model, trx_model_geom(model, pair.geom_b).body);
        bool one = strncmp(x, a, strlen(a)) == 0 && strncmp(y, b, strlen(b)) == 0;
        bool other = strncmp(x, b, strlen(b)) == 0 && strncmp(y, a, strlen(a)) == 0;
        count += one || other;
    }
    return count;
}

START_TEST(the_name_of_a_robot_stands_for_all_its_bodies_in_pairs)
{
    fixture f = fixture_open();
    load_good(&f, SCENE);
    int inside = count_pairs(f.problem->model, "arm/", "arm/"), across = count_pairs(f.problem->model, "arm/", "crane/");
    ck_assert_int_eq(inside, 1); // base and lower; all other pairs are neighbours
    ck_assert_int_gt(across, 5);
    ck_assert_int_eq(count_pairs(f.problem->model, "arm/", "ground"), 0);

    // the file of the crane excludes hook and stone, and gives box and stone a friction
    ck_assert_int_eq(count_pairs(f.problem->model, "crane/hook", "crane/stone"), 0);
    ck_assert_int_gt(count_pairs(f.problem->model, "crane/trolley", "crane/stone"), 0);
    const char *const apart[] = {"contact.pairs.exclude=[[arm, arm]]"};
    load_set(&f, apart, 1);
    ck_assert_int_eq(count_pairs(f.problem->model, "arm/", "arm/"), 0);
    ck_assert_int_eq(count_pairs(f.problem->model, "arm/", "crane/"), across);
    ck_assert_int_gt(count_pairs(f.problem->model, "arm/", "ground"), 0);

    const char *const only[] = {"contact.pairs={only: [[arm, ball], [crane, ball], [crane/stone, crane/trolley]]}",
                                "contact.override=[{pair: [ball, arm], friction: 0.123}]"};
    load_set(&f, only, 2);
    const trx_model *model = f.problem->model;
    ck_assert_int_eq(count_pairs(model, "arm/", "crane/"), 0);
    ck_assert_int_eq(trx_model_get_size(model).npair, 3 + 4 + 1);
    for (int i = 0; i < 8; i++) {
        trx_pair_info pair = trx_model_pair(model, i);
        int other = strcmp(trx_model_geom_name(model, pair.geom_a), "ball#1") == 0 ? pair.geom_b : pair.geom_a;
        bool arm = strncmp(trx_model_geom_name(model, other), "arm/", 4) == 0;
        ck_assert((pair.law.friction == 0.123) == arm);
    }
    ck_assert_int_eq(trx_context_diagnostic_count(f.context), 0);
    fixture_close(&f);
}
END_TEST

START_TEST(robots_stand_on_other_robots_and_carry_bodies)
{
    fixture f = fixture_open();
    const char *const set[] = {"model.include=[{name: arm, file: tests/problem/robots/arm.urdf}, {name: second, file: "
                               "tests/problem/robots/arm.urdf, parent: arm/tool, pose: {xyz: [0, 0, 0.02]}}, {name: crane, file: "
                               "tests/problem/robots/crane.xml}]",
                               "model.bodies.ground={name: cup, parent: second/tool, pose: {xyz: [0, 0, 0.1]}}",
                               "contact.pairs.exclude=[]"};
    load_set(&f, set, 3);
    assert_close(pose_of(&f, "second/base").p[2], 0.05 + 0.4 + 0.3 + 0.02, 1e-14);
    assert_close(pose_of(&f, "cup").p[2], 2 * (0.05 + 0.4 + 0.3) + 0.02 + 0.1, 1e-14);
    ck_assert_int_eq(trx_model_get_size(f.problem->model).ntree, 4);
    fixture_close(&f);
}
END_TEST

START_TEST(what_a_file_holds_to_its_world_is_held_to_what_carries_the_robot)
{
    // a hand whose plate is fixed to the world of its file: included on the ball, the plate is fixed to the ball, not to the scene
    sandbox s = sandbox_open();
    write_file(&s, "hand.xml",
               "<mujoco><worldbody><body name=\"palm\"><joint name=\"turn\"/><geom size=\"0.1\" mass=\"1\"/>"
               "<body name=\"plate\"><joint name=\"lift\" type=\"slide\"/><geom size=\"0.1\" mass=\"1\"/></body>"
               "</body></worldbody><equality><weld name=\"hold\" body1=\"plate\"/>"
               "<connect name=\"pin\" body1=\"world\" body2=\"palm\" anchor=\"0 0 0\"/>"
               "<joint name=\"stay\" joint1=\"lift\"/></equality></mujoco>");
    for (int carried = 0; carried < 2; carried++) {
        char set[256];
        snprintf(set, sizeof set, "model.include.crane={name: hand, file: %s%s}", in_folder(&s, "hand.xml"),
                 carried ? ", parent: ball" : "");
        const char *const sets[] = {set};
        load_set(&s.f, sets, 1);
        const trx_model *model = s.f.problem->model;
        int carrier = carried ? trx_model_find_body(model, "ball") : -1;
        ck_assert(!carried || carrier > 0);
        int last = trx_model_get_size(model).nconstraint - 1; // the robot has three constraints
        trx_constraint_info hold = trx_model_constraint(model, last - 2), pin = trx_model_constraint(model, last - 1);
        ck_assert_str_eq(hold.name, "hand/hold");
        ck_assert_int_eq(hold.body_a, trx_model_find_body(model, "hand/plate"));
        ck_assert_int_eq(hold.body_b, carrier);
        ck_assert_int_eq(pin.body_a, carrier);
        ck_assert_int_eq(pin.body_b, trx_model_find_body(model, "hand/palm"));
        ck_assert_int_eq(trx_model_constraint(model, last).joint_b, -1);
    }
    const char *const names[] = {"hand.xml"};
    sandbox_close(&s, names, 1);
}
END_TEST

START_TEST(actuators_of_a_file_can_be_left_out)
{
    fixture f = fixture_open();
    const char *const set[] = {"model.include.arm.actuators=false"};
    load_set(&f, set, 1);
    ck_assert_int_eq(trx_model_get_size(f.problem->model).nu, 3);
    ck_assert_str_eq(trx_model_actuator_name(f.problem->model, 0), "crane/drive");
    fixture_close(&f);
}
END_TEST

START_TEST(joints_without_friction_in_their_file_take_that_of_the_include)
{
    // the arm's first joint has damping 0.5 and friction 0.1 in its file
    const char *const set[] = {"model.include.arm.joint_damping=0.2", "model.include.arm.joint_friction=0.05"};
    fixture f = fixture_open();
    load_set(&f, set, 2);
    int given = 0, filled = 0;
    for (int j = 0; j < f.problem->model->njoint; j++) {
        const trxi_joint *joint = &f.problem->model->joints[j];
        given += joint->damping == 0.5 && joint->friction == 0.1;
        filled += joint->damping == 0.2 && joint->friction == 0.05;
        if (joint->type == TRX_JOINT_FREE) ck_assert_double_eq(joint->damping, 0);
    }
    ck_assert_int_eq(given, 1);
    ck_assert_int_ge(filled, 1);
    fixture_close(&f);
}
END_TEST

START_TEST(a_compensated_robot_has_no_weight)
{
    const char *const set[] = {"model.include.arm.gravity_compensation=true"};
    fixture f = fixture_open();
    load_set(&f, set, 1);
    const trx_model *model = f.problem->model;
    int without = 0, with = 0;
    for (int i = 0; i < trx_model_get_size(model).nbody; i++) {
        const trx_body_info body = trx_model_body(model, i);
        ck_assert_int_eq(body.gravity, strncmp(body.name, "arm/", 4) != 0);
        without += !body.gravity, with += body.gravity;
    }
    ck_assert(without > 0 && with > 0);
    fixture_close(&f);
}
END_TEST

// a mocap body with a ball on it, and a pendulum
static const char MOCAP[] = "<mujoco><option gravity=\"0 0 -3\"/><worldbody><body name=\"hand\" mocap=\"true\" pos=\"1 0 0\">"
                            "<geom size=\"0.1\"/></body><body name=\"arm\"><joint name=\"hand\"/><geom size=\"0.1\" pos=\"1 0 0\"/>"
                            "</body></worldbody></mujoco>";

START_TEST(bodies_of_a_file_move_as_the_include_says)
{
    sandbox s = sandbox_open();
    write_file(&s, "r.xml", MOCAP);
    write_file(&s, "p.yaml", "tractrix: 1\nmodel:\n  include:\n    - name: r\n      file: r.xml\n"
                             "      motions: {hand: {type: slide, axis: [0, 1, 0], velocity: 0.5}}\n"
                             "time: {step: 0.01, steps: 2}\n");
    trx_status status = trx_problem_load(s.f.context, in_folder(&s, "p.yaml"), NULL, &s.f.problem);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s.f.context));
    const trx_model *model = s.f.problem->model;
    ck_assert(trx_model_body(model, trx_model_find_body(model, "r/hand")).motion);
    ck_assert_int_eq(trx_model_get_size(model).nmotion, 1);

    static const struct {
        const char *set, *words;
    } wrong[] = {{"model.include.r.motions={hnd: {type: slide, axis: [0, 1, 0], velocity: 1}}",
                  "unknown body \"r/hnd\": did you mean \"r/hand\"?"},
                 {"model.include.r.motions={arm: {type: slide, axis: [0, 1, 0], velocity: 1}}", "\"r/arm\" is moved by its joints"},
                 {"model.include.r.motions={hand: {type: slide}}", "a slide motion needs an axis"},
                 {"model.include.r.motions=[hand]", "motions"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trx_problem_options options = trx_problem_options_default();
        options.set = &wrong[i].set, options.nset = 1;
        trx_problem *none;
        ck_assert_int_eq(trx_problem_load(s.f.context, in_folder(&s, "p.yaml"), &options, &none), TRX_ERR_INPUT);
        ck_assert_msg(has_finding(&s.f, TRX_ERROR, wrong[i].words), "%s", wrong[i].words);
    }
    const char *const names[] = {"r.xml", "p.yaml"};
    sandbox_close(&s, names, 2);
}
END_TEST

START_TEST(the_gravity_of_a_file_acts_on_request)
{
    const char *const theirs[] = {"model.include.crane.gravity=true"};
    fixture f = fixture_open();
    load_set(&f, theirs, 1);
    double gravity;
    const trx_parameter down = {TRX_GRAVITY, 0, 2};
    ck_assert_int_eq(trx_model_parameter_value(f.context, f.problem->model, down, &gravity), TRX_OK);
    assert_close(gravity, -1.62, 0);
    ck_assert_ptr_null(find_note(&f, TRX_NOTE_REPLACED, "gravity of the file"));
    const char *const none[] = {"model.include.arm.gravity=true"};
    load_set(&f, none, 1);
    ck_assert_ptr_nonnull(find_note(&f, TRX_NOTE_REPLACED, "the file of \"arm\" gives no gravity; the problem's [0, 0, -9.81]"));
    const char *const both[] = {"model.include.crane.gravity=true", "model.gravity=[0, 0, -9]"};
    ck_assert_int_eq(load_text(&f, SCENE, both, 2), TRX_ERR_INPUT);
    ck_assert(has_finding(&f, TRX_ERROR, "the gravity of \"crane\" is not the only one"));
    fixture_close(&f);
}
END_TEST

START_TEST(what_the_import_decided_stands_in_notes_once)
{
    fixture f = fixture_open();
    const char *const twice[] = {"model.include=[{name: arm, file: tests/problem/robots/arm.urdf}, {name: crane, file: "
                                 "tests/problem/robots/crane.xml}, {name: second, file: tests/problem/robots/arm.urdf}]"};
    load_good(&f, SCENE);
    const trx_note *note = find_note(&f, TRX_NOTE_REPLACED, "gravity of the file of \"crane\" is [0, 0, -1.62]");
    ck_assert_ptr_nonnull(note);
    ck_assert_int_eq(note->source.line, 5);
    note = find_note(&f, TRX_NOTE_ASSUMED, "is fixed (base");
    ck_assert_ptr_nonnull(note);
    ck_assert_str_eq(note->source.file, "tests/problem/robots/arm.urdf");
    int count = trx_problem_note_count(f.problem);
    ck_assert_str_eq(trx_problem_note(f.problem, count).text, "");
    ck_assert_str_eq(trx_problem_note(f.problem, -1).text, "");

    // a second arm of the same file adds no notes
    load_set(&f, twice, 1);
    ck_assert_int_eq(trx_problem_note_count(f.problem), count);
    const char *const moon[] = {"model.gravity=[0, 0, -1.62]"};
    load_set(&f, moon, 1);
    ck_assert_ptr_null(find_note(&f, TRX_NOTE_REPLACED, "gravity"));
    fixture_close(&f);
}
END_TEST

static const char HEAVY[] = "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/>"
                            "<inertia ixx=\"1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
                            "<collision><geometry>"
                            "<mesh filename=\"package://parts/wedge.obj\"/></geometry></collision></link></robot>\n";

START_TEST(inertias_are_repaired_on_request_and_packages_found)
{
    sandbox s = sandbox_open();
    size_t length;
    char *wedge = read_all("tests/problem/robots/wedge.obj", &length), package[TEMPORARY_PATH + 16], again[128];
    write_file(&s, "wedge.obj", wedge);
    write_file(&s, "r.urdf", HEAVY);
    write_file(&s, "p.yaml", "tractrix: 1\nmodel:\n  include:\n    - {name: r, file: r.urdf, base: free, repair_inertia: balance}\n"
                             "time: {step: 0.01, steps: 2}\n");
    snprintf(package, sizeof package, "parts=%s", s.folder);
    const char *const packages[] = {package}, *const strip[] = {"model.include.r.repair_inertia=bound"};
    trx_problem_options options = trx_problem_options_default();
    options.packages = packages, options.npackage = 1;
    trx_status status = trx_problem_load(s.f.context, in_folder(&s, "p.yaml"), &options, &s.f.problem);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s.f.context));
    const trx_note *note = find_note(&s.f, TRX_NOTE_REPAIRED, "");
    ck_assert_ptr_nonnull(note);
    ck_assert_ptr_nonnull(strstr(note->source.file, "r.urdf"));
    ck_assert_str_eq(trx_shape_name(trx_model_geom(s.f.problem->model, 0).shape.type), "mesh");

    // the problem as run loads from anywhere
    char *text = strdup(trx_problem_text(s.f.problem));
    ck_assert_ptr_nonnull(strstr(text, s.folder));
    trx_problem_destroy(s.f.problem);
    snprintf(again, sizeof again, "elsewhere/problem.yaml");
    options.set = strip, options.nset = 1;
    ck_assert_int_eq(trx_problem_load_text(s.f.context, again, text, strlen(text), &options, &s.f.problem), TRX_OK);
    free(text);

    // without the package the mesh is found by its name; without the mesh, or with half of a package, nothing loads
    trx_problem *none;
    ck_assert_int_eq(trx_problem_load(s.f.context, in_folder(&s, "p.yaml"), NULL, &none), TRX_OK);
    trx_problem_destroy(none);
    ck_assert_int_eq(remove(in_folder(&s, "wedge.obj")), 0);
    ck_assert_int_eq(trx_problem_load(s.f.context, in_folder(&s, "p.yaml"), NULL, &none), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "parts"));
    write_file(&s, "wedge.obj", wedge);
    const char *const half[] = {"parts="};
    options.packages = half;
    ck_assert_int_eq(trx_problem_load(s.f.context, in_folder(&s, "p.yaml"), &options, &none), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.f.context), "write --package NAME=DIR"));
    free(wedge);
    const char *const names[] = {"wedge.obj", "r.urdf", "p.yaml"};
    sandbox_close(&s, names, 3);
}
END_TEST

START_TEST(a_robot_that_cannot_be_read_is_the_only_error)
{
    // names of bodies of a robot that could not be read are no further errors
    const char *const missing[] = {"model.include.arm.file=nowhere.urdf", "start.joints(arm)=[1, 2]",
                                   "cost=[{of: arm/tool.position}, {of: \"distance(arm, ball)\"}]"};
    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, SCENE, missing, 3), TRX_ERR_IO);
    ck_assert_int_eq(trx_context_error_count(f.context), 1);
    ck_assert(has_finding(&f, TRX_ERROR, "nowhere.urdf"));

    sandbox s = sandbox_open();
    char set[256];
    write_file(&s, "bad.urdf", "<robot name=\"r\">\n  <link name=\"a\"/>\n  <joint name=\"j\" type=\"spin\"/>\n</robot>\n");
    snprintf(set, sizeof set, "model.include.arm.file=%s", in_folder(&s, "bad.urdf"));
    const char *const bad[] = {set, "start.joints(arm)=[1, 2]"};
    ck_assert_int_eq(load_text(&f, SCENE, bad, 2), TRX_ERR_INPUT);
    for (int i = 0; i < trx_context_diagnostic_count(f.context); i++) {
        trx_diagnostic finding = trx_context_diagnostic(f.context, i);
        ck_assert_ptr_nonnull(strstr(finding.source.file, "bad.urdf"));
        ck_assert_int_eq(finding.source.line, 3);
    }
    write_file(&s, "bad.urdf", "<sdf version=\"1.3\"/>\n");
    ck_assert_int_eq(load_text(&f, SCENE, bad, 2), TRX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trx_context_message(f.context), "not in this version: model.include.arm.file"));
    fixture_close(&f);
    const char *const names[] = {"bad.urdf"};
    sandbox_close(&s, names, 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_include");
    TCase *cases = tcase_create("read_include");
    tcase_add_test(cases, robots_come_first_in_every_order);
    tcase_add_test(cases, robots_start_where_their_files_put_them);
    tcase_add_test(cases, a_robot_on_a_body_of_the_file_is_placed_by_its_base);
    tcase_add_test(cases, a_keyframe_places_its_robot_and_single_joints_come_on_top);
    tcase_add_test(cases, the_name_of_a_robot_stands_for_all_its_bodies_in_pairs);
    tcase_add_test(cases, robots_stand_on_other_robots_and_carry_bodies);
    tcase_add_test(cases, what_a_file_holds_to_its_world_is_held_to_what_carries_the_robot);
    tcase_add_test(cases, actuators_of_a_file_can_be_left_out);
    tcase_add_test(cases, joints_without_friction_in_their_file_take_that_of_the_include);
    tcase_add_test(cases, a_compensated_robot_has_no_weight);
    tcase_add_test(cases, bodies_of_a_file_move_as_the_include_says);
    tcase_add_test(cases, the_gravity_of_a_file_acts_on_request);
    tcase_add_test(cases, what_the_import_decided_stands_in_notes_once);
    tcase_add_test(cases, inertias_are_repaired_on_request_and_packages_found);
    tcase_add_test(cases, a_robot_that_cannot_be_read_is_the_only_error);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
