// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the step with constraints against its differences (theory 6): each type, as stiff as the step resolves and
// compliant, between two trees, within one tree below a common base, and to the world. Each alone moves the derivatives.

#include "step/robot.h"
#include "step/sim.h"
#include "support/support.h"

#include <string.h>

enum { STATES = SANITIZED ? 4 : 16 }; ///< of each constraint

static void judge_with(const trx_tendon_def *tendons, int ntendon, const trx_constraint_def *c, int states)
{
    robot r = robot_create_with_tendons(tendons, ntendon, c, 1, NULL, 0, 0, 0.05);
    double x[64], u[4], worst = 0, force[6], pull = 0;
    int judged = 0;
    for (int i = 0; i < states; i++) {
        robot_state(&r, 0.3, 7, i, x, u);
        double error = robot_derivative_error(&r, x, u);
        if (error < 0) continue;
        judged++;
        worst = fmax(worst, error);
        ck_assert_int_eq(trx_sim_constraint(r.sim, 0, NULL, force), TRX_OK);
        pull = fmax(pull, max_magnitude(force, trx_model_constraint(r.model, 0).nrow));
    }
    robot_destroy(&r);
    ck_assert_int_ge(judged, states * 3 / 4);
    assert_below(worst, 1e-6);
    ck_assert(pull > 0.1);
}

static void judge(const trx_constraint_def *c, int states)
{
    judge_with(NULL, 0, c, states);
}

static void judge_bodies(trx_constraint_type type)
{
    static const int bodies[][2] = {
        {ROBOT_LEFT_TIP, ROBOT_RIGHT_TIP}, {ROBOT_LEFT_TIP, ROBOT_OTHER}, {-1, ROBOT_RIGHT_TIP}, {ROBOT_OTHER, -1},
        {ROBOT_LEFT, ROBOT_LEFT_TIP},      {ROBOT_RIGHT_TIP, ROBOT_BASE}};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        for (int soft = 0; soft < 2; soft++) {
            trx_constraint_def c = robot_constraint("c", type, bodies[i][0], bodies[i][1], soft ? 80 : INFINITY);
            judge(&c, STATES);
        }
}

START_TEST(balls_have_the_derivatives_of_the_step)
{
    judge_bodies(TRX_CONSTRAINT_BALL);
}
END_TEST

START_TEST(welds_have_the_derivatives_of_the_step)
{
    judge_bodies(TRX_CONSTRAINT_WELD);
}
END_TEST

START_TEST(distances_have_the_derivatives_of_the_step)
{
    judge_bodies(TRX_CONSTRAINT_DISTANCE);
}
END_TEST

START_TEST(couplers_have_the_derivatives_of_the_step)
{
    static const double polynomials[][5] = {{0.1, -1.5}, {0, 1, 0.8, -0.6, 0.4}, {0.3}};
    for (int i = 0; i < 3; i++)
        for (int swap = 0; swap < 2; swap++)
            for (int soft = 0; soft < 2; soft++) {
                const double stiffness = soft ? 5 : INFINITY;
                trx_constraint_def c = robot_constraint("c", TRX_CONSTRAINT_COUPLER, ROBOT_LEFT, ROBOT_RIGHT_TIP, stiffness);
                if (swap) c.body_a = ROBOT_RIGHT_TIP, c.body_b = ROBOT_LEFT;
                if (i == 2) c.body_b = -1;
                c.joint_a = 0, c.joint_b = i == 2 ? -1 : 0;
                memcpy(c.polynomial, polynomials[i], sizeof c.polynomial);
                judge(&c, STATES);
            }
}
END_TEST

// without relaxation, as stiff as the step resolves: the horizon of the rows grows with w, which depends on the configuration
START_TEST(constraints_whose_horizon_grows_have_the_derivatives_of_the_step)
{
    static const trx_constraint_type types[] = {TRX_CONSTRAINT_BALL, TRX_CONSTRAINT_DISTANCE};
    for (int type = 0; type < 2; type++) {
        double stiffness = INFINITY, worst = 0;
        int growing = 0;
        for (int i = 0; i < STATES; i++) {
            double x[64], u[4];
            trx_constraint_def c = robot_constraint("c", types[type], ROBOT_LEFT_TIP, ROBOT_RIGHT_TIP, stiffness);
            c.relaxation_time = 0;
            robot r = robot_create(&c, 1, NULL, 0, 0, 0.05);
            robot_state(&r, 0.3, 7, i, x, u);
            const double error = robot_derivative_error(&r, x, u);
            const trxi_row_block *row = &r.sim->rows.scalars[r.sim->rows.constraint_rows[0].first];
            growing += row->decided & TRXI_GROWS && error >= 0;
            worst = fmax(worst, error);

            // the next state has a stiffness at which the horizon of this state is about 1.4 dt
            const double dt = 0.01, bound = row->w / (4 * 3.14159265358979 * 3.14159265358979);
            stiffness = 1.4 / (bound * dt * dt);
            robot_destroy(&r);
        }
        ck_assert_int_ge(growing, STATES / 4);
        assert_below(worst, 1e-6);
    }
}
END_TEST

// a hinge and a slide on one side of the base, a hinge on the other: limits on both sides of most states
START_TEST(limits_of_tendons_have_the_derivatives_of_the_step)
{
    static const trx_joint_factor parts[] = {{ROBOT_RIGHT_TIP, 0, -0.7}, {ROBOT_LEFT, 0, 1.2}, {ROBOT_LEFT_TIP, 0, 2}};
    static const double limits[][2] = {{-0.1, 0.1}, {-INFINITY, -0.2}, {0.2, INFINITY}};
    for (int i = 0; i < 3; i++)
        for (int count = 1; count <= 3; count++) {
            trx_constraint_def c = trx_constraint_def_default();
            c.name = "c", c.type = TRX_CONSTRAINT_TENDON;
            c.tendon = 0;
            c.lower = limits[i][0], c.upper = limits[i][1];
            const trx_tendon_def tendon = {.name = "t", .joints = parts, .njoint = count};
            judge_with(&tendon, 1, &c, STATES);
        }
}
END_TEST

START_TEST(several_constraints_at_once_have_the_derivatives_of_the_step)
{
    trx_constraint_def c[3] = {robot_constraint("c", TRX_CONSTRAINT_BALL, ROBOT_LEFT_TIP, ROBOT_RIGHT_TIP, INFINITY),
                               robot_constraint("c", TRX_CONSTRAINT_WELD, ROBOT_OTHER, ROBOT_BASE, INFINITY),
                               robot_constraint("c", TRX_CONSTRAINT_DISTANCE, -1, ROBOT_OTHER, 500)};
    c[1].name = "d", c[2].name = "e";
    robot r = robot_create(c, 3, NULL, 0, 0, 0);
    double x[64], u[4], worst = 0;
    for (int i = 0; i < 20; i++) {
        robot_state(&r, 0.3, 11, i, x, u);
        worst = fmax(worst, robot_derivative_error(&r, x, u));
    }
    robot_destroy(&r);
    assert_below(worst, 1e-6);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/constraint_rows_deriv");
    TCase *cases = tcase_create("constraint_rows_deriv");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, balls_have_the_derivatives_of_the_step);
    tcase_add_test(cases, welds_have_the_derivatives_of_the_step);
    tcase_add_test(cases, distances_have_the_derivatives_of_the_step);
    tcase_add_test(cases, couplers_have_the_derivatives_of_the_step);
    tcase_add_test(cases, constraints_whose_horizon_grows_have_the_derivatives_of_the_step);
    tcase_add_test(cases, limits_of_tendons_have_the_derivatives_of_the_step);
    tcase_add_test(cases, several_constraints_at_once_have_the_derivatives_of_the_step);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
