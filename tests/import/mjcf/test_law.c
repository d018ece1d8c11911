// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Force laws and how they are inherited, against MuJoCo.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <stdio.h>

START_TEST(laws_are_inherited_as_in_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_laws", NULL);
    compare_with_reference(&c, "mjcf_laws", 1e-9, "actuator");
    case_close(&c);
}
END_TEST

// a gain, bias or state that is not supported counts until an element says another one; an element that says another part keeps it
START_TEST(each_part_of_a_law_is_supported_or_not_by_its_own_last_word)
{
    static const struct {
        const char *usual, *own;
        bool kept;
    } cases[] = {{"dyntype=\"dcmotor\"", "gaintype=\"fixed\" gainprm=\"5\"", false},
                 {"biastype=\"user\"", "gaintype=\"fixed\" gainprm=\"5\"", false},
                 {"biastype=\"user\"", "biastype=\"affine\" biasprm=\"0 -5 0\" gainprm=\"5\"", true},
                 {"gaintype=\"user\"", "biastype=\"none\"", false},
                 {"gaintype=\"user\"", "gaintype=\"fixed\"", true},
                 {"dyntype=\"user\"", "dyntype=\"none\"", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco><default><general %s/></default><worldbody><body><joint name=\"j\"/><geom size=\"0.1\"/></body>"
                 "</worldbody><actuator><general joint=\"j\" %s/></actuator></mujoco>", cases[i].usual, cases[i].own);
        mjcf_case c;
        case_open_text(&c, text, NULL);
        ck_assert_int_eq(c.result->def.nactuator, cases[i].kept);
        ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "an actuator of kind general"), !cases[i].kept);
        case_close(&c);
    }
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
    tcase_add_test(tests, each_part_of_a_law_is_supported_or_not_by_its_own_last_word);
    tcase_add_test(tests, damping_is_said_once);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
