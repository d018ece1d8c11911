// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Targets that are computed (the start, a table), overrides, controls and guesses from tables, paths.

#include "loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// a folder for the files of one test
typedef struct sandbox {
    fixture f;
    char folder[64], path[128];
} sandbox;

static sandbox open_sandbox(void)
{
    sandbox s = {.f = fixture_open(), .folder = "/tmp/tractrix-test-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(s.folder));
    return s;
}

static const char *in_folder(sandbox *s, const char *name)
{
    snprintf(s->path, sizeof s->path, "%s/%s", s->folder, name);
    return s->path;
}

static void write_file(sandbox *s, const char *name, const char *text)
{
    FILE *file = fopen(in_folder(s, name), "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void close_sandbox(sandbox *s, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) ck_assert_int_eq(remove(in_folder(s, names[i])), 0);
    ck_assert_int_eq(rmdir(s->folder), 0);
    fixture_close(&s->f);
}

// PUSH and what follows it, as a file of the sandbox
static trx_status load_push(sandbox *s, const char *rest)
{
    char text[8192], name[128];
    snprintf(text, sizeof text, "%s%s", PUSH, rest);
    snprintf(name, sizeof name, "%s/problem.yaml", s->folder);
    trx_problem_destroy(s->f.problem);
    trx_context_clear(s->f.context);
    return trx_problem_load_text(s->f.context, name, text, strlen(text), NULL, &s->f.problem);
}

static const trx_cost_term *term(const sandbox *s, int index)
{
    static trx_plan_problem p;
    trx_plan_settings settings;
    ck_assert_msg(trx_problem_plan(s->f.problem, &p, &settings) == TRX_OK, "%s", trx_context_message(s->f.context));
    ck_assert_int_lt(index, p.nterm);
    return &p.terms[index];
}

// ---- the start as target ----

START_TEST(a_target_at_the_start_is_the_quantity_there)
{
    static const char rest[] = "start:\n"
                               "  box: {xyz: [1, 2, 3], rpy: [0, 0, 1.5707963267948966], velocity: [4, 5, 6], spin: [1, 0, 0]}\n"
                               "  px: {position: 0.25, velocity: 7}\n"
                               "  py: {position: -0.5, velocity: 8}\n"
                               "cost:\n"
                               "  - {of: box.position, target: start}\n"
                               "  - {of: box.orientation, target: start}\n"
                               "  - {of: box.velocity, target: start}\n"
                               "  - {of: box.spin, target: start}\n"
                               "  - {of: tip.position, target: start}\n"
                               "  - {of: tip.velocity, target: start}\n"
                               "  - {of: joints(pusher).velocity, target: start}\n"
                               "  - {of: velocity, target: start}\n"
                               "  - {of: ground.position, target: start}\n";
    const double half = sqrt(0.5);
    static const double expected[9][9] = {{1, 2, 3}, {0}, {4, 5, 6}, {0, 1, 0}, {0.27, -0.5, 0}, {7, 8, 0}, {7, 8},
                                          {4, 5, 6, 1, 0, 0, 7, 8}, {0, 0, 0}};
    sandbox s = open_sandbox();
    ck_assert_int_eq(load_push(&s, rest), TRX_OK);
    for (int i = 0; i < 9; i++) {
        const trx_cost_term *t = term(&s, i);
        int count = trx_cost_term_target_length(trx_problem_model(s.f.problem), t);
        const double turned[4] = {half, 0, 0, half};
        ck_assert_ptr_nonnull(t->target);
        assert_below(max_difference(t->target, i == 1 ? turned : expected[i], count), 1e-15);
    }
    close_sandbox(&s, NULL, 0);
}
END_TEST

START_TEST(the_velocity_target_of_a_turning_frame_counts_its_arm)
{
    static const char text[] = "tractrix: 1\n"
                               "model:\n"
                               "  bodies:\n"
                               "    - name: arm\n"
                               "      pose: {xyz: [5, 0, 0]}\n"
                               "      joints: [{name: theta, type: hinge, axis: [0, 0, 2]}]\n"
                               "      inertia: {mass: 1, com: [1, 0, 0]}\n"
                               "      frames: [{name: tip, pose: {xyz: [2, 0, 0], rpy: [1, 0, 0]}}]\n"
                               "time: {step: 0.01, steps: 1}\n"
                               "start: {theta: {position: 1.5707963267948966, velocity: 3}}\n"
                               "cost: [{of: tip.velocity, target: start}, {of: tip.spin, target: start}, {of: tip.position, target: start}]\n";
    sandbox s = open_sandbox();
    load_good(&s.f, text);
    const double velocity[] = {-6, 0, 0}, spin[] = {0, 0, 3}, position[] = {5, 2, 0};
    assert_below(max_difference(term(&s, 0)->target, velocity, 3), 1e-14);
    assert_below(max_difference(term(&s, 1)->target, spin, 3), 1e-14);
    assert_below(max_difference(term(&s, 2)->target, position, 3), 1e-14);
    close_sandbox(&s, NULL, 0);
}
END_TEST

// ---- tables as target ----

START_TEST(a_table_is_interpolated_at_the_knots)
{
    // turns about z from 0 to -90 degrees (with the other sign of the quaternion), moves along x, holds at the end
    static const char table[] = "t,box.x,box.position.y,box.z,box.qw,box.qx,box.qy,box.qz,px,px.v,u.px,u.py\n"
                                "0,0,1,2,1,0,0,0,0,1,10,20\n"
                                "0.1,1,1,2,-0.7071067811865476,0,0,0.7071067811865476,0.5,3,11,21\n";
    static const char rest[] = "cost:\n"
                               "  - {of: box.position, target: {file: ref.csv}}\n"
                               "  - {of: box.orientation, target: {file: ref.csv}}\n"
                               "  - {of: px.position, target: {file: ref.csv}}\n"
                               "  - {of: px.velocity, target: {file: ref.csv}}\n"
                               "  - {of: control, target: {file: ref.csv}}\n";
    sandbox s = open_sandbox();
    write_file(&s, "ref.csv", table);
    trx_status status = load_push(&s, rest);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(s.f.context));
    for (int k = 0; k <= 10; k++) {
        double share = k < 5 ? k / 5.0 : 1, position[] = {share, 1, 2};
        const trx_cost_term *t = term(&s, 0);
        ck_assert_int_eq(t->target_stride, 3);
        assert_below(max_difference(t->target + 3 * k, position, 3), 1e-11);

        // between the rows the rotation is about z and monotone, and a quaternion stays one
        const double *q = term(&s, 1)->target + 4 * k;
        assert_close(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
        double angle = 2 * atan2(q[3], q[0]);
        if (k == 0) assert_close(angle, 0, 1e-11);
        if (k >= 5) assert_close(fabs(remainder(angle, 6.283185307179586)), 1.5707963267948966, 1e-9);
        if (k == 2) ck_assert(fabs(angle) > 0.5 && fabs(angle) < 0.75);

        assert_close(term(&s, 2)->target[k], 0.5 * share, 1e-11);
        assert_close(term(&s, 3)->target[k], 1 + 2 * share, 1e-11);
        assert_close(term(&s, 4)->target[2 * k + 1], k < 5 ? 20 : 21, 0);
    }
    const char *const names[] = {"ref.csv"};
    close_sandbox(&s, names, 1);
}
END_TEST

START_TEST(what_is_wrong_with_a_table_is_said_at_its_place)
{
    static const struct {
        const char *table, *words;
    } cases[] = {
        {"t,box.x,box.y\n0,0,0\n", "has no column \"box.position.z\" or \"box.z\": add it"},
        {"box.x,box.y,box.z\n0,0,0\n", "has no column \"t\""},
        {"t,box.x,box.y,box.z\n", "has no rows"},
        {"t,box.x,box.y,box.z\n0,0,,0\n", "an empty cell"},
        {"t,box.x,box.y,box.z\n0,0,0,0\n0,1,1,1\n", "t does not increase"},
        {"t,box.x,box.y,box.z\n0,0,0,up\n", "\"up\" is not a number"},
    };
    sandbox s = open_sandbox();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(&s, "ref.csv", cases[i].table);
        ck_assert_int_eq(load_push(&s, "cost: [{of: box.position, target: {file: ref.csv}}]\n"), TRX_ERR_INPUT);
        ck_assert_msg(has_finding(&s.f, TRX_ERROR, cases[i].words), "%s", trx_context_message(s.f.context));
    }
    write_file(&s, "ref.csv", "t,box.qw,box.qx,box.qy,box.qz\n0,0,0,0,0\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: box.orientation, target: {file: ref.csv}}]\n"), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "a zero quaternion"));

    // spins are in world axes, the coordinates of a free body are not
    write_file(&s, "ref.csv", "t,box.wx,box.wy,box.wz\n0,0,0,0\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: box.spin, target: {file: ref.csv}}]\n"), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "\"box.spin.x\""));
    const char *const names[] = {"ref.csv"};
    close_sandbox(&s, names, 1);
}
END_TEST

START_TEST(a_whole_configuration_comes_from_a_trajectory)
{
    static const char table[] = "t,box.x,box.y,box.z,box.qw,box.qx,box.qy,box.qz,px,py,other\n"
                                "0,1,2,3,2,0,0,0,4,5,0\n";
    sandbox s = open_sandbox();
    write_file(&s, "ref.csv", table);
    ck_assert_int_eq(load_push(&s, "cost: [{of: position, target: {file: ref.csv}}]\n"), TRX_OK);
    const double q[] = {1, 2, 3, 1, 0, 0, 0, 4, 5};
    assert_below(max_difference(term(&s, 0)->target + 9 * 10, q, 9), 1e-15);
    const char *const names[] = {"ref.csv"};
    close_sandbox(&s, names, 1);
}
END_TEST

// ---- overrides ----

// its last row has states but no controls, which used to be an error
START_TEST(controls_to_follow_come_from_a_trajectory)
{
    sandbox s = open_sandbox();
    write_file(&s, "ref.csv", "t,px,u.px,u.py\n0,0,1,2\n0.02,0,3,4\n0.04,0,,\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: control, target: {file: ref.csv}}]\n"), TRX_OK);
    const double *target = term(&s, 0)->target;
    ck_assert(target[0] == 1 && target[1] == 2 && target[2] == 3 && target[3] == 4 && target[4] == 3);
    write_file(&s, "ref.csv", "t,u.px,u.py\n0,1,2\n0.01,3,\n");
    ck_assert_int_eq(load_push(&s, "cost: [{of: control, target: {file: ref.csv}}]\n"), TRX_ERR_INPUT);
    ck_assert(has_finding(&s.f, TRX_ERROR, "an empty cell"));
    const char *const names[] = {"ref.csv"};
    close_sandbox(&s, names, 1);
}
END_TEST

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

// ---- controls ----

START_TEST(controls_are_held_between_rows)
{
    sandbox s = open_sandbox();
    ck_assert_int_eq(load_push(&s, ""), TRX_OK);
    write_file(&s, "u.csv", "t,u.py,note,u.px\n0,1,9,10\n0.04,2,9,20\n0.07,3,9,30\n");
    double u[20];
    ck_assert_int_eq(trx_problem_read_controls(s.f.problem, in_folder(&s, "u.csv"), u), TRX_OK);
    static const double px[] = {10, 10, 20, 20, 30, 30, 30, 30, 30, 30};
    for (int k = 0; k < 10; k++) {
        assert_close(u[2 * k], px[k], 0);
        assert_close(u[2 * k + 1], px[k] / 10, 0);
    }

    // the last row of a trajectory has no controls
    write_file(&s, "u.csv", "t,u.px,u.py\n0,1,2\n0.02,3,4\n0.04,,\n");
    ck_assert_int_eq(trx_problem_read_controls(s.f.problem, in_folder(&s, "u.csv"), u), TRX_OK);
    assert_close(u[18], 3, 0);
    const char *const names[] = {"u.csv"};
    close_sandbox(&s, names, 1);
}
END_TEST

START_TEST(bad_controls_are_refused)
{
    static const struct {
        const char *table, *words;
    } cases[] = {
        {"t,u.px\n0,1\n", "no column \"u.py\""},
        {"u.px,u.py\n0,1\n", "no column \"t\""},
        {"t,u.px,u.py\n", "no rows"},
        {"t,u.px,u.py\n0,1,\n1,2,3\n", "an empty cell"},
        {"t,u.px,u.py\n1,1,1\n0,2,3\n", "t does not increase"},
    };
    sandbox s = open_sandbox();
    double u[20];
    ck_assert_int_eq(load_push(&s, ""), TRX_OK);
    ck_assert_int_eq(trx_problem_read_controls(s.f.problem, in_folder(&s, "none.csv"), u), TRX_ERR_IO);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(&s, "u.csv", cases[i].table);
        ck_assert_int_eq(trx_problem_read_controls(s.f.problem, in_folder(&s, "u.csv"), u), TRX_ERR_INPUT);
        ck_assert_msg(has_finding(&s.f, TRX_ERROR, cases[i].words), "%s", trx_context_message(s.f.context));
    }
    const char *const names[] = {"u.csv"};
    close_sandbox(&s, names, 1);
}
END_TEST

START_TEST(guesses_come_from_gravity_tables_and_runs)
{
    trx_plan_problem p;
    trx_plan_settings settings;
    sandbox s = open_sandbox();
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

    // m g l sin(theta) of a pendulum, plus its spring, within the limits
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
        assert_close(p.u_guess[2 * k], torque / 2, 1e-14);
        assert_close(p.u_guess[2 * k + 1], 0.5, 0);
    }
    const char *const names[] = {"guess.csv", "trajectory.csv"};
    close_sandbox(&s, names, 2);
}
END_TEST

START_TEST(paths_of_the_problem_as_run_are_absolute)
{
    char here[1024], expected[1400];
    fixture f = fixture_open();
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    static const char text[] = "tractrix: 1\nmodel: {bodies: []}\ntime: {step: 0.01, steps: 1}\n"
                               "fit: {data: [{file: data/slide.csv}, {file: /else/where.csv}], parameters: []}\n"
                               "solve: {guess: runs/last}\n";
    ck_assert_int_eq(trx_problem_load_text(f.context, "problems/x.yaml", text, strlen(text), NULL, &f.problem), TRX_OK);
    snprintf(expected, sizeof expected, "%s/problems/data/slide.csv", here);
    ck_assert_ptr_nonnull(strstr(trx_problem_text(f.problem), expected));
    snprintf(expected, sizeof expected, "%s/problems/runs/last", here);
    ck_assert_ptr_nonnull(strstr(trx_problem_text(f.problem), expected));
    ck_assert_ptr_nonnull(strstr(trx_problem_text(f.problem), "{file: /else/where.csv}"));
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/forms");
    TCase *cases = tcase_create("forms");
    tcase_add_test(cases, a_target_at_the_start_is_the_quantity_there);
    tcase_add_test(cases, the_velocity_target_of_a_turning_frame_counts_its_arm);
    tcase_add_test(cases, a_table_is_interpolated_at_the_knots);
    tcase_add_test(cases, what_is_wrong_with_a_table_is_said_at_its_place);
    tcase_add_test(cases, a_whole_configuration_comes_from_a_trajectory);
    tcase_add_test(cases, controls_to_follow_come_from_a_trajectory);
    tcase_add_test(cases, overrides_change_what_is_read);
    tcase_add_test(cases, a_bad_override_is_wrong_usage_but_a_bad_value_bad_input);
    tcase_add_test(cases, controls_are_held_between_rows);
    tcase_add_test(cases, bad_controls_are_refused);
    tcase_add_test(cases, guesses_come_from_gravity_tables_and_runs);
    tcase_add_test(cases, paths_of_the_problem_as_run_are_absolute);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
