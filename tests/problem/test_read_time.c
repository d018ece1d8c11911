// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Time schemes in the problem file reach the simulator's settings and the plan's settings.

#include "loading.h"

#include <stdio.h>

static trx_sim_settings settings_of(fixture *f, const char *time)
{
    char set[160];
    snprintf(set, sizeof set, "time=%s", time);
    const char *const sets[] = {set};
    trx_status status = load_text(f, PUSH, sets, 1);
    ck_assert_msg(status == TRX_OK, "%s", trx_context_message(f->context));
    return trx_problem_sim_settings(f->problem);
}

START_TEST(schemes_reach_the_simulator)
{
    fixture f = fixture_open();
    trx_sim_settings s = settings_of(&f, "{step: 0.01, steps: 10}");
    ck_assert(s.scheme == TRX_SYMPLECTIC && !s.contact_midpoint && s.spin == TRX_SPIN_EXPLICIT);
    s = settings_of(&f, "{step: 0.01, steps: 10, scheme: implicit}");
    ck_assert(s.scheme == TRX_IMPLICIT && !s.contact_midpoint);
    s = settings_of(&f, "{step: 0.01, steps: 10, scheme: midpoint, contact: midpoint}");
    ck_assert(s.scheme == TRX_MIDPOINT && s.contact_midpoint);
    s = settings_of(&f, "{step: 0.01, steps: 10, scheme: theta, theta: 0.7, theta_vq: 0, contact: end}");
    ck_assert(s.scheme == TRX_THETA && s.theta == 0.7 && s.theta_vq == 0 && !s.contact_midpoint);
    s = settings_of(&f, "{step: 0.01, steps: 10, spin: momentum}");
    ck_assert(s.scheme == TRX_SYMPLECTIC && s.spin == TRX_SPIN_MOMENTUM);
    fixture_close(&f);
}
END_TEST

START_TEST(a_plan_keeps_the_scheme)
{
    fixture f = fixture_open();
    const char *const sets[] = {"cost=[{of: velocity}]", "time.scheme=midpoint", "time.contact=midpoint"};
    trx_plan_problem problem;
    trx_plan_settings settings;
    ck_assert_int_eq(load_text(&f, PUSH, sets, 3), TRX_OK);
    ck_assert_int_eq(trx_problem_plan(f.problem, &problem, &settings), TRX_OK);
    ck_assert(problem.sim.scheme == TRX_MIDPOINT && problem.sim.contact_midpoint);
    fixture_close(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem/read_time");
    TCase *cases = tcase_create("read_time");
    tcase_add_test(cases, schemes_reach_the_simulator);
    tcase_add_test(cases, a_plan_keeps_the_scheme);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
