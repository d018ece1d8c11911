// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Prescribed motions and surface velocities: closed forms, and derivatives with most approximations and several force laws.

#include "base/random.h"
#include "math/constants.h"
#include "math/rotation.h"
#include "step/motion.h"
#include "step/timed.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double GRAVITY = 9.81;

// a 1 kg box of 5 cm on a floor with what `floor` adds, on slides along x and z, at rest
static timed open_box(const char *floor, const char *contact)
{
    char text[2048];
    snprintf(text, sizeof text,
             "tractrix: 1\n"
             "model:\n"
             "  materials: {m: {stiffness: 2.0e7, dissipation: 500, relaxation_time: 5.0e-4, friction: 0.7}}\n"
             "  bodies:\n"
             "    - {name: floor, %s}\n"
             "    - name: box\n"
             "      joints: [{name: x, type: slide, axis: [1, 0, 0]}, {name: z, type: slide, axis: [0, 0, 1]}]\n"
             "      geometry: [{shape: box, size: [0.05, 0.05, 0.05], mass: 1, material: m}]\n"
             "contact: {%s}\n"
             "time: {step: 0.01, steps: 100}\n"
             "start: {z: %.17g}\n",
             floor, contact, 0.025 - GRAVITY / 4e7);
    return timed_open(text);
}

// normal force of all contacts of the last step
static double normal_force(const timed *t)
{
    const trx_contact *contacts;
    int count = trx_sim_contacts(t->sim, &contacts);
    double sum = 0;
    for (int i = 0; i < count; i++) sum += contacts[i].f_n;
    return sum;
}

START_TEST(a_conveyor_takes_a_box_along)
{
    // constant friction until the speeds agree, at v/(mu g) = 0.291 s
    const double speed = 2, mu = 0.7;
    timed t = open_box("geometry: [{shape: halfspace, material: m, surface_velocity: [2, 0, 0]}]", "approximation: lagged");
    ck_assert(!trx_model_is_timed(t.model));
    int x = timed_q(&t, "x"), v = timed_v(&t, "x.v");
    timed_run(&t, 0, 20);
    ck_assert_double_eq_tol(t.x[v], mu * GRAVITY * 0.2, 1e-6);
    timed_run(&t, 20, 29);
    ck_assert_double_lt(t.x[v], speed - 1e-3);
    timed_run(&t, 29, 100);
    ck_assert_double_eq_tol(t.x[v], speed, 1e-6);

    // symplectic: x is ahead of the parabola by v dt/2 up to the end of sliding
    double slid = speed / (mu * GRAVITY), way = speed * 1.0 - 0.5 * speed * slid;
    ck_assert_double_eq_tol(t.x[x], way, 0.5 * speed * t.dt + 1e-3);
    ck_assert_double_eq_tol(normal_force(&t), GRAVITY, 1e-6 * GRAVITY);
    timed_close(&t);
}
END_TEST

START_TEST(what_runs_into_or_out_of_a_surface_is_left_out)
{
    timed t = open_box("geometry: [{shape: halfspace, material: m, surface_velocity: [0.3, 0, 5]}]", "approximation: lagged");
    double z = t.x[timed_q(&t, "z")];
    timed_run(&t, 0, 50);
    ck_assert_double_eq_tol(t.x[timed_q(&t, "z")], z, 1e-12);
    ck_assert_double_eq_tol(t.x[timed_v(&t, "x.v")], 0.3, 1e-6);
    timed_close(&t);
}
END_TEST

START_TEST(the_surface_turns_with_its_body)
{
    // the floor's y axis points along x
    timed t = open_box("pose: {rpy: [0, 0, -1.5707963267948966]}, geometry: [{shape: halfspace, material: m, "
                       "surface_velocity: [0, 0.2, 0]}]",
                       "approximation: lagged");
    timed_run(&t, 0, 50);
    ck_assert_double_eq_tol(t.x[timed_v(&t, "x.v")], 0.2, 1e-6);
    timed_close(&t);
}
END_TEST

// largest height of a box on a belt that swings at 1 Hz by 0.2 m, over a period; the worst normal force, relative
static double swing(const char *contact, double *force_error)
{
    timed t = open_box("motion: {type: slide, axis: [1, 0, 0], amplitude: 0.2, frequency: 1}, geometry: [{shape: halfspace, "
                       "material: m}]",
                       contact);
    int z = timed_q(&t, "z");
    double start = t.x[z], lift = 0, slip = 0;
    *force_error = 0;
    for (int k = 0; k < 100; k++) {
        timed_run(&t, k, k + 1);
        lift = fmax(lift, fabs(t.x[z] - start));
        *force_error = fmax(*force_error, fabs(normal_force(&t) / GRAVITY - 1));
        const trx_contact *contacts;
        if (trx_sim_contacts(t.sim, &contacts) > 0) slip = fmax(slip, contacts[0].v_t);
    }
    ck_assert_double_gt(slip, 0.1); // the belt's 7.9 m/s^2 are more than friction gives
    timed_close(&t);
    return lift;
}

START_TEST(an_oscillating_belt_moves_a_box_up_and_down_in_similar_and_sap_only)
{
    // Castro, Han, Masterjohn, section XI-A
    double error;
    ck_assert_double_lt(swing("approximation: lagged", &error), 1e-9);
    ck_assert_double_lt(error, 1e-6);
    ck_assert_double_gt(swing("approximation: similar", &error), 1e-3);
    ck_assert_double_gt(swing("approximation: sap, force_law: kelvin_voigt", &error), 1e-3);
}
END_TEST

START_TEST(a_shelf_carries_what_stands_on_it_to_where_it_is)
{
    // 0.2 m up and down at 0.5 Hz: 2 m/s^2 at most, so the box stays on it: z(t) = shelf(t), f = m (g + a)
    const double amplitude = 0.2, w = TRXI_PI;
    timed t = open_box("motion: {type: slide, axis: [0, 0, 1], amplitude: 0.2, frequency: 0.5, phase: 1.5707963267948966}, "
                       "pose: {xyz: [0, 0, -0.2]}, geometry: [{shape: halfspace, material: m}]",
                       "approximation: lagged");
    ck_assert(trx_model_is_timed(t.model));
    int z = timed_q(&t, "z");
    double start = t.x[z];
    for (int k = 0; k < 100; k++) {
        timed_run(&t, k, k + 1);
        double time = (k + 1) * t.dt, shelf = amplitude * (cos(w * time) - 1);
        ck_assert_double_eq_tol(t.x[z] - start, shelf, 2e-6);
        double a = -amplitude * w * w * cos(w * (time - t.dt));
        if (k > 3) ck_assert_double_eq_tol(normal_force(&t), GRAVITY + a, 0.03);
    }
    timed_close(&t);
}
END_TEST

static const char turntable[] = "tractrix: 1\n"
                                "model:\n"
                                "  materials: {m: {stiffness: 1.0e6, dissipation: 10, friction: 0.8}}\n"
                                "  bodies:\n"
                                "    - {name: table, motion: {type: hinge, axis: [0, 0, 1], at: [0.5, 0, 0], velocity: 1.5},\n"
                                "       geometry: [{shape: halfspace, material: m}], frames: [{name: mark}]}\n"
                                "    - {name: puck, joint: free, geometry: [{shape: box, size: [0.1, 0.1, 0.02], mass: 0.2, "
                                "material: m}]}\n"
                                "time: {step: 0.005, steps: 200}\n"
                                "start: {puck: {xyz: [0.7, 0, 0.0099995], velocity: [0, 0.3, 0], spin: [0, 0, 1.5]}}\n";

// how far a box leaves its place on a tray that swings by 0.1 m in a second
static double tray_departure(const char *scheme, double dt)
{
    char text[2048];
    snprintf(text, sizeof text,
             "tractrix: 1\n"
             "model:\n"
             "  materials: {m: {stiffness: 3.0e4, dissipation: 2, friction: 0.9}}\n"
             "  bodies:\n"
             "    - {name: tray, motion: {type: slide, axis: [1, 0, 0], amplitude: 0.1, frequency: 1, phase: %.17g}, geometry: "
             "[{shape: halfspace, material: m}]}\n"
             "    - name: box\n"
             "      joints: [{name: x, type: slide, axis: [1, 0, 0]}, {name: z, type: slide, axis: [0, 0, 1]}]\n"
             "      geometry: [{shape: box, size: [0.2, 0.2, 0.1], mass: 0.5, material: m}]\n"
             "time: {step: %.17g, steps: 100, scheme: %s}\n"
             "start: {x: 0.1, z: %.17g}\n",
             0.5 * TRXI_PI, dt, scheme, 0.05 - 0.5 * GRAVITY / (4 * 1.5e4));
    timed t = timed_open(text);
    const int x = timed_q(&t, "x");
    double most = 0, way = 0;
    for (int k = 0; k * dt < 1 - 1e-9; k++) {
        timed_run(&t, k, k + 1);
        double tray = 0.1 * cos(2 * TRXI_PI * (k + 1) * dt);
        most = fmax(most, fabs(t.x[x] - tray));
        way = fmax(way, fabs(tray - 0.1));
    }
    timed_close(&t);
    ck_assert_double_gt(way, 0.19);
    return most;
}

// in schemes whose positions move with the mean of two velocities, the velocity of the tray is its mean from s to s + dt, and s is
// half a step after the start of the step (theory 2). With its mean over the step itself a box lagged by 3.15 mm at 10 ms and by
// 1.58 mm at 5 ms
START_TEST(a_tray_carries_a_box_to_where_it_is_in_every_scheme)
{
    static const char *const first[] = {"symplectic", "implicit", "theta, theta: 0.7, theta_vq: 1"};
    for (int i = 0; i < 3; i++) assert_below(tray_departure(first[i], 0.01), 2e-5);
    static const char *const second[] = {"midpoint", "midpoint, contact: midpoint", "theta, theta: 1, theta_vq: 0.5"};
    for (int i = 0; i < 3; i++) {
        double coarse = tray_departure(second[i], 0.01), fine = tray_departure(second[i], 0.005);
        assert_below(coarse, 1.5e-4);
        ck_assert_msg(coarse > 3 * fine, "%s: %g and %g", second[i], coarse, fine);
    }
}
END_TEST

START_TEST(a_turntable_takes_a_puck_around)
{
    timed t = timed_open(turntable);
    timed_run(&t, 0, 200);
    double angle = 1.5, *x = t.x + timed_q(&t, "puck.x");

    // 0.2 m from the axis: it sticks, but for the creep of regularized friction
    ck_assert_double_eq_tol(x[0], 0.5 + 0.2 * cos(angle), 5e-4);
    ck_assert_double_eq_tol(x[1], 0.2 * sin(angle), 5e-4);
    ck_assert_double_eq_tol(x[2], 0.01, 1e-5);
    ck_assert_double_eq_tol(2 * atan2(x[6], x[3]), angle, 1e-3);

    trx_pose poses[2];
    trx_model_body_poses_at(t.model, t.x, 1, poses);
    ck_assert_double_eq_tol(poses[0].p[0], 0.5 - 0.5 * cos(angle), 1e-12);
    ck_assert_double_eq_tol(poses[0].p[1], -0.5 * sin(angle), 1e-12);
    timed_close(&t);
}
END_TEST

START_TEST(a_step_is_a_function_of_time_state_and_controls)
{
    timed t = open_box("motion: {type: slide, axis: [1, 0, 0], amplitude: 0.2, frequency: 1}, geometry: [{shape: halfspace, "
                       "material: m}]",
                       "approximation: lagged");
    double first[TIMED_MAX_X], again[TIMED_MAX_X], other[TIMED_MAX_X];
    size_t bytes = (size_t)(t.nq + t.nv) * sizeof(double);
    ck_assert_double_eq(trx_sim_time(t.sim), 0);
    timed_run(&t, 0, 3);
    ck_assert_int_eq(trx_sim_set_time(t.sim, 0.2), TRX_OK);
    ck_assert_int_eq(trx_step(t.sim, t.x, NULL, first), TRX_OK);
    ck_assert_double_eq(trx_sim_time(t.sim), 0.2);
    ck_assert_int_eq(trx_step(t.sim, t.x, NULL, again), TRX_OK);
    ck_assert_mem_eq(first, again, bytes);

    // derivatives are those at the time of the last step, also after the time has been set
    double A[16], later[16];
    ck_assert_int_eq(t.nv, 2);
    ck_assert_int_eq(trx_step_jac(t.sim, A, NULL), TRX_OK);
    ck_assert_int_eq(trx_step(t.sim, t.x, NULL, again), TRX_OK);
    ck_assert_int_eq(trx_sim_set_time(t.sim, 0.75), TRX_OK);
    ck_assert_int_eq(trx_step_jac(t.sim, later, NULL), TRX_OK);
    ck_assert_mem_eq(A, later, sizeof A);
    ck_assert_int_eq(trx_step(t.sim, t.x, NULL, other), TRX_OK);
    ck_assert_double_gt(max_difference(first, other, t.nq + t.nv), 1e-6);
    ck_assert_int_eq(trx_sim_set_time(t.sim, NAN), TRX_ERR_ARGUMENT);
    ck_assert_double_eq(trx_sim_time(t.sim), 0.75);
    timed_close(&t);
}
END_TEST

// the deepest overlap in the first steps [m]
static double deepest_overlap(timed *t, int steps)
{
    double deepest = 0;
    for (int k = 0; k < steps; k++) {
        timed_run(t, k, k + 1);
        const trx_contact *contacts;
        int count = trx_sim_contacts(t->sim, &contacts);
        for (int i = 0; i < count; i++) deepest = fmax(deepest, -contacts[i].distance);
    }
    return deepest;
}

START_TEST(fast_bodies_are_seen_before_they_hit)
{
    // a wall comes at 20 m/s, 0.2 m a step, towards a ball at rest; a plane turns towards a bead 1 m from its axis
    static const char text[] = "tractrix: 1\n"
                               "model:\n"
                               "  gravity: [0, 0, 0]\n"
                               "  materials: {default: {stiffness: 1.0e6, dissipation: 1, friction: 0}}\n"
                               "  bodies:\n"
                               "    - {name: wall, motion: {type: slide, axis: [1, 0, 0], velocity: 20}, pose: {xyz: [-1, 0, 0]},\n"
                               "       geometry: [{shape: box, size: [0.02, 1, 1]}]}\n"
                               "    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.03, mass: 0.1}]}\n"
                               "    - {name: gate, motion: {type: hinge, axis: [0, -1, 0], velocity: 4},\n"
                               "       pose: {xyz: [0, 10, 0], rpy: [-1.5707963267948966, 0, 0]}, geometry: [{shape: halfspace}]}\n"
                               "    - {name: bead, joint: free, geometry: [{shape: sphere, radius: 0.03, mass: 0.1}]}\n"
                               "contact: {pairs: {exclude: [[gate, ball]]}}\n"
                               "time: {step: 0.01, steps: 20}\n"
                               "start: {bead: {xyz: [1, 10.2, 0]}}\n";
    timed t = timed_open(text);
    assert_below(deepest_overlap(&t, 20), 0.003);
    ck_assert_double_ge(t.x[timed_v(&t, "ball.vx")], 19);
    ck_assert_double_ge(t.x[timed_v(&t, "bead.vy")], 3);
    timed_close(&t);
}
END_TEST

START_TEST(a_turning_plane_sees_the_first_geometry_of_the_model)
{
    // the bead is 1 m from the axis and the only geometry with a size
    static const char text[] = "tractrix: 1\n"
                               "model:\n"
                               "  gravity: [0, 0, 0]\n"
                               "  materials: {default: {stiffness: 1.0e6, dissipation: 1, friction: 0}}\n"
                               "  bodies:\n"
                               "    - {name: bead, joint: free, geometry: [{shape: sphere, radius: 0.03, mass: 0.1}]}\n"
                               "    - {name: gate, motion: {type: hinge, axis: [0, -1, 0], velocity: 4},\n"
                               "       pose: {xyz: [0, 10, 0], rpy: [-1.5707963267948966, 0, 0]}, geometry: [{shape: halfspace}]}\n"
                               "time: {step: 0.01, steps: 20}\n"
                               "start: {bead: {xyz: [1, 10.2, 0]}}\n";
    timed t = timed_open(text);
    assert_below(deepest_overlap(&t, 20), 0.003);
    ck_assert_double_ge(t.x[timed_v(&t, "bead.vy")], 3);
    timed_close(&t);
}
END_TEST

// a point of a body that turns about an oblique axis: its displacement in this step and in the step before, and the spin of the
// body
START_TEST(a_turning_body_gives_contacts_its_velocity_and_spin)
{
    static const char text[] = "tractrix: 1\n"
                               "model:\n"
                               "  bodies:\n"
                               "    - {name: plate, motion: {type: hinge, axis: [1, 2, -2], at: [0.1, 0.2, 0.3], velocity: 3},\n"
                               "       geometry: [{shape: halfspace}]}\n"
                               "    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.05, mass: 1}]}\n"
                               "time: {step: 0.01, steps: 10}\n"
                               "start: {ball: {xyz: [0, 0, 1]}}\n";
    static const double at[3] = {0.1, 0.2, 0.3}, p[3] = {0.4, -0.1, 0.2}, axis[3] = {1. / 3, 2. / 3, -2. / 3}, rate = 3, dt = 0.01;
    timed t = timed_open(text);
    timed_run(&t, 0, 4);
    const int plate = t.model->geoms[0].prescribed >= 0 ? 0 : 1;
    for (int sign = -1; sign <= 1; sign += 2) {
        trxi_bias bias;
        const trxi_meeting meeting = {.geom_a = sign < 0 ? plate : 1 - plate, .geom_b = sign < 0 ? 1 - plate : plate};
        trxi_step_compute_bias(&t.sim->in, &t.sim->smooth, &t.sim->geometry, &meeting, p, &bias);
        for (int way = -1; way <= 1; way += 2) {
            double turn[3], quat[4], R[9], arm[3], moved[3];
            trxi_scale3(way * rate * dt, axis, turn);
            trxi_quat_exp(turn, quat);
            trxi_quat_to_matrix(quat, R);
            trxi_sub3(p, at, arm);
            trxi_mulv3(R, arm, moved);
            const double *u = way > 0 ? bias.u : bias.u0;
            for (int i = 0; i < 3; i++) assert_close(u[i], sign * way * (moved[i] - arm[i]) / dt, 1e-12);
        }
        for (int i = 0; i < 3; i++) assert_close(bias.spin[i], sign * sin(rate * dt) / dt * axis[i], 1e-12);
    }
    timed_close(&t);
}
END_TEST

// the axis of friction turns with a body of prescribed motion: its x axis points along the world's y, so the box slides across it
START_TEST(the_axis_of_friction_turns_with_its_body)
{
    timed t = open_box("motion: {type: slide, axis: [0, 0, 1], velocity: 1.0e-9}, pose: {rpy: [0, 0, 1.5707963267948966]}, "
                       "geometry: [{shape: halfspace, material: m}]",
                       "approximation: lagged, override: [{pair: [floor, box], axis: [1, 0, 0], friction: 0.6, "
                       "friction_across: 0.2}]");
    const int v = timed_v(&t, "x.v");
    t.x[v] = 1;
    timed_run(&t, 0, 20);
    ck_assert_double_eq_tol(t.x[v], 1 - 0.2 * GRAVITY * 0.2, 1e-4);
    timed_close(&t);
}
END_TEST

// the speed that the broad phase takes is at least the speed of every point of a geometry, and not far above it
START_TEST(the_speed_of_a_geometry_covers_its_fastest_point)
{
    static const double rates[] = {0.02, 0.5, 3, 40};
    for (int i = 0; i < 4; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "tractrix: 1\n"
                 "model:\n"
                 "  bodies:\n"
                 "    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.05, mass: 1}]}\n"
                 "    - {name: fan, motion: {type: hinge, axis: [1, 2, -2], velocity: %g}, pose: {xyz: [0.1, 0.2, 0.3]},\n"
                 "       geometry: [{shape: sphere, radius: 0.2, pose: {xyz: [2, 1, 2]}}, {shape: halfspace}]}\n"
                 "time: {step: 0.001, steps: 10}\n"
                 "start: {ball: {xyz: [0.1, 5.2, 0.3]}}\n",
                 rates[i]);
        timed t = timed_open(text);
        timed_run(&t, 0, 2);
        const double fastest[3] = {0, rates[i] * 3.2, rates[i] * 5.05}; // of the plane: at the points of bodies with a size
        for (int g = 0; g < 3; g++) {
            const int moving = t.model->geoms[g].prescribed >= 0, plane = !isfinite(t.model->geoms[g].radius);
            const double speed = trxi_step_motion_speed(&t.sim->in, &t.sim->geometry, g), needed = fastest[moving + plane];
            ck_assert_msg(speed >= needed && speed <= 3 * sqrt(2) * needed, "rate %g: %g, needed %g", rates[i], speed, needed);
        }
        timed_close(&t);
    }
}
END_TEST

// ---- derivatives ----

static const char scene[] =
    "tractrix: 1\n"
    "model:\n"
    "  materials: {m: {stiffness: 8.0e3, dissipation: 0.8, relaxation_time: 0.004, friction: 0.6}}\n"
    "  bodies:\n"
    "    - {name: lift, motion: {type: slide, axis: [1, 0.3, 2], amplitude: 0.1, frequency: 0.7, velocity: 0.2}}\n"
    "    - {name: plate, parent: lift, pose: {xyz: [0.1, 0, 0], rpy: [0.2, -0.1, 0.4]},\n"
    "       motion: {type: hinge, axis: [0.2, 1, 0.1], at: [0.1, 0.2, 0], amplitude: 0.4, frequency: 1, phase: 0.3},\n"
    "       geometry: [{shape: halfspace, material: m, surface_velocity: [0.4, -0.2, 0.5]}]}\n"
    "    - {name: ball, joint: free, geometry: [{shape: sphere, radius: 0.05, mass: 0.4, material: m, surface_velocity: [0.3, "
    "0.5, -0.4]}]}\n"
    "    - {name: upper, pose: {xyz: [0, 0, 5]}, joints: [{name: a, type: hinge, axis: [0.2, 1, 0]}, {name: b, type: slide, "
    "axis: [1, 0.1, 0.3]}], inertia: {mass: 1, com: [0.1, 0, 0], tensor: [0.01, 0.02, 0.015]}}\n"
    "    - {name: tip, parent: upper, pose: {xyz: [0.3, 0, 0]}, joints: [{name: c, type: ball}],\n"
    "       geometry: [{shape: capsule, radius: 0.04, length: 0.2, mass: 0.5, material: m, surface_velocity: [-0.2, 0.1, 0.6]}]}\n"
    "contact: {stiction_tolerance: 0.02, %s}\n"
    "time: {step: 0.01, steps: 10}\n";

// puts the ball 1 mm deep into the plate as it is at `time`, or into the capsule; all else is random
static void place(timed *t, uint64_t seed, double time, bool on_plate)
{
    trx_pose poses[5];
    double R[9], n[3], w[3];
    double dq[TIMED_MAX_X];
    for (int i = 0; i < t->nv; i++) {
        dq[i] = 0.6 * trxi_random_normal(seed, (uint64_t)i);
        t->x[t->nq + i] = 0.3 * trxi_random_normal(seed, 100 + (uint64_t)i);
    }
    trx_model_integrate(t->model, t->x, dq, t->x);
    trx_model_body_poses_at(t->model, t->x, time, poses);
    const trx_pose *base = &poses[on_plate ? trx_model_find_body(t->model, "plate") : trx_model_find_body(t->model, "tip")];
    trxi_quat_to_matrix(base->quat, R);
    trxi_set3(on_plate ? 0 : 1, 0, on_plate ? 1 : 0, w);
    trxi_mulv3(R, w, n);
    double *p = t->x + timed_q(t, "ball.x"), height = (on_plate ? 0.05 : 0.09) - 0.001;
    trxi_copy3(base->p, p);
    trxi_axpy3(height, n, p);
    trxi_axpy3(on_plate ? 0.1 : 0, R, p);
}

static void check_derivatives(const char *contact)
{
    enum { STATES = 12 };
    char text[4096];
    int judged = 0;
    snprintf(text, sizeof text, scene, contact);
    timed t = timed_open(text);
    double start[TIMED_MAX_X];
    memcpy(start, t.x, sizeof start);
    for (int i = 0; i < STATES; i++) {
        memcpy(t.x, start, sizeof start);
        double time = 0.13 * i;
        place(&t, (uint64_t)i + 1, time, i % 2 == 0);
        double error = timed_derivative_error(&t, time);
        const trx_contact *contacts;
        ck_assert_int_ge(trx_sim_contacts(t.sim, &contacts), 1);
        if (error < 0) continue;
        judged++;
        ck_assert_msg(error < 1e-6, "%s, state %d: error %.3g", contact, i, error);
    }
    ck_assert_int_ge(judged, STATES / 2);
    timed_close(&t);
}

START_TEST(derivatives_agree_with_differences_in_every_contact_model)
{
    check_derivatives("approximation: lagged");
    check_derivatives("approximation: lagged_regularized, force_law: kelvin_voigt");
    check_derivatives("approximation: similar");
    check_derivatives("approximation: lagged, force_law: smoothed, smoothing: 0.001");
    check_derivatives("approximation: sap, force_law: kelvin_voigt");

    // an axis of friction fixed to the plate or to the ball; friction that depends on the slip before the step; turns of prescribed
    // bodies
    static const char frictions[] = "friction: 0.7, friction_across: 0.3, dynamic_friction: 0.4, slip_speed: 0.5";
    static const char turns[] = "torsional_friction: 0.01, rolling_friction: 0.004";
    char contact[512];
    snprintf(contact, sizeof contact,
             "joint_stiction_tolerance: 0.05, override: [{pair: [plate, ball], axis: [1, 0.2, 0], %s, %s}, "
             "{pair: [ball, tip], axis: [0.5, 1, 0.3], %s, %s}]",
             frictions, turns, frictions, turns);
    check_derivatives(contact);
    snprintf(contact, sizeof contact, "approximation: similar, override: [{pair: [plate, ball], axis: [1, 0.2, 0], %s}]",
             frictions);
    check_derivatives(contact);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/motion");
    TCase *cases = tcase_create("motion");
    tcase_add_test(cases, a_conveyor_takes_a_box_along);
    tcase_add_test(cases, what_runs_into_or_out_of_a_surface_is_left_out);
    tcase_add_test(cases, the_surface_turns_with_its_body);
    tcase_add_test(cases, an_oscillating_belt_moves_a_box_up_and_down_in_similar_and_sap_only);
    tcase_add_test(cases, a_shelf_carries_what_stands_on_it_to_where_it_is);
    tcase_add_test(cases, a_tray_carries_a_box_to_where_it_is_in_every_scheme);
    tcase_add_test(cases, a_turntable_takes_a_puck_around);
    tcase_add_test(cases, a_step_is_a_function_of_time_state_and_controls);
    tcase_add_test(cases, fast_bodies_are_seen_before_they_hit);
    tcase_add_test(cases, a_turning_plane_sees_the_first_geometry_of_the_model);
    tcase_add_test(cases, a_turning_body_gives_contacts_its_velocity_and_spin);
    tcase_add_test(cases, the_axis_of_friction_turns_with_its_body);
    tcase_add_test(cases, the_speed_of_a_geometry_covers_its_fastest_point);
    tcase_add_test(cases, derivatives_agree_with_differences_in_every_contact_model);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
