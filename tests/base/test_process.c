// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// After the call BLAS has one thread.

#include "support/support.h"

#include <tractrix/process.h>

extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));

START_TEST(blas_computes_on_one_thread_once_told)
{
    if (openblas_set_num_threads) openblas_set_num_threads(2);
    bool told = trx_process_use_one_blas_thread();
    ck_assert_int_eq(told, openblas_set_num_threads != 0);
    if (told) ck_assert_int_eq(openblas_get_num_threads(), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/process");
    TCase *cases = tcase_create("process");
    tcase_add_test(cases, blas_computes_on_one_thread_once_told);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
