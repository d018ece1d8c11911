// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory of derivatives (theory 6): it begins with the first derivative, grows by doubling, and never exceeds a few nv^2.

#include "step/reserve.h"
#include "step/scenes.h"
#include "step/sim.h"
#include "support/support.h"

START_TEST(a_simulator_without_derivatives_has_no_matrices)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    ck_assert_ptr_null(s.sim->deriv.matrix_block);
    ck_assert_int_eq(s.sim->deriv.matrix_room, 0);
    scene_destroy(&s);
}
END_TEST

START_TEST(room_grows_by_doubling_up_to_all_pairs_of_dofs)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    trxi_derivatives *deriv = &s.sim->deriv;
    const int most = s.nv * s.nv;
    ck_assert_int_eq(trxi_derivatives_reserve(s.context, s.model, 5, false, deriv), TRX_OK);
    ck_assert_int_eq(deriv->matrix_room, 10);
    ck_assert(!deriv->two_stage_room && deriv->rq && deriv->rv && deriv->dv);
    const void *block = deriv->matrix_block;
    ck_assert_int_eq(trxi_derivatives_reserve(s.context, s.model, 10, false, deriv), TRX_OK);
    ck_assert_ptr_eq(deriv->matrix_block, block);
    ck_assert_int_eq(trxi_derivatives_reserve(s.context, s.model, most - 1, false, deriv), TRX_OK);
    ck_assert_int_eq(deriv->matrix_room, most);
    scene_destroy(&s);
}
END_TEST

START_TEST(two_stage_schemes_add_their_matrices)
{
    scene s = scene_pair(SCENE_FREE, TRX_SHAPE_BOX, TRX_SHAPE_SPHERE);
    trxi_derivatives *deriv = &s.sim->deriv;
    ck_assert_int_eq(trxi_derivatives_reserve(s.context, s.model, 5, false, deriv), TRX_OK);
    ck_assert_int_eq(trxi_derivatives_reserve(s.context, s.model, 5, true, deriv), TRX_OK);
    ck_assert(deriv->two_stage_room && deriv->R && deriv->carry);
    ck_assert_int_eq(deriv->matrix_room, 10);
    ck_assert_int_eq(trxi_sim_reserve_derivatives(s.sim), TRX_OK);
    ck_assert_int_eq(deriv->matrix_room, s.nv * s.nv);
    scene_destroy(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step/derivatives");
    TCase *cases = tcase_create("derivatives");
    tcase_add_test(cases, a_simulator_without_derivatives_has_no_matrices);
    tcase_add_test(cases, room_grows_by_doubling_up_to_all_pairs_of_dofs);
    tcase_add_test(cases, two_stage_schemes_add_their_matrices);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
