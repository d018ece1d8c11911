// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Partial derivatives of the impulse at fixed v_c (theory 6, table): with respect to the gap, to the lagged impulse
// and to the effective inverse mass, through every constant that the step derives from them.

#include "contact/problem.h"
#include "support/support.h"

#include "base/random.h"
#include "math/constants.h"

static const double dt = 0.01, sigma = 1e-3, beta = 1;
enum { APPROXIMATIONS = TRX_SAP + 1, DRAWS = 4000 };

typedef enum input { GAP, LAGGED_IMPULSE, INVERSE_MASS, INPUTS } input;

// the contact with one input moved and everything that follows from it, as the step prepares it
static trxi_contact moved(trxi_contact c, input which, double amount)
{
    if (which == GAP) c.phi0 += amount;
    if (which == LAGGED_IMPULSE) c.gn0 += amount;
    if (which == INVERSE_MASS) c.w += amount;
    double horizon = dt + c.law.relaxation_time;
    c.v_hat = -c.phi0 / horizon;
    c.Rt = sigma * c.w;
    if (c.rigid) c.Rn = beta * beta / (4 * TRXI_PI * TRXI_PI) * c.w;
    if (c.regularized) c.soft = sigma * c.w * c.mu * c.gn0;
    return c;
}

static void impulse(const trxi_contact *c, double gamma[3], int *branch)
{
    trxi_sym3 G;
    trxi_contact_impulse(c, dt, c->v_c, gamma, &G, branch);
}

static double amount_of(const trxi_contact *c, input which)
{
    if (which == GAP) return c->law.force_law == TRX_SMOOTHED ? fmin(1e-7, 1e-4 * c->law.smoothing) : 1e-7;
    return 1e-4 * (which == LAGGED_IMPULSE ? c->gn0 : c->w);
}

// false when a difference straddles a kink
static bool difference(const trxi_contact *c, input which, double out[3])
{
    double h = amount_of(c, which), g[2][3];
    int branch[2];
    trxi_contact plus = moved(*c, which, h), minus = moved(*c, which, -h);
    impulse(&plus, g[0], &branch[0]);
    impulse(&minus, g[1], &branch[1]);
    if (branch[0] != c->branch || branch[1] != c->branch || !(h > 0)) return false;
    for (int i = 0; i < 3; i++) out[i] = (g[0][i] - g[1][i]) / (2 * h);
    return true;
}

START_TEST(partials_are_differences_in_every_region)
{
    int judged[APPROXIMATIONS][INPUTS] = {{0}}, with_mass[APPROXIMATIONS] = {0}, branches = 0;
    for (int a = 0; a < APPROXIMATIONS; a++)
        for (uint64_t i = 0; i < DRAWS; i++) {
            trxi_contact c = random_contact((trx_approximation)a, i);
            double speed = pow(10, -5 + 5 * trxi_random_uniform(i, 50));
            for (uint64_t k = 0; k < 3; k++) c.v_c[k] = speed * trxi_random_normal(i, 60 + k);
            c.v_c[2] += (0.5 + 0.7 * trxi_random_uniform(i, 51)) * -c.phi0 / dt;
            trxi_contact_impulse(&c, dt, c.v_c, c.gamma, &c.G, &c.branch);
            trxi_contact_partials partials;
            trxi_contact_impulse_deriv(&c, dt, sigma, beta, &partials);
            const double *const expected[INPUTS] = {partials.phi, partials.gn0, partials.w};
            for (int k = 0; k < INPUTS; k++) {
                double d[3];
                if (!difference(&c, (input)k, d)) continue;
                double rounding = 1e-15 * max_magnitude(c.gamma, 3) / amount_of(&c, (input)k);
                assert_below(max_difference(expected[k], d, 3),
                             1e-6 * max_magnitude(expected[k], 3) + 10 * rounding + 1e-12);
                judged[a][k]++;
            }
            with_mass[a] += max_magnitude(partials.w, 3) > 0;
            branches |= 1 << c.branch;
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
    Suite *suite = suite_create("contact/friction_deriv");
    TCase *cases = tcase_create("friction_deriv");
    tcase_set_timeout(cases, 0);
    tcase_add_test(cases, partials_are_differences_in_every_region);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
