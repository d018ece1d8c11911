// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Creation as a whole: memory at every allocation, independence of the definitions and of the context's life,
// wrong arguments.

#include "fixture.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>

START_TEST(running_out_of_memory_anywhere_is_a_status)
{
    scene s;
    scene_open(&s);
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);

    int failures = 0;
    for (bool built = false; !built; failures += !built) {
        trx_model *model;
        trx_context_clear(context);
        counter.calls = 0, counter.fail_at = failures + 1;
        trx_status status = trx_model_create(context, &s.def, &model);
        built = status == TRX_OK;
        if (built) {
            trx_model_destroy(model);
        } else {
            ck_assert_int_eq(status, TRX_ERR_MEMORY);
            ck_assert_ptr_null(model);
            ck_assert_ptr_nonnull(strstr(trx_context_message(context), "out of memory"));
        }
        ck_assert_int_eq(counter.outstanding, 1); // the context
    }
    ck_assert_int_ge(failures, 3); // pool, its block, the model
    trx_context_destroy(context);
    ck_assert_int_eq(counter.outstanding, 0);
    scene_close(&s);
}
END_TEST

// many bodies, so that the pool takes several blocks, each of which can fail
START_TEST(running_out_of_memory_in_a_large_model_is_a_status)
{
    enum { COUNT = 40 };
    static char names[COUNT][16];
    trx_material_def material = trx_material_def_default();
    trx_joint_def joints[COUNT];
    trx_geometry_def ball = trx_geometry_def_default();
    trx_body_def bodies[COUNT];
    ball.shape.radius = 0.1, ball.mass = 1;
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "ball%d", i);
        joints[i] = trx_joint_def_default();
        joints[i].name = names[i];
        joints[i].type = TRX_JOINT_FREE;
        bodies[i] = trx_body_def_default();
        bodies[i].name = names[i];
        bodies[i].joints = &joints[i], bodies[i].njoint = 1;
        bodies[i].geometry = &ball, bodies[i].ngeometry = 1;
    }
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = COUNT;
    def.materials = &material, def.nmaterial = 1;

    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    trx_model *model = NULL;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    int failures = 0;
    for (trx_status status = TRX_ERR_MEMORY; status != TRX_OK; failures += status != TRX_OK) {
        counter.calls = 0, counter.fail_at = failures + 1;
        status = trx_model_create(context, &def, &model);
        ck_assert(status == TRX_OK || status == TRX_ERR_MEMORY);
        ck_assert_int_eq(counter.outstanding, status == TRX_OK ? 2 : 1);
    }
    ck_assert_int_ge(failures, 8);
    ck_assert_int_eq(trx_model_get_size(model).npair, COUNT * (COUNT - 1) / 2);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_model_is_one_block_and_outlives_definitions_and_context)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    trx_model *model;
    scene s;
    scene_open(&s);
    char body_name[] = "ground", file[] = "other.yaml";
    s.bodies[GROUND].name = body_name;
    s.bodies[GROUND].source.file = file;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    ck_assert_int_eq(trx_model_create(context, &s.def, &model), TRX_OK);
    trx_context_destroy(context);
    ck_assert_int_eq(counter.outstanding, 1);

    memset(body_name, 'x', sizeof body_name - 1);
    memset(file, 'x', sizeof file - 1);
    scene_close(&s);
    memset(&s, 0, sizeof s);
    ck_assert_int_eq(trx_model_find_body(model, "ground"), GROUND);
    ck_assert_str_eq(trx_model_body(model, GROUND).source.file, "other.yaml");
    ck_assert_str_eq(trx_model_geom_name(model, 2), "ground#1");
    ck_assert_str_eq(trx_model_q_name(model, 3), "box.qw");
    trx_model_destroy(model);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

START_TEST(an_empty_model_is_a_model)
{
    trx_context *context;
    trx_model *model;
    trx_model_def def = trx_model_def_default();
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    ck_assert_int_eq(trx_model_create(context, &def, &model), TRX_OK);
    trx_model_size size = trx_model_get_size(model);
    ck_assert_int_eq(size.nq + size.nv + size.nu + size.nbody + size.npair, 0);
    trx_model_destroy(model);
    trx_model_destroy(NULL);
    trx_context_destroy(context);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    scene s;
    scene_open(&s);
    trx_model_def zero;
    memset(&zero, 0, sizeof zero);
    ck_assert_int_eq(trx_model_create(NULL, &s.def, &s.model), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_model_create(s.context, NULL, &s.model), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_model_create(s.context, &s.def, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_model_create(s.context, &zero, &s.model), TRX_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trx_context_message(s.context), "trx_model_def_default()"));
    s.def.bodies = NULL;
    ck_assert_int_eq(trx_model_create(s.context, &s.def, &s.model), TRX_ERR_ARGUMENT);
    s.def.bodies = s.bodies, s.bodies[1].njoint = -1;
    ck_assert_int_eq(trx_model_create(s.context, &s.def, &s.model), TRX_ERR_ARGUMENT);
    ck_assert_ptr_null(s.model);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/builder");
    TCase *cases = tcase_create("builder");
    tcase_add_test(cases, running_out_of_memory_anywhere_is_a_status);
    tcase_add_test(cases, running_out_of_memory_in_a_large_model_is_a_status);
    tcase_add_test(cases, a_model_is_one_block_and_outlives_definitions_and_context);
    tcase_add_test(cases, an_empty_model_is_a_model);
    tcase_add_test(cases, wrong_arguments_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
