// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Anderson's acceleration (theory 4) on linear maps: it ends where the map needs thousands of iterations.

#include "contact/anderson.h"
#include "support/support.h"

#include <check.h>

enum { COUNT = 3 };

// q' = q + step with step_i = (rate_i - 1) q_i in blocks of one row: the fixed point is 0
typedef struct iteration {
    trxi_row_block blocks[COUNT];
    trxi_row_work rows[COUNT];
    trxi_contact_problem problem;
    trxi_island island;
    double q[COUNT];
} iteration;

static void begin(iteration *m)
{
    *m = (iteration){.island.block = 0};
    for (int k = 0; k < COUNT; k++) {
        m->blocks[k] = (trxi_row_block){.n = 1, .next = k + 1 < COUNT ? k + 1 : -1};
        m->q[k] = 1 - 0.4 * k;
    }
    m->problem = (trxi_contact_problem){.blocks = m->blocks, .rows = m->rows, .nblock = COUNT};
}

static void record(iteration *m, const double rates[COUNT], trxi_anderson *past)
{
    for (int k = 0; k < COUNT; k++) {
        const double step = (rates[k] - 1) * m->q[k];
        trxi_anderson_record(past, &m->blocks[k], 1.0 / (1 + k), &step, &m->rows[k].past);
    }
    trxi_anderson_end(past);
}

static void move(iteration *m)
{
    for (int k = 0; k < COUNT; k++) m->q[k] += m->rows[k].past.move[0];
}

START_TEST(slow_directions_end_at_once)
{
    static const double rates[COUNT] = {0.999, 0.9, -0.5};
    static iteration m;
    trxi_anderson past = {0};
    begin(&m);
    for (int i = 0; i < 5; i++) {
        record(&m, rates, &past);
        if (i == 4) ck_assert(trxi_anderson_extrapolate(&m.problem, &m.island, &past));
        move(&m);
    }
    assert_below(max_magnitude(m.q, COUNT), 0.01); // plain steps leave 0.995
}
END_TEST

START_TEST(only_the_last_iterations_count)
{
    static const double rates[COUNT] = {0.99, 0.99, 0.99};
    static iteration m;
    trxi_anderson past = {0};
    begin(&m);
    for (int i = 0; i < 3 * TRXI_PAST; i++) {
        record(&m, rates, &past);
        move(&m);
        if (i == TRXI_PAST) m.q[0] += 1000; // later records replace the changes by this jump
    }
    ck_assert_int_eq(past.count, TRXI_PAST + 1);
    record(&m, rates, &past);
    ck_assert(trxi_anderson_extrapolate(&m.problem, &m.island, &past));
    move(&m);
    assert_below(max_magnitude(m.q, COUNT), 1e-5);
}
END_TEST

START_TEST(one_iteration_or_none_that_moves_has_no_extrapolation)
{
    static const double rates[COUNT] = {1, 1, 1}, slow[COUNT] = {0.9, 0.9, 0.9};
    static iteration m;
    trxi_anderson past = {0};
    begin(&m);
    ck_assert(!trxi_anderson_extrapolate(&m.problem, &m.island, &past));
    record(&m, slow, &past);
    ck_assert(!trxi_anderson_extrapolate(&m.problem, &m.island, &past));
    past = (trxi_anderson){0};
    for (int i = 0; i < 3; i++) record(&m, rates, &past);
    ck_assert(!trxi_anderson_extrapolate(&m.problem, &m.island, &past));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contact/anderson");
    TCase *cases = tcase_create("anderson");
    tcase_add_test(cases, slow_directions_end_at_once);
    tcase_add_test(cases, only_the_last_iterations_count);
    tcase_add_test(cases, one_iteration_or_none_that_moves_has_no_extrapolation);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
