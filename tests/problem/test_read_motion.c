// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Motions of bodies in a problem file: what becomes of their keys, files of poses, and plans with moving bodies. Refusals of keys
// are in tests/malformed.

#include "loading.h"

#include "math/constants.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static trx_pose pose_at(const fixture *f, const char *body, double t)
{
    const trx_model *model = trx_problem_model(f->problem);
    trx_pose poses[8];
    int index = trx_model_find_body(model, body);
    ck_assert(index >= 0 && trx_model_get_size(model).nbody <= 8);
    trx_model_body_poses_at(model, trx_problem_start(f->problem), t, poses);
    return poses[index];
}

START_TEST(keys_become_a_motion)
{
    const char *const set[] = {"model.bodies.ground.motion={type: hinge, axis: [0, 0, 2], at: [1, 0, 0], amplitude: 0.5, "
                               "frequency: 2, phase: 0.1, velocity: 3}",
                               "model.bodies.ground.geometry.0.surface_velocity=[1, 2, 3]"};
    fixture f = fixture_open();
    ck_assert_msg(load_text(&f, PUSH, set, 2) == TRX_OK, "%s", trx_context_message(f.context));
    double t = 0.7, angle = 3 * t + 0.5 * sin(4 * TRXI_PI * t + 0.1);
    trx_pose pose = pose_at(&f, "ground", t);
    assert_close(pose.p[0], 1 - cos(angle), 1e-14);
    assert_close(pose.p[1], -sin(angle), 1e-14);
    assert_close(f.problem->scene.bodies[2].geometry[0].surface_velocity[2], 3, 0);
    fixture_close(&f);
}
END_TEST

// loads the push with the ground's motion from a file of this text
static trx_status load_belt(sandbox *s, const char *csv)
{
    char text[4096], name[TEMPORARY_PATH + 16];
    write_file(s, "belt.csv", csv);
    const char *ground = strstr(PUSH, "{name: ground, ");
    snprintf(text, sizeof text, "%.*s{name: ground, motion: {file: belt.csv}, %s", (int)(ground - PUSH), PUSH,
             ground + strlen("{name: ground, "));
    snprintf(name, sizeof name, "%s/problem.yaml", s->folder);
    return load_text_as(&s->f, name, text, NULL, 0);
}

START_TEST(a_file_gives_positions_or_poses_in_columns_of_any_order)
{
    const char *const files[] = {"belt.csv"};
    sandbox s = sandbox_open();
    ck_assert_msg(load_belt(&s, "x,t,note\n0,0,1\n0.5,1,1\n0,3,1\n") == TRX_OK, "%s", trx_context_message(s.f.context));
    assert_close(pose_at(&s.f, "ground", 0.5).p[0], 0.25, 1e-15);
    assert_close(pose_at(&s.f, "ground", 2).p[0], 0.25, 1e-15);
    assert_close(pose_at(&s.f, "ground", 2).quat[0], 1, 0);

    ck_assert_int_eq(load_belt(&s, "t,qw,qx,qy,qz,z\n0,1,0,0,0,0\n2,0,0,0,1,4\n"), TRX_OK);
    trx_pose pose = pose_at(&s.f, "ground", 1);
    assert_close(pose.p[2], 2, 1e-15);
    assert_close(pose.quat[3], sqrt(0.5), 1e-15);
    sandbox_close(&s, files, 1);
}
END_TEST

START_TEST(files_that_are_no_motion_are_refused)
{
    static const struct {
        const char *csv, *words;
    } cases[] = {
        {"x,y\n0,0\n", "has no column \"t\""},
        {"t,u,v\n0,0,0\n", "has none of the columns x, y, z, qw, qx, qy or qz"},
        {"t,x,qw,qx\n0,0,1,0\n", "has only some of the columns qw, qx, qy, qz"},
        {"t,x\n", "has no rows"},
        {"t,x\n0,0\n0,1\n", "t does not increase"},
        {"t,x\n0,\n", "an empty cell"},
        {"t,qw,qx,qy,qz\n0,0,0,0,0\n", "its quaternion is zero"},
        {"t,x\n0,a\n", "belt.csv"},
    };
    const char *const files[] = {"belt.csv"};
    sandbox s = sandbox_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(load_belt(&s, cases[i].csv), TRX_ERR_INPUT);
        const char *text = trx_context_diagnostic(s.f.context, 0).text, *file = trx_context_diagnostic(s.f.context, 0).source.file;
        ck_assert_msg(strstr(text, cases[i].words) || strstr(file, cases[i].words), "case %zu: %s", i, text);
    }
    sandbox_close(&s, files, 1);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_an_io_error)
{
    const char *const set[] = {"model.bodies.ground.motion={file: nowhere.csv}"};
    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, PUSH, set, 1), TRX_ERR_IO);
    ck_assert(has_finding(&f, TRX_ERROR, "nowhere.csv"));
    fixture_close(&f);
}
END_TEST

START_TEST(terms_of_moving_bodies_are_refused_but_distances)
{
    const char *const moves = "model.bodies.ground.motion={type: slide, axis: [1, 0, 0], velocity: 1}";
    const char *const wrong[] = {moves, "cost=[{of: ground.position}]"};
    const char *const right[] = {moves, "cost=[{of: \"distance(ground, box)\"}]"};
    fixture f = fixture_open();
    ck_assert_int_eq(load_text(&f, PUSH, wrong, 2), TRX_ERR_INPUT);
    ck_assert(has_finding(&f, TRX_ERROR, "\"ground.position\": the motion of the body is prescribed"));
    ck_assert_int_eq(load_text(&f, PUSH, right, 2), TRX_OK);
    fixture_close(&f);
}
END_TEST

static const char tray[] = "tractrix: 1\n"
                           "model:\n"
                           "  materials: {default: {stiffness: 2.0e4, dissipation: 2, friction: 0.6}}\n"
                           "  bodies:\n"
                           "    - {name: tray, motion: {type: slide, axis: [1, 0, 0.3], amplitude: 0.05, "
                           "frequency: 1.5}, geometry: [{shape: halfspace, surface_velocity: [0, 0.1, 0]}]}\n"
                           "    - {name: box, joint: free, geometry: [{shape: box, size: [0.1, 0.1, 0.1], mass: 1}]}\n"
                           "    - {name: pusher, joints: [{name: px, type: slide, axis: [1, 0, 0], damping: 5}], "
                           "geometry: [{shape: "
                           "sphere, radius: 0.05, pose: {xyz: [0, 0, 0.06]}, mass: 0.5, material: default}]}\n"
                           "  actuators: [{joint: px, limits: [-20, 20]}]\n"
                           "  loads: [{body: box, force: [0, 0.3, 0], at: [0.05, 0, 0.02], wave: sine, frequency: 2}]\n"
                           "contact: {stiction_tolerance: 5.0e-3, pairs: {exclude: [[pusher, tray]]}}\n"
                           "time: {step: 0.01, steps: 40}\n"
                           "start: {box: {xyz: [0, 0, 0.05]}, px: -0.099, settle: 0.5}\n"
                           "cost:\n"
                           "  - {of: box.position, target: [0.05, 0, 0.05], weight: [100, 0, 0], at: end}\n"
                           "  - {of: \"distance(box, tray)\", weight: 1}\n"
                           "  - {of: control, weight: 0.001}\n"
                           "solve: {iterations: 6, continuation: [physical]}\n";

START_TEST(gradients_hold_along_a_simulation_on_a_moving_tray)
{
    fixture f = fixture_open();
    load_good(&f, tray);
    trx_gradient_check check;
    ck_assert_int_eq(trx_problem_check_gradients(f.problem, 40, &check), TRX_OK);
    ck_assert_int_ge(check.states, 20);
    assert_below(check.a_error, 1e-6);
    assert_below(check.b_error, 1e-6);
    fixture_close(&f);
}
END_TEST

START_TEST(a_plan_and_its_replay_and_a_simulation_see_the_same_motion)
{
    fixture f = fixture_open();
    load_good(&f, tray);
    trx_plan_problem problem = trx_plan_problem_default();
    trx_plan_settings settings = trx_plan_settings_default();
    trx_plan *plan;
    ck_assert_int_eq(trx_problem_plan(f.problem, &problem, &settings), TRX_OK);
    ck_assert_int_eq(trx_plan_create(f.context, &problem, &settings, &plan), TRX_OK);
    ck_assert_int_ge(trx_plan_solve(plan, NULL, NULL), 0);

    // the same steps at the same times
    const trx_model *model = trx_problem_model(f.problem);
    trx_model_size size = trx_model_get_size(model);
    const double *x_plan = trx_plan_states(plan), *u = trx_plan_controls(plan);
    trx_sim *sim;
    double x[64];
    int nx = size.nq + size.nv;
    ck_assert_int_eq(trx_sim_create(f.context, model, &problem.sim, &sim), TRX_OK);
    memcpy(x, problem.x0, (size_t)nx * sizeof *x);
    for (int k = 0; k < problem.steps; k++) {
        ck_assert_int_eq(trx_sim_set_time(sim, k * problem.sim.time_step), TRX_OK);
        ck_assert_int_ge(trx_step(sim, x, u + k * size.nu, x), 0);
        for (int i = 0; i < nx; i++) assert_close(x[i], x_plan[nx * (k + 1) + i], 1e-6);
    }
    ck_assert_double_gt(fabs(x[0]), 1e-3);
    trx_sim_destroy(sim);
    trx_plan_destroy(plan);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_motion");
    TCase *cases = tcase_create("read_motion");
    tcase_add_test(cases, keys_become_a_motion);
    tcase_add_test(cases, a_file_gives_positions_or_poses_in_columns_of_any_order);
    tcase_add_test(cases, files_that_are_no_motion_are_refused);
    tcase_add_test(cases, a_file_that_is_not_there_is_an_io_error);
    tcase_add_test(cases, terms_of_moving_bodies_are_refused_but_distances);
    tcase_add_test(cases, gradients_hold_along_a_simulation_on_a_moving_tray);
    tcase_add_test(cases, a_plan_and_its_replay_and_a_simulation_see_the_same_motion);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
