// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Actuators: what is refused, and what is made of motors, drives and tendons.

#include "fixture.h"
#include "model/model.h"
#include "support/support.h"

START_TEST(actuators_are_checked)
{
    scene s;
    scene_open(&s), s.actuators[1].joint = 3;
    scene_refuses(&s, LINE_ACTUATOR_Y, "this actuator has no joint");
    scene_open(&s), s.actuators[1].body = BOX, s.actuators[1].joint = 0;
    scene_refuses(&s, LINE_ACTUATOR_Y, "joint 'box' has more than one degree of freedom");
    scene_open(&s), s.actuators[0].lower = 2, s.actuators[0].upper = 1;
    scene_refuses(&s, LINE_ACTUATOR_X, "actuator of joint 'px': limits [2, 1] leave no room");
    scene_open(&s), s.actuators[0].gear = 0;
    scene_refuses(&s, LINE_ACTUATOR_X, "actuator of joint 'px': gear is 0");
    scene_open(&s), s.actuators[0].gain = NAN;
    scene_refuses(&s, LINE_ACTUATOR_X, "actuator of joint 'px': gain is nan");
    scene_open(&s), s.actuators[0].bias = INFINITY;
    scene_refuses(&s, LINE_ACTUATOR_X, "bias is not finite");
    scene_open(&s), s.actuators[0].kp = -1;
    scene_refuses(&s, LINE_ACTUATOR_X, "kp is -1; it must be finite and not negative");
    scene_open(&s), s.actuators[0].effort_upper = -INFINITY;
    scene_refuses(&s, LINE_ACTUATOR_X, "effort limits [-inf, -inf] leave no room");
}
END_TEST

START_TEST(an_actuator_names_a_tendon_that_exists)
{
    scene s;
    scene_open(&s), s.actuators[1].tendon = 0;
    scene_refuses(&s, LINE_ACTUATOR_Y, "this actuator: there is no tendon number 0");
}
END_TEST

START_TEST(limits_and_effort_of_a_motor_leave_a_control)
{
    scene s;
    scene_open(&s), s.actuators[0].gain = -2, s.actuators[0].lower = 0, s.actuators[0].upper = 1;
    s.actuators[0].effort_lower = 4, s.actuators[0].effort_upper = 8;
    scene_refuses(&s, LINE_ACTUATOR_X, "no control is both within the limits [0, 1] and, by effort, within [-4, -2]");
    scene_open(&s), s.actuators[0].gain = -2, s.actuators[0].lower = 0, s.actuators[0].upper = 1;
    s.actuators[0].effort_lower = -1, s.actuators[0].effort_upper = 8;
    const trx_model *m = scene_build(&s);
    ck_assert_ptr_nonnull(m);
    ck_assert(trx_model_actuator(m, 0).lower == 0 && trx_model_actuator(m, 0).upper == 0.5);
    scene_close(&s);
}
END_TEST

START_TEST(a_tendon_pushes_each_of_its_joints_by_gear_times_factor)
{
    scene s;
    scene_open(&s);
    int pusher = s.actuators[1].body;
    const trx_joint_factor parts[2] = {{pusher, 2, 0.5}, {pusher, 0, -2}};
    trx_tendon_def tendon = trx_tendon_def_default();
    tendon.joints = parts, tendon.njoint = 2;
    s.def.tendons = &tendon, s.def.ntendon = 1;
    s.actuators[1].tendon = 0, s.actuators[1].gear = 3, s.actuators[1].name = "both";
    const trx_model *m = scene_build(&s);
    ck_assert_ptr_nonnull(m);
    trx_actuator_info info = trx_model_actuator(m, 1);
    ck_assert_str_eq(info.name, "both");
    ck_assert_int_eq(info.nfactor, 2);
    ck_assert_str_eq(trx_model_v_name(m, info.v_indices[0]), "px.v");
    ck_assert_str_eq(trx_model_v_name(m, info.v_indices[1]), "pz.v");
    ck_assert(info.gear == 3 && info.factors[0] == -2 && info.factors[1] == 0.5 && info.tendon == 0);
    scene_close(&s);
}
END_TEST

START_TEST(efforts_of_motors_become_limits_of_the_control_and_those_of_drives_stay)
{
    scene s;
    scene_open(&s);
    s.actuators[0].gain = 2, s.actuators[0].bias = 1, s.actuators[0].effort_lower = -3, s.actuators[0].effort_upper = 5;
    s.actuators[0].lower = -10, s.actuators[0].upper = 1;
    s.actuators[1].kp = 10, s.actuators[1].effort_upper = 4, s.actuators[1].lower = -10, s.actuators[1].upper = 10;
    const trx_model *m = scene_build(&s);
    ck_assert_ptr_nonnull(m);
    trx_actuator_info motor = trx_model_actuator(m, 0), drive = trx_model_actuator(m, 1);
    ck_assert(motor.lower == -2 && motor.upper == 1);
    ck_assert(drive.lower == -10 && drive.upper == 10 && drive.effort_upper == 4);
    ck_assert(m->ndrive == 1 && m->actuators[1].drive && !m->actuators[0].drive);
    scene_close(&s);
}
END_TEST

// a spatial tendon had the unit of its first joint, a muscle the unit of a force
START_TEST(controls_have_the_unit_of_what_they_set)
{
    static const struct {
        trx_joint_type type;
        bool tendon, servo, integrates, muscle;
        const char *unit;
    } cases[] = {
        {TRX_JOINT_SLIDE, false, false, false, false, "N"},  {TRX_JOINT_HINGE, false, false, false, false, "N m"},
        {TRX_JOINT_SLIDE, false, true, false, false, "m"},   {TRX_JOINT_HINGE, false, true, false, false, "rad"},
        {TRX_JOINT_HINGE, true, false, false, false, "N"},   {TRX_JOINT_HINGE, true, true, false, false, "m"},
        {TRX_JOINT_HINGE, false, true, true, false, "rad/s"}, {TRX_JOINT_SLIDE, false, false, true, false, "N/s"},
        {TRX_JOINT_HINGE, true, false, false, true, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s;
        scene_open(&s);
        s.slides[0].type = cases[i].type;
        trx_tendon_point path[2] = {{.body = GROUND, .pose = {{0, 0, 1}, {1, 0, 0, 0}}, .side_body = -1},
                                    {.body = PUSHER, .pose = {{0.3, 0.1, 0}, {1, 0, 0, 0}}, .side_body = -1}};
        trx_tendon_def tendon = trx_tendon_def_default();
        tendon.points = path, tendon.npoint = 2;
        s.def.tendons = &tendon, s.def.ntendon = 1;
        trx_actuator_def *a = &s.actuators[0];
        if (cases[i].tendon) a->tendon = 0, a->name = "string";
        if (cases[i].servo) a->gain = a->kp = 10;
        if (cases[i].integrates) a->activation = trx_activation_def_default(), a->activation.type = TRX_ACTIVATION_INTEGRATOR;
        if (cases[i].muscle) a->muscle = trx_muscle_def_default(), a->muscle.optimal_length = 1;
        ck_assert_str_eq(trxi_control_unit(scene_build(&s), 0), cases[i].unit);
        scene_close(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/actuators");
    TCase *cases = tcase_create("actuators");
    tcase_add_test(cases, actuators_are_checked);
    tcase_add_test(cases, an_actuator_names_a_tendon_that_exists);
    tcase_add_test(cases, limits_and_effort_of_a_motor_leave_a_control);
    tcase_add_test(cases, a_tendon_pushes_each_of_its_joints_by_gear_times_factor);
    tcase_add_test(cases, efforts_of_motors_become_limits_of_the_control_and_those_of_drives_stay);
    tcase_add_test(cases, controls_have_the_unit_of_what_they_set);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
