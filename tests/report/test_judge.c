// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Goals and limits of a simulated trajectory, against their definitions.

#include "report/fixture.h"

#include "report/judge.h"

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

START_TEST(a_limit_that_is_exceeded_is_reported)
{
    double u[NU * STEPS];
    fixture_controls(u);
    trx_simulation simulation = fixture_simulation(u);
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    trx_run_info info = trx_run_get_info(f.run);
    ck_assert_int_eq(info.nlimit, NU);
    for (int i = 0; i < NU; i++) ck_assert(info.limits[i].met && info.limits[i].violation == 0);

    u[NU * 3] = 23.5;
    ck_assert_int_eq(trx_run_simulate(f.run, &simulation), TRX_OK);
    info = trx_run_get_info(f.run);
    ck_assert_str_eq(info.limits[0].name, "u.px");
    assert_close(info.limits[0].violation, 3.5, 1e-15);
    ck_assert(!info.limits[0].met && info.limits[1].met);
    ck_assert(!trx_run_goals_met(f.run));
}
END_TEST

// a speed of the pusher that the simulation exceeds, with the knot at which it does most
START_TEST(limits_of_the_problem_come_first_with_knot_and_unit)
{
    trx_problem *problem;
    trx_run *run;
    const char *limits = "limits=[{of: px.velocity, max: 0.01}, {of: box.position, min: [-1, -1, 0]}]";
    fixture_load_other(&f, "push_box", limits, &problem, &run);
    const double u[NU] = {2, 0, 0};
    trx_simulation simulation = trx_simulation_default();
    simulation.u = u;
    simulation.control_steps = 1;
    ck_assert_int_eq(trx_run_simulate(run, &simulation), TRX_OK);
    const trx_run_info info = trx_run_get_info(run);
    const trx_model *model = trx_problem_model(problem);
    const trx_joint_info px = trx_model_joint(model, trx_model_find_joint(model, "px"));
    const trx_model_size size = trx_model_get_size(model);
    double most = 0;
    int knot = -1;
    for (int k = 0; k <= info.steps; k++) {
        const double v = run->x[(size.nq + size.nv) * k + size.nq + px.v_index];
        if (v > most) most = v, knot = k;
    }
    ck_assert_int_eq(info.nasked, 2);
    ck_assert_int_eq(info.nlimit, 2 + NU);
    ck_assert_str_eq(info.limits[0].name, "px.velocity");
    assert_close(info.limits[0].violation, most - 0.01, 1e-15);
    ck_assert_int_eq(info.limits[0].knot, knot);
    ck_assert_str_eq(info.limits[0].unit, "m/s");
    ck_assert(!info.limits[0].met && info.limits[1].met && info.limits[2].met);
    ck_assert_str_eq(info.limits[2].name, "u.px");
    const char *summary = trx_run_summary(run);
    ck_assert(strstr(summary, "\"asked\": true") && strstr(summary, "\"asked\": false"));
    trx_run_destroy(run);
    trx_problem_destroy(problem);
}
END_TEST

START_TEST(goals_of_a_simulation_are_distances_to_the_target)
{
    ck_assert_int_eq(trx_run_simulate(f.run, NULL), TRX_OK);
    trx_run_info info = trx_run_get_info(f.run);
    ck_assert_int_eq(info.ngoal, 2);
    ck_assert_str_eq(info.physical.goals[0].name, "box.position");
    // the third component, the height, has no weight
    double end[2] = {f.run->x[NX * STEPS] - 0.15, f.run->x[NX * STEPS + 1]};
    assert_close(info.physical.goals[0].error, hypot(end[0], end[1]), 1e-15);
    ck_assert(!info.physical.goals[0].met && info.physical.goals[1].met);
}
END_TEST

// a model without actuators has no plan, so its goals are not judged. The warnings of the load were lost with the message
START_TEST(a_task_that_is_no_plan_leaves_the_findings_of_others)
{
    static const char text[] = "tractrix: 1\n"
                               "model: {bodies: [{name: bob, joints: [{name: swing, type: hinge, axis: [0, 1, 0]}],\n"
                               "                  inertia: {mass: 1, com: [0, 0, -0.5], tensor: [0.1, 0.1, 0.1]}}]}\n"
                               "time: {step: 0.01, steps: 3}\n"
                               "cost: [{of: swing.position, target: [0], tolerance: 0.1, at: end}]\n";
    trx_problem *problem;
    trx_run *run;
    ck_assert_int_eq(trx_problem_load_text(f.context, "bob.yaml", text, strlen(text), NULL, &problem), TRX_OK);
    ck_assert_int_eq(trx_run_create(f.context, problem, &run), TRX_OK);
    trxi_warn_at(f.context, (trx_source){0}, "a suspicion");
    const int count = trx_context_diagnostic_count(f.context);
    ck_assert_int_eq(trx_run_simulate(run, NULL), TRX_OK);
    ck_assert_int_eq(trx_run_get_info(run).ngoal, 0);
    ck_assert_str_eq(trx_context_message(f.context), "");
    ck_assert_int_eq(trx_context_diagnostic_count(f.context), count);
    trx_run_destroy(run);
    trx_problem_destroy(problem);
}
END_TEST

// a judge that ran out of memory between its limits and their results wrote through NULL at its end
START_TEST(a_judge_without_memory_writes_nothing)
{
    enum { LIMITS = 1000 }; // their results have memory of their own
    trx_problem *problem;
    trx_run *run;
    fixture_load_other(&f, "push_box", "limits=[{of: px.velocity, max: 0.01}]", &problem, &run);
    trx_plan_problem task = trx_plan_problem_default();
    trx_plan_settings unused;
    ck_assert_int_eq(trx_problem_plan(problem, &task, &unused), TRX_OK);
    ck_assert_int_eq(task.nlimit, 1);
    trx_limit *limits = TRXI_POOL(f.pool, trx_limit, LIMITS);
    for (int i = 0; i < LIMITS; i++) limits[i] = task.limits[0];
    task.limits = limits, task.nlimit = LIMITS;

    int failures = 0;
    for (trx_status status = TRX_ERR_MEMORY; status == TRX_ERR_MEMORY; failures++) {
        counting_allocator counter = {0};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *small;
        ck_assert_int_eq(trx_context_create(&settings, &small), TRX_OK);
        trx_run bare = {.context = small, .model = run->model, .pool = trxi_pool_create(small)};
        trxi_judge judge;
        counter.fail_at = counter.calls + failures + 1;
        status = trxi_judge_begin(&bare, &task, &judge);
        trxi_judge_finish(&judge);
        ck_assert(status == TRX_OK || status == TRX_ERR_MEMORY);
        ck_assert(status < 0 || bare.nasked == LIMITS);
        trxi_pool_destroy(bare.pool);
        trx_context_destroy(small);
        ck_assert_int_eq(counter.outstanding, 0);
    }
    ck_assert_int_gt(failures, 4);
    trx_run_destroy(run);
    trx_problem_destroy(problem);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/judge");
    TCase *cases = tcase_create("judge");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_limit_that_is_exceeded_is_reported);
    tcase_add_test(cases, limits_of_the_problem_come_first_with_knot_and_unit);
    tcase_add_test(cases, goals_of_a_simulation_are_distances_to_the_target);
    tcase_add_test(cases, a_task_that_is_no_plan_leaves_the_findings_of_others);
    tcase_add_test(cases, a_judge_without_memory_writes_nothing);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
