// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Sizes of shapes and poses of fixed bodies against central differences of the whole step: every pair of shapes, and a stand that
// carries an arm, a tray with a belt and a rolling friction, and takes part in contacts on both sides.

#include "step/parameter_fd.h"
#include "step/scenes.h"
#include "step/schemes.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <tractrix/problem.h>

enum { MAX_X = 64, MAX_PARAMETERS = 160, STATES = 6 };

static bool is_geometry(trx_parameter_kind kind)
{
    return kind >= TRX_GEOM_SIZE;
}

static void judge_geometry(trx_sim *sim, const trx_model *model, const double *x, const double *u, parameter_tally *t)
{
    trx_parameter list[MAX_PARAMETERS];
    int count = trx_model_parameters(model, list, MAX_PARAMETERS);
    ck_assert_int_le(count, MAX_PARAMETERS);
    for (int i = 0; i < count; i++)
        if (is_geometry(list[i].kind)) parameter_judge(sim, list[i], x, u, 1e-6, t);
}

static const trx_shape_type types[] = {TRX_SHAPE_HALFSPACE, TRX_SHAPE_MESH, TRX_SHAPE_BOX, TRX_SHAPE_CYLINDER,
                                       TRX_SHAPE_ELLIPSOID, TRX_SHAPE_CAPSULE, TRX_SHAPE_SPHERE};
enum { TYPES = sizeof types / sizeof *types };

START_TEST(sizes_and_poses_agree_with_differences_for_every_pair_of_shapes)
{
    const int a = _i;
    for (int b = a; b < TYPES; b++) {
        if (types[a] == TRX_SHAPE_HALFSPACE && types[b] == TRX_SHAPE_HALFSPACE) continue;
        parameter_tally t = {0};
        for (int k = 0; k < STATES; k++) {
            scene s = scene_pair((scene_kind)(k % SCENE_KINDS), types[a], types[b]);
            scene_aim aim = k % 2 ? SCENE_SLIP : SCENE_STICK;
            double x[MAX_X], u[MAX_X];
            scene_law(&s, (trx_approximation)(k % (TRX_SAP + 1)), aim, 21, k);
            scene_state(&s, aim, 21, k, x, u);
            judge_geometry(s.sim, s.model, x, u, &t);
            scene_destroy(&s);
        }
        printf("%-10s %-10s %3d judged, %3d not zero, %3d at kinks, worst %.1e\n", trx_shape_name(types[a]),
               trx_shape_name(types[b]), t.judged, t.nonzero, t.kinks, t.worst);
        if (types[b] == TRX_SHAPE_MESH && types[a] == TRX_SHAPE_MESH) continue; // one of them is rounded, nothing else has a size
        ck_assert_int_ge(t.judged, 4);
        ck_assert_int_ge(t.nonzero, 2);
    }
}
END_TEST

// a stand with a box of its own, tilted; an arm hangs on it, a ball rolls on its tray, and a crate beside it touches all
static const char stand[] =
    "tractrix: 1\n"
    "model:\n"
    "  gravity: [0.3, 0.2, -9.81]\n"
    "  materials:\n"
    "    soft: {stiffness: 5.0e3, dissipation: 1.0, relaxation_time: 0.002, friction: 0.4}\n"
    "  bodies:\n"
    "    - {name: ground, geometry: [{shape: halfspace, material: soft}]}\n"
    "    - {name: base, pose: {xyz: [0.1, 0.2, 0.3], rpy: [0.05, -0.04, 0.3]}}\n"
    "    - name: stand\n"
    "      parent: base\n"
    "      pose: {xyz: [0.02, -0.03, 0.1], rpy: [0.03, 0.06, -0.2]}\n"
    "      geometry: [{shape: box, size: [0.3, 0.3, 0.04], material: soft%s}]\n"
    "    - name: upper\n"
    "      parent: stand\n"
    "      pose: {xyz: [0.1, 0.1, 0.05]}\n"
    "      joints: [{name: h, type: hinge, axis: [0.2, 1, 0.1], damping: 0.1}]\n"
    "      inertia: {mass: 0.5, com: [0.02, 0.01, 0.1], tensor: [0.004, 0.003, 0.002]}\n"
    "    - name: hand\n"
    "      parent: upper\n"
    "      pose: {xyz: [0, 0, 0.2]}\n"
    "      joints: [{name: w, type: ball}]\n"
    "      inertia: {mass: 0.2, com: [0.01, 0, 0.02], tensor: [0.001, 0.0008, 0.0012]}\n"
    "      geometry: [{shape: sphere, radius: 0.05, material: soft}]\n"
    "    - {name: roller, joint: free, geometry: [{shape: sphere, radius: 0.04, mass: 0.3, material: soft}]}\n"
    "    - {name: crate, joint: free, geometry: [{shape: box, size: [0.1, 0.12, 0.08], mass: 0.4, material: soft}]}\n"
    "%s"
    "contact:\n"
    "  approximation: %s\n"
    "  stiction_tolerance: 1.0e-2\n"
    "  joint_stiction_tolerance: 1.0e-2\n"
    "time: {step: 0.005, steps: 1}\n"
    "start:\n"
    "  roller: {xyz: [0.08, 0.12, 0.4605], velocity: [0.3, 0.1, -0.05], spin: [0.5, 2, 1]}\n"
    "  crate: {xyz: [0.2705, 0.273, 0.7101], rpy: [0.3, 0.5, 0.1], velocity: [-0.2, -0.1, -0.3], spin: [0.2, -0.4, 0.6]}\n"
    "  h: {position: 0.2, velocity: 0.4}\n"
    "  w: {rpy: [0.1, 0.2, -0.1], spin: [0.3, 0.1, 0.5]}\n";

typedef struct loaded {
    trx_context *context;
    trx_problem *problem;
    trx_sim *sim;
} loaded;

static loaded load(const char *belt, const char *more, const char *approximation)
{
    loaded l = {0};
    char text[4096];
    int length = snprintf(text, sizeof text, stand, belt, more, approximation);
    ck_assert_int_eq(trx_context_create(NULL, &l.context), TRX_OK);
    trx_status status = trx_problem_load_text(l.context, "stand.yaml", text, (size_t)length, NULL, &l.problem);
    ck_assert_msg(status >= 0, "%s", trx_context_message(l.context));
    trx_sim_settings settings = trx_problem_sim_settings(l.problem);
    ck_assert_int_eq(trx_sim_create(l.context, trx_problem_model(l.problem), &settings, &l.sim), TRX_OK);
    return l;
}

static void unload(loaded *l)
{
    trx_sim_destroy(l->sim);
    trx_problem_destroy(l->problem);
    trx_context_destroy(l->context);
}

// adds what the laws of pairs have beside the materials
static void roughen(loaded *l)
{
    const trx_model *model = trx_problem_model(l->problem);
    for (int i = 0; i < trx_model_get_size(model).npair; i++) {
        trx_pair_law law = trx_sim_pair_law(l->sim, i);
        if (law.approximation > TRX_LAGGED_REGULARIZED) return;
        law.torsional_friction = 2e-3, law.rolling_friction = 1e-3, law.friction_across = 0.2;
        law.dynamic_friction = 0.3, law.slip_speed = 0.2;
        law.axis[0] = 1, law.axis[1] = 0.3, law.axis_on_b = i % 2;
        ck_assert_int_eq(trx_sim_set_pair_law(l->sim, i, &law), TRX_OK);
    }
}

START_TEST(a_stand_moves_with_all_that_is_on_it_in_every_scheme)
{
    static const char *const approximations[] = {"lagged", "lagged_regularized", "similar", "similar_regularized", "sap"};
    static const char *const belts[] = {"", ", surface_velocity: [0.2, 0.1, 0]"};
    parameter_tally t = {0}, poses[2] = {0};
    for (int k = 0; k < 2 * 5; k++) {
        loaded l = load(belts[k / 5], "", approximations[k % 5]);
        if (k >= 5) roughen(&l);
        use_scheme(l.sim, &schemes[_i]);
        const trx_model *model = trx_problem_model(l.problem);
        const double *x0 = trx_problem_start(l.problem);
        double x[MAX_X];
        int nx = trx_model_get_size(model).nq + trx_model_get_size(model).nv, contacts = 0;
        memcpy(x, x0, (size_t)nx * sizeof *x);
        for (int step = 0; step < 24; step++) {
            ck_assert_msg(trx_step(l.sim, x, NULL, x) >= 0, "%s", trx_context_message(l.context));
            contacts = trx_sim_step_info(l.sim).contacts;
            if (step % 4 != 3 || contacts == 0) continue;
            judge_geometry(l.sim, model, x, NULL, &t);
            for (int body = 1; body < 3; body++)
                for (int i = 0; i < 6; i++)
                    parameter_judge(l.sim, (trx_parameter){i < 3 ? TRX_PLACE_POSITION : TRX_PLACE_TURN, body, i % 3}, x, NULL, 1e-6,
                                    &poses[body - 1]);
        }
        unload(&l);
    }
    printf("stand: %d judged, %d not zero, %d at kinks, worst %.1e; poses of base and stand %d and %d not zero\n",
           t.judged, t.nonzero, t.kinks, t.worst, poses[0].nonzero, poses[1].nonzero);
    ck_assert_int_ge(t.nonzero, 100);
    ck_assert_int_ge(poses[0].nonzero, 50);
    ck_assert_int_ge(poses[1].nonzero, 50);
}
END_TEST

START_TEST(a_pose_with_a_constraint_on_it_is_refused)
{
    static const char more[] = "  constraints: [{name: rope, type: ball, bodies: [stand, roller], at: [0, 0, 0.1], "
                               "to: [0, 0, 0]}]\n";
    loaded l = load("", more, "lagged");
    double C[MAX_X];
    const trx_model *model = trx_problem_model(l.problem);
    trx_parameter p;
    ck_assert_int_ge(trx_step(l.sim, trx_problem_start(l.problem), NULL, NULL), 0);
    ck_assert_int_eq(trx_model_find_parameter(l.context, model, "stand.pose.ry", &p), TRX_OK);
    ck_assert_int_eq(trx_step_jac_parameters(l.sim, &p, 1, C), TRX_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trx_context_message(l.context), "'rope'"));
    ck_assert(isnan(C[0]));
    ck_assert_int_eq(trx_model_find_parameter(l.context, model, "ground.pose.z", &p), TRX_OK);
    ck_assert_int_eq(trx_step_jac_parameters(l.sim, &p, 1, C), TRX_OK);
    unload(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/parameters_shape");
    TCase *cases = tcase_create("parameters_shape");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, sizes_and_poses_agree_with_differences_for_every_pair_of_shapes, 0, TYPES - 1);
    tcase_add_loop_test(cases, a_stand_moves_with_all_that_is_on_it_in_every_scheme, 0, SCHEMES);
    tcase_add_test(cases, a_pose_with_a_constraint_on_it_is_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
