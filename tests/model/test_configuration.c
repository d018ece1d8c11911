// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// q (+) dq and q (-) p are inverse, leave quaternions at unit length, and springs are measured by them.

#include "base/random.h"
#include "fixture.h"
#include "math/rotation.h"
#include "support/support.h"

// free, ball, planar and hinge: everything a configuration can hold
static const trx_model *build_all(scene *s)
{
    scene_open(s);
    s->slides[0].type = TRX_JOINT_BALL;
    s->slides[1].type = TRX_JOINT_PLANAR;
    s->slides[2].rest = 0.25;
    s->def.nactuator = 0;
    return scene_build(s);
}

static void random_tangent(uint64_t seed, int n, double *dq)
{
    for (int i = 0; i < n; i++) dq[i] = 0.6 * trxi_random_normal(seed, (uint64_t)i);
}

START_TEST(the_neutral_configuration_is_zeros_and_identities)
{
    scene s;
    const trx_model *m = build_all(&s);
    const double expected[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    double q[15];
    ck_assert_int_eq(m->nq, 15);
    trx_model_neutral(m, q);
    assert_below(max_difference(q, expected, 15), 1e-300);
    scene_close(&s);
}
END_TEST

START_TEST(integrate_and_difference_are_inverse)
{
    scene s;
    const trx_model *m = build_all(&s);
    double p[15], q[15], start[13], dq[13], back[13];
    for (uint64_t k = 0; k < 50; k++) {
        random_tangent(2 * k, m->nv, start);
        random_tangent(2 * k + 1, m->nv, dq);
        trx_model_neutral(m, p);
        trx_model_integrate(m, p, start, p); // may alias
        trx_model_integrate(m, p, dq, q);
        trx_model_difference(m, q, p, back);
        assert_below(max_difference(dq, back, m->nv), 1e-14);
        assert_close(sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]), 1, 1e-15);
    }
    scene_close(&s);
}
END_TEST

// a state adds its velocities and activations
START_TEST(states_integrate_and_differ_as_a_whole)
{
    scene s;
    scene_open(&s);
    s.actuators[1].activation.type = TRX_ACTIVATION_INTEGRATOR;
    const trx_model *m = scene_build(&s);
    double x[64] = {0}, dx[64], moved[64], back[64];
    ck_assert(m->na == 1 && m->nstate == m->nq + m->nv + 1 && m->ntangent == 2 * m->nv + 1);
    trx_model_neutral(m, x);
    random_tangent(3, m->ntangent, dx);
    trx_model_integrate_state(m, x, dx, x); // may alias
    random_tangent(4, m->ntangent, dx);
    trx_model_integrate_state(m, x, dx, moved);
    trx_model_difference_state(m, moved, x, back);
    assert_below(max_difference(dx, back, m->ntangent), 1e-14);
    assert_close(moved[m->nstate - 1] - x[m->nstate - 1], dx[m->ntangent - 1], 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(springs_are_measured_from_their_rest)
{
    scene s;
    const trx_model *m = build_all(&s);
    double q[15], start[13], displacement[13], expected[13];
    random_tangent(99, m->nv, start);
    trx_model_neutral(m, q);
    trx_model_integrate(m, q, start, q);
    trxi_model_spring(m, q, displacement);
    for (int i = 0; i < m->nv; i++) expected[i] = start[i] - (i == m->nv - 1 ? 0.25 : 0);
    assert_below(max_difference(displacement, expected, m->nv), 1e-14);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/configuration");
    TCase *cases = tcase_create("configuration");
    tcase_add_test(cases, the_neutral_configuration_is_zeros_and_identities);
    tcase_add_test(cases, integrate_and_difference_are_inverse);
    tcase_add_test(cases, states_integrate_and_differ_as_a_whole);
    tcase_add_test(cases, springs_are_measured_from_their_rest);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
