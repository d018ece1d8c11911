// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inverse dynamics against equations of motion worked out by hand, and against the balance of power.

#include "fixture.h"
#include "math/rotation.h"
#include "support/support.h"

static trx_joint_def hinge(const char *name)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = name;
    joint.axis[1] = 1, joint.axis[2] = 0;
    return joint;
}

// a point mass m at distance l below a hinge along y
START_TEST(a_pendulum_feels_gravity_and_inertia)
{
    const double m = 1.5, l = 0.7, q = 0.4, v = 2, a = -3;
    trx_joint_def joint = hinge("theta");
    joint.armature = 0.2;
    trx_body_def body = trx_body_def_default();
    body.name = "bob";
    body.joints = &joint;
    body.njoint = 1;
    body.has_inertia = true;
    body.inertia = (trx_body_inertia){.mass = m, .com = {0, 0, -l}};
    trx_model_def def = trx_model_def_default();
    def.bodies = &body;
    def.nbody = 1;
    fixture f = fixture_open(&def);
    double tau;
    inverse_dynamics_at(&f, &q, &v, &a, &tau);
    assert_close(tau, (m * l * l + 0.2) * a + m * 9.81 * l * sin(q), 1e-14);
    fixture_close(&f);
}
END_TEST

// two rods, q2 relative to rod 1, angles from the downward vertical (any textbook: Lagrange's equations)
START_TEST(a_double_pendulum_obeys_its_equations_of_motion)
{
    const double m1 = 1.2, m2 = 0.7, l1 = 0.8, c1 = 0.35, c2 = 0.3, I1 = 0.06, I2 = 0.02, g = 9.81;
    trx_joint_def joint1 = hinge("q1"), joint2 = hinge("q2");
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    bodies[0].name = "upper", bodies[1].name = "lower";
    bodies[0].joints = &joint1, bodies[1].joints = &joint2;
    bodies[1].parent = 0;
    bodies[1].pose.p[2] = -l1;
    for (int i = 0; i < 2; i++) bodies[i].njoint = 1, bodies[i].has_inertia = true;
    bodies[0].inertia = (trx_body_inertia){m1, {0, 0, -c1}, {I1, I1, 0, 0, 0, 0}};
    bodies[1].inertia = (trx_body_inertia){m2, {0, 0, -c2}, {I2, I2, 0, 0, 0, 0}};
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies;
    def.nbody = 2;
    fixture f = fixture_open(&def);

    const double q[2] = {0.3, -1.1}, v[2] = {1.4, -2.2}, a[2] = {0.5, 3.1};
    double tau[2], M[4];
    inverse_dynamics_at(&f, q, v, a, tau);
    mass_matrix_at(&f, q, M);

    double c = cos(q[1]), h = m2 * l1 * c2 * sin(q[1]);
    double M11 = I1 + I2 + m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2 + 2 * l1 * c2 * c);
    double M12 = I2 + m2 * (c2 * c2 + l1 * c2 * c), M22 = I2 + m2 * c2 * c2;
    double g2 = m2 * g * c2 * sin(q[0] + q[1]), g1 = (m1 * c1 + m2 * l1) * g * sin(q[0]) + g2;
    assert_close(M[0], M11, 1e-14);
    assert_close(M[1], M12, 1e-14);
    assert_close(M[3], M22, 1e-14);
    assert_close(tau[0], M11 * a[0] + M12 * a[1] - h * (2 * v[0] * v[1] + v[1] * v[1]) + g1, 1e-13);
    assert_close(tau[1], M12 * a[0] + M22 * a[1] + h * v[0] * v[0] + g2, 1e-13);
    fixture_close(&f);
}
END_TEST

START_TEST(a_free_body_obeys_newton_and_euler)
{
    fixture f = fixture_of_free_body((trx_body_inertia){2, {0, 0, 0}, {1, 2, 2.5, 0.1, 0.2, 0.3}});
    double q[7], v[6], a[6], tau[6];
    random_configuration(&f, 81, true, q);
    random_vector(82, 6, v);
    random_vector(83, 6, a);
    inverse_dynamics_at(&f, q, v, a, tau);

    // m (a - g) in world axes, I w' + w x I w in body axes
    const double I[9] = {1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5};
    double Iw[3], moment[3];
    trxi_mulv3(I, v + 3, Iw);
    trxi_mulv3(I, a + 3, moment);
    trxi_cross_add3(v + 3, Iw, moment);
    for (int k = 0; k < 3; k++) assert_close(tau[k], 2 * (a[k] - (k == 2 ? -9.81 : 0)), 1e-13);
    assert_below(max_difference(tau + 3, moment, 3), 1e-13);
    fixture_close(&f);
}
END_TEST

START_TEST(gravity_spares_the_bodies_it_is_told_to)
{
    // two equal welded masses: the load is half of what both would weigh
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "lift";
    joint.type = TRX_JOINT_SLIDE;
    trx_body_def bodies[2] = {trx_body_def_default(), trx_body_def_default()};
    bodies[0].name = "cage", bodies[1].name = "balloon";
    bodies[0].joints = &joint, bodies[0].njoint = 1;
    bodies[1].parent = 0, bodies[1].gravity = false;
    for (int i = 0; i < 2; i++) bodies[i].has_inertia = true, bodies[i].inertia.mass = 3;
    trx_model_def def = trx_model_def_default();
    def.bodies = bodies;
    def.nbody = 2;
    fixture f = fixture_open(&def);
    const double q = 1, v = 2, a = 0.5;
    double tau;
    inverse_dynamics_at(&f, &q, &v, &a, &tau);
    assert_close(tau, 6 * 0.5 + 3 * 9.81, 1e-14);
    fixture_close(&f);
}
END_TEST

START_TEST(a_null_acceleration_is_zero)
{
    fixture f = fixture_of_everything();
    double q[MAX_NQ], v[MAX_NV], zero[MAX_NV] = {0}, with[MAX_NV], without[MAX_NV];
    random_configuration(&f, 91, false, q);
    random_vector(92, f.nv, v);
    inverse_dynamics_at(&f, q, v, zero, with);
    inverse_dynamics_at(&f, q, v, NULL, without);
    ck_assert(max_magnitude(with, f.nv) > 1);
    assert_below(max_difference(with, without, f.nv), 1e-15);
    fixture_close(&f);
}
END_TEST

static double energy(fixture *f, const double *q, const double *v)
{
    double kinetic, potential;
    ck_assert_int_eq(trx_model_energy(f->context, f->model, q, v, &kinetic, &potential), TRX_OK);
    return kinetic + potential;
}

// dE/dt = tau . v along any motion with q' = v, v' = a
START_TEST(the_power_of_the_forces_is_the_rate_of_the_energy)
{
    fixture f = fixture_of_everything();
    const double h = 1e-3;
    static const double steps[4] = {2, 1, -1, -2}, weights[4] = {-1, 8, -8, 1};
    double q[MAX_NQ], v[MAX_NV], a[MAX_NV], tau[MAX_NV], rate = 0, power = 0;
    random_configuration(&f, 101, false, q);
    random_vector(102, f.nv, v);
    random_vector(103, f.nv, a);
    inverse_dynamics_at(&f, q, v, a, tau);
    for (int i = 0; i < f.nv; i++) power += tau[i] * v[i];
    for (int k = 0; k < 4; k++) {
        double dq[MAX_NV], moved[MAX_NQ], faster[MAX_NV];
        for (int i = 0; i < f.nv; i++) dq[i] = steps[k] * h * v[i], faster[i] = v[i] + steps[k] * h * a[i];
        trx_model_integrate(f.model, q, dq, moved);
        rate += weights[k] * energy(&f, moved, faster) / (12 * h);
    }
    ck_assert(fabs(power) > 1);
    assert_close(rate, power, 1e-8 * fabs(power));
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/inverse_dynamics");
    TCase *cases = tcase_create("inverse_dynamics");
    tcase_add_test(cases, a_pendulum_feels_gravity_and_inertia);
    tcase_add_test(cases, a_double_pendulum_obeys_its_equations_of_motion);
    tcase_add_test(cases, a_free_body_obeys_newton_and_euler);
    tcase_add_test(cases, gravity_spares_the_bodies_it_is_told_to);
    tcase_add_test(cases, a_null_acceleration_is_zero);
    tcase_add_test(cases, the_power_of_the_forces_is_the_rate_of_the_energy);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
