// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Hollow primitives against MuJoCo and closed forms.

#include "import/mjcf/case.h"
#include "support/support.h"

START_TEST(shells_weigh_what_they_weigh_in_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_shells", NULL);
    compare_with_reference(&c, "mjcf_shells", 1e-9, "body geom M");
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "shellinertia"), 0);
    case_close(&c);
}
END_TEST

// a hollow ball: area 4 pi r^2, 2/3 m r^2
START_TEST(a_hollow_ball_is_harder_to_turn_than_a_solid_one)
{
    mjcf_case c;
    case_open(&c, "mjcf_shells", NULL);
    const trx_body_inertia *ball = &case_body(&c, "sphere")->inertia;
    assert_close(ball->mass, 10 * 4 * 3.14159265358979323846 * 0.09, 1e-12);
    for (int i = 0; i < 3; i++) assert_close(ball->tensor[i], 2 * ball->mass * 0.09 / 3, 1e-12);
    case_close(&c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/shell");
    TCase *tests = tcase_create("mjcf_shell");
    tcase_add_test(tests, shells_weigh_what_they_weigh_in_mujoco);
    tcase_add_test(tests, a_hollow_ball_is_harder_to_turn_than_a_solid_one);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
