// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Counts over the definitions agree with the model that is built from them; groups follow the tree, not the file.

#include "loading.h"

#include "problem/problem.h"

#include <string.h>

// hand on lower on upper, written in another order, with a ball among the hinges; and bodies of every other joint
static const char TREES[] = "tractrix: 1\n"
                            "model:\n"
                            "  bodies:\n"
                            "    - name: hand\n"
                            "      parent: lower\n"
                            "      joints: [{name: wrist, type: hinge, axis: [0, 0, 1]},\n"
                            "               {name: twist, type: ball, at: [0.3, 0, 0]}]\n"
                            "      inertia: {mass: 1, com: [1, 0, 0], tensor: [1, 1, 1]}\n"
                            "    - {name: puck, joint: planar, inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
                            "    - name: upper\n"
                            "      joints: [{name: lift, type: slide, axis: [0, 0, 1]},\n"
                            "               {name: shoulder, type: hinge, axis: [0, 0, 1]}]\n"
                            "      inertia: {mass: 1, com: [1, 0, 0], tensor: [1, 1, 1]}\n"
                            "    - name: lower\n"
                            "      parent: upper\n"
                            "      joints: [{name: elbow, type: hinge, axis: [0, 0, 1]}]\n"
                            "      inertia: {mass: 1, com: [1, 0, 0], tensor: [1, 1, 1]}\n"
                            "    - {name: box, joint: free, inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
                            "time: {step: 0.01, steps: 1}\n";

enum { HAND, PUCK, UPPER, LOWER, BOX };

START_TEST(a_scene_counts_what_its_model_has)
{
    static const char *const texts[] = {TREES, PUSH};
    fixture f = fixture_open();
    for (int i = 0; i < 2; i++) {
        load_good(&f, texts[i]);
        trx_model_size size = trx_model_get_size(f.problem->model);
        ck_assert_int_eq(trxi_scene_nq(&f.problem->scene), size.nq);
        ck_assert_int_eq(trxi_scene_nv(&f.problem->scene), size.nv);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(a_group_is_a_body_and_what_hangs_on_it)
{
    static const int counts[] = {1, 0, 4, 2, 0};
    fixture f = fixture_open();
    load_good(&f, TREES);
    const trxi_scene *scene = &f.problem->scene;
    for (int i = 0; i < 5; i++) ck_assert_int_eq(trxi_scene_group(scene, (trxi_side){-1, i, -1}), counts[i]);
    ck_assert(trxi_scene_descends(scene, HAND, UPPER) && trxi_scene_descends(scene, HAND, LOWER));
    ck_assert(trxi_scene_descends(scene, UPPER, UPPER) && !trxi_scene_descends(scene, UPPER, HAND));
    ck_assert(!trxi_scene_descends(scene, PUCK, UPPER) && !trxi_scene_descends(scene, -1, UPPER));
    fixture_close(&f);
}
END_TEST

START_TEST(the_joints_of_a_group_are_in_the_order_of_q)
{
    static const char *const names[] = {"lift", "shoulder", "elbow", "wrist"};
    fixture f = fixture_open();
    load_good(&f, TREES);
    const trx_model *model = f.problem->model;
    int joints[4];
    trxi_group_joints(&f.problem->scene, model, (trxi_side){-1, UPPER, -1}, joints);
    for (int i = 0; i < 4; i++) {
        ck_assert_str_eq(trx_model_joint_name(model, joints[i]), names[i]);
        if (i > 0)
            ck_assert_int_gt(trx_model_joint(model, joints[i]).q_index, trx_model_joint(model, joints[i - 1]).q_index);
    }
    trxi_group_joints(&f.problem->scene, model, (trxi_side){-1, LOWER, -1}, joints);
    ck_assert_str_eq(trx_model_joint_name(model, joints[0]), "elbow");
    ck_assert_str_eq(trx_model_joint_name(model, joints[1]), "wrist");
    fixture_close(&f);
}
END_TEST

START_TEST(a_cycle_of_parents_ends_every_walk)
{
    // the scene has no model yet: trx_model_create would refuse the cycle
    trx_body_def bodies[3] = {trx_body_def_default(), trx_body_def_default(), trx_body_def_default()};
    trx_joint_def hinge = trx_joint_def_default();
    hinge.type = TRX_JOINT_HINGE;
    for (int i = 0; i < 3; i++) bodies[i].joints = &hinge, bodies[i].njoint = 1;
    bodies[0].parent = 1, bodies[1].parent = 0;
    trxi_scene scene = {.def = trx_model_def_default(), .bodies = bodies};
    scene.def.bodies = bodies, scene.def.nbody = 3;
    ck_assert(trxi_scene_descends(&scene, 0, 1) && trxi_scene_descends(&scene, 1, 0));
    ck_assert(!trxi_scene_descends(&scene, 0, 2));
    ck_assert_int_eq(trxi_scene_group(&scene, (trxi_side){-1, 0, -1}), 2);
    ck_assert_int_eq(trxi_scene_group(&scene, (trxi_side){-1, 2, -1}), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/scene");
    TCase *cases = tcase_create("scene");
    tcase_add_test(cases, a_scene_counts_what_its_model_has);
    tcase_add_test(cases, a_group_is_a_body_and_what_hangs_on_it);
    tcase_add_test(cases, the_joints_of_a_group_are_in_the_order_of_q);
    tcase_add_test(cases, a_cycle_of_parents_ends_every_walk);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
