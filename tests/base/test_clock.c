// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The clock never goes back, and its unit is a second.

#include "support/support.h"

#include <time.h>

START_TEST(seconds_pass_as_long_as_a_sleep_takes)
{
    double begun = trx_clock(), last = begun;
    const struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
    ck_assert(trx_clock() - begun >= 0.0199);
    assert_below(trx_clock() - begun, 10);
    for (int i = 0; i < 10000; i++) {
        double now = trx_clock();
        ck_assert(now >= last);
        last = now;
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/clock");
    TCase *cases = tcase_create("clock");
    tcase_add_test(cases, seconds_pass_as_long_as_a_sleep_takes);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
