// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Attributes: numbers, words, pairs, and one message for one mistake.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(wrong_values_are_refused_with_what_to_write)
{
    case_refuses(IN_BODY("<site name=\"s\" pos=\"0 0\"/>"), "3: pos of this site is '0 0'; write 3 numbers");
    case_refuses(IN_BODY("<site name=\"s\" pos=\"0 0 0 0\"/>"), "3: pos of this site is '0 0 0 0'; write 3 numbers");
    case_refuses(IN_BODY("<site name=\"s\" pos=\"0 0 nan\"/>"), "3: pos of this site is '0 0 nan'; write 3 numbers");
    case_refuses(IN_BODY("<joint ref=\"1 deg\"/>"), "3: ref of this joint is '1 deg'; write one number");
    case_refuses(IN_BODY("<geom size=\"1 2 3 4\"/>"), "3: size of this geom is '1 2 3 4'; write 1 to 3 numbers");
    case_refuses(IN_BODY("<geom size=\"1\" contype=\"0.5\"/>"),
                 "3: contype of this geom is '0.5'; write a whole number");
    case_refuses(IN_BODY("<body mocap=\"yes\"/>"), "3: mocap of this body is 'yes'; write false or true");
    case_refuses(IN_BODY("<joint limited=\"maybe\"/>"),
                 "3: limited of this joint is 'maybe'; write false, true or auto");
}
END_TEST

START_TEST(a_mistake_in_a_class_is_reported_once_where_it_is)
{
    case_refuses(
        "<mujoco>\n<default>\n<geom size=\"big\"/></default>\n<worldbody><geom/><geom/><geom/></worldbody></mujoco>",
        "3: size of this geom is 'big'; write 1 to 3 numbers");
}
END_TEST

START_TEST(ranges_hold_when_they_are_in_force)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><compiler angle=\"radian\"/><worldbody><body name=\"b\"><geom size=\"1\" pos=\"1 2 3\"/>"
        "<joint name=\"none\" type=\"slide\" range=\"0 0\"/><joint name=\"off\" type=\"slide\" axis=\"0 1 0\" "
        "range=\"0 1\" limited=\"false\"/><joint name=\"on\" type=\"slide\" axis=\"1 0 0\" range=\"0 1\"/></body>"
        "</worldbody></mujoco>",
        NULL);
    ck_assert(isinf(case_joint(&c, "none")->upper) && isinf(case_joint(&c, "off")->upper));
    ck_assert(case_joint(&c, "on")->lower == 0 && case_joint(&c, "on")->upper == 1);
    case_close(&c);
    case_refuses(
        "<mujoco><compiler autolimits=\"false\"/><worldbody><body><joint range=\"0 1\"/><geom size=\"1\"/></body>"
        "</worldbody></mujoco>",
        "1: this joint has a range that is not in force: without autolimits write limited as true or false");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/attribute");
    TCase *tests = tcase_create("mjcf_attribute");
    tcase_add_test(tests, wrong_values_are_refused_with_what_to_write);
    tcase_add_test(tests, a_mistake_in_a_class_is_reported_once_where_it_is);
    tcase_add_test(tests, ranges_hold_when_they_are_in_force);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
