// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Motions of simulated bodies with known results: brake, glide, roll, creep, slide, swing, collide.
// The momentum residual is checked in every step.

#include "step/scenes.h"
#include "support/support.h"

#include <string.h>

static const double g = 9.81;

static double rest_height(const floor_def *def, double half_size, int points)
{
    return half_size - def->mass * g * cos(def->tilt) / (points * def->law.stiffness);
}

START_TEST(a_sliding_box_decelerates_at_mu_g)
{
    for (int a = 0; a <= TRX_SAP; a++) {
        floor_def def = floor_def_default();
        def.law.approximation = (trx_approximation)a;
        def.law.force_law = a == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_HUNT_CROSSLEY;
        def.law.stiffness = 1e6, def.law.dissipation = 1;
        def.time_step = 1e-3;
        def.law.relaxation_time = 1e-3;
        scene s = scene_floor(&def);

        // similar and sap glide: start at that height, or the box falls onto its cushion first
        bool glides = a == TRX_SIMILAR || a == TRX_SIMILAR_REGULARIZED || a == TRX_SAP;
        double x[16], lift = glides ? 0.5 * (a == TRX_SAP ? 2e-3 : 1e-3) * 3 : 0;
        floor_state(&s, &def, rest_height(&def, 0.05, 4) + lift, 3, x);
        for (int k = 0; k < 100; k++) scene_step(&s, x, NULL);
        double before = x[s.nq];
        for (int k = 0; k < 300; k++) scene_step(&s, x, NULL);
        assert_close((before - x[s.nq]) / 0.3, 0.5 * g, 1e-3 * 0.5 * g);
        scene_destroy(&s);
    }
}
END_TEST

START_TEST(lagged_friction_keeps_the_height)
{
    floor_def def = floor_def_default();
    def.law.stiffness = 1e6;
    def.tolerance = 1e-12;
    for (int turns = 0; turns < 2; turns++) {
        def.turns = turns;
        scene s = scene_floor(&def);
        double x[16];
        floor_state(&s, &def, rest_height(&def, 0.05, 4), 2, x);
        for (int k = 0; k < 60; k++) {
            scene_step(&s, x, NULL);
            assert_close(x[2], rest_height(&def, 0.05, 4), 1e-9);
        }
        ck_assert(fabs(x[s.nq]) < 1e-3);
        scene_destroy(&s);
    }
}
END_TEST

// height above rest = mu dt |v_t| + (m g/k) (1 - 1/(1 + mu d |v_t|)), k of all points together (theory 4)
START_TEST(similar_lifts_by_its_formula)
{
    static const double dissipations[] = {0, 2, 20};
    for (int i = 0; i < 3; i++) {
        floor_def def = floor_def_default();
        def.turns = false;
        def.law.approximation = TRX_SIMILAR;
        def.law.stiffness = 5e3, def.law.dissipation = dissipations[i];
        scene s = scene_floor(&def);
        double x[16], rest = rest_height(&def, 0.05, 4), mu = 0.5, static_depth = def.mass * g / (4 * 5e3);
        floor_state(&s, &def, rest, 3, x);
        for (int k = 0; k < 50; k++) {
            scene_step(&s, x, NULL);
            double v = x[s.nq];
            double lift = mu * def.time_step * v + static_depth * (1 - 1 / (1 + mu * def.law.dissipation * v));
            if (k >= 30) assert_close(x[2] - rest, lift, 5e-3 * lift);
        }
        ck_assert(x[s.nq] > 0.3);
        scene_destroy(&s);
    }
}
END_TEST

// height above rest = mu (dt + tau) |v_t| - tau v_n (theory 4)
START_TEST(sap_lifts_by_its_formula)
{
    static const double relaxation[] = {0, 0.005, 0.02};
    for (int i = 0; i < 3; i++) {
        floor_def def = floor_def_default();
        def.turns = false;
        def.law.approximation = TRX_SAP;
        def.law.force_law = TRX_KELVIN_VOIGT;
        def.law.stiffness = 2e3, def.law.relaxation_time = relaxation[i];
        scene s = scene_floor(&def);
        double x[16], rest = rest_height(&def, 0.05, 4);
        double horizon = def.time_step + relaxation[i];
        floor_state(&s, &def, rest + 0.5 * horizon * 3, 3, x);
        for (int k = 0; k < 50; k++) {
            scene_step(&s, x, NULL);
            double lift = 0.5 * horizon * x[s.nq] - relaxation[i] * x[s.nq + 2];
            if (k >= 30) assert_close(x[2] - rest, lift, 5e-3 * lift);
        }
        ck_assert(x[s.nq] > 0.3);
        scene_destroy(&s);
    }
}
END_TEST

START_TEST(a_thrown_sphere_ends_rolling_at_five_sevenths_of_its_speed)
{
    for (int a = 0; a <= TRX_SAP; a++) {
        floor_def def = floor_def_default();
        def.shape = (trx_shape){.type = TRX_SHAPE_SPHERE, .radius = 0.025};
        def.mass = 0.5;
        def.law.approximation = (trx_approximation)a;
        def.law.force_law = a == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_HUNT_CROSSLEY;
        def.law.stiffness = 1e6, def.law.dissipation = 1, def.law.relaxation_time = 1e-4;
        def.time_step = 1e-4; // similar and sap glide by mu dt |v_t|, which lengthens the lever arm
        scene s = scene_floor(&def);
        double x[16];
        floor_state(&s, &def, rest_height(&def, 0.025, 1), 2, x);
        for (int k = 0; k < 3000; k++) scene_step(&s, x, NULL);
        assert_close(x[s.nq], 2 * 5.0 / 7, 5e-4 * 2 * 5.0 / 7);

        // rolling: the velocity of the point of contact is 0. The norm of the spin does not depend on the axes of the body
        double spin = sqrt(x[s.nq + 3] * x[s.nq + 3] + x[s.nq + 4] * x[s.nq + 4] + x[s.nq + 5] * x[s.nq + 5]);
        assert_close(spin * 0.025, x[s.nq], 1e-3 * x[s.nq]);
        scene_destroy(&s);
    }
}
END_TEST

START_TEST(on_an_incline_below_the_friction_angle_a_box_creeps_at_the_speed_of_the_soft_norm)
{
    static const double ratios[] = {0.5, 0.7, 0.9};
    for (int a = TRX_LAGGED; a <= TRX_SIMILAR; a += TRX_SIMILAR - TRX_LAGGED)
        for (int i = 0; i < 3; i++) {
            const double r = ratios[i];
            floor_def def = floor_def_default();
            def.law.approximation = (trx_approximation)a;
            def.law.dissipation = 1;
            def.tilt = atan(r * 0.5);
            scene s = scene_floor(&def);
            double x[16], creep = def.stiction_tolerance * r / sqrt(1 - r * r);
            floor_state(&s, &def, rest_height(&def, 0.05, 4), 0, x);
            for (int k = 0; k < 400; k++) scene_step(&s, x, NULL);
            assert_close(hypot(x[s.nq], x[s.nq + 2]), creep, 0.01 * creep);
            scene_destroy(&s);
        }
}
END_TEST

START_TEST(on_an_incline_above_the_friction_angle_a_box_slides_at_the_difference)
{
    for (int a = 0; a <= TRX_SAP; a++) {
        floor_def def = floor_def_default();
        def.law.approximation = (trx_approximation)a;
        def.law.force_law = a == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_HUNT_CROSSLEY;
        def.law.stiffness = 1e6, def.law.dissipation = 1, def.law.relaxation_time = 1e-3;
        def.stiction_tolerance = 1e-5;
        def.time_step = 1e-3;
        def.tilt = atan(1.05 * 0.5);
        scene s = scene_floor(&def);
        double x[16], acceleration = g * (sin(def.tilt) - 0.5 * cos(def.tilt));
        floor_state(&s, &def, rest_height(&def, 0.05, 4), 0.02, x);
        for (int k = 0; k < 500; k++) scene_step(&s, x, NULL);
        double before = hypot(x[s.nq], x[s.nq + 2]);
        for (int k = 0; k < 1000; k++) scene_step(&s, x, NULL);
        assert_close(hypot(x[s.nq], x[s.nq + 2]) - before, acceleration, 1e-3 * acceleration);
        scene_destroy(&s);
    }
}
END_TEST

static scene make_pendulum(double time_step)
{
    scene s = {0};
    s.context = context_open();
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "pivot";
    joint.axis[0] = 0, joint.axis[1] = 1, joint.axis[2] = 0;
    trx_body_def body = trx_body_def_default();
    body.name = "pendulum";
    body.joints = &joint, body.njoint = 1;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){1, {0, 0, -0.5}, {0.01, 0.01, 0.01, 0, 0, 0}};
    trx_model_def def = trx_model_def_default();
    def.bodies = &body, def.nbody = 1;
    ck_assert_int_eq(trx_model_create(s.context, &def, &s.model), TRX_OK);
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = time_step;
    settings.tolerance = 1e-12;
    ck_assert_int_eq(trx_sim_create(s.context, s.model, &settings, &s.sim), TRX_OK);
    s.nq = s.nv = 1, s.nx = 2;
    return s;
}

START_TEST(a_frictionless_pendulum_keeps_its_energy_within_the_symplectic_band)
{
    const double dt = 2e-3, inertia = 0.01 + 0.25, omega = sqrt(g * 0.5 / inertia);
    scene s = make_pendulum(dt);
    enum { STEPS = 100000, PERIODS_WINDOW = 10000 };
    double x[2] = {0.5, 0}, start = g * 0.5 * (1 - cos(0.5)), band = 0, first = 0, last = 0;
    for (int k = 0; k < STEPS; k++) {
        scene_step(&s, x, NULL);
        double energy = 0.5 * inertia * x[1] * x[1] + g * 0.5 * (1 - cos(x[0]));
        band = fmax(band, fabs(energy - start) / start);
        if (k < PERIODS_WINDOW) first += energy;
        if (k >= STEPS - PERIODS_WINDOW) last += energy;
    }
    assert_close(band, dt * omega / 2, 0.05 * dt * omega / 2);
    assert_below(fabs(last - first) / first, 2e-5);
    scene_destroy(&s);
}
END_TEST

// linear and angular momentum about the world's origin of two free bodies of known mass and inertia
static void momentum(const scene *s, const double *x, const double mass[2], const double inertia[2], double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    for (int b = 0; b < 2; b++) {
        trx_joint_info joint = trx_model_joint(s->model, b);
        const double *p = x + joint.q_index, *v = x + s->nq + joint.v_index;
        trx_pose poses[2];
        trx_model_body_poses(s->model, x, poses);
        const double *q = poses[joint.body].quat, *w = v + 3;
        double t[3] = {2 * (q[2] * w[2] - q[3] * w[1]), 2 * (q[3] * w[0] - q[1] * w[2]), 2 * (q[1] * w[1] - q[2] * w[0])};
        const double turned[3] = {w[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1],
                                  w[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
                                  w[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0]};
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            out[i] += mass[b] * v[i];
            out[3 + i] += mass[b] * (p[j] * v[k] - p[k] * v[j]) + inertia[b] * turned[i];
        }
    }
}

static scene make_spheres(trx_approximation approximation)
{
    scene s = {0};
    s.context = context_open();
    trx_joint_def joints[2];
    trx_body_def bodies[2];
    trx_geometry_def geometry[2];
    static const char *const names[2] = {"a", "b"};
    for (int b = 0; b < 2; b++) {
        joints[b] = trx_joint_def_default();
        joints[b].name = names[b], joints[b].type = TRX_JOINT_FREE;
        geometry[b] = trx_geometry_def_default();
        geometry[b].shape.radius = 0.1;
        geometry[b].mass = b + 1.0;
        bodies[b] = trx_body_def_default();
        bodies[b].name = names[b];
        bodies[b].joints = &joints[b], bodies[b].njoint = 1;
        bodies[b].geometry = &geometry[b], bodies[b].ngeometry = 1;
    }
    const trx_material_def material = trx_material_def_default();
    trx_model_def def = trx_model_def_default();
    def.gravity[2] = 0;
    def.bodies = bodies, def.nbody = 2;
    def.materials = &material, def.nmaterial = 1;
    def.approximation = approximation;
    def.force_law = approximation == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_HUNT_CROSSLEY;
    ck_assert_msg(trx_model_create(s.context, &def, &s.model) == TRX_OK, "%s", trx_context_message(s.context));
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = 1e-3, settings.tolerance = 1e-13;
    ck_assert_int_eq(trx_sim_create(s.context, s.model, &settings, &s.sim), TRX_OK);
    s.nq = 14, s.nv = 12, s.nx = 24;
    return s;
}

START_TEST(a_collision_conserves_momentum_and_loses_energy)
{
    static const double mass[2] = {1, 2}, inertia[2] = {0.4 * 0.01, 0.8 * 0.01};
    for (int a = 0; a <= TRX_SAP; a++) {
        scene s = make_spheres((trx_approximation)a);
        double x[26], before[6], after[6], kinetic[2], unused;
        trx_model_neutral(s.model, x);
        memset(x + 14, 0, 12 * sizeof *x);
        x[0] = -0.2, x[7] = 0.2, x[8] = 0.08;
        x[14] = 1.5, x[20] = -0.5, x[17] = 3, x[24] = -5;
        momentum(&s, x, mass, inertia, before);
        ck_assert_int_eq(trx_model_energy(s.context, s.model, x, x + 14, &kinetic[0], &unused), TRX_OK);
        bool touched = false;
        for (int k = 0; k < 400; k++) {
            scene_step(&s, x, NULL);
            const trx_contact *contacts;
            touched = touched || (trx_sim_contacts(s.sim, &contacts) == 1 && contacts[0].f_n > 0);
            momentum(&s, x, mass, inertia, after);
            assert_below(max_difference(before, after, 6), 1e-11);
        }
        ck_assert_int_eq(trx_model_energy(s.context, s.model, x, x + 14, &kinetic[1], &unused), TRX_OK);
        ck_assert(touched && x[14] < 0.9 && kinetic[1] < kinetic[0] && kinetic[1] > 0.05 * kinetic[0]);
        scene_destroy(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/physics");
    TCase *cases = tcase_create("physics");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, a_sliding_box_decelerates_at_mu_g);
    tcase_add_test(cases, lagged_friction_keeps_the_height);
    tcase_add_test(cases, similar_lifts_by_its_formula);
    tcase_add_test(cases, sap_lifts_by_its_formula);
    tcase_add_test(cases, a_thrown_sphere_ends_rolling_at_five_sevenths_of_its_speed);
    tcase_add_test(cases, on_an_incline_below_the_friction_angle_a_box_creeps_at_the_speed_of_the_soft_norm);
    tcase_add_test(cases, on_an_incline_above_the_friction_angle_a_box_slides_at_the_difference);
    tcase_add_test(cases, a_frictionless_pendulum_keeps_its_energy_within_the_symplectic_band);
    tcase_add_test(cases, a_collision_conserves_momentum_and_loses_energy);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
