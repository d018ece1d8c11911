// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Colours of what URDF robots show: named, of their own, and those that nothing defines. Refusals are in
// tests/malformed_robots.

#include "import/robots.h"

#include <math.h>
#include <string.h>

#define VISUAL(material) "<visual><geometry><sphere radius=\"1\"/></geometry>" material "</visual>"

static void assert_color(const trx_geometry_def *geometry, double red, double green, double blue, double alpha)
{
    ck_assert(geometry->has_color);
    assert_close(max_difference(geometry->color, (double[]){red, green, blue, alpha}, 4), 0, 0);
}

START_TEST(colours_have_names_or_stand_where_they_are_used)
{
    robot r = read_text(ROBOT(LINK("a", VISUAL("<material name=\"red\"/>") VISUAL("<material name=\"\"><color rgba=\"0 1 "
                                                                                  "0 0.5\"/></material>")
                                            VISUAL("<material name=\"sky\"><color rgba=\"0 0 1 1\"/></material>")
                                                VISUAL("<material name=\"sky\"/>") VISUAL("")) "<material "
                                                                                               "name=\"red\"><color "
                                                                                               "rgba=\"1 0 0 "
                                                                                               "1\"/></material>\n"),
                        NULL);
    const trx_geometry_def *g = body_of(&r, "a")->geometry;
    assert_color(&g[0], 1, 0, 0, 1);
    assert_color(&g[1], 0, 1, 0, 0.5);
    assert_color(&g[2], 0, 0, 1, 1);
    assert_color(&g[3], 0, 0, 1, 1);
    ck_assert(!g[4].has_color);
    ck_assert_int_eq(count_notes(&r, TRX_NOTE_DROPPED, ""), 0);
    free_robot(&r);
}
END_TEST

START_TEST(a_colour_that_nothing_defines_and_textures_are_noted)
{
    robot r = read_text(ROBOT(LINK("a", VISUAL("<material name=\"gold\"/>") VISUAL("<material name=\"wood\"><texture "
                                                                                   "filename=\"wood.png\"/></"
                                                                                   "material>"))),
                        NULL);
    ck_assert(!body_of(&r, "a")->geometry[0].has_color);
    assert_note(&r, TRX_NOTE_ASSUMED, 2, "1 material has no colour: nothing defines it before its use");
    assert_note(&r, TRX_NOTE_DROPPED, 2, "1 attribute filename of <texture>: not served, left out");
    free_robot(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/urdf/color");
    TCase *tests = tcase_create("urdf_color");
    tcase_add_test(tests, colours_have_names_or_stand_where_they_are_used);
    tcase_add_test(tests, a_colour_that_nothing_defines_and_textures_are_noted);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
