// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Shapes without volume, as URDF and SDF files have them.

#include "import/robots.h"
#include "support/support.h"

#define SHAPE(shape) "<geometry>" shape "</geometry>"
#define URDF(inside) ROBOT(LINK("a", inside))
#define SDF(inside) "<sdf version=\"1.7\">\n<model name=\"m\"><link name=\"a\">" inside "</link></model></sdf>"

START_TEST(shapes_without_volume_are_left_out)
{
    static const char *const touching[] = {
        URDF("<collision>" SHAPE("<sphere radius=\"0\"/>") "</collision>"),
        URDF("<collision>" SHAPE("<box size=\"0 0 0\"/>") "</collision>"),
        URDF("<collision>" SHAPE("<box size=\"0 2 0\"/>") "</collision>"),
        URDF("<collision>" SHAPE("<cylinder radius=\"1\" length=\"0\"/>") "</collision>"),
        SDF("<collision name=\"c\">" SHAPE("<box><size>0 0 0</size></box>") "</collision>"),
    };
    for (int i = 0; i < 5; i++) {
        robot r = read_text(touching[i], NULL);
        ck_assert_int_eq(body_of(&r, "a")->ngeometry, 0);
        assert_note(&r, TRX_NOTE_MISSING, 2, "1 shape with a side, length or radius of 0: left out");
        free_robot(&r);
    }
    robot r = read_text(URDF("<visual>" SHAPE("<box size=\"0 0 0\"/>") "</visual>"), NULL);
    ck_assert_int_eq(body_of(&r, "a")->ngeometry, 0);
    assert_note(&r, TRX_NOTE_DROPPED, 2, "1 shape with a side, length or radius of 0: left out");
    free_robot(&r);
}
END_TEST

START_TEST(a_flat_box_is_a_thin_plate)
{
    robot r = read_text(URDF("<collision>" SHAPE("<box size=\"0.5 2 0\"/>") "</collision>"), NULL);
    const trx_shape *shape = &body_of(&r, "a")->geometry[0].shape;
    ck_assert_int_eq(shape->type, TRX_SHAPE_BOX);
    assert_close(shape->size[0], 0.5, 0);
    assert_close(shape->size[1], 2, 0);
    assert_close(shape->size[2], 0.002, 1e-18);
    assert_note(&r, TRX_NOTE_REPLACED, 2, "1 box is flat: a plate as thick as a thousandth of the longest side");
    free_robot(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/thin");
    TCase *cases = tcase_create("thin");
    tcase_add_test(cases, shapes_without_volume_are_left_out);
    tcase_add_test(cases, a_flat_box_is_a_thin_plate);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
