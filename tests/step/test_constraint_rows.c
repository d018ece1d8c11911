// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Constraints hold (theory 4): a fixed body carries its load, gaps close, couplers keep their law, a compliant ball is a spring.

#include "step/robot.h"
#include "support/support.h"

#include <string.h>

static trx_constraint_def held(trx_constraint_type type, int a, int b)
{
    trx_constraint_def c = trx_constraint_def_default();
    c.name = "c", c.type = type, c.body_a = a, c.body_b = b, c.length = 0.25;
    return c;
}

// gaps and forces of constraint 0 after `steps` steps from a random configuration at rest
static void run(robot *r, int index, int steps, double *gap, double *force)
{
    double x[64], u[4];
    robot_state(r, 0.03, 21, index, x, u);
    memset(x + r->nq, 0, (size_t)r->nv * sizeof *x);
    for (int k = 0; k < steps; k++) ck_assert_int_ge(trx_step(r->sim, x, u, x), 0);
    ck_assert_int_eq(trx_sim_constraint(r->sim, 0, gap, force), TRX_OK);
}

START_TEST(gaps_of_every_type_close_and_stay_closed)
{
    static const int bodies[][2] = {{ROBOT_LEFT_TIP, ROBOT_OTHER}, {-1, ROBOT_BASE}, {ROBOT_LEFT_TIP, ROBOT_RIGHT_TIP}};
    static const double offsets[][3] = {{-0.4, -0.2, 0}, {0, 0, 0}, {0, -0.4, 0}}; // the points of A and B coincide as built
    for (int type = TRX_CONSTRAINT_BALL; type <= TRX_CONSTRAINT_DISTANCE; type++)
        for (int i = 0; i < 3; i++) {
            trx_constraint_def c = held((trx_constraint_type)type, bodies[i][0], bodies[i][1]);
            double apart = type == TRX_CONSTRAINT_DISTANCE ? c.length : 0;
            for (int k = 0; k < 3; k++) c.pose_a.p[k] = offsets[i][k] + (k == 2 ? apart : 0);
            robot r = robot_create(&c, 1, NULL, 0, 0, 0);
            double gap[6];
            int rows = trx_model_constraint(r.model, 0).nrow;
            run(&r, i, 1, gap, NULL);
            ck_assert(max_magnitude(gap, rows) > 1e-3);
            run(&r, i, 60, gap, NULL);
            assert_below(max_magnitude(gap, rows), 5e-3);
            robot_destroy(&r);
        }
}
END_TEST

START_TEST(a_weld_carries_the_weight_of_what_hangs_on_it)
{
    trx_constraint_def c = held(TRX_CONSTRAINT_WELD, -1, ROBOT_OTHER);
    robot r = robot_create(&c, 1, NULL, 0, 0, 0);
    double x[64] = {0}, force[6], u[4];
    trx_model_neutral(r.model, x);
    for (int k = 0; k < 300; k++) ck_assert_int_ge(trx_step(r.sim, x, u, x), 0);
    ck_assert_int_eq(trx_sim_constraint(r.sim, 0, NULL, force), TRX_OK);
    const double expected[6] = {0, 0, 0.8 * 9.81, 0.02 * 0.8 * 9.81, -0.05 * 0.8 * 9.81, 0};
    assert_below(max_difference(force, expected, 6), 1e-3);
    robot_destroy(&r);
}
END_TEST

// near-rigid rows too close a gap as exp(-t/tau) if tau is longer than the step
START_TEST(a_gap_closes_in_the_relaxation_time)
{
    trx_constraint_def c = held(TRX_CONSTRAINT_COUPLER, ROBOT_LEFT, -1);
    c.joint_a = 0, c.body_b = c.joint_b = -1, c.relaxation_time = 0.1;
    memset(c.polynomial, 0, sizeof c.polynomial);
    c.polynomial[0] = 0.05;
    robot r = robot_create(&c, 1, NULL, 0, 0, 0);
    double x[64] = {0}, gap[6], first = 0, u[4] = {0};
    trx_model_neutral(r.model, x);
    for (int k = 0; k <= 11; k++) {
        ck_assert_int_ge(trx_step(r.sim, x, u, x), 0);
        ck_assert_int_eq(trx_sim_constraint(r.sim, 0, gap, NULL), TRX_OK);
        if (k == 0) first = gap[0];
    }
    // eleven steps of 10 ms, each by the factor 1 - dt/(dt + tau) = 1/1.1
    assert_close(gap[0] / first, pow(1.1, -11), 0.02 * pow(1.1, -11));
    robot_destroy(&r);
}
END_TEST

START_TEST(what_starts_far_open_closes_at_a_bounded_speed)
{
    trx_constraint_def c = held(TRX_CONSTRAINT_COUPLER, ROBOT_LEFT, -1);
    c.joint_a = 0, c.body_b = c.joint_b = -1;
    memset(c.polynomial, 0, sizeof c.polynomial);
    c.polynomial[0] = 2;
    robot r = robot_create(&c, 1, NULL, 0, 0, 0);
    double x[64] = {0}, gap[6], before = -2, fastest = 0, u[4] = {0};
    trx_model_neutral(r.model, x);
    for (int k = 0; k < 60; k++) {
        ck_assert_int_ge(trx_step(r.sim, x, u, x), 0);
        ck_assert_int_eq(trx_sim_constraint(r.sim, 0, gap, NULL), TRX_OK);
        if (k > 0) fastest = fmax(fastest, (gap[0] - before) / 0.01);
        before = gap[0];
    }
    ck_assert_msg(fastest > 9 && fastest < 10.1, "%g rad/s", fastest);
    assert_below(fabs(gap[0]), 1e-3);
    robot_destroy(&r);
}
END_TEST

START_TEST(a_compliant_weld_sags_as_a_spring)
{
    trx_constraint_def c = held(TRX_CONSTRAINT_WELD, -1, ROBOT_OTHER);
    c.stiffness = 200, c.relaxation_time = 0.2;
    robot r = robot_create(&c, 1, NULL, 0, 0, 0);
    double x[64] = {0}, gap[6], u[4];
    trx_model_neutral(r.model, x);
    for (int k = 0; k < 2000; k++) ck_assert_int_ge(trx_step(r.sim, x, u, x), 0);
    ck_assert_int_eq(trx_sim_constraint(r.sim, 0, gap, NULL), TRX_OK);
    assert_close(gap[2], -0.8 * 9.81 / 200, 2e-3 * 0.8 * 9.81 / 200);
    robot_destroy(&r);
}
END_TEST

START_TEST(coupled_joints_keep_their_law_while_they_move)
{
    trx_constraint_def c = held(TRX_CONSTRAINT_COUPLER, ROBOT_LEFT, ROBOT_RIGHT_TIP);
    c.joint_a = c.joint_b = 0;
    const double law[5] = {0.1, -1.5, 0.4};
    memcpy(c.polynomial, law, sizeof law);
    robot r = robot_create(&c, 1, NULL, 0, 0, 0);
    double x[64], u[4];
    robot_state(&r, 0.3, 2, 0, x, u);
    int a = trx_model_joint(r.model, trx_model_find_joint(r.model, "left_joint")).q_index;
    int b = trx_model_joint(r.model, trx_model_find_joint(r.model, "right_hinge")).q_index;
    double moved = x[b];
    for (int k = 0; k < 50; k++) ck_assert_int_ge(trx_step(r.sim, x, u, x), 0);
    assert_close(x[a], 0.1 - 1.5 * x[b] + 0.4 * x[b] * x[b], 5e-3);
    ck_assert(fabs(x[b] - moved) > 1e-2);
    robot_destroy(&r);
}
END_TEST

typedef struct scene {
    trx_context *context;
    trx_model *model;
    trx_sim *sim;
} scene;

// weightless bodies under one constraint
static scene scene_create(const trx_body_def *bodies, int nbody, const trx_constraint_def *c)
{
    scene s;
    trx_model_def def = trx_model_def_default();
    memset(def.gravity, 0, sizeof def.gravity);
    def.bodies = bodies, def.nbody = nbody, def.constraints = c, def.nconstraint = 1;
    s.context = context_open();
    ck_assert_int_eq(trx_model_create(s.context, &def, &s.model), TRX_OK);
    ck_assert_int_eq(trx_sim_create(s.context, s.model, NULL, &s.sim), TRX_OK);
    return s;
}

static void scene_destroy(scene *s)
{
    trx_sim_destroy(s->sim);
    trx_model_destroy(s->model);
    context_close(s->context);
}

static trx_body_def solid(const char *name, const trx_joint_def *joint)
{
    trx_body_def body = trx_body_def_default();
    body.name = name, body.joints = joint, body.njoint = joint != NULL, body.has_inertia = true;
    body.inertia = (trx_body_inertia){.mass = 2, .com = {0.3, 0, 0}, .tensor = {0.1, 0.1, 0.1}};
    return body;
}

// a body on a hinge (tilted, off the origin) has a constant distance from a point on its own axis
START_TEST(a_constraint_that_no_joint_can_break_does_nothing)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "hinge", joint.type = TRX_JOINT_HINGE, joint.axis[2] = 1;
    trx_body_def body = solid("door", &joint);
    body.pose = (trx_pose){{10.3, 7.2, -2}, {0.9, 0.2, 0.3, 0.1}};
    trx_constraint_def c = held(TRX_CONSTRAINT_DISTANCE, -1, 0);
    memcpy(c.pose_a.p, body.pose.p, sizeof c.pose_a.p);
    c.pose_b.p[0] = 0.4, c.pose_b.p[1] = 0.1, c.length = hypot(0.4, 0.1);
    scene s = scene_create(&body, 1, &c);
    double x[2] = {0.3, 0.5};
    for (int k = 0; k < 100; k++) ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
    assert_close(x[1], 0.5, 1e-9);
    assert_close(x[0], 0.8, 1e-9);
    scene_destroy(&s);
}
END_TEST

// a slide cannot turn: the weld closes the gaps that the slide can close and reports the others
START_TEST(gaps_that_nothing_can_close_are_told)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "slide", joint.type = TRX_JOINT_SLIDE, joint.axis[2] = 1;
    trx_body_def bodies[2] = {solid("slider", &joint), solid("post", NULL)};
    trx_constraint_def c = held(TRX_CONSTRAINT_WELD, -1, 0);
    c.pose_a.p[2] = 0.1, c.pose_b = (trx_pose){{0, 0, 0}, {cos(0.4), sin(0.4), 0, 0}};
    scene s = scene_create(bodies, 2, &c);
    double x[2] = {0}, gap[6], force[6];
    for (int k = 0; k < 60; k++) ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
    ck_assert_int_eq(trx_sim_constraint(s.sim, 0, gap, force), TRX_OK);
    const double expected[6] = {0, 0, 0, 0.8, 0, 0};
    assert_close(x[0], 0.1, 1e-6);
    assert_below(max_difference(gap, expected, 6), 1e-6);
    ck_assert(force[3] == 0 && force[4] == 0 && force[5] == 0);
    scene_destroy(&s);

    // two that stand still
    c = held(TRX_CONSTRAINT_BALL, -1, 1);
    c.pose_b.p[1] = 0.7;
    s = scene_create(bodies, 2, &c);
    ck_assert_int_ge(trx_step(s.sim, x, NULL, x), 0);
    ck_assert_int_eq(trx_sim_constraint(s.sim, 0, gap, force), TRX_OK);
    ck_assert(gap[0] == 0 && gap[1] == 0.7 && gap[2] == 0 && force[1] == 0);
    scene_destroy(&s);
}
END_TEST

// points that coincide have no direction between them; the direction that the step takes is constant
START_TEST(a_distance_of_points_that_coincide_has_finite_derivatives)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "free", joint.type = TRX_JOINT_FREE;
    trx_body_def body = solid("body", &joint);
    trx_constraint_def c = held(TRX_CONSTRAINT_DISTANCE, -1, 0);
    c.length = 0.05;
    scene s = scene_create(&body, 1, &c);
    double x[13] = {0, 0, 0, 1}, A[12 * 12], gap;
    ck_assert_int_ge(trx_step(s.sim, x, NULL, NULL), 0);
    ck_assert_int_eq(trx_sim_constraint(s.sim, 0, &gap, NULL), TRX_OK);
    ck_assert(gap == -c.length);
    ck_assert_int_eq(trx_step_jac(s.sim, A, NULL), TRX_OK);
    ck_assert(isfinite(max_magnitude(A, 12 * 12)));
    ck_assert(A[2 + 12 * 2] < 0.9 && A[0] == 1); // the row holds along z
    scene_destroy(&s);
}
END_TEST

START_TEST(nothing_is_asked_of_a_constraint_without_a_step)
{
    trx_constraint_def c = held(TRX_CONSTRAINT_BALL, -1, ROBOT_OTHER);
    robot r = robot_create(&c, 1, NULL, 0, 0, 0);
    double gap[3];
    ck_assert_int_eq(trx_sim_constraint(r.sim, 0, gap, NULL), TRX_ERR_NO_STEP);
    ck_assert_int_eq(trx_sim_constraint(r.sim, 1, gap, NULL), TRX_ERR_ARGUMENT);
    robot_destroy(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/constraint_rows");
    TCase *cases = tcase_create("constraint_rows");
    tcase_add_test(cases, gaps_of_every_type_close_and_stay_closed);
    tcase_add_test(cases, a_weld_carries_the_weight_of_what_hangs_on_it);
    tcase_add_test(cases, a_gap_closes_in_the_relaxation_time);
    tcase_add_test(cases, what_starts_far_open_closes_at_a_bounded_speed);
    tcase_add_test(cases, a_compliant_weld_sags_as_a_spring);
    tcase_add_test(cases, coupled_joints_keep_their_law_while_they_move);
    tcase_add_test(cases, a_constraint_that_no_joint_can_break_does_nothing);
    tcase_add_test(cases, gaps_that_nothing_can_close_are_told);
    tcase_add_test(cases, a_distance_of_points_that_coincide_has_finite_derivatives);
    tcase_add_test(cases, nothing_is_asked_of_a_constraint_without_a_step);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
