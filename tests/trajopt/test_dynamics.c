// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The dynamics of a plan are those of its simulator: steps to the bit, derivatives, adjoints, poses, and maps of positions.

#include "trajopt/scenes.h"

#include "math/dense.h"
#include "trajopt/dynamics.h"

static trx_sim *make_sim(mixed_scene *f, trx_scheme scheme)
{
    trx_sim *sim;
    trx_sim_settings settings = trx_sim_settings_default();
    settings.scheme = scheme;
    settings.theta = 0.8, settings.theta_vq = 0.6;
    ck_assert_int_eq(trx_sim_create(f->context, f->model, &settings, &sim), TRX_OK);
    return sim;
}

START_TEST(a_step_through_the_door_is_the_step_of_the_simulator)
{
    enum { NX = 24, NU = 2, BALLS = 2 };
    for (int scheme = TRX_SYMPLECTIC; scheme <= TRX_THETA; scheme++) {
        mixed_scene f = open_mixed();
        trx_sim *behind = make_sim(&f, (trx_scheme)scheme), *sim = make_sim(&f, (trx_scheme)scheme);
        const trxi_dynamics door = trxi_dynamics_of_sim(behind);
        double x[64], next[64], A[2][NX * NX], B[2][NX * NU], maps[TRXI_BALL_MAPS * BALLS], seed[NX], grad[2][NX + NU];
        ck_assert(door.time_step == trx_sim_get_settings(sim).time_step);
        ck_assert_int_eq(door.step(&door, 0.3, f.x, f.u, NULL, next), TRX_OK);
        trx_sim_set_time(sim, 0.3);
        ck_assert_int_eq(trx_step(sim, f.x, f.u, x), TRX_OK);
        ck_assert_int_eq(memcmp(x, next, sizeof(double) * (size_t)(f.size.nq + f.size.nv)), 0);
        ck_assert(trx_sim_time(behind) == 0); // the time is an argument, not a state of the simulator
        ck_assert((door.poses(&door) != NULL) == (scheme == TRX_SYMPLECTIC));

        ck_assert_int_eq(door.linearize(&door, A[0], B[0], maps), TRX_OK);
        ck_assert_int_eq(trx_step_jac(sim, A[1], B[1]), TRX_OK);
        ck_assert_int_eq(memcmp(A[0], A[1], sizeof A[0]), 0);
        ck_assert_int_eq(memcmp(B[0], B[1], sizeof B[0]), 0);
        for (int i = 0; i < NX; i++) seed[i] = trxi_random_normal(9, (uint64_t)i);
        ck_assert_int_eq(door.vjp(&door, seed, grad[0], grad[0] + NX), TRX_OK);
        ck_assert_int_eq(trx_step_vjp(sim, seed, grad[1], grad[1] + NX), TRX_OK);
        ck_assert_int_eq(memcmp(grad[0], grad[1], sizeof grad[0]), 0);
        trx_sim_destroy(sim);
        trx_sim_destroy(behind);
        close_mixed(&f);
    }
}
END_TEST

START_TEST(positions_follow_velocities_by_the_rates_where_no_ball_turns)
{
    // dq' = T dq + S dv' + S_0 dv for the slide of the chain, whose rows of A and B the rates give
    enum { NX = 24, NV = 12, NU = 2, SLIDE = 10 };
    for (int scheme = TRX_SYMPLECTIC; scheme <= TRX_THETA; scheme++) {
        mixed_scene f = open_mixed();
        trx_sim *sim = make_sim(&f, (trx_scheme)scheme);
        const trxi_dynamics door = trxi_dynamics_of_sim(sim);
        double A[NX * NX], B[NX * NU], maps[TRXI_BALL_MAPS * 2], rates[TRXI_POSITION_MAPS];
        ck_assert_int_eq(door.step(&door, 0, f.x, f.u, NULL, NULL), TRX_OK);
        ck_assert_int_eq(door.linearize(&door, A, B, maps), TRX_OK);
        door.position_rates(&door, rates);
        for (int j = 0; j < NU; j++) assert_close(B[SLIDE + NX * j], rates[TRXI_MAP_S] * B[NV + SLIDE + NX * j], 1e-14);
        for (int j = 0; j < NX; j++) {
            double expected = rates[TRXI_MAP_S] * A[NV + SLIDE + NX * j];
            if (j == SLIDE) expected += rates[TRXI_MAP_T];
            if (j == NV + SLIDE) expected += rates[TRXI_MAP_S_0];
            assert_close(A[SLIDE + NX * j], expected, 1e-13);
        }
        trx_sim_destroy(sim);
        close_mixed(&f);
    }
}
END_TEST

START_TEST(a_step_that_may_go_on_is_told_from_one_that_stays)
{
    for (int exact = 0; exact < 2; exact++) {
        push p;
        trx_sim *sim;
        open_push(&p, -0.08, 0, 0.05, 0, 0);
        trx_sim_settings settings = p.task.problem.sim;
        if (exact) settings.tolerance = 0;
        ck_assert_int_eq(trx_sim_create(p.context, p.model, &settings, &sim), TRX_OK);
        const trxi_dynamics door = trxi_dynamics_of_sim(sim);
        const double u[3] = {0};
        ck_assert_int_eq(door.step(&door, 0, p.task.x0, u, NULL, NULL), exact ? TRX_ROUND_OFF : TRX_OK);
        trx_sim_destroy(sim);
        close_push(&p);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/dynamics");
    TCase *cases = tcase_create("dynamics");
    tcase_add_test(cases, a_step_through_the_door_is_the_step_of_the_simulator);
    tcase_add_test(cases, positions_follow_velocities_by_the_rates_where_no_ball_turns);
    tcase_add_test(cases, a_step_that_may_go_on_is_told_from_one_that_stays);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
