// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A round: the first success in the order of the table wins, for every number of threads.

#include "search/lab.h"

#include "search/round.h"

#include <pthread.h>

enum { JOBS = 4 };

// the progress that a round reported
typedef struct told {
    pthread_t caller;
    int calls, done;
} told;

static void on_watch(int done, int count, void *user)
{
    told *t = user;
    ck_assert(pthread_equal(pthread_self(), t->caller));
    ck_assert_int_eq(count, JOBS);
    ck_assert(done >= t->done && done <= JOBS);
    t->done = done;
    t->calls++;
}

// runs a round of four placements until the deadline; returns its result
static int run(lab *l, int threads, double deadline, trxi_job *jobs, trxi_prefix *start)
{
    told t = {.caller = pthread_self()};
    trxi_crew crew = {.threads = threads, .deadline = deadline, .watch = on_watch, .watch_user = &t};
    trxi_scout scouts[4];
    for (int i = 0; i < threads; i++)
        ck_assert_int_eq(trxi_scout_create(l->push.context, l->pool, &l->task, &scouts[i]), TRX_OK);
    crew.scouts = scouts;
    ck_assert_int_eq(trxi_workers_create(l->push.context, threads, &crew.workers), TRX_OK);
    trxi_placement found[JOBS] = {{0}};
    ck_assert_int_eq(trxi_placements_find(&l->scout, l->pool, l->push.task.x0, 0, 1, JOBS, found), JOBS);
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = (trxi_job){.from = start, .placement = found[i], .last = true};
        jobs[i].candidate = (trx_candidate){.number = i, .last = 75};
        ck_assert_int_eq(trxi_prefix_create(l->pool, &l->task, &jobs[i].made), TRX_OK);
    }
    const int lines = trxi_round_run(&crew, jobs, JOBS);
    if (deadline > 0) ck_assert_int_gt(t.calls, 10);
    if (threads == 1) ck_assert_int_ge(t.done, lines - 1); // the callback is not called after the last candidate
    trxi_workers_destroy(crew.workers);
    for (int i = 0; i < threads; i++) trxi_scout_destroy(&scouts[i]);
    return lines;
}

START_TEST(threads_do_not_change_the_result)
{
    lab l;
    open_lab(&l, 0.12, 0.01, 0.15, 0.03);
    trxi_job one[JOBS], three[JOBS];
    trxi_prefix start;
    ck_assert_int_eq(trxi_prefix_create(l.pool, &l.task, &start), TRX_OK);
    const int lines = run(&l, 1, INFINITY, one, &start);
    ck_assert_int_eq(run(&l, 3, INFINITY, three, &start), lines);
    ck_assert_int_ge(lines, 1);
    ck_assert_int_eq(one[lines - 1].candidate.outcome, TRX_CANDIDATE_MET);
    for (int i = 0; i < lines; i++) {
        ck_assert_int_eq(one[i].candidate.outcome, three[i].candidate.outcome);
        ck_assert_int_eq(one[i].candidate.iterations, three[i].candidate.iterations);
        ck_assert_int_eq(one[i].made.knots, three[i].made.knots);
        ck_assert(memcmp(one[i].made.u, three[i].made.u, (size_t)(3 * one[i].made.knots) * sizeof(double)) == 0);
    }
    close_lab(&l);
}
END_TEST

START_TEST(jobs_that_were_not_begun_make_no_lines)
{
    lab l;
    open_lab(&l, 0.12, 0.01, 0.15, 0.03);
    trxi_job jobs[JOBS];
    trxi_prefix start;
    ck_assert_int_eq(trxi_prefix_create(l.pool, &l.task, &start), TRX_OK);
    for (int threads = 1; threads <= 3; threads += 2) ck_assert_int_eq(run(&l, threads, 0, jobs, &start), 0);
    close_lab(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("round");
    TCase *cases = tcase_create("round");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, threads_do_not_change_the_result);
    tcase_add_test(cases, jobs_that_were_not_begun_make_no_lines);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
