// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Stages for problems that name none (theory 8): the numbers of the push, at a distance and at touch, what sets the
// scale without gravity, and problems with nothing to push.

#include "trajopt/scenes.h"

START_TEST(default_stages_reach_across_the_gap_and_stiffen)
{
    push p;
    open_push(&p, -0.19, 0, 0.15, 0, 0);
    trx_stage stages[16];
    int count = trx_plan_default_stages(p.context, &p.task.problem, stages, 16);
    const double smoothing[6] = {0.040, 0.020, 0.010, 0.005, 0.0022, 0.001};
    const double stiffness[6] = {24.5, 49, 98, 198, 990, 4950};
    const double stiction[6] = {0.0098, 0.0098, 0.0098, 0.0098, 0.0033, 0.0011};
    ck_assert_int_eq(count, 7);
    for (int i = 0; i < 6; i++) {
        ck_assert_int_eq(stages[i].force_law, TRX_SMOOTHED);
        assert_close(stages[i].smoothing, smoothing[i], 0.03 * smoothing[i]);
        assert_close(stages[i].stiffness, stiffness[i], 0.03 * stiffness[i]);
        assert_close(stages[i].stiction_tolerance, stiction[i], 0.03 * stiction[i]);
        ck_assert(!stages[i].physical && stages[i].pairs == NULL);
    }
    ck_assert(stages[6].physical);

    // no room for all of them: the physical one stays last
    ck_assert_int_eq(trx_plan_default_stages(p.context, &p.task.problem, stages, 3), 3);
    ck_assert(stages[2].physical);
    close_push(&p);
}
END_TEST

START_TEST(default_stages_at_touch_only_stiffen)
{
    push p;
    open_push(&p, -0.07, 0, 0.15, 0, 0);
    trx_stage stages[16];
    ck_assert_int_eq(trx_plan_default_stages(p.context, &p.task.problem, stages, 16), 4);
    assert_close(stages[0].stiffness, 198, 2);
    close_push(&p);
}
END_TEST

START_TEST(without_pairs_the_only_stage_is_physical)
{
    trx_context *context = make_context();
    trx_model *model = pendulum_model(context, 1);
    const double x0[2] = {0, 0};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 10, problem.x0 = x0;
    trx_stage stages[4];
    ck_assert_int_eq(trx_plan_default_stages(context, &problem, stages, 4), 1);
    ck_assert(stages[0].physical);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(the_gap_that_counts_is_that_of_the_pushed_body)
{
    // twice the gap, twice the reach: the first smoothing is a third of the gap, the force at touch the same
    for (int i = 0; i < 2; i++) {
        push p;
        double gap = i ? 0.06 : 0.12;
        open_push(&p, -0.07 - gap, 0, 0.15, 0, 0);
        trx_stage stages[16];
        ck_assert_int_ge(trx_plan_default_stages(p.context, &p.task.problem, stages, 16), 4);
        assert_close(stages[0].smoothing, gap / 3, 1e-12);
        assert_close(stages[0].smoothing * stages[0].stiffness, 0.2 * 0.5 * 9.81, 1e-9);
        assert_close(stages[1].smoothing, gap / 6, 1e-12);
        close_push(&p);
    }
}
END_TEST

// a driven ball of 10 cm and 2 kg on a slide along x, and another that is free to slide, or a wall at x = 0
static trx_model *slide_model(trx_context *context, bool wall)
{
    trx_material_def material = trx_material_def_default();
    material.name = "steel";
    trx_geometry_def ball = trx_geometry_def_default(), plane = ball;
    ball.shape.type = TRX_SHAPE_SPHERE, ball.shape.radius = 0.1, ball.mass = 2;
    plane.shape.type = TRX_SHAPE_HALFSPACE;
    plane.pose = (trx_pose){.quat = {sqrt(0.5), 0, sqrt(0.5), 0}};
    trx_joint_def slides[2] = {joint_of("a", TRX_JOINT_SLIDE, 1, 0, 0), joint_of("b", TRX_JOINT_SLIDE, 1, 0, 0)};
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    for (int i = 0; i < 2; i++) {
        bodies[i].name = i ? "other" : "driven";
        bodies[i].geometry = i && wall ? &plane : &ball, bodies[i].ngeometry = 1;
        bodies[i].joints = &slides[i], bodies[i].njoint = i && wall ? 0 : 1;
    }
    trx_actuator_def motor = trx_actuator_def_default();
    motor.body = 0, motor.joint = 0;
    trx_model_def def = trx_model_def_default();
    def.gravity[2] = 0;
    def.materials = &material, def.nmaterial = 1;
    def.bodies = bodies, def.nbody = 2, def.actuators = &motor, def.nactuator = 1;
    return build_model(context, &def);
}

// stages for 40 steps of 20 ms from x0
static int stages_of(trx_context *context, const trx_model *model, const double *x0, trx_stage *stages)
{
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = 40, problem.sim.time_step = 0.02, problem.x0 = x0;
    return trx_plan_default_stages(context, &problem, stages, 16);
}

START_TEST(without_gravity_crossing_the_gap_sets_the_force)
{
    // the gap of 0.3 m is crossed in a quarter of the horizon, 0.2 s, by 15 m/s^2
    trx_context *context = make_context();
    trx_model *model = slide_model(context, false);
    trx_stage stages[16];
    ck_assert_int_ge(stages_of(context, model, (const double[4]){0, 0.5, 0, 0}, stages), 3);
    assert_close(stages[0].smoothing, 0.1, 1e-12);
    assert_close(stages[0].stiffness * 0.1, 0.2 * 2 * 15, 1e-9);
    assert_close(stages[0].stiction_tolerance, 0.05 * 15 * 0.02, 1e-12);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(an_obstacle_is_not_reached_for)
{
    // the stages begin at the knee, m (0.65/dt)^2, wherever the wall is
    trx_context *context = make_context();
    trx_model *model = slide_model(context, true);
    for (int i = 0; i < 2; i++) {
        const double x0[2] = {i ? 3 : 0.15, 0};
        trx_stage stages[16];
        ck_assert_int_ge(stages_of(context, model, x0, stages), 2);
        assert_close(stages[0].stiffness, 2 * 0.65 * 0.65 / (0.02 * 0.02), 1e-6);
    }
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

START_TEST(sap_is_replaced_by_a_smoothed_lagged_law)
{
    push p;
    open_push(&p, -0.19, 0, 0.15, 0, 0);
    trx_model_destroy(p.model);
    p.model = push_model_with(p.context, TRX_SAP, TRX_KELVIN_VOIGT);
    p.task.problem.model = p.model;
    trx_stage stages[16];
    int count = trx_plan_default_stages(p.context, &p.task.problem, stages, 16);
    ck_assert_int_eq(count, 7);
    for (int i = 0; i + 1 < count; i++) {
        ck_assert_int_eq(stages[i].approximation, TRX_LAGGED);
        ck_assert_int_eq(stages[i].force_law, TRX_SMOOTHED);
    }
    ck_assert(stages[6].physical && stages[6].approximation == -1);
    close_push(&p);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    push p;
    open_push(&p, -0.19, 0, 0.15, 0, 0);
    trx_stage stage;
    const trx_plan_problem *problem = &p.task.problem;
    ck_assert_int_eq(trx_plan_default_stages(NULL, problem, &stage, 1), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_default_stages(p.context, problem, NULL, 1), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_default_stages(p.context, problem, &stage, 0), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_default_stages(p.context, NULL, &stage, 1), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_default_stages(p.context, problem, &stage, 1), 1);
    ck_assert(stage.physical);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/default_stages");
    TCase *cases = tcase_create("default_stages");
    tcase_add_test(cases, default_stages_reach_across_the_gap_and_stiffen);
    tcase_add_test(cases, default_stages_at_touch_only_stiffen);
    tcase_add_test(cases, without_pairs_the_only_stage_is_physical);
    tcase_add_test(cases, the_gap_that_counts_is_that_of_the_pushed_body);
    tcase_add_test(cases, without_gravity_crossing_the_gap_sets_the_force);
    tcase_add_test(cases, an_obstacle_is_not_reached_for);
    tcase_add_test(cases, sap_is_replaced_by_a_smoothed_lagged_law);
    tcase_add_test(cases, wrong_arguments_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
