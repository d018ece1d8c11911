// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Models inside a model: what comes along, compared with MuJoCo, and what is refused.

#include "import/mjcf/case.h"
#include "support/support.h"

#include <math.h>

START_TEST(attached_models_are_as_in_mujoco)
{
    // two levels, and one body; degrees and radians, classes of one name, keyframes of both levels, meshes of another folder
    mjcf_case c;
    case_open(&c, "mjcf_attached", NULL);
    compare_with_reference(&c, "mjcf_attached", 1e-6, "size body joint actuator geom site coupler key pose M bias");
    case_close(&c);
}
END_TEST

START_TEST(a_model_keeps_its_own_settings_and_classes)
{
    mjcf_case c;
    case_open(&c, "mjcf_attached", NULL);
    assert_close(case_joint(&c, "a_shoulder")->upper, 1.5707963267948966, 1e-15);
    assert_close(case_joint(&c, "a_h_left")->upper, 0.04, 0);
    assert_close(case_joint(&c, "a_shoulder")->damping, 2, 0);
    assert_close(case_joint(&c, "a_h_left")->damping, 0, 0);
    assert_close(case_body(&c, "a_h_left")->inertia.mass, 0.05, 1e-15);
    assert_close(case_body(&c, "a_upper")->inertia.mass, 0.7, 1e-12);
    ck_assert_str_eq(case_joint(&c, "b_right")->source.file, "tests/import/data/parts/gripper.xml");
    case_close(&c);
}
END_TEST

#define WITH_MODEL(file, attach)                                                                                         \
    "<mujoco><asset><model name=\"m\" file=\"" file "\"/></asset>\n<worldbody>\n" attach "\n</worldbody></mujoco>"

START_TEST(what_cannot_be_attached_is_refused)
{
    case_refuses(WITH_MODEL("parts/gripper.xml", "<attach prefix=\"x\"/>"), "3: this attach needs the attribute model");
    case_refuses(WITH_MODEL("parts/gripper.xml", "<attach model=\"n\"/>"), "3: there is no model 'n' in the assets");
    case_refuses(WITH_MODEL("parts/gripper.xml", "<attach model=\"m\" body=\"none\"/>"), "3: the model 'm' has no body 'none'");
    case_refuses(WITH_MODEL("gone.xml", "<attach model=\"m\"/>"), "1: cannot read 'gone.xml', the file of this model");
    case_refuses(WITH_MODEL("arm.urdf", "<attach model=\"m\"/>"), "3: this model begins with <robot>, not with <mujoco>");
    case_refuses("<mujoco><asset><model name=\"m\"/></asset>\n<worldbody><attach model=\"m\"/></worldbody></mujoco>",
                 "1: this model needs the attribute file");
}
END_TEST

START_TEST(models_that_attach_themselves_end)
{
    case_refuses(WITH_MODEL("parts/endless.xml", "<attach model=\"m\" prefix=\"x\"/>"),
                 "3: models are attached more than 16 levels deep, or more than 256 times");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/mjcf/attach");
    TCase *tests = tcase_create("mjcf_attach");
    tcase_add_test(tests, attached_models_are_as_in_mujoco);
    tcase_add_test(tests, a_model_keeps_its_own_settings_and_classes);
    tcase_add_test(tests, what_cannot_be_attached_is_refused);
    tcase_add_test(tests, models_that_attach_themselves_end);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
