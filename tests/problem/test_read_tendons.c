// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Tendons of a problem: tendons of included robots at any place, and tendons that lists `joints:` define.

#include "loading.h"

#include <string.h>

static const char text[] = "tractrix: 1\n"
                           "model:\n"
                           "  include:\n"
                           "    - {name: a, file: tests/problem/robots/rope.xml}\n"
                           "    - {name: b, file: tests/problem/robots/rope.xml, pose: {xyz: [3, 1, 0.5], rpy: [0, 0, 0.7]}}\n"
                           "    - {name: c, file: tests/problem/robots/rope.xml, actuators: false, parent: cart}\n"
                           "  bodies:\n"
                           "    - {name: cart, joints: [{name: x, type: slide, axis: [1, 0, 0]}], inertia: {mass: 1}}\n"
                           "  actuators:\n"
                           "    - {name: own, joints: {a/rail: 2, b/rail: -1}}\n"
                           "  constraints:\n"
                           "    - {name: stop, type: tendon, joints: {a/swing: 1, x: 0.5}, limits: [-1, 1]}\n"
                           "time: {step: 0.01, steps: 2}\n";

static double length_at(const fixture *f, int tendon, const double *q)
{
    double length = NAN;
    ck_assert_int_eq(trx_model_tendon(f->context, trx_problem_model(f->problem), tendon, q, &length, NULL), TRX_OK);
    return length;
}

START_TEST(tendons_of_robots_come_first_and_go_with_them)
{
    fixture f = fixture_open();
    ck_assert_msg(load_text(&f, text, NULL, 0) == TRX_OK, "%s", trx_context_message(f.context));
    const trx_model *m = trx_problem_model(f.problem);
    static const char *const names[] = {"rope", "both", "rope", "both", "rope", "both", "own", "stop"};
    ck_assert_int_eq(trx_model_get_size(m).ntendon, 8);
    for (int i = 0; i < 8; i++) ck_assert_str_eq(trx_model_tendon_name(m, i), names[i]);
    double q[16];
    trx_model_neutral(m, q);
    const double rope = length_at(&f, 0, q);
    ck_assert(rope > 1.3 && rope < 2.5);
    assert_close(length_at(&f, 2, q), rope, 1e-12);
    assert_close(length_at(&f, 4, q), rope, 1e-12);

    // the world of a robot on a cart goes with the cart
    const int x = trx_model_joint(m, trx_model_find_joint(m, "x")).q_index;
    const int rail = trx_model_joint(m, trx_model_find_joint(m, "c/rail")).q_index;
    q[x] = 0.4;
    assert_close(length_at(&f, 4, q), rope, 1e-12);
    q[rail] = 0.4;
    ck_assert(fabs(length_at(&f, 4, q) - rope) > 0.01);
    static const int tendons[] = {1, 0, 3, 2, 6};
    for (int i = 0; i < 5; i++) ck_assert_int_eq(trx_model_actuator(m, i).tendon, tendons[i]);
    ck_assert_int_eq(trx_model_constraint(m, 3).tendon_a, 7);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_tendons");
    TCase *cases = tcase_create("read_tendons");
    tcase_add_test(cases, tendons_of_robots_come_first_and_go_with_them);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
