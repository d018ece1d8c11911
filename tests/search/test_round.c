// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A round: the first success in the order of the table wins, for every number of threads.

#include "search/lab.h"

#include "search/round.h"

enum { JOBS = 4 };

// what a round of four placements makes of its jobs, with some threads
static int run(lab *l, int threads, trxi_job *jobs, trxi_prefix *start)
{
    trxi_crew crew = {.threads = threads, .deadline = INFINITY};
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
    const int lines = run(&l, 1, one, &start);
    ck_assert_int_eq(run(&l, 3, three, &start), lines);
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

int main(void)
{
    Suite *suite = suite_create("round");
    TCase *cases = tcase_create("round");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, threads_do_not_change_the_result);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
