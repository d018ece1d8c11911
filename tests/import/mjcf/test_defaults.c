// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Classes of defaults against MuJoCo's.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(classes_inherit_as_in_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_defaults", NULL);
    compare_with_reference(&c, "mjcf_defaults", 1e-9, "body joint geom M");
    assert_close(c.result->def.materials[case_geometry(&c, "by_main_geom")->material].friction, 0.7, 0);
    assert_close(c.result->def.materials[case_geometry(&c, "nested_geom")->material].friction, 0.2, 0);
    case_close(&c);
}
END_TEST

START_TEST(a_class_has_what_its_parent_had_when_it_was_made)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><default><default class=\"early\"/><joint damping=\"1\"/></default><default><joint damping=\"2\"/>"
        "<default class=\"late\"/></default><worldbody><body name=\"b\"><geom size=\"1\" pos=\"1 0 0\"/>"
        "<joint name=\"early\" class=\"early\"/><joint name=\"late\" class=\"late\" axis=\"0 1 0\"/>"
        "<joint name=\"main\" axis=\"1 0 0\"/></body></worldbody></mujoco>",
        NULL);
    assert_close(case_joint(&c, "early")->damping, 1, 0);
    assert_close(case_joint(&c, "late")->damping, 2, 0);
    assert_close(case_joint(&c, "main")->damping, 2, 0);
    case_close(&c);
}
END_TEST

START_TEST(wrong_classes_are_refused)
{
    case_refuses(ONE_BODY("<default class=\"robot\"/>"),
                 "3: the class of a default at the top is main, not 'robot'; put this one inside a default");
    case_refuses(ONE_BODY("<default><default/></default>"), "3: a default inside another needs the attribute class");
    case_refuses(ONE_BODY("<default><default class=\"a\"/><default class=\"a\"/></default>"),
                 "3: the name 'a' is taken by another default class; give this one another name");
    case_refuses(IN_BODY("<geom size=\"1\" class=\"a\"/>"),
                 "3: class of this geom is 'a'; there is no default class of that name");
    case_refuses(IN_BODY("<body childclass=\"a\"/>"),
                 "3: childclass of this body is 'a'; there is no default class of that name");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/defaults");
    TCase *tests = tcase_create("mjcf_defaults");
    tcase_add_test(tests, classes_inherit_as_in_mujoco);
    tcase_add_test(tests, a_class_has_what_its_parent_had_when_it_was_made);
    tcase_add_test(tests, wrong_classes_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
