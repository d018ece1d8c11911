// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Change of the contact impulse with the parameters of its law, against central differences of the impulse for random contacts of
// every approximation, rigid law, force law and friction. The lagged impulse, mu and a regularized soft norm are rebuilt from the
// changed law, as the step does. raisim and first_order are left out: their partials follow from the solution.

#include "base/random.h"
#include "contact/friction.h"
#include "contact/problem.h"
#include "model/pair_law.h"
#include "support/support.h"

#include <string.h>

// approximations, then rigid laws
static const trxi_law *const laws[] = {&trxi_lagged, &trxi_lagged_regularized, &trxi_similar, &trxi_similar_regularized, &trxi_sap,
                                       &trxi_ccp, &trxi_ncp, &trxi_lcp, &trxi_dojo};
enum { LAWS = sizeof laws / sizeof *laws };

static trxi_law_settings settings_of(double stiction)
{
    trxi_law_settings settings = law_settings(stiction);
    settings.compliance = 1e-3, settings.kappa = 1e-3;
    return settings;
}

// sets the constants that the step derives from the law before the solve
static void prepare(trxi_row_block *c, double v_n0, double stiction)
{
    const trxi_law_settings settings = settings_of(stiction);
    c->contact.v_n0 = v_n0;
    c->contact.gn0 = settings.dt * trxi_force_law(c->contact.material, c->phi0, v_n0).f;
    trxi_contact_friction(&c->contact, c->contact.slip0);
    c->law->prepare(c, &settings);
}

static double *field(trx_pair_law *law, double *stiction, trx_parameter_kind p)
{
    return p == TRX_STICTION_TOLERANCE ? stiction : trxi_number_of_law(law, (int)p);
}

static int impulse_at(trxi_row_block c, double v_n0, double stiction, trx_parameter_kind p, double amount, double gamma[3])
{
    trx_pair_law changed = *c.contact.material;
    c.contact.material = &changed;
    *field(&changed, &stiction, p) += amount;
    prepare(&c, v_n0, stiction);
    const trxi_row_state at = row_at(&c, c.at.v_c);
    memcpy(gamma, at.gamma, sizeof at.gamma);
    return at.branch | c.decided << 8;
}

// one of the laws and frictions that random_contact does not draw
static void vary(trxi_row_block *c, trx_pair_law *law, uint64_t seed)
{
    const bool sap = law->approximation == TRX_SAP;
    int own = (int)(trxi_random_bits(seed, 201) % 5);
    if (!sap && own == 1) law->force_law = TRX_HERTZ;
    if (!sap && (own == 2 || own == 3)) {
        law->force_law = own == 2 ? TRX_LOG_BARRIER : TRX_IPC;
        law->barrier = pow(10, 1 + 2 * trxi_random_uniform(seed, 202)), law->reach = 5e-3;
        c->phi0 = fabs(c->phi0) + 2e-4;
    }
    if (!sap && trxi_random_bits(seed, 203) % 2) {
        law->axis[0] = 1;
        law->friction = 0.1 + trxi_random_uniform(seed, 204), law->friction_across = 0.1 + trxi_random_uniform(seed, 205);
    }
    if (trxi_random_bits(seed, 206) % 2) {
        law->dynamic_friction = trxi_random_uniform(seed, 207);
        law->slip_speed = 0.1, c->contact.slip0 = 0.3 * trxi_random_uniform(seed, 208);
    }
    if (!trxi_law_is_barrier(law) && trxi_random_bits(seed, 210) % 2) {
        const double dt = law_settings(1).dt, th = 0.5 + 0.4 * trxi_random_uniform(seed, 211), weight = 0.5;
        c->contact.between = (trxi_between){dt * th * weight, dt * th * (1 - weight), th, 1 - th};
    }
    bool lagged = law->approximation == TRX_LAGGED || law->approximation == TRX_LAGGED_REGULARIZED;
    if (!lagged || trxi_random_bits(seed, 209) % 4) return;
    c->law = &trxi_turn;
    law->torsional_friction = 0.02, law->rolling_friction = 0.005;
}

START_TEST(parameters_agree_with_differences)
{
    for (int which = 0; which < LAWS; which++) {
        const bool rigid = which > TRX_SAP;
        const int approximation = rigid ? TRX_SAP : which;
        int nonzero[TRX_STICTION_TOLERANCE + 1] = {0};
        for (uint64_t k = 0; k < 2000; k++) {
            trx_pair_law law;
            trxi_row_block c = random_contact((trx_approximation)approximation, 77 + k, &law);
            vary(&c, &law, k);
            if (rigid) c.law = laws[which];
            double speed = pow(10, -4 + 4 * trxi_random_uniform(k, 100));
            for (uint64_t i = 0; i < 3; i++) c.at.v_c[i] = speed * trxi_random_normal(k, 101 + i);
            bool barrier = trxi_law_is_barrier(&law), similar = law.approximation >= TRX_SIMILAR;
            if (barrier) c.at.v_c[2] = fabs(c.at.v_c[2]) + (similar ? 2 * hypot(c.at.v_c[0], c.at.v_c[1]) * 3 : 0);
            if (c.law == &trxi_dojo) c.at.v_c[2] = 1 + speed; // inside of the cone
            double v_n0 = 0.5 * c.at.v_c[2] - 0.01, stiction = pow(10, -4 + 2 * (double)(k % 5) / 4);
            for (trx_parameter_kind p = TRX_PAIR_STIFFNESS; p <= TRX_STICTION_TOLERANCE; p++) {
                double value = *field(&law, &stiction, p), plus[3], minus[3], expected[3], out[3];
                if (!(value > 0)) continue;
                if (c.law == &trxi_turn && p == TRX_STICTION_TOLERANCE) continue; // the moment has the joint stiction tolerance
                double e = 1e-5 * value;
                int base = impulse_at(c, v_n0, stiction, p, 0, out);
                bool smooth = impulse_at(c, v_n0, stiction, p, e, plus) == base &&
                              impulse_at(c, v_n0, stiction, p, -e, minus) == base;
                if (!smooth) continue;
                for (int i = 0; i < 3; i++) expected[i] = (plus[i] - minus[i]) / (2 * e);

                trxi_row_block at = c;
                const trxi_law_settings settings = settings_of(stiction);
                prepare(&at, v_n0, stiction);
                at.at = row_at(&at, c.at.v_c);
                at.law->parameter(&at, &settings, p, out);
                double size = max_magnitude(at.at.gamma, 3), effect = value * max_magnitude(expected, 3);
                assert_below(value * max_difference(out, expected, 3), 1e-6 * effect + 1e-9 * size + 1e-15);
                nonzero[p] += effect > 1e-6 * size;
            }
        }
        const bool sap = which == TRX_SAP;
        ck_assert_int_gt(nonzero[TRX_PAIR_FRICTION], 50);
        for (trx_parameter_kind p = TRX_PAIR_STIFFNESS; p <= TRX_STICTION_TOLERANCE && rigid; p++)
            ck_assert(nonzero[p] == 0 || p == TRX_PAIR_FRICTION || p == TRX_PAIR_DYNAMIC_FRICTION || p == TRX_PAIR_SLIP_SPEED);
        if (!rigid) ck_assert_int_gt(nonzero[TRX_PAIR_STIFFNESS], 50);
        if (sap) ck_assert_int_gt(nonzero[TRX_PAIR_RELAXATION_TIME], 50);
        if (!rigid && !sap) ck_assert_int_gt(nonzero[TRX_PAIR_DISSIPATION], 50);
        if (!rigid && !sap) ck_assert_int_gt(nonzero[TRX_STICTION_TOLERANCE], 50);
        if (!rigid && !sap) ck_assert_int_gt(nonzero[TRX_PAIR_FRICTION_ACROSS], 50);
        if (!rigid && !sap) ck_assert_int_gt(nonzero[TRX_PAIR_BARRIER], 50);
        if (!rigid && !sap) ck_assert_int_gt(nonzero[TRX_PAIR_REACH], 50);
        ck_assert_int_gt(nonzero[TRX_PAIR_DYNAMIC_FRICTION], 50);
        ck_assert_int_gt(nonzero[TRX_PAIR_SLIP_SPEED], 50);
        bool lagged = which == TRX_LAGGED || which == TRX_LAGGED_REGULARIZED;
        if (lagged) ck_assert_int_gt(nonzero[TRX_PAIR_TORSIONAL_FRICTION], 50);
        if (lagged) ck_assert_int_gt(nonzero[TRX_PAIR_ROLLING_FRICTION], 50);
    }
}
END_TEST

// the formulas divide by the slip speed
START_TEST(without_a_slip_speed_friction_does_not_depend_on_it)
{
    trx_pair_law law;
    trxi_row_block c = random_contact(TRX_SIMILAR, 5, &law);
    law.slip_speed = 0, law.dynamic_friction = 0.2;
    trxi_contact_friction(&c.contact, 0.3);
    for (int i = 0; i < 2; i++) {
        const trx_parameter_kind kind = i ? TRX_PAIR_SLIP_SPEED : TRX_PAIR_DYNAMIC_FRICTION;
        const trxi_friction_change change = trxi_friction_parameter(&c.contact, kind);
        ck_assert(change.mu == 0 && change.stretch == 0);
    }
    ck_assert(trxi_friction_parameter(&c.contact, TRX_PAIR_FRICTION).mu == 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/law_parameters");
    TCase *cases = tcase_create("law_parameters");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, parameters_agree_with_differences);
    tcase_add_test(cases, without_a_slip_speed_friction_does_not_depend_on_it);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
