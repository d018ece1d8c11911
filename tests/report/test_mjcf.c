// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A run as MJCF comes back through the project's own reader of MJCF as the same model: sizes, names, poses, mass matrix and
// bias forces at its own states, joints, actuators, constraints and keyframes. (That MuJoCo reads it alike is measured in
// docs/models.md.)

#include "base/random.h"
#include "report/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/import.h>

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

static const char scene[] =
    "tractrix: 1\n"
    "title: Every <kind> of \"joint\" & shape\n"
    "model:\n"
    "  bodies:\n"
    "    - {name: base, joint: free, inertia: {mass: 2, com: [0.01, 0.02, 0.03], tensor: [0.02, 0.03, 0.025, 0.001, 0.002, "
    "-0.001]}, geometry: [{shape: sphere, radius: 0.05}, {shape: ellipsoid, size: [0.1, 0.2, 0.3], collide: false}]}\n"
    "    - name: arm\n"
    "      parent: base\n"
    "      pose: {xyz: [0.1, 0, 0.05], rpy: [0.3, -0.2, 0.5]}\n"
    "      joints:\n"
    "        - {name: h, type: hinge, axis: [0, 1, 0.3], at: [0.02, 0, 0.01], damping: 0.1, stiffness: 2, rest: 0.3, "
    "armature: 0.01, reference: 0.2, limits: [-1, 2]}\n"
    "        - {name: s, type: slide, axis: [1, 0.2, 0], friction: 0.1}\n"
    "      inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.002, 0.01, 0.01]}\n"
    "      geometry: [{shape: capsule, radius: 0.02, length: 0.1, color: [1, 0, 0]}]\n"
    "      frames: [{name: hand, pose: {xyz: [0.2, 0, 0]}}]\n"
    "    - {name: wrist, parent: arm, pose: {xyz: [0.2, 0, 0.01]}, geometry: [{shape: box, size: [0.1, 0.05, 0.02]}], "
    "inertia: {mass: 0.3, tensor: [0.001, 0.001, 0.001]}}\n"
    "    - {name: tip, parent: wrist, pose: {xyz: [0.1, 0, 0]}, joint: ball, inertia: {mass: 0.5, com: [0, 0, 0.05], "
    "tensor: [0.001, 0.002, 0.0015]}}\n"
    "    - {name: floor, geometry: [{shape: halfspace}]}\n"
    "    - {name: post, pose: {xyz: [2, 0, 0]}, geometry: [{shape: cylinder, radius: 0.1, length: 0.4}]}\n"
    "  actuators:\n"
    "    - {joint: h, type: pd, kp: 20, kd: 1, effort: 5, limits: [-1, 1]}\n"
    "    - {joint: s, gear: -3, limits: [-7, 9]}\n"
    "    - {joints: {h: 1, s: 0.5}, name: ten, gear: 2}\n"
    "    - {joints: {s: 0.5}, name: one, gear: 4}\n"
    "    - {joint: h, name: muscle, type: muscle, force: 30, optimal_length: 0.9, tendon_length: -0.4, max_speed: 3, "
    "passive_force: 0, activation: {type: muscle, time_constant: 0.02, smoothing: 0.3}}\n"
    "    - {joints: {h: 1, s: 2}, name: strong, type: muscle, force: 70, optimal_length: 2, lengths: [0.3, 1.5], effort: 60, "
    "activation: {type: filter, time_constant: 0.05}}\n"
    "  constraints:\n"
    "    - {name: cpl, type: coupler, joint: s, of: h, ratio: 0.1, offset: 0.02}\n"
    "    - {name: cord, type: tendon, joints: {s: 2, h: -1}, limits: [-3, 4]}\n"
    "time: {step: 0.001, steps: 4}\n"
    "start: {h: 0.4, base: {xyz: [0.1, 0.2, 1], rpy: [0.1, 0.2, 0.3], spin: [1, 2, 3]}}\n";

// a scene simulated, written and exported: the file
static const char *exported(const char *text, trx_problem **problem)
{
    ck_assert_msg(trx_problem_load_text(f.context, "scene.yaml", text, strlen(text), NULL, problem) == TRX_OK, "%s",
                  trx_context_message(f.context));
    trx_run *run;
    ck_assert_int_eq(trx_run_create(f.context, *problem, &run), TRX_OK);
    ck_assert_msg(trx_run_simulate(run, NULL) >= 0, "%s", trx_context_message(f.context));
    ck_assert_int_eq(trx_run_write(run, f.folder), TRX_OK);
    trx_run_destroy(run);
    const char *file = fixture_file(&f, "../run.xml");
    ck_assert_msg(trx_run_export_mjcf(f.context, f.folder, file) == TRX_OK, "%s", trx_context_message(f.context));
    return file;
}

// a scene exported and read back
static const trx_import_result *round_trip_of(const char *text, trx_problem **problem, trx_import **import, trx_model **model)
{
    const char *file = exported(text, problem);
    trx_import_options options = trx_import_options_default();
    ck_assert_msg(trx_import_load(f.context, file, &options, import) == TRX_OK, "%s", trx_context_message(f.context));
    const trx_import_result *result = trx_import_get(*import);
    ck_assert_msg(trx_model_create(f.context, &result->def, model) == TRX_OK, "%s", trx_context_message(f.context));
    return result;
}

static const trx_import_result *round_trip(trx_problem **problem, trx_import **import, trx_model **model)
{
    return round_trip_of(scene, problem, import, model);
}

static void compare_dynamics(const trx_model *a, const trx_model *b, uint64_t seed)
{
    enum { MOST = 32 };
    trx_model_size size = trx_model_get_size(a);
    double q[MOST], v[MOST], dq[MOST], M[2][MOST * MOST], bias[2][MOST];
    trx_pose poses[2][MOST];
    trx_model_neutral(a, q);
    for (int i = 0; i < size.nv; i++)
        dq[i] = trxi_random_normal(seed, (uint64_t)i), v[i] = trxi_random_normal(seed + 1, (uint64_t)i);
    trx_model_integrate(a, q, dq, q);
    const trx_model *models[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(trx_model_dynamics(f.context, models[i], q, v, M[i], bias[i]), TRX_OK);
        trx_model_body_poses(models[i], q, poses[i]);
    }
    assert_below(max_difference(M[0], M[1], size.nv * size.nv), 1e-12);
    assert_below(max_difference(bias[0], bias[1], size.nv), 1e-11);
    for (int i = 0; i < size.nbody; i++)
        assert_below(max_difference(poses[0][i].p, poses[1][trx_model_find_body(b, trx_model_body_name(a, i))].p, 3), 1e-13);
}

static void compare_muscles(const trx_muscle_def *a, const trx_muscle_def *b)
{
    assert_close(a->optimal_length, b->optimal_length, 1e-12);
    if (a->optimal_length == 0) return;
    assert_close(a->tendon_length, b->tendon_length, 1e-12);
    ck_assert(a->shortest == b->shortest && a->longest == b->longest && a->max_speed == b->max_speed);
    ck_assert(a->passive_force == b->passive_force && a->lengthening_force == b->lengthening_force);
}

START_TEST(the_model_comes_back)
{
    trx_problem *problem;
    trx_import *import;
    trx_model *back;
    round_trip(&problem, &import, &back);
    const trx_model *model = trx_problem_model(problem);
    trx_model_size a = trx_model_get_size(model), b = trx_model_get_size(back);
    ck_assert(a.nq == b.nq && a.nv == b.nv && a.nu == b.nu && a.nbody == b.nbody && a.ngeom == b.ngeom);
    ck_assert(a.nframe == b.nframe && a.nconstraint == b.nconstraint);
    for (int i = 0; i < a.nv; i++) ck_assert_str_eq(trx_model_v_name(model, i), trx_model_v_name(back, i));
    for (uint64_t seed = 0; seed < 20; seed++) compare_dynamics(model, back, 10 * seed);
    for (int i = 0; i < a.njoint; i++) {
        trx_joint_info x = trx_model_joint(model, i), y = trx_model_joint(back, i);
        ck_assert(x.type == y.type && x.damping == y.damping && x.armature == y.armature && x.friction == y.friction);
        ck_assert(x.reference == y.reference && x.lower == y.lower && x.upper == y.upper && x.stiffness == y.stiffness);
    }
    for (int i = 0; i < a.nu; i++) {
        trx_actuator_info x = trx_model_actuator(model, i), y = trx_model_actuator(back, i);
        ck_assert_int_eq(x.nfactor, y.nfactor);
        ck_assert(x.kp == y.kp && x.kd == y.kd && x.gain == y.gain && x.lower == y.lower);
        for (int k = 0; k < x.nfactor; k++) assert_close(y.factors[k], x.factors[k], 1e-15);
        ck_assert(x.activation.type == y.activation.type && x.activation.early == y.activation.early);
        if (x.activation.type) ck_assert(x.activation.time_constant == y.activation.time_constant);
        if (x.activation.type == TRX_ACTIVATION_MUSCLE)
            ck_assert(x.activation.fall_time == y.activation.fall_time && x.activation.smoothing == y.activation.smoothing);
        compare_muscles(&x.muscle, &y.muscle);
    }
    int cords = 0;
    for (int i = 0; i < b.nconstraint; i++) {
        trx_constraint_info cord = trx_model_constraint(back, i);
        cords += cord.type == TRX_CONSTRAINT_TENDON && cord.lower == -3 && cord.upper == 4 && strcmp(cord.name, "cord") == 0;
    }
    ck_assert_int_eq(cords, 1);
    trx_model_destroy(back);
    trx_import_destroy(import);
    trx_problem_destroy(problem);
}
END_TEST

START_TEST(a_muscle_keeps_its_bias_and_gains)
{
    static const char robot[] =
        "<mujoco><compiler autolimits='true'/><worldbody><body><joint name='h' range='-60 60'/><geom size='0.1' pos='0.5 0 0'/>"
        "</body></worldbody><actuator><general name='m' joint='h' dyntype='muscle' dynprm='0.01 0.04' gaintype='muscle' "
        "gainprm='0.75 1.05 30 200 0.5 1.6 1.5 1.3 1.2' biastype='affine' biasprm='3 -7 -0.5' lengthrange='-1 1' ctrlrange='0 1'/>"
        "</actuator></mujoco>";
    char path[TEMPORARY_PATH + 16], text[512];
    snprintf(path, sizeof path, "%s/muscle.xml", f.place);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(robot, file);
    fclose(file);
    snprintf(text, sizeof text, "tractrix: 1\ntitle: t\nmodel: {include: [{name: r, file: %s}]}\ntime: {step: 0.01, steps: 1}\n",
             path);
    trx_problem *problem;
    trx_import *import;
    trx_model *back;
    (void)round_trip_of(text, &problem, &import, &back);
    const trx_actuator_info a = trx_model_actuator(trx_problem_model(problem), 0), b = trx_model_actuator(back, 0);
    ck_assert(a.bias == 3 && a.kp == 7 && a.kd == 0.5);
    ck_assert(b.bias == 3 && b.kp == 7 && b.kd == 0.5 && b.gain == a.gain);
    compare_muscles(&a.muscle, &b.muscle);
    trx_model_destroy(back);
    trx_import_destroy(import);
    trx_problem_destroy(problem);
}
END_TEST

START_TEST(every_knot_is_a_keyframe)
{
    trx_problem *problem;
    trx_import *import;
    trx_model *back;
    const trx_import_result *result = round_trip(&problem, &import, &back);
    ck_assert_int_eq(result->nkeyframe, 5);
    const trx_keyframe *first = &result->keyframes[0];
    const double *start = trx_problem_start(problem);
    assert_below(max_difference(first->q, start, result->nq), 1e-15);
    assert_below(max_difference(first->v, start + result->nq, result->nv), 1e-15);
    ck_assert(max_difference(result->keyframes[4].q, start, result->nq) > 1e-4);
    assert_close(result->time_step, 1e-3, 0);
    trx_model_destroy(back);
    trx_import_destroy(import);
    trx_problem_destroy(problem);
}
END_TEST

// a refined plan: rows at a quarter of the problem's step
START_TEST(times_of_keyframes_are_those_of_the_rows)
{
    trx_problem *problem;
    const char *file = exported(scene, &problem);
    const char *table = fixture_file(&f, "trajectory.csv"), *finer = fixture_file(&f, "finer.csv");
    FILE *in = fopen(table, "r"), *out = fopen(finer, "w");
    ck_assert(in && out);
    static char line[8192];
    ck_assert_ptr_nonnull(fgets(line, sizeof line, in));
    fputs(line, out);
    while (fgets(line, sizeof line, in)) {
        char *rest;
        const double t = strtod(line, &rest);
        fprintf(out, "%.17g%s", 0.25 * t, rest);
    }
    fclose(in), fclose(out);
    ck_assert_int_eq(rename(finer, table), 0);
    ck_assert_int_eq(trx_run_export_mjcf(f.context, f.folder, file), TRX_OK);

    FILE *written = fopen(file, "r");
    ck_assert_ptr_nonnull(written);
    double step = 0, time = 0;
    int keys = 0;
    while (fgets(line, sizeof line, written)) {
        const char *option = strstr(line, "timestep=\""), *key = strstr(line, "<key ");
        if (option) ck_assert_int_eq(sscanf(option, "timestep=\"%lf", &step), 1);
        if (!key) continue;
        ck_assert_int_eq(sscanf(strstr(key, "time=\""), "time=\"%lf", &time), 1);
        assert_close(time, 0.25e-3 * keys++, 1e-15);
    }
    ck_assert_int_eq(keys, 5);
    assert_close(step, 0.25e-3, 1e-15);
    fclose(written);
    trx_problem_destroy(problem);
}
END_TEST

// without memory for the name of a key, the key had the name ""
START_TEST(an_export_without_memory_is_an_error_at_every_allocation)
{
    static const char cart[] =
        "tractrix: 1\n"
        "model: {bodies: [{name: cart, joints: [{name: s, type: slide, axis: [1, 0, 0]}], inertia: {mass: 1}}]}\n"
        "time: {step: 0.001, steps: 1500}\n";
    trx_problem *problem;
    const char *file = exported(cart, &problem);
    trx_status status = TRX_ERR_MEMORY;
    int failures = 0;
    for (; status == TRX_ERR_MEMORY; failures++) {
        counting_allocator counter = {0};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *small;
        ck_assert_int_eq(trx_context_create(&settings, &small), TRX_OK);
        counter.fail_at = counter.calls + failures + 1;
        status = trx_run_export_mjcf(small, f.folder, file);
        ck_assert(status == TRX_ERR_MEMORY || (status == TRX_OK && counter.calls < counter.fail_at));
        trx_context_destroy(small);
        ck_assert_int_eq(counter.outstanding, 0);
    }
    ck_assert_int_gt(failures, 20);
    trx_problem_destroy(problem);
}
END_TEST

// MuJoCo takes neither a mesh without a volume, unless it is a shell, nor one of three vertices
START_TEST(a_triangle_that_is_only_drawn_is_a_shell_of_four_vertices)
{
    char mesh[TEMPORARY_PATH + 16], text[512];
    snprintf(mesh, sizeof mesh, "%s/triangle.obj", f.place);
    FILE *obj = fopen(mesh, "w");
    ck_assert_ptr_nonnull(obj);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", obj);
    fclose(obj);
    snprintf(text, sizeof text,
             "tractrix: 1\ntitle: t\nmodel:\n  bodies:\n    - {name: b, joint: free, inertia: {mass: 1, tensor: [1, 1, 1]}, "
             "geometry: [{shape: mesh, file: %s, collide: false}]}\ntime: {step: 0.01, steps: 1}\n",
             mesh);
    trx_problem *problem;
    FILE *written = fopen(exported(text, &problem), "r");
    ck_assert_ptr_nonnull(written);
    char line[512];
    bool found = false;
    while (fgets(line, sizeof line, written)) {
        if (!strstr(line, "<mesh ")) continue;
        ck_assert_ptr_nonnull(strstr(line, "inertia=\"shell\""));
        found = strstr(line, "vertex=\"0 0 0 1 0 0 0 1 0 0 1 0\"") != NULL;
    }
    ck_assert(found);
    fclose(written);
    trx_problem_destroy(problem);
}
END_TEST

// a model may have moments that violate A + B >= C by a millionth; MuJoCo refuses every violation
START_TEST(the_inertia_of_a_flat_body_is_one_that_mujoco_takes)
{
    static const double excess[] = {-1e-4, 0, 1e-13, 2e-8};
    for (int i = 0; i < 4; i++) {
        char text[512], line[512];
        snprintf(text, sizeof text,
                 "tractrix: 1\ntitle: t\nmodel:\n  bodies:\n    - {name: b, joint: free, inertia: {mass: 1, tensor: "
                 "[0.01, 0.01, %.17g]}}\ntime: {step: 0.01, steps: 1}\n",
                 0.02 + excess[i]);
        trx_problem *problem;
        FILE *written = fopen(exported(text, &problem), "r");
        ck_assert_ptr_nonnull(written);
        double a = 0, b = 0, c = 0;
        while (fgets(line, sizeof line, written)) {
            const char *tensor = strstr(line, "fullinertia=");
            if (tensor) ck_assert_int_eq(sscanf(tensor, "fullinertia=\"%lf %lf %lf", &a, &b, &c), 3);
        }
        ck_assert(a + b > c - 1e-16 && a >= 0.01);
        assert_close(a, 0.01, i < 3 ? 1e-11 : 1e-7);
        assert_close(c, 0.02 + excess[i], i < 3 ? 1e-11 : 1e-7);
        if (i == 0) ck_assert(a == 0.01 && c == 0.02 + excess[i]);
        fclose(written);
        trx_problem_destroy(problem);
    }
}
END_TEST

START_TEST(the_sites_of_constraints_leave_every_name_to_frames)
{
    static const char text[] =
        "tractrix: 1\ntitle: t\nmodel:\n  bodies:\n    - {name: b, joint: free, inertia: {mass: 1, tensor: [1, 1, 1]}, "
        "frames: [{name: held0a}, {name: held0b}, {name: held0}]}\n"
        "  constraints: [{name: c, type: ball, bodies: [world, b]}]\ntime: {step: 0.01, steps: 1}\n";
    trx_problem *problem;
    trx_import *import;
    const char *file = exported(text, &problem);
    trx_import_options options = trx_import_options_default();
    ck_assert_msg(trx_import_load(f.context, file, &options, &import) == TRX_OK, "%s", trx_context_message(f.context));
    const trx_import_result *result = trx_import_get(import);
    ck_assert_int_eq(result->def.nconstraint, 1);
    ck_assert_int_eq(result->def.constraints[0].type, TRX_CONSTRAINT_BALL);
    trx_import_destroy(import);
    trx_problem_destroy(problem);
}
END_TEST

START_TEST(a_pair_has_the_dimension_of_its_friction)
{
    static const struct {
        const char *friction, *condim, *numbers;
    } cases[] = {{"friction: 0", "condim=\"1\"", "friction=\"0 0 "},
                 {"friction: 0.5", "condim=\"3\"", "friction=\"0.5 0.5 "},
                 {"friction: 0.5, torsional_friction: 0.25", "condim=\"4\"", "friction=\"0.5 0.5 0.25 0 0\""},
                 {"friction: 0.5, rolling_friction: 0.125", "condim=\"6\"", "friction=\"0.5 0.5 0 0.125 0.125\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512], line[512];
        snprintf(text, sizeof text,
                 "tractrix: 1\ntitle: t\nmodel:\n  materials: {default: {%s}}\n  bodies:\n    - {name: floor, geometry: [{shape: "
                 "halfspace}]}\n    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.1, mass: 1}]}\n"
                 "time: {step: 0.01, steps: 1}\n",
                 cases[i].friction);
        trx_problem *problem;
        FILE *written = fopen(exported(text, &problem), "r");
        ck_assert_ptr_nonnull(written);
        int pairs = 0;
        while (fgets(line, sizeof line, written)) {
            if (!strstr(line, "<pair ")) continue;
            ck_assert_msg(strstr(line, cases[i].condim) && strstr(line, cases[i].numbers), "%s", line);
            pairs++;
        }
        ck_assert_int_eq(pairs, 1);
        fclose(written);
        trx_problem_destroy(problem);
    }
}
END_TEST

START_TEST(what_is_no_run_is_refused_and_nothing_written)
{
    const char *file = fixture_file(&f, "../run.xml");
    ck_assert_int_eq(trx_run_export_mjcf(f.context, f.place, file), TRX_ERR_IO);
    FILE *written = fopen(file, "r");
    ck_assert_ptr_null(written);
    ck_assert_int_eq(trx_run_export_mjcf(f.context, NULL, file), TRX_ERR_ARGUMENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/mjcf");
    TCase *cases = tcase_create("mjcf");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_model_comes_back);
    tcase_add_test(cases, a_muscle_keeps_its_bias_and_gains);
    tcase_add_test(cases, every_knot_is_a_keyframe);
    tcase_add_test(cases, times_of_keyframes_are_those_of_the_rows);
    tcase_add_test(cases, an_export_without_memory_is_an_error_at_every_allocation);
    tcase_add_test(cases, a_triangle_that_is_only_drawn_is_a_shell_of_four_vertices);
    tcase_add_test(cases, the_inertia_of_a_flat_body_is_one_that_mujoco_takes);
    tcase_add_test(cases, the_sites_of_constraints_leave_every_name_to_frames);
    tcase_add_test(cases, a_pair_has_the_dimension_of_its_friction);
    tcase_add_test(cases, what_is_no_run_is_refused_and_nothing_written);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
