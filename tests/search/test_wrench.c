// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The score of contacts: a push from behind can give what a push from the front cannot.

#include "search/lab.h"

#include "search/wrench.h"

static trxi_touch touch_at(const lab *l, double x, double y, double z, double nx, double ny, double nz)
{
    return (trxi_touch){trx_model_find_body(l->push.model, "box"), {x, y, z}, {nx, ny, nz}, 0.5, 1e4};
}

static double miss_at(lab *l, trxi_demand *demand, trxi_touch touch)
{
    return trxi_demand_miss(&l->scout, demand, &touch, 1);
}

START_TEST(the_wanted_motion_is_the_way_to_the_goal)
{
    lab l;
    open_lab(&l, 0.1, 0, 0.15, 0.05);
    trxi_demand demand;
    ck_assert_int_eq(trxi_demand_create(l.pool, &l.task, &demand), TRX_OK);
    ck_assert_int_eq(trxi_demand_compute(&l.scout, l.push.task.x0, 0, &demand), 1);
    assert_close(demand.motion[0], 0.15, 1e-6);
    assert_close(demand.motion[1], 0.05, 1e-6);
    assert_close(demand.motion[5], 0, 1e-6);
    ck_assert_int_eq(demand.nsupport, 4);
    close_lab(&l);
}
END_TEST

START_TEST(a_push_from_behind_is_best_and_one_from_the_front_is_useless)
{
    lab l;
    open_lab(&l, 0.1, 0, 0.15, 0);
    trxi_demand demand;
    ck_assert_int_eq(trxi_demand_create(l.pool, &l.task, &demand), TRX_OK);
    ck_assert_int_eq(trxi_demand_compute(&l.scout, l.push.task.x0, 0, &demand), 1);
    const double behind = miss_at(&l, &demand, touch_at(&l, -0.05, 0, 0.05, -1, 0, 0));
    const double beside = miss_at(&l, &demand, touch_at(&l, 0, 0.05, 0.05, 0, 1, 0));
    const double before = miss_at(&l, &demand, touch_at(&l, 0.05, 0, 0.05, 1, 0, 0));
    const double off_centre = miss_at(&l, &demand, touch_at(&l, -0.05, 0.045, 0.05, -1, 0, 0));
    assert_below(behind, 0.1);
    assert_below(behind, off_centre);
    ck_assert(before > 0.9 && before <= 1 + 1e-9);
    ck_assert(beside > 0.8);

    // half of the friction on top is less than the friction of the table
    ck_assert(miss_at(&l, &demand, touch_at(&l, 0, 0, 0.1, 0, 0, 1)) > 0.9);
    close_lab(&l);
}
END_TEST

START_TEST(at_the_goal_nothing_is_wanted)
{
    lab l;
    open_lab(&l, 0.1, 0, 0, 0);
    trxi_demand demand;
    ck_assert_int_eq(trxi_demand_create(l.pool, &l.task, &demand), TRX_OK);
    ck_assert_int_eq(trxi_demand_compute(&l.scout, l.push.task.x0, 0, &demand), 0);
    close_lab(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wrench");
    TCase *cases = tcase_create("wrench");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, the_wanted_motion_is_the_way_to_the_goal);
    tcase_add_test(cases, a_push_from_behind_is_best_and_one_from_the_front_is_useless);
    tcase_add_test(cases, at_the_goal_nothing_is_wanted);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
