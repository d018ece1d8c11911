// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Starts that settle: falling bodies come to rest, driven joints keep every bit, time stands. What never comes
// to rest is in tests/malformed.

#include "loading.h"

#include <math.h>
#include <string.h>

static double start_of(const fixture *f, const char *name)
{
    const trx_model *model = trx_problem_model(f->problem);
    trx_model_size size = trx_model_get_size(model);
    const double *x = trx_problem_start(f->problem);
    for (int i = 0; i < size.nq; i++)
        if (strcmp(trx_model_q_name(model, i), name) == 0) return x[i];
    for (int i = 0; i < size.nv; i++)
        if (strcmp(trx_model_v_name(model, i), name) == 0) return x[size.nq + i];
    ck_abort_msg("no coordinate %s", name);
    return 0;
}

START_TEST(free_bodies_settle_and_driven_joints_stay_to_the_last_bit)
{
    fixture f = fixture_open();
    load_more(&f, "start: {box: {xyz: [0.01, 0.02, 0.06]}, px: {position: -0.123456789, velocity: 0.7}, py: 0.3, settle: 0.605}\n");
    trx_settling settling = trx_problem_settling(f.problem);
    ck_assert_int_eq(settling.steps, 31);
    assert_close(settling.seconds, 0.62, 1e-15);
    assert_below(settling.speed, 1e-4);

    // 0.5 kg on four corners of 1e4 N/m
    assert_close(start_of(&f, "box.z"), 0.05 - 0.5 * 9.81 / 4e4, 1e-7);
    assert_close(start_of(&f, "box.x"), 0.01, 1e-6);
    ck_assert(start_of(&f, "px") == -0.123456789 && start_of(&f, "py") == 0.3);
    ck_assert(start_of(&f, "px.v") == 0.7 && start_of(&f, "py.v") == 0);
    fixture_close(&f);
}
END_TEST

START_TEST(without_a_time_nothing_settles)
{
    fixture f = fixture_open();
    load_more(&f, "start: {box: {xyz: [0, 0, 0.06]}, settle: 0}\n");
    ck_assert_int_eq(trx_problem_settling(f.problem).steps, 0);
    ck_assert(start_of(&f, "box.z") == 0.06);
    fixture_close(&f);
}
END_TEST

START_TEST(a_driven_body_carries_what_lies_on_it)
{
    // a lift that gravity would pull down, held at 0.5 m, and a ball above it
    fixture f = fixture_open();
    load_good(&f, "tractrix: 1\n"
                  "model:\n"
                  "  bodies:\n"
                  "    - {name: lift, joints: [{name: h, type: slide, axis: [0, 0, 1]}], "
                  "geometry: [{shape: box, size: [1, 1, 0.1], mass: 3}]}\n"
                  "    - {name: load, joint: free, geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 1}]}\n"
                  "  actuators: [{joint: h}]\n"
                  "time: {step: 0.01, steps: 10}\n"
                  "start: {h: 0.5, load: {xyz: [0, 0, 0.602]}, settle: 1}\n"
                  "cost: [{of: load.position, target: start}]\n");
    ck_assert(start_of(&f, "h") == 0.5 && start_of(&f, "h.v") == 0);
    double z = start_of(&f, "load.z");
    assert_close(z, 0.6 - 9.81 / (4 * 5e4), 1e-7);

    // the plan starts at the settled state, which is also the target `start`
    trx_plan_problem plan;
    trx_plan_settings settings;
    ck_assert_int_eq(trx_problem_plan(f.problem, &plan, &settings), TRX_OK);
    ck_assert_ptr_eq(plan.x0, trx_problem_start(f.problem));
    ck_assert(plan.terms[0].target[2] == z);
    fixture_close(&f);
}
END_TEST

static const char walker[] = "tractrix: 1\n"
                             "model:\n"
                             "  bodies:\n"
                             "    - {name: trunk, joint: free, geometry: [{shape: box, size: [0.4, 0.3, 0.1], mass: 4}]}\n"
                             "    - {name: leg, parent: trunk, pose: {xyz: [0.2, 0, 0]}, joints: [{name: hip, "
                             "type: hinge, axis: [0, "
                             "1, 0]}], geometry: [{shape: box, size: [0.02, 0.3, 0.5], pose: {xyz: [0, 0, -0.25]}, mass: 0.5}]}\n"
                             "    - {name: tail, parent: trunk, pose: {xyz: [-0.2, 0, 0]}, joints: [{name: wag, type: hinge, axis: "
                             "[0, 1, 0]}], geometry: [{shape: box, size: [0.02, 0.3, 0.5], "
                             "pose: {xyz: [0, 0, -0.25]}, mass: 0.5}]}\n"
                             "    - {name: ground, geometry: [{shape: halfspace}]}\n"
                             "  actuators: [{joint: hip}]\n"
                             "time: {step: 0.005, steps: 10}\n"
                             "start: {trunk: {xyz: [0, 0, 0.5]}, hip: 0.1, wag: -0.1, settle: 1.5}\n";

START_TEST(a_robot_with_a_free_base_falls_into_place_as_it_stands)
{
    fixture f = fixture_open();
    load_good(&f, walker);
    ck_assert(start_of(&f, "hip") == 0.1 && start_of(&f, "wag") == -0.1);
    ck_assert(start_of(&f, "hip.v") == 0 && start_of(&f, "wag.v") == 0);

    // legs of 0.5 m turned by 0.1 rad, 1 cm thick on either side
    assert_close(start_of(&f, "trunk.z"), 0.5 * cos(0.1) + 0.01 * sin(0.1), 1e-3);
    assert_below(trx_problem_settling(f.problem).speed, 1e-2);
    fixture_close(&f);
}
END_TEST

START_TEST(what_a_coupler_ties_to_a_driven_joint_is_held_with_it)
{
    fixture f = fixture_open();
    load_good(&f, "tractrix: 1\n"
                  "model:\n"
                  "  bodies:\n"
                  "    - {name: left, joints: [{name: a, type: slide, axis: [0, 0, 1]}], inertia: {mass: 1}}\n"
                  "    - {name: right, joints: [{name: b, type: slide, axis: [0, 0, 1]}], inertia: {mass: 1}}\n"
                  "    - {name: bob, joints: [{name: c, type: slide, axis: [0, 0, 1], stiffness: 100, damping: 40}], inertia: "
                  "{mass: 1}}\n"
                  "  constraints: [{name: gear, type: coupler, joint: b, of: a, polynomial: [0, -1]}]\n"
                  "  actuators: [{joint: a}]\n"
                  "time: {step: 0.01, steps: 10}\n"
                  "start: {a: 0.2, b: -0.2, settle: 6}\n");
    ck_assert(start_of(&f, "a") == 0.2 && start_of(&f, "b") == -0.2);
    assert_close(start_of(&f, "c"), -0.0981, 1e-5);
    fixture_close(&f);
}
END_TEST

START_TEST(time_stands_while_things_settle)
{
    // a swinging shelf with a running surface, and a load
    fixture f = fixture_open();
    load_good(&f, "tractrix: 1\n"
                  "model:\n"
                  "  bodies:\n"
                  "    - {name: shelf, motion: {type: slide, axis: [1, 0, 1], amplitude: 0.3, frequency: 1, "
                  "phase: 0.5235987755982988},\n"
                  "       geometry: [{shape: halfspace, surface_velocity: [1, 0, 0]}]}\n"
                  "    - {name: box, joint: free, geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 1}]}\n"
                  "  loads: [{body: box, force: [0, 0, 30]}]\n"
                  "time: {step: 0.01, steps: 10}\n"
                  "start: {box: {xyz: [0.4, 0, 0.17]}, settle: 1}\n");
    double height = 0.3 * sin(0.5235987755982988) / sqrt(2);
    assert_close(start_of(&f, "box.z"), height + 0.05 - 9.81 / (4 * 5e4), 1e-6);
    assert_close(start_of(&f, "box.x"), 0.4, 1e-5);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/settle");
    TCase *cases = tcase_create("settle");
    tcase_add_test(cases, free_bodies_settle_and_driven_joints_stay_to_the_last_bit);
    tcase_add_test(cases, without_a_time_nothing_settles);
    tcase_add_test(cases, a_driven_body_carries_what_lies_on_it);
    tcase_add_test(cases, a_robot_with_a_free_base_falls_into_place_as_it_stands);
    tcase_add_test(cases, what_a_coupler_ties_to_a_driven_joint_is_held_with_it);
    tcase_add_test(cases, time_stands_while_things_settle);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
