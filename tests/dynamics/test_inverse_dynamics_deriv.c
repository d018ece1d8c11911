// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of inverse dynamics against central differences, near the origin and far from it, and against
// the closed form of a free body.

#include "fixture.h"
#include "math/rotation.h"
#include "support/support.h"

typedef struct motion {
    double v[MAX_NV], a[MAX_NV];
} motion;

static void forces(fixture *f, const double *q, const void *data, double *values)
{
    const motion *m = data;
    inverse_dynamics_at(f, q, m->v, m->a, values);
}

// exact up to rounding for any step: tau is quadratic in v
static void difference_over_v(fixture *f, const double *q, const motion *m, double *out)
{
    for (int j = 0; j < f->nv; j++) {
        motion plus = *m, minus = *m;
        double above[MAX_NV], below[MAX_NV];
        plus.v[j] += 1;
        minus.v[j] -= 1;
        forces(f, q, &plus, above);
        forces(f, q, &minus, below);
        for (int i = 0; i < f->nv; i++) out[i + j * f->nv] = 0.5 * (above[i] - below[i]);
    }
}

static void compare(uint64_t seed, bool far, double tolerance_q, double tolerance_v)
{
    static double over_q[MAX_NV * MAX_NV], over_v[MAX_NV * MAX_NV], dq[MAX_NV * MAX_NV], dv[MAX_NV * MAX_NV];
    fixture f = fixture_of_everything();
    double q[MAX_NQ], tau[MAX_NV];
    motion m;
    int n = f.nv;
    random_configuration(&f, seed, far, q);
    random_vector(seed + 1, n, m.v);
    random_vector(seed + 2, n, m.a);
    difference_over_q(&f, forces, &m, n, q, over_q);
    difference_over_v(&f, q, &m, over_v);

    // the derivative must overwrite whatever was there
    for (int i = 0; i < n * n; i++) dq[i] = dv[i] = NAN;
    forces(&f, q, &m, tau);
    trxi_inverse_dynamics_deriv(f.model, &f.kin, &f.rnea, dq, dv, n);
    double scale_q = max_magnitude(over_q, n * n), scale_v = max_magnitude(over_v, n * n);
    ck_assert(scale_q > 1 && scale_v > 1);
    assert_below(max_difference(dq, over_q, n * n), tolerance_q * scale_q);
    assert_below(max_difference(dv, over_v, n * n), tolerance_v * scale_v);
    ck_assert(max_difference(dq, over_q, n * n) > 0);

    // the derivative does not change the result of the next inverse dynamics
    double again[MAX_NV];
    trxi_inverse_dynamics(f.model, &f.kin, m.v, m.a, &f.rnea, again);
    ck_assert(max_difference(tau, again, n) == 0);
    fixture_close(&f);
}

START_TEST(derivatives_agree_with_central_differences)
{
    for (uint64_t seed = 200; seed < 230; seed += 3) compare(seed, false, 1e-9, 1e-13);
}
END_TEST

START_TEST(derivatives_lose_nothing_a_kilometre_away)
{
    for (uint64_t seed = 300; seed < 315; seed += 3) compare(seed, true, 1e-9, 1e-13);
}
END_TEST

START_TEST(a_leading_dimension_is_respected)
{
    static double dq[40 * MAX_NV], dv[40 * MAX_NV], dq_n[MAX_NV * MAX_NV], dv_n[MAX_NV * MAX_NV];
    fixture f = fixture_of_everything();
    double q[MAX_NQ], tau[MAX_NV];
    motion m;
    random_configuration(&f, 401, false, q);
    random_vector(402, f.nv, m.v);
    random_vector(403, f.nv, m.a);
    forces(&f, q, &m, tau);
    for (int i = 0; i < 40 * MAX_NV; i++) dq[i] = dv[i] = 7;
    trxi_inverse_dynamics_deriv(f.model, &f.kin, &f.rnea, dq_n, dv_n, f.nv);
    trxi_inverse_dynamics_deriv(f.model, &f.kin, &f.rnea, dq, dv, 40);
    for (int j = 0; j < f.nv; j++) {
        ck_assert(max_difference(dq + 40 * j, dq_n + f.nv * j, f.nv) == 0);
        ck_assert(max_difference(dv + 40 * j, dv_n + f.nv * j, f.nv) == 0);
        for (int i = f.nv; i < 40; i++) ck_assert(dq[i + 40 * j] == 7 && dv[i + 40 * j] == 7);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(the_spin_of_a_free_body_has_its_closed_form)
{
    fixture f = fixture_of_free_body((trx_body_inertia){2, {0, 0, 0}, {1, 2, 2.5, 0.1, 0.2, 0.3}});
    double q[7], tau[6], dq[36], dv[36];
    motion m;
    random_configuration(&f, 501, true, q);
    random_vector(502, 6, m.v);
    random_vector(503, 6, m.a);
    forces(&f, q, &m, tau);
    trxi_inverse_dynamics_deriv(f.model, &f.kin, &f.rnea, dq, dv, 6);

    // dID/dw = [w]x I - [I w]x; nothing depends on the pose (theory 6)
    const double I[9] = {1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5};
    double Iw[3], turn[9], skew_w[9], expected[9];
    trxi_mulv3(I, m.v + 3, Iw);
    trxi_skew33(Iw, turn);
    trxi_skew33(m.v + 3, skew_w);
    trxi_mul33(skew_w, I, expected);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            assert_close(dv[3 + i + 6 * (3 + j)], expected[i + 3 * j] - turn[i + 3 * j], 1e-13);
    assert_below(max_magnitude(dq, 36), 1e-13);
    for (int j = 0; j < 6; j++) assert_below(max_magnitude(dv + 6 * j, 3), 1e-13);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dynamics/inverse_dynamics_deriv");
    TCase *cases = tcase_create("inverse_dynamics_deriv");
    tcase_add_test(cases, derivatives_agree_with_central_differences);
    tcase_add_test(cases, derivatives_lose_nothing_a_kilometre_away);
    tcase_add_test(cases, a_leading_dimension_is_respected);
    tcase_add_test(cases, the_spin_of_a_free_body_has_its_closed_form);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
