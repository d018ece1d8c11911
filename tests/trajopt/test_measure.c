// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Quantities at a state without a plan: the residual that a plan would have against the target 0.

#include "trajopt/scenes.h"

#include "trajopt/measure.h"

START_TEST(a_measure_is_the_residual_against_zero)
{
    mixed_scene f = open_mixed();
    static const int joints[2] = {2, 4}, bodies[2] = {1, 3};
    const trx_cost_term terms[5] = {
        {.quantity = TRX_BODY_POSITION, .index = 1},
        {.quantity = TRX_FRAME_VELOCITY, .index = 0},
        {.quantity = TRX_JOINT_POSITION, .joints = joints, .njoint = 2},
        {.quantity = TRX_COM_VELOCITY, .bodies = bodies, .nbody = 2},
        {.quantity = TRX_VELOCITY},
    };
    for (int i = 0; i < 5; i++) {
        double measured[MAX_DIM], residual[MAX_DIM];
        int dim = trx_cost_term_dimension(f.model, &terms[i]);
        trx_plan *plan = plan_of_term(&f, terms[i]);
        ck_assert_int_eq(trxi_measure(f.context, f.model, &terms[i], f.x, measured), TRX_OK);
        ck_assert_int_eq(trx_plan_residual(plan, 0, 1, f.x, f.u, residual), TRX_OK);
        double target[64];
        random_state(f.model, f.size, 3, target); // as plan_of_term has it
        for (int k = 0; k < dim; k++) assert_close(measured[k], residual[k] + target[k], 1e-14);
        ck_assert(max_magnitude(measured, dim) > 0.01);
        trx_plan_destroy(plan);
    }
    close_mixed(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/measure");
    TCase *cases = tcase_create("measure");
    tcase_add_test(cases, a_measure_is_the_residual_against_zero);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
