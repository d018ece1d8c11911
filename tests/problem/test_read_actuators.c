// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Motors, position drives, muscles and tendons as they arrive in the model. Refused files are in tests/malformed.

#include "loading.h"

#include "problem/problem.h"

static const char ARM[] = "tractrix: 1\n"
                          "model:\n"
                          "  bodies:\n"
                          "    - name: upper\n"
                          "      joints: [{name: a, type: hinge, axis: [0, 1, 0]}, {name: lift, type: slide, axis: [0, 0, 1]}]\n"
                          "      inertia: {mass: 1, tensor: [1, 1, 1]}\n"
                          "    - {name: lower, parent: upper, joints: [{name: b, type: hinge, axis: [0, 1, 0], friction: 0.3, "
                          "reference: 0.5}], inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
                          "  actuators:\n"
                          "    - {joint: a, limits: [-3, 3]}\n"
                          "    - {joint: b, name: servo, type: pd, kp: 50, kd: 2, effort: 7, limits: [-1, 2]}\n"
                          "    - {joint: lift, type: pd, kp: 9, effort: [-1, 4], gear: 2}\n"
                          "    - {name: wire, joints: {a: 1, b: -0.5}, type: pd, kp: 3}\n"
                          "time: {step: 0.01, steps: 2}\n";

START_TEST(motors_are_forces)
{
    fixture f = fixture_open();
    load_good(&f, ARM);
    trx_actuator_info motor = trx_model_actuator(f.problem->model, 0);
    ck_assert_str_eq(motor.name, "a");
    ck_assert(motor.gain == 1 && motor.kp == 0 && motor.kd == 0 && motor.bias == 0);
    ck_assert(motor.lower == -3 && motor.upper == 3);
    fixture_close(&f);
}
END_TEST

START_TEST(a_pd_takes_its_target_as_control)
{
    fixture f = fixture_open();
    load_good(&f, ARM);
    trx_actuator_info servo = trx_model_actuator(f.problem->model, 1), lift = trx_model_actuator(f.problem->model, 2);
    ck_assert_str_eq(servo.name, "servo");
    ck_assert(servo.gain == 50 && servo.kp == 50 && servo.kd == 2);
    ck_assert(servo.effort_lower == -7 && servo.effort_upper == 7);
    ck_assert(servo.lower == -1 && servo.upper == 2);
    ck_assert(lift.effort_lower == -1 && lift.effort_upper == 4 && lift.gear == 2 && lift.kd == 0);
    ck_assert(isinf(lift.upper));
    fixture_close(&f);
}
END_TEST

START_TEST(a_tendon_pulls_several_joints)
{
    fixture f = fixture_open();
    load_good(&f, ARM);
    trx_actuator_info wire = trx_model_actuator(f.problem->model, 3);
    ck_assert_str_eq(wire.name, "wire");
    ck_assert_int_eq(wire.nfactor, 2);
    ck_assert(wire.factors[0] == 1 && wire.factors[1] == -0.5);
    ck_assert_int_eq(wire.v_indices[1], trx_model_joint(f.problem->model, trx_model_find_joint(f.problem->model, "b")).v_index);
    fixture_close(&f);
}
END_TEST

START_TEST(joints_have_dry_friction_and_a_reference_where_they_start)
{
    fixture f = fixture_open();
    load_good(&f, ARM);
    trx_joint_info b = trx_model_joint(f.problem->model, trx_model_find_joint(f.problem->model, "b"));
    ck_assert(b.friction == 0.3 && b.reference == 0.5);
    ck_assert(f.problem->start[b.q_index] == 0.5);
    const char *const set[] = {"start={b: 0.1}", "contact={joint_stiction_tolerance: 0.02}"};
    ck_assert_int_eq(load_text(&f, ARM, set, 2), TRX_OK);
    ck_assert(f.problem->start[b.q_index] == 0.1);
    ck_assert(trx_problem_sim_settings(f.problem).joint_stiction_tolerance == 0.02);
    fixture_close(&f);
}
END_TEST

START_TEST(activations_follow_the_file_and_give_the_start_its_last_numbers)
{
    fixture f = fixture_open();
    const char *const set[] = {"model.actuators.0.activation={type: filter, time_constant: 0.1, start: 0.5}",
                               "model.actuators.servo.activation={type: integrator, range: [0.2, 0.9], early: false}"};
    ck_assert_int_eq(load_text(&f, ARM, set, 2), TRX_OK);
    const trx_model_size size = trx_model_get_size(f.problem->model);
    const trx_actuator_info a = trx_model_actuator(f.problem->model, 0), servo = trx_model_actuator(f.problem->model, 1);
    ck_assert(size.na == 2 && a.a_index == 0 && servo.a_index == 1 && trx_model_actuator(f.problem->model, 2).a_index == -1);
    ck_assert(a.activation.type == TRX_ACTIVATION_FILTER && a.activation.time_constant == 0.1 && a.activation.early);
    ck_assert(isinf(a.activation.lower) && isinf(a.activation.upper));
    ck_assert(servo.activation.type == TRX_ACTIVATION_INTEGRATOR && !servo.activation.early);
    ck_assert(servo.activation.lower == 0.2 && servo.activation.upper == 0.9);
    ck_assert(f.problem->start[size.nstate - 2] == 0.5 && f.problem->start[size.nstate - 1] == 0.2); // 0 is not in the range
    trx_search_settings search = trx_search_settings_default();
    ck_assert(trx_problem_search(f.problem, &search)); // activations are part of the states that a search starts from
    fixture_close(&f);
}
END_TEST

// the control of a muscle is a share of its force; the default activation of a muscle has the type muscle
START_TEST(a_muscle_has_its_curves_and_its_activation)
{
    fixture f = fixture_open();
    const char *const set[] = {
        "model.actuators.0={joint: a, type: muscle, force: 300, optimal_length: 0.8, tendon_length: -0.7, lengths: [0.4, 1.7], "
        "max_speed: 2, passive_force: 0.5, lengthening_force: 1.4, effort: 250}",
        "model.actuators.1={joint: b, name: servo, type: muscle, force: 20, optimal_length: 1, limits: [0.1, 0.9], "
        "activation: {type: muscle, time_constant: 0.02, fall_time: 0.07, smoothing: 0.1, start: 0.2}}"};
    ck_assert_int_eq(load_text(&f, ARM, set, 2), TRX_OK);
    const trx_actuator_info a = trx_model_actuator(f.problem->model, 0), b = trx_model_actuator(f.problem->model, 1);
    ck_assert(a.gain == 300 && a.muscle.optimal_length == 0.8 && a.muscle.tendon_length == -0.7 && a.muscle.shortest == 0.4);
    ck_assert(a.muscle.longest == 1.7 && a.muscle.max_speed == 2 && a.muscle.passive_force == 0.5);
    ck_assert(a.muscle.lengthening_force == 1.4 && a.effort_lower == -250 && a.lower == 0 && a.upper == 1);
    ck_assert(a.activation.type == TRX_ACTIVATION_MUSCLE && a.activation.time_constant == 0.01 && a.activation.fall_time == 0.04);
    ck_assert(b.lower == 0.1 && b.upper == 0.9 && b.muscle.longest == 1.6 && b.activation.time_constant == 0.02);
    ck_assert(b.activation.fall_time == 0.07 && b.activation.smoothing == 0.1 && b.activation.start == 0.2);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_actuators");
    TCase *cases = tcase_create("read_actuators");
    tcase_add_test(cases, motors_are_forces);
    tcase_add_test(cases, a_pd_takes_its_target_as_control);
    tcase_add_test(cases, a_tendon_pulls_several_joints);
    tcase_add_test(cases, joints_have_dry_friction_and_a_reference_where_they_start);
    tcase_add_test(cases, activations_follow_the_file_and_give_the_start_its_last_numbers);
    tcase_add_test(cases, a_muscle_has_its_curves_and_its_activation);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
