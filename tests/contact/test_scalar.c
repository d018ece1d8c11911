// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rows with one impulse (theory 4): closed forms, monotone, and G the negative slope.

#include "contact/scalar.h"
#include "support/support.h"

#include <check.h>

static const double dt = 0.01;

static double impulse(const trxi_scalar *row, double v_c)
{
    double gamma, G;
    int branch;
    trxi_scalar_impulse(row, dt, v_c, &gamma, &G, &branch);
    return gamma;
}

static void rows_of_each_kind(trxi_scalar rows[4])
{
    rows[0] = (trxi_scalar){.kind = TRXI_LIMIT, .R = 0.02, .v_hat = 0.3};
    rows[1] = (trxi_scalar){.kind = TRXI_EQUALITY, .R = 0.02, .v_hat = -0.2};
    rows[2] = (trxi_scalar){.kind = TRXI_DRIVE, .f0 = 3, .slope = 10, .lower = -6, .upper = 4};
    rows[3] = (trxi_scalar){.kind = TRXI_DRY_FRICTION, .most = 2, .soft = 0.05};
}

START_TEST(impulses_never_grow_with_velocity_and_G_is_their_slope)
{
    trxi_scalar rows[4];
    rows_of_each_kind(rows);
    int judged[4] = {0};
    for (int k = 0; k < 4; k++)
        for (double v = -1.5; v < 1.5; v += 0.013) {
            double gamma, G, h = 1e-6, low = impulse(&rows[k], v - h), high = impulse(&rows[k], v + h);
            int branch, branch_low, branch_high;
            double unused;
            trxi_scalar_impulse(&rows[k], dt, v, &gamma, &G, &branch);
            trxi_scalar_impulse(&rows[k], dt, v - h, &unused, &unused, &branch_low);
            trxi_scalar_impulse(&rows[k], dt, v + h, &unused, &unused, &branch_high);
            ck_assert(low >= gamma && gamma >= high && G >= 0);
            if (branch_low != branch || branch_high != branch) continue;
            assert_close(G, (low - high) / (2 * h), 1e-7 * (1 + G));
            judged[k] += G > 0;
        }
    for (int k = 0; k < 4; k++) ck_assert_int_gt(judged[k], 30);
}
END_TEST

START_TEST(a_limit_only_pushes)
{
    trxi_scalar rows[4];
    rows_of_each_kind(rows);
    ck_assert(impulse(&rows[0], 0.31) == 0 && impulse(&rows[0], 0.3) == 0);
    assert_close(impulse(&rows[0], 0.1), 10, 1e-14);
    assert_close(impulse(&rows[1], 0.3), -25, 1e-14);
}
END_TEST

START_TEST(a_drive_gives_its_effort_and_no_more)
{
    trxi_scalar rows[4];
    rows_of_each_kind(rows);
    assert_close(impulse(&rows[2], 0.2), dt * 1, 1e-16);
    assert_close(impulse(&rows[2], -1), dt * 4, 1e-16);
    assert_close(impulse(&rows[2], 2), dt * -6, 1e-16);
}
END_TEST

START_TEST(dry_friction_saturates_and_opposes)
{
    trxi_scalar rows[4];
    rows_of_each_kind(rows);
    assert_close(impulse(&rows[3], 5), -dt * 2, 1e-6);
    assert_close(impulse(&rows[3], -5), dt * 2, 1e-6);
    assert_close(impulse(&rows[3], 0.05), -dt * 2 / sqrt(2), 1e-15);
    ck_assert(impulse(&rows[3], 0) == 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/scalar");
    TCase *cases = tcase_create("scalar");
    tcase_add_test(cases, impulses_never_grow_with_velocity_and_G_is_their_slope);
    tcase_add_test(cases, a_limit_only_pushes);
    tcase_add_test(cases, a_drive_gives_its_effort_and_no_more);
    tcase_add_test(cases, dry_friction_saturates_and_opposes);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
