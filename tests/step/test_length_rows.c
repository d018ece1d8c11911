// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drives, springs, limits and couplers on spatial tendons (theory 4, Tendons): the step's derivatives in every scheme,
// products, parameters; forces of joints; the spring of a tendon in its closed form; a tendon between two trees.

#include "step/forces.h"
#include "step/judge.h"
#include "step/parameter_fd.h"
#include "step/robot.h"
#include "step/schemes.h"
#include "step/sim.h"
#include "support/support.h"
#include "verify/state_difference.h"

#include <string.h>

static trx_tendon_point site(int body, double x, double y, double z)
{
    return (trx_tendon_point){.type = TRX_TENDON_SITE, .body = body, .pose = {{x, y, z}, {1, 0, 0, 0}}, .side_body = -1};
}

static trx_tendon_point around(trx_tendon_point_type type, int body, double radius, double x, double y, double z)
{
    const trx_pose pose = {{x, y, z}, {0.8, 0.3, -0.4, 0.2}};
    return (trx_tendon_point){.type = type, .body = body, .pose = pose, .radius = radius, .side_body = -1};
}

enum { ACROSS, WRAPPED, TIED, FIXED, TENDONS };

typedef struct tendons {
    trx_tendon_point across[3], wrapped[5], tied[6];
    trx_joint_factor joints[2];
    trx_tendon_def list[TENDONS];
} tendons;

// from arm to arm; around a drum on the base; from the post over a ball to the other body, with a pulley; a fixed one
static void make_tendons(tendons *t)
{
    const trx_tendon_point across[] = {site(ROBOT_LEFT_TIP, 0.1, 0.02, 0.05), site(ROBOT_BASE, 0.05, 0.1, 0.1),
                                       site(ROBOT_RIGHT_TIP, 0.1, 0, -0.04)};
    const trx_tendon_point wrapped[] = {site(ROBOT_LEFT_TIP, 0.12, -0.05, 0.02),
                                        around(TRX_TENDON_CYLINDER, ROBOT_BASE, 0.12, 0.2, 0, 0), site(ROBOT_RIGHT, 0.15, 0.03, 0),
                                        around(TRX_TENDON_SPHERE, ROBOT_LEFT, 0.1, 0.1, -0.2, 0.02),
                                        site(ROBOT_RIGHT_TIP, 0.2, 0.1, 0.1)};
    const trx_tendon_point tied[] = {site(ROBOT_POST, 0.4, 0.1, 0.5),
                                     around(TRX_TENDON_SPHERE, ROBOT_RIGHT_TIP, 0.15, 0.05, 0, 0.1),
                                     site(ROBOT_OTHER, -0.2, 0.1, 0.1), {.type = TRX_TENDON_PULLEY, .divisor = 2},
                                     site(ROBOT_OTHER, 0.1, 0.1, 0.1), site(ROBOT_LEFT, 0.1, 0, 0.05)};
    *t = (tendons){.joints = {{ROBOT_LEFT, 0, 0.8}, {ROBOT_RIGHT_TIP, 0, -0.5}}};
    memcpy(t->across, across, sizeof across);
    memcpy(t->wrapped, wrapped, sizeof wrapped);
    memcpy(t->tied, tied, sizeof tied);
    for (int i = 0; i < TENDONS; i++) t->list[i] = trx_tendon_def_default();
    t->list[ACROSS].points = t->across, t->list[ACROSS].npoint = 3;
    t->list[WRAPPED].points = t->wrapped, t->list[WRAPPED].npoint = 5;
    t->list[TIED].points = t->tied, t->list[TIED].npoint = 6;
    t->list[FIXED].joints = t->joints, t->list[FIXED].njoint = 2;
}

static trx_actuator_def on(int tendon, const char *name)
{
    trx_actuator_def a = trx_actuator_def_default();
    a.name = name, a.tendon = tendon;
    return a;
}

static trx_constraint_def limits(int tendon, const char *name, double lower, double upper)
{
    trx_constraint_def c = trx_constraint_def_default();
    c.name = name, c.type = TRX_CONSTRAINT_TENDON, c.tendon = tendon, c.lower = lower, c.upper = upper;
    return c;
}

static trx_constraint_def coupler(int tendon, int tendon_b, double stiffness)
{
    trx_constraint_def c = trx_constraint_def_default();
    c.name = "coupler", c.type = TRX_CONSTRAINT_COUPLER, c.tendon = tendon, c.tendon_b = tendon_b, c.stiffness = stiffness;
    c.relaxation_time = 0.02;
    c.polynomial[0] = 0.2, c.polynomial[1] = 0.7, c.polynomial[2] = -0.3;
    return c;
}

// A and B of `count` states against differences, and products against A and B
static void judge(robot *r, int count, double bound)
{
    double x[64], u[8], worst = 0;
    int judged = 0;
    for (int i = 0; i < count; i++) {
        robot_state(r, 0.3, 31, i, x, u);
        const double error = robot_derivative_error(r, x, u);
        if (error < 0) continue;
        judged++;
        worst = fmax(worst, error);
        judge_products(r->sim, (uint64_t)i, 1e-9);
    }
    ck_assert_int_ge(judged, count / 2);
    assert_below(worst, bound);
}

static robot with(tendons *t, const trx_constraint_def *constraints, int nconstraint, const trx_actuator_def *actuators,
                  int nactuator)
{
    return robot_create_with_tendons(t->list, TENDONS, constraints, nconstraint, actuators, nactuator, 0, 0.05);
}

START_TEST(drives_have_the_derivatives_of_the_step_in_every_scheme)
{
    tendons t;
    make_tendons(&t);
    trx_actuator_def a[4] = {on(ACROSS, "motor"), on(WRAPPED, "position"), on(TIED, "limited"), on(TIED, "tied")};
    a[0].gear = -2, a[0].bias = 0.3;
    a[1].gain = a[1].kp = 40, a[1].kd = 1.5, a[1].gear = 1.5;
    a[2].gain = 3, a[2].effort_lower = -2, a[2].effort_upper = 1;
    a[3].gain = a[3].kp = 30, a[3].kd = 0.5;
    for (int s = 0; s < SCHEMES; s++) {
        robot r = with(&t, NULL, 0, a, 4);
        use_scheme(r.sim, &schemes[s]);
        judge(&r, 16, 1e-6);
        robot_destroy(&r);
    }
}
END_TEST

START_TEST(springs_have_the_derivatives_of_the_step_in_every_scheme)
{
    tendons t;
    make_tendons(&t);
    t.list[ACROSS].stiffness = 60, t.list[ACROSS].damping = 2, t.list[ACROSS].rest_lower = t.list[ACROSS].rest_upper = 0.5;
    t.list[WRAPPED].stiffness = 90, t.list[WRAPPED].damping = 1, t.list[WRAPPED].rest_lower = 0.6, t.list[WRAPPED].rest_upper = 0.9;
    t.list[TIED].stiffness = 30, t.list[TIED].rest_lower = 0.1, t.list[TIED].rest_upper = 0.7;
    t.list[FIXED].stiffness = 5, t.list[FIXED].damping = 0.2, t.list[FIXED].rest_lower = 0.1, t.list[FIXED].rest_upper = 0.1;
    for (int s = 0; s < SCHEMES; s++) {
        robot r = with(&t, NULL, 0, NULL, 0);
        use_scheme(r.sim, &schemes[s]);
        judge(&r, 16, 1e-6);
        robot_destroy(&r);
    }
}
END_TEST

START_TEST(tendons_that_rest_at_every_length_only_damp)
{
    static const double stiffness[] = {0, 40};
    tendons t;
    make_tendons(&t);
    t.list[ACROSS].damping = 2;
    t.list[ACROSS].rest_lower = -INFINITY, t.list[ACROSS].rest_upper = INFINITY;
    for (int i = 0; i < 2; i++) {
        t.list[ACROSS].stiffness = stiffness[i];
        robot r = with(&t, NULL, 0, NULL, 0);
        judge(&r, 8, 1e-6);
        robot_destroy(&r);
    }
}
END_TEST

START_TEST(limits_have_the_derivatives_of_the_step)
{
    tendons t;
    make_tendons(&t);
    static const double far[] = {0.9, 0.4};
    for (int i = 0; i < 2; i++) {
        const trx_constraint_def c[2] = {i ? limits(WRAPPED, "w", 0, far[i]) : limits(WRAPPED, "w", far[i], INFINITY),
                                         limits(ACROSS, "a", i ? 0.9 : 0, i ? INFINITY : 0.5)};
        robot r = with(&t, c, 2, NULL, 0);
        judge(&r, 20, 1e-6);
        robot_destroy(&r);
    }
    const trx_constraint_def tied = limits(TIED, "t", 0.1, 0.6);
    robot r = with(&t, &tied, 1, NULL, 0);
    use_scheme(r.sim, &schemes[3]);
    judge(&r, 20, 1e-6);
    robot_destroy(&r);
}
END_TEST

// 1 rad beyond its limit: back within it after about a tenth of a second, whatever the step
START_TEST(what_starts_far_beyond_a_limit_returns_at_a_bounded_speed)
{
    tendons t;
    make_tendons(&t);
    const trx_constraint_def c = limits(FIXED, "f", -INFINITY, -1);
    robot r = with(&t, &c, 1, NULL, 0);
    const int a = trx_model_joint(r.model, trx_model_find_joint(r.model, "left_joint")).q_index;
    const int b = trx_model_joint(r.model, trx_model_find_joint(r.model, "right_hinge")).q_index;
    trx_sim_settings settings = trx_sim_get_settings(r.sim);
    for (double step = 1e-2; step > 5e-5; step /= 10) {
        double x[64] = {0}, u[8] = {0}, length = 0, fastest = 0, back = 0;
        settings.time_step = step;
        ck_assert_int_eq(trx_sim_set_settings(r.sim, &settings), TRX_OK);
        trx_model_neutral(r.model, x);
        for (int k = 1; k * step < 0.15; k++) {
            const double before = length;
            ck_assert_int_ge(trx_step(r.sim, x, u, x), 0);
            length = 0.8 * x[a] - 0.5 * x[b];
            fastest = fmax(fastest, (before - length) / step);
            if (!(back > 0) && length < -1) back = k * step;
        }
        assert_below(9, fastest);
        assert_below(fastest, 10.1);
        assert_below(0.09, back);
        assert_below(back, 0.14);
    }
    robot_destroy(&r);
}
END_TEST

START_TEST(couplers_of_tendons_have_the_derivatives_of_the_step)
{
    static const int pairs[][2] = {{ACROSS, WRAPPED}, {TIED, ACROSS}, {FIXED, WRAPPED}, {WRAPPED, FIXED}, {TIED, -1}};
    tendons t;
    make_tendons(&t);
    for (int i = 0; i < 5; i++)
        for (int soft = 0; soft < 2; soft++) {
            const trx_constraint_def c = coupler(pairs[i][0], pairs[i][1], soft ? 50 : INFINITY);
            robot r = with(&t, &c, 1, NULL, 0);
            judge(&r, 12, 1e-6);
            robot_destroy(&r);
        }
}
END_TEST

// the slope of a joint's force by differences over +-e in one column of the state; false on another branch
static bool slope_of_force(robot *r, const double *x, const double *u, int column, trxi_joint_force of, double *slope)
{
    const double e = 1e-5;
    const unsigned long long branches = trx_sim_step_info(r->sim).branches;
    double y[64], dq[64], force[2];
    bool same = true;
    for (int k = 0; k < 2; k++) {
        trxi_state_move(r->model, x, column, k ? -e : e, dq, y);
        ck_assert_int_ge(trx_step(r->sim, y, u, NULL), 0);
        same = same && trx_sim_step_info(r->sim).branches == branches;
        force[k] = trxi_step_joint_force(r->sim, of);
    }
    ck_assert_int_ge(trx_step(r->sim, x, u, NULL), 0);
    *slope = (force[0] - force[1]) / (2 * e);
    return same;
}

// dL/dq, the share of a drive or spring in the force of a joint, changes with q
START_TEST(forces_of_joints_have_the_derivatives_of_differences)
{
    tendons t;
    make_tendons(&t);
    t.list[WRAPPED].stiffness = 60, t.list[WRAPPED].damping = 2, t.list[WRAPPED].rest_lower = t.list[WRAPPED].rest_upper = 0.2;
    trx_actuator_def servo = on(ACROSS, "servo");
    servo.gain = servo.kp = 50, servo.kd = 3;
    robot r = with(&t, NULL, 0, &servo, 1);
    double x[64], u[8], A[64 * 64], B[64 * 8], worst = 0;
    const int joints = r.sim->in.model->njoint;
    int judged = 0;
    for (int i = 0; i < 8 * joints; i++) {
        const trxi_joint_force of = {.index = i % joints};
        const trx_joint_type type = r.sim->in.model->joints[of.index].type;
        if (type != TRX_JOINT_HINGE && type != TRX_JOINT_SLIDE) continue;
        robot_state(&r, 0.3, 31, i / joints, x, u);
        ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
        double by_x[64] = {0}, slope;
        ck_assert_int_eq(trx_step_jac(r.sim, A, B), TRX_OK);
        ck_assert_int_eq(trxi_step_joint_force_jac(r.sim, of, A, B, by_x, NULL), TRX_OK);
        for (int c = 0; c < r.nx; c++) {
            if (!slope_of_force(&r, x, u, c, of, &slope)) continue;
            judged += by_x[c] != 0;
            worst = fmax(worst, fabs(by_x[c] - slope) / (1 + fabs(slope)));
        }
    }
    ck_assert_int_gt(judged, 200);
    assert_below(worst, 1e-6);
    robot_destroy(&r);
}
END_TEST

// one step of 1 ms from rest is force times step; a range of rest lengths has no force inside
START_TEST(a_spring_pulls_with_its_closed_form)
{
    static const double rests[][2] = {{0.3, 0.3}, {0.1, 0.4}, {2, 3}, {0, 5}, {2, 3}, {0, 0.1}};
    static const double stiffness[] = {40, 40, 40, 40, 0.5, 0.5};
    for (int i = 0; i < 6; i++) {
        tendons t;
        make_tendons(&t);
        t.list[TIED].stiffness = stiffness[i], t.list[TIED].rest_lower = rests[i][0], t.list[TIED].rest_upper = rests[i][1];
        robot with_spring = with(&t, NULL, 0, NULL, 0);
        t.list[TIED].stiffness = 0;
        robot without = with(&t, NULL, 0, NULL, 0);
        robot *both[] = {&with_spring, &without};
        double x[64] = {0}, u[4], next[2][64], M[32 * 32], bias[32], length, gradient[32];
        robot_state(&with_spring, 0.3, 5, 0, x, u);
        for (int k = with_spring.nq; k < with_spring.nq + with_spring.nv; k++) x[k] = 0;
        for (int k = 0; k < 2; k++) {
            trx_sim_settings settings = trx_sim_get_settings(both[k]->sim);
            settings.time_step = 1e-6;
            ck_assert_int_eq(trx_sim_set_settings(both[k]->sim, &settings), TRX_OK);
            ck_assert_int_ge(trx_step(both[k]->sim, x, u, next[k]), 0);
        }
        const int nq = with_spring.nq, nv = with_spring.nv;
        ck_assert_int_eq(trx_model_dynamics(without.context, without.model, x, x + nq, M, bias), TRX_OK);
        ck_assert_int_eq(trx_model_tendon(without.context, without.model, TIED, x, &length, gradient), TRX_OK);
        const double force = stiffness[i] * (fmax(rests[i][0], fmin(rests[i][1], length)) - length);
        for (int a = 0; a < nv; a++) {
            double momentum = 0;
            for (int b = 0; b < nv; b++) momentum += M[a + b * nv] * (next[0][nq + b] - next[1][nq + b]);
            assert_close(momentum / 1e-6, force * gradient[a], 1e-4 * (1 + fabs(force)));
        }
        ck_assert((force == 0) == (i == 3));
        robot_destroy(&with_spring);
        robot_destroy(&without);
    }
}
END_TEST

static int parameter_list(const robot *r, trx_parameter out[16])
{
    static const trx_parameter_kind kinds[] = {TRX_ACTUATOR_GEAR, TRX_ACTUATOR_GAIN, TRX_ACTUATOR_BIAS, TRX_ACTUATOR_KP,
                                               TRX_ACTUATOR_KD};
    int count = 0;
    for (int i = 0; i < 5; i++) out[count++] = (trx_parameter){.kind = kinds[i], .index = 1};
    for (int i = 0; i < 3; i++) out[count++] = (trx_parameter){.kind = kinds[i], .index = 0};
    const int post = trx_model_find_body(r->model, "post");
    for (int i = 0; i < 6; i++)
        out[count++] = (trx_parameter){.kind = i < 3 ? TRX_PLACE_POSITION : TRX_PLACE_TURN, .index = post, .component = i % 3};
    return count;
}

// the post displaces the length b of the coupler, and the curve P has another slope at the displaced b. The derivative had no term
// of this change
START_TEST(the_pose_of_a_post_moves_along_the_curve_of_a_coupler)
{
    static const double stiffness[] = {100, INFINITY};
    tendons t;
    make_tendons(&t);
    for (int s = 0; s < SCHEMES; s++)
        for (int k = 0; k < 2; k++) {
            const trx_constraint_def c = coupler(ACROSS, TIED, stiffness[k]);
            robot r = with(&t, &c, 1, NULL, 0);
            use_scheme(r.sim, &schemes[s]);
            const int post = trx_model_find_body(r.model, "post");
            parameter_tally tally = {0};
            for (int i = 0; i < 4; i++) {
                double x[64], u[4];
                robot_state(&r, 0.3, 77, i, x, u);
                for (int n = 0; n < 6; n++)
                    parameter_judge(r.sim, (trx_parameter){n < 3 ? TRX_PLACE_POSITION : TRX_PLACE_TURN, post, n % 3}, x, u, 1e-6,
                                    &tally);
            }
            ck_assert_int_ge(tally.nonzero, 20);
            robot_destroy(&r);
        }
}
END_TEST

START_TEST(parameters_of_drives_and_the_pose_of_a_post_have_their_derivatives)
{
    tendons t;
    make_tendons(&t);
    trx_actuator_def a[2] = {on(WRAPPED, "motor"), on(TIED, "position")};
    a[0].gear = 1.5, a[0].bias = 0.4;
    a[1].gain = 25, a[1].kp = 30, a[1].kd = 1, a[1].gear = 0.7;
    t.list[TIED].stiffness = 20, t.list[TIED].damping = 0.5, t.list[TIED].rest_lower = 0.1, t.list[TIED].rest_upper = 0.2;
    const trx_constraint_def c[2] = {limits(TIED, "limits", 0.1, 0.5), coupler(TIED, ACROSS, 100)};
    for (int s = 0; s < SCHEMES; s += 3) {
        robot r = with(&t, c, 2, a, 2);
        use_scheme(r.sim, &schemes[s]);
        trx_parameter parameters[16];
        const int count = parameter_list(&r, parameters);
        parameter_tally tally = {0};
        for (int i = 0; i < 6; i++) {
            double x[64], u[4], C[16 * 64], seed[64], grad[16];
            robot_state(&r, 0.3, 77, i, x, u);
            for (int k = 0; k < count; k++) parameter_judge(r.sim, parameters[k], x, u, 1e-5, &tally);
            ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
            ck_assert_int_ge(trx_step_jac_parameters(r.sim, parameters, count, C), 0);
            for (int k = 0; k < r.nx; k++) seed[k] = cos(3 * k + i);
            ck_assert_int_ge(trx_step_vjp_parameters(r.sim, parameters, count, seed, grad), 0);
            for (int k = 0; k < count; k++) {
                double product = 0;
                for (int j = 0; j < r.nx; j++) product += seed[j] * C[j + k * r.nx];
                assert_close(grad[k], product, 1e-9 * (1 + fabs(product)));
            }
        }
        ck_assert_msg(tally.judged >= 50 && tally.nonzero >= 40, "%d judged, %d not zero", tally.judged, tally.nonzero);
        robot_destroy(&r);
    }
}
END_TEST

// where a tendon leaves its obstacle, the step says that it took another branch, and the nearest kink is the distance
START_TEST(a_step_knows_where_a_tendon_leaves_its_obstacle)
{
    const trx_tendon_point points[] = {site(ROBOT_POST, 0, 0, 0.5), around(TRX_TENDON_SPHERE, ROBOT_POST, 0.1, 0, 0, 0.25),
                                       site(ROBOT_OTHER, 0, 0, 0)};
    trx_tendon_def tendon = trx_tendon_def_default();
    tendon.points = points, tendon.npoint = 3, tendon.stiffness = 10;
    robot r = robot_create_with_tendons(&tendon, 1, NULL, 0, NULL, 0, 0, 0);
    unsigned long long branches = 0;
    int switches = 0, near = 0;
    for (int i = 0; i < 200; i++) {
        double x[64], u[4], dq[32] = {0};
        robot_state(&r, 0, 9, 0, x, u);
        for (int k = 0; k < r.nv; k++) x[r.nq + k] = 0;
        dq[r.nv - 5] = 0.008 * i - 0.8; // the other body along y
        trx_model_integrate(r.model, x, dq, x);
        ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
        const trx_step_info info = trx_sim_step_info(r.sim);
        if (i > 0 && info.branches != branches) switches++, near += info.kink < 0.008;
        branches = info.branches;
    }
    ck_assert_msg(switches > 0 && near == switches, "%d switches, %d near", switches, near);
    robot_destroy(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/length_rows");
    TCase *cases = tcase_create("length_rows");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, drives_have_the_derivatives_of_the_step_in_every_scheme);
    tcase_add_test(cases, springs_have_the_derivatives_of_the_step_in_every_scheme);
    tcase_add_test(cases, tendons_that_rest_at_every_length_only_damp);
    tcase_add_test(cases, limits_have_the_derivatives_of_the_step);
    tcase_add_test(cases, what_starts_far_beyond_a_limit_returns_at_a_bounded_speed);
    tcase_add_test(cases, couplers_of_tendons_have_the_derivatives_of_the_step);
    tcase_add_test(cases, forces_of_joints_have_the_derivatives_of_differences);
    tcase_add_test(cases, a_spring_pulls_with_its_closed_form);
    tcase_add_test(cases, the_pose_of_a_post_moves_along_the_curve_of_a_coupler);
    tcase_add_test(cases, parameters_of_drives_and_the_pose_of_a_post_have_their_derivatives);
    tcase_add_test(cases, a_step_knows_where_a_tendon_leaves_its_obstacle);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
