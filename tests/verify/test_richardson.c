// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The search for an increment: exact on smooth functions, honest about kinks and rounding; and the verdict on a column.

#include "verify/richardson.h"

#include "support/support.h"

#include <float.h>

static const trxi_ladder decades = {.first = 1e-1, .least = 1e-8, .shrink = 0.1, .patience = INFINITY};

// f(x) = [exp(x); sin(20 x); |x - corner|] at 0
typedef struct smooth_function {
    double corner;
    int calls;
} smooth_function;

static trx_status central(void *data, double e, double *D, bool *smooth)
{
    smooth_function *f = data;
    f->calls++;
    D[0] = (exp(e) - exp(-e)) / (2 * e);
    D[1] = (sin(20 * e) - sin(-20 * e)) / (2 * e);
    D[2] = (fabs(e - f->corner) - fabs(-e - f->corner)) / (2 * e);
    if (e > fabs(f->corner)) *smooth = false;
    return TRX_OK;
}

static trxi_column search(const trxi_ladder *ladder, smooth_function *f, double F[3])
{
    static double scratch[3 * TRXI_COLUMN_SCRATCH];
    trxi_column column = {.rows = 3, .F = F, .scratch = scratch, .rounding = DBL_EPSILON};
    ck_assert_int_eq(trxi_richardson_column(ladder, central, f, &column), TRX_OK);
    return column;
}

START_TEST(the_extrapolation_of_a_smooth_function_is_exact)
{
    double F[3] = {0};
    smooth_function f = {.corner = 1};
    trxi_column column = search(&decades, &f, F);
    assert_close(F[0], 1, 1e-9);
    assert_close(F[1], 20, 1e-8);
    assert_close(F[2], -1, 1e-9);
    ck_assert(!column.crossed && column.estimate > 0 && column.estimate < 1e-6 && column.increment < 0.1);
    ck_assert_int_eq(f.calls, 2 * 8);
}
END_TEST

START_TEST(an_error_that_is_small_enough_ends_the_search)
{
    double F[3] = {0};
    smooth_function f = {.corner = 1};
    trxi_ladder ladder = decades;
    ladder.enough = 1e-4;
    trxi_column column = search(&ladder, &f, F);
    ck_assert(column.estimate <= 1e-4 && f.calls < 16);
    ladder.enough = 0;
    ladder.patience = 10;
    ladder.least = 1e-12;
    f.calls = 0;
    column = search(&ladder, &f, F);
    assert_close(F[1], 20, 1e-8);
    ck_assert(f.calls < 2 * 10);
}
END_TEST

// increments that cross the corner are left out; if all cross, the last increment is taken and marked as crossing
START_TEST(differences_across_a_kink_are_taken_only_when_there_is_nothing_else)
{
    double F[3] = {0};
    smooth_function near = {.corner = 3e-5}, on = {.corner = 1e-12};
    trxi_column column = search(&decades, &near, F);
    ck_assert(!column.crossed && column.increment < 3e-5);
    assert_close(F[2], -1, 1e-6);
    column = search(&decades, &on, F);
    ck_assert(column.crossed);
    assert_close(F[0], 1, 1e-6);
    ck_assert(fabs(F[2]) < 1e-3);
}
END_TEST

// an increment is refused when its extrapolation differs from the previous one, and the first increment is never taken
START_TEST(a_confirmed_search_takes_no_increment_alone)
{
    double F[3] = {7, 7, 7};
    smooth_function f = {.corner = 1};
    trxi_ladder ladder = decades;
    ladder.confirmed = true;
    trxi_column column = search(&ladder, &f, F);
    ck_assert(column.increment < 0.1);
    assert_close(F[1], 20, 1e-7);
    ladder.least = ladder.first;
    F[0] = 7;
    column = search(&ladder, &f, F);
    ck_assert(isinf(column.estimate) && F[0] == 7);
}
END_TEST

START_TEST(a_difference_that_is_not_finite_is_never_taken)
{
    double F = 0, estimate = INFINITY, wide = 1, narrow = NAN;
    ck_assert(!trxi_richardson_offer(1, &wide, &narrow, 0, &F, &estimate));
    ck_assert(isinf(estimate) && F == 0);
    narrow = 1.25;
    ck_assert(trxi_richardson_offer(1, &wide, &narrow, 0.5, &F, &estimate));
    ck_assert(estimate == 0.75 && F == 4. / 3);
    ck_assert(!trxi_richardson_offer(1, &wide, &narrow, 0.5, &F, &estimate));
}
END_TEST

static trx_status fails(void *data, double e, double *D, bool *smooth)
{
    (void)data, (void)e, (void)D, (void)smooth;
    return TRX_ERR_NOT_FINITE;
}

// increments and their bound fall to 0 by underflow: the search had no end
START_TEST(increments_that_underflow_end_the_search)
{
    static const trxi_ladder tiny = {.first = 1e-322, .least = 0, .shrink = 0.1, .patience = INFINITY};
    smooth_function f = {.corner = INFINITY};
    double F[3];
    search(&tiny, &f, F);
    ck_assert_int_lt(f.calls, 20);
}
END_TEST

START_TEST(a_difference_that_fails_ends_the_search)
{
    double F, scratch[TRXI_COLUMN_SCRATCH];
    trxi_column column = {.rows = 1, .F = &F, .scratch = scratch};
    ck_assert_int_eq(trxi_richardson_column(&decades, fails, NULL, &column), TRX_ERR_NOT_FINITE);
}
END_TEST

// A row is judged by its own size, not beside stiffer ones; a column of a derivative likewise, down to a thousandth.
START_TEST(an_error_is_measured_by_its_column)
{
    const double F[6] = {2, -1, 1e-2, 0, 1e-6, 0}, D[6] = {2, -1, 1.01e-2, 0, 1e-6, 4e-7}, sure[3] = {0}, unsure[3] = {0, 1, 0};
    trxi_verdict v = trxi_judge(2, 3, D, F, sure, 0);
    assert_close(v.error, 1e-2, 1e-12);
    ck_assert(v.row == 0 && v.column == 1 && v.judged == 3 && v.left == 0);
    v = trxi_judge(2, 3, D, F, unsure, 0);
    assert_close(v.error, 4e-7 / 2e-3, 1e-12);
    ck_assert(v.row == 1 && v.column == 2 && v.judged == 2 && v.left == 1);
    v = trxi_judge(2, 3, D, F, NULL, 1);
    assert_close(v.error, 1e-4, 1e-12);
    ck_assert_int_eq(v.judged, 3);

    double wrong[6];
    for (int i = 0; i < 6; i++) wrong[i] = i == 3 ? NAN : D[i];
    v = trxi_judge(2, 3, wrong, F, sure, 0);
    ck_assert(isinf(v.error) && v.row == 1 && v.column == 1);
}
END_TEST

// |x| at its corner: D(e) and D(e/2) do not agree, and the column is left
START_TEST(a_column_with_a_large_error_is_left)
{
    double F = 0, estimate = INFINITY;
    const double e = 1e-3, x = 1e-4, wide = (fabs(x + e) - fabs(x - e)) / (2 * e), narrow = (fabs(x + e / 2) - fabs(x - e / 2)) / e;
    ck_assert(trxi_richardson_offer(1, &wide, &narrow, 0, &F, &estimate));
    const double D = 1;
    trxi_verdict v = trxi_judge(1, 1, &D, &F, &estimate, 0);
    ck_assert(v.judged == 0 && v.left == 1);
    estimate = INFINITY;
    v = trxi_judge(1, 1, &D, &F, &estimate, 0);
    ck_assert(v.judged == 0 && v.left == 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("verify/richardson");
    TCase *cases = tcase_create("richardson");
    tcase_add_test(cases, the_extrapolation_of_a_smooth_function_is_exact);
    tcase_add_test(cases, an_error_that_is_small_enough_ends_the_search);
    tcase_add_test(cases, differences_across_a_kink_are_taken_only_when_there_is_nothing_else);
    tcase_add_test(cases, a_confirmed_search_takes_no_increment_alone);
    tcase_add_test(cases, a_difference_that_is_not_finite_is_never_taken);
    tcase_add_test(cases, increments_that_underflow_end_the_search);
    tcase_add_test(cases, a_difference_that_fails_ends_the_search);
    tcase_add_test(cases, an_error_is_measured_by_its_column);
    tcase_add_test(cases, a_column_with_a_large_error_is_left);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
