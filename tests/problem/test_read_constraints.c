// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraints as they arrive in the model: curves of couplers, points and frames of the others. Refused files are in
// tests/malformed.

#include "loading.h"

#include "math/rotation.h"
#include "problem/problem.h"

static const char RIG[] =
    "tractrix: 1\n"
    "model:\n"
    "  bodies:\n"
    "    - {name: left, joints: [{name: l, type: slide, axis: [1, 0, 0]}], inertia: {mass: 1}}\n"
    "    - {name: right, joints: [{name: r, type: slide, axis: [1, 0, 0]}], inertia: {mass: 1}}\n"
    "    - {name: bar, joint: free, inertia: {mass: 1, tensor: [1, 1, 1]}, frames: [{name: eye, pose: {xyz: [0, 0, 1], rpy: [0, "
    "0, 1.5707963267948966]}}]}\n"
    "  constraints:\n"
    "    - {name: mirror, type: coupler, joint: l, of: r, ratio: -2, offset: 0.1}\n"
    "    - {name: curve, type: coupler, joint: l, of: r, polynomial: [1, 0, 3]}\n"
    "    - {name: lock, type: coupler, joint: r, offset: 0.25}\n"
    "    - {name: hook, type: ball, bodies: [bar, world], at: [0, 0, 0.5], to: [1, 2, 3]}\n"
    "    - {name: glue, type: weld, bodies: [eye, left], pose: {xyz: [0.5, 0, 0]}, stiffness: 1.0e4, relaxation_time: 0.02}\n"
    "    - {name: rope, type: distance, bodies: [right, eye], to: [1, 0, 0], length: 2}\n"
    "    - {name: cord, type: tendon, joints: {r: 1, l: -0.5}, limits: [-0.1, 2]}\n"
    "time: {step: 0.01, steps: 2}\n";

START_TEST(couplers_are_curves_of_another_joint)
{
    fixture f = fixture_open();
    load_good(&f, RIG);
    const trxi_constraint *c = f.problem->model->constraints;
    ck_assert_int_eq(f.problem->model->nconstraint, 7);
    ck_assert_str_eq(c[0].name, "mirror");
    ck_assert_str_eq(trx_model_joint_name(f.problem->model, c[0].joint_a), "l");
    ck_assert_str_eq(trx_model_joint_name(f.problem->model, c[0].joint_b), "r");
    ck_assert(c[0].polynomial[0] == 0.1 && c[0].polynomial[1] == -2 && c[0].polynomial[2] == 0);
    ck_assert(c[1].polynomial[0] == 1 && c[1].polynomial[1] == 0 && c[1].polynomial[2] == 3);
    ck_assert(isinf(c[0].stiffness) && c[0].relaxation_time == 0);
    ck_assert_int_eq(c[2].joint_b, -1);
    ck_assert(c[2].polynomial[0] == 0.25 && c[2].polynomial[1] == 0);
    fixture_close(&f);
}
END_TEST

START_TEST(tendons_limit_a_sum_of_joints)
{
    fixture f = fixture_open();
    load_good(&f, RIG);
    const trx_model *model = f.problem->model;
    const trxi_constraint *cord = &model->constraints[6];
    ck_assert(cord->type == TRX_CONSTRAINT_TENDON && cord->lower == -0.1 && cord->upper == 2);
    const trxi_length *of = &model->lengths[cord->length_a];
    const int r = trx_model_joint(model, trx_model_find_joint(model, "r")).v_index;
    ck_assert_int_eq(of->ncol, 2);
    for (int k = of->first; k < of->first + 2; k++)
        ck_assert(model->length_factors[k] == (model->length_dofs[k] == r ? 1 : -0.5));
    fixture_close(&f);
}
END_TEST

START_TEST(points_and_frames_are_in_the_frames_that_are_named)
{
    fixture f = fixture_open();
    load_good(&f, RIG);
    const trxi_constraint *hook = &f.problem->model->constraints[3], *glue = hook + 1, *rope = hook + 2;
    ck_assert(hook->type == TRX_CONSTRAINT_BALL && hook->body_b == -1);
    assert_close(hook->p_LA[2], 0.5, 1e-15);
    for (int i = 0; i < 3; i++) assert_close(hook->p_LB[i], i + 1, 1e-15);

    // half a metre along the x axis of the eye, which is the y axis of the bar
    ck_assert(glue->type == TRX_CONSTRAINT_WELD && glue->stiffness == 1e4 && glue->relaxation_time == 0.02);
    assert_close(glue->p_LA[1], 0.5, 1e-14);
    assert_close(glue->p_LA[2], 1, 1e-14);
    assert_close(glue->R_LA[1], 1, 1e-14);
    assert_close(glue->p_LB[0], 0, 1e-15);

    ck_assert(rope->type == TRX_CONSTRAINT_DISTANCE && rope->length == 2);
    assert_close(rope->p_LB[1], 1, 1e-14);
    assert_close(rope->p_LB[2], 1, 1e-14);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_constraints");
    TCase *cases = tcase_create("read_constraints");
    tcase_add_test(cases, couplers_are_curves_of_another_joint);
    tcase_add_test(cases, tendons_limit_a_sum_of_joints);
    tcase_add_test(cases, points_and_frames_are_in_the_frames_that_are_named);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
