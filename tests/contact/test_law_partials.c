// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Partial derivatives of the impulse at fixed v_c (theory 6, table): with respect to the gap, the lagged impulse, the effective
// inverse mass, friction and the normal velocity before the step, through every constant that the step derives from them. raisim
// and first_order are left out: their partials follow from the solution, not from `impulse`.

#include "contact/problem.h"
#include "support/support.h"

#include "base/random.h"

static const double dt = 0.01;
static const trxi_law *const laws[] = {&trxi_lagged, &trxi_lagged_regularized, &trxi_similar, &trxi_similar_regularized, &trxi_sap,
                                       &trxi_ccp, &trxi_ncp, &trxi_lcp, &trxi_dojo};
enum { LAWS = sizeof laws / sizeof *laws, DRAWS = 4000 };

typedef enum input { GAP, LAGGED_IMPULSE, INVERSE_MASS, FRICTION, SPEED_BEFORE, INPUTS } input;

static trxi_law_settings settings_of(const trxi_row_block *c)
{
    trxi_law_settings settings = law_settings(c->decided & TRXI_REGULARIZED ? 0 : c->soft);
    settings.compliance = 1e-3, settings.kappa = 1e-3;
    settings.sides = c->phi0 > 1e-3 ? 16 : 4;
    return settings;
}

// the impulse is clamped at a bound of friction
static bool is_projection(const trxi_law *law)
{
    return law == &trxi_sap || law == &trxi_ccp || law == &trxi_ncp || law == &trxi_lcp;
}

// a contact of the law; every other contact evaluates the law between start and end of the step
static trxi_row_block draw(const trxi_law *law, uint64_t seed, trx_pair_law *material)
{
    trx_approximation a = TRX_SAP;
    for (int k = 0; k <= TRX_SAP; k++)
        if (laws[k] == law) a = (trx_approximation)k;
    trxi_row_block c = random_contact(a, seed, material);
    const double th = 0.5 + 0.4 * trxi_random_uniform(seed, 52);
    if (trxi_random_bits(seed, 53) % 2) c.contact.between = (trxi_between){0.5 * dt * th, 0.5 * dt * th, th, 1 - th};
    c.law = law;
    const trxi_law_settings settings = settings_of(&c);
    law->prepare(&c, &settings);

    const double speed = pow(10, -5 + 5 * trxi_random_uniform(seed, 50));
    for (uint64_t k = 0; k < 3; k++) c.at.v_c[k] = speed * trxi_random_normal(seed, 60 + k);
    c.at.v_c[2] += (0.5 + 0.7 * trxi_random_uniform(seed, 51)) * -c.phi0 / dt;
    if (law == &trxi_dojo) c.at.v_c[2] = c.contact.sap.v_hat + 0.05 + speed; // inside of the cone
    c.at = row_at(&c, c.at.v_c);
    return c;
}

// the contact with one input changed, and the constants that the step derives from this input
static trxi_row_block moved(trxi_row_block c, input which, double amount)
{
    if (which == GAP) c.phi0 += amount;
    if (which == LAGGED_IMPULSE) c.contact.gn0 += amount;
    if (which == INVERSE_MASS) c.w += amount;
    if (which == FRICTION) c.contact.mu += amount;
    if (which == SPEED_BEFORE) c.contact.v_n0 += amount;
    const trxi_law_settings settings = settings_of(&c);
    c.law->prepare(&c, &settings);
    return c;
}

static double amount_of(const trxi_row_block *c, input which)
{
    const trx_pair_law *material = c->contact.material;
    const double gap = material->force_law == TRX_SMOOTHED ? fmin(1e-7, 1e-4 * material->smoothing) : 1e-7;
    if (which == GAP) return gap;
    if (which == SPEED_BEFORE) return gap / dt;
    return 1e-4 * (which == LAGGED_IMPULSE ? c->contact.gn0 : which == FRICTION ? c->contact.mu : c->w);
}

// false when a difference straddles a kink
static bool difference(const trxi_row_block *c, input which, double out[3])
{
    const double h = amount_of(c, which);
    const trxi_row_block plus = moved(*c, which, h), minus = moved(*c, which, -h);
    const trxi_row_state up = row_at(&plus, c->at.v_c), down = row_at(&minus, c->at.v_c);
    if (up.branch != c->at.branch || down.branch != c->at.branch || !(h > 0)) return false;
    if (plus.decided != c->decided || minus.decided != c->decided) return false;
    for (int i = 0; i < 3; i++) out[i] = (up.gamma[i] - down.gamma[i]) / (2 * h);
    return true;
}

START_TEST(partials_are_differences_in_every_region)
{
    const trxi_law *law = laws[_i];
    int judged[INPUTS] = {0}, felt[INPUTS] = {0}, branches = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        trx_pair_law material;
        const trxi_row_block c = draw(law, i, &material);
        const trxi_law_settings settings = settings_of(&c);
        trxi_law_partials partials;
        trxi_row_partials(&c, &settings, &partials);
        const double *const expected[INPUTS] = {partials.phi, partials.gn0, partials.w, partials.mu, partials.vn0};
        for (int k = 0; k < INPUTS; k++) {
            double d[3];
            if (!difference(&c, (input)k, d)) continue;
            const double rounding = 1e-15 * max_magnitude(c.at.gamma, 3) / amount_of(&c, (input)k);
            const double size = max_magnitude(expected[k], 3), error = max_difference(expected[k], d, 3);
            ck_assert_msg(error < 1e-6 * size + 10 * rounding + 1e-12, "%s, input %d, seed %d: %g of %g", law->name, k, (int)i,
                          error, size);
            judged[k]++, felt[k] += size > 0;
        }
        branches |= c.at.branch;
    }
    for (int k = 0; k < INPUTS; k++) ck_assert_int_ge(judged[k], DRAWS / 8);
    ck_assert(felt[GAP] > 300 && felt[FRICTION] > 300 && felt[SPEED_BEFORE] > 150);

    // w and the lagged impulse matter where the law needs them and only there; dojo has w for its start alone
    ck_assert((law->needs_mass && law != &trxi_dojo) == (felt[INVERSE_MASS] > 0));
    ck_assert(law->uses_lagged == (felt[LAGGED_IMPULSE] > 0));
    const int cone = TRXI_SAP_STICK | TRXI_SAP_SLIDE, faces = TRXI_FACE | TRXI_CORNER;
    const int wanted = law == &trxi_lcp ? cone | faces : is_projection(law) ? cone : 0;
    ck_assert_int_eq(branches & wanted, wanted);
}
END_TEST

// without friction or slip there is no direction of slip: only the normal has an impulse and partials
START_TEST(without_friction_and_slip_partials_are_those_of_the_normal)
{
    const trxi_law *law = laws[_i];
    int pressed = 0;
    for (uint64_t i = 0; i < 200; i++) {
        trx_pair_law material;
        trxi_row_block c = draw(law, i, &material);
        trxi_law_settings settings = settings_of(&c);
        settings.stiction_tolerance = 1e-4;
        const double fast = law == &trxi_dojo ? c.at.v_c[2] : fmin(-c.phi0 / dt, 0) - 0.5;
        material.friction = c.contact.mu = 0;
        law->prepare(&c, &settings);
        c.at = row_at(&c, (const double[3]){0, 0, fast});
        trxi_law_partials p;
        double by_friction[3] = {0};
        trxi_row_partials(&c, &settings, &p);
        law->parameter(&c, &settings, TRX_PAIR_FRICTION, by_friction);
        const double *const all[] = {c.at.gamma, p.phi, p.gn0, p.w, p.mu, p.vn0, by_friction};
        for (int k = 0; k < 7; k++) ck_assert_msg(all[k][0] == 0 && all[k][1] == 0 && isfinite(all[k][2]), "%s, %d", law->name, k);
        ck_assert(by_friction[2] == 0 && p.mu[2] == 0 && (p.phi[2] < 0 || !(c.at.gamma[2] > 0)));
        pressed += c.at.gamma[2] > 0;
    }
    ck_assert_int_gt(pressed, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/law_partials");
    TCase *cases = tcase_create("law_partials");
    tcase_set_timeout(cases, 0);
    tcase_add_loop_test(cases, partials_are_differences_in_every_region, 0, LAWS);
    tcase_add_loop_test(cases, without_friction_and_slip_partials_are_those_of_the_normal, 0, LAWS);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
