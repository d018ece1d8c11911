// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The adjoint of inverse dynamics is the transpose of its derivatives, near the origin and far from it.

#include "fixture.h"
#include "support/support.h"

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
    trxi_inverse_dynamics_vjp(f.model, &f.kin, &f.rnea, lambda, grad_q, grad_v);
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

int main(void)
{
    Suite *suite = suite_create("dynamics/inverse_dynamics_vjp");
    TCase *cases = tcase_create("inverse_dynamics_vjp");
    tcase_add_test(cases, the_adjoint_is_the_transpose);
    tcase_add_test(cases, the_adjoint_loses_nothing_a_kilometre_away);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
