// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The two replays that judge a plan, against plain loops of steps (theory 7): the physical one to the bit, the fine
// one with gains at a tenth of the time step; what they measure; and replays that fail.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

enum { STEPS = 50, NSTATE = 19, NX = 18, NU = 3, NV = 9, NQ = 10, TENTH = 10 };

START_TEST(the_linearization_belongs_to_the_trajectory)
{
    swing_up s = make_swing_up(make_context(), INFINITY, 0.01, 100, trx_plan_settings_default());
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    const double *x = trx_plan_states(s.plan), *u = trx_plan_controls(s.plan);
    trx_sim_settings settings = trx_sim_settings_default();
    settings.tolerance = 1e-10;
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(s.context, s.model, &settings, &sim), TRX_OK);
    for (int k = 0; k < 100; k++) {
        double next[2], A[4], B[2];
        ck_assert_int_ge(trx_step(sim, x + 2 * k, u + k, next), TRX_OK);
        assert_below(max_difference(next, x + 2 * (k + 1), 2), 1e-12);
        ck_assert_int_eq(trx_step_jac(sim, A, B), TRX_OK);
        assert_below(max_difference(A, trx_plan_A(s.plan) + 4 * k, 4), 1e-12);
        assert_below(max_difference(B, trx_plan_B(s.plan) + 2 * k, 2), 1e-12);
    }
    trx_sim_destroy(sim);
    close_swing_up(&s);
}
END_TEST

// results of an independent replay
typedef struct outcome {
    double cost, penetration, slip, residual, error[2];
} outcome;

static void observe(trx_sim *sim, bool last, outcome *out)
{
    const trx_contact *contacts;
    int count = trx_sim_contacts(sim, &contacts);
    for (int i = 0; i < count; i++) {
        out->penetration = fmax(out->penetration, -contacts[i].distance);
        if (contacts[i].mode == TRX_CONTACT_STICK && !last) out->slip = fmax(out->slip, contacts[i].v_t);
    }
    if (!last) out->residual = fmax(out->residual, trx_sim_momentum_residual(sim));
}

static double cost_at(const push *p, int knot, const double *x, const double *u)
{
    double cost;
    ck_assert_int_eq(trx_plan_cost(p->plan, knot, x, u, &cost, NULL, NULL, NULL, NULL, NULL), TRX_OK);
    return cost;
}

// errors of the two goals, position in the plane and yaw, at the end
static void end_errors(const push *p, const double *x, outcome *out)
{
    double r[3];
    out->error[0] = hypot(x[0] - p->task.box[0], x[1] - p->task.box[1]);
    ck_assert_int_eq(trx_plan_residual(p->plan, 1, STEPS, x, NULL, r), TRX_OK);
    out->error[1] = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
}

static void check_outcome(const trx_replay *replay, const outcome *expected, double tolerance)
{
    assert_close(replay->cost, expected->cost, tolerance * expected->cost);
    assert_close(replay->penetration, expected->penetration, tolerance * expected->penetration);
    assert_close(replay->slip, expected->slip, tolerance * (expected->slip + 1e-3));
    assert_close(replay->momentum_residual, expected->residual, 1e-9);
    for (int i = 0; i < 2; i++) {
        assert_close(replay->goals[i].error, expected->error[i], tolerance);
        ck_assert(replay->goals[i].met == (replay->goals[i].error <= replay->goals[i].tolerance));
    }
}

// solves a push that turns the box; returns a separate simulator with this time step
static trx_sim *open_replay(push *p, double time_step)
{
    open_push(p, -0.08, 0.01, 0.08, 0, 0.2);
    ck_assert_int_ge(solve_push(p, trx_plan_settings_default()), TRX_OK);
    trx_sim_settings settings = p->task.problem.sim;
    settings.tolerance = 1e-10, settings.time_step = time_step;
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(p->context, p->model, &settings, &sim), TRX_OK);
    return sim;
}

START_TEST(the_physical_replay_is_a_loop_of_steps_to_the_bit)
{
    push p;
    trx_sim *sim = open_replay(&p, 0.02);
    const double *u = trx_plan_controls(p.plan), *states = trx_plan_states(p.plan);
    double x[NSTATE];
    outcome expected = {0};
    memcpy(x, p.task.x0, sizeof x);
    for (int k = 0; k < STEPS; k++) {
        ck_assert_int_eq(memcmp(x, states + NSTATE * k, sizeof x), 0);
        expected.cost += cost_at(&p, k, x, u + NU * k);
        ck_assert_int_ge(trx_step(sim, x, u + NU * k, x), TRX_OK);
        observe(sim, false, &expected);
    }
    ck_assert_int_eq(memcmp(x, states + NSTATE * STEPS, sizeof x), 0);
    expected.cost += cost_at(&p, STEPS, x, NULL);
    end_errors(&p, x, &expected);
    ck_assert_int_ge(trx_step(sim, x, u + NU * (STEPS - 1), NULL), TRX_OK);
    observe(sim, true, &expected);
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_eq(info.physical.status, TRX_OK);
    check_outcome(&info.physical, &expected, 1e-13);
    ck_assert(info.cost == info.physical.cost && info.physical.penetration > 1e-4);
    trx_sim_destroy(sim);
    close_push(&p);
}
END_TEST

// u_k + K_k (x (-) x_plan) within the limits, x_plan on the geodesic from x_k to x_{k+1}
static void feedback(const push *p, int k, double share, const double *x, double *u)
{
    const double *x_k = trx_plan_states(p->plan) + NSTATE * k, *next = x_k + NSTATE;
    const double *K = trx_plan_gains(p->plan) + NU * NX * k;
    double way[NV], plan[NSTATE], dx[NX];
    trx_model_difference(p->model, next, x_k, way);
    for (int i = 0; i < NV; i++) way[i] *= share;
    trx_model_integrate(p->model, x_k, way, plan);
    trx_model_difference(p->model, x, plan, dx);
    for (int i = 0; i < NV; i++) dx[NV + i] = x[NQ + i] - (x_k[NQ + i] + share * (next[NQ + i] - x_k[NQ + i]));
    for (int i = 0; i < NU; i++) {
        u[i] = trx_plan_controls(p->plan)[NU * k + i];
        for (int j = 0; j < NX; j++) u[i] += K[i + NU * j] * dx[j];
        u[i] = fmin(fmax(u[i], -20), 20);
    }
}

START_TEST(the_fine_replay_follows_the_plan_at_a_tenth_of_the_step)
{
    push p;
    trx_sim *sim = open_replay(&p, 0.002);
    double x[NSTATE], u[NU];
    outcome expected = {0};
    memcpy(x, p.task.x0, sizeof x);
    for (int step = 0; step < STEPS * TENTH; step++) {
        int k = step / TENTH, part = step % TENTH;
        feedback(&p, k, part / 10.0, x, u);
        if (part == 0) expected.cost += cost_at(&p, k, x, u);
        ck_assert_int_ge(trx_step(sim, x, u, x), TRX_OK);
        observe(sim, false, &expected);
    }
    expected.cost += cost_at(&p, STEPS, x, NULL);
    end_errors(&p, x, &expected);
    ck_assert_int_ge(trx_step(sim, x, u, NULL), TRX_OK);
    observe(sim, true, &expected);
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_eq(info.fine.status, TRX_OK);
    check_outcome(&info.fine, &expected, 1e-7);
    ck_assert(info.fine.cost != info.physical.cost);

    // the plan's simulator has its own step back
    ck_assert(trx_sim_get_settings(p.plan->sim).time_step == 0.02);
    trx_sim_destroy(sim);
    close_push(&p);
}
END_TEST

START_TEST(a_replay_that_fails_meets_nothing)
{
    push p;
    open_push(&p, -0.07, 0, 0.15, 0, 0);
    p.task.problem.sim.max_iterations = 1;
    p.plan = make_plan(p.context, &p.task.problem, trx_plan_settings_default());
    memset(p.plan->u, 0, NU * STEPS * sizeof(double));
    trxi_plan_replay(p.plan);
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_eq(info.physical.status, TRX_ERR_NOT_CONVERGED);
    ck_assert_int_eq(info.fine.status, TRX_ERR_FAILED);
    ck_assert(isinf(info.physical.cost) && isinf(info.fine.cost));
    for (int i = 0; i < 2; i++) {
        ck_assert(isinf(info.physical.goals[i].error) && !info.physical.goals[i].met);
        ck_assert(isinf(info.fine.goals[i].error) && !info.fine.goals[i].met);
    }

    // the trajectory stays where it ended
    const double *x = trx_plan_states(p.plan);
    int failed = p.plan->rollout.failed_knot;
    ck_assert(failed >= 0 && failed < STEPS);
    for (int k = failed; k < STEPS; k++)
        ck_assert_int_eq(memcmp(x + NSTATE * failed, x + NSTATE * (k + 1), NSTATE * sizeof(double)), 0);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/replay");
    TCase *cases = tcase_create("replay");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, the_linearization_belongs_to_the_trajectory);
    tcase_add_test(cases, the_physical_replay_is_a_loop_of_steps_to_the_bit);
    tcase_add_test(cases, the_fine_replay_follows_the_plan_at_a_tenth_of_the_step);
    tcase_add_test(cases, a_replay_that_fails_meets_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
