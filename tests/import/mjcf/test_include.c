// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Includes: where files are found, and what is refused.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <string.h>

START_TEST(parts_become_one_robot_as_in_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_includes", NULL);
    compare_with_reference(&c, "mjcf_includes", 1e-9, "body joint actuator M");
    case_close(&c);
}
END_TEST

START_TEST(places_are_those_in_the_part)
{
    mjcf_case c;
    case_open(&c, "mjcf_includes", NULL);
    trx_source source = case_joint(&c, "arm")->source;
    ck_assert_str_eq(source.file, "tests/import/data/parts/arm.xml");
    ck_assert_int_eq(source.line, 3);
    case_close(&c);
}
END_TEST

START_TEST(a_file_is_included_once)
{
    case_refuses(ONE_BODY("<include file=\"parts/settings_only.xml\"/>\n<include file=\"parts/settings_only.xml\"/>"),
                 "4: 'parts/settings_only.xml' is already part of this robot; a file is included at most once");
}
END_TEST

START_TEST(circles_end)
{
    case_refuses(ONE_BODY("<include file=\"parts/circle.xml\"/>"),
                 "2: 'parts/circle.xml' is already part of this robot; a file is included at most once");
}
END_TEST

START_TEST(missing_files_are_refused)
{
    case_refuses(ONE_BODY("<include file=\"gone.xml\"/>"), "3: cannot read 'gone.xml', which is included here");
    case_refuses(ONE_BODY("<include/>"), "3: this include needs the attribute file");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/include");
    TCase *tests = tcase_create("mjcf_include");
    tcase_add_test(tests, parts_become_one_robot_as_in_mujoco);
    tcase_add_test(tests, places_are_those_in_the_part);
    tcase_add_test(tests, a_file_is_included_once);
    tcase_add_test(tests, circles_end);
    tcase_add_test(tests, missing_files_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
