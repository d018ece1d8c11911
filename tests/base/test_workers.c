// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pool does every piece once, whatever the number of threads and pieces, round after round.

#include "base/workers.h"
#include "support/support.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { MOST = 1000 };

typedef struct tally {
    atomic_int done[MOST];
    atomic_int wrong;
    int threads;
} tally;

static void count(int worker, int index, void *user)
{
    tally *t = user;
    atomic_fetch_add(&t->done[index], 1);
    if (worker < 0 || worker >= t->threads) atomic_fetch_add(&t->wrong, 1);
}

START_TEST(every_piece_is_done_once)
{
    static const int pieces[] = {0, 1, 2, 7, MOST};
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    for (int threads = 1; threads <= 8; threads++) {
        trxi_workers *workers;
        ck_assert_int_eq(trxi_workers_create(context, threads, &workers), TRX_OK);
        static tally t;
        for (int round = 0; round < 200; round++) {
            int n = pieces[round % 5];

            // threads that sleep or have been roused are as good as others
            if (round % 40 == 39) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            if (round % 3 == 0) trxi_workers_rouse(workers);
            t = (tally){.threads = threads};
            trxi_workers_run(workers, n, count, &t);
            int unlike = 0;
            for (int i = 0; i < MOST; i++) unlike += t.done[i] != (i < n);
            ck_assert_int_eq(unlike, 0);
            ck_assert_int_eq(t.wrong, 0);
        }
        trxi_workers_destroy(workers);
    }
    trx_context_destroy(context);
}
END_TEST

// a thread that takes a piece sees everything that the caller wrote before it offered the piece
typedef struct chain {
    int made[MOST];
    atomic_int seen[MOST];
} chain;

static void look(int worker, int index, void *user)
{
    chain *c = user;
    atomic_fetch_add(&c->seen[index], c->made[index] == index + 1 ? 1 : 1000);
    (void)worker;
}

START_TEST(pieces_may_be_offered_one_by_one)
{
    trx_context *context;
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
    for (int threads = 1; threads <= 8; threads++) {
        trxi_workers *workers;
        ck_assert_int_eq(trxi_workers_create(context, threads, &workers), TRX_OK);
        static chain c;
        for (int round = 0; round < 100; round++) {
            const int n = round % 7 == 6 ? MOST : 10 * (round % 7);
            const bool stopped = round % 5 == 4;
            memset(&c, 0, sizeof c);
            trxi_workers_begin(workers, look, &c);
            for (int i = 0; i < n; i++) {
                c.made[i] = i + 1;
                trxi_workers_offer(workers, i + 1);
            }
            if (stopped) trxi_workers_stop(workers);
            else trxi_workers_end(workers, n);
            int unlike = 0;
            for (int i = 0; i < MOST; i++) unlike += stopped ? c.seen[i] > (i < n) : c.seen[i] != (i < n);
            ck_assert_int_eq(unlike, 0);
        }
        trxi_workers_destroy(workers);
    }
    trx_context_destroy(context);
}
END_TEST

START_TEST(workers_without_memory_are_a_status)
{
    for (int fail_at = 2; fail_at <= 3; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        trx_context_settings settings = counting_settings(&counter);
        trx_context *context;
        trxi_workers *workers;
        ck_assert_int_eq(trx_context_create(&settings, &context), TRX_OK);
        ck_assert_int_eq(trxi_workers_create(context, 4, &workers), TRX_ERR_MEMORY);
        ck_assert_ptr_null(workers);
        trxi_workers_destroy(NULL);
        trx_context_destroy(context);
        ck_assert_int_eq(counter.outstanding, 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("base/workers");
    TCase *cases = tcase_create("workers");
    tcase_add_test(cases, every_piece_is_done_once);
    tcase_add_test(cases, workers_without_memory_are_a_status);
    tcase_add_test(cases, pieces_may_be_offered_one_by_one);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
