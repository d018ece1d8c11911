// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Spatial tendons: lengths, gradients and forces beside MuJoCo; rest lengths; mistakes in a path.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <stdio.h>

// lengths, gradients, moments of drives and passive forces of all tendons in 40 states, wrapped and not; case.c says how near
// MuJoCo finds the point where a tendon touches the inside of an obstacle
START_TEST(tendons_are_those_of_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_tendons", NULL);
    compare_with_reference(&c, "mjcf_tendons", 1e-9, "tendon");
    case_close(&c);
}
END_TEST

// strings beside obstacles with a side point, in 40 states: straight lines on the side of the side point, on the other side with
// and without a crossing of the half-line away from it, and through the obstacle
START_TEST(side_points_decide_as_in_mujoco)
{
    mjcf_case c;
    case_open(&c, "mjcf_tendons_sided", NULL);
    compare_with_reference(&c, "mjcf_tendons_sided", 1e-9, "tendon");
    case_close(&c);
}
END_TEST

static const char path_scene[] =
    "<mujoco><worldbody><site name=\"w\" pos=\"0 0 2\"/><geom name=\"ball\" size=\"0.5\" pos=\"0 0 1\"/><body name=\"b\">"
    "<joint name=\"j\" type=\"slide\"/><geom size=\"0.1\" mass=\"1\"/><site name=\"s\"/></body></worldbody><tendon>"
    "<spatial name=\"t\" stiffness=\"3\"><site site=\"w\"/><site site=\"s\"/></spatial>"
    "<spatial name=\"u\" stiffness=\"3\" springlength=\"0.7\"><site site=\"w\"/><geom geom=\"ball\"/><site site=\"s\"/></spatial>"
    "</tendon><actuator><motor name=\"m\" tendon=\"u\"/></actuator></mujoco>";

START_TEST(a_spring_without_springlength_rests_at_the_reference)
{
    mjcf_case c;
    case_open_text(&c, path_scene, NULL);
    const trx_tendon_def *t = c.result->def.tendons;
    ck_assert(t[0].rest_lower == 2 && t[0].rest_upper == 2);
    ck_assert(t[1].rest_lower == 0.7 && t[1].rest_upper == 0.7);
    ck_assert(t[1].npoint == 3 && t[1].points[1].type == TRX_TENDON_SPHERE && t[1].points[1].radius == 0.5);
    ck_assert_int_eq(case_actuator(&c, "m")->tendon, 1);
    case_close(&c);
}
END_TEST

#define TWO_SITES "<site name=\"s\"/><site name=\"t\" pos=\"1 0 0\"/></body></worldbody>\n<tendon><spatial>"
#define END "</spatial></tendon><worldbody><body>"

START_TEST(wrong_paths_are_refused)
{
    static const char order[] = "4: each branch of a spatial tendon begins and ends with a site and has two; a geom lies "
                                "between two sites";
    case_refuses(IN_BODY(TWO_SITES "<site site=\"no\"/>" END), "4: site of this site is 'no'; there is no site of that name");
    case_refuses(IN_BODY(TWO_SITES "<site site=\"s\"/>" END), order);
    case_refuses(IN_BODY(TWO_SITES "<site site=\"s\"/><site site=\"t\"/><pulley divisor=\"2\"/><site site=\"s\"/>" END), order);
    case_refuses(IN_BODY("<geom name=\"box\" type=\"box\" size=\"1 1 1\"/>" TWO_SITES
                         "<site site=\"s\"/><geom geom=\"box\"/><site site=\"t\"/>" END),
                 "4: a tendon wraps around spheres and cylinders; this geom is neither");
    case_refuses(IN_BODY(TWO_SITES "<site site=\"s\"/><site site=\"t\"/><pulley divisor=\"0\"/><site site=\"s\"/>"
                         "<site site=\"t\"/>" END),
                 "4: divisor of this pulley is 0; it must be positive");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/tendon_path");
    TCase *tests = tcase_create("mjcf_tendon_path");
    tcase_add_test(tests, tendons_are_those_of_mujoco);
    tcase_add_test(tests, a_spring_without_springlength_rests_at_the_reference);
    tcase_add_test(tests, side_points_decide_as_in_mujoco);
    tcase_add_test(tests, wrong_paths_are_refused);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
