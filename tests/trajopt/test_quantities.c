// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The table of quantities: traits, names and units of components. Every quantity also passes through test_cost.c.

#include "trajopt/scenes.h"

#include "trajopt/plan.h"

static void check(mixed_scene *f, trx_cost_term term, int i, const char *name, const char *unit)
{
    static const int joints[3] = {2, 3, 4}; // j1, a hinge; j2, a slide; j3, a hinge
    term.joints = joints, term.njoint = 3;
    trx_plan *plan = plan_of_term(f, term);
    ck_assert_str_eq(trxi_term_component(f->model, &plan->cost.terms[0], i), name);
    ck_assert_str_eq(trxi_term_unit(f->model, &plan->cost.terms[0], i), unit);
    trx_plan_destroy(plan);
}

START_TEST(components_are_axes_joints_or_actuators_with_their_units)
{
    mixed_scene f = open_mixed();
    check(&f, (trx_cost_term){.quantity = TRX_BODY_POSITION}, 2, "z", "m");
    check(&f, (trx_cost_term){.quantity = TRX_FRAME_ORIENTATION}, 0, "rx", "rad");
    check(&f, (trx_cost_term){.quantity = TRX_FRAME_VELOCITY}, 1, "y", "m/s");
    check(&f, (trx_cost_term){.quantity = TRX_BODY_SPIN}, 1, "ry", "rad/s");
    check(&f, (trx_cost_term){.quantity = TRX_JOINT_POSITION}, 0, "j1", "rad");
    check(&f, (trx_cost_term){.quantity = TRX_JOINT_POSITION}, 1, "j2", "m");
    check(&f, (trx_cost_term){.quantity = TRX_JOINT_VELOCITY}, 1, "j2", "m/s");
    check(&f, (trx_cost_term){.quantity = TRX_POSITION}, 1, "ship", "m");
    check(&f, (trx_cost_term){.quantity = TRX_VELOCITY}, 3, "ship.wx", "rad/s");
    check(&f, (trx_cost_term){.quantity = TRX_CONTROL}, 1, "j3", "N m");
    check(&f, (trx_cost_term){.quantity = TRX_COM_VELOCITY}, 0, "x", "m/s");
    close_mixed(&f);
}
END_TEST

START_TEST(traits_belong_to_their_quantities)
{
    ck_assert(trxi_quantity_is(TRX_FRAME_SPIN, TRXI_SPATIAL) && trxi_quantity_is(TRX_DISTANCE, TRXI_SPATIAL));
    ck_assert(!trxi_quantity_is(TRX_JOINT_POSITION, TRXI_SPATIAL) && !trxi_quantity_is(TRX_DISTANCE, TRXI_OF_BODIES));
    ck_assert(trxi_quantity_is(TRX_VELOCITY, TRXI_RATE) && !trxi_quantity_is(TRX_POSITION, TRXI_RATE));
    ck_assert(trxi_quantity_is(TRX_CONTACT_FORCE, TRXI_DENSE | TRXI_TURN) && !trxi_quantity_is(TRX_CONTROL, TRXI_DENSE));
    ck_assert(!trxi_quantity_is((trx_quantity)(TRX_CONTROL_RATE + 1), ~0u) && !trxi_quantity_is((trx_quantity)-1, ~0u));
    ck_assert_int_eq(trxi_frame_part_of(TRX_BODY_SPIN), TRXI_FRAME_SPIN);
    ck_assert_int_eq(trxi_frame_part_of(TRX_FRAME_POSITION), TRXI_FRAME_POSITION);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("trajopt/quantities");
    TCase *cases = tcase_create("quantities");
    tcase_add_test(cases, components_are_axes_joints_or_actuators_with_their_units);
    tcase_add_test(cases, traits_belong_to_their_quantities);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
