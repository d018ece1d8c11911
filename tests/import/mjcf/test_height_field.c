// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Height fields of MJCF: the surface that MuJoCo makes, and what is refused.

#include "import/mjcf/case.h"
#include "support/support.h"

#define FIELD(attributes)                                                                                              \
    ONE_BODY("<asset><hfield name=\"h\" " attributes "/></asset><worldbody><geom name=\"f\" type=\"hfield\" hfield=\"h\"/>"  \
             "</worldbody>")

START_TEST(heights_are_those_of_mujoco)
{
    // model.hfield_data of MuJoCo: 0.5 1 0.25 0.375 0 0.125, times 3 m
    static const double heights[6] = {1.5, 3, 0.75, 1.125, 0, 0.375};
    mjcf_case c;
    case_open_text(&c, FIELD("nrow=\"3\" ncol=\"2\" size=\"1 2 3 0.5\" elevation=\"0 1  2 3  4 8\""), NULL);
    const trx_shape *shape = &case_geometry(&c, "f")->shape;
    ck_assert_int_eq(shape->type, TRX_SHAPE_HEIGHT_FIELD);
    ck_assert_int_eq(shape->columns, 2);
    assert_close(shape->length, 0.5, 0);
    for (int i = 0; i < 6; i++) assert_close(shape->mesh->vertices[3 * i + 2], heights[i], 1e-15);
    assert_below(max_difference(shape->mesh->vertices, (double[]){-1, -2}, 2), 1e-15);
    assert_below(max_difference(shape->mesh->vertices + 15, (double[]){1, 2}, 2), 1e-15);
    case_close(&c);
}
END_TEST

START_TEST(equal_or_missing_heights_are_zero)
{
    mjcf_case c;
    case_open_text(&c, FIELD("nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\" elevation=\"5 5 5 5\""), NULL);
    for (int i = 0; i < 4; i++) assert_close(case_geometry(&c, "f")->shape.mesh->vertices[3 * i + 2], 0, 0);
    case_close(&c);
    case_open_text(&c, FIELD("nrow=\"2\" ncol=\"3\" size=\"1 1 1 1\""), NULL);
    for (int i = 0; i < 6; i++) assert_close(case_geometry(&c, "f")->shape.mesh->vertices[3 * i + 2], 0, 0);
    ck_assert_int_eq(case_notes(&c, TRX_NOTE_ASSUMED, "no heights: flat"), 1);
    case_close(&c);
}
END_TEST

START_TEST(wrong_fields_are_refused)
{
    case_refuses(FIELD("nrow=\"3\" ncol=\"2\" size=\"1 2 3 0.5\" elevation=\"0 1 2 3 4\""),
                 "3: elevation of this hfield is no list of 3 x 2 numbers");
    case_refuses(FIELD("nrow=\"1\" ncol=\"2\" size=\"1 2 3 0.5\""),
                 "3: this hfield has 1 x 2 heights; write a file, or nrow and ncol, each at least 2, together at most 4194304");
    case_refuses(FIELD("nrow=\"2\" ncol=\"2\""), "3: this hfield needs the attribute size");
    case_refuses(FIELD("nrow=\"2\" ncol=\"2\" size=\"1 2 0 1\""), "3: size of this hfield: all four numbers must be positive");
    case_refuses(ONE_BODY("<worldbody><geom type=\"hfield\"/></worldbody>"),
                 "3: this geom is a height field, but names none; write hfield=\"...\"");
    case_refuses(ONE_BODY("<worldbody><geom type=\"hfield\" hfield=\"h\"/></worldbody>"),
                 "3: hfield of this geom is 'h'; there is no hfield of that name");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/height_field");
    TCase *cases = tcase_create("height field");
    tcase_add_test(cases, heights_are_those_of_mujoco);
    tcase_add_test(cases, equal_or_missing_heights_are_zero);
    tcase_add_test(cases, wrong_fields_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
