// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Good files: what the model, the start state, the settings and the plan become; the problem as run loads again
// to the same thing.

#include "loading.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FILES = 100 };

// everything a run depends on is equal, bit for bit
static void assert_same(const trx_problem *a, const trx_problem *b)
{
    trx_model_size m = trx_model_get_size(trx_problem_model(a)), n = trx_model_get_size(trx_problem_model(b));
    ck_assert_int_eq(memcmp(&m, &n, sizeof m), 0);
    ck_assert_int_eq(trx_problem_steps(a), trx_problem_steps(b));
    ck_assert(max_difference(trx_problem_start(a), trx_problem_start(b), m.nq + m.nv) == 0);
    ck_assert(trx_problem_sim_settings(a).time_step == trx_problem_sim_settings(b).time_step);
    ck_assert_str_eq(trx_problem_title(a), trx_problem_title(b));
    for (int i = 0; i < m.npair; i++) {
        trx_pair_law x = trx_model_pair(trx_problem_model(a), i).law, y = trx_model_pair(trx_problem_model(b), i).law;
        ck_assert(x.stiffness == y.stiffness && x.dissipation == y.dissipation && x.friction == y.friction);
        ck_assert(x.force_law == y.force_law && x.approximation == y.approximation);
    }
    if (!trx_problem_has_cost(a)) return;
    trx_plan_problem p, q;
    trx_plan_settings s, t;
    ck_assert_int_eq(trx_problem_plan(a, &p, &s), TRX_OK);
    ck_assert_int_eq(trx_problem_plan(b, &q, &t), TRX_OK);
    ck_assert_int_eq(p.nterm, q.nterm);
    ck_assert_int_eq(p.nstage, q.nstage);
    ck_assert(s.iterations == t.iterations && s.tolerance == t.tolerance && s.time_limit == t.time_limit);
    for (int i = 0; i < p.nterm; i++) {
        int count = trx_cost_term_dimension(p.model, &p.terms[i]);
        ck_assert_str_eq(p.terms[i].name, q.terms[i].name);
        ck_assert(p.terms[i].time == q.terms[i].time && p.terms[i].tolerance == q.terms[i].tolerance);
        ck_assert(max_difference(p.terms[i].weight, q.terms[i].weight, count) == 0);
        ck_assert((p.terms[i].target == NULL) == (q.terms[i].target == NULL));
        if (p.terms[i].target)
            ck_assert(max_difference(p.terms[i].target, q.terms[i].target,
                                     trx_cost_term_target_length(p.model, &p.terms[i])) == 0);
    }
}

START_TEST(every_shipped_problem_loads_and_its_text_loads_to_the_same)
{
    static char paths[MAX_FILES][256];
    int count = list_files("problems", ".yaml", paths, MAX_FILES);
    ck_assert_int_ge(count, 2);
    for (int i = 0; i < count; i++) {
        fixture first = fixture_open(), again = fixture_open();
        load_file(&first, paths[i]);
        ck_assert_int_eq(trx_context_error_count(first.context), 0);
        const char *text = trx_problem_text(first.problem);
        load_good(&again, text);
        assert_same(first.problem, again.problem);
        ck_assert_str_eq(trx_problem_text(again.problem), text);
        fixture_close(&again);
        fixture_close(&first);
    }
}
END_TEST

START_TEST(order_and_names_follow_the_file)
{
    fixture f = fixture_open();
    load_good(&f, PUSH);
    const trx_model *model = trx_problem_model(f.problem);
    trx_model_size size = trx_model_get_size(model);
    ck_assert_int_eq(size.nq, 9);
    ck_assert_int_eq(size.nv, 8);
    ck_assert_int_eq(size.nu, 2);
    ck_assert_int_eq(size.npair, 3);
    ck_assert_str_eq(trx_model_q_name(model, 3), "box.qw");
    ck_assert_str_eq(trx_model_q_name(model, 7), "px");
    ck_assert_str_eq(trx_model_geom_name(model, trx_model_find_geom(model, "box#1")), "box#1");
    assert_close(trx_model_mass(model), 0.8, 1e-15);
    for (int i = 0; i < size.npair; i++) assert_close(trx_model_pair(model, i).law.stiffness, 1e4, 1e-9);

    // neither title nor cost nor start
    ck_assert_str_eq(trx_problem_title(f.problem), "");
    ck_assert_str_eq(trx_problem_path(f.problem), "text.yaml");
    ck_assert(!trx_problem_has_cost(f.problem));
    const double start[17] = {0, 0, 0, 1};
    ck_assert(max_difference(trx_problem_start(f.problem), start, 17) == 0);
    fixture_close(&f);
}
END_TEST

START_TEST(the_fingerprint_is_that_of_the_text)
{
    // what coreutils' sha256sum says of this text
    static const char text[] = "tractrix: 1\nmodel: {bodies: []}\ntime: {step: 0.01, steps: 1}\n";
    fixture f = fixture_open();
    load_good(&f, text);
    ck_assert_str_eq(trx_problem_sha256(f.problem), "bb4c5650759e8f8379a8b23f8e2e9f8a9a1c699b6eae0dfe54df084a715581e0");
    fixture_close(&f);
}
END_TEST

START_TEST(defaults_are_those_of_the_library)
{
    fixture f = fixture_open();
    load_good(&f, PUSH);
    trx_sim_settings s = trx_problem_sim_settings(f.problem), d = trx_sim_settings_default();
    d.time_step = 0.02;
    ck_assert(s.time_step == d.time_step && s.stiction_tolerance == d.stiction_tolerance && s.tolerance == d.tolerance);
    ck_assert(isnan(s.margin) && isnan(d.margin));
    double gravity[3];
    trx_model_gravity(trx_problem_model(f.problem), gravity);
    ck_assert(gravity[2] == -9.81);
    fixture_close(&f);
}
END_TEST

// PUSH and what follows it
static void load_push(fixture *f, const char *rest)
{
    char text[4096];
    ck_assert_int_lt(snprintf(text, sizeof text, "%s%s", PUSH, rest), (int)sizeof text);
    load_good(f, text);
}

START_TEST(contact_settings_reach_model_and_sim)
{
    fixture f = fixture_open();
    load_push(&f, "contact:\n"
                  "  force_law: smoothed\n"
                  "  smoothing: 0.002\n"
                  "  stiction_tolerance: 1.0e-3\n"
                  "  tolerance: 1e-8\n"
                  "  margin: .05\n"
                  "  pairs: {exclude: [[pusher, ground]]}\n"
                  "  override: [{pair: [pusher, box#1], friction: 0.5, stiffness: 300, dissipation: 1, smoothing: 0.01}]\n");
    trx_sim_settings s = trx_problem_sim_settings(f.problem);
    ck_assert(s.stiction_tolerance == 1e-3 && s.tolerance == 1e-8 && s.margin == 0.05);
    const trx_model *model = trx_problem_model(f.problem);
    ck_assert_int_eq(trx_model_get_size(model).npair, 2);
    for (int i = 0; i < 2; i++) {
        trx_pair_info pair = trx_model_pair(model, i);
        bool pushed = pair.actuated;
        ck_assert_int_eq(pair.law.force_law, TRX_SMOOTHED);
        assert_close(pair.law.smoothing, pushed ? 0.01 : 0.002, 0);
        assert_close(pair.law.stiffness, pushed ? 300 : 1e4, 1e-9);
        assert_close(pair.law.friction, pushed ? 0.5 : 0.3, 1e-12);
        assert_close(pair.law.dissipation, pushed ? 1 : 5, 1e-12);
    }
    load_push(&f, "contact: {approximation: sap}\n");
    ck_assert_int_eq(trx_model_pair(trx_problem_model(f.problem), 0).law.force_law, TRX_KELVIN_VOIGT);
    fixture_close(&f);
}
END_TEST

START_TEST(duration_gives_the_number_of_steps)
{
    fixture f = fixture_open();
    const char *const set[] = {"time={step: 0.01, duration: 0.3}"};
    ck_assert_int_eq(load_text(&f, PUSH, set, 1), TRX_OK);
    ck_assert_int_eq(trx_problem_steps(f.problem), 30);
    fixture_close(&f);
}
END_TEST

START_TEST(the_start_takes_every_form)
{
    static const char text[] = "tractrix: 1\n"
                               "model:\n"
                               "  bodies:\n"
                               "    - name: hand\n"
                               "      parent: lower\n"
                               "      joints: [{name: wrist, type: hinge, axis: [0, 0, 1]}, {name: twist, type: ball, at: [0.3, 0, 0]}]\n"
                               "      inertia: {mass: 1, com: [1, 0, 0], tensor: [1, 1, 1]}\n"
                               "    - name: upper\n"
                               "      joints: [{name: shoulder, type: hinge, axis: [0, 0, 1]}]\n"
                               "      inertia: {mass: 1, com: [1, 0, 0], tensor: [1, 1, 1]}\n"
                               "    - name: lower\n"
                               "      parent: upper\n"
                               "      joints: [{name: elbow, type: hinge, axis: [0, 0, 1]}]\n"
                               "      inertia: {mass: 1, com: [1, 0, 0], tensor: [1, 1, 1]}\n"
                               "    - {name: puck, joint: planar, inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
                               "    - {name: top, joint: ball, inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
                               "    - {name: box, joint: free, inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
                               "time: {step: 0.01, steps: 1}\n"
                               "start:\n"
                               "  joints(upper): {position: [0.1, 0.2, 0.3], velocity: [1, 2, 3]}\n"
                               "  twist: {quat: [2, 0, 0, 0], spin: [4, 5, 6]}\n"
                               "  puck: {x: 7, y: 8, yaw: 9, vx: 10, vy: 11, wz: 12}\n"
                               "  top: {rpy: [0, 0, 1.5707963267948966]}\n"
                               "  box: {xyz: [13, 14, 15], quat: [0, 3e200, 0, 4e200], velocity: [16, 17, 18], spin: [19, 20, 21]}\n";
    const double half = sqrt(0.5);
    const double expected[] = {// q: shoulder, elbow, wrist, twist, puck, top, box
                               0.1, 0.2, 0.3, 1, 0, 0, 0, 7, 8, 9, half, 0, 0, half, 13, 14, 15, 0, 0.6, 0, 0.8,
                               // v
                               1, 2, 3, 4, 5, 6, 10, 11, 12, 0, 0, 0, 16, 17, 18, 19, 20, 21};
    fixture f = fixture_open();
    load_good(&f, text);
    trx_model_size size = trx_model_get_size(trx_problem_model(f.problem));
    ck_assert_int_eq(size.nq + size.nv, (int)(sizeof expected / sizeof *expected));
    assert_below(max_difference(trx_problem_start(f.problem), expected, size.nq + size.nv), 1e-15);
    ck_assert_str_eq(trx_model_q_name(trx_problem_model(f.problem), 2), "wrist");

    // one joint at a time
    const char *const set[] = {"start={elbow: 0.5, wrist: {velocity: 2}, \"joints(hand)\": [1]}"};
    ck_assert_int_eq(load_text(&f, text, set, 1), TRX_ERR_INPUT);
    const char *const fine[] = {"start={elbow: 0.5, wrist: {velocity: 2}}"};
    ck_assert_int_eq(load_text(&f, text, fine, 1), TRX_OK);
    assert_close(trx_problem_start(f.problem)[1], 0.5, 0);
    assert_close(trx_problem_start(f.problem)[size.nq + 2], 2, 0);
    fixture_close(&f);
}
END_TEST

START_TEST(cost_and_solve_become_a_plan)
{
    fixture f = fixture_open();
    load_push(&f, "start: {box: {xyz: [0, 0, 0.05]}, px: -0.1}\n"
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

START_TEST(a_plan_needs_a_cost)
{
    fixture f = fixture_open();
    trx_plan_problem p;
    trx_plan_settings s;
    load_good(&f, PUSH);
    ck_assert_int_eq(trx_problem_plan(f.problem, &p, &s), TRX_ERR_INPUT);
    ck_assert(has_finding(&f, TRX_ERROR, "missing key \"cost\""));
    load_push(&f, "cost: []\n");
    ck_assert_int_eq(trx_problem_plan(f.problem, &p, &s), TRX_ERR_INPUT);
    fixture_close(&f);
}
END_TEST

START_TEST(missing_arguments_are_a_status)
{
    const char *const none[] = {NULL};
    fixture f = fixture_open();
    load_good(&f, "tractrix: 1\nmodel: {bodies: [{name: a}]}\ntime: {step: 0.01, steps: 1}\n");
    trx_plan_problem plan;
    trx_plan_settings settings;
    double u[1];
    ck_assert_int_eq(trx_problem_plan(NULL, &plan, &settings), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_problem_plan(f.problem, NULL, &settings), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_problem_read_controls(NULL, "u.csv", u), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_problem_read_controls(f.problem, NULL, u), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_problem_diagnose(NULL), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(load_text(&f, "tractrix: 1\n", none, 1), TRX_ERR_ARGUMENT);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/problem");
    TCase *cases = tcase_create("problem");
    tcase_add_test(cases, every_shipped_problem_loads_and_its_text_loads_to_the_same);
    tcase_add_test(cases, order_and_names_follow_the_file);
    tcase_add_test(cases, the_fingerprint_is_that_of_the_text);
    tcase_add_test(cases, defaults_are_those_of_the_library);
    tcase_add_test(cases, contact_settings_reach_model_and_sim);
    tcase_add_test(cases, duration_gives_the_number_of_steps);
    tcase_add_test(cases, the_start_takes_every_form);
    tcase_add_test(cases, cost_and_solve_become_a_plan);
    tcase_add_test(cases, a_plan_needs_a_cost);
    tcase_add_test(cases, missing_arguments_are_a_status);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
