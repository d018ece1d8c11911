// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Poses of fixed bodies against central differences of the whole step in every scheme, and their adjoint product against C: a
// stand that carries an arm and a tray, with a belt and rolling friction, and is either side of contacts; and a stand with every
// kind of constraint to other bodies, from either side, and with loads on the bodies that it carries.

#include "step/parameter_fd.h"
#include "step/schemes.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <tractrix/problem.h>

enum { MAX_X = 64, MAX_PARAMETERS = 160 };
enum { EVERY = SANITIZED ? 12 : 4 }; ///< one in EVERY steps is judged

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

static loaded load_text(const char *text)
{
    loaded l = {0};
    l.context = context_open();
    trx_status status = trx_problem_load_text(l.context, "stand.yaml", text, strlen(text), NULL, &l.problem);
    ck_assert_msg(status >= 0, "%s", trx_context_message(l.context));
    trx_sim_settings settings = trx_problem_sim_settings(l.problem);
    ck_assert_int_eq(trx_sim_create(l.context, trx_problem_model(l.problem), &settings, &l.sim), TRX_OK);
    return l;
}

static loaded load(const char *belt, const char *approximation)
{
    char text[4096];
    snprintf(text, sizeof text, stand, belt, approximation);
    return load_text(text);
}

static void unload(loaded *l)
{
    trx_sim_destroy(l->sim);
    trx_problem_destroy(l->problem);
    context_close(l->context);
}

// sets the numbers of pair laws that materials do not have
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

static void judge_sizes(trx_sim *sim, const double *x, parameter_tally *t)
{
    trx_parameter list[MAX_PARAMETERS];
    int count = trx_model_parameters(trx_sim_model(sim), list, MAX_PARAMETERS);
    ck_assert_int_le(count, MAX_PARAMETERS);
    for (int i = 0; i < count; i++)
        if (list[i].kind >= TRX_GEOM_SIZE) parameter_judge(sim, list[i], x, NULL, 1e-6, t);
}

START_TEST(a_stand_moves_with_all_that_is_on_it_in_every_scheme)
{
    static const char *const approximations[] = {"lagged", "lagged_regularized", "similar", "similar_regularized", "sap"};
    static const char *const belts[] = {"", ", surface_velocity: [0.2, 0.1, 0]"};
    parameter_tally t = {0}, poses[2] = {0};
    for (int k = 0; k < 2 * 5; k++) {
        loaded l = load(belts[k / 5], approximations[k % 5]);
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
            if (step % EVERY != EVERY - 1 || contacts == 0) continue;
            judge_sizes(l.sim, x, &t);
            for (int body = 1; body < 3; body++)
                for (int i = 0; i < 6; i++)
                    parameter_judge(l.sim, (trx_parameter){i < 3 ? TRX_PLACE_POSITION : TRX_PLACE_TURN, body, i % 3}, x, NULL, 1e-6,
                                    &poses[body - 1]);
        }
        unload(&l);
    }
    printf("stand: %d judged, %d not zero, %d at kinks, worst %.1e; poses of base and stand %d and %d not zero\n",
           t.judged, t.nonzero, t.kinks, t.worst, poses[0].nonzero, poses[1].nonzero);
    ck_assert_int_ge(t.nonzero, 400 / EVERY);
    ck_assert_int_ge(poses[0].nonzero, 200 / EVERY);
    ck_assert_int_ge(poses[1].nonzero, 200 / EVERY);
}
END_TEST


// ---- constraints and loads ----

// a stand that carries an arm, a bell that swings about a point beside its centre of mass, and a tray on rails; a crate beside it
static const char tied[] =
    "tractrix: 1\n"
    "model:\n"
    "  gravity: [%s]\n"
    "  bodies:\n"
    "    - {name: base, pose: {xyz: [0.1, 0.2, 0.3], rpy: [0.05, -0.04, 0.3]}}\n"
    "    - {name: stand, parent: base, pose: {xyz: [0.02, -0.03, 0.1], rpy: [0.03, 0.06, -0.2]}}\n"
    "    - name: upper\n"
    "      parent: stand\n"
    "      pose: {xyz: [0.1, 0.1, 0.05], rpy: [0.2, 0, 0]}\n"
    "      joints: [{name: h, type: hinge, axis: [0.2, 1, 0.1], damping: 0.1, stiffness: 0.5}]\n"
    "      inertia: {mass: 0.5, com: [0.02, 0.01, 0.1], tensor: [0.004, 0.003, 0.002]}\n"
    "    - name: hand\n"
    "      parent: upper\n"
    "      pose: {xyz: [0, 0, 0.2]}\n"
    "      joints: [{name: w, type: ball}]\n"
    "      inertia: {mass: 0.2, com: [0.01, 0, 0.02], tensor: [0.001, 0.0008, 0.0012]}\n"
    "    - name: bell\n"
    "      parent: stand\n"
    "      pose: {xyz: [-0.3, 0, 0.4]}\n"
    "      joints: [{name: b, type: ball}]\n"
    "      inertia: {mass: 0.6, com: [0.02, -0.01, -0.15], tensor: [0.003, 0.0035, 0.002, 2.0e-4, 0, -1.0e-4]}\n"
    "    - name: tray\n"
    "      parent: stand\n"
    "      pose: {xyz: [0, 0.5, 0.2], rpy: [0, 0.3, 0.1]}\n"
    "      joints: [{name: tp, type: planar}, {name: tz, type: slide, axis: [0, 0.6, 0.8]}]\n"
    "      inertia: {mass: 0.7, com: [0.01, 0.02, -0.01], tensor: [0.004, 0.005, 0.006]}\n"
    "    - {name: crate, joint: free, inertia: {mass: 0.4, com: [0.005, 0, 0.01], tensor: [0.001, 0.0012, 0.0009]}}\n"
    "%s%s"
    "time: {step: 0.005, steps: 1}\n"
    "start:\n"
    "  crate: {xyz: [0.27, 0.27, 0.68], rpy: [0.3, 0.5, 0.1], velocity: [-0.2, -0.1, -0.3], spin: [0.2, -0.4, 0.6]}\n"
    "  tp: {x: 0.1, y: 0.2, yaw: 0.3, vx: 0.2, vy: 0.1, wz: 0.5}\n"
    "  tz: {position: 0.2, velocity: 0.4}\n"
    "  h: {position: 0.2, velocity: 0.4}\n"
    "  w: {rpy: [0.1, 0.2, -0.1], spin: [0.3, 0.1, 0.5]}\n"
    "  b: {rpy: [0.4, -0.2, 0.3], spin: [1.3, -0.8, 2.5]}\n";

static const char *const ties[] = {
    "name: t, type: ball, bodies: [stand, crate], at: [0.1, 0.15, 0.3], to: [0.02, 0.01, -0.03]",
    "name: t, type: ball, bodies: [crate, stand], at: [0.02, 0.01, -0.03], to: [0.1, 0.15, 0.3]",
    "name: t, type: ball, bodies: [hand, crate], at: [0.01, 0.03, 0.06], to: [0.02, 0.01, -0.03]",
    "name: t, type: ball, bodies: [crate, hand], at: [0.02, 0.01, -0.03], to: [0.01, 0.03, 0.06]",
    "name: t, type: weld, bodies: [stand, crate], pose: {xyz: [0.1, 0.12, 0.28], rpy: [0.2, 0.5, 0]}",
    "name: t, type: weld, bodies: [crate, stand], pose: {xyz: [-0.1, -0.12, -0.28], rpy: [0.2, 0.1, 0]}",
    "name: t, type: weld, bodies: [hand, crate], pose: {xyz: [0.02, 0.01, 0.05], rpy: [0.2, 0.3, 0]}",
    "name: t, type: weld, bodies: [crate, hand], pose: {xyz: [0.02, 0.01, 0.05], rpy: [0.1, 0, 0.2]}",
    "name: t, type: weld, bodies: [world, hand], pose: {xyz: [0.25, 0.28, 0.65], rpy: [0.1, 0.2, 0]}",
    "name: t, type: distance, bodies: [stand, crate], at: [0.1, 0.15, 0], to: [0.02, 0.01, -0.03], length: 0.3",
    "name: t, type: distance, bodies: [crate, stand], at: [0.02, 0.01, -0.03], to: [0.1, 0.15, 0], length: 0.3",
    "name: t, type: distance, bodies: [hand, crate], at: [0, 0.02, -0.1], to: [0.02, 0.01, 0.03], length: 0.15",
    "name: t, type: distance, bodies: [crate, hand], at: [0.02, 0.01, 0.03], to: [0, 0.02, -0.1], length: 0.15",
    "name: t, type: distance, bodies: [world, tray], at: [0.1, 0.5, 0.6], to: [0.02, 0.01, 0.03], length: 0.2",
    "name: t, type: coupler, joint: h, of: tz, polynomial: [0.1, 0.5, 0.2]",
};
enum { TIES = sizeof ties / sizeof *ties };

static loaded load_tied(const char *tie, const char *gravity, const char *loads)
{
    char text[8192], constraints[512] = "";
    if (tie) snprintf(constraints, sizeof constraints, "  constraints:\n    - {%s}\n", tie);
    snprintf(text, sizeof text, tied, gravity, constraints, loads);
    return load_text(text);
}

// C^T seed of all twelve numbers
static void check_adjoint(trx_sim *sim, const trx_parameter *list, int count, const double *x)
{
    double C[12 * MAX_X], grad[12], seed[MAX_X];
    const int nx = 2 * trx_model_get_size(trx_sim_model(sim)).nv;
    for (int i = 0; i < nx; i++) seed[i] = sin(1 + 3.7 * i);
    ck_assert_int_ge(trx_step(sim, x, NULL, NULL), 0);
    ck_assert_int_eq(trx_step_vjp_parameters(sim, list, count, seed, grad), TRX_OK);
    ck_assert_int_eq(trx_step_jac_parameters(sim, list, count, C), TRX_OK);
    for (int k = 0; k < count; k++) {
        double sum = 0, size = 0;
        for (int i = 0; i < nx; i++) sum += C[i + k * nx] * seed[i], size += fabs(C[i + k * nx] * seed[i]);
        assert_close(grad[k], sum, 1e-11 * size);
    }
}

// poses of base and stand at every `every`th of 12 steps
static void judge_tied(loaded *l, const scheme_variant *scheme, int every, parameter_tally t[2])
{
    use_scheme(l->sim, scheme);
    const trx_model *model = trx_problem_model(l->problem);
    const trx_model_size size = trx_model_get_size(model);
    double x[MAX_X];
    memcpy(x, trx_problem_start(l->problem), (size_t)(size.nq + size.nv) * sizeof *x);
    trx_parameter list[12];
    for (int i = 0; i < 12; i++)
        list[i] = (trx_parameter){i % 6 < 3 ? TRX_PLACE_POSITION : TRX_PLACE_TURN, i / 6, i % 3};
    for (int step = 0; step < 12; step++) {
        trx_sim_set_time(l->sim, 0.005 * step);
        if (step % every == 0) {
            for (int i = 0; i < 12; i++) parameter_judge(l->sim, list[i], x, NULL, 1e-6, &t[i % 6 < 3 ? 0 : 1]);
            check_adjoint(l->sim, list, 12, x);
        }
        ck_assert_msg(trx_step(l->sim, x, NULL, x) >= 0, "%s", trx_context_message(l->context));
    }
}

START_TEST(a_stand_moves_the_constraints_on_it_in_every_scheme)
{
    static const char *const stiffness[] = {"", ", stiffness: 2.0e3, relaxation_time: 0.01"};
    for (int k = 0; k < 2 * TIES; k++) {
        char tie[400];
        snprintf(tie, sizeof tie, "%s%s", ties[k / 2], stiffness[k % 2]);
        loaded l = load_tied(tie, "0.3, 0.2, -9.81", "");
        parameter_tally t[2] = {0};
        judge_tied(&l, &schemes[_i], EVERY, t);
        printf("%-26s {%.60s...}%s: %2d and %2d of %2d not zero, worst %.1e\n", schemes[_i].name, ties[k / 2], k % 2 ? " soft" : "",
               t[0].nonzero, t[1].nonzero, t[0].judged, fmax(t[0].worst, t[1].worst));
        if (k / 2 == TIES - 1) ck_assert_int_eq(t[0].nonzero, 0); // couplers of joints do not depend on places
        else ck_assert_int_ge(t[0].nonzero, 48 / EVERY);
        ck_assert_int_ge(t[1].nonzero, 48 / EVERY);
        unload(&l);
    }
}
END_TEST

// loads have constant directions in the world. Without gravity only loads make the step depend on the turn of the stand
START_TEST(loads_do_not_turn_with_the_stand_in_any_scheme)
{
    static const char loads[] = "  loads:\n"
                                "    - {body: hand, force: [3, -2, 1], torque: [0.05, 0.1, -0.02], at: [0.01, 0.02, 0.05], "
                                "wave: sine, frequency: 20, phase: 0.5}\n"
                                "    - {body: bell, force: [1, 4, -2], at: [0.03, 0.02, -0.2]}\n"
                                "    - {body: tray, torque: [0.2, -0.1, 0.3]}\n"
                                "    - {body: crate, force: [1, 1, 1]}\n";
    for (int k = 0; k < 3; k++) {
        loaded l = load_tied(k == 2 ? ties[2] : NULL, k > 0 ? "0.3, 0.2, -9.81" : "0, 0, 0", loads);
        parameter_tally t[2] = {0};
        judge_tied(&l, &schemes[_i], 3, t);
        printf("%-26s loads%s: %2d and %2d of %2d not zero, worst %.1e\n", schemes[_i].name,
               k == 0 ? "" : k == 1 ? " and gravity" : ", gravity and a ball", t[0].nonzero, t[1].nonzero, t[0].judged,
               fmax(t[0].worst, t[1].worst));
        if (k < 2) ck_assert_int_eq(t[0].nonzero, 0);
        ck_assert_int_ge(t[1].nonzero, 18);
        unload(&l);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/parameters_place");
    TCase *cases = tcase_create("parameters_place");
    tcase_set_timeout(cases, 300);
    tcase_add_loop_test(cases, a_stand_moves_with_all_that_is_on_it_in_every_scheme, 0, SCHEMES);
    tcase_add_loop_test(cases, a_stand_moves_the_constraints_on_it_in_every_scheme, 0, SCHEMES);
    tcase_add_loop_test(cases, loads_do_not_turn_with_the_stand_in_any_scheme, 0, SCHEMES);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
