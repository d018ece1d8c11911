// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Each warning of trx_problem_diagnose comes when it should, at its place, and not otherwise; the gradient check
// judges, counts kinks, and would see an error.

#include "loading.h"

#include <string.h>

static const char START[] = "start={box: {xyz: [0, 0, 0.05]}, px: -0.1}";

static int count_findings(const fixture *f, trx_severity severity)
{
    int count = 0;
    for (int i = 0; i < trx_context_diagnostic_count(f->context); i++)
        count += trx_context_diagnostic(f->context, i).severity == severity;
    return count;
}

START_TEST(each_warning_has_its_cause)
{
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"start.box={xyz: [0, 0, 0.04]}", "\"ground#1\" and \"box#1\" overlap by 0.01 m"},
        {"model.bodies.pusher.joints.px.limits=[0, 1]", "joint \"px\" starts at -0.1, outside its limits [0, 1]"},
        {"model.bodies.pusher.geometry.0.mass=10000", "one is 2e+04 times heavier"},
        {"model.materials.table.stiffness=1e9", "longer than the period 2 pi sqrt(m/k)"},
        {"cost=[{of: velocity, weight: 0}]", "velocity has no effect: all its weights are 0"},
        {"cost=[{of: ground.position}]", "ground.position has no effect: it is fixed to the world"},
    };
    fixture f = fixture_open();
    const char *const plain[] = {START, "model.bodies.pusher.gravity=false", "contact={pairs: {exclude: [[pusher, ground]]}}"};
    ck_assert_int_eq(load_text(&f, PUSH, plain, 3), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert_int_eq(trx_context_diagnostic_count(f.context), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const set[] = {START, plain[1], plain[2], cases[i].set};
        ck_assert_int_eq(load_text(&f, PUSH, set, 4), TRX_OK);
        ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
        ck_assert_msg(has_finding(&f, TRX_WARNING, cases[i].words), "%s: %s", cases[i].set,
                      trx_context_diagnostic(f.context, 0).text);
        ck_assert_int_gt(trx_context_diagnostic(f.context, 0).source.line, 0);
        ck_assert_int_eq(trx_context_error_count(f.context), 0);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(actuators_that_cannot_hold_gravity_are_named)
{
    static const char arm[] = "tractrix: 1\n"
                              "model:\n"
                              "  bodies:\n"
                              "    - name: arm\n"
                              "      joints: [{name: theta, type: hinge, axis: [0, 1, 0]}]\n"
                              "      inertia: {mass: 1, com: [0, 0, -1]}\n"
                              "  actuators: [{joint: theta, limits: [-5, 5]}]\n"
                              "time: {step: 0.01, steps: 10}\n";
    fixture f = fixture_open();
    const char *const level[] = {"start={theta: 1.5707963267948966}"};
    ck_assert_int_eq(load_text(&f, arm, level, 1), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(has_finding(&f, TRX_WARNING, "actuator \"theta\" needs 9.81 to hold the start still"));
    ck_assert_int_eq(trx_context_diagnostic(f.context, 0).source.line, 7);
    // of several, the one that is farthest from its limits
    const char *const two[] = {"start={theta: 1.5707963267948966}",
                               "model.actuators=[{name: a, joint: theta, limits: [-6, 6]}, "
                               "{name: b, joint: theta, limits: [-3, 3]}]"};
    ck_assert_int_eq(load_text(&f, arm, two, 2), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert_int_eq(trx_context_diagnostic_count(f.context), 1);
    ck_assert(has_finding(&f, TRX_WARNING, "actuator \"b\" needs 4.905 to hold the start still (contacts aside), outside "
                                           "its limits [-3, 3]"));
    const char *const both[] = {"start={theta: 1.5707963267948966}",
                                "model.actuators=[{name: a, joint: theta, limits: [-4, 4]}, "
                               "{name: b, joint: theta, limits: [-3, 3]}]"};
    ck_assert_int_eq(load_text(&f, arm, both, 2), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert_int_eq(trx_context_diagnostic_count(f.context), 1);
    ck_assert(has_finding(&f, TRX_WARNING, "outside its limits [-3, 3] (and so for 1 other actuator)"));
    const char *const hanging[] = {"start={theta: 0.3}"};
    ck_assert_int_eq(load_text(&f, arm, hanging, 1), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert_int_eq(trx_context_diagnostic_count(f.context), 0);

    // without actuators their cost does nothing
    const char *const idle[] = {"model.actuators=[]", "cost=[{of: control}]"};
    ck_assert_int_eq(load_text(&f, arm, idle, 2), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(has_finding(&f, TRX_WARNING, "the model has no actuators"));
    fixture_close(&f);
}
END_TEST

START_TEST(drives_that_cannot_do_their_work_are_named)
{
    static const char arm[] = "tractrix: 1\n"
                              "model:\n"
                              "  bodies:\n"
                              "    - name: arm\n"
                              "      joints: [{name: theta, type: hinge, axis: [0, 1, 0]}]\n"
                              "      inertia: {mass: 1, com: [0, 0, -1]}\n"
                              "  actuators: [{joint: theta, type: pd, kp: 100, kd: 1, effort: 5}]\n"
                              "time: {step: 0.01, steps: 10}\n"
                              "start: {theta: 1.5707963267948966}\n";
    fixture f = fixture_open();
    load_good(&f, arm);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(has_finding(&f, TRX_WARNING, "drive \"theta\" needs an effort of 9.81 to hold the start still"));
    ck_assert_int_eq(trx_context_diagnostic_count(f.context), 1);

    // 4 pi^2 m l^2/dt = 3948 N m s/rad is the most that 10 ms resolve: kp of 4e5 is above, of 3.9e5 below
    const char *const stiff[] = {"model.actuators.0.effort=50", "model.actuators.0.kp=4e5"};
    const char *const fair[] = {"model.actuators.0.effort=50", "model.actuators.0.kp=3.9e5"};
    ck_assert_int_eq(load_text(&f, arm, stiff, 2), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(has_finding(&f, TRX_WARNING, "drive \"theta\" is too stiff for the time step of 0.01 s"));
    ck_assert_int_eq(load_text(&f, arm, fair, 2), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert_int_eq(trx_context_diagnostic_count(f.context), 0);
    fixture_close(&f);
}
END_TEST

START_TEST(many_pairs_of_a_kind_are_one_warning_and_a_robot_one_note)
{
    fixture f = fixture_open();
    load_file(&f, "tests/problem/robots/everything.yaml");
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    int notes = count_findings(&f, TRX_NOTE);
    ck_assert_int_eq(notes, 4); // three robots; ball, rock and ground in one
    ck_assert(has_finding(&f, TRX_NOTE, "\"crane\" takes the default material"));
    const char *const folded[] = {"contact.pairs.exclude=[]", "start.joints(arm)=[0, 2.5, 0, 0]", "start.ball.xyz=[3, 0, 0.05]"};
    trx_problem_options inside = trx_problem_options_default();
    inside.set = folded, inside.nset = 3;
    trx_problem_destroy(f.problem);
    trx_context_clear(f.context);
    ck_assert_int_eq(trx_problem_load(f.context, "tests/problem/robots/everything.yaml", &inside, &f.problem), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(has_finding(&f, TRX_WARNING, "\"ground#1\" and \"ball#1\" overlap by 0.05 m"));
    ck_assert(!has_finding(&f, TRX_WARNING, "inside \"crane\""));
    const char *const many[] = {"model.include=[{name: r, file: problems/models/panda.urdf}]", "model.bodies=[]",
                                "model.actuators=[]"};
    ck_assert_int_eq(load_text(&f, PUSH, many, 3), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(has_finding(&f, TRX_WARNING, "pairs inside \"r\" overlap at the start, "));
    ck_assert(has_finding(&f, TRX_WARNING, "let them not meet (contact.pairs.exclude: [[r, r]])"));

    const char *const slow[] = {"time.step=0.02"};
    trx_problem_options options = trx_problem_options_default();
    options.set = slow, options.nset = 1;
    trx_problem_destroy(f.problem);
    trx_context_clear(f.context);
    ck_assert_int_eq(trx_problem_load(f.context, "tests/problem/robots/everything.yaml", &options, &f.problem), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(has_finding(&f, TRX_WARNING, "other pairs): impacts are not resolved"));
    ck_assert_int_eq(count_findings(&f, TRX_WARNING), 2); // the second warning: the constraint is open at the start
    fixture_close(&f);
}
END_TEST

START_TEST(what_stands_too_low_on_the_ground_of_its_own_file_is_told_to_move)
{
    fixture f = fixture_open();
    const char *const scene[] = {"model.include=[{name: s, file: tests/problem/robots/scene.xml}]", "model.bodies=[]",
                                 "model.actuators=[]"};
    ck_assert_int_eq(load_text(&f, PUSH, scene, 3), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(has_finding(&f, TRX_WARNING, "\"s/floor\" and \"s/skin\" overlap by 0.01 m at the start: move one of them"));
    ck_assert(!has_finding(&f, TRX_WARNING, "let them not meet"));
    fixture_close(&f);
}
END_TEST

START_TEST(a_constraint_that_starts_open_is_named_with_its_gap)
{
    static const char text[] = "tractrix: 1\nmodel:\n  bodies:\n"
                               "    - {name: a, joints: [{name: l, type: hinge, axis: [0, 0, 1]}], "
                               "inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
                               "    - {name: b, joints: [{name: f, type: hinge, axis: [0, 0, 1]}], "
                               "inertia: {mass: 1, tensor: [1, 1, 1]}}\n"
                               "  constraints: [{name: mimic, type: coupler, joint: f, of: l, ratio: 2}]\n"
                               "time: {step: 0.01, steps: 2}\nstart: {l: 0.5}\n";
    static const char *const together[] = {"start.f=1"};
    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, text, NULL, 0), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(has_finding(&f, TRX_WARNING, "coupler \"mimic\" is open by 1 m or rad at the start"));
    const char *const second[] = {"model.constraints=[{name: mimic, type: coupler, joint: f, of: l, ratio: 2}, "
                                  "{name: wider, type: coupler, joint: f, of: l, ratio: 3}]"};
    ck_assert_int_eq(load_text(&f, text, second, 1), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(has_finding(&f, TRX_WARNING, "\"wider\" is open by 1.5 m or rad at the start (and so is 1 other constraint)"));
    ck_assert(!has_finding(&f, TRX_WARNING, "\"mimic\""));
    ck_assert_int_eq(load_text(&f, text, together, 1), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert(!has_finding(&f, TRX_WARNING, "is open by"));
    fixture_close(&f);
}
END_TEST

START_TEST(who_takes_the_default_material_is_noted)
{
    static const char text[] = "tractrix: 1\n"
                               "model:\n"
                               "  bodies:\n"
                               "    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.1, mass: 10}]}\n"
                               "    - {name: ground, geometry: [{shape: halfspace}]}\n"
                               "time: {step: 0.01, steps: 10}\n"
                               "start: {ball: {xyz: [0, 0, 1]}}\n";
    fixture f = fixture_open();
    load_good(&f, text);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert_int_eq(count_findings(&f, TRX_NOTE), 1);
    ck_assert(has_finding(&f, TRX_NOTE, "\"ball#1\" takes the default material: stiffness 100000 N/m"));
    ck_assert(has_finding(&f, TRX_NOTE, "friction 0.5; so does 1 other"));

    // a default of the user's own is no surprise
    const char *const own[] = {"model.materials={default: {stiffness: 1e4}}"};
    ck_assert_int_eq(load_text(&f, text, own, 1), TRX_OK);
    ck_assert_int_eq(trx_problem_diagnose(f.problem), TRX_OK);
    ck_assert_int_eq(trx_context_diagnostic_count(f.context), 0);
    ck_assert(trx_model_pair(trx_problem_model(f.problem), 0).law.stiffness == 5e3);
    fixture_close(&f);
}
END_TEST

START_TEST(gradients_agree_along_a_fall_onto_the_ground)
{
    const char *const set[] = {"start={box: {xyz: [0, 0, 0.06], rpy: [0.1, 0.05, 0], velocity: [0.5, 0, 0]}, px: -0.3, py: 0}",
                               "time={step: 0.01, steps: 40}"};
    fixture f = fixture_open();
    trx_gradient_check check;
    ck_assert_int_eq(load_text(&f, PUSH, set, 2), TRX_OK);
    trx_status status = trx_problem_check_gradients(f.problem, 20, &check);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(f.context));
    ck_assert(check.ok);
    ck_assert_int_eq(check.states + check.kinks, 21);
    ck_assert_int_ge(check.states, 15);
    ck_assert(check.a_error > 0 && check.b_error > 0);
    assert_below(check.a_error, 1e-5);
    ck_assert_ptr_nonnull(strstr(check.a_at, "knot "));
    ck_assert_ptr_nonnull(strstr(check.b_at, " / d u.p"));
    fixture_close(&f);
}
END_TEST

// a finger that rests at its stop stays on that kink: nothing was judged, and the check said that gradients agree
START_TEST(a_start_on_a_kink_is_counted_and_a_state_beside_it_is_judged)
{
    const char *const set[] = {START, "time={step: 0.01, steps: 1}"};
    fixture f = fixture_open();
    trx_gradient_check check;
    ck_assert_int_eq(load_text(&f, PUSH, set, 2), TRX_OK);
    ck_assert_int_eq(trx_problem_check_gradients(f.problem, 0, &check), TRX_OK);
    ck_assert_int_eq(check.kinks, 1);
    ck_assert_int_eq(check.states, 1);
    ck_assert(check.ok);
    ck_assert(check.a_error > 0 && check.b_error > 0);
    ck_assert(has_finding(&f, TRX_NOTE, "every state of the motion lies at a kink: judged from a start that is moved"));
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/diagnose");
    TCase *cases = tcase_create("diagnose");
    tcase_add_test(cases, each_warning_has_its_cause);
    tcase_add_test(cases, actuators_that_cannot_hold_gravity_are_named);
    tcase_add_test(cases, drives_that_cannot_do_their_work_are_named);
    tcase_add_test(cases, many_pairs_of_a_kind_are_one_warning_and_a_robot_one_note);
    tcase_add_test(cases, what_stands_too_low_on_the_ground_of_its_own_file_is_told_to_move);
    tcase_add_test(cases, a_constraint_that_starts_open_is_named_with_its_gap);
    tcase_add_test(cases, who_takes_the_default_material_is_noted);
    tcase_add_test(cases, gradients_agree_along_a_fall_onto_the_ground);
    tcase_add_test(cases, a_start_on_a_kink_is_counted_and_a_state_beside_it_is_judged);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
