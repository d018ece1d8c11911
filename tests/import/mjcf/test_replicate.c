// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Copies of elements, compared with MuJoCo; what is refused.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(copies_and_what_refers_to_them_are_as_in_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_replicated", NULL);
    compare_with_reference(&c, "mjcf_replicated", 1e-9, "size body joint actuator geom site weld pose M bias");
    ck_assert_str_eq(case_geometry(&c, "h10_2")->name, "h10_2");
    case_close(&c);
}
END_TEST

START_TEST(a_copy_of_an_attached_model_is_the_model)
{
    // every copy reads its angles in radians; the keyframe of the model is left out with a note
    mjcf_case c;
    case_open_text(&c,
                   "<mujoco><asset><model name=\"hand\" file=\"parts/arm_model.xml\"/></asset><worldbody><replicate count=\"2\" "
                   "offset=\"1 0 0\"><body name=\"b\"><geom size=\"0.1\"/><attach model=\"hand\" prefix=\"h\"/></body></replicate>"
                   "</worldbody></mujoco>",
                   NULL);
    assert_close(case_joint(&c, "hh_left1")->upper, 0.04, 0);
    assert_close(case_actuator(&c, "hh_grip0")->kp, 20, 0);
    assert_close(case_actuator(&c, "hh_grip1")->kp, 20, 0);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "a key of a model that is attached and replicated"), 1);
    case_close(&c);
}
END_TEST

START_TEST(too_many_or_no_copies_are_refused)
{
    case_refuses(IN_BODY("<replicate offset=\"1 0 0\"/>"), "3: this replicate needs the attribute count");
    case_refuses(IN_BODY("<replicate count=\"0\"/>"), "3: count of this replicate is 0; write 1 or more copies");
    case_refuses(IN_BODY("<replicate count=\"1000000\"><geom size=\"1\"/><site/></replicate>"),
                 "3: replicate and attach make more than 131072 elements");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/replicate");
    TCase *tests = tcase_create("mjcf_replicate");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, copies_and_what_refers_to_them_are_as_in_mujoco);
    tcase_add_test(tests, a_copy_of_an_attached_model_is_the_model);
    tcase_add_test(tests, too_many_or_no_copies_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
