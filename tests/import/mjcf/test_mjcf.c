// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Files as a whole: the order of sections, the base and the place that the caller wants, memory that runs out.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

START_TEST(sections_may_come_in_any_order_and_several_times)
{
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><actuator><motor name=\"m\" joint=\"j\" class=\"strong\"/></actuator>"
                   "<worldbody><body name=\"b\"><joint name=\"j\" range=\"-1 1\" axis=\"0 1 0\"/>"
                   "<geom name=\"g\" type=\"mesh\" mesh=\"t\"/></body></worldbody>"
                   "<asset><mesh name=\"t\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\"/></asset>"
                   "<worldbody><body name=\"d\"><joint name=\"k\" axis=\"0 1 0\"/><geom size=\"1\"/></body></worldbody>"
                   "<default><default class=\"strong\"><motor gear=\"50\"/></default></default>"
                   "<compiler angle=\"radian\"/></mujoco>",
                   NULL);
    ck_assert_int_eq(c.result->nq, 2);
    ck_assert_double_eq(case_actuator(&c, "m")->gear, 50);
    ck_assert_double_eq(case_joint(&c, "j")->upper, 1);
    ck_assert_ptr_nonnull(case_geometry(&c, "g")->shape.mesh);
    case_close(&c);
}
END_TEST

START_TEST(a_fixed_base_takes_the_place_of_the_first_free_joint)
{
    mjcf_case c;
    trx_import_options options = trx_import_options_default();
    options.base = TRX_BASE_FIXED;
    case_open(&c, "mjcf_keys", &options);
    ck_assert_int_eq(c.result->nq, 5);
    const trx_body_def *base = case_body(&c, "base");
    ck_assert_int_eq(base->njoint, 0);
    assert_close(base->pose.p[2], 1, 0);
    assert_close(base->pose.quat[2], sqrt(0.5), 1e-15);

    // the named states lack the seven numbers of the free joint
    const trx_keyframe *posed = &c.result->keyframes[1];
    assert_close(posed->q[1], 1, 0);
    assert_close(posed->q[4], -0.7, 0);
    assert_close(posed->v[3], 10, 0);
    case_close(&c);
}
END_TEST

START_TEST(a_free_or_planar_base_is_put_under_the_first_body)
{
    static const char text[] =
        "<mujoco><worldbody><body name=\"root\" pos=\"0 0 2\"><geom size=\"0.1\"/><body name=\"arm\">"
        "<joint name=\"arm\"/><geom size=\"0.1\" pos=\"1 0 0\"/></body></body></worldbody>"
        "<keyframe><key name=\"k\" qpos=\"0.5\" qvel=\"3\"/></keyframe></mujoco>";
    mjcf_case c;
    trx_import_options options = trx_import_options_default();
    options.base = TRX_BASE_FREE;
    case_open_text(&c, text, &options);
    ck_assert_int_eq(c.result->nq, 8);
    ck_assert_int_eq(case_joint(&c, "root")->type, TRX_JOINT_FREE);
    assert_close(c.result->q0[2], 2, 0);
    assert_close(c.result->keyframes[0].q[2], 2, 0);
    assert_close(c.result->keyframes[0].q[7], 0.5, 0);
    assert_close(c.result->keyframes[0].v[6], 3, 0);
    case_close(&c);

    options.base = TRX_BASE_PLANAR;
    case_open_text(&c, text, &options);
    ck_assert_int_eq(c.result->nq, 4);
    ck_assert_int_eq(case_joint(&c, "root")->type, TRX_JOINT_PLANAR);
    assert_close(case_body(&c, "root")->pose.p[2], 2, 0);
    assert_close(c.result->keyframes[0].q[3], 0.5, 0);
    case_close(&c);
}
END_TEST

START_TEST(the_caller_places_the_world_of_the_file)
{
    mjcf_case c;
    trx_import_options options = trx_import_options_default();
    options.prefix = "arm";
    options.pose = (trx_pose){{1, 2, 3}, {sqrt(0.5), 0, 0, sqrt(0.5)}};
    case_open(&c, "mjcf_equalities", &options);

    // a quarter turn about z takes (0.2, 0.1, 1) to (-0.1, 0.2, 1)
    const trx_body_def *world = case_body(&c, "arm/world");
    assert_close(world->pose.p[0], 1, 0);
    ck_assert_str_eq(world->frames[0].name, "arm/post");
    const trx_body_def *a = case_body(&c, "arm/a");
    assert_close(a->pose.p[2], 4, 1e-15);

    // the free body starts where the pose takes it
    int b = 0;
    while (strcmp(c.result->def.bodies[b].name, "arm/b") != 0) b++;
    assert_close(c.result->q0[2], 1 + 0, 1e-15);
    assert_close(c.result->q0[3], 2 + 1, 1e-15);
    assert_close(c.result->q0[4], 3.5, 1e-15);

    // the weld to the world moves with the pose of the import, so it has no gap at the start
    const trx_constraint_def *nail = case_constraint(&c, "arm/nail");
    ck_assert_int_eq(nail->body_b, -1);
    assert_close(nail->pose_b.p[0], 1 - 0, 1e-12);
    assert_close(nail->pose_b.p[1], 3 + 0.1 * 2 * 0.7 / 1.49, 1e-12);
    case_close(&c);
}
END_TEST

START_TEST(whatever_allocation_fails_the_import_ends_with_memory)
{
    static const char *const names[] = {"actuators", "contact", "equalities", "includes", "keys", "meshes"};
    char path[100];
    int calls = 0;
    snprintf(path, sizeof path, "tests/import/data/mjcf_%s.xml", names[_i]);
    for (int fail_at = 1; fail_at < 100000; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *context;
        trx_import *import = NULL;
        if (trx_context_create(&settings, &context) < 0) continue;
        trx_import_options options = trx_import_options_default();
        trx_status status = trx_import_load(context, path, &options, &import);
        calls = counter.calls;
        trx_import_destroy(import);
        trx_context_destroy(context);
        ck_assert_int_eq(counter.outstanding, 0);
        if (status == TRX_OK && calls < fail_at) break;
        ck_assert_msg(status == TRX_ERR_MEMORY, "call %d: %s", fail_at, trx_status_name(status));
    }
    ck_assert_int_gt(calls, 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/mjcf");
    TCase *tests = tcase_create("mjcf");
    tcase_add_test(tests, sections_may_come_in_any_order_and_several_times);
    tcase_add_test(tests, a_fixed_base_takes_the_place_of_the_first_free_joint);
    tcase_add_test(tests, a_free_or_planar_base_is_put_under_the_first_body);
    tcase_add_test(tests, the_caller_places_the_world_of_the_file);
    tcase_add_loop_test(tests, whatever_allocation_fails_the_import_ends_with_memory, 0, 6);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
