// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Names of the file's own.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(kinds_have_namespaces_of_their_own)
{
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><worldbody><body name=\"a\"><joint name=\"a\"/><joint name=\"b\" axis=\"1 0 0\"/>"
                   "<geom name=\"a\" size=\"1\"/><site name=\"a\"/><body name=\"with space\"/></body></worldbody>"
                   "<actuator><motor name=\"a\" joint=\"a\"/></actuator>"
                   "<contact><exclude body1=\"a\" body2=\"with space\"/></contact></mujoco>",
                   NULL);
    const trx_body_def *a = case_body(&c, "a");
    ck_assert_str_eq(a->joints[0].name, "a");
    ck_assert_str_eq(case_actuator(&c, "a")->name, "a");
    ck_assert_int_eq(c.result->def.nexclude, 1);
    ck_assert_str_eq(c.result->def.bodies[c.result->def.exclude[0].b.body].name, "with space");
    case_close(&c);
}
END_TEST

START_TEST(a_name_is_given_once)
{
    case_refuses(IN_BODY("<joint name=\"j\"/>"),
                 "3: the name 'j' is taken by another joint; give this one another name");
    case_refuses(IN_BODY("<body name=\"world\"/>"),
                 "3: the name 'world' is that of the world itself; give this body another one");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/names");
    TCase *tests = tcase_create("mjcf_names");
    tcase_add_test(tests, kinds_have_namespaces_of_their_own);
    tcase_add_test(tests, a_name_is_given_once);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
