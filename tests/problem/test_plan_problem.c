// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The optimization problem of a file, term by term and stage by stage, and the guesses it starts from.

#include "loading.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

START_TEST(cost_and_solve_become_a_plan)
{
    fixture f = fixture_open();
    load_more(&f, "start: {box: {xyz: [0, 0, 0.05]}, px: -0.1}\n"
                  "cost:\n"
                  "  - {of: box.position, target: [0.15, 0, 0.05], weight: [100, 100, 0], at: end, tolerance: 0.005}\n"
                  "  - {of: tip.orientation, target: {rpy: [0, 0, 3.141592653589793]}, weight: 10, at: all}\n"
                  "  - {of: joints(pusher).velocity, weight: 0.5}\n"
                  "  - {of: py.position, target: 0.25}\n"
                  "  - {of: position, target: start, weight: [1, 2, 3, 4, 5, 6, 7, 8]}\n"
                  "  - {of: control, weight: 0.001, target: [1, -1]}\n"
                  "solve:\n"
                  "  iterations: 50\n"
                  "  tolerance: 1e-6\n"
                  "  time_limit: 3\n"
                  "  search: {effort: 2.5}\n"
                  "  continuation:\n"
                  "    - {force_law: smoothed, smoothing: 0.01, stiffness: 120, stiction_tolerance: 1.0e-2, iterations: 7}\n"
                  "    - {friction: 0.1, tolerance: 1e-3, pairs: all}\n"
                  "    - {approximation: sap, pairs: [[ground, box], [pusher, box#1]]}\n");
    trx_plan_problem p;
    trx_plan_settings s;
    ck_assert_int_eq(trx_problem_plan(f.problem, &p, &s), TRX_OK);
    ck_assert_int_eq(p.steps, 10);
    ck_assert_ptr_eq(p.model, trx_problem_model(f.problem));
    ck_assert_ptr_null(p.u_guess);
    ck_assert(s.iterations == 50 && s.tolerance == 1e-6 && s.time_limit == 3);
    trx_search_settings search = trx_search_settings_default();
    ck_assert(trx_problem_search(f.problem, &search));
    ck_assert(search.effort == 2.5 && search.starts == 96 && isinf(search.time_limit));
    ck_assert_int_eq(p.nterm, 6);

    const trx_cost_term *t = p.terms;
    ck_assert_str_eq(t[0].name, "box.position");
    ck_assert(t[0].quantity == TRX_BODY_POSITION && t[0].index == trx_model_find_body(p.model, "box"));
    ck_assert(t[0].time == TRX_END && t[0].tolerance == 0.005 && t[0].weight[1] == 100 && t[0].weight[2] == 0);
    ck_assert(t[0].target[0] == 0.15 && t[0].target_stride == 0);
    ck_assert(t[1].quantity == TRX_FRAME_ORIENTATION && t[1].time == TRX_ALL && t[1].weight[2] == 10);
    ck_assert(t[1].index == trx_model_find_frame(p.model, "tip"));
    assert_close(fabs(t[1].target[3]), 1, 1e-15);
    ck_assert(t[2].quantity == TRX_JOINT_VELOCITY && t[2].njoint == 2 && t[2].target == NULL);
    ck_assert(t[2].joints[0] == trx_model_find_joint(p.model, "px") && t[2].weight[1] == 0.5);
    ck_assert(t[3].quantity == TRX_JOINT_POSITION && t[3].target[0] == 0.25 && t[3].weight[0] == 1);
    ck_assert(t[4].quantity == TRX_POSITION && t[4].weight[7] == 8 && t[4].time == TRX_RUNNING);
    ck_assert(max_difference(t[4].target, trx_problem_start(f.problem), 9) == 0);
    ck_assert(t[5].quantity == TRX_CONTROL && t[5].target[1] == -1);

    // the physical stage is added
    ck_assert_int_eq(p.nstage, 4);
    const trx_stage *stage = p.stages;
    ck_assert(stage[0].force_law == TRX_SMOOTHED && stage[0].smoothing == 0.01 && stage[0].stiffness == 120);
    ck_assert(stage[0].stiction_tolerance == 1e-2 && stage[0].iterations == 7 && isnan(stage[0].tolerance));
    ck_assert(stage[0].approximation == -1 && isnan(stage[0].friction) && stage[0].pairs == NULL && !stage[0].physical);
    ck_assert(stage[1].friction == 0.1 && stage[1].tolerance == 1e-3 && stage[1].force_law == -1);
    ck_assert(stage[2].approximation == TRX_SAP && stage[2].force_law == TRX_KELVIN_VOIGT);
    for (int i = 0; i < trx_model_get_size(p.model).npair; i++) {
        trx_pair_info pair = trx_model_pair(p.model, i);
        int box = trx_model_find_geom(p.model, "box#1");
        ck_assert(stage[1].pairs[i]);
        ck_assert(stage[2].pairs[i] == (pair.geom_a == box || pair.geom_b == box));
    }
    ck_assert(stage[3].physical);
    trx_plan *plan;
    ck_assert_int_eq(trx_plan_create(f.context, &p, &s, &plan), TRX_OK);
    trx_plan_destroy(plan);
    fixture_close(&f);
}
END_TEST

static trx_status load_stage(fixture *f, const char *contact, const char *stage)
{
    char set[2][120];
    snprintf(set[0], sizeof set[0], "contact=%s", contact);
    snprintf(set[1], sizeof set[1], "solve.continuation=[%s]", stage);
    const char *const sets[] = {set[0], set[1], "cost=[{of: control}]"};
    return load_text(f, PUSH, sets, 3);
}

START_TEST(a_stage_may_have_another_contact_model)
{
    static const char *const good[][2] = {{"{model: convex}", "{model: dojo, kappa: 1.0e-3}"},
                                          {"{model: dojo}", "{kappa: 1.0e-3}"},
                                          {"{model: convex}", "{model: ccp}"}};
    static const struct {
        int model;
        double kappa;
    } wanted[] = {{TRX_CONTACT_DOJO, 1e-3}, {-1, 1e-3}, {TRX_CONTACT_CCP, NAN}};
    fixture f = fixture_open();
    for (int i = 0; i < 3; i++) {
        trx_plan_problem p;
        trx_plan_settings s;
        ck_assert_int_eq(load_stage(&f, good[i][0], good[i][1]), TRX_OK);
        ck_assert_int_eq(trx_problem_plan(f.problem, &p, &s), TRX_OK);
        ck_assert_int_eq(p.stages[0].contact_model, wanted[i].model);
        ck_assert(isnan(wanted[i].kappa) ? isnan(p.stages[0].kappa) : p.stages[0].kappa == wanted[i].kappa);
        ck_assert(p.stages[1].physical && p.stages[1].contact_model == -1 && isnan(p.stages[1].kappa));
    }
    static const char *const wrong[][3] = {{"{model: convex}", "{kappa: 1.0e-3}", "kappa serves model: dojo"},
                                           {"{model: dojo}", "{model: ncp, kappa: 1.0e-3}", "kappa serves model: dojo"},
                                           {"{model: dojo}", "{kappa: 0}", "kappa"},
                                           {"{model: convex}", "{model: mcp}", "mcp"}};
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(load_stage(&f, wrong[i][0], wrong[i][1]), TRX_ERR_INPUT);
        ck_assert_msg(strstr(trx_context_message(f.context), wrong[i][2]) != NULL, "%s", trx_context_message(f.context));
    }
    fixture_close(&f);
}
END_TEST

START_TEST(a_plan_needs_a_cost)
{
    fixture f = fixture_open();
    trx_plan_problem p;
    trx_plan_settings s;
    load_good(&f, PUSH);
    ck_assert_int_eq(trx_problem_plan(f.problem, &p, &s), TRX_ERR_INPUT);
    ck_assert(has_finding(&f, TRX_ERROR, "missing key \"cost\""));
    load_more(&f, "cost: []\n");
    ck_assert_int_eq(trx_problem_plan(f.problem, &p, &s), TRX_ERR_INPUT);
    fixture_close(&f);
}
END_TEST

START_TEST(guesses_come_from_gravity_tables_and_runs)
{
    trx_plan_problem p;
    trx_plan_settings settings;
    sandbox s = sandbox_open();
    write_file(&s, "guess.csv", "t,u.px,u.py\n0,1,2\n");
    write_file(&s, "trajectory.csv", "t,u.px,u.py\n0,3,4\n0.02,,\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: velocity}]\nsolve: {guess: guess.csv}\n"), TRX_OK);
    ck_assert_int_eq(trx_problem_plan(s.f.problem, &p, &settings), TRX_OK);
    ck_assert(p.u_guess[0] == 1 && p.u_guess[19] == 2);
    ck_assert_int_eq(load_push(&s, "cost: [{of: velocity}]\nsolve: {guess: .}\n"), TRX_OK);
    ck_assert_int_eq(trx_problem_plan(s.f.problem, &p, &settings), TRX_OK);
    ck_assert(p.u_guess[0] == 3 && p.u_guess[19] == 4);
    ck_assert_int_eq(load_push(&s, "cost: [{of: velocity}]\nsolve: {guess: none.csv}\n"), TRX_OK);
    ck_assert_int_eq(trx_problem_plan(s.f.problem, &p, &settings), TRX_ERR_IO);

    // m g l sin(theta) of a pendulum, plus its spring, shared by two actuators, within the limits
    load_good(&s.f, "tractrix: 1\n"
                    "model:\n"
                    "  bodies:\n"
                    "    - name: arm\n"
                    "      joints: [{name: theta, type: hinge, axis: [0, 1, 0], stiffness: 2, rest: 0.25}]\n"
                    "      inertia: {mass: 0.5, com: [0, 0, -0.4]}\n"
                    "  actuators: [{joint: theta, gear: 2}, {joint: theta, name: weak, limits: [-0.5, 0.5]}]\n"
                    "time: {step: 0.01, steps: 3}\n"
                    "start: {theta: 0.75}\n"
                    "cost: [{of: velocity}]\n"
                    "solve: {guess: gravity}\n");
    ck_assert_int_eq(trx_problem_plan(s.f.problem, &p, &settings), TRX_OK);
    double torque = 0.5 * 9.81 * 0.4 * sin(0.75) + 2 * 0.5;
    for (int k = 0; k < 3; k++) {
        assert_close(p.u_guess[2 * k], torque / 4, 1e-6);
        assert_close(p.u_guess[2 * k + 1], 0.5, 0);
    }
    const char *const names[] = {"guess.csv", "trajectory.csv"};
    sandbox_close(&s, names, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/plan_problem");
    TCase *cases = tcase_create("plan_problem");
    tcase_add_test(cases, cost_and_solve_become_a_plan);
    tcase_add_test(cases, a_stage_may_have_another_contact_model);
    tcase_add_test(cases, a_plan_needs_a_cost);
    tcase_add_test(cases, guesses_come_from_gravity_tables_and_runs);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
