// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// iLQR without contact: linear systems, a swing-up, control limits, and every way a solve can end.

#include "trajopt/scenes.h"

#include "math/dense.h"

#include <string.h>

enum { CARTS_STEPS = 30 };

// two carts in series on an oblique rail, with springs and dampers; a force on each: linear dynamics with a
// full mass matrix
static trx_model *carts_model(trx_context *context)
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
    trx_model *model = carts_model(context);
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

typedef struct swing_up {
    trx_context *context;
    trx_model *model;
    trx_plan *plan;
} swing_up;

// from hanging to upright; goals 0.01 rad, 0.02 rad/s
static swing_up make_swing_up(trx_context *context, double limit, double weight, int steps, trx_plan_settings settings)
{
    static const double upright[2] = {3.14159265358979323846, 0}, x0[2] = {0, 0}, w_v[1] = {0.01}, w_end[1] = {100};
    const trx_cost_term terms[4] = {
        {.name = "v", .quantity = TRX_VELOCITY, .weight = w_v},
        {.name = "theta", .quantity = TRX_POSITION, .target = upright, .weight = w_end, .time = TRX_END,
         .tolerance = 0.01},
        {.name = "rate", .quantity = TRX_VELOCITY, .weight = w_end, .time = TRX_END, .tolerance = 0.02},
        {.name = "u", .quantity = TRX_CONTROL, .weight = &weight},
    };
    swing_up s = {.context = context, .model = pendulum_model(context, limit)};
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = s.model, problem.steps = steps, problem.x0 = x0;
    problem.terms = terms, problem.nterm = 4;
    ck_assert_msg(trx_plan_create(context, &problem, &settings, &s.plan) == TRX_OK, "%s", trx_context_message(context));
    return s;
}

static void release(swing_up *s)
{
    trx_plan_destroy(s->plan);
    trx_model_destroy(s->model);
    trx_context_destroy(s->context);
}

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
    release(&s);
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
    release(&s);
}
END_TEST

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
    release(&s);
}
END_TEST

START_TEST(two_solves_give_the_same_bits)
{
    swing_up s = make_swing_up(make_context(), 4, 0.01, 200, trx_plan_settings_default());
    double first[200];
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    memcpy(first, trx_plan_controls(s.plan), sizeof first);
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(memcmp(first, trx_plan_controls(s.plan), sizeof first), 0);
    release(&s);
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
    release(&s);
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
    release(&s);
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
    release(&s);
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
    release(&s);
}
END_TEST

START_TEST(weights_that_overflow_are_named)
{
    swing_up s = make_swing_up(make_context(), INFINITY, 1e308, 5, trx_plan_settings_default());
    trx_plan_destroy(s.plan);
    static const double x0[2] = {0, 0}, w[1] = {1e308};
    const trx_cost_term rest = {.quantity = TRX_VELOCITY, .weight = w, .time = TRX_ALL};
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    problem.model = s.model, problem.steps = 5, problem.x0 = x0, problem.terms = &rest, problem.nterm = 1;
    ck_assert_int_eq(trx_plan_create(s.context, &problem, &settings, &s.plan), TRX_OK);
    ck_assert_int_eq(trx_plan_solve(s.plan, NULL, NULL), TRX_ERR_NOT_PD);
    ck_assert_ptr_nonnull(strstr(trx_plan_get_info(s.plan).message, "Q_uu is not finite at knot 4"));
    ck_assert_str_eq(trx_context_message(s.context), trx_plan_get_info(s.plan).message);
    release(&s);
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
    release(&s);
}
END_TEST

START_TEST(a_solve_allocates_nothing)
{
    counting_allocator counter = {0};
    trx_context_settings settings = counting_settings(&counter);
    trx_context *context;
    ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
    swing_up s = make_swing_up(context, 4, 0.01, 100, trx_plan_settings_default());
    int before = counter.calls;
    ck_assert_int_ge(trx_plan_solve(s.plan, NULL, NULL), TRX_OK);
    ck_assert_int_eq(counter.calls, before);
    release(&s);
    ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

START_TEST(creation_survives_every_failed_allocation)
{
    trx_context *builder = make_context();
    trx_model *model = push_model(builder);
    push_task task;
    push_task_init(&task, model, -0.1, 0, (double[3]){0.1, 0, 0});
    trx_plan_settings settings = trx_plan_settings_default();
    bool created = false;
    for (int k = 2; !created; k++) {
        counting_allocator counter = {.fail_at = k};
        trx_context_settings counting = counting_settings(&counter);
        trx_context *context;
        ck_assert_int_eq(trx_context_create(&counting, &context), TRX_OK);
        trx_plan *plan;
        trx_status status = trx_plan_create(context, &task.problem, &settings, &plan);
        created = status == TRX_OK;
        if (!created) {
            ck_assert_int_eq(status, TRX_ERR_MEMORY);
            ck_assert_ptr_null(plan);
            ck_assert_ptr_nonnull(strstr(trx_context_message(context), "out of memory"));
        }
        trx_plan_destroy(plan);
        trx_context_destroy(context);
        ck_assert_int_eq(counter.outstanding, 0);
    }
    trx_model_destroy(model);
    trx_context_destroy(builder);
}
END_TEST

// one field of a valid problem made wrong, and a word of the message
typedef struct mistake {
    const char *word;
    void (*make)(trx_plan_problem *problem, trx_plan_settings *settings, trx_cost_term *term, double *numbers);
} mistake;

#define MISTAKE(name, statement)                                                                                       \
    static void name(trx_plan_problem *problem, trx_plan_settings *settings, trx_cost_term *term, double *numbers)     \
    {                                                                                                                  \
        (void)problem, (void)settings, (void)term, (void)numbers;                                                      \
        statement;                                                                                                     \
    }
MISTAKE(zero_problem, problem->size = 0)
MISTAKE(zero_settings, settings->size = 0)
MISTAKE(no_model, problem->model = NULL)
MISTAKE(no_steps, problem->steps = 0)
MISTAKE(many_steps, problem->steps = 2000000000)
MISTAKE(no_start, problem->x0 = NULL)
MISTAKE(infinite_start, numbers[0] = INFINITY; problem->x0 = numbers)
MISTAKE(infinite_guess, numbers[1] = NAN; problem->u_guess = numbers)
MISTAKE(no_terms, problem->terms = NULL)
MISTAKE(no_weight, term->weight = NULL)
MISTAKE(negative_weight, numbers[0] = -1; term->weight = numbers)
MISTAKE(infinite_weight, numbers[0] = INFINITY; term->weight = numbers)
MISTAKE(infinite_target, numbers[0] = NAN; term->target = numbers)
MISTAKE(short_stride, term->target = numbers; term->target_stride = -1)
MISTAKE(wrong_tolerance, term->tolerance = -1)
MISTAKE(wrong_quantity, term->quantity = (trx_quantity)99)
MISTAKE(wrong_time, term->time = (trx_term_time)7)
MISTAKE(control_at_end, term->quantity = TRX_CONTROL; term->time = TRX_END)
MISTAKE(wrong_body, term->quantity = TRX_BODY_SPIN; term->index = 1)
MISTAKE(wrong_frame, term->quantity = TRX_FRAME_SPIN; term->index = 0)
MISTAKE(no_joints, term->quantity = TRX_JOINT_POSITION)
MISTAKE(zero_quaternion, term->quantity = TRX_BODY_ORIENTATION; term->target = numbers)
MISTAKE(no_iterations, settings->iterations = 0)
MISTAKE(no_tolerance, settings->tolerance = 0)
MISTAKE(no_time, settings->time_limit = 0)

START_TEST(wrong_input_is_refused_by_name)
{
    const mistake mistakes[] = {
        {"trx_plan_problem_default", zero_problem}, {"trx_plan_settings_default", zero_settings}, {"model", no_model},
        {"steps", no_steps}, {"too large", many_steps}, {"x0", no_start}, {"x0", infinite_start},
        {"u_guess", infinite_guess}, {"terms", no_terms}, {"weight is NULL", no_weight}, {">= 0", negative_weight},
        {"finite", infinite_weight}, {"target", infinite_target}, {"target_stride", short_stride},
        {"tolerance", wrong_tolerance}, {"quantity", wrong_quantity}, {"time", wrong_time},
        {"no value at the end", control_at_end}, {"no such body", wrong_body}, {"no such frame", wrong_frame},
        {"at least one joint", no_joints}, {"quaternion", zero_quaternion}, {"iterations", no_iterations},
        {"tolerance", no_tolerance}, {"time_limit", no_time},
    };
    trx_context *context = make_context();
    trx_model *model = pendulum_model(context, INFINITY);
    const double x0[2] = {0, 0}, w[3] = {1, 1, 1};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        double numbers[16] = {0};
        trx_cost_term term = {.name = "swing", .quantity = TRX_POSITION, .weight = w};
        trx_plan_problem problem = trx_plan_problem_default();
        trx_plan_settings settings = trx_plan_settings_default();
        problem.model = model, problem.steps = 3, problem.x0 = x0, problem.terms = &term, problem.nterm = 1;
        mistakes[i].make(&problem, &settings, &term, numbers);
        trx_plan *plan;
        trx_status status = trx_plan_create(context, &problem, &settings, &plan);
        ck_assert_msg(status == TRX_ERR_ARGUMENT || status == TRX_ERR_NOT_FINITE, "%s: %d", mistakes[i].word, status);
        ck_assert_ptr_null(plan);
        ck_assert_msg(strstr(trx_context_message(context), mistakes[i].word) != NULL, "'%s' is not in: %s",
                      mistakes[i].word, trx_context_message(context));
    }
    trx_model_destroy(model);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/ilqr");
    TCase *cases = tcase_create("ilqr");
    tcase_set_timeout(cases, 120);
    tcase_add_test(cases, a_linear_problem_is_solved_in_one_step);
    tcase_add_test(cases, a_pendulum_swings_up);
    tcase_add_test(cases, limits_are_respected_and_used);
    tcase_add_test(cases, the_linearization_belongs_to_the_trajectory);
    tcase_add_test(cases, two_solves_give_the_same_bits);
    tcase_add_test(cases, the_cost_never_rises);
    tcase_add_test(cases, an_interrupted_solve_keeps_its_best);
    tcase_add_test(cases, an_iteration_limit_ends_the_stage);
    tcase_add_test(cases, a_time_limit_ends_the_solve);
    tcase_add_test(cases, weights_that_overflow_are_named);
    tcase_add_test(cases, controls_without_cost_or_effect_are_damped);
    tcase_add_test(cases, a_solve_allocates_nothing);
    tcase_add_test(cases, creation_survives_every_failed_allocation);
    tcase_add_test(cases, wrong_input_is_refused_by_name);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
