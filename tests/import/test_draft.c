// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lists of a draft: items that were appended come out as arrays, joints start where they should, materials are shared by friction,
// and running out of memory is sticky and harmless.

#include "drafts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

START_TEST(what_is_pushed_comes_out_as_arrays_in_order)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    int a = trxi_draft_body(f.draft, "a", at(1), -1), b = trxi_draft_body(f.draft, "b", at(2), a);
    trx_body_def *kept = trxi_draft_body_at(f.draft, a);
    for (int i = 0; i < 100; i++) trxi_draft_body(f.draft, "x", at(3), a);
    trxi_draft_geometry(f.draft, a, "g", at(4))->shape = trx_shape_default(TRX_SHAPE_SPHERE);
    trxi_draft_geometry(f.draft, a, NULL, at(5));
    trxi_draft_frame(f.draft, b, "f", at(6))->pose.p[0] = 2;
    trxi_draft_joint(f.draft, b, "j", at(7))->type = TRX_JOINT_BALL;
    trxi_draft_joint(f.draft, b, "k", at(8))->type = TRX_JOINT_HINGE;
    trxi_draft_actuator(f.draft, "m", at(9))->body = b;
    trxi_draft_constraint(f.draft, "c", at(10))->body_a = a;
    trxi_draft_exclude(f.draft, at(11))->b.body = b;
    trxi_draft_override(f.draft, at(12))->friction = 0.1;
    trxi_draft_keyframe(f.draft, "home", at(13));
    trxi_draft_inertia(f.draft, b, at(2), 1, (double[]){0, 0, 0}, (double[]){1, 1, 1, 0, 0, 0});
    kept->gravity = false; // the pointer is still good

    ck_assert_int_eq(trxi_draft_finish(f.draft, &f.result), TRX_OK);
    const trx_model_def *def = &f.result.def;
    ck_assert_int_eq(def->nbody, 102);
    ck_assert(!def->bodies[a].gravity && def->bodies[b].gravity);
    ck_assert_int_eq(def->bodies[b].parent, a);
    ck_assert_int_eq(def->bodies[a].ngeometry, 2);
    ck_assert_str_eq(def->bodies[a].geometry[0].name, "g");
    ck_assert_int_eq(def->bodies[a].geometry[0].shape.type, TRX_SHAPE_SPHERE);
    ck_assert(def->bodies[a].geometry[1].name == NULL);
    assert_close(def->bodies[b].frames[0].pose.p[0], 2, 0);
    ck_assert_int_eq(def->bodies[b].njoint, 2);
    ck_assert_str_eq(def->bodies[b].joints[1].name, "k");
    ck_assert_int_eq(def->bodies[b].joints[1].source.line, 8);
    ck_assert_int_eq(def->actuators[0].body, b);
    ck_assert_int_eq(def->constraints[0].body_a, a);
    ck_assert(def->exclude[0].a.body == -1 && def->exclude[0].b.body == b && def->exclude[0].b.geometry == -1);
    assert_close(def->overrides[0].friction, 0.1, 0);
    ck_assert_str_eq(f.result.keyframes[0].name, "home");
    ck_assert_int_eq(f.result.nq, 5);
    ck_assert_int_eq(f.result.nv, 4);
    end(&f);
}
END_TEST

START_TEST(joints_start_at_what_they_were_told_or_at_rest)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    const double identity[6] = {1, 1, 1, 0, 0, 0}, zero[3] = {0, 0, 0}, told[3] = {7, 8, 9};
    int body[4];
    const trx_joint_type types[4] = {TRX_JOINT_HINGE, TRX_JOINT_BALL, TRX_JOINT_PLANAR, TRX_JOINT_FREE};
    for (int i = 0; i < 4; i++) {
        body[i] = trxi_draft_body(f.draft, "b", at(1), -1);
        trxi_draft_joint(f.draft, body[i], "j", at(1))->type = types[i];
        trxi_draft_inertia(f.draft, body[i], at(1), 1, zero, identity);
    }
    trxi_draft_joint_at(f.draft, body[0], 0)->reference = 0.25;
    trxi_draft_start(f.draft, body[2], 0, told);
    trxi_draft_body_at(f.draft, body[3])->pose = (trx_pose){{1, 2, 3}, {0, 1, 0, 0}};
    ck_assert_int_eq(trxi_draft_finish(f.draft, &f.result), TRX_OK);
    const double expected[] = {0.25, 1, 0, 0, 0, 7, 8, 9, 1, 2, 3, 0, 1, 0, 0};
    ck_assert_int_eq(f.result.nq, 15);
    assert_close(max_difference(f.result.q0, expected, 15), 0, 0);
    // the pose of a free body is in its joint: the pose in the definition is the identity
    assert_close(max_magnitude(f.result.def.bodies[3].pose.p, 3), 0, 0);
    assert_close(f.result.def.bodies[3].pose.quat[0], 1, 0);
    end(&f);
}
END_TEST

START_TEST(a_start_that_is_not_finite_is_refused)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    int body = trxi_draft_body(f.draft, "b", at(1), -1);
    trxi_draft_joint(f.draft, body, "j", at(4))->armature = 1;
    trxi_draft_start(f.draft, body, 0, (double[]){INFINITY});
    ck_assert_int_eq(trxi_draft_finish(f.draft, &f.result), TRX_ERR_INPUT);
    ck_assert_int_eq(trx_context_diagnostic(f.context, 0).source.line, 4);
    ck_assert(strstr(trx_context_message(f.context), "joint 'j' starts at a number that is too large") != NULL);
    end(&f);
}
END_TEST

START_TEST(materials_are_shared_by_friction)
{
    fixture f = begin("arm", TRX_REPAIR_NONE);
    int given = trxi_draft_material(f.draft, NAN), other = trxi_draft_material(f.draft, 0.3);
    ck_assert_int_ne(given, other);
    ck_assert_int_eq(trxi_draft_material(f.draft, trx_material_def_default().friction), given);
    ck_assert_int_eq(trxi_draft_material(f.draft, 0.3), other);
    int turning = trxi_draft_material_turning(f.draft, 0.3, 0.01, 0.002, false);
    ck_assert_int_eq(trxi_draft_material_turning(f.draft, 0.3, 0.01, 0.002, false), turning);
    ck_assert_int_eq(trxi_draft_material_turning(f.draft, 0.3, 0, NAN, false), other);
    ck_assert_int_eq(trxi_draft_finish(f.draft, &f.result), TRX_OK);
    ck_assert_int_eq(f.result.def.nmaterial, 3);
    ck_assert_str_eq(f.result.def.materials[given].name, "arm/default");
    ck_assert_str_eq(f.result.def.materials[other].name, "arm/default_2");
    assert_close(f.result.def.materials[other].friction, 0.3, 0);
    ck_assert_str_eq(f.result.def.materials[turning].name, "arm/default_3");
    assert_close(f.result.def.materials[turning].friction, 0.3, 0);
    assert_close(f.result.def.materials[turning].torsional_friction, 0.01, 0);
    assert_close(f.result.def.materials[turning].rolling_friction, 0.002, 0);
    assert_close(f.result.def.materials[other].stiffness, f.result.def.materials[given].stiffness, 0);
    end(&f);
}
END_TEST

START_TEST(what_the_file_does_not_say_stays_open)
{
    fixture f = begin(NULL, TRX_REPAIR_NONE);
    ck_assert_int_eq(trxi_draft_finish(f.draft, &f.result), TRX_OK);
    ck_assert(isnan(f.result.gravity[0]) && isnan(f.result.time_step));
    assert_close(f.result.def.gravity[2], trx_model_def_default().gravity[2], 0);
    ck_assert_int_eq(f.result.def.nmaterial, 1);
    ck_assert(!f.result.def.allow_adjacent);
    end(&f);

    f = begin(NULL, TRX_REPAIR_NONE);
    trxi_draft_gravity(f.draft, (double[]){0, 1, 2});
    trxi_draft_time_step(f.draft, 0.002);
    trxi_draft_allow_adjacent(f.draft, true);
    ck_assert_int_eq(trxi_draft_finish(f.draft, &f.result), TRX_OK);
    assert_close(f.result.gravity[1], 1, 0);
    assert_close(f.result.def.gravity[2], 2, 0);
    assert_close(f.result.time_step, 0.002, 0);
    ck_assert(f.result.def.allow_adjacent);
    end(&f);
}
END_TEST

// a little of everything
static trx_status fill(trx_context *context, trxi_pool *pool)
{
    trx_import_options options = trx_import_options_default();
    trx_import_result result;
    trxi_draft *draft = trxi_draft_create(context, pool, "robot.urdf", &options);
    if (!draft) return TRX_ERR_MEMORY;
    for (int i = 0; i < 60; i++) {
        const char *name = trxi_draft_name(draft, NULL, "body", at(1));
        int body = trxi_draft_body(draft, name, at(1), i - 1);
        trxi_draft_joint(draft, body, trxi_draft_joint_name(draft, name, body, at(1)), at(1))->type = TRX_JOINT_BALL;
        trxi_draft_start(draft, body, 0, (double[]){1, 0, 0, 0});
        trxi_draft_geometry(draft, body, NULL, at(1))->material = trxi_draft_material(draft, 0.01 * i);
        trxi_draft_inertia(draft, body, at(1), 1, (double[]){0, 0, 0}, (double[]){1, 1, 1, 0, 0, 0});
        trxi_draft_actuator(draft, trxi_draft_name(draft, "m", "actuator", at(1)), at(1))->body = body;
        trxi_draft_exclude(draft, at(1))->a.body = body;
    }
    return trxi_draft_finish(draft, &result);
}

START_TEST(memory_may_run_out_at_any_time)
{
    int calls = 0;
    for (int fail_at = 0; fail_at <= calls; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *context;
        trx_status status = trx_context_create(&settings, &context);
        if (status < 0) continue;
        trxi_pool *pool = trxi_pool_create(context);
        status = pool ? fill(context, pool) : TRX_ERR_MEMORY;
        ck_assert_int_eq(status, fail_at == 0 ? TRX_OK : TRX_ERR_MEMORY);
        trxi_pool_destroy(pool);
        trx_context_destroy(context);
        ck_assert_int_eq(counter.outstanding, 0);
        if (fail_at == 0) calls = counter.calls;
    }
    ck_assert_int_gt(calls, 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/draft");
    TCase *tests = tcase_create("draft");
    tcase_add_test(tests, what_is_pushed_comes_out_as_arrays_in_order);
    tcase_add_test(tests, joints_start_at_what_they_were_told_or_at_rest);
    tcase_add_test(tests, a_start_that_is_not_finite_is_refused);
    tcase_add_test(tests, materials_are_shared_by_friction);
    tcase_add_test(tests, what_the_file_does_not_say_stays_open);
    tcase_add_test(tests, memory_may_run_out_at_any_time);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
