// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The continuation: stages in order, each with its limits and its line in the result; a stage whose result is worse under the
// physical law than its start; limits that end a stage.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

typedef struct log_of_stages {
    int lines[8];
    int last, interrupt;
    double seconds;
} log_of_stages;

static bool note(const trx_iteration *line, void *user)
{
    log_of_stages *log = user;
    ck_assert_int_ge(line->stage, log->last);
    ck_assert_int_lt(line->stage, 8);
    ck_assert_int_eq(line->iteration, log->lines[line->stage]);
    ck_assert(line->seconds >= log->seconds);
    log->last = line->stage;
    log->seconds = line->seconds;
    log->lines[line->stage]++;
    return line->stage != log->interrupt;
}

START_TEST(stages_run_in_order_within_their_limits)
{
    push p;
    trx_stage stages[3];
    log_of_stages log = {.interrupt = -1};
    open_stages(&p, stages);
    ck_assert_int_ge(trx_plan_solve(p.plan, note, &log), TRX_OK);
    trx_plan_info info = trx_plan_get_info(p.plan);
    int sum = 0;
    double seconds = 0;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(log.lines[i], info.stages[i].iterations + 1);
        ck_assert(isfinite(info.stages[i].cost) && info.stages[i].seconds > 0);
        sum += info.stages[i].iterations, seconds += info.stages[i].seconds;
    }
    ck_assert_int_eq(info.stages[0].iterations, 2);
    ck_assert_int_eq(info.stages[0].status, TRX_ITERATION_LIMIT);
    ck_assert_int_eq(info.stages[1].iterations, 3);
    ck_assert_int_gt(info.stages[2].iterations, 3);
    ck_assert_int_eq(info.stages[2].status, info.status);
    ck_assert_int_eq(info.iterations, sum);
    ck_assert(info.seconds >= seconds);
    ck_assert(info.cost == info.physical.cost);
    close_push(&p);
}
END_TEST

START_TEST(after_an_interruption_no_stage_begins)
{
    push p;
    trx_stage stages[3];
    log_of_stages log = {.interrupt = 1};
    open_stages(&p, stages);
    ck_assert_int_eq(trx_plan_solve(p.plan, note, &log), TRX_INTERRUPTED);
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert_int_eq(info.status, TRX_INTERRUPTED);
    ck_assert_int_eq(info.stages[0].status, TRX_ITERATION_LIMIT);
    ck_assert_int_eq(info.stages[1].status, TRX_INTERRUPTED);
    ck_assert_int_eq(info.stages[2].iterations, 0);
    ck_assert_int_eq(log.lines[2], 0);

    // the result so far has been replayed
    ck_assert_int_eq(info.physical.status, TRX_OK);
    ck_assert(isfinite(info.cost));
    close_push(&p);
}
END_TEST

// ---- a stage that loses what the last one reached ----

// A hand over a ball of 10 cm radius shall roll it 5 cm to the side by friction. From stages of soft contact straight to
// 1e6 N/m the hand loses the ball: that minimization ends at ten times the cost. Half way to it is near enough.
typedef struct rolling {
    trx_context *context;
    trx_model *model;
    trx_plan *plan;
} rolling;

static trx_model *rolling_model(trx_context *context)
{
    trx_material_def rubber = trx_material_def_default();
    rubber.name = "rubber", rubber.stiffness = 2e6, rubber.dissipation = 5, rubber.friction = 0.5;
    trx_joint_def free_joint = joint_of("ball", TRX_JOINT_FREE, 0, 0, 1);
    trx_joint_def slides[3] = {joint_of("px", TRX_JOINT_SLIDE, 1, 0, 0), joint_of("py", TRX_JOINT_SLIDE, 0, 1, 0),
                               joint_of("pz", TRX_JOINT_SLIDE, 0, 0, 1)};
    trx_geometry_def ball = trx_geometry_def_default(), tip = ball, floor = ball;
    ball.shape.type = tip.shape.type = TRX_SHAPE_SPHERE;
    ball.shape.radius = 0.1, ball.mass = 0.26;
    tip.shape.radius = 0.04, tip.mass = 1;
    floor.shape.type = TRX_SHAPE_HALFSPACE;

    trx_body_def bodies[3] = {trx_body_def_default(), trx_body_def_default(), trx_body_def_default()};
    bodies[0].name = "ball", bodies[0].joints = &free_joint, bodies[0].njoint = 1, bodies[0].geometry = &ball;
    bodies[1].name = "hand", bodies[1].joints = slides, bodies[1].njoint = 3, bodies[1].geometry = &tip;
    bodies[1].gravity = false;
    bodies[2].name = "floor", bodies[2].geometry = &floor;
    for (int i = 0; i < 3; i++) bodies[i].ngeometry = 1;
    trx_actuator_def motors[3] = {trx_actuator_def_default(), trx_actuator_def_default(), trx_actuator_def_default()};
    for (int i = 0; i < 3; i++) motors[i].body = 1, motors[i].joint = i;

    trx_model_def def = trx_model_def_default();
    def.materials = &rubber, def.nmaterial = 1;
    def.bodies = bodies, def.nbody = 3;
    def.actuators = motors, def.nactuator = 3;
    return build_model(context, &def);
}

static rolling open_rolling(void)
{
    static const double x0[19] = {0, 0, 0.1, 1, 0, 0, 0, 0, 0, 0.26}, goal[3] = {0, 0.05, 0.1};
    static const double w_goal[3] = {100, 100, 100}, w_end[3] = {3000, 3000, 3000}, w_u[3] = {0.003, 0.003, 0.003};
    static const double w_v[9] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, w_stop[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const trx_cost_term terms[5] = {
        {.name = "ball", .quantity = TRX_BODY_POSITION, .target = goal, .weight = w_goal},
        {.name = "v", .quantity = TRX_VELOCITY, .weight = w_v},
        {.name = "u", .quantity = TRX_CONTROL, .weight = w_u},
        {.name = "ball", .quantity = TRX_BODY_POSITION, .target = goal, .weight = w_end, .time = TRX_END, .tolerance = 0.01},
        {.name = "v", .quantity = TRX_VELOCITY, .weight = w_stop, .time = TRX_END},
    };
    trx_stage stages[3] = {trx_stage_default(), trx_stage_default(), physical_stage()};
    for (int i = 0; i < 2; i++) {
        stages[i].force_law = TRX_SMOOTHED, stages[i].stiction_tolerance = 5e-3;
        stages[i].smoothing = i ? 0.001 : 0.007, stages[i].stiffness = i ? 1000 : 75;
        stages[i].tolerance = 1e-5; // the minimum under this law is lost under the physical law
    }
    rolling r = {.context = make_context()};
    r.model = rolling_model(r.context);
    trx_plan_problem problem = trx_plan_problem_default();
    problem.model = r.model, problem.sim.time_step = 0.01, problem.steps = 50, problem.x0 = x0;
    problem.terms = terms, problem.nterm = 5;
    problem.stages = stages, problem.nstage = 3;
    r.plan = make_plan(r.context, &problem, trx_plan_settings_default());
    return r;
}

// minimizations of the last stage: their number, the cost before the first of them (`reached`), the last cost, and the largest
// cost at which a minimization before the last one ended
typedef struct attempts {
    int count;
    double reached, last, worst_end;
} attempts;

static bool note_attempts(const trx_iteration *line, void *user)
{
    attempts *a = user;
    if (line->stage < 2) {
        a->reached = line->cost;
        return true;
    }
    if (line->expected == 0 && line->step == 0 && line->gradient == 0) {
        if (a->count > 0) a->worst_end = fmax(a->worst_end, a->last);
        a->count++;
    }
    a->last = line->cost;
    return true;
}

START_TEST(a_stage_that_loses_what_was_reached_is_approached_in_parts)
{
    rolling r = open_rolling();
    attempts a = {0};
    ck_assert_int_ge(trx_plan_solve(r.plan, note_attempts, &a), TRX_OK);
    trx_plan_info info = trx_plan_get_info(r.plan);
    ck_assert_int_gt(a.count, 2);
    ck_assert_msg(a.worst_end > 3 * a.reached, "nothing was lost: %g after %g", a.worst_end, a.reached);
    ck_assert_msg(info.cost < 1.5 * a.reached, "%g after %g", info.cost, a.reached);
    ck_assert(info.physical.goals[0].met);
    ck_assert_int_eq(info.iterations, info.stages[0].iterations + info.stages[1].iterations + info.stages[2].iterations);
    trx_plan_destroy(r.plan);
    trx_model_destroy(r.model);
    trx_context_destroy(r.context);
}
END_TEST

START_TEST(stages_before_the_last_end_at_a_larger_tolerance)
{
    int iterations[3];
    for (int i = SANITIZED; i < 3; i++) {
        static const double tolerances[3] = {NAN, 1e-3, 1e-7};
        push p;
        trx_stage stages[3];
        open_stages(&p, stages);
        p.plan->stages[0].iterations = 200, p.plan->stages[0].tolerance = tolerances[i];
        ck_assert_int_ge(trx_plan_solve(p.plan, NULL, NULL), TRX_OK);
        iterations[i] = trx_plan_get_info(p.plan).stages[0].iterations;
        close_push(&p);
    }
    if (!SANITIZED) ck_assert_int_eq(iterations[0], iterations[1]);
    ck_assert_int_lt(iterations[1], iterations[2]);
}
END_TEST

START_TEST(parts_of_a_stage_share_its_iterations)
{
    rolling r = open_rolling();
    attempts a = {0};
    r.plan->settings.iterations = 40;
    ck_assert_int_ge(trx_plan_solve(r.plan, note_attempts, &a), TRX_OK);
    trx_plan_info info = trx_plan_get_info(r.plan);
    ck_assert_int_gt(a.count, 1);
    for (int i = 0; i < 3; i++) ck_assert_int_le(info.stages[i].iterations, 40);

    // the result at the limit has been simulated under the law of the last stage
    ck_assert_int_eq(info.physical.status, TRX_OK);
    assert_close(info.stages[2].cost, info.physical.cost, 1e-5 * info.physical.cost);
    trx_plan_destroy(r.plan);
    trx_model_destroy(r.model);
    trx_context_destroy(r.context);
}
END_TEST

START_TEST(one_limit_holds_for_all_stages_and_keeps_a_quarter_for_the_physical_one)
{
    int limited = 0, cut = 0;
    for (int most = 1; most <= 41; most += SANITIZED ? 20 : 8) {
        push p;
        trx_plan_settings settings = trx_plan_settings_default();
        settings.max_iterations = most;
        open_push(&p, -0.10, 0, 0.15, 0, 0);
        trx_status status = solve_push(&p, settings);
        trx_plan_info info = trx_plan_get_info(p.plan);
        const trx_stage_info *last = &info.stages[info.nstage - 1];
        ck_assert_int_le(info.iterations, most);
        ck_assert_int_ge(last->iterations, 1);
        ck_assert_int_eq(last->status, status);
        cut += last[-1].status == TRX_ITERATION_LIMIT;
        ck_assert_int_le(info.iterations - last->iterations, most - (most + 3) / 4);
        if (status == TRX_ITERATION_LIMIT) {
            ck_assert_int_eq(info.iterations, most);
            ck_assert_int_ge(4 * last->iterations, most);
            limited++;
        }
        close_push(&p);
    }
    ck_assert(limited >= (SANITIZED ? 1 : 2) && cut >= (SANITIZED ? 1 : 3));
}
END_TEST

// seconds of a busy wait in each iteration of a smoothed stage
static bool dawdle(const trx_iteration *line, void *user)
{
    const double *seconds = user;
    for (const double start = trx_clock(); line->stage < 2 && trx_clock() - start < *seconds;) {}
    return true;
}

START_TEST(the_physical_stage_runs_however_slow_the_others_are)
{
    push p;
    trx_stage stages[3];
    double seconds = 0.1;
    open_stages(&p, stages);
    p.plan->settings.time_limit = 0.8; // the stages before the last one end after 0.6 s, or at most 0.1 s later
    const double began = trx_clock();
    trx_status status = trx_plan_solve(p.plan, dawdle, &seconds);
    trx_plan_info info = trx_plan_get_info(p.plan);
    ck_assert(status == TRX_OK || status == TRX_STALLED || status == TRX_TIME_LIMIT);
    ck_assert_int_eq(info.stages[1].status, TRX_TIME_LIMIT);
    ck_assert_int_gt(info.stages[2].iterations, 0);
    ck_assert(trx_clock() - began > 0.6);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/continuation");
    TCase *cases = tcase_create("continuation");
    tcase_set_timeout(cases, 300);
    tcase_add_test(cases, stages_run_in_order_within_their_limits);
    tcase_add_test(cases, after_an_interruption_no_stage_begins);
    tcase_add_test(cases, a_stage_that_loses_what_was_reached_is_approached_in_parts);
    tcase_add_test(cases, stages_before_the_last_end_at_a_larger_tolerance);
    tcase_add_test(cases, parts_of_a_stage_share_its_iterations);
    tcase_add_test(cases, one_limit_holds_for_all_stages_and_keeps_a_quarter_for_the_physical_one);
    tcase_add_test(cases, the_physical_stage_runs_however_slow_the_others_are);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
