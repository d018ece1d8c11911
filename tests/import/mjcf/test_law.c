// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Force laws and how they are inherited, against MuJoCo.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(laws_are_inherited_as_in_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_laws", NULL);
    compare_with_reference(&c, "mjcf_laws", 1e-9, "actuator");
    case_close(&c);
}
END_TEST

START_TEST(damping_is_said_once)
{
    case_refuses(ONE_BODY("<actuator><position joint=\"j\" kv=\"1\" dampratio=\"1\"/></actuator>"),
                 "3: this position has both kv and dampratio; keep one of them");
    case_refuses(ONE_BODY("<actuator><position joint=\"j\" kv=\"-1\"/></actuator>"),
                 "3: kv of this position is -1; it must not be negative");
    case_refuses(ONE_BODY("<actuator><general joint=\"j\" biastype=\"linear\"/></actuator>"),
                 "3: biastype of this general is 'linear'; write none, affine, muscle, dcmotor, so3 or user");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/law");
    TCase *tests = tcase_create("mjcf_law");
    tcase_add_test(tests, laws_are_inherited_as_in_mujoco);
    tcase_add_test(tests, damping_is_said_once);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
