// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// When an island is solved (theory 5): every group in its own scale, down to the floor of rounding.

#include "contact/problem.h"
#include "support/support.h"

#include <float.h>
#include <math.h>
#include <string.h>

START_TEST(every_tree_must_converge_not_only_their_sum)
{
    // a heavy fast tree beside a light slow tree: the residual of the light tree is small in the sum, but not for the tree itself
    random_problem p;
    make_problem(&p, TRX_LAGGED, 2, 0, 0, 1);
    p.A[0] = p.A[3] = 1;
    p.A[1] = 0;
    p.p0[0] = 1e6, p.p0[1] = 1e-3;
    p.solver.work->E2[0] = p.solver.work->E2[1] = 1;
    p.solver.v[0] = 1e6, p.solver.v[1] = 1.1e-3;
    balance_problem(&p);
    ck_assert(!judge_problem(&p, 1e-6).settled);
    p.solver.v[1] = 1e-3 * (1 + 1e-8);
    balance_problem(&p);
    ck_assert(judge_problem(&p, 1e-6).settled);
    ck_assert(!judge_problem(&p, 1e-6).at_floor);
}
END_TEST

START_TEST(the_floor_admits_rounding_and_no_more)
{
    random_problem p;
    make_problem(&p, TRX_LAGGED, 2, 0, 0, 1);
    p.A[0] = p.A[3] = 1;
    p.A[1] = 0;
    p.p0[0] = 1, p.p0[1] = 1;
    p.solver.work->E2[0] = p.solver.work->E2[1] = 1;
    p.solver.v[0] = 1 + 4 * DBL_EPSILON, p.solver.v[1] = 1;
    balance_problem(&p);
    ck_assert(judge_problem(&p, 0).settled);
    p.solver.v[0] = 1 + 1000 * DBL_EPSILON;
    balance_problem(&p);
    ck_assert(!judge_problem(&p, 0).settled);
    assert_close(p.solver.work->stats.residual, 1000 * DBL_EPSILON, 1e-15);
    assert_close(p.solver.work->stats.scale, sqrt(2), 1e-12);
}
END_TEST

// first_order holds 5 N s of normal impulse, with or without friction, and the offset of its normal row was added to the first row
// of its friction, or to no row without friction
START_TEST(the_floor_has_the_offset_of_each_row)
{
    const double most = _i ? 0.5 : 0, v_hat = 2, v_n = 1.5, Rn = 1e-3, held[3] = {_i ? 0.3 : 0, 0, 5};
    const double gamma = held[2] + (v_hat - v_n) / Rn, p0_n = v_n - gamma * (1 + 1e-12);
    random_problem p;
    make_problem(&p, TRX_SAP, 6, 1, 0, 1);
    memset(p.A, 0, sizeof p.A), memset(p.p0, 0, sizeof p.p0), memset(p.solver.v, 0, 6 * sizeof *p.solver.v);
    memset(p.J[0], 0, sizeof p.J[0]);
    for (int i = 0; i < 6; i++) p.A[7 * i] = p.solver.work->E2[i] = 1;
    for (int i = 0; i < 3; i++) p.J[0][4 * i] = 1;
    p.contacts[0].law = &trxi_first_order, p.contacts[0].contact.sap.v_hat = v_hat;
    p.contacts[0].contact.level = (trxi_level){.Rt = 1, .Rn = Rn, .most = most, .held = {held[0], held[1], held[2]}};
    p.solver.v[2] = v_n, p.p0[0] = -held[0], p.p0[2] = p0_n;
    balance_problem(&p);
    const trxi_verdict v = judge_problem(&p, 0);
    const double sum[2] = {3 * held[0], v_n + fabs(p0_n) + gamma + v_n / Rn + held[2] + v_hat / Rn};
    assert_close(v.floor, 4 * DBL_EPSILON * hypot(sum[0], sum[1]), 1e-6 * v.floor);
    ck_assert(v.floor > 0);
}
END_TEST

// A limit that lets go of its joint has another offset than one that holds it. The floor had the offset at the solution before
START_TEST(the_floor_has_the_offset_at_the_present_velocity)
{
    const double v_hat = 20, v = 9, R = 0.01, G = (v_hat - 5) / (5 * R), gamma = (10 - v) * G, p0 = v - gamma * (1 + 1e-12);
    random_problem p;
    make_problem(&p, TRX_SAP, 2, 0, 1, 1);
    ck_assert(p.scalars[0].law == &trxi_limit && p.scalars[0].cols[0] == 0);
    p.A[0] = p.A[3] = p.solver.work->E2[0] = p.solver.work->E2[1] = 1;
    p.A[1] = 0, p.p0[0] = p0, p.p0[1] = 0;
    p.scalars[0].compliant.R = R, p.scalars[0].compliant.v_hat = v_hat;
    p.solver.v[0] = v, p.solver.v[1] = 0;
    balance_problem(&p);
    p.scalars[0].at.v_c[0] = 0;
    const trxi_verdict verdict = judge_problem(&p, 0);
    assert_close(verdict.floor, 4 * DBL_EPSILON * (v + fabs(p0) + gamma + v * G + 10 * G), 1e-6 * verdict.floor);
    ck_assert(verdict.floor > 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/rounding");
    TCase *cases = tcase_create("rounding");
    tcase_add_test(cases, every_tree_must_converge_not_only_their_sum);
    tcase_add_test(cases, the_floor_admits_rounding_and_no_more);
    tcase_add_loop_test(cases, the_floor_has_the_offset_of_each_row, 0, 2);
    tcase_add_test(cases, the_floor_has_the_offset_at_the_present_velocity);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
