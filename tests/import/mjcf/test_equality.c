// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Equalities against MuJoCo's compiled ones.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <stdio.h>

START_TEST(constraints_hold_what_mujoco_holds)
{
    mjcf_case c;
    case_open(&c, "mjcf_equalities", NULL);
    compare_with_reference(&c, "mjcf_equalities", 1e-9, "ball weld coupler");
    ck_assert_int_eq(c.result->def.nconstraint, 14);
    case_close(&c);
}
END_TEST

static double value(const double p[5], double x)
{
    return p[0] + x * (p[1] + x * (p[2] + x * (p[3] + x * p[4])));
}

// l_a = 2 (q_a - 0.4), l_c = -4 (q_c - 0.1): l_a = 0.1 + 0.5 l_c + 0.2 l_c^2
START_TEST(tendons_of_one_joint_couple_like_joints)
{
    mjcf_case c;
    case_open(&c, "mjcf_equalities", NULL);
    const trx_constraint_def *pull = case_constraint(&c, "pull"), *fix = case_constraint(&c, "fix");
    for (double x = -1; x <= 1; x += 0.5) {
        double l = -4 * (x - 0.1);
        assert_close(2 * (value(pull->polynomial, x) - 0.4), 0.1 + 0.5 * l + 0.2 * l * l, 1e-12);
    }
    ck_assert_int_eq(fix->body_b, -1);
    assert_close(-4 * (fix->polynomial[0] - 0.1), 0.3, 1e-12);

    // 2 q_a + 0.5 q_c = 0.2 + 2 0.4 + 0.5 0.1
    const trx_constraint_def *pair = case_constraint(&c, "pair");
    ck_assert(pair->tendon >= 0 && pair->tendon_b < 0);
    assert_close(value(pair->polynomial, 0.7), 0.2 + 0.8 + 0.05, 1e-12);
    case_close(&c);
}
END_TEST

// a moves from 0 to its limit 0.5; b = 0.1 + 2 a follows, and c = -3 b ends at its own limit
START_TEST(what_is_coupled_to_a_joint_that_moved_to_its_limit_follows)
{
    static const char text[] =
        "<mujoco><compiler angle=\"radian\"/><worldbody><body><joint name=\"a\" range=\"0.5 1\"/><joint name=\"b\" "
        "axis=\"0 1 0\"/><joint name=\"c\" axis=\"1 0 0\" range=\"-2 2\"/><geom size=\"1\"/></body></worldbody><equality>"
        "<joint joint1=\"b\" joint2=\"a\" polycoef=\"0.1 2 0 0 0\"/><joint joint1=\"c\" joint2=\"b\" polycoef=\"0 -3 0 0 0\"/>"
        "</equality></mujoco>";
    static const double moved[] = {0.5, 1.1, -2}, kept[] = {0, 0, 0};
    trx_import_options options = trx_import_options_default();
    for (int keep = 0; keep < 2; keep++) {
        mjcf_case c;
        options.keep_start = keep;
        case_open_text(&c, text, &options);
        for (int i = 0; i < 3; i++) assert_close(c.result->q0[i], keep ? kept[i] : moved[i], 1e-15);
        case_close(&c);
    }
}
END_TEST

START_TEST(what_cannot_be_held_is_noted)
{
    mjcf_case c;
    case_open_text(
        &c,
        "<mujoco><worldbody><body name=\"b\"><joint name=\"i\"/><joint name=\"j\" axis=\"1 0 0\"/>"
        "<joint name=\"k\" axis=\"0 1 0\"/><geom size=\"1\"/></body></worldbody><tendon><fixed name=\"t\">"
        "<joint joint=\"i\" coef=\"1\"/><joint joint=\"j\" coef=\"1\"/><joint joint=\"k\" coef=\"1\"/></fixed></tendon>"
        "<equality><tendon tendon1=\"t\" tendon2=\"t\"/><joint joint1=\"i\" active=\"false\"/><flex flex=\"f\"/>"
        "<weld body1=\"b\" torquescale=\"3\"/></equality></mujoco>",
        NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "an equality of tendons"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "not active"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "an equality of a flex"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "torquescale"), 1);
    ck_assert_int_eq(c.result->def.nconstraint, 1);

    // a constraint without a name is called after what it ties together
    ck_assert_str_eq(c.result->def.constraints[0].name, "b_weld");
    case_close(&c);
}
END_TEST

// the area under a closing gap is MuJoCo's b/k
START_TEST(a_gap_closes_in_the_time_of_solref)
{
    static const struct {
        const char *soft;
        double time;
    } cases[] = {{"", 2 * 0.02},
                 {"solref=\"0.05 1.5\"", 2 * 0.05 * 2.25},
                 {"solref=\"0.05 1.5\" solimp=\"0.5 0.8\"", 2 * 0.05 * 2.25},
                 {"solref=\"0.001 1\"", 2 * 0.004}, // not below two steps
                 {"solref=\"-200 -10\"", 10.0 / 200},
                 {"solref=\"0 0\"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        mjcf_case c;
        snprintf(text, sizeof text, "<mujoco><worldbody><body name=\"b\"><joint name=\"j\"/><geom size=\"1\"/></body></worldbody>"
                                    "<equality><joint joint1=\"j\" %s/></equality></mujoco>", cases[i].soft);
        case_open_text(&c, text, NULL);
        assert_close(c.result->def.constraints[0].relaxation_time, cases[i].time, 1e-15);
        case_close(&c);
    }
}
END_TEST

START_TEST(wrong_equalities_are_refused)
{
    case_refuses(ONE_BODY("<equality><connect anchor=\"0 0 0\"/></equality>"),
                 "3: this connect needs the attribute body1");
    case_refuses(ONE_BODY("<equality><connect body1=\"b\"/></equality>"), "3: this connect needs the attribute anchor");
    case_refuses(ONE_BODY("<equality><weld body1=\"b\" body2=\"b\"/></equality>"),
                 "3: this weld ties a body to itself; name two bodies");
    case_refuses(ONE_BODY("<equality><weld body1=\"c\"/></equality>"),
                 "3: body1 of this weld is 'c'; there is no body of that name");
    case_refuses(ONE_BODY("<equality><joint joint1=\"j\" joint2=\"j\"/></equality>"),
                 "3: this equality ties a joint to itself; name two joints");
    case_refuses(ONE_BODY("<equality><weld site1=\"s\"/></equality>"),
                 "3: site1 of this weld is 's'; there is no site of that name");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/equality");
    TCase *tests = tcase_create("mjcf_equality");
    tcase_add_test(tests, constraints_hold_what_mujoco_holds);
    tcase_add_test(tests, tendons_of_one_joint_couple_like_joints);
    tcase_add_test(tests, what_is_coupled_to_a_joint_that_moved_to_its_limit_follows);
    tcase_add_test(tests, what_cannot_be_held_is_noted);
    tcase_add_test(tests, a_gap_closes_in_the_time_of_solref);
    tcase_add_test(tests, wrong_equalities_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
