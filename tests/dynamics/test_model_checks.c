// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Positive definiteness of the mass matrix, with the name of the joint that spoils it, and energy.

#include "fixture.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// a point mass at `com` on the joints given
static trx_body_def point_mass(const trx_joint_def *joints, int njoint, double mass, const double com[3])
{
    trx_body_def body = trx_body_def_default();
    body.name = "bob";
    body.joints = joints;
    body.njoint = njoint;
    body.has_inertia = true;
    body.inertia.mass = mass;
    for (int k = 0; k < 3; k++) body.inertia.com[k] = com[k];
    return body;
}

static trx_joint_def joint(const char *name, trx_joint_type type, int line)
{
    trx_joint_def def = trx_joint_def_default();
    def.name = name;
    def.type = type;
    def.source = (trx_source){"model.yaml", line, 5};
    return def;
}

static trx_model_def model_of(const trx_body_def *bodies, int count)
{
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies;
    def.nbody = count;
    return def;
}

START_TEST(a_joint_that_moves_no_inertia_is_named_with_its_place)
{
    // the mass lies on the axis of the second hinge
    trx_joint_def joints[2] = {joint("swing", TRX_JOINT_HINGE, 7), joint("twist", TRX_JOINT_HINGE, 9)};
    joints[0].axis[0] = 1, joints[0].axis[2] = 0;
    trx_body_def body = point_mass(joints, 2, 1, (double[]){0, 0, -0.5});
    trx_model_def def = model_of(&body, 1);
    fixture f = fixture_open(&def);
    double q[2] = {0.3, 0.2};
    ck_assert_int_eq(trx_model_check_mass(f.context, f.model, q), TRX_ERR_INPUT);
    trx_diagnostic found = trx_context_diagnostic(f.context, 0);
    ck_assert_int_eq(found.source.line, 9);
    ck_assert_ptr_nonnull(strstr(found.text, "joint 'twist' moves nothing that has inertia"));
    ck_assert_ptr_nonnull(strstr(found.text, "twist.v"));
    fixture_close(&f);
}
END_TEST

START_TEST(an_armature_makes_it_definite)
{
    trx_joint_def joints[2] = {joint("swing", TRX_JOINT_HINGE, 7), joint("twist", TRX_JOINT_HINGE, 9)};
    joints[0].axis[0] = 1, joints[0].axis[2] = 0;
    joints[1].armature = 1e-6;
    trx_body_def body = point_mass(joints, 2, 1, (double[]){0, 0, -0.5});
    trx_model_def def = model_of(&body, 1);
    fixture f = fixture_open(&def);
    double q[2] = {0.3, 0.2};
    ck_assert_int_eq(trx_model_check_mass(f.context, f.model, q), TRX_OK);
    fixture_close(&f);
}
END_TEST

START_TEST(rounding_does_not_pass_for_inertia)
{
    // a point mass on a ball joint cannot resist a turn about the line to it, however that line lies
    trx_joint_def ball = joint("ball", TRX_JOINT_BALL, 3);
    for (int k = 0; k < 20; k++) {
        double com[3], q[4] = {1, 0, 0, 0}, dq[3];
        random_vector((uint64_t)k, 3, com);
        random_vector((uint64_t)(100 + k), 3, dq);
        trx_body_def body = point_mass(&ball, 1, 1, com);
        trx_model_def def = model_of(&body, 1);
        fixture f = fixture_open(&def);
        trx_model_integrate(f.model, q, dq, q);
        ck_assert_int_eq(trx_model_check_mass(f.context, f.model, q), TRX_ERR_INPUT);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(the_answer_depends_on_the_configuration)
{
    // two slides that are parallel only while the hinge between them is at 0
    trx_joint_def joints[2] = {joint("first", TRX_JOINT_SLIDE, 1), joint("second", TRX_JOINT_SLIDE, 2)};
    joints[0].axis[0] = 1, joints[0].axis[2] = 0;
    joints[1].axis[0] = 1, joints[1].axis[2] = 0;
    trx_joint_def turn = joint("turn", TRX_JOINT_HINGE, 3);
    trx_joint_def list[3] = {joints[0], turn, joints[1]};
    trx_body_def body = point_mass(list, 3, 1, (double[]){0, 0, 0});
    body.inertia.tensor[0] = body.inertia.tensor[1] = body.inertia.tensor[2] = 1;
    trx_model_def def = model_of(&body, 1);
    fixture f = fixture_open(&def);
    double aligned[3] = {0, 0, 0}, turned[3] = {0, 0.5, 0};
    ck_assert_int_eq(trx_model_check_mass(f.context, f.model, aligned), TRX_ERR_INPUT);
    ck_assert_int_eq(trx_model_check_mass(f.context, f.model, turned), TRX_OK);
    fixture_close(&f);
}
END_TEST

static void *allocate_and_sum(size_t bytes, void *user)
{
    *(size_t *)user += bytes;
    return malloc(bytes);
}

static void release_summed(void *memory, void *user)
{
    (void)user;
    free(memory);
}

// the check once built a matrix of all dofs: for a thousand bodies it took hundreds of megabytes, and seconds
START_TEST(many_bodies_are_checked_tree_by_tree)
{
    enum { COUNT = 1000, USELESS = 700, BYTES_A_BODY = 2000 };
    static trx_joint_def joints[COUNT];
    static trx_body_def bodies[COUNT];
    static char names[COUNT][2][16];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i][0], sizeof names[i][0], "hinge%d", i);
        snprintf(names[i][1], sizeof names[i][1], "bob%d", i);
        joints[i] = joint(names[i][0], TRX_JOINT_HINGE, i + 1);
        bodies[i] = point_mass(&joints[i], 1, 1, (double[]){i == USELESS ? 0 : 0.5, 0, 1});
        bodies[i].name = names[i][1];
    }
    size_t bytes = 0;
    double q[COUNT] = {0};
    trx_context_settings settings = trx_context_settings_default();
    settings.allocator = (trx_allocator){allocate_and_sum, release_summed, &bytes};
    trx_context *context;
    trx_model *model;
    trx_model_def def = model_of(bodies, COUNT);
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    ck_assert_int_eq(trx_model_create(context, &def, &model), TRX_OK);
    bytes = 0;
    ck_assert_int_eq(trx_model_check_mass(context, model, q), TRX_ERR_INPUT);
    ck_assert_uint_lt(bytes, COUNT * BYTES_A_BODY);
    ck_assert_int_eq(trx_context_diagnostic(context, 0).source.line, USELESS + 1);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(massless_bodies_in_between_are_legal)
{
    trx_joint_def first = joint("x", TRX_JOINT_SLIDE, 1), second = joint("y", TRX_JOINT_SLIDE, 2);
    first.axis[0] = 1, first.axis[2] = 0;
    second.axis[1] = 1, second.axis[2] = 0;
    trx_body_def bodies[2] = {trx_body_def_default(), point_mass(&second, 1, 2, (double[]){0, 0, 0})};
    bodies[0].name = "rail";
    bodies[0].joints = &first;
    bodies[0].njoint = 1;
    bodies[1].parent = 0;
    trx_model_def def = model_of(bodies, 2);
    fixture f = fixture_open(&def);
    double q[2] = {0, 0}, M[4];
    ck_assert_int_eq(trx_model_check_mass(f.context, f.model, q), TRX_OK);
    mass_matrix_at(&f, q, M);
    assert_below(max_difference(M, (double[]){2, 0, 0, 2}, 4), 1e-15);
    fixture_close(&f);
}
END_TEST

START_TEST(energy_is_kinetic_gravity_and_springs)
{
    trx_joint_def slide = joint("z", TRX_JOINT_SLIDE, 1);
    slide.stiffness = 100;
    slide.rest = 0.5;
    slide.armature = 1;
    trx_body_def body = point_mass(&slide, 1, 3, (double[]){0, 0, 0.1});
    trx_model_def def = model_of(&body, 1);
    fixture f = fixture_open(&def);
    double q = 0.2, v = 2, kinetic, potential;
    ck_assert_int_eq(trx_model_energy(f.context, f.model, &q, &v, &kinetic, &potential), TRX_OK);
    assert_close(kinetic, 0.5 * (3 + 1) * 4, 1e-14);
    assert_close(potential, 3 * 9.81 * 0.3 + 0.5 * 100 * 0.09, 1e-14);
    ck_assert_int_eq(trx_model_energy(f.context, f.model, &q, &v, NULL, NULL), TRX_OK);
    ck_assert_int_eq(trx_model_energy(f.context, NULL, &q, &v, NULL, NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_model_check_mass(f.context, f.model, NULL), TRX_ERR_ARGUMENT);
    fixture_close(&f);
}
END_TEST

START_TEST(exhausted_memory_is_a_status)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    trx_model *model;
    trx_joint_def slide = joint("z", TRX_JOINT_SLIDE, 1);
    trx_body_def body = point_mass(&slide, 1, 3, (double[]){0, 0, 0.1});
    trx_model_def def = model_of(&body, 1);
    double q = 0, v = 1, kinetic, potential;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    ck_assert_int_eq(trx_model_create(context, &def, &model), TRX_OK);
    counter.fail_at = counter.calls + 1;
    ck_assert_int_eq(trx_model_check_mass(context, model, &q), TRX_ERR_MEMORY);
    counter.fail_at = counter.calls + 1;
    ck_assert_int_eq(trx_model_energy(context, model, &q, &v, &kinetic, &potential), TRX_ERR_MEMORY);
    trx_model_destroy(model);
    trx_context_destroy(context);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/model_checks");
    TCase *cases = tcase_create("model_checks");
    tcase_add_test(cases, a_joint_that_moves_no_inertia_is_named_with_its_place);
    tcase_add_test(cases, an_armature_makes_it_definite);
    tcase_add_test(cases, rounding_does_not_pass_for_inertia);
    tcase_add_test(cases, the_answer_depends_on_the_configuration);
    tcase_add_test(cases, many_bodies_are_checked_tree_by_tree);
    tcase_add_test(cases, massless_bodies_in_between_are_legal);
    tcase_add_test(cases, energy_is_kinetic_gravity_and_springs);
    tcase_add_test(cases, exhausted_memory_is_a_status);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
