// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Trajectories against plain loops of steps: from controls, under a policy, abandoned, failed, and linearized.

#include "trajopt/scenes.h"

#include "step/sim.h"
#include "trajopt/plan.h"

enum { STEPS = 50, NSTATE = 19, NX = 18, NU = 3 };

// a push whose pusher runs into the box, under the physical law; controls within the limits, some at them
static void open_rollout(push *p)
{
    open_push(p, -0.075, 0.005, 0.05, 0, 0);
    p->task.x0[12] = 0.1, p->task.x0[17] = 0.2;
    trx_stage physical = physical_stage();
    p->task.problem.stages = &physical, p->task.problem.nstage = 1;
    p->plan = make_plan(p->context, &p->task.problem, trx_plan_settings_default());
    p->task.problem.stages = NULL;
    double *u = p->plan->work.current->u;
    for (int k = 0; k < STEPS; k++) {
        u[NU * k] = k < 10 ? 20 : 2 * trxi_random_normal(1, (uint64_t)k);
        u[NU * k + 1] = trxi_random_normal(2, (uint64_t)k);
        u[NU * k + 2] = 0;
    }
}

// an independent simulator with the settings of the plan
static trx_sim *make_sim(const push *p)
{
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(p->context, p->model, &p->plan->sim_settings, &sim), TRX_OK);
    return sim;
}

static double cost_at(const push *p, int knot, const double *x, const double *u)
{
    double cost;
    ck_assert_int_eq(trx_plan_cost(p->plan, knot, x, u, &cost, NULL, NULL, NULL, NULL, NULL), TRX_OK);
    return cost;
}

START_TEST(a_rollout_is_a_loop_of_steps)
{
    push p;
    open_rollout(&p);
    trxi_trajectory *t = p.plan->work.current;
    ck_assert_int_eq(trxi_rollout_controls(&p.plan->rollout, false, INFINITY, t, NULL), TRX_OK);
    trx_sim *sim = make_sim(&p);
    double x[NSTATE], sum = 0;
    memcpy(x, p.task.x0, sizeof x);
    for (int k = 0; k < STEPS; k++) {
        ck_assert_int_eq(memcmp(x, t->x + NSTATE * k, sizeof x), 0);
        sum += cost_at(&p, k, x, t->u + NU * k);
        ck_assert_int_ge(trx_step(sim, x, t->u + NU * k, x), TRX_OK);
    }
    ck_assert_int_eq(memcmp(x, t->x + NSTATE * STEPS, sizeof x), 0);
    assert_close(t->cost, sum + cost_at(&p, STEPS, x, NULL), 1e-13 * sum);
    ck_assert(x[0] > 0.01);

    // a rollout whose solves start at their solutions gives the same trajectory, up to the tolerance of the solves
    double before[NSTATE];
    memcpy(before, x, sizeof before);
    ck_assert_int_eq(trxi_rollout_controls(&p.plan->rollout, true, INFINITY, t, NULL), TRX_OK);
    assert_below(max_difference(t->x + NSTATE * STEPS, before, NSTATE), 1e-7);
    trx_sim_destroy(sim);
    close_push(&p);
}
END_TEST

// random gains and steps, small enough to stay near the reference
static void fill_policy(trxi_policy *policy, double scale)
{
    for (int i = 0; i < NU * STEPS; i++) policy->k[i] = scale * trxi_random_normal(3, (uint64_t)i);
    for (int i = 0; i < NU * NX * STEPS; i++) policy->K[i] = trxi_random_normal(4, (uint64_t)i);
}

START_TEST(a_policy_without_a_step_reproduces_its_reference)
{
    push p;
    open_rollout(&p);
    trxi_workspace *s = &p.plan->work;
    fill_policy(&s->policy, 5);
    ck_assert_int_eq(trxi_rollout_controls(&p.plan->rollout, false, INFINITY, s->current, NULL), TRX_OK);
    ck_assert_int_eq(trxi_rollout_policy(&p.plan->rollout, s->current, &s->policy, 0, INFINITY, s->trial, NULL), TRX_OK);
    assert_below(max_difference(s->trial->u, s->current->u, NU * STEPS), 1e-6);
    assert_below(max_difference(s->trial->x, s->current->x, NSTATE * (STEPS + 1)), 1e-6);
    assert_close(s->trial->cost, s->current->cost, 1e-6 * s->current->cost);
    close_push(&p);
}
END_TEST

START_TEST(a_policy_adds_step_and_feedback_within_the_limits)
{
    push p;
    open_rollout(&p);
    trxi_workspace *s = &p.plan->work;
    const double alpha = 0.25;
    fill_policy(&s->policy, 4);
    ck_assert_int_eq(trxi_rollout_controls(&p.plan->rollout, false, INFINITY, s->current, NULL), TRX_OK);
    ck_assert_int_eq(trxi_rollout_policy(&p.plan->rollout, s->current, &s->policy, alpha, INFINITY, s->trial, NULL), TRX_OK);
    int clamped = 0;
    for (int k = 0; k < STEPS; k++) {
        const double *x = s->trial->x + NSTATE * k, *ref = s->current->x + NSTATE * k;
        double dx[NX];
        trx_model_difference(p.model, x, ref, dx);
        for (int i = 0; i < 9; i++) dx[9 + i] = x[10 + i] - ref[10 + i];
        for (int i = 0; i < NU; i++) {
            double u = s->current->u[NU * k + i] + alpha * s->policy.k[NU * k + i];
            for (int j = 0; j < NX; j++) u += s->policy.K[NU * NX * k + NU * j + i] * dx[j];
            clamped += fabs(u) > 20;
            assert_close(s->trial->u[NU * k + i], fmin(fmax(u, -20), 20), 1e-12);
        }
    }
    ck_assert_int_gt(clamped, 3);
    ck_assert(max_difference(s->trial->x, s->current->x, NSTATE * (STEPS + 1)) > 1e-3);
    close_push(&p);
}
END_TEST

START_TEST(solves_start_at_the_prediction_of_the_linear_model_and_end_where_they_would)
{
    push p;
    open_rollout(&p);
    trxi_workspace *s = &p.plan->work;
    trxi_rollout *r = &p.plan->rollout;
    double x[NSTATE * (STEPS + 1)];
    fill_policy(&s->policy, 0.1);
    memset(s->policy.K, 0, NU * NX * STEPS * sizeof(double));
    ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->current, NULL), TRX_OK);
    ck_assert_int_eq(trxi_rollout_linearize(r, s->current, &s->ocp), TRX_OK);
    ck_assert_ptr_null(s->policy.ocp);
    ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, INFINITY, s->trial, NULL), TRX_OK);
    memcpy(x, s->trial->x, sizeof x);
    s->policy.ocp = &s->ocp;
    ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, INFINITY, s->trial, NULL), TRX_OK);
    double difference = max_difference(s->trial->x, x, NSTATE * (STEPS + 1));
    ck_assert(difference > 0);
    assert_below(difference, 1e-7);

    // the last solve starts at the velocity of the reference plus the change that the linear model predicts
    const trxi_ocp_stage *stage = &s->ocp.stages[STEPS - 1];
    const double *ref = s->current->x + NSTATE * (STEPS - 1), *last = s->trial->x + NSTATE * (STEPS - 1);
    double dx[NX];
    trx_model_difference_state(p.model, last, ref, dx);
    for (int i = 0; i < 9; i++) {
        double v = ref[NSTATE + 10 + i];
        for (int j = 0; j < NU; j++) v += stage->B[9 + i + NX * j] * s->policy.k[NU * (STEPS - 1) + j];
        for (int j = 0; j < NX; j++) v += stage->A[9 + i + NX * j] * dx[j];
        assert_close(r->v_start[i], v, 1e-9);
    }
    close_push(&p);
}
END_TEST

START_TEST(a_rollout_that_cannot_win_is_abandoned)
{
    push p;
    open_rollout(&p);
    trxi_workspace *s = &p.plan->work;
    trxi_rollout *r = &p.plan->rollout;
    fill_policy(&s->policy, 1);
    ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->current, NULL), TRX_OK);
    ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, INFINITY, s->trial, NULL), TRX_OK);
    double cost = s->trial->cost;
    ck_assert(isfinite(cost));
    ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, cost * (1 + 1e-12), s->trial, NULL), TRX_OK);
    ck_assert(s->trial->cost == cost);
    ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, cost, s->trial, NULL), TRX_OK);
    ck_assert(isinf(s->trial->cost));

    // with the cost of the first knot as limit only the step from this knot is simulated
    double first = cost_at(&p, 0, s->trial->x, s->trial->u), marker = 12345;
    s->trial->x[2 * NSTATE] = marker;
    ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, first, s->trial, NULL), TRX_OK);
    ck_assert(isinf(s->trial->cost) && s->trial->x[2 * NSTATE] == marker);

    // the same from controls
    const double held = s->current->cost;
    ck_assert_int_eq(trxi_rollout_controls(r, false, held * (1 + 1e-12), s->current, NULL), TRX_OK);
    ck_assert(s->current->cost == held);
    s->current->x[2 * NSTATE] = marker;
    ck_assert_int_eq(trxi_rollout_controls(r, false, cost_at(&p, 0, s->current->x, s->current->u), s->current, NULL), TRX_OK);
    ck_assert(isinf(s->current->cost) && s->current->x[2 * NSTATE] == marker);
    close_push(&p);
}
END_TEST

// a tick of a controller once exceeded its deadline by a whole linearization
START_TEST(after_the_deadline_nothing_is_linearized_and_only_a_rollout_without_a_cost_to_beat_goes_on)
{
    push p;
    open_rollout(&p);
    trxi_workspace *s = &p.plan->work;
    trxi_rollout *r = &p.plan->rollout;
    fill_policy(&s->policy, 1);
    ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->current, &s->ocp), TRX_OK);
    const double cost = s->current->cost, marker = 12345;
    ck_assert(r->linearized);

    // passed: linearizations stop before their first knot
    r->deadline = 0;
    s->ocp.stages[0].A[0] = marker;
    ck_assert_int_eq(trxi_rollout_linearize(r, s->current, &s->ocp), TRX_TIME_LIMIT);
    ck_assert(s->ocp.stages[0].A[0] == marker);
    ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->current, &s->ocp), TRX_OK);
    ck_assert(!r->linearized && s->current->cost == cost && s->ocp.stages[0].A[0] == marker);
    ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, INFINITY, s->trial, &s->ocp), TRX_OK);
    ck_assert(!r->linearized && isfinite(s->trial->cost));

    // rollouts with a cost to beat stop after their first step
    s->trial->x[2 * NSTATE] = marker;
    ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, 1e9, s->trial, NULL), TRX_OK);
    ck_assert(isinf(s->trial->cost) && s->trial->x[2 * NSTATE] == marker);
    s->current->x[2 * NSTATE] = marker;
    ck_assert_int_eq(trxi_rollout_controls(r, false, 1e9, s->current, NULL), TRX_OK);
    ck_assert(isinf(s->current->cost) && s->current->x[2 * NSTATE] == marker);

    // far ahead: nothing changes
    r->deadline = trx_clock() + 1e6;
    ck_assert_int_eq(trxi_rollout_controls(r, false, 2 * cost, s->current, &s->ocp), TRX_OK);
    ck_assert(r->linearized && s->current->cost == cost && s->ocp.stages[0].A[0] != marker);
    ck_assert_int_eq(trxi_rollout_linearize(r, s->current, &s->ocp), TRX_OK);
    close_push(&p);
}
END_TEST

START_TEST(a_failed_step_is_reported)
{
    // one Newton iteration is enough until the pusher meets the box
    push p;
    open_push(&p, -0.11, 0, 0.05, 0, 0);
    p.task.x0[16] = 1, p.task.x0[2] = 1, p.task.x0[9] = 0.95;
    p.task.problem.sim.max_iterations = 1;
    p.plan = make_plan(p.context, &p.task.problem, trx_plan_settings_default());
    ck_assert_int_ge(trxi_stage_apply(p.plan, &(trx_stage){.physical = true}), 0);
    trx_sim *sim = make_sim(&p);
    double x[NSTATE];
    const double u[NU] = {0};
    int failing = 0;
    memcpy(x, p.task.x0, sizeof x);
    trx_status status = trx_step(sim, x, u, x);
    for (; status >= 0 && failing < STEPS; status = trx_step(sim, x, u, x)) failing++;
    ck_assert(failing > 0 && failing < STEPS);

    trxi_rollout *r = &p.plan->rollout;
    trxi_workspace *s = &p.plan->work;
    memset(s->current->u, 0, NU * STEPS * sizeof(double));
    fill_policy(&s->policy, 0);
    ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->current, NULL), status);
    ck_assert_int_eq(r->failed_knot, failing);

    // the reference stays at its last state, so that solves from it do not succeed
    for (int k = failing; k < STEPS; k++)
        memcpy(s->current->x + NSTATE * (k + 1), s->current->x + NSTATE * k, NSTATE * sizeof(double));
    r->failed_knot = -1;
    ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, INFINITY, s->trial, NULL), status);
    ck_assert_int_eq(r->failed_knot, failing);
    ck_assert(isinf(s->trial->cost));
    r->failed_knot = -1;
    ck_assert_int_eq(trxi_rollout_linearize(r, s->current, &s->ocp), status);
    ck_assert_int_eq(r->failed_knot, failing);
    trx_sim_destroy(sim);
    close_push(&p);
}
END_TEST

START_TEST(a_linearization_has_the_derivatives_of_every_knot)
{
    push p;
    open_rollout(&p);
    trxi_workspace *s = &p.plan->work;
    ck_assert_int_eq(trxi_rollout_controls(&p.plan->rollout, false, INFINITY, s->current, NULL), TRX_OK);
    ck_assert_int_eq(trxi_rollout_linearize(&p.plan->rollout, s->current, &s->ocp), TRX_OK);
    trx_sim *sim = make_sim(&p);
    double l_x[STEPS + 1][NX], l_u[STEPS][NU], du[STEPS][2 * NU];
    for (int k = 0; k <= STEPS; k++) memcpy(l_x[k], s->ocp.stages[k].q, sizeof l_x[k]);
    for (int k = 0; k < STEPS; k++) {
        const trxi_ocp_stage *stage = &s->ocp.stages[k];
        memcpy(l_u[k], stage->r, sizeof l_u[k]);
        for (int i = 0; i < NU; i++) du[k][i] = stage->u_lower[i], du[k][NU + i] = stage->u_upper[i];
    }
    for (int k = 0; k <= STEPS; k++) {
        double A[NX * NX], B[NX * NU], expected[NX], expected_u[NU];
        const double *x = s->current->x + NSTATE * k, *u = k < STEPS ? s->current->u + NU * k : NULL;
        ck_assert_int_eq(trx_plan_cost(p.plan, k, x, u, NULL, expected, expected_u, NULL, NULL, NULL), TRX_OK);
        ck_assert(max_difference(l_x[k], expected, NX) == 0);
        if (k == STEPS) break;
        ck_assert(max_difference(l_u[k], expected_u, NU) == 0);
        for (int i = 0; i < NU; i++) ck_assert(du[k][i] == -20 - u[i] && du[k][NU + i] == 20 - u[i]);
        ck_assert_int_ge(trx_step(sim, x, u, NULL), TRX_OK);
        ck_assert_int_eq(trx_step_jac(sim, A, B), TRX_OK);
        const trxi_ocp_stage *stage = &s->ocp.stages[k];
        assert_below(max_difference(stage->B, B, NX * NU), 1e-6 * max_magnitude(B, NX * NU));
        assert_below(max_difference(stage->A, A, NX * NX), 1e-6 * max_magnitude(A, NX * NX));
    }
    trx_sim_destroy(sim);
    close_push(&p);
}
END_TEST

// a free body with a ball and a chain beside it, under a scheme, linearized about random controls by a number of threads
static trx_plan *linearized_mixed(mixed_scene *f, trx_scheme scheme, int threads)
{
    static const double ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const trx_cost_term terms[3] = {{.name = "q", .quantity = TRX_POSITION, .target = f->x, .weight = ones},
                                    {.name = "v", .quantity = TRX_VELOCITY, .weight = ones},
                                    {.name = "u", .quantity = TRX_CONTROL, .weight = ones}};
    const trx_stage physical = physical_stage();
    trx_plan_settings settings = trx_plan_settings_default();
    settings.threads = threads;
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = f->model, problem.steps = STEPS, problem.x0 = f->x0;
    problem.terms = terms, problem.nterm = 3;
    problem.stages = &physical, problem.nstage = 1;
    problem.sim.scheme = scheme;
    problem.sim.theta = 0.8, problem.sim.theta_vq = 0.6;
    trx_plan *plan = make_plan(f->context, &problem, settings);
    trxi_workspace *s = &plan->work;
    for (int i = 0; i < 2 * STEPS; i++) s->current->u[i] = trxi_random_normal(5, (uint64_t)i);
    ck_assert_int_eq(trxi_rollout_controls(&plan->rollout, false, INFINITY, s->current, NULL), TRX_OK);
    ck_assert_int_eq(trxi_rollout_linearize(&plan->rollout, s->current, &s->ocp), TRX_OK);
    return plan;
}

enum { MIXED_X = 24, MIXED_GAINS = 2 * MIXED_X * STEPS, MIXED_SWEEP = MIXED_GAINS + MIXED_X + MIXED_X * MIXED_X };

// all gains, V_x and the lower triangle of V_xx at knot 0
static void sweep_mixed(trx_plan *plan, double *out)
{
    const double scale[2] = {1, 1};
    trxi_workspace *s = &plan->work;
    ck_assert(trxi_riccati_sweep(&s->ocp, 0.01, scale, &s->riccati, &s->policy));
    memset(out, 0, MIXED_SWEEP * sizeof *out);
    memcpy(out, s->policy.K, MIXED_GAINS * sizeof *out);
    memcpy(out + MIXED_GAINS, s->riccati.V_x, MIXED_X * sizeof *out);
    const double *V_xx = s->riccati.V;
    ck_assert_int_eq(s->riccati.ldv, 2 + MIXED_X);
    for (int j = 0; j < MIXED_X; j++)
        for (int i = j; i < MIXED_X; i++)
            out[MIXED_GAINS + MIXED_X * (1 + j) + i] = V_xx[i + (2 + MIXED_X) * j];
}

START_TEST(a_linearization_tells_how_positions_follow_in_every_scheme_for_every_number_of_threads)
{
    static double swept[4][MIXED_SWEEP];
    static const trx_scheme schemes[4] = {TRX_SYMPLECTIC, TRX_IMPLICIT, TRX_MIDPOINT, TRX_THETA};
    for (int i = 0; i < 4; i++) {
        mixed_scene f = open_mixed();
        for (int t = 0; t < 2; t++) {
            trx_plan *plan = linearized_mixed(&f, schemes[i], 1 + 2 * t);
            trxi_position_rows *rows = &plan->work.ocp.positions;
            ck_assert(rows->count == 12 && rows->nball == 2);
            sweep_mixed(plan, swept[t]);
            rows->count = 0;
            sweep_mixed(plan, swept[2]);

            // a wrong map would be seen
            rows->count = 12;
            trxi_ocp_ball_maps(rows, 12, 1)[9 * TRXI_MAP_S + 1] += 1e-3;
            sweep_mixed(plan, swept[3]);
            const double size = max_magnitude(swept[2], MIXED_SWEEP);
            assert_below(max_difference(swept[t], swept[2], MIXED_SWEEP), 1e-12 * size);
            ck_assert(max_difference(swept[t], swept[3], MIXED_SWEEP) > 1e-6 * size);
            assert_below(max_difference(swept[t], swept[2], MIXED_GAINS), 1e-12 * max_magnitude(swept[2], MIXED_GAINS));
            trx_plan_destroy(plan);
        }
        ck_assert_int_eq(memcmp(swept[0], swept[1], sizeof swept[0]), 0);
        close_mixed(&f);
    }
}
END_TEST

static void assert_same_numbers(const double *a, const double *b, size_t count)
{
    ck_assert_int_eq(memcmp(a, b, count * sizeof *a), 0);
}

static void assert_same_bits(const trxi_ocp *a, const trxi_ocp *b)
{
    const size_t maps = TRXI_BALL_MAPS * (size_t)a->positions.nball * STEPS;
    ck_assert_int_eq(a->positions.count, b->positions.count);
    assert_same_numbers(a->positions.maps, b->positions.maps, maps);
    for (int k = 0; k <= STEPS; k++) {
        const trxi_ocp_stage *s = &a->stages[k], *t = &b->stages[k];
        const size_t nx = (size_t)s->nx, nu = (size_t)s->nu;
        if (k < STEPS) assert_same_numbers(s->B, t->B, nx * (nu + nx));
        assert_same_numbers(s->q, t->q, nx);
        if (k < STEPS) assert_same_numbers(s->r, t->r, nu);
        if (k < STEPS) assert_same_numbers(s->u_lower, t->u_lower, nu);
        if (k < STEPS) assert_same_numbers(s->u_upper, t->u_upper, nu);
        for (size_t j = 0; j < nx; j++) assert_same_numbers(s->Q + nx * j + j, t->Q + nx * j + j, nx - j);
    }
}

START_TEST(a_rollout_that_is_linearized_on_the_way_gives_the_bits_of_one_that_is_afterwards)
{
    static const double tolerances[3] = {1e-6, 1e-12, 0};
    for (int i = 0; i < 3; i++) {
        push p;
        open_rollout(&p);
        trxi_workspace *s = &p.plan->work;
        trxi_rollout *r = &p.plan->rollout;
        trx_sim_settings settings = trx_sim_get_settings(p.plan->sim);
        settings.tolerance = tolerances[i];
        ck_assert_int_eq(trx_sim_set_settings(p.plan->sim, &settings), TRX_OK);
        ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->current, NULL), TRX_OK);
        ck_assert_int_eq(trxi_rollout_linearize(r, s->current, &s->ocp), TRX_OK);
        ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->trial, NULL), TRX_OK);
        memcpy(s->trial->u, s->current->u, NU * STEPS * sizeof(double));
        ck_assert_int_eq(trxi_rollout_controls(r, false, INFINITY, s->trial, &s->next), TRX_OK);
        ck_assert(r->linearized);
        ck_assert_int_eq(memcmp(s->trial->x, s->current->x, NSTATE * (STEPS + 1) * sizeof(double)), 0);
        assert_same_bits(&s->ocp, &s->next);

        // under a policy, whose solves begin at other velocities
        fill_policy(&s->policy, 1);
        s->policy.ocp = &s->ocp;
        ck_assert_int_eq(trxi_rollout_policy(r, s->current, &s->policy, 1, INFINITY, s->trial, &s->next), TRX_OK);
        ck_assert(r->linearized && max_difference(s->trial->x, s->current->x, NSTATE * (STEPS + 1)) > 1e-6);
        s->policy.ocp = NULL;
        ck_assert_int_eq(trxi_rollout_linearize(r, s->trial, &s->ocp), TRX_OK);
        assert_same_bits(&s->ocp, &s->next);
        close_push(&p);
    }
    static const trx_scheme schemes[4] = {TRX_SYMPLECTIC, TRX_IMPLICIT, TRX_MIDPOINT, TRX_THETA};
    for (int i = 0; i < 8; i++) {
        mixed_scene f = open_mixed();
        trx_plan *plan = linearized_mixed(&f, schemes[i / 2], i % 2 ? 3 : 1);
        trxi_workspace *s = &plan->work;
        ck_assert_int_eq(trxi_rollout_controls(&plan->rollout, false, INFINITY, s->current, &s->next), TRX_OK);
        ck_assert(plan->rollout.linearized);
        assert_same_bits(&s->ocp, &s->next);
        trx_plan_destroy(plan);
        close_mixed(&f);
    }
}
END_TEST

START_TEST(a_difference_of_states_is_one_of_configurations_and_velocities)
{
    mixed_scene f = open_mixed();
    double dx[32], dq[32], back[64];
    int nq = f.size.nq, nv = f.size.nv;
    trx_model_difference_state(f.model, f.x, f.x0, dx);
    trx_model_difference(f.model, f.x, f.x0, dq);
    ck_assert(max_difference(dx, dq, nv) == 0);
    for (int i = 0; i < nv; i++) assert_close(dx[nv + i], f.x[nq + i] - f.x0[nq + i], 0);
    trx_model_integrate(f.model, f.x0, dx, back);
    trx_model_difference_state(f.model, f.x, f.x, dx);
    assert_below(max_magnitude(dx, 2 * nv), 1e-15);
    trx_model_difference(f.model, back, f.x, dq);
    assert_below(max_magnitude(dq, nv), 1e-14);
    close_mixed(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/rollout");
    TCase *cases = tcase_create("rollout");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_rollout_is_a_loop_of_steps);
    tcase_add_test(cases, a_policy_without_a_step_reproduces_its_reference);
    tcase_add_test(cases, a_policy_adds_step_and_feedback_within_the_limits);
    tcase_add_test(cases, solves_start_at_the_prediction_of_the_linear_model_and_end_where_they_would);
    tcase_add_test(cases, a_rollout_that_cannot_win_is_abandoned);
    tcase_add_test(cases, after_the_deadline_nothing_is_linearized_and_only_a_rollout_without_a_cost_to_beat_goes_on);
    tcase_add_test(cases, a_failed_step_is_reported);
    tcase_add_test(cases, a_linearization_has_the_derivatives_of_every_knot);
    tcase_add_test(cases, a_linearization_tells_how_positions_follow_in_every_scheme_for_every_number_of_threads);
    tcase_add_test(cases, a_rollout_that_is_linearized_on_the_way_gives_the_bits_of_one_that_is_afterwards);
    tcase_add_test(cases, a_difference_of_states_is_one_of_configurations_and_velocities);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
