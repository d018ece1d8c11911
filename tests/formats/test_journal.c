// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Journals: a computation of parts that is interrupted after any step and runs again from its beginning repeats no finished part,
// and bytes that are no journal are refused.

#include "support/support.h"

#include "formats/journal.h"

#include <string.h>

enum { STEP, SUM, PARTS = 4, STEPS = 5 };
enum { ENDS = 1 << STEP | 1 << SUM };

// a part computes the sum of 1 .. STEPS; the state of a part is the sum after some steps
typedef struct part {
    int step;
    double sum;
    int computed; // steps that were computed here
} part;

static void visit_part(trxi_visitor *visitor, void *object)
{
    part *p = object;
    TRXI_VISIT(visitor, p->step);
    trxi_visit_doubles(visitor, &p->sum, 1);
    trxi_visit_doubles(visitor, NULL, 7);
}

// runs all parts until `steps` steps were computed; returns their number
static int compute(trxi_journal *journal, int steps, double sums[PARTS])
{
    int computed = 0;
    for (int i = 0; i < PARTS; i++) {
        part p = {0};
        if (trxi_journal_recalls(journal) && trxi_journal_recall(journal, SUM, visit_part, &p)) {
            sums[i] = p.sum;
            continue;
        }
        if (trxi_journal_recalls(journal)) ck_assert(trxi_journal_recall(journal, STEP, visit_part, &p));
        while (p.step < STEPS) {
            if (computed == steps) return computed;
            p.sum += 100 * i + ++p.step;
            computed++;
            trxi_journal_keep_state(journal, STEP, visit_part, &p);
        }
        sums[i] = p.sum;
        trxi_journal_keep(journal, SUM, visit_part, &p);
    }
    return computed;
}

static trx_context *make_context(void)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    return context;
}

START_TEST(an_interrupted_computation_repeats_no_step)
{
    trx_context *context = make_context();
    double whole[PARTS];
    trxi_journal journal = trxi_journal_create(context);
    ck_assert_int_eq(compute(&journal, PARTS * STEPS, whole), PARTS * STEPS);
    for (int steps = 0; steps <= PARTS * STEPS; steps++) {
        trxi_journal first = trxi_journal_create(context), second = trxi_journal_create(context);
        double sums[PARTS] = {0};
        ck_assert_int_eq(compute(&first, steps, sums), steps);
        ck_assert(trxi_journal_load(&second, trxi_text_get(&first.bytes), first.bytes.length, ENDS));
        ck_assert_int_eq(compute(&second, PARTS * STEPS, sums), PARTS * STEPS - steps);
        ck_assert(memcmp(sums, whole, sizeof whole) == 0);
        ck_assert_uint_eq(second.bytes.length, journal.bytes.length);
        ck_assert(memcmp(second.bytes.data, journal.bytes.data, journal.bytes.length) == 0);
        trxi_journal_destroy(&first);
        trxi_journal_destroy(&second);
    }
    trxi_journal_destroy(&journal);
    trx_context_destroy(context);
}
END_TEST

START_TEST(a_closed_journal_keeps_what_it_has)
{
    trx_context *context = make_context();
    trxi_journal journal = trxi_journal_create(context);
    double sums[PARTS];
    compute(&journal, 7, sums);
    const size_t length = journal.bytes.length;
    part p = {0};
    journal.closed = true;
    trxi_journal_keep(&journal, SUM, visit_part, &p);
    trxi_journal_keep_state(&journal, STEP, visit_part, &p);
    ck_assert_uint_eq(journal.bytes.length, length);
    trxi_journal_clear(&journal);
    trxi_journal_keep(&journal, SUM, visit_part, &p);
    ck_assert_uint_gt(journal.bytes.length, 0);
    trxi_journal_destroy(&journal);
    trx_context_destroy(context);
}
END_TEST

static void visit_three(trxi_visitor *visitor, void *object)
{
    trxi_visit_doubles(visitor, object, 3);
}

static void visit_two(trxi_visitor *visitor, void *object)
{
    trxi_visit_doubles(visitor, object, 2);
}

START_TEST(a_record_that_does_not_fit_is_not_recalled)
{
    trx_context *context = make_context();
    double numbers[3] = {1, 2, 3}, read[3] = {0};
    trxi_journal journal = trxi_journal_create(context), copy = trxi_journal_create(context);
    trxi_journal_keep(&journal, SUM, visit_three, numbers);
    const char *bytes = trxi_text_get(&journal.bytes);
    ck_assert(trxi_journal_load(&copy, bytes, journal.bytes.length, ENDS));
    ck_assert(!trxi_journal_recall(&copy, SUM, visit_two, read));
    ck_assert(!trxi_journal_recall(&copy, STEP, visit_three, read));
    ck_assert(read[0] == 0);
    ck_assert(trxi_journal_recall(&copy, SUM, visit_three, read) && read[2] == 3);
    ck_assert(!trxi_journal_recalls(&copy) && !trxi_journal_recall(&copy, SUM, visit_three, read));

    // records that end no part are dropped, and a torn record refuses the whole
    ck_assert(trxi_journal_load(&copy, bytes, journal.bytes.length, 1 << STEP) && !trxi_journal_recalls(&copy));
    for (size_t length = 1; length < journal.bytes.length; length++)
        ck_assert(!trxi_journal_load(&copy, bytes, length, ENDS) && copy.bytes.length == 0);
    trxi_journal_destroy(&journal);
    trxi_journal_destroy(&copy);
    trx_context_destroy(context);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("formats/journal");
    TCase *cases = tcase_create("journal");
    tcase_add_test(cases, an_interrupted_computation_repeats_no_step);
    tcase_add_test(cases, a_closed_journal_keeps_what_it_has);
    tcase_add_test(cases, a_record_that_does_not_fit_is_not_recalled);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
