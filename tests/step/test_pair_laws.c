// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Laws that are set for single pairs are theirs alone, however many there are and in whatever order they come.

#include "step/many.h"
#include "step/pair_laws.h"
#include "support/support.h"

#include <tractrix/sim.h>

enum { COUNT = 20, NPAIR = COUNT * (COUNT + 1) / 2 };

typedef struct scene {
    counting_allocator counter;
    trx_context *context;
    trx_model *model;
    trxi_pair_laws laws;
} scene;

static void begin(scene *s)
{
    *s = (scene){.counter = {0}};
    trx_context_settings settings = counting_settings(&s->counter);
    ck_assert_int_eq(trx_context_create(&settings, &s->context), TRX_OK);
    s->model = many_boxes(s->context, COUNT);
    ck_assert_int_eq(s->model->npair, NPAIR);
    ck_assert_int_eq(trxi_pair_laws_open(s->context, s->model, &s->laws), TRX_OK);
}

static void end(scene *s)
{
    trxi_pair_laws_close(&s->laws);
    trx_model_destroy(s->model);
    context_close(s->context);
    ck_assert_int_eq(s->counter.outstanding, 0);
}

START_TEST(each_pair_keeps_the_law_that_it_was_given)
{
    scene s;
    begin(&s);
    const double common = trxi_pair_laws_get(&s.laws, 0)->stiffness;
    double expected[NPAIR];
    for (int p = 0; p < NPAIR; p++) expected[p] = common;
    for (int k = 0; k < 2 * NPAIR; k++) {
        const int p = k * 11 % NPAIR;
        trx_pair_law law = *trxi_pair_laws_get(&s.laws, p);
        law.stiffness = expected[p] = 100 + k;
        ck_assert_int_eq(trxi_pair_laws_set(&s.laws, p, &law), TRX_OK);
        for (int i = 0; i < NPAIR; i++) ck_assert_double_eq(trxi_pair_laws_get(&s.laws, i)->stiffness, expected[i]);
    }
    ck_assert_double_eq(trxi_model_pair(s.model, 7).law->stiffness, common);
    end(&s);
}
END_TEST

START_TEST(a_law_acts_as_far_as_it_needs_and_as_the_settings_say)
{
    scene s;
    begin(&s);
    trx_pair_law law = *trxi_pair_laws_get(&s.laws, 3);
    law.force_law = TRX_IPC, law.barrier = 1, law.reach = 0.02;
    ck_assert_int_eq(trxi_pair_laws_set(&s.laws, 3, &law), TRX_OK);
    const int far = trxi_pair_table_run(&s.laws.table, 3)->kind, near = trxi_pair_table_run(&s.laws.table, 4)->kind;
    ck_assert_int_ne(far, near);
    ck_assert_double_eq(s.laws.reach[far], 0.02);
    ck_assert_double_lt(s.laws.reach[near], 0.02);
    trxi_pair_laws_set_least_reach(&s.laws, 0.01);
    ck_assert_double_eq(s.laws.reach[far], 0.02);
    ck_assert_double_eq(s.laws.reach[near], 0.01);
    end(&s);
}
END_TEST

START_TEST(a_law_without_memory_is_refused_and_changes_nothing)
{
    scene s;
    begin(&s);
    trx_pair_law law = *trxi_pair_laws_get(&s.laws, 0);
    const double common = law.stiffness;
    law.stiffness = 7;
    int set = 0;
    s.counter.fail_at = s.counter.calls + 1;
    while (set < NPAIR && trxi_pair_laws_set(&s.laws, set, &law) == TRX_OK) set++;
    ck_assert(set > 0 && set < NPAIR);
    for (int p = 0; p < NPAIR; p++) ck_assert_double_eq(trxi_pair_laws_get(&s.laws, p)->stiffness, p < set ? 7 : common);
    ck_assert_int_eq(trxi_pair_laws_set(&s.laws, set, &law), TRX_OK);
    end(&s);
}
END_TEST

// two free bodies of twelve spheres each, which may all meet
static trx_model *two_heaps(trx_context *context)
{
    enum { SPHERES = 12 };
    trx_geometry_def spheres[SPHERES];
    for (int i = 0; i < SPHERES; i++) {
        spheres[i] = trx_geometry_def_default();
        spheres[i].shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.1};
        spheres[i].mass = 1;
    }
    trx_joint_def joints[2];
    trx_body_def bodies[2];
    for (int b = 0; b < 2; b++) {
        joints[b] = trx_joint_def_default();
        joints[b].type = TRX_JOINT_FREE;
        bodies[b] = trx_body_def_default();
        bodies[b].name = joints[b].name = b ? "b" : "a";
        bodies[b].joints = &joints[b], bodies[b].njoint = 1;
        bodies[b].geometry = spheres, bodies[b].ngeometry = SPHERES;
    }
    const trx_material_def material = trx_material_def_default();
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies, def.nbody = 2;
    def.materials = &material, def.nmaterial = 1;
    trx_model *model;
    ck_assert_int_eq(trx_model_create(context, &def, &model), TRX_OK);
    return model;
}

START_TEST(a_parameter_of_many_pairs_is_set_for_all_of_them_or_for_none)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    trx_model *model = two_heaps(context);
    const int npair = trx_model_get_size(model).npair;
    ck_assert_int_eq(npair, 144);
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(context, model, NULL, &sim), TRX_OK);
    trx_parameter friction;
    ck_assert_int_eq(trx_model_find_parameter(context, model, "pair(a, b).friction", &friction), TRX_OK);
    const double before = trx_sim_pair_law(sim, 0).friction;

    counter.fail_at = counter.calls + 1;
    ck_assert_int_eq(trx_sim_set_parameter(sim, friction, 2 * before), TRX_ERR_MEMORY);
    for (int p = 0; p < npair; p++) ck_assert_double_eq(trx_sim_pair_law(sim, p).friction, before);
    ck_assert_int_eq(trx_sim_set_parameter(sim, friction, 2 * before), TRX_OK);
    for (int p = 0; p < npair; p++) ck_assert_double_eq(trx_sim_pair_law(sim, p).friction, 2 * before);
    trx_sim_destroy(sim);
    trx_model_destroy(model);
    context_close(context);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/pair_laws");
    TCase *cases = tcase_create("pair_laws");
    tcase_add_test(cases, each_pair_keeps_the_law_that_it_was_given);
    tcase_add_test(cases, a_law_acts_as_far_as_it_needs_and_as_the_settings_say);
    tcase_add_test(cases, a_law_without_memory_is_refused_and_changes_nothing);
    tcase_add_test(cases, a_parameter_of_many_pairs_is_set_for_all_of_them_or_for_none);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
