// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The adjoint of inverse dynamics is the transpose of its derivatives, near the origin and far from it; a momentum joins it;
// both sets of passes compute the same.

#include "fixture.h"
#include "support/support.h"

#include <string.h>

// grad_q = (d tau/dq)^T lambda, grad_v = (d tau/dv)^T lambda at the arguments of the last inverse dynamics
static void product(fixture *f, const double *lambda, double *grad_q, double *grad_v)
{
    const trxi_adjoint_scales scales = {1, 0};
    for (int i = 0; i < f->nv; i++) grad_q[i] = grad_v[i] = 0;
    trxi_adjoint_begin(f->model, &f->kin, &scales, lambda, NULL, NULL, &f->rnea);
    trxi_adjoint_end(f->model, &f->kin, &scales, lambda, false, &f->rnea, grad_q, grad_v);
}

static void compare(uint64_t seed, bool far)
{
    static double dq[MAX_NV * MAX_NV], dv[MAX_NV * MAX_NV];
    fixture f = fixture_of_everything();
    double q[MAX_NQ], v[MAX_NV], a[MAX_NV], tau[MAX_NV], lambda[MAX_NV], grad_q[MAX_NV], grad_v[MAX_NV];
    int n = f.nv;
    random_configuration(&f, seed, far, q);
    random_vector(seed + 1, n, v);
    random_vector(seed + 2, n, a);
    random_vector(seed + 3, n, lambda);
    inverse_dynamics_at(&f, q, v, a, tau);
    product(&f, lambda, grad_q, grad_v);
    trxi_inverse_dynamics_deriv(f.model, &f.kin, &f.rnea, dq, dv, n);

    double difference = 0, size = 0;
    for (int j = 0; j < n; j++) {
        double over_q = 0, over_v = 0;
        for (int i = 0; i < n; i++) {
            over_q += lambda[i] * dq[i + j * n];
            over_v += lambda[i] * dv[i + j * n];
        }
        difference = fmax(difference, fmax(fabs(grad_q[j] - over_q), fabs(grad_v[j] - over_v)));
        size = fmax(size, fmax(fabs(over_q), fabs(over_v)));
    }
    ck_assert(size > 1);
    assert_below(difference, 1e-12 * size);
    fixture_close(&f);
}

START_TEST(the_adjoint_is_the_transpose)
{
    for (uint64_t seed = 400; seed < 440; seed += 4) compare(seed, false);
}
END_TEST

START_TEST(the_adjoint_loses_nothing_a_kilometre_away)
{
    for (uint64_t seed = 500; seed < 520; seed += 4) compare(seed, true);
}
END_TEST

START_TEST(an_acceleration_that_comes_later_is_one_that_was_there)
{
    static double dq[MAX_NV * MAX_NV], dv[MAX_NV * MAX_NV], later_dq[MAX_NV * MAX_NV], later_dv[MAX_NV * MAX_NV];
    fixture f = fixture_of_everything();
    double q[MAX_NQ], v[MAX_NV], a[MAX_NV], tau[MAX_NV], rest[MAX_NV];
    int n = f.nv;
    random_configuration(&f, 610, false, q);
    random_vector(611, n, v);
    random_vector(612, n, a);
    inverse_dynamics_at(&f, q, v, a, tau);
    trxi_inverse_dynamics_deriv(f.model, &f.kin, &f.rnea, dq, dv, n);
    inverse_dynamics_at(&f, q, v, NULL, rest);
    for (int twice = 0; twice < 2; twice++) trxi_inverse_dynamics_accelerate(f.model, &f.kin, a, &f.rnea);
    trxi_inverse_dynamics_deriv(f.model, &f.kin, &f.rnea, later_dq, later_dv, n);
    double size = max_magnitude(dq, n * n);
    ck_assert(size > 1 && max_difference(tau, rest, n) > 1);
    assert_below(max_difference(dq, later_dq, n * n), 1e-13 * size);
    assert_below(max_difference(dv, later_dv, n * n), 1e-13 * max_magnitude(dv, n * n));
    fixture_close(&f);
}
END_TEST

START_TEST(a_momentum_joins_the_adjoint)
{
    fixture f = fixture_of_everything();
    static double M[MAX_NV * MAX_NV];
    double q[MAX_NQ], v[MAX_NV], a[MAX_NV], tau[MAX_NV], lambda[MAX_NV], grad_q[MAX_NV], grad_v[MAX_NV], both_q[MAX_NV],
        both_v[MAX_NV], momentum[MAX_NV], scaled[MAX_NV];
    int n = f.nv;
    const trxi_adjoint_scales scales = {0.3, 0.7};
    random_configuration(&f, 620, false, q);
    random_vector(621, n, v);
    random_vector(622, n, a);
    random_vector(623, n, lambda);
    mass_matrix_at(&f, q, M);
    inverse_dynamics_at(&f, q, v, a, tau);
    product(&f, lambda, grad_q, grad_v);
    for (int i = 0; i < n; i++) both_q[i] = both_v[i] = 2; // added to
    trxi_adjoint_begin(f.model, &f.kin, &scales, lambda, NULL, NULL, &f.rnea);
    trxi_adjoint_end(f.model, &f.kin, &scales, lambda, false, &f.rnea, both_q, both_v);
    for (int j = 0; j < n; j++) {
        momentum[j] = 0;
        for (int i = 0; i < n; i++) momentum[j] += M[i + j * n] * lambda[i];
        scaled[j] = 2 + 0.3 * grad_q[j];
        momentum[j] = 2 + 0.3 * grad_v[j] - 0.7 * momentum[j];
    }
    assert_below(max_difference(both_q, scaled, n), 1e-13 * max_magnitude(scaled, n));
    assert_below(max_difference(both_v, momentum, n), 1e-13 * max_magnitude(momentum, n));
    fixture_close(&f);
}
END_TEST

// where this processor has no AVX2, one set is compared with itself
START_TEST(both_sets_of_passes_compute_the_same)
{
    static double M[2][MAX_NV * MAX_NV], dq[2][MAX_NV * MAX_NV], dv[2][MAX_NV * MAX_NV];
    const trxi_dynamics_passes *sets[2] = {&trxi_dynamics_portable, trxi_dynamics_use()};
    fixture f = fixture_of_everything();
    double q[MAX_NQ], v[MAX_NV], a[MAX_NV], lambda[MAX_NV], v1[MAX_NV], V1[2][6 * MAX_LINKS];
    double scratch[16 * MAX_LINKS], energy[2][MAX_NV], tau[2][MAX_NV], grad_q[2][MAX_NV], grad_v[2][MAX_NV];
    int n = f.nv;
    const trxi_adjoint_scales scales = {0.3, 0.7};
    random_configuration(&f, 630, false, q);
    random_vector(631, n, v);
    random_vector(632, n, a);
    random_vector(633, n, lambda);
    random_vector(634, n, v1);
    for (int s = 0; s < 2; s++) {
        trxi_kinematics_compute(f.model, q, &f.kin);
        memset(M[s], 0, sizeof M[s]);
        sets[s]->compose(f.model, &f.kin, f.composite, n, M[s]);
        for (int t = 0; t < f.model->ntree; t++)
            sets[s]->quadratic(f.model, &f.kin, &f.model->trees[t], v, scratch, scratch + 8 * MAX_LINKS, energy[s]);
        sets[s]->inverse_dynamics(f.model, &f.kin, v, NULL, &f.rnea, tau[s]);
        sets[s]->accelerate(f.model, &f.kin, a, &f.rnea);
        memset(dq[s], 0, sizeof dq[s]);
        memset(dv[s], 0, sizeof dv[s]);
        sets[s]->derivatives(f.model, &f.kin, &f.rnea, NULL, n, dq[s], dv[s]);
        sets[s]->adjoint_begin(f.model, &f.kin, scales.force, lambda, v1, V1[s], &f.rnea);
        for (int l = 0; l < f.model->nlink; l += 2) {
            trxi_link_adjoint *link = &f.rnea.adjoint[l];
            random_vector(700 + (uint64_t)l, 8, link->K);
            random_vector(800 + (uint64_t)l, 8, link->Q);
            random_vector(900 + (uint64_t)l, 8, link->F);
            link->has_impulse = true;
        }
        for (int i = 0; i < n; i++) grad_q[s][i] = grad_v[s][i] = 0;
        sets[s]->adjoint_end(f.model, &f.kin, &scales, lambda, true, &f.rnea, grad_q[s], grad_v[s]);
    }
    assert_below(max_difference(M[0], M[1], n * n), 1e-13 * max_magnitude(M[0], n * n));
    assert_below(max_difference(dq[0], dq[1], n * n), 1e-13 * max_magnitude(dq[0], n * n));
    assert_below(max_difference(dv[0], dv[1], n * n), 1e-13 * max_magnitude(dv[0], n * n));
    assert_below(max_difference(energy[0], energy[1], n), 1e-13 * max_magnitude(energy[0], n));
    assert_below(max_difference(tau[0], tau[1], n), 1e-13 * max_magnitude(tau[0], n));
    assert_below(max_difference(V1[0], V1[1], 6 * f.model->nlink), 1e-13 * max_magnitude(V1[0], 6 * f.model->nlink));
    assert_below(max_difference(grad_q[0], grad_q[1], n), 1e-13 * max_magnitude(grad_q[0], n));
    assert_below(max_difference(grad_v[0], grad_v[1], n), 1e-13 * max_magnitude(grad_v[0], n));
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/inverse_dynamics_vjp");
    TCase *cases = tcase_create("inverse_dynamics_vjp");
    tcase_add_test(cases, the_adjoint_is_the_transpose);
    tcase_add_test(cases, the_adjoint_loses_nothing_a_kilometre_away);
    tcase_add_test(cases, an_acceleration_that_comes_later_is_one_that_was_there);
    tcase_add_test(cases, a_momentum_joins_the_adjoint);
    tcase_add_test(cases, both_sets_of_passes_compute_the_same);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
