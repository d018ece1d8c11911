// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drags of bodies: their constants in the model, and the checks of their definitions.

#include "model/fixture.h"

#include "math/constants.h"
#include "support/support.h"

#include <math.h>

static trx_drag_def drag_of_box(void)
{
    return (trx_drag_def){.source = at_line(60), .size = {1, 2, 4}, .pose = {{0, 0, 1}, {1, 0, 0, 0}}, .density = 3, .viscosity = 5,
                          .wind = {1, 0, 0}};
}

START_TEST(constants_are_those_of_a_box)
{
    scene s;
    scene_open(&s);
    s.bodies[BOX].drag = drag_of_box();
    const trx_model *model = scene_build(&s);
    ck_assert_int_eq(model->ndrag, 1);
    const trxi_drag *drag = &model->drags[0];
    ck_assert_int_eq(drag->link, model->bodies[BOX].link);
    const double d = 7.0 / 3;
    assert_close(drag->viscous[0], 3 * TRXI_PI * d * 5, 1e-12);
    assert_close(drag->viscous[1], TRXI_PI * d * d * d * 5, 1e-12);
    assert_close(drag->form[0][1], 1.5 * 4 * 1, 1e-14);
    assert_close(drag->form[1][2], 3.0 / 64 * 4 * (1 + 16), 1e-14);
    assert_close(drag->p_L[2], 1, 1e-15);
    scene_close(&s);
}
END_TEST

START_TEST(a_body_that_no_joint_moves_has_none)
{
    scene s;
    scene_open(&s);
    s.bodies[GROUND].drag = drag_of_box();
    ck_assert_int_eq(scene_build(&s)->ndrag, 0);
    scene_close(&s);
}
END_TEST

static void refuses(const trx_drag_def *drag, const char *words)
{
    scene s;
    scene_open(&s);
    s.bodies[BOX].drag = *drag;
    scene_refuses(&s, 60, words);
}

START_TEST(drags_are_checked)
{
    trx_drag_def drag = drag_of_box();
    drag.density = -1;
    refuses(&drag, "density -1 and viscosity 5 must be finite and not negative");
    drag = drag_of_box(), drag.size[1] = NAN;
    refuses(&drag, "each size must be finite and not negative");
    drag = drag_of_box(), drag.wind[2] = INFINITY;
    refuses(&drag, "wind is not finite");
    drag = drag_of_box(), drag.pose.quat[0] = 0;
    refuses(&drag, "its pose is not finite");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/drags");
    TCase *cases = tcase_create("drags");
    tcase_add_test(cases, constants_are_those_of_a_box);
    tcase_add_test(cases, a_body_that_no_joint_moves_has_none);
    tcase_add_test(cases, drags_are_checked);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
