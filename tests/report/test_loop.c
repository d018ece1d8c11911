// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of the ticks of a closed loop.

#include "report/fixture.h"
#include "report/loop.h"

#include <math.h>
#include <stdio.h>

static fixture f;

static void setup(void)
{
    fixture_open(&f);
}

static void teardown(void)
{
    fixture_close(&f);
}

// the cost of a solve that failed is infinite; a table has no such number
START_TEST(a_tick_that_failed_has_no_cost)
{
    trx_run_set_loop(f.run, 0.02, 1);
    const trx_tick ticks[] = {{.status = TRX_OK, .knots = 2, .cost = 0.5, .seconds = 1e-3},
                              {.time = 0.02, .status = TRX_ERR_NOT_FINITE, .knots = 2, .cost = INFINITY, .seconds = 0.125}};
    for (int i = 0; i < 2; i++) ck_assert_int_eq(trx_run_add_tick(f.run, &ticks[i]), TRX_OK);
    trxi_text text = trxi_text_create(f.context);
    trxi_write_ticks(f.run, &text);
    char expected[160];
    snprintf(expected, sizeof expected, "t,status,knots,cost,seconds,late,dropped\n0,0,2,0.5,0.001,0,0\n0.02,%d,2,,0.125,1,0\n",
             (int)TRX_ERR_NOT_FINITE);
    ck_assert_str_eq(trxi_text_get(&text), expected);
    trxi_text_destroy(&text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("report/loop");
    TCase *cases = tcase_create("loop");
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, a_tick_that_failed_has_no_cost);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
