// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// How far a step may go before a barrier is closed: against bisection on the argument of the barrier, for lagged and similar
// contacts with and without an axis of friction.

#include "contact/barrier.h"
#include "contact/friction.h"
#include "contact/problem.h"
#include "support/support.h"

#include "base/random.h"

static const double dt = 0.01;

static trxi_row_block draw(uint64_t seed, trx_pair_law *material)
{
    static const trx_approximation kinds[] = {TRX_LAGGED, TRX_SIMILAR, TRX_SIMILAR_REGULARIZED};
    trxi_row_block c = random_contact(kinds[seed % 3], seed, material);
    material->force_law = seed % 2 ? TRX_IPC : TRX_LOG_BARRIER;
    material->barrier = 1, material->reach = 0.01;
    c.phi0 = 1e-4 + fabs(c.phi0);
    c.contact.stretch = 0.5 + trxi_random_uniform(seed, 300);
    c.soft = c.soft_wanted = 1e-3;
    c.next = -1;
    return c;
}

// phi0 + dt z at v_c + alpha dv_c
static double argument(const trxi_row_block *c, const double v_c[3], const double dv_c[3], double alpha)
{
    double v[3];
    for (int i = 0; i < 3; i++) v[i] = v_c[i] + alpha * dv_c[i];
    const trxi_slip slip = trxi_slip_at(c, v);
    bool similar = c->contact.material->approximation >= TRX_SIMILAR;
    return c->phi0 + dt * (v[2] - (similar ? c->contact.mu * trxi_slip_norm(c, &slip) : 0));
}

// of a step that a barrier may limit
static double longest_step(const trxi_row_block *c, const double v_c[3], const double dv_c[3])
{
    return trxi_row_has_barrier(c) ? c->law->longest_step(c, v_c, dv_c) : INFINITY;
}

START_TEST(the_longest_step_closes_the_barrier)
{
    int bounded = 0, free = 0;
    for (uint64_t k = 0; k < 3000; k++) {
        trx_pair_law material;
        trxi_row_block c = draw(k, &material);
        double v[3], dv[3];
        for (uint64_t i = 0; i < 3; i++)
            v[i] = 0.02 * trxi_random_normal(k, 310 + i), dv[i] = trxi_random_normal(k, 320 + i) * (k % 7 ? 1 : 1e-3);
        if (!(argument(&c, v, dv, 0) > 0)) continue;
        double longest = longest_step(&c, v, dv);
        ck_assert(longest > 0);
        if (isinf(longest)) {
            free++;
            for (double alpha = 1e-3; alpha < 1e3; alpha *= 2) ck_assert(argument(&c, v, dv, alpha) > 0);
            continue;
        }
        bounded++;
        ck_assert(argument(&c, v, dv, longest * (1 - 1e-9)) > 0);
        ck_assert(argument(&c, v, dv, longest * (1 + 1e-9)) < 0);
    }
    ck_assert_int_gt(bounded, 500);
    ck_assert_int_gt(free, 200);
}
END_TEST

START_TEST(laws_without_barriers_and_turns_limit_no_step)
{
    trx_pair_law material;
    trxi_row_block c = draw(0, &material);
    const double v[3] = {0, 0, 0}, dv[3] = {0, 0, -1e6};
    ck_assert(isfinite(longest_step(&c, v, dv)));
    c.law = &trxi_turn;
    ck_assert(isinf(longest_step(&c, v, dv)));
    c.law = &trxi_lagged, material.force_law = TRX_SMOOTHED;
    ck_assert(isinf(longest_step(&c, v, dv)));
}
END_TEST

START_TEST(a_chain_of_contacts_allows_what_its_nearest_barrier_does)
{
    enum { COUNT = 8 };
    for (uint64_t k = 0; k < 200; k++) {
        trxi_row_block chain[COUNT];
        trx_pair_law materials[COUNT];
        trxi_row_work rows[COUNT] = {0};
        double nearest = INFINITY;
        for (int i = 0; i < COUNT; i++) {
            chain[i] = draw(100 * k + (uint64_t)i, &materials[i]);
            chain[i].next = i + 2 < COUNT ? i + 2 : -1; // every other one
            for (uint64_t a = 0; a < 3; a++) rows[i].dv_c[a] = trxi_random_normal(k, (uint64_t)(10 * i) + a);
            if (i % 2 == 0) nearest = fmin(nearest, longest_step(&chain[i], rows[i].state[0].v_c, rows[i].dv_c));
        }
        assert_close(trxi_barrier_step(chain, rows, 0, 0, 1.5), fmin(1.5, 0.99 * nearest), 1e-15);
        ck_assert(trxi_barrier_step(chain, rows, 0, -1, 1.5) == 1.5);
    }
}
END_TEST

START_TEST(an_entry_lies_inside_and_leaves_what_is_inside_alone)
{
    static const int cols[3] = {0, 1, 2};
    static const double J[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, rest[3] = {0, 0, 0};
    int scaled = 0, kept = 0;
    for (uint64_t k = 0; k < 500; k++) {
        trx_pair_law material;
        trxi_row_block c = draw(k, &material);
        c.ncol = 3, c.cols = cols, c.J = J;
        double v[3];
        for (uint64_t i = 0; i < 3; i++) v[i] = trxi_random_normal(k, 330 + i);
        double scale = trxi_barrier_entry(&c, 0, v);
        ck_assert(scale > 0 && scale <= 1);
        ck_assert(argument(&c, rest, v, scale) > 0);
        ck_assert((scale == 1) == (argument(&c, rest, v, 1) > 0));
        scaled += scale < 1, kept += scale == 1;
    }
    ck_assert_int_gt(scaled, 100);
    ck_assert_int_gt(kept, 50);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/barrier");
    TCase *cases = tcase_create("barrier");
    tcase_add_test(cases, the_longest_step_closes_the_barrier);
    tcase_add_test(cases, laws_without_barriers_and_turns_limit_no_step);
    tcase_add_test(cases, a_chain_of_contacts_allows_what_its_nearest_barrier_does);
    tcase_add_test(cases, an_entry_lies_inside_and_leaves_what_is_inside_alone);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
