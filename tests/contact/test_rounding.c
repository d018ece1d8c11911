// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// When an island is solved (theory 5): every group in its own scale, down to the floor of rounding.

#include "contact/problem.h"
#include "support/support.h"

#include <float.h>
#include <math.h>

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

int main(void)
{
    Suite *suite = suite_create("contact/rounding");
    TCase *cases = tcase_create("rounding");
    tcase_add_test(cases, every_tree_must_converge_not_only_their_sum);
    tcase_add_test(cases, the_floor_admits_rounding_and_no_more);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
