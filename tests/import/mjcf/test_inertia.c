// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Masses of bodies: stated, summed, corrected by the compiler.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <stdio.h>

START_TEST(corrections_are_those_of_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_corrected", NULL);
    compare_with_reference(&c, "mjcf_corrected", 1e-9, "body M bias");
    assert_close(trx_model_mass(c.model), 12, 1e-12);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPAIRED, "raised to boundmass"), 1);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "inertiafromgeom"), 1);
    case_close(&c);
    case_open(&c, "mjcf_balanced", NULL);
    compare_with_reference(&c, "mjcf_balanced", 1e-9, "body M");
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPAIRED, "balanceinertia"), 1);
    case_close(&c);
}
END_TEST

START_TEST(a_body_without_geoms_or_inertial_has_no_mass)
{
    mjcf_case c;
    case_open_text(&c, IN_BODY("<body name=\"empty\"><site name=\"s\"/></body>"), NULL);
    ck_assert(!case_body(&c, "empty")->has_inertia);
    case_close(&c);
}
END_TEST

START_TEST(a_body_that_only_boundmass_lets_weigh_has_mujocos_centre)
{
    // `pos` of the body, though it is meant for its parent, and without the frame around it (MuJoCo 4.0.0)
    mjcf_case c;
    case_open_text(&c, "<mujoco><compiler boundmass=\"0.001\" boundinertia=\"0.001\"/><worldbody><body name=\"a\" pos=\"0 0 9\">"
                       "<joint/><frame pos=\"0 5 0\"><body name=\"b\" pos=\"1 2 3\" euler=\"90 0 0\"/></frame></body>"
                       "</worldbody></mujoco>", NULL);
    assert_close(case_body(&c, "b")->inertia.mass, 0.001, 0);
    assert_close(max_difference(case_body(&c, "b")->inertia.com, (double[]){1, 2, 3}, 3), 0, 0);
    assert_close(max_difference(case_body(&c, "a")->inertia.com, (double[]){0, 0, 9}, 3), 0, 0);
    case_close(&c);
}
END_TEST

// the first moment is the sum of the others; MuJoCo keeps such moments
START_TEST(moments_of_a_flat_body_are_not_balanced)
{
    static const double moments[][3] = {{0.01643, 0.01123, 0.0052}, {0.01682, 0.01091, 0.00591}, {0.01753, 0.01113, 0.0064}};
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        mjcf_case c;
        snprintf(text, sizeof text,
                 "<mujoco><compiler balanceinertia=\"true\"/><worldbody><body name=\"flat\"><freejoint/>"
                 "<inertial pos=\"0 0 0\" mass=\"1\" quat=\"0.707107 0 0 0.707107\" diaginertia=\"%.17g %.17g %.17g\"/>"
                 "</body></worldbody></mujoco>",
                 moments[i][0], moments[i][1], moments[i][2]);
        case_open_text(&c, text, NULL);
        ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPAIRED, "balanceinertia"), 0);
        assert_close(case_body(&c, "flat")->inertia.tensor[2], moments[i][2], 1e-12);
        case_close(&c);
    }
}
END_TEST

START_TEST(wrong_inertias_are_refused)
{
    case_refuses(IN_BODY("<inertial mass=\"1\" diaginertia=\"1 1 1\"/>"), "3: this inertial needs the attribute pos");
    case_refuses(IN_BODY("<inertial pos=\"0 0 0\" diaginertia=\"1 1 1\"/>"),
                 "3: this inertial needs the attribute mass");
    case_refuses(IN_BODY("<inertial pos=\"0 0 0\" mass=\"1\"/>"),
                 "3: this inertial has neither diaginertia nor fullinertia");
    case_refuses(IN_BODY("<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\" fullinertia=\"1 1 1 0 0 0\"/>"),
                 "3: this inertial has both fullinertia and diaginertia; keep one of them");
    case_refuses(IN_BODY("<inertial pos=\"0 0 0\" mass=\"1\" quat=\"0 1 0 0\" fullinertia=\"1 1 1 0 0 0\"/>"),
                 "3: this inertial has fullinertia and an orientation; keep one of them, or write diaginertia");
    case_refuses(IN_BODY("<inertial pos=\"0 0 0\" mass=\"-1\" diaginertia=\"1 1 1\"/>"),
                 "3: mass of this inertial is -1 kg; it must not be negative");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/inertia");
    TCase *tests = tcase_create("mjcf_inertia");
    tcase_add_test(tests, corrections_are_those_of_mujoco);
    tcase_add_test(tests, a_body_without_geoms_or_inertial_has_no_mass);
    tcase_add_test(tests, a_body_that_only_boundmass_lets_weigh_has_mujocos_centre);
    tcase_add_test(tests, moments_of_a_flat_body_are_not_balanced);
    tcase_add_test(tests, wrong_inertias_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
