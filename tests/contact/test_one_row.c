// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Laws of one row (theory 4): closed forms, monotone, and G the negative slope.

#include "contact/row_block.h"
#include "support/support.h"

#include <check.h>

enum { KINDS = 6 };
static const double dt = 0.01;

static trxi_row_state at_velocity(const trxi_row_block *row, double v_c)
{
    trxi_row_state at = {.v_c = {v_c}};
    row->law->impulse(row, dt, &at);
    return at;
}

static double impulse(const trxi_row_block *row, double v_c)
{
    return at_velocity(row, v_c).gamma[0];
}

static void rows_of_each_kind(trxi_row_block rows[KINDS])
{
    rows[0] = (trxi_row_block){.law = &trxi_limit, .n = 1, .compliant = {.R = 0.02, .v_hat = 0.3}};
    rows[1] = (trxi_row_block){.law = &trxi_equality, .n = 1, .compliant = {.R = 0.02, .v_hat = -0.2}};
    rows[2] = (trxi_row_block){.law = &trxi_drive, .n = 1, .drive = {.f0 = 3, .slope = 10, .lower = -6, .upper = 4}};
    rows[3] = (trxi_row_block){.law = &trxi_dry_friction, .n = 1, .most = 2, .soft = 0.05};
    rows[4] = (trxi_row_block){.law = &trxi_limit, .n = 1, .compliant = {.R = 0.02, .v_hat = 70}};
    const trxi_pull pull = {.strength = 30, .strength_w = 50, .rate = 0.9, .most = 1.3, .room = INFINITY};
    rows[5] = (trxi_row_block){.law = &trxi_drive, .n = 1,
                               .drive = {.f0 = -2, .slope = 0.1, .lower = -38, .upper = -3, .pull = pull}};
}

START_TEST(impulses_never_grow_with_velocity_and_G_is_their_slope)
{
    trxi_row_block rows[KINDS];
    rows_of_each_kind(rows);
    int judged[KINDS] = {0};
    for (int k = 0; k < KINDS; k++)
        for (double share = -1.5; share < 1.5; share += 0.013) {
            const double h = 1e-6, v = k == 4 ? 10 * share : share;
            const trxi_row_state at = at_velocity(&rows[k], v);
            const trxi_row_state low = at_velocity(&rows[k], v - h), high = at_velocity(&rows[k], v + h);
            ck_assert(low.gamma[0] >= at.gamma[0] && at.gamma[0] >= high.gamma[0] && at.G.xx >= 0);
            if (low.branch != at.branch || high.branch != at.branch) continue;
            assert_close(at.G.xx, (low.gamma[0] - high.gamma[0]) / (2 * h), 1e-7 * (1 + at.G.xx));
            judged[k] += at.G.xx > 0;
        }
    for (int k = 0; k < KINDS; k++) ck_assert_int_gt(judged[k], 30);
}
END_TEST

START_TEST(a_limit_only_pushes)
{
    trxi_row_block rows[KINDS];
    rows_of_each_kind(rows);
    ck_assert(impulse(&rows[0], 0.31) == 0 && impulse(&rows[0], 0.3) == 0);
    assert_close(impulse(&rows[0], 0.1), 10, 1e-14);
    assert_close(impulse(&rows[1], 0.3), -25, 1e-14);
}
END_TEST

// the distance of a limit is half of the way that its coordinate covers: the coordinate also changes the velocity v_hat
START_TEST(the_distance_to_a_kink_is_the_way_to_the_speed_that_changes_the_branch)
{
    const trxi_law_settings settings = {.dt = dt};
    trxi_row_block rows[KINDS];
    rows_of_each_kind(rows);
    const double limit_ends = 0.3, drive_ends[2] = {-0.1, 0.9}; // there 3 - 10 v reaches the efforts 4 and -6
    ck_assert_int_ne(at_velocity(&rows[0], limit_ends - 1e-9).branch, at_velocity(&rows[0], limit_ends + 1e-9).branch);
    for (int i = 0; i < 2; i++)
        ck_assert_int_ne(at_velocity(&rows[2], drive_ends[i] - 1e-9).branch, at_velocity(&rows[2], drive_ends[i] + 1e-9).branch);
    for (double v = -1.5; v < 1.5; v += 0.07) {
        rows[0].at = at_velocity(&rows[0], v);
        rows[2].at = at_velocity(&rows[2], v);
        assert_close(rows[0].law->kink(&rows[0], &settings), 2 * dt * fabs(limit_ends - v), 1e-15);
        assert_close(rows[2].law->kink(&rows[2], &settings), dt * fmin(fabs(drive_ends[0] - v), fabs(drive_ends[1] - v)), 1e-15);
    }
}
END_TEST

// theory 4: near-rigid where 1/(h k (h + tau)) is below beta^2/(4 pi^2) w
START_TEST(a_row_is_near_rigid_where_its_compliance_is_below_the_bound)
{
    const trxi_law_settings settings = {.dt = dt, .near_rigid = 1};
    const trxi_law *const laws[] = {&trxi_limit, &trxi_equality};
    for (int i = 0; i < 2; i++)
        for (double relaxation = 0; relaxation < 1; relaxation += 0.25)
            for (double share = 0.9; share < 1.2; share += 0.2) {
                const double stiffness = 1e4, compliance = 1 / (dt * stiffness * (dt + relaxation)), pi = acos(-1);
                trxi_row_block row = {.law = laws[i], .n = 1, .phi0 = -1e-3, .w = share * compliance * 4 * pi * pi};
                row.compliant = (trxi_compliant){.stiffness = stiffness, .relaxation_time = relaxation};
                row.law->prepare(&row, &settings);
                ck_assert_int_eq((row.decided & TRXI_RIGID) != 0, share > 1);
                assert_close(row.compliant.R, fmax(1, share) * compliance, 1e-12 * compliance);
            }
}
END_TEST

// an equality with the relaxation time 0, whose near-rigid bound is `share` times its compliance at w = 2
static trxi_row_block stiff_row(double share, double w, double gap)
{
    const trxi_law_settings settings = {.dt = dt, .near_rigid = 1};
    const double pi = acos(-1), bound = 2 / (4 * pi * pi);
    trxi_row_block row = {.law = &trxi_equality, .n = 1, .phi0 = gap, .w = w};
    row.compliant.stiffness = share / (bound * dt * dt);
    row.law->prepare(&row, &settings);
    row.at.v_c[0] = 0.03;
    row.law->impulse(&row, dt, &row.at);
    return row;
}

// the time in which a gap closes doubled where the near-rigid bound began to decide
START_TEST(the_law_of_an_equality_is_continuous_where_the_bound_begins_to_decide)
{
    const trxi_row_block below = stiff_row(1 - 1e-9, 2, 1e-3), above = stiff_row(1 + 1e-9, 2, 1e-3);
    ck_assert(below.decided == 0 && above.decided == (TRXI_RIGID | TRXI_GROWS));
    assert_close(above.at.gamma[0], below.at.gamma[0], 1e-8 * fabs(below.at.gamma[0]));
    const trxi_row_block end = stiff_row(2 - 1e-9, 2, 1e-3), beyond = stiff_row(2 + 1e-9, 2, 1e-3);
    ck_assert(end.decided == (TRXI_RIGID | TRXI_GROWS) && beyond.decided == TRXI_RIGID);
    assert_close(beyond.at.gamma[0], end.at.gamma[0], 1e-8 * fabs(end.at.gamma[0]));
    assert_close(beyond.compliant.horizon, 2 * dt, 1e-15);
}
END_TEST

// compliant, with a horizon that grows, and near-rigid; gaps with and without the bound of the speed
START_TEST(impulses_of_equalities_follow_w_as_their_partials_say)
{
    static const double shares[] = {0.7, 1.2, 1.8, 3}, gaps[] = {1e-3, -0.3};
    const trxi_law_settings settings = {.dt = dt, .near_rigid = 1};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            const double e = 1e-5;
            const trxi_row_block row = stiff_row(shares[i], 2, gaps[k]);
            const double slope = (stiff_row(shares[i], 2 + e, gaps[k]).at.gamma[0] -
                                  stiff_row(shares[i], 2 - e, gaps[k]).at.gamma[0]) / (2 * e);
            trxi_law_partials partials;
            trxi_row_partials(&row, &settings, &partials);
            assert_close(partials.w[0], slope, 1e-7 * (1 + fabs(slope)));
            ck_assert((slope != 0) == (shares[i] > 1));
        }
}
END_TEST

// theory 4: the law of a limit up to 5, from there on straight to 0 at 10
START_TEST(a_limit_lets_go_of_what_returns_at_10)
{
    trxi_row_block rows[KINDS];
    rows_of_each_kind(rows);
    assert_close(impulse(&rows[4], 0), 3500, 1e-11);
    assert_close(impulse(&rows[4], 5), 3250, 1e-11);
    assert_close(impulse(&rows[4], 7.5), 1625, 1e-11);
    ck_assert(impulse(&rows[4], 10) == 0 && impulse(&rows[4], 20) == 0);
}
END_TEST

START_TEST(an_open_equality_asks_for_less_than_10_and_has_its_slope)
{
    static const double gaps[] = {-3, -0.4, -0.2, -1e-3, 0, 1e-6, 0.09, 0.11, 0.3, 5};
    const trxi_law_settings settings = {.dt = 0.01, .near_rigid = 1};
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        double gamma[3], v_hat = 0;
        trxi_law_partials partials;
        const double e = 1e-6;
        for (int k = 0; k < 3; k++) {
            // the middle last
            trxi_row_block row = {.law = &trxi_equality, .n = 1, .phi0 = gaps[i] + (k == 0 ? -e : k == 1 ? e : 0), .w = 2};
            row.compliant.stiffness = INFINITY;
            row.law->prepare(&row, &settings);
            row.at.v_c[0] = 0.3;
            row.law->impulse(&row, settings.dt, &row.at);
            gamma[k] = row.at.gamma[0], v_hat = row.compliant.v_hat;
            row.law->partials(&row, &settings, &partials);
        }
        ck_assert(fabs(v_hat) < 10 && v_hat * gaps[i] <= 0);
        if (fabs(gaps[i]) < 0.1) assert_close(v_hat, -gaps[i] / 0.02, 1e-13 * fabs(gaps[i]));
        const double slope = (gamma[1] - gamma[0]) / (2 * e);
        ck_assert_msg(fabs(partials.phi[0] - slope) <= 1e-6 * (fabs(slope) + 1e-3 / 0.02), "gap %g: %g, %g", gaps[i],
                      partials.phi[0], slope);
    }
}
END_TEST

START_TEST(a_drive_gives_its_effort_and_no_more)
{
    trxi_row_block rows[KINDS];
    rows_of_each_kind(rows);
    assert_close(impulse(&rows[2], 0.2), dt * 1, 1e-16);
    assert_close(impulse(&rows[2], -1), dt * 4, 1e-16);
    assert_close(impulse(&rows[2], 2), dt * -6, 1e-16);
}
END_TEST

START_TEST(dry_friction_saturates_and_opposes)
{
    trxi_row_block rows[KINDS];
    rows_of_each_kind(rows);
    assert_close(impulse(&rows[3], 5), -dt * 2, 1e-6);
    assert_close(impulse(&rows[3], -5), dt * 2, 1e-6);
    assert_close(impulse(&rows[3], 0.05), -dt * 2 / sqrt(2), 1e-15);
    ck_assert(impulse(&rows[3], 0) == 0);
}
END_TEST

// levels (theory 4): gamma = held + (v_hat - v)/R with held = (1 - R_law/R) gamma of the level before. An impulse that obeys the
// law stays
START_TEST(a_level_of_a_constraint_keeps_what_obeys_its_law)
{
    for (int i = 0; i < 50; i++) {
        const double gamma = 0.1 * (i - 20.5), w = 0.5, R_law = 1e-4 * (1 + i), least = 0.05, change = 0.3;
        trxi_row_block row = {.law = &trxi_equality, .n = 1, .w = w};
        row.compliant = (trxi_compliant){.R = R_law, .R_law = R_law, .v_hat = 0.7};
        trxi_row_state at = {.v_c = {0.7 - R_law * gamma}};
        trxi_level_error error = {0};
        trxi_equality.hold(&row, &gamma, least, &error);
        assert_close(row.compliant.R, least * w, 1e-16);
        trxi_equality.impulse(&row, 0.01, &at);
        assert_close(at.gamma[0], gamma, 1e-12);
        error = (trxi_level_error){0};
        trxi_equality.hold(&row, &gamma, least, &error);
        assert_close(error.shares, 0, 1e-28);

        // another impulse has an error: the energy of its change in the springs that the level adds
        const double other = gamma + change, missed = (least * w - R_law) * change;
        trxi_equality.hold(&row, &other, least, &error);
        assert_close(error.shares, missed * missed / w, 1e-12 * missed * missed / w);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/one_row");
    TCase *cases = tcase_create("one_row");
    tcase_add_test(cases, impulses_never_grow_with_velocity_and_G_is_their_slope);
    tcase_add_test(cases, a_limit_only_pushes);
    tcase_add_test(cases, the_distance_to_a_kink_is_the_way_to_the_speed_that_changes_the_branch);
    tcase_add_test(cases, a_row_is_near_rigid_where_its_compliance_is_below_the_bound);
    tcase_add_test(cases, the_law_of_an_equality_is_continuous_where_the_bound_begins_to_decide);
    tcase_add_test(cases, impulses_of_equalities_follow_w_as_their_partials_say);
    tcase_add_test(cases, a_limit_lets_go_of_what_returns_at_10);
    tcase_add_test(cases, an_open_equality_asks_for_less_than_10_and_has_its_slope);
    tcase_add_test(cases, a_drive_gives_its_effort_and_no_more);
    tcase_add_test(cases, dry_friction_saturates_and_opposes);
    tcase_add_test(cases, a_level_of_a_constraint_keeps_what_obeys_its_law);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
