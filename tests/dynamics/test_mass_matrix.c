// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The mass matrix against inverse dynamics, against closed forms, and its derivative against differences.

#include "fixture.h"
#include "math/dense.h"
#include "support/support.h"

START_TEST(columns_of_m_are_the_forces_of_unit_accelerations)
{
    fixture f = fixture_of_everything();
    int n = f.nv;
    for (int far = 0; far < 2; far++) {
        double q[MAX_NQ], v[MAX_NV], bias[MAX_NV], tau[MAX_NV], M[MAX_NV * MAX_NV];
        random_configuration(&f, 41, far, q);
        random_vector(42, n, v);
        mass_matrix_at(&f, q, M);
        trxi_inverse_dynamics(f.model, &f.kin, v, NULL, &f.rnea, bias);
        for (int j = 0; j < n; j++) {
            double a[MAX_NV] = {0};
            a[j] = 1;
            trxi_inverse_dynamics(f.model, &f.kin, v, a, &f.rnea, tau);
            for (int i = 0; i < n; i++) tau[i] -= bias[i];
            assert_below(max_difference(tau, M + n * j, n), 1e-12);
        }
        ck_assert_int_eq(trxi_cholesky(n, M, n), -1);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(trees_do_not_couple)
{
    fixture f = fixture_of_everything();
    double q[MAX_NQ], M[MAX_NV * MAX_NV];
    random_configuration(&f, 51, false, q);
    for (int i = 0; i < MAX_NV * MAX_NV; i++) M[i] = NAN;
    mass_matrix_at(&f, q, M);
    ck_assert_int_eq(f.model->ntree, 2);
    int first = f.model->trees[1].v;
    for (int j = 0; j < first; j++)
        for (int i = first; i < f.nv; i++) ck_assert(M[i + j * f.nv] == 0);
    fixture_close(&f);
}
END_TEST

START_TEST(a_free_body_has_a_constant_block)
{
    fixture f = fixture_of_free_body((trx_body_inertia){2, {0, 0, 0}, {1, 2, 2.5, 0.1, 0.2, 0.3}});
    double q[MAX_NQ], M[36];
    random_configuration(&f, 61, true, q);
    mass_matrix_at(&f, q, M);
    const double expected[36] = {2, 0, 0, 0, 0,   0,   0, 2, 0, 0,   0, 0,   0, 0, 2, 0,   0,   0,
                                 0, 0, 0, 1, 0.1, 0.2, 0, 0, 0, 0.1, 2, 0.3, 0, 0, 0, 0.2, 0.3, 2.5};
    assert_below(max_difference(M, expected, 36), 1e-14);
    fixture_close(&f);
}
END_TEST

START_TEST(rotor_inertia_adds_to_the_diagonal)
{
    trx_joint_def joint = trx_joint_def_default();
    joint.name = "wheel";
    joint.armature = 0.25;
    trx_body_def body = trx_body_def_default();
    body.name = "disk";
    body.joints = &joint;
    body.njoint = 1;
    trx_model_def def = trx_model_def_default();
    def.bodies = &body;
    def.nbody = 1;
    fixture f = fixture_open(&def); // no mass at all: the rotor is what turns
    double q[1] = {0.4}, v[1] = {3}, a[1] = {2}, M[1], tau[1];
    mass_matrix_at(&f, q, M);
    assert_close(M[0], 0.25, 0);
    inverse_dynamics_at(&f, q, v, a, tau);
    assert_close(tau[0], 0.5, 0);
    fixture_close(&f);
}
END_TEST

static void quadratic(fixture *f, const double *q, const void *data, double *values)
{
    double M[MAX_NV * MAX_NV], My[MAX_NV];
    mass_matrix_at(f, q, M);
    trxi_gemv(f->nv, f->nv, 1, M, f->nv, data, 0, My);
    values[0] = trxi_dot(f->nv, data, My);
}

START_TEST(derivative_of_the_kinetic_energy_agrees_with_central_differences)
{
    fixture f = fixture_of_everything();
    double q[MAX_NQ], y[MAX_NV], V[8 * MAX_LINKS], h[8 * MAX_LINKS], g[MAX_NV], numeric[MAX_NV];
    random_configuration(&f, 71, false, q);
    random_vector(72, f.nv, y);
    difference_over_q(&f, quadratic, y, 1, q, numeric);
    trxi_kinematics_compute(f.model, q, &f.kin);
    for (int t = 0; t < f.model->ntree; t++) trxi_mass_quadratic_dq(f.model, &f.kin, &f.model->trees[t], y, V, h, g);
    double scale = max_magnitude(g, f.nv);
    ck_assert(scale > 1);
    assert_below(max_difference(g, numeric, f.nv), 1e-9 * scale);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/mass_matrix");
    TCase *cases = tcase_create("mass_matrix");
    tcase_add_test(cases, columns_of_m_are_the_forces_of_unit_accelerations);
    tcase_add_test(cases, trees_do_not_couple);
    tcase_add_test(cases, a_free_body_has_a_constant_block);
    tcase_add_test(cases, rotor_inertia_adds_to_the_diagonal);
    tcase_add_test(cases, derivative_of_the_kinetic_energy_agrees_with_central_differences);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
