// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Every status has its own name and its own text, and its sign says whether there is a result.

#include "support/support.h"

#include <string.h>

static const trx_status all[] = {
#define X(name, value, text) name,
    TRX_STATUS_LIST(X)
#undef X
};
enum { COUNT = sizeof all / sizeof *all };

START_TEST(names_and_texts_are_distinct)
{
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < i; j++) {
            ck_assert_int_ne(all[i], all[j]);
            ck_assert_str_ne(trx_status_name(all[i]), trx_status_name(all[j]));
            ck_assert_str_ne(trx_status_text(all[i]), trx_status_text(all[j]));
        }
    ck_assert_str_eq(trx_status_name(TRX_ERR_IO), "TRX_ERR_IO");
    ck_assert_str_eq(trx_status_text((trx_status)-99), "unknown status");
    ck_assert_str_eq(trx_status_name((trx_status)-99), "unknown status");
}
END_TEST

START_TEST(errors_are_negative_and_only_they)
{
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(all[i] < 0, strncmp(trx_status_name(all[i]), "TRX_ERR_", 8) == 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/status");
    TCase *cases = tcase_create("status");
    tcase_add_test(cases, names_and_texts_are_distinct);
    tcase_add_test(cases, errors_are_negative_and_only_they);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
