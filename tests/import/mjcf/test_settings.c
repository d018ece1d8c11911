// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Compiler and options: what counts, what is only noted.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <stdio.h>

START_TEST(what_is_said_last_counts)
{
    mjcf_case c;
    case_open_text(
        &c,
        ONE_BODY(
            "<option gravity=\"0 0 -1\" timestep=\"0.01\"/><option gravity=\"0 0 -2\"/>"
            "<compiler angle=\"radian\"/><worldbody><body name=\"r\"><joint name=\"r\" range=\"0 1\" axis=\"1 0 0\"/>"
            "<geom size=\"1\"/></body></worldbody>"),
        NULL);
    assert_close(c.result->gravity[2], -2, 0);
    assert_close(c.result->def.gravity[2], -2, 0);
    assert_close(c.result->time_step, 0.01, 0);
    assert_close(case_joint(&c, "r")->upper, 1, 0);
    case_close(&c);
}
END_TEST

START_TEST(a_file_that_says_nothing_leaves_gravity_and_time_step_open)
{
    mjcf_case c;
    case_open_text(&c, ONE_BODY(""), NULL);
    ck_assert(isnan(c.result->gravity[2]) && isnan(c.result->time_step));
    assert_close(c.result->def.gravity[2], -9.81, 0);
    ck_assert(!c.result->def.allow_adjacent);
    case_close(&c);
}
END_TEST

START_TEST(flags_switch_off_gravity_and_the_filter_of_parents)
{
    mjcf_case c;
    case_open_text(
        &c, ONE_BODY("<option><flag gravity=\"disable\" filterparent=\"disable\" actuation=\"disable\"/></option>"),
        NULL);
    assert_close(c.result->gravity[2], 0, 0);
    ck_assert(c.result->def.allow_adjacent);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_ASSUMED, "no actuators"), 1);
    case_close(&c);
}
END_TEST

// the last option that names a flag counts, flag by flag: contacts stay off while `constraint` is
START_TEST(the_last_value_of_each_flag_counts)
{
    static const struct {
        const char *options;
        bool contact, adjacent;
    } cases[] = {
        {"<option><flag contact=\"disable\"/></option><option><flag contact=\"enable\"/></option>", true, false},
        {"<option><flag contact=\"enable\"/></option><option><flag contact=\"disable\"/></option>", false, false},
        {"<option><flag constraint=\"disable\"/></option><option><flag contact=\"enable\"/></option>", false, false},
        {"<option><flag contact=\"disable\"/></option><option><flag gravity=\"disable\"/></option>", false, false},
        {"<option><flag filterparent=\"disable\"/></option><option><flag filterparent=\"enable\"/></option>", true, false},
        {"<option><flag filterparent=\"disable\"/></option><option><flag limit=\"disable\"/></option>", true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, ONE_BODY("%s<worldbody><body><geom name=\"h\" size=\"1\"/></body></worldbody>"),
                 cases[i].options);
        mjcf_case c;
        case_open_text(&c, text, NULL);
        ck_assert_int_eq(case_geometry(&c, "h")->collide, cases[i].contact);
        ck_assert_int_eq(c.result->def.allow_adjacent, cases[i].adjacent);
        case_close(&c);
    }
}
END_TEST

// one of each kind of thing that a flag switches off
#define ALL_KINDS(flag)                                                                                                     \
    "<mujoco><option><flag " flag "/></option><worldbody><body name=\"b\"><joint name=\"j\" axis=\"0 1 0\" range=\"-9 9\" "    \
    "stiffness=\"2\" damping=\"3\" frictionloss=\"4\"/><geom name=\"g\" size=\"0.1\"/></body></worldbody><equality>"             \
    "<joint joint1=\"j\"/></equality><actuator><motor name=\"m\" joint=\"j\" ctrlrange=\"-1 1\"/></actuator>"                 \
    "<keyframe><key ctrl=\"1\"/></keyframe></mujoco>"

START_TEST(flags_switch_off_what_they_name_with_a_note_each)
{
    enum { CONTACT = 1, EQUALITY = 2, FRICTION = 4, LIMIT = 8, SPRING = 16, DAMPER = 32, CONTROL = 64, ACTUATOR = 128 };
    static const struct {
        const char *text;
        int off, notes;
    } cases[] = {
        {ALL_KINDS(""), 0, 0},
        {ALL_KINDS("contact=\"disable\""), CONTACT, 1},
        {ALL_KINDS("constraint=\"disable\""), CONTACT | EQUALITY | FRICTION | LIMIT, 4},
        {ALL_KINDS("equality=\"disable\" limit=\"disable\""), EQUALITY | LIMIT, 2},
        {ALL_KINDS("frictionloss=\"disable\""), FRICTION, 1},
        {ALL_KINDS("passive=\"disable\""), SPRING | DAMPER, 2},
        {ALL_KINDS("damper=\"disable\" clampctrl=\"disable\""), DAMPER | CONTROL, 2},
        {ALL_KINDS("actuation=\"disable\""), ACTUATOR, 1},
        {ALL_KINDS("spring=\"disable\" contact=\"enable\""), SPRING, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mjcf_case c;
        case_open_text(&c, cases[i].text, NULL);
        const trx_joint_def *j = case_joint(&c, "j");
        int nu = c.result->def.nactuator;
        int off = (case_geometry(&c, "g")->collide ? 0 : CONTACT) | (c.result->def.nconstraint ? 0 : EQUALITY) |
                  (j->friction > 0 ? 0 : FRICTION) | (isfinite(j->upper) ? 0 : LIMIT) | (j->stiffness > 0 ? 0 : SPRING) |
                  (j->damping > 0 ? 0 : DAMPER) | (nu == 0 || isfinite(case_actuator(&c, "m")->upper) ? 0 : CONTROL) |
                  (nu ? 0 : ACTUATOR);
        ck_assert_int_eq(off, cases[i].off);
        ck_assert_int_eq(case_notes(&c, TRX_NOTE_ASSUMED, "a flag in the option of the file disables them"), cases[i].notes);
        case_close(&c);
    }
}
END_TEST

START_TEST(settings_without_effect_are_noted)
{
    mjcf_case c;
    case_open_text(&c,
                   ONE_BODY("<compiler alignfree=\"true\" fusestatic=\"true\" discardvisual=\"true\"/>"
                            "<option integrator=\"RK4\"><flag override=\"enable\"/></option>"),
                   NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "alignfree"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "fusestatic"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "discardvisual"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_DROPPED, "MuJoCo's own computations"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "override: contacts keep friction"), 1);
    case_close(&c);
}
END_TEST

START_TEST(wrong_settings_are_refused)
{
    case_refuses(ONE_BODY("<compiler angle=\"gon\"/>"), "3: angle of this compiler is 'gon'; write radian or degree");
    case_refuses(ONE_BODY("<compiler coordinate=\"global\"/>"),
                 "3: coordinate is 'global', which MuJoCo no longer reads; convert the file to local coordinates");
    case_refuses(ONE_BODY("<option timestep=\"0\"/>"), "3: timestep is 0 s; it must be positive");
    case_refuses(ONE_BODY("<option gravity=\"9.81\"/>"), "3: gravity of this option is '9.81'; write 3 numbers");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/settings");
    TCase *tests = tcase_create("mjcf_settings");
    tcase_add_test(tests, what_is_said_last_counts);
    tcase_add_test(tests, a_file_that_says_nothing_leaves_gravity_and_time_step_open);
    tcase_add_test(tests, flags_switch_off_gravity_and_the_filter_of_parents);
    tcase_add_test(tests, the_last_value_of_each_flag_counts);
    tcase_add_test(tests, flags_switch_off_what_they_name_with_a_note_each);
    tcase_add_test(tests, settings_without_effect_are_noted);
    tcase_add_test(tests, wrong_settings_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
