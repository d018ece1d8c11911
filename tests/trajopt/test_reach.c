// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Bodies that no control moves, and the reason (theory 8). A plan on the physical law alone leaves the box where it is.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

// the reach of a plan without a smoothed stage, with the pusher at (px, 0)
static trxi_reach reach_from(double px)
{
    push p;
    open_push(&p, px, 0, 0.15, 0, 0);
    trx_stage physical = physical_stage();
    p.task.problem.stages = &physical, p.task.problem.nstage = 1;
    solve_push(&p, trx_plan_settings_default());
    const trxi_reach reach = trxi_reach_find(p.plan);
    close_push(&p);
    return reach;
}

START_TEST(a_gap_behind_the_box_is_on_the_right_side)
{
    const trxi_reach reach = reach_from(-0.10);
    ck_assert(reach.out && reach.pair >= 0 && !reach.wrong_side && !reach.floats);
    assert_close(reach.gap, 0.03, 1e-6);
    ck_assert_int_ge(reach.holder, 0); // the ground, which no stage smooths
}
END_TEST

START_TEST(the_goals_side_is_the_wrong_side)
{
    const trxi_reach reach = reach_from(0.10);
    ck_assert(reach.out && reach.wrong_side);
    assert_close(reach.gap, 0.03, 1e-6);
}
END_TEST

START_TEST(a_box_in_motion_is_within_reach)
{
    push p;
    open_push(&p, -0.08, 0, 0.15, 0, 0);
    ck_assert_int_ge(solve_push(&p, trx_plan_settings_default()), TRX_OK);
    ck_assert(!trxi_reach_find(p.plan).out);
    int knot;
    double gap;
    ck_assert_int_ge(trxi_reach_closest(p.plan, 0, 0, 50, &knot, &gap), 0);
    ck_assert(gap < 1e-3 && knot > 0);
    close_push(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/reach");
    TCase *cases = tcase_create("reach");
    tcase_add_test(cases, a_gap_behind_the_box_is_on_the_right_side);
    tcase_add_test(cases, the_goals_side_is_the_wrong_side);
    tcase_add_test(cases, a_box_in_motion_is_within_reach);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
