// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Positions follow velocities by the maps (theory 6): dq' = T dq + S dv' + S_0 dv. The rows of positions of A and B are made again
// from the rows of velocities, for every joint and every scheme.

#include "step/position_maps.h"
#include "step/robot.h"
#include "step/sim.h"
#include "support/support.h"

#include <check.h>
#include <string.h>

enum { NV = 18, NX = 2 * NV, BALLS = 3, MAPS = 3 };

static robot open_robot(int scheme)
{
    trx_constraint_def constraints[4];
    const trx_actuator_def motor = robot_actuator("motor", ROBOT_LEFT, 0, 0, 0);
    robot_constraints(constraints);
    robot r = robot_create(constraints, 4, &motor, 1, 0.1, 0.02);
    trx_sim_settings settings = trx_sim_get_settings(r.sim);
    settings.scheme = (trx_scheme)scheme, settings.theta = 0.8, settings.theta_vq = 0.6;
    ck_assert_int_eq(trx_sim_set_settings(r.sim, &settings), TRX_OK);
    return r;
}

// M (NV x NV): the rate on the diagonal, plus the maps of balls
static void fill(const robot *r, const double *ball_maps, const double rates[MAPS], int map, double M[NV * NV])
{
    memset(M, 0, sizeof(double) * NV * NV);
    for (int i = 0; i < NV; i++) M[i + NV * i] = rates[map];
    for (int l = 0, ball = 0; l < r->model->nlink; l++) {
        const trxi_link *link = &r->model->links[l];
        if (link->type != TRXI_BALL) continue;
        const double *of = ball_maps + 9 * (MAPS * ball++ + map);
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) M[link->v + i + NV * (link->v + j)] += of[i + 3 * j];
    }
}

// the largest entry of rows of positions - (S rows of velocities + [T, S_0])
static double largest_miss(int columns, const double *D, const double S[NV * NV], const double *T, const double *S_0)
{
    double worst = 0;
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < NV; i++) {
            double expected = 0;
            for (int k = 0; k < NV; k++) expected += S[i + NV * k] * D[NV + k + NX * j];
            if (T && j < NV) expected += T[i + NV * j];
            if (S_0 && j >= NV) expected += S_0[i + NV * (j - NV)];
            worst = fmax(worst, fabs(expected - D[i + NX * j]));
        }
    return worst;
}

START_TEST(positions_follow_velocities_by_the_maps)
{
    robot r = open_robot(_i);
    ck_assert(r.nv == NV && r.nu == 1);
    for (int index = 0; index < 5; index++) {
        double x[2 * NX], u[1], A[NX * NX], B[NX], rates[MAPS], balls[9 * MAPS * BALLS], maps[MAPS][NV * NV];
        robot_state(&r, 0.5, 3, index, x, u);
        ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
        ck_assert_int_eq(trx_step_jac(r.sim, A, B), TRX_OK);
        trxi_sim_position_rates(r.sim, rates);
        trxi_sim_ball_maps(r.sim, balls);
        ck_assert(max_magnitude(balls, 9) > 1e-4); // a ball that turns is no slide
        for (int m = 0; m < MAPS; m++) fill(&r, balls, rates, m, maps[m]);
        assert_close(largest_miss(NX, A, maps[1], maps[0], maps[2]), 0, 1e-11);
        assert_close(largest_miss(1, B, maps[1], NULL, NULL), 0, 1e-11);
    }
    robot_destroy(&r);
}
END_TEST

START_TEST(rates_are_those_of_the_scheme)
{
    static const double share[] = {1, 1, 0.5, 0.6};
    robot r = open_robot(_i);
    double rates[MAPS];
    trxi_sim_position_rates(r.sim, rates);
    assert_close(rates[0], 1, 0);
    assert_close(rates[1], share[_i] * 0.01, 1e-17);
    assert_close(rates[2], (1 - share[_i]) * 0.01, 1e-17);
    robot_destroy(&r);
}
END_TEST

START_TEST(poses_of_the_start_are_lent_where_the_step_has_them)
{
    robot r = open_robot(_i);
    double x[2 * NX], u[1];
    robot_state(&r, 0.5, 3, 0, x, u);
    ck_assert_int_ge(trx_step(r.sim, x, u, NULL), 0);
    const trxi_kinematics *start = trxi_sim_start_poses(r.sim);
    ck_assert((start != NULL) == (_i == TRX_SYMPLECTIC));
    if (start) ck_assert(start == &r.sim->smooth.kin);
    robot_destroy(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/position_maps");
    TCase *cases = tcase_create("position_maps");
    tcase_add_loop_test(cases, positions_follow_velocities_by_the_maps, TRX_SYMPLECTIC, TRX_THETA + 1);
    tcase_add_loop_test(cases, rates_are_those_of_the_scheme, TRX_SYMPLECTIC, TRX_THETA + 1);
    tcase_add_loop_test(cases, poses_of_the_start_are_lent_where_the_step_has_them, TRX_SYMPLECTIC, TRX_THETA + 1);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
