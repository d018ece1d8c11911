// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joints that mimic others: couplers with multiplier and offset, chains of them, and where they start. Refusals are in
// tests/malformed_robots.

#include "import/robots.h"

#include <math.h>
#include <string.h>

#define FREE(name, parent, child) JOINT(name, "continuous", parent, child, "")
#define MIMIC(name, parent, child, inside) JOINT(name, "continuous", parent, child, "<mimic " inside "/>")

static const trx_constraint_def *coupler(const robot *r, int index)
{
    ck_assert_int_lt(index, r->result->def.nconstraint);
    const trx_constraint_def *c = &r->result->def.constraints[index];
    ck_assert_int_eq(c->type, TRX_CONSTRAINT_COUPLER);
    return c;
}

START_TEST(a_mimic_is_a_coupler_with_multiplier_and_offset)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") FREE("j", "a", "b")
                                  MIMIC("k", "b", "c", "joint=\"j\" multiplier=\"-2\" offset=\"0.5\"")),
                        NULL);
    const trx_constraint_def *c = coupler(&r, 0);
    ck_assert_str_eq(c->name, "k");
    ck_assert_int_eq(c->source.line, 6);
    ck_assert_int_eq(c->body_a, find_body(&r, "c"));
    ck_assert_int_eq(c->body_b, find_body(&r, "b"));
    assert_close(max_difference(c->polynomial, (double[]){0.5, -2, 0, 0, 0}, 5), 0, 0);
    ck_assert(isinf(c->stiffness));
    // it starts where the coupler wants it, and has no motor
    assert_close(max_difference(r.result->q0, (double[]){0, 0.5}, 2), 0, 0);
    ck_assert_int_eq(r.result->def.nactuator, 1);
    trx_model *model = model_of(&r);
    ck_assert_int_eq(trx_model_get_size(model).nconstraint, 1);
    trx_model_destroy(model);
    free_robot(&r);
}
END_TEST

START_TEST(multiplier_and_offset_default_to_one_and_zero)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") MIMIC("j", "a", "b", "joint=\"k\"")
                                  FREE("k", "b", "c")),
                        NULL);
    assert_close(max_difference(coupler(&r, 0)->polynomial, (double[]){0, 1, 0, 0, 0}, 5), 0, 0);
    free_robot(&r);
}
END_TEST

START_TEST(chains_start_where_their_beginning_does_whatever_the_order_of_the_file)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") LINK("d", "")
                                  MIMIC("l", "a", "d", "joint=\"k\" multiplier=\"10\"")
                                      MIMIC("k", "a", "c", "joint=\"j\" multiplier=\"-1\" offset=\"0.05\"")
                                          JOINT("j", "revolute", "a", "b",
                                                "<limit lower=\"0.1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>")),
                        NULL);
    ck_assert_int_eq(r.result->def.nconstraint, 2);
    assert_close(max_difference(r.result->q0, (double[]){-0.5, -0.05, 0.1}, 3), 0, 1e-15);
    ck_assert_int_eq(coupler(&r, 0)->body_b, find_body(&r, "c"));
    free_robot(&r);
}
END_TEST

START_TEST(a_joint_that_does_not_move_cannot_mimic_and_that_is_noted)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") LINK("c", "") FREE("j", "a", "b")
                                  JOINT("k", "fixed", "b", "c", "<mimic joint=\"j\"/>")),
                        NULL);
    ck_assert_int_eq(r.result->def.nconstraint, 0);
    assert_note(&r, TRX_NOTE_DROPPED, 6, "mimics of 1 joint without one degree of freedom");
    free_robot(&r);
}
END_TEST

START_TEST(a_mimic_of_a_joint_that_is_absent_is_left_out)
{
    robot r = read_text(ROBOT(LINK("a", "") LINK("b", "") MIMIC("k", "a", "b", "joint=\"kk\" multiplier=\"2\"")), NULL);
    ck_assert_int_eq(r.result->def.nconstraint, 0);
    assert_note(&r, TRX_NOTE_DROPPED, 4, "the mimic of joint \"k\": there is no joint \"kk\"");
    free_robot(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("import/urdf/mimic");
    TCase *tests = tcase_create("urdf_mimic");
    tcase_add_test(tests, a_mimic_is_a_coupler_with_multiplier_and_offset);
    tcase_add_test(tests, multiplier_and_offset_default_to_one_and_zero);
    tcase_add_test(tests, chains_start_where_their_beginning_does_whatever_the_order_of_the_file);
    tcase_add_test(tests, a_joint_that_does_not_move_cannot_mimic_and_that_is_noted);
    tcase_add_test(tests, a_mimic_of_a_joint_that_is_absent_is_left_out);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
