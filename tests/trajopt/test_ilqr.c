// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// iLQR without contact: linear systems, a swing-up, control limits, and every way a stage can end.

#include "trajopt/scenes.h"

#include "math/dense.h"

enum { CARTS_STEPS = 30 };

// two carts in series on an oblique rail, with springs and dampers; a force on each: linear dynamics with a
// full mass matrix
static trx_model *carts_model(trx_context *context, double limit)
{
    trx_joint_def slides[2] = {joint_of("a", TRX_JOINT_SLIDE, 3, 0, 4), joint_of("b", TRX_JOINT_SLIDE, 3, 0, 4)};
    trx_body_def carts[2] = {trx_body_def_default(), trx_body_def_default()};
    for (int i = 0; i < 2; i++) {
        slides[i].stiffness = 5 + 20 * i, slides[i].damping = 0.5 + i;
        carts[i].name = i ? "second" : "first";
        carts[i].joints = &slides[i], carts[i].njoint = 1;
        carts[i].has_inertia = true, carts[i].inertia.mass = 1 + i;
    }
    carts[1].parent = 0;
    trx_actuator_def motors[2] = {trx_actuator_def_default(), trx_actuator_def_default()};
    motors[0].body = 0, motors[0].joint = 0;
    motors[1].body = 1, motors[1].joint = 0;
    for (int i = 0; i < 2; i++) motors[i].lower = -limit, motors[i].upper = limit;
    trx_model_def def = trx_model_def_default();
    def.bodies = carts, def.nbody = 2;
    def.actuators = motors, def.nactuator = 2;
    return build_model(context, &def);
}

// a regulation problem of the carts with all weights in place
static trx_plan *carts_plan(trx_context *context, const trx_model *model)
{
    static const double x0[4] = {0.3, -0.2, 1, 0.5}, q_goal[2] = {1, 0.2}, w_q[2] = {3, 5}, w_v[2] = {0.1, 0.2};
    static const double w_end[2] = {50, 80}, w_u[2] = {0.02, 0.05};
    const trx_cost_term terms[4] = {
        {.quantity = TRX_POSITION, .target = q_goal, .weight = w_q},
        {.quantity = TRX_VELOCITY, .weight = w_v, .time = TRX_ALL},
        {.quantity = TRX_POSITION, .target = q_goal, .weight = w_end, .time = TRX_END},
        {.quantity = TRX_CONTROL, .weight = w_u},
    };
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = model, problem.steps = CARTS_STEPS, problem.x0 = x0;
    problem.sim.time_step = 0.02;
    problem.terms = terms, problem.nterm = 4;
    trx_plan_settings settings = trx_plan_settings_default();
    settings.tolerance = 1e-12;
    trx_plan *plan;
    ck_assert_msg(trx_plan_create(context, &problem, &settings, &plan) == TRX_OK, "%s", trx_context_message(context));
    return plan;
}

// residuals of the whole cost, sqrt(weight) included, for given controls: simulated by trx_step, not by the plan
static int stacked_residuals(trx_plan *plan, trx_sim *sim, const double *u, double *r)
{
    double x[4] = {0.3, -0.2, 1, 0.5}, part[2];
    const double w[4][2] = {{3, 5}, {0.1, 0.2}, {50, 80}, {0.02, 0.05}};
    int count = 0;
    for (int k = 0; k <= CARTS_STEPS; k++) {
        bool end = k == CARTS_STEPS;
        for (int term = 0; term < 4; term++) {
            if (end ? term == 0 || term == 3 : term == 2) continue;
            ck_assert_int_eq(trx_plan_residual(plan, term, k, x, u + 2 * (end ? 0 : k), part), TRX_OK);
            for (int i = 0; i < 2; i++) r[count++] = sqrt((end ? 1 : 0.02) * w[term][i]) * part[i];
        }
        if (!end) ck_assert_int_eq(trx_step(sim, x, u + 2 * k, x), TRX_OK);
    }
    return count;
}

START_TEST(a_linear_problem_is_solved_in_one_step)
{
    enum { NU = 2 * CARTS_STEPS, MAX_ROWS = 8 * CARTS_STEPS };
    static double r0[MAX_ROWS], r[MAX_ROWS], J[MAX_ROWS * NU], H[NU * NU];
    trx_context *context = make_context();
    trx_model *model = carts_model(context, INFINITY);
    trx_plan *plan = carts_plan(context, model);
    ck_assert_msg(trx_plan_solve(plan, NULL, NULL) == TRX_OK, "%s", trx_context_message(context));
    trx_plan_info info = trx_plan_get_info(plan);
    ck_assert_int_le(info.iterations, 2);

    // reference: least squares on the affine map from controls to residuals
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = 0.02, settings.tolerance = 1e-12;
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(context, model, &settings, &sim), TRX_OK);
    double u[NU] = {0};
    int rows = stacked_residuals(plan, sim, u, r0);
    for (int j = 0; j < NU; j++) {
        u[j] = 1;
        stacked_residuals(plan, sim, u, r);
        u[j] = 0;
        for (int i = 0; i < rows; i++) J[i + rows * j] = r[i] - r0[i];
    }
    trxi_gemm_tn(NU, NU, rows, 1, J, rows, J, rows, 0, H, NU);
    trxi_gemv_t(rows, NU, -1, J, rows, r0, 0, u);
    ck_assert_int_lt(trxi_cholesky(NU, H, NU), 0);
    trxi_cholesky_solve(NU, H, NU, 1, u, NU);
    assert_below(max_difference(trx_plan_controls(plan), u, NU), 1e-8 * max_magnitude(u, NU));

    rows = stacked_residuals(plan, sim, u, r);
    assert_close(info.cost, trxi_dot(rows, r, r), 1e-10 * info.cost);
    trx_sim_destroy(sim);
    trx_plan_destroy(plan);
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

// a sweep that clamps knot by knot took 3 to 5 iterations here: it clamps feedforwards without regard to the gains
START_TEST(a_linear_problem_within_limits_is_solved_in_one_step)
{
    trx_context *context = make_context();
    for (int share = 1; share <= 8; share++) {
        trx_model *model = carts_model(context, 10.0 * share);
        trx_plan *plan = carts_plan(context, model);
        ck_assert_msg(trx_plan_solve(plan, NULL, NULL) == TRX_OK, "%s", trx_context_message(context));
        ck_assert_int_le(trx_plan_get_info(plan).iterations, 2);
        trx_plan_destroy(plan);
        trx_model_destroy(model);
    }
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_pendulum_swings_up)
{
    swing_up s = make_swing_up(make_context(), INFINITY, 0.01, 200, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    trx_plan_info info = trx_plan_get_info(s.plan);
    ck_assert_int_eq(info.nstage, 1);
    ck_assert_int_lt(info.iterations, 60);
    ck_assert(info.physical.goals[0].met && info.physical.goals[1].met);
    ck_assert(info.fine.status >= 0);
    assert_below(info.fine.goals[0].error, 0.01);
    ck_assert_str_eq(info.message, "");
    close_swing_up(&s);
}
END_TEST

START_TEST(limits_are_respected_and_used)
{
    swing_up s = make_swing_up(make_context(), 3, 0.001, 400, trx_plan_settings_default());
    trx_status status = trx_plan_solve(s.plan, NULL, NULL);
    ck_assert(status == TRX_OK || status == TRX_STALLED);
    trx_plan_info info = trx_plan_get_info(s.plan);
    ck_assert(info.physical.goals[0].met && info.physical.goals[1].met);
    const double *u = trx_plan_controls(s.plan), *K = trx_plan_gains(s.plan);
    int clamped = 0;
    for (int k = 0; k < 400; k++) {
        ck_assert(fabs(u[k]) <= 3);
        if (fabs(u[k]) == 3 && K[2 * k] == 0 && K[2 * k + 1] == 0) clamped++;
    }
    ck_assert_int_gt(clamped, 20);
    close_swing_up(&s);
}
END_TEST

typedef struct table {
    int calls, stop_at;
    double last_cost, last_seconds;
    bool monotone;
} table;

static bool watch(const trx_iteration *line, void *user)
{
    table *t = user;
    if (line->iteration > 0) {
        if (line->cost > t->last_cost || line->seconds < t->last_seconds) t->monotone = false;
        assert_close(line->change, t->last_cost - line->cost, 1e-12 * t->last_cost);
    }
    t->last_cost = line->cost;
    t->last_seconds = line->seconds;
    return ++t->calls != t->stop_at;
}

START_TEST(the_cost_never_rises)
{
    table t = {.monotone = true};
    swing_up s = make_swing_up(make_context(), 4, 0.01, 200, trx_plan_settings_default());
    ck_assert_int_ge(trx_plan_solve(s.plan, watch, &t), TRX_OK);
    ck_assert(t.monotone);
    ck_assert_int_eq(t.calls, trx_plan_get_info(s.plan).iterations + 1);
    assert_close(trx_plan_get_info(s.plan).cost, t.last_cost, 1e-10 * t.last_cost);
    close_swing_up(&s);
}
END_TEST

START_TEST(an_interrupted_solve_keeps_its_best)
{
    table t = {.monotone = true, .stop_at = 4};
    swing_up s = make_swing_up(make_context(), INFINITY, 0.01, 200, trx_plan_settings_default());
    ck_assert_int_eq(trx_plan_solve(s.plan, watch, &t), TRX_INTERRUPTED);
    trx_plan_info info = trx_plan_get_info(s.plan);
    ck_assert_int_eq(info.status, TRX_INTERRUPTED);
    ck_assert_int_eq(t.calls, 4);
    ck_assert_int_eq(info.iterations, 3);
    assert_close(info.physical.cost, t.last_cost, 1e-10 * t.last_cost);
    ck_assert_int_eq(info.physical.status, TRX_OK);
    ck_assert(info.message[0] != '\0');
    close_swing_up(&s);
}
END_TEST

START_TEST(an_iteration_limit_ends_the_stage)
{
    trx_plan_settings settings = trx_plan_settings_default();
    settings.iterations = 2;
    swing_up s = make_swing_up(make_context(), INFINITY, 0.01, 200, settings);
    ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_ITERATION_LIMIT);
    ck_assert_int_eq(trx_plan_get_info(s.plan).iterations, 2);
    ck_assert_int_eq(trx_plan_get_info(s.plan).stages[0].status, TRX_ITERATION_LIMIT);
    close_swing_up(&s);
}
END_TEST

START_TEST(a_time_limit_ends_the_solve)
{
    trx_plan_settings settings = trx_plan_settings_default();
    settings.time_limit = 1e-9;
    swing_up s = make_swing_up(make_context(), INFINITY, 0.01, 200, settings);
    ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_TIME_LIMIT);
    trx_plan_info info = trx_plan_get_info(s.plan);
    ck_assert_int_le(info.iterations, 1);
    ck_assert_int_eq(info.physical.status, TRX_OK);
    ck_assert(isfinite(info.cost));
    close_swing_up(&s);
}
END_TEST

START_TEST(controls_without_cost_or_effect_are_damped)
{
    // no cost at all: nothing to do, and Q_uu = 0 does not stop the sweep
    swing_up s = make_swing_up(make_context(), INFINITY, 0, 5, trx_plan_settings_default());
    trx_plan_destroy(s.plan);
    static const double x0[2] = {1, 0};
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    problem.model = s.model, problem.steps = 5, problem.x0 = x0;
    ck_assert_int_eq(trx_plan_create(s.context, &problem, &settings, &s.plan), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    ck_assert(trx_plan_get_info(s.plan).cost == 0);
    close_swing_up(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/ilqr");
    TCase *cases = tcase_create("ilqr");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_linear_problem_is_solved_in_one_step);
    tcase_add_test(cases, a_linear_problem_within_limits_is_solved_in_one_step);
    tcase_add_test(cases, a_pendulum_swings_up);
    tcase_add_test(cases, limits_are_respected_and_used);
    tcase_add_test(cases, the_cost_never_rises);
    tcase_add_test(cases, an_interrupted_solve_keeps_its_best);
    tcase_add_test(cases, an_iteration_limit_ends_the_stage);
    tcase_add_test(cases, a_time_limit_ends_the_solve);
    tcase_add_test(cases, controls_without_cost_or_effect_are_damped);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
