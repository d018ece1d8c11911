// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Defaults are as documented, and choices have the names of the problem file.

#include "support/support.h"

#include <tractrix/model.h>

START_TEST(defaults_are_what_is_documented)
{
    trx_material_def material = trx_material_def_default();
    ck_assert_str_eq(material.name, "default");
    ck_assert(!material.rigid && material.stiffness == 1e5 && material.dissipation == 10);
    ck_assert(material.relaxation_time == 0.005 && material.friction == 0.5);

    trx_model_def model = trx_model_def_default();
    ck_assert(model.gravity[0] == 0 && model.gravity[1] == 0 && model.gravity[2] == -9.81);
    ck_assert(model.approximation == TRX_LAGGED && model.force_law == TRX_HUNT_CROSSLEY);
    ck_assert_uint_eq(model.size, sizeof model);

    trx_joint_def joint = trx_joint_def_default();
    ck_assert(isinf(joint.lower) && isinf(joint.upper) && joint.lower < joint.upper);
    ck_assert(joint.damping == 0 && joint.stiffness == 0 && joint.armature == 0 && joint.friction == 0);

    trx_geometry_def geometry = trx_geometry_def_default();
    ck_assert(isnan(geometry.mass) && isnan(geometry.density) && geometry.collide && !geometry.has_color);

    trx_body_def body = trx_body_def_default();
    ck_assert(body.parent == -1 && body.gravity && !body.has_inertia && body.pose.quat[0] == 1);

    trx_actuator_def actuator = trx_actuator_def_default();
    ck_assert(actuator.gear == 1 && isinf(actuator.lower) && isinf(actuator.upper));

    trx_pair_override override = trx_pair_override_default();
    ck_assert(isnan(override.stiffness) && isnan(override.dissipation) && isnan(override.relaxation_time));
    ck_assert(isnan(override.smoothing) && isnan(override.friction));
    ck_assert(override.approximation == -1 && override.force_law == -1 && override.pair.a.geometry == -1);
}
END_TEST

START_TEST(choices_have_their_names)
{
    ck_assert_str_eq(trx_approximation_name(TRX_LAGGED), "lagged");
    ck_assert_str_eq(trx_approximation_name(TRX_LAGGED_REGULARIZED), "lagged_regularized");
    ck_assert_str_eq(trx_approximation_name(TRX_SIMILAR), "similar");
    ck_assert_str_eq(trx_approximation_name(TRX_SIMILAR_REGULARIZED), "similar_regularized");
    ck_assert_str_eq(trx_approximation_name(TRX_SAP), "sap");
    ck_assert_str_eq(trx_force_law_name(TRX_HUNT_CROSSLEY), "hunt_crossley");
    ck_assert_str_eq(trx_force_law_name(TRX_KELVIN_VOIGT), "kelvin_voigt");
    ck_assert_str_eq(trx_force_law_name(TRX_SMOOTHED), "smoothed");
    ck_assert_str_eq(trx_force_law_name((trx_force_law)99), "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model/defs");
    TCase *cases = tcase_create("defs");
    tcase_add_test(cases, defaults_are_what_is_documented);
    tcase_add_test(cases, choices_have_their_names);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
