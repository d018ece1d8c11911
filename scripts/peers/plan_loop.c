// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// plan_loop PROBLEM ROUNDS KEY=VALUE...: solves the plan of a problem file ROUNDS times in one process, each time from the file's
// guess and without its replays, for scripts/bench_methods. Every KEY=VALUE replaces a value of the file. Prints the processor
// time of each solve [s], one a line. The first ones warm the caches.

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tractrix/tractrix.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(trx_context *context, trx_status status)
{
    if (status >= 0) return;
    fprintf(stderr, "plan_loop: %s\n", trx_context_message(context));
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 3) return 2;
    trx_context *context;
    trx_problem *problem;
    trx_plan_problem task;
    trx_plan_settings settings;
    trx_plan *plan;
    trx_problem_options options = trx_problem_options_default();
    options.set = (const char *const *)(argv + 3), options.nset = argc - 3;
    if (trx_context_create(NULL, &context) < 0) return 1;
    check(context, trx_problem_load(context, argv[1], &options, &problem));
    check(context, trx_problem_plan(problem, &task, &settings));
    settings.judge = false;
    check(context, trx_plan_create(context, &task, &settings, &plan));
    for (int k = 0, rounds = atoi(argv[2]); k < rounds; k++) {
        check(context, trx_plan_set_guess(plan, task.u_guess, NULL));
        const double start = now();
        check(context, trx_plan_solve(plan, NULL, NULL));
        printf("%.9f\n", now() - start);
    }
    trx_plan_destroy(plan);
    trx_problem_destroy(problem);
    trx_context_destroy(context);
    return 0;
}
