// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The check of cost terms: every quantity of the library passes, contact forces too, and a wrong derivative of a function of the
// caller is found, with its size and its place.

#include "trajopt/scenes.h"

#include <tractrix/verify.h>

enum { Q = 11, V = 14 + 9, NX = 24 }; // joint j1 of the mixed scene

// [sin q; q v u_0], with a derivative that is wrong by the amount given
static void product(const trx_term_point *at, double *r, double *r_x, double *r_u, void *user)
{
    const double q = at->x[Q], v = at->x[V], u = at->u ? at->u[0] : 1, wrong = *(const double *)user;
    r[0] = sin(q);
    r[1] = q * v * u;
    if (r_x) {
        r_x[0 + 2 * 9] = cos(q);
        r_x[1 + 2 * 9] = v * u;
        r_x[1 + 2 * (12 + 9)] = q * u * (1 + wrong);
    }
    if (r_u) r_u[1] = q * v;
}

static trx_term_check check_term(mixed_scene *f, trx_cost_term term, int knot)
{
    trx_term_check check = {0};
    trx_plan *plan = plan_of_term(f, term);
    ck_assert_int_eq(trx_plan_check_terms(plan, knot, f->x, f->u, &check), TRX_OK);
    trx_plan_destroy(plan);
    return check;
}

START_TEST(terms_of_the_library_pass)
{
    mixed_scene f = open_mixed();
    static const int joints[3] = {2, 3, 4};
    for (int q = TRX_BODY_POSITION; q <= TRX_COM_VELOCITY; q++) {
        if (q == TRX_DISTANCE) continue; // the scene has no geometry
        const trx_cost_term term = {.name = "term", .quantity = (trx_quantity)q, .index = 1, .joints = joints, .njoint = 3};
        const trx_term_check check = check_term(&f, term, 1);
        assert_below(check.error, 1e-7);
        ck_assert_int_ge(check.columns, NX);
    }
    close_mixed(&f);
}
END_TEST

START_TEST(a_wrong_derivative_of_the_caller_is_found)
{
    mixed_scene f = open_mixed();
    double wrong = 0;
    const trx_cost_term term = {.name = "mine", .quantity = TRX_USER, .function = product, .user = &wrong, .dimension = 2,
                                .time = TRX_ALL};
    assert_below(check_term(&f, term, 1).error, 1e-8);
    assert_below(check_term(&f, term, 3).error, 1e-8);
    wrong = 1e-3;
    const trx_term_check check = check_term(&f, term, 1);
    assert_close(check.error, 1e-3, 1e-6);
    ck_assert_str_eq(check.at, "mine, d r[1] / d j1.v");
    ck_assert_int_eq(check.left, 0);
    close_mixed(&f);
}
END_TEST

START_TEST(wrong_arguments_are_refused)
{
    mixed_scene f = open_mixed();
    trx_term_check check = {0};
    trx_plan *plan = plan_of_term(&f, (trx_cost_term){.quantity = TRX_CONTROL});
    ck_assert_int_eq(trx_plan_check_terms(NULL, 0, f.x, f.u, &check), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_check_terms(plan, 4, f.x, f.u, &check), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_check_terms(plan, 0, f.x, NULL, &check), TRX_ERR_ARGUMENT);
    ck_assert_int_eq(trx_plan_check_terms(plan, 3, f.x, NULL, &check), TRX_OK);
    ck_assert_int_eq(check.columns, 0);
    trx_plan_destroy(plan);
    close_mixed(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify/cost_terms_check");
    TCase *cases = tcase_create("cost_terms_check");
    tcase_add_test(cases, terms_of_the_library_pass);
    tcase_add_test(cases, a_wrong_derivative_of_the_caller_is_found);
    tcase_add_test(cases, wrong_arguments_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
