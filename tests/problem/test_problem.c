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

START_TEST(contact_settings_reach_model_and_sim)
{
    fixture f = fixture_open();
    load_more(&f, "contact:\n"
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
    load_more(&f, "contact: {approximation: sap}\n");
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
                               "      joints: [{name: wrist, type: hinge, axis: [0, 0, 1]}, {name: twist, "
                               "type: ball, at: [0.3, 0, 0]}]\n"
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
                               "  box: {xyz: [13, 14, 15], quat: [0, 3e200, 0, 4e200], velocity: [16, 17, 18], "
                               "spin: [19, 20, 21]}\n";
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

// ---- overrides ----

START_TEST(overrides_change_what_is_read)
{
    const char *const set[] = {"time.step=0.005", "model.bodies.box.geometry.0.mass=2", "model.bodies.1.gravity=false",
                               "start={px: 0.5}", "title=another one", "contact.stiction_tolerance=1e-3"};
    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, PUSH, set, 6), TRX_OK);
    ck_assert(trx_problem_sim_settings(f.problem).time_step == 0.005);
    ck_assert(trx_problem_sim_settings(f.problem).stiction_tolerance == 1e-3);
    const trx_model *model = trx_problem_model(f.problem);
    ck_assert(trx_model_body(model, trx_model_find_body(model, "box")).mass == 2);
    ck_assert(!trx_model_body(model, trx_model_find_body(model, "pusher")).gravity);
    ck_assert(trx_problem_start(f.problem)[7] == 0.5);
    ck_assert_str_eq(trx_problem_title(f.problem), "another one");

    // the problem as run holds them, the fingerprint is of the file
    fixture plain = fixture_open();
    load_good(&plain, PUSH);
    ck_assert_str_eq(trx_problem_sha256(f.problem), trx_problem_sha256(plain.problem));
    ck_assert_ptr_nonnull(strstr(trx_problem_text(f.problem), "another one"));
    fixture_close(&plain);
    fixture_close(&f);
}
END_TEST

START_TEST(a_bad_override_is_wrong_usage_but_a_bad_value_bad_input)
{
    static const char *const usage[] = {"time.step", "=3", "model.bodies.bocks.gravity=false", "model.bodies.7.name=x",
                                        "time.step=[", "time.step.x=1"};
    fixture f = fixture_open();
    for (size_t i = 0; i < sizeof usage / sizeof *usage; i++) {
        trx_status status = load_text(&f, PUSH, &usage[i], 1);
        ck_assert_msg(status == TRX_ERR_ARGUMENT, "%s: %s", usage[i], trx_status_name(status));
        ck_assert_int_gt((int)strlen(trx_context_message(f.context)), 0);
    }
    const char *const value[] = {"time.stepp=0.01"};
    ck_assert_int_eq(load_text(&f, PUSH, value, 1), TRX_ERR_INPUT);
    ck_assert_str_eq(trx_context_diagnostic(f.context, 0).source.file, "--set time.stepp=0.01");
    ck_assert(has_finding(&f, TRX_ERROR, "unknown key \"stepp\": did you mean \"step\"?"));
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/problem");
    TCase *cases = tcase_create("problem");
    tcase_add_test(cases, every_shipped_problem_loads_and_its_text_loads_to_the_same);
    tcase_add_test(cases, order_and_names_follow_the_file);
    tcase_add_test(cases, defaults_are_those_of_the_library);
    tcase_add_test(cases, contact_settings_reach_model_and_sim);
    tcase_add_test(cases, duration_gives_the_number_of_steps);
    tcase_add_test(cases, the_start_takes_every_form);
    tcase_add_test(cases, missing_arguments_are_a_status);
    tcase_add_test(cases, overrides_change_what_is_read);
    tcase_add_test(cases, a_bad_override_is_wrong_usage_but_a_bad_value_bad_input);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
