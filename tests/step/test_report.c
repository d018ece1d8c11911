// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The report of a step about its contacts: forces that carry the weight, modes, places.

#include "step/scenes.h"
#include "support/support.h"

#include <string.h>

START_TEST(contact_forces_of_a_resting_box_carry_its_weight)
{
    for (int a = 0; a <= TRX_SAP; a++) {
        floor_def def = floor_def_default();
        def.law.approximation = (trx_approximation)a;
        def.law.force_law = a == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_HUNT_CROSSLEY;
        def.law.dissipation = 5;
        def.mass = 2;
        scene s = scene_floor(&def);
        double x[16], sum[3] = {0, 0, 0};
        floor_state(&s, &def, 0.05, 0, x);
        for (int k = 0; k < 400; k++) scene_step(&s, x, NULL);
        const trx_contact *contacts;
        ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), 4);
        for (int i = 0; i < 4; i++) {
            for (int c = 0; c < 3; c++) sum[c] += contacts[i].force[c];
            assert_close(contacts[i].f_n, 2 * 9.81 / 4, 1e-6);
            ck_assert_int_eq(contacts[i].mode, TRX_CONTACT_STICK);
            ck_assert_int_eq(contacts[i].point, i);
            assert_close(fabs(contacts[i].position[0]), 0.05, 1e-6);
            assert_close(fabs(contacts[i].position[1]), 0.05, 1e-6);
            assert_close(contacts[i].distance, -2 * 9.81 / 4 / 1e5, 1e-8);
        }
        assert_close(sum[0], 0, 1e-9);
        assert_close(sum[1], 0, 1e-9);
        assert_close(sum[2], 2 * 9.81, 1e-7);
        scene_destroy(&s);
    }
}
END_TEST

START_TEST(a_contact_knows_its_geometries_and_its_normal_points_from_a_to_b)
{
    floor_def def = floor_def_default();
    def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.05};
    scene s = scene_floor(&def);
    double x[16];
    floor_state(&s, &def, 0.0499, 0.2, x);
    scene_step(&s, x, NULL);
    const trx_contact *contacts;
    ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), 1);
    ck_assert_str_eq(trx_model_geom_name(s.model, contacts->geom_a), "floor#1");
    ck_assert_str_eq(trx_model_geom_name(s.model, contacts->geom_b), "b#1");
    assert_close(contacts->normal[2], 1, 1e-15);
    assert_close(contacts->distance, -1e-4, 1e-15);
    assert_close(contacts->position[2], -5e-5, 1e-15);

    // the numbers of one contact agree: friction against the slip, force = normal and tangential part
    ck_assert(contacts->force[0] < 0 && contacts->force[2] > 0);
    assert_close(contacts->force[2], contacts->f_n, 1e-12);
    assert_close(hypot(contacts->force[0], contacts->force[1]), contacts->f_t, 1e-12);
    ck_assert(contacts->v_t > 0);
    scene_destroy(&s);
}
END_TEST

START_TEST(modes_tell_open_stick_and_slip)
{
    for (int a = 0; a <= TRX_SAP; a++) {
        floor_def def = floor_def_default();
        def.turns = false;
        def.law.approximation = (trx_approximation)a;
        def.law.force_law = a == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_HUNT_CROSSLEY;
        def.stiction_tolerance = 1e-3;
        scene s = scene_floor(&def);
        const trx_contact *contacts;
        double x[6], rest = 0.05 - 9.81 / 4e5;

        floor_state(&s, &def, rest, 0, x);
        scene_step(&s, x, NULL);
        ck_assert_int_gt(trx_sim_contacts(s.sim, &contacts), 0);
        ck_assert_int_eq(contacts->mode, TRX_CONTACT_STICK);

        floor_state(&s, &def, rest, 3, x);
        scene_step(&s, x, NULL);
        ck_assert_int_gt(trx_sim_contacts(s.sim, &contacts), 0);
        ck_assert_int_eq(contacts->mode, TRX_CONTACT_SLIP);
        ck_assert(contacts->f_n > 0 && contacts->v_t > 1e-3);

        floor_state(&s, &def, rest, 0, x);
        x[5] = 1;
        scene_step(&s, x, NULL);
        ck_assert_int_gt(trx_sim_contacts(s.sim, &contacts), 0);
        ck_assert_int_eq(contacts->mode, TRX_CONTACT_OPEN);
        ck_assert(contacts->f_n == 0);
        scene_destroy(&s);
    }
    ck_assert_str_eq(trx_contact_mode_name(TRX_CONTACT_OPEN), "open");
    ck_assert_str_eq(trx_contact_mode_name(TRX_CONTACT_STICK), "stick");
    ck_assert_str_eq(trx_contact_mode_name(TRX_CONTACT_SLIP), "slip");
    ck_assert_str_eq(trx_contact_mode_name((trx_contact_mode)7), "unknown mode");
}
END_TEST

START_TEST(the_momentum_residual_is_below_the_tolerance_asked)
{
    scene s = scene_pair(SCENE_SAME, TRX_SHAPE_CAPSULE, TRX_SHAPE_CAPSULE);
    static const double tolerances[] = {1e-3, 1e-6, 1e-9, 0};
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 30; i++) {
            double x[48], u[4];
            scene_law(&s, (trx_approximation)(i % (TRX_SAP + 1)), SCENE_SLIP, 2, i);
            trx_sim_settings settings = trx_sim_get_settings(s.sim);
            settings.tolerance = tolerances[t];
            ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
            scene_state(&s, SCENE_SLIP, 2, i, x, u);
            scene_step(&s, x, u);
            ck_assert(trx_sim_momentum_residual(s.sim) <= fmax(tolerances[t], 1e-12));
            const trx_step_info info = trx_sim_step_info(s.sim);
            ck_assert(info.floor >= 0 && info.floor <= 1e-10 * info.scale);
        }
    scene_destroy(&s);
}
END_TEST

// the forces of the step before, or of the solve that gave up, were once reported after a step that failed
START_TEST(a_failed_step_after_a_step_at_rounding_has_a_residual)
{
    floor_def def = floor_def_default();
    def.tolerance = 0, def.mass = 100, def.law.stiffness = 1e9;
    scene s = scene_floor(&def);
    double x[16];
    floor_state(&s, &def, 0.0499, 3, x);
    x[9] = -2;
    ck_assert_int_eq(trx_step(s.sim, x, NULL, NULL), TRX_ROUND_OFF);
    ck_assert(trx_sim_momentum_residual(s.sim) < 1e-12);

    trx_sim_settings settings = trx_sim_get_settings(s.sim);
    settings.max_iterations = 1;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    ck_assert_int_eq(trx_step(s.sim, x, NULL, NULL), TRX_ERR_NOT_CONVERGED);
    ck_assert(trx_sim_momentum_residual(s.sim) > 1e-6);
    scene_destroy(&s);
}
END_TEST

// the limits and the iterations of the step before were once reported after a step that its laws refused
START_TEST(a_refused_step_has_no_statistics_of_the_step_before)
{
    scene s = scene_pair(SCENE_ARM, TRX_SHAPE_SPHERE, TRX_SHAPE_SPHERE);
    double x[48], u[4];
    scene_law(&s, TRX_LAGGED, SCENE_STICK, 2, 0);
    scene_state(&s, SCENE_STICK, 2, 0, x, u);
    scene_set_gap(&s, -1e-3, x);
    ck_assert_int_ge(trx_step(s.sim, x, u, NULL), 0);
    ck_assert_int_gt(trx_sim_step_info(s.sim).scalars, 0);
    ck_assert_int_gt(trx_sim_step_info(s.sim).iterations, 0);

    trx_pair_law law = trx_sim_pair_law(s.sim, 0);
    law.force_law = TRX_LOG_BARRIER, law.barrier = 1, law.reach = 0.01;
    ck_assert_int_eq(trx_sim_set_pair_law(s.sim, 0, &law), TRX_OK);
    ck_assert_int_eq(trx_step(s.sim, x, u, NULL), TRX_ERR_INFEASIBLE);
    const trx_step_info info = trx_sim_step_info(s.sim);
    ck_assert_int_eq(info.contacts, 1);
    ck_assert_int_eq(info.scalars, 0);
    ck_assert_int_eq(info.limits, 0);
    ck_assert_int_eq(info.iterations, 0);
    ck_assert(info.residual == 0 && info.scale == 0);
    scene_destroy(&s);
}
END_TEST

START_TEST(kinks_and_branches_belong_to_a_converged_step)
{
    floor_def def = floor_def_default();
    scene s = scene_floor(&def);
    double x[16];
    floor_state(&s, &def, 0.0499, 0, x);
    scene_step(&s, x, NULL);
    ck_assert(trx_sim_step_info(s.sim).kink > 0 && trx_sim_step_info(s.sim).branches != 0);
    trx_pair_law law = trx_sim_pair_law(s.sim, 0);
    law.stiffness *= 2;
    ck_assert_int_eq(trx_sim_set_pair_law(s.sim, 0, &law), TRX_OK);
    ck_assert(trx_sim_step_info(s.sim).kink == 0 && trx_sim_step_info(s.sim).branches == 0);
    ck_assert_int_eq(trx_sim_step_info(s.sim).contacts, 4);
    scene_destroy(&s);
}
END_TEST

START_TEST(there_are_no_forces_without_a_converged_step)
{
    floor_def def = floor_def_default();
    scene s = scene_floor(&def);
    const trx_contact *contacts;
    double x[16], fast[16];
    ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), 0);
    floor_state(&s, &def, 0.0499, 0, x);
    scene_step(&s, x, NULL);
    ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), 4);
    ck_assert(contacts->f_n > 0);

    // a solve that may not iterate fails
    trx_sim_settings settings = trx_sim_get_settings(s.sim), few = settings;
    few.max_iterations = 1, few.tolerance = 1e-12;
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &few), TRX_OK);
    ck_assert_int_eq(trx_sim_contacts(s.sim, NULL), 0);
    floor_state(&s, &def, 0.03, 5, fast);
    ck_assert_int_lt(trx_step(s.sim, fast, NULL, NULL), 0);
    ck_assert_int_gt(trx_sim_step_statistics(s.sim).contacts, 0);
    ck_assert_int_eq(trx_sim_contacts(s.sim, &contacts), 0);

    // a step from a state that is not finite fails too
    ck_assert_int_eq(trx_sim_set_settings(s.sim, &settings), TRX_OK);
    scene_step(&s, x, NULL);
    ck_assert_int_eq(trx_sim_contacts(s.sim, NULL), 4);
    memcpy(fast, x, sizeof fast);
    fast[0] = NAN;
    ck_assert_int_eq(trx_step(s.sim, fast, NULL, NULL), TRX_ERR_NOT_FINITE);
    ck_assert_int_eq(trx_sim_contacts(s.sim, NULL), 0);
    scene_destroy(&s);
}
END_TEST

// a hinge with limits and a drive
static scene scene_driven(void)
{
    scene s = {.nq = 1, .nv = 1, .nu = 1, .nx = 2};
    s.context = context_open();
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "j", joint.lower = -0.5, joint.upper = 0.5;
    trx_body_def body = trx_body_def_default();
    body.name = "body", body.joints = &joint, body.njoint = 1;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){1, {0, 0, 0}, {0.2, 0.2, 0.2, 0, 0, 0}};
    trx_actuator_def drive = trx_actuator_def_default();
    drive.body = drive.joint = 0, drive.kp = 10;
    trx_model_def def = trx_model_def_default();
    def.bodies = &body, def.nbody = 1;
    def.actuators = &drive, def.nactuator = 1;
    ck_assert_int_eq(trx_model_create(s.context, &def, &s.model), TRX_OK);
    trx_sim_settings settings = trx_sim_settings_default();
    ck_assert_int_eq(trx_sim_create(s.context, s.model, &settings, &s.sim), TRX_OK);
    return s;
}

START_TEST(there_are_no_forces_of_joints_without_a_converged_step)
{
    static const double target = 30; // times the gain, 1 N m
    scene s = scene_driven();
    double x[2] = {0.5, 0.2}, wrong[2] = {0.5, INFINITY};
    ck_assert_double_eq(trx_sim_actuator_force(s.sim, 0), 0);
    scene_step(&s, x, &target);
    ck_assert(trx_sim_limit_force(s.sim, 0) < 0);
    ck_assert(trx_sim_actuator_force(s.sim, 0) > 0);
    ck_assert_int_eq(trx_step(s.sim, wrong, &target, NULL), TRX_ERR_NOT_FINITE);
    ck_assert_double_eq(trx_sim_limit_force(s.sim, 0), 0);
    ck_assert_double_eq(trx_sim_actuator_force(s.sim, 0), 0);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/report");
    TCase *cases = tcase_create("report");
    tcase_add_test(cases, contact_forces_of_a_resting_box_carry_its_weight);
    tcase_add_test(cases, a_contact_knows_its_geometries_and_its_normal_points_from_a_to_b);
    tcase_add_test(cases, modes_tell_open_stick_and_slip);
    tcase_add_test(cases, the_momentum_residual_is_below_the_tolerance_asked);
    tcase_add_test(cases, a_failed_step_after_a_step_at_rounding_has_a_residual);
    tcase_add_test(cases, a_refused_step_has_no_statistics_of_the_step_before);
    tcase_add_test(cases, kinks_and_branches_belong_to_a_converged_step);
    tcase_add_test(cases, there_are_no_forces_without_a_converged_step);
    tcase_add_test(cases, there_are_no_forces_of_joints_without_a_converged_step);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
