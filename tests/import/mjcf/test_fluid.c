// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The medium of an MJCF file: accelerations of MuJoCo, boxes of the inertia, notes.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>

#define IN_FLUID(option, bodies) "<mujoco><option " option "/><worldbody>" bodies "</worldbody></mujoco>"

START_TEST(every_body_with_mass_has_the_box_of_its_inertia)
{
    mjcf_case c;
    case_open_text(&c,
                   IN_FLUID("density=\"1.2\" viscosity=\"0.1\" wind=\"1 2 3\"",
                            "<body name=\"b\"><freejoint/><geom type=\"box\" size=\"0.1 0.2 0.3\" pos=\"0.5 0 0\"/></body>"
                            "<body name=\"still\"><site name=\"s\"/></body>"),
                   NULL);
    const trx_drag_def *drag = &case_body(&c, "b")->drag;
    // MuJoCo's order: the largest moment first, about the shortest side
    assert_close(drag->size[0], 0.2, 1e-12);
    assert_close(drag->size[1], 0.4, 1e-12);
    assert_close(drag->size[2], 0.6, 1e-12);
    assert_close(drag->pose.p[0], 0.5, 1e-15);
    assert_close(drag->density, 1.2, 0);
    assert_close(drag->viscosity, 0.1, 0);
    assert_close(drag->wind[2], 3, 0);
    assert_close(case_body(&c, "still")->drag.density, 0, 0);
    case_close(&c);
}
END_TEST

// qacc of mj_forward, MuJoCo 4.0.0: 48 kg, 2 m/s along x, y and z, 3 rad/s about each
START_TEST(a_body_slows_down_as_in_mujoco)
{
    static const char file[] = IN_FLUID("density=\"100\" viscosity=\"3\" gravity=\"0 0 0\"",
                                        "<body name=\"b\"><freejoint/><geom type=\"box\" size=\"0.1 0.2 0.3\"/></body>");
    static const double expected[6] = {-1.47123889803847, -0.971238898038469, -0.804572231371802,
                                       2.38170318823667,  -8.79222335529233,  2.85117828941535};
    mjcf_case c;
    case_open_text(&c, file, NULL);
    trx_sim_settings settings = trx_sim_settings_default();
    settings.time_step = 1e-3;
    trx_sim *sim;
    ck_assert_int_eq(trx_sim_create(c.context, c.model, &settings, &sim), TRX_OK);
    double x[13] = {0, 0, 0, 1, 0, 0, 0, 2, 2, 2, 3, 3, 3}, next[13];
    ck_assert_int_ge(trx_step(sim, x, NULL, next), 0);
    for (int i = 0; i < 6; i++) assert_close((next[7 + i] - x[7 + i]) / 1e-3, expected[i], 1e-9 * (1 + fabs(expected[i])));
    trx_sim_destroy(sim);
    case_close(&c);
}
END_TEST

START_TEST(what_is_otherwise_is_said)
{
    mjcf_case c;
    const char *geom = "<body name=\"b\"><freejoint/><geom size=\"0.1\" fluidshape=\"ellipsoid\"/></body>";
    char text[512];
    snprintf(text, sizeof text, "<mujoco><option density=\"1\"/><worldbody>%s</worldbody></mujoco>", geom);
    case_open_text(&c, text, NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "fluidshape ellipsoid"), 1);
    case_close(&c);
    snprintf(text, sizeof text, "<mujoco><worldbody>%s</worldbody></mujoco>", geom);
    case_open_text(&c, text, NULL);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_REPLACED, "fluidshape ellipsoid"), 0);
    case_close(&c);
    case_refuses("<mujoco>\n<option density=\"-1\"/></mujoco>", "2: density of the medium is -1; it must not be negative");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/fluid");
    TCase *cases = tcase_create("fluid");
    tcase_add_test(cases, every_body_with_mass_has_the_box_of_its_inertia);
    tcase_add_test(cases, a_body_slows_down_as_in_mujoco);
    tcase_add_test(cases, what_is_otherwise_is_said);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
