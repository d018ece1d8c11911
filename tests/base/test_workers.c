// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pool does every piece once, whatever the number of threads and pieces, round after round.

#include "base/workers.h"
#include "support/support.h"

#include <stdatomic.h>
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

int main(void)
{
    Suite *suite = suite_create("base/workers");
    TCase *cases = tcase_create("workers");
    tcase_add_test(cases, every_piece_is_done_once);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
