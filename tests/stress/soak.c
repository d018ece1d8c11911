// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// soak PROBLEM STEPS: simulates a problem file through the library for so many steps, for scripts/soak; not a test. Every 500
// steps the run begins again at the start of the file with other velocities, so that bodies keep colliding; every 100 steps comes
// an adjoint product. Prints a line of JSON after 1000, 10,000, 100,000 ... steps: memory of the process, most contacts so
// far, failed steps.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/tractrix.h>
#include <unistd.h>

#include "base/random.h"

enum { BETWEEN_STARTS = 500, BETWEEN_PRODUCTS = 100, FIRST_LINE = 1000 };

// resident memory [kB]
static long resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void begin(const trx_problem *problem, trx_model_size size, long steps, double *x)
{
    memcpy(x, trx_problem_start(problem), (size_t)size.nstate * sizeof *x);
    for (int i = 0; i < size.nv; i++) x[size.nq + i] += trxi_random_normal(1, (uint64_t)(steps + i));
}

static trx_status soak(trx_context *context, const char *path, long most)
{
    trx_problem *problem = NULL;
    trx_sim *sim = NULL;
    trx_status status = trx_problem_load(context, path, NULL, &problem);
    const trx_sim_settings settings = status < 0 ? trx_sim_settings_default() : trx_problem_sim_settings(problem);
    if (status >= 0) status = trx_sim_create(context, trx_problem_model(problem), &settings, &sim);
    const trx_model_size size = status < 0 ? (trx_model_size){0} : trx_model_get_size(trx_problem_model(problem));
    double *x = calloc((size_t)(size.nstate + 2 * size.ntangent) + 1, sizeof *x);
    if (!x) exit(1);
    double *seed = x + size.nstate, *grad = seed + size.ntangent;
    int contacts = 0;
    long failed = 0;
    for (long k = 0, line = FIRST_LINE; status >= 0 && k < most; k++) {
        if (k % BETWEEN_STARTS == 0) begin(problem, size, k, x);
        failed += trx_step(sim, x, NULL, x) < 0;
        seed[k % size.ntangent] = 1;
        if (k % BETWEEN_PRODUCTS == 0) status = trx_step_vjp(sim, seed, grad, NULL);
        contacts = trx_sim_contacts(sim, NULL) > contacts ? trx_sim_contacts(sim, NULL) : contacts;
        if (k + 1 != line) continue;
        printf("{\"steps\": %ld, \"resident\": %ld, \"contacts\": %d, \"failed\": %ld}\n", k + 1, resident(), contacts, failed);
        fflush(stdout);
        line *= 10;
    }
    free(x);
    trx_sim_destroy(sim);
    trx_problem_destroy(problem);
    return status;
}

int main(int argc, char **argv)
{
    trx_context *context;
    if (argc != 3 || atol(argv[2]) < 1) {
        fprintf(stderr, "soak PROBLEM STEPS\n");
        return 2;
    }
    trx_process_use_one_blas_thread();
    if (trx_context_create(NULL, &context) < 0) return 1;
    trx_status status = soak(context, argv[1], atol(argv[2]));
    if (status < 0) fprintf(stderr, "soak: %s: %s\n", argv[1], trx_context_message(context));
    trx_context_destroy(context);
    return status < 0;
}
