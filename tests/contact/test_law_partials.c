// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Partial derivatives of the impulse at fixed v_c (theory 6, table): with respect to the gap, to the lagged impulse
// and to the effective inverse mass, through every constant that the step derives from them.

#include "contact/problem.h"
#include "support/support.h"

#include "base/random.h"

static const double dt = 0.01;
enum { APPROXIMATIONS = TRX_SAP + 1, DRAWS = 4000 };

typedef enum input { GAP, LAGGED_IMPULSE, INVERSE_MASS, INPUTS } input;

// the contact with one input moved and everything that follows from it, as the step prepares it
static trxi_row_block moved(trxi_row_block c, input which, double amount)
{
    if (which == GAP) c.phi0 += amount;
    if (which == LAGGED_IMPULSE) c.contact.gn0 += amount;
    if (which == INVERSE_MASS) c.w += amount;
    const trxi_law_settings settings = law_settings(c.decided & TRXI_REGULARIZED ? 0 : c.soft);
    c.law->prepare(&c, &settings);
    return c;
}

static double amount_of(const trxi_row_block *c, input which)
{
    const trx_pair_law *material = c->contact.material;
    if (which == GAP) return material->force_law == TRX_SMOOTHED ? fmin(1e-7, 1e-4 * material->smoothing) : 1e-7;
    return 1e-4 * (which == LAGGED_IMPULSE ? c->contact.gn0 : c->w);
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
    int judged[APPROXIMATIONS][INPUTS] = {{0}}, with_mass[APPROXIMATIONS] = {0}, branches = 0;
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (uint64_t i = 0; i < DRAWS; i++) {
            trx_pair_law material;
            trxi_row_block c = random_contact((trx_approximation)a, i, &material);
            double speed = pow(10, -5 + 5 * trxi_random_uniform(i, 50));
            for (uint64_t k = 0; k < 3; k++) c.at.v_c[k] = speed * trxi_random_normal(i, 60 + k);
            c.at.v_c[2] += (0.5 + 0.7 * trxi_random_uniform(i, 51)) * -c.phi0 / dt;
            c.at = row_at(&c, c.at.v_c);
            trxi_law_partials partials;
            const trxi_law_settings settings = law_settings(c.soft);
            trxi_row_partials(&c, &settings, &partials);
            const double *const expected[INPUTS] = {partials.phi, partials.gn0, partials.w};
            for (int k = 0; k < INPUTS; k++) {
                double d[3];
                if (!difference(&c, (input)k, d)) continue;
                double rounding = 1e-15 * max_magnitude(c.at.gamma, 3) / amount_of(&c, (input)k);
                assert_below(max_difference(expected[k], d, 3),
                             1e-6 * max_magnitude(expected[k], 3) + 10 * rounding + 1e-12);
                judged[a][k]++;
            }
            with_mass[a] += max_magnitude(partials.w, 3) > 0;
            branches |= 1 << c.at.branch;
        }
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (int k = 0; k < INPUTS; k++) ck_assert_int_ge(judged[a][k], DRAWS / 8);

    // w matters where the law needs it and only there
    ck_assert(with_mass[TRX_LAGGED] == 0 && with_mass[TRX_SIMILAR] == 0);
    ck_assert(with_mass[TRX_LAGGED_REGULARIZED] > 100 && with_mass[TRX_SIMILAR_REGULARIZED] > 100 && with_mass[TRX_SAP] > 1000);
    ck_assert(branches & 1 << TRXI_SAP_STICK && branches & 1 << TRXI_SAP_SLIDE && branches & 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/law_partials");
    TCase *cases = tcase_create("law_partials");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, partials_are_differences_in_every_region);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
