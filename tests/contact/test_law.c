// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Impulses of the convex approximations (theory 4): gradient of a potential, Hessian, Coulomb's law in the limit, borders of the
// regions. Slopes of rigid laws without a potential, and distances to the borders of all laws that project on a cone.

#include "contact/problem.h"
#include "support/support.h"

#include "base/random.h"

#include <string.h>

static const double dt = 0.01;
enum { APPROXIMATIONS = TRX_SAP + 1, DRAWS = 4000 };

static void full(const trxi_sym3 *s, double G[9])
{
    const double rows[9] = {s->xx, s->xy, s->xn, s->xy, s->yy, s->yn, s->xn, s->yn, s->nn};
    memcpy(G, rows, sizeof rows);
}

// relative velocities over several magnitudes, near the velocity at which the contact opens
static void draw_velocity(const trxi_row_block *c, uint64_t seed, double v[3])
{
    double speed = pow(10, -5 + 5 * trxi_random_uniform(seed, 50));
    for (uint64_t i = 0; i < 3; i++) v[i] = speed * trxi_random_normal(seed, 60 + i);
    v[2] += (0.5 + 0.7 * trxi_random_uniform(seed, 51)) * -c->phi0 / dt;
}

// integral of n from `low` to `high` by Simpson's rule on 2000 intervals
static double integral(const trxi_row_block *c, double low, double high)
{
    const int n = 2000;
    double h = (high - low) / n, sum = 0;
    for (int i = 0; i <= n; i++) {
        double weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
        sum += weight * normal_impulse(c->contact.material, dt, c->phi0, low + i * h).n;
    }
    return sum * h / 3;
}

// the potential, up to a constant, as theory 4 gives it
static double potential(const trxi_row_block *c, const double v[3])
{
    double slip = sqrt(v[0] * v[0] + v[1] * v[1] + c->soft * c->soft) - c->soft, mu = c->contact.mu;
    switch (c->contact.material->approximation) {
    case TRX_LAGGED:
    case TRX_LAGGED_REGULARIZED:
        return mu * c->contact.gn0 * slip - integral(c, 0, v[2]);
    case TRX_SIMILAR:
    case TRX_SIMILAR_REGULARIZED:
        return -integral(c, 0, v[2] - mu * slip);
    case TRX_SAP: {
        const trxi_sap_constants *s = &c->contact.sap;
        trxi_row_state e = row_at(c, v);
        return 0.5 * (s->Rt * (e.gamma[0] * e.gamma[0] + e.gamma[1] * e.gamma[1]) + s->Rn * e.gamma[2] * e.gamma[2]);
    }
    }
    return NAN;
}

START_TEST(the_impulse_is_minus_the_gradient_of_the_potential)
{
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (uint64_t i = 0; i < 60; i++) {
            trx_pair_law material;
            trxi_row_block c = random_contact((trx_approximation)a, i, &material);
            material.force_law = a == TRX_SAP ? TRX_KELVIN_VOIGT : TRX_SMOOTHED; // smooth enough for the quadrature
            material.dissipation = 0;
            material.smoothing = 3e-3;
            c.soft = 0.05;
            double v[3], scale = 0;
            draw_velocity(&c, i, v);
            trxi_row_state e = row_at(&c, v);
            for (int k = 0; k < 3; k++) scale = fmax(scale, fabs(e.gamma[k]));
            const double h = a == TRX_SAP ? 1e-3 * fmin(hypot(v[0], v[1]), 0.1) : 1e-4;
            for (int k = 0; k < 3; k++) {
                double plus[3] = {v[0], v[1], v[2]}, minus[3] = {v[0], v[1], v[2]};
                plus[k] += h, minus[k] -= h;
                trxi_row_state p = row_at(&c, plus), m = row_at(&c, minus);
                if (p.branch != e.branch || m.branch != e.branch) continue;
                assert_close(e.gamma[k], -(potential(&c, plus) - potential(&c, minus)) / (2 * h), 1e-5 * (scale + 1e-6));
            }
        }
}
END_TEST

// steps of 1e-4 of the smallest scale of the function around v
static double increment(const trxi_row_block *c, const double v[3])
{
    double slip = hypot(v[0], v[1]);
    double scale = c->contact.material->approximation == TRX_SAP ? fmax(slip, 1e-6) : hypot(slip, c->soft);
    if (c->contact.material->force_law == TRX_SMOOTHED) scale = fmin(scale, c->contact.material->smoothing / dt);
    return 1e-4 * fmin(scale, 1);
}

START_TEST(the_hessian_is_the_derivative_of_the_impulse)
{
    int judged[APPROXIMATIONS] = {0}, branches = 0;
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (uint64_t i = 0; i < DRAWS; i++) {
            trx_pair_law material;
            trxi_row_block c = random_contact((trx_approximation)a, i, &material);
            double v[3], G[9], h;
            draw_velocity(&c, i, v);
            trxi_row_state e = row_at(&c, v);
            full(&e.G, G);
            h = increment(&c, v);
            double size = max_magnitude(G, 9), worst = 0;
            bool smooth = true;
            for (int k = 0; k < 3; k++) {
                double plus[3] = {v[0], v[1], v[2]}, minus[3] = {v[0], v[1], v[2]};
                plus[k] += h, minus[k] -= h;
                trxi_row_state p = row_at(&c, plus), m = row_at(&c, minus);
                smooth = smooth && p.branch == e.branch && m.branch == e.branch;
                for (int r = 0; r < 3; r++)
                    worst = fmax(worst, fabs(G[r + 3 * k] + (p.gamma[r] - m.gamma[r]) / (2 * h)));
            }
            if (!smooth) continue;
            judged[a]++;
            branches |= 1 << e.branch;
            double rounding = 1e-15 * max_magnitude(e.gamma, 3) / h;
            assert_below(worst, 2e-6 * size + 10 * rounding + 1e-12);
        }
    for (int a = 0; a < APPROXIMATIONS; a++) ck_assert_int_ge(judged[a], DRAWS / 2);

    // open, pressed without and with brake, stick and slide of sap
    ck_assert_int_eq(branches & (1 | 1 << 1 | 1 << 3 | 1 << TRXI_SAP_STICK | 1 << TRXI_SAP_SLIDE),
                     1 | 1 << 1 | 1 << 3 | 1 << TRXI_SAP_STICK | 1 << TRXI_SAP_SLIDE);
}
END_TEST

START_TEST(the_hessian_is_positive_semidefinite)
{
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (uint64_t i = 0; i < DRAWS; i++) {
            trx_pair_law material;
            trxi_row_block c = random_contact((trx_approximation)a, i, &material);
            double v[3], G[9];
            draw_velocity(&c, i, v);
            trxi_row_state e = row_at(&c, v);
            full(&e.G, G);
            double size = max_magnitude(G, 9);

            // the principal minors are not negative
            double m2 = G[0] * G[4] - G[1] * G[1], m2n = G[0] * G[8] - G[2] * G[2], m2m = G[4] * G[8] - G[5] * G[5];
            double det = G[0] * m2m - G[1] * (G[1] * G[8] - G[5] * G[2]) + G[2] * (G[1] * G[5] - G[4] * G[2]);
            ck_assert(G[0] >= 0 && G[4] >= 0 && G[8] >= 0);
            ck_assert(m2 >= -1e-14 * size * size && m2n >= -1e-14 * size * size && m2m >= -1e-14 * size * size);
            ck_assert(det >= -1e-13 * size * size * size);
        }
}
END_TEST

START_TEST(impulses_push_and_stay_in_their_cone)
{
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (uint64_t i = 0; i < DRAWS; i++) {
            trx_pair_law material;
            trxi_row_block c = random_contact((trx_approximation)a, i, &material);
            double v[3];
            draw_velocity(&c, i, v);
            trxi_row_state e = row_at(&c, v);
            bool lagged = a == TRX_LAGGED || a == TRX_LAGGED_REGULARIZED;
            double limit = c.contact.mu * (lagged ? c.contact.gn0 : e.gamma[2]);
            ck_assert(e.gamma[2] >= 0);
            ck_assert(hypot(e.gamma[0], e.gamma[1]) <= limit * (1 + 1e-12));

            // friction opposes slip
            ck_assert(e.gamma[0] * v[0] + e.gamma[1] * v[1] <= 0);
            assert_close(e.gamma[0] * v[1], e.gamma[1] * v[0], 1e-12 * (1e-300 + limit * hypot(v[0], v[1])));
        }
}
END_TEST

START_TEST(fast_slip_meets_the_full_friction_force)
{
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (uint64_t i = 0; i < 200; i++) {
            trx_pair_law material;
            trxi_row_block c = random_contact((trx_approximation)a, i, &material);
            c.soft = 1e-4;
            const double v[3] = {30, -40, -1};
            trxi_row_state e = row_at(&c, v);
            bool lagged = a == TRX_LAGGED || a == TRX_LAGGED_REGULARIZED;
            double limit = c.contact.mu * (lagged ? c.contact.gn0 : e.gamma[2]);
            assert_close(e.gamma[0], -0.6 * limit, 1e-10 * limit);
            assert_close(e.gamma[1], 0.8 * limit, 1e-10 * limit);
        }
}
END_TEST

START_TEST(without_friction_only_the_normal_acts)
{
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (uint64_t i = 0; i < 500; i++) {
            trx_pair_law material;
            trxi_row_block c = random_contact((trx_approximation)a, i, &material);
            c.contact.mu = 0;
            double v[3];
            draw_velocity(&c, i, v);
            trxi_row_state e = row_at(&c, v);
            ck_assert(e.gamma[0] == 0 && e.gamma[1] == 0);
            ck_assert(e.G.xx == 0 && e.G.xy == 0 && e.G.yy == 0 && e.G.xn == 0 && e.G.yn == 0 && e.G.nn >= 0);
            double expected = a == TRX_SAP ? fmax(0, (c.contact.sap.v_hat - v[2]) / c.contact.sap.Rn)
                                           : normal_impulse(c.contact.material, dt, c.phi0, v[2]).n;
            assert_close(e.gamma[2], expected, 1e-13 * fabs(expected));
        }
}
END_TEST

// impulses are continuous across the borders of sap's regions, and on a border the closed side decides
START_TEST(sap_is_continuous_and_takes_the_closed_side_on_borders)
{
    for (uint64_t i = 0; i < 500; i++) {
        trx_pair_law material;
        trxi_row_block c = random_contact(TRX_SAP, i, &material);
        c.contact.mu = 0.2 + trxi_random_uniform(i, 99);
        const trxi_sap_constants s = c.contact.sap;
        const double mu = c.contact.mu, mu_hat = mu * s.Rt / s.Rn, yr = 0.3;

        // y_r = mu y_n, a little inside and outside
        double stick[2][3], open[2][3];
        for (int side = 0; side < 2; side++) {
            double off = side ? 1e-9 : -1e-9;
            stick[side][0] = -s.Rt * yr, stick[side][1] = 0, stick[side][2] = s.v_hat - s.Rn * (yr / mu + off);
            open[side][0] = -s.Rt * yr, open[side][1] = 0, open[side][2] = s.v_hat + s.Rn * (mu_hat * yr + off);
        }
        trxi_row_state out = row_at(&c, stick[0]), in = row_at(&c, stick[1]);
        ck_assert_int_eq(out.branch, TRXI_SAP_SLIDE);
        ck_assert_int_eq(in.branch, TRXI_SAP_STICK);
        assert_below(max_difference(out.gamma, in.gamma, 3), 1e-8);
        trxi_row_state pressed = row_at(&c, open[0]), off = row_at(&c, open[1]);
        ck_assert_int_eq(pressed.branch, TRXI_SAP_SLIDE);
        ck_assert_int_eq(off.branch, 0);
        assert_below(max_difference(pressed.gamma, off.gamma, 3), 1e-8);

        // exactly at rest at v_hat: nothing acts, everything is finite
        const double still[3] = {0, 0, s.v_hat};
        trxi_row_state rest = row_at(&c, still);
        ck_assert(rest.gamma[0] == 0 && rest.gamma[1] == 0 && rest.gamma[2] == 0);
        ck_assert(isfinite(rest.G.xx) && isfinite(rest.G.xn) && isfinite(rest.G.nn));
    }
}
END_TEST

// with e of kilometres a second, |x|_s = |x|^2 / 2e still has all its digits
START_TEST(a_huge_soft_norm_loses_no_digits)
{
    trx_pair_law material;
    trxi_row_block c = random_contact(TRX_SIMILAR_REGULARIZED, 1, &material);
    material.force_law = TRX_HUNT_CROSSLEY;
    material.stiffness = 1e12, material.dissipation = 0, c.contact.mu = 1;
    c.soft = 1e5, c.phi0 = 0;
    const double v[3] = {0.3, 0.4, 0};
    trxi_row_state e = row_at(&c, v);
    assert_close(e.gamma[2], 1e12 * dt * dt * 0.25 / 2e5, 1e-10 * e.gamma[2]);
}
END_TEST

// ---- all laws ----

static trxi_row_state filled(const double v[3])
{
    return (trxi_row_state){{v[0], v[1], v[2]}, {7, 7, 7}, {7, 7, 7, 7, 7, 7}, 77};
}

// the impulse depends on the velocity alone, not on what the state held before
START_TEST(an_impulse_sets_the_whole_state)
{
    static const trxi_law *const of[] = {&trxi_ccp, &trxi_ncp, &trxi_lcp, &trxi_dojo, &trxi_raisim, &trxi_first_order, &trxi_turn};
    enum { CONTACTS = TRX_SAP + 1 + sizeof of / sizeof *of };
    for (int i = 0; i < 2000; i++) {
        trx_pair_law material;
        trxi_law_settings settings = law_settings(1e-4);
        settings.compliance = 1e-3, settings.kappa = 1e-3;
        const int kind = i % CONTACTS;
        trxi_row_block c = random_contact(kind <= TRX_SAP ? (trx_approximation)kind : TRX_SAP, (uint64_t)i, &material);
        trxi_level_error error = {0};
        double v[3];
        if (kind > TRX_SAP) c.law = of[kind - TRX_SAP - 1], c.law->prepare(&c, &settings);
        if (c.law->hold) c.law->hold(&c, (const double[3]){0, 0, 1}, 0.1, &error);
        draw_velocity(&c, (uint64_t)i, v);
        trxi_row_state clean = {.v_c = {v[0], v[1], v[2]}}, full_of = filled(v);
        c.law->impulse(&c, dt, &clean);
        c.law->impulse(&c, dt, &full_of);
        double G[2][9];
        full(&clean.G, G[0]), full(&full_of.G, G[1]);
        const bool same = memcmp(clean.gamma, full_of.gamma, sizeof clean.gamma) == 0 && memcmp(G[0], G[1], sizeof G[0]) == 0;
        ck_assert_msg(same && clean.branch == full_of.branch, "%s", c.law->name);
    }
}
END_TEST

// ---- torsional and rolling friction ----

// -length gn0 w/sqrt(w^2 + e^2) about the normal, and about the axes of the surface together
START_TEST(a_turn_is_braked_by_the_lengths_of_the_material)
{
    for (int i = 0; i < 200; i++) {
        trx_pair_law material;
        const uint64_t seed = (uint64_t)i;
        trxi_row_block c = random_contact(TRX_LAGGED, seed, &material);
        const trxi_law_settings settings = law_settings(1e-4);
        material.rolling_friction = 0.01 * trxi_random_uniform(seed, 70);
        material.torsional_friction = 0.02 * trxi_random_uniform(seed, 71);
        c.law = &trxi_turn;
        c.law->prepare(&c, &settings);
        double w[3], G[9];
        for (uint64_t k = 0; k < 3; k++) w[k] = c.soft * 3 * trxi_random_normal(seed, 72 + k);
        const trxi_row_state at = row_at(&c, w);
        const double e = settings.joint_stiction_tolerance, S = sqrt(w[0] * w[0] + w[1] * w[1] + e * e), Sn = hypot(w[2], e);
        const double roll = material.rolling_friction * c.contact.gn0, twist = material.torsional_friction * c.contact.gn0;
        const double expected[3] = {-roll * w[0] / S, -roll * w[1] / S, -twist * w[2] / Sn};
        const double slopes[9] = {roll / S * (1 - w[0] * w[0] / (S * S)), -roll * w[0] * w[1] / (S * S * S), 0,
                                  -roll * w[0] * w[1] / (S * S * S), roll / S * (1 - w[1] * w[1] / (S * S)), 0, 0, 0,
                                  twist * e * e / (Sn * Sn * Sn)};
        full(&at.G, G);
        assert_close(max_difference(at.gamma, expected, 3), 0, 1e-14 * (roll + twist));
        assert_close(max_difference(G, slopes, 9), 0, 1e-13 * (roll + twist) / e);
        ck_assert_int_eq(at.branch, c.contact.gn0 > 0 ? TRXI_TURN_ACTS : 0);
    }
}
END_TEST

// ---- laws without a potential, borders of projections ----

static trxi_law_settings rigid_settings(void)
{
    trxi_law_settings settings = law_settings(0);
    settings.compliance = 1e-3, settings.kappa = 1e-3;
    return settings;
}

// a contact of a law of rigid contact at a velocity within reach of its borders
static trxi_row_block rigid_contact(const trxi_law *law, uint64_t seed, trx_pair_law *material)
{
    const trxi_law_settings settings = rigid_settings();
    trxi_row_block c = random_contact(TRX_SAP, seed, material);
    c.law = law;
    law->prepare(&c, &settings);
    const bool dojo = law == &trxi_dojo;
    const double Rt = dojo ? 0.1 : c.contact.sap.Rt, Rn = dojo ? 0.1 : c.contact.sap.Rn;
    for (uint64_t k = 0; k < 3; k++) c.at.v_c[k] = (k < 2 ? Rt : Rn) * trxi_random_normal(seed, 60 + k);
    c.at.v_c[2] += c.contact.sap.v_hat + (dojo ? 6 : -0.5) * Rn;
    c.at = row_at(&c, c.at.v_c);
    return c;
}

START_TEST(the_slope_of_a_law_without_a_potential_is_the_derivative_of_its_impulse)
{
    static const trxi_law *const of[] = {&trxi_ncp, &trxi_lcp, &trxi_dojo};
    const trxi_law *law = of[_i];
    int judged = 0, turned = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        trx_pair_law material;
        const trxi_row_block c = rigid_contact(law, i, &material);
        if (!isfinite(c.at.gamma[2])) continue;
        trxi_sym3 G;
        double skew[3] = {0}, M[9], worst = 0;
        law->slope(&c, &G, skew);
        full(&G, M);
        M[1] += skew[2], M[2] -= skew[1], M[5] += skew[0]; // columns of [skew]x
        M[3] -= skew[2], M[6] += skew[1], M[7] -= skew[0];
        const double h = 1e-5 * (law == &trxi_dojo ? c.at.v_c[2] - c.contact.sap.v_hat : hypot(c.at.v_c[0], c.at.v_c[1]));
        bool smooth = true;
        for (int k = 0; k < 3; k++) {
            double plus[3], minus[3];
            for (int r = 0; r < 3; r++) plus[r] = c.at.v_c[r] + (r == k ? h : 0), minus[r] = c.at.v_c[r] - (r == k ? h : 0);
            const trxi_row_state p = row_at(&c, plus), m = row_at(&c, minus);
            smooth = smooth && p.branch == c.at.branch && m.branch == c.at.branch;
            for (int r = 0; r < 3; r++) worst = fmax(worst, fabs(M[r + 3 * k] + (p.gamma[r] - m.gamma[r]) / (2 * h)));
        }
        if (!smooth) continue;
        const double rounding = 1e-15 * max_magnitude(c.at.gamma, 3) / h;
        ck_assert_msg(worst <= 1e-6 * max_magnitude(M, 9) + 10 * rounding, "%s, seed %d: %g", law->name, (int)i, worst);
        judged++, turned += max_magnitude(skew, 3) > 0;
    }
    ck_assert(judged > DRAWS / 4 && turned > DRAWS / 16);
}
END_TEST

// a change of the gap below the distance to a kink keeps the branch; a slightly larger change, up or down, changes the branch
START_TEST(the_distance_to_a_kink_is_the_change_of_the_gap_that_changes_the_branch)
{
    static const trxi_law *const of[] = {&trxi_sap, &trxi_ccp, &trxi_ncp, &trxi_lcp};
    const trxi_law *law = of[_i];
    const trxi_law_settings settings = rigid_settings();
    int branches[3] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        trx_pair_law material;
        const trxi_row_block c = rigid_contact(law, i, &material);
        const double distance = law->kink(&c, &settings);
        if (distance > fabs(c.phi0) && law != &trxi_sap) continue; // a penetration begins or ends before
        int changed = 0;
        for (int k = 0; k < 4; k++) {
            trxi_row_block moved = c;
            moved.phi0 += (k % 2 ? -1 : 1) * distance * (k < 2 ? 0.999 : 1.001);
            law->prepare(&moved, &settings);
            const trxi_row_state at = row_at(&moved, c.at.v_c);
            const bool differs = at.branch != c.at.branch || (moved.decided ^ c.decided) & TRXI_BEHIND;
            ck_assert_msg(k >= 2 || !differs, "%s, seed %d: a border within %g", law->name, (int)i, distance);
            changed += differs;
        }
        ck_assert_msg(changed > 0, "%s, seed %d: no border at %g", law->name, (int)i, distance);
        branches[c.at.branch & TRXI_SAP_STICK ? 2 : c.at.branch ? 1 : 0]++;
    }
    ck_assert(branches[0] > 100 && branches[1] > 100 && branches[2] > 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/law");
    TCase *cases = tcase_create("law");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, the_impulse_is_minus_the_gradient_of_the_potential);
    tcase_add_test(cases, the_hessian_is_the_derivative_of_the_impulse);
    tcase_add_test(cases, the_hessian_is_positive_semidefinite);
    tcase_add_test(cases, impulses_push_and_stay_in_their_cone);
    tcase_add_test(cases, fast_slip_meets_the_full_friction_force);
    tcase_add_test(cases, without_friction_only_the_normal_acts);
    tcase_add_test(cases, sap_is_continuous_and_takes_the_closed_side_on_borders);
    tcase_add_test(cases, a_huge_soft_norm_loses_no_digits);
    tcase_add_test(cases, an_impulse_sets_the_whole_state);
    tcase_add_test(cases, a_turn_is_braked_by_the_lengths_of_the_material);
    tcase_add_loop_test(cases, the_slope_of_a_law_without_a_potential_is_the_derivative_of_its_impulse, 0, 3);
    tcase_add_loop_test(cases, the_distance_to_a_kink_is_the_change_of_the_gap_that_changes_the_branch, 0, 4);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
