// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// pace PROBLEM SECONDS: simulates a problem file for SECONDS of its time and prints one line. Then it reads numbers K from stdin,
// and prints a line after K more steps. scripts/bench_clutter lets this program and another simulator take turns; not a test. A
// line:
//
//     median and mean time of a step [us], contacts with force, iterations (means), largest speed [m/s or rad/s], memory [kB]
//
// The memory is the most that the process ever held, from /proc/self/status, 0 where there is none.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tractrix/tractrix.h>

typedef struct bench {
    trx_context *context;
    trx_problem *problem;
    trx_sim *sim;
    double *x, *times;
    int capacity;
} bench;

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static long peak_memory(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    long kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "VmHWM:", 6)) kilobytes = strtol(line + 6, NULL, 10);
    if (file) fclose(file);
    return kilobytes;
}

static int pressing(trx_sim *sim)
{
    const trx_contact *contacts;
    int count = trx_sim_contacts(sim, &contacts), pressed = 0;
    for (int i = 0; i < count; i++) pressed += contacts[i].f_n > 0;
    return pressed;
}

// steps and times them; false after a failed step
static bool take(bench *b, int steps)
{
    trx_model_size size = trx_model_get_size(trx_problem_model(b->problem));
    double sum = 0, contacts = 0, iterations = 0, fastest = 0;
    for (int k = 0; k < steps; k++) {
        double start = now_us();
        trx_status status = trx_step(b->sim, b->x, NULL, b->x);
        b->times[k] = now_us() - start;
        if (status < 0) {
            fprintf(stderr, "pace: step %d: %s\n", k + 1, trx_context_message(b->context));
            return false;
        }
        sum += b->times[k];
        contacts += pressing(b->sim);
        iterations += trx_sim_step_info(b->sim).iterations;
    }
    for (int i = 0; i < size.nv; i++) fastest = fmax(fastest, fabs(b->x[size.nq + i]));
    qsort(b->times, (size_t)steps, sizeof *b->times, by_size);
    printf("%.6g %.6g %.6g %.6g %.3g %ld\n", b->times[steps / 2], sum / steps, contacts / steps, iterations / steps,
           fastest, peak_memory());
    fflush(stdout);
    return true;
}

static bool start(bench *b, const char *path, double seconds, int *steps)
{
    if (trx_context_create(NULL, &b->context) < 0) return false;
    if (trx_problem_load(b->context, path, NULL, &b->problem) < 0) return false;
    trx_sim_settings settings = trx_problem_sim_settings(b->problem);
    const trx_model *model = trx_problem_model(b->problem);
    if (trx_sim_create(b->context, model, &settings, &b->sim) < 0) return false;
    trx_model_size size = trx_model_get_size(model);
    *steps = (int)fmax(1, round(seconds / settings.time_step));
    b->capacity = *steps > 100000 ? *steps : 100000;
    b->times = malloc((size_t)b->capacity * sizeof *b->times);
    b->x = malloc((size_t)(size.nq + size.nv) * sizeof *b->x);
    if (!b->times || !b->x) return false;
    memcpy(b->x, trx_problem_start(b->problem), (size_t)(size.nq + size.nv) * sizeof *b->x);
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "pace PROBLEM SECONDS\n");
        return 2;
    }
    trx_process_use_one_blas_thread();
    bench b = {0};
    int steps = 0;
    bool fine = start(&b, argv[1], strtod(argv[2], NULL), &steps);
    if (!fine) fprintf(stderr, "pace: %s\n", b.context ? trx_context_message(b.context) : "out of memory");
    else fine = take(&b, steps);

    char line[100];
    while (fine && fgets(line, sizeof line, stdin)) {
        int count = atoi(line);
        fine = count > 0 && count <= b.capacity && take(&b, count);
    }
    free(b.times);
    free(b.x);
    trx_sim_destroy(b.sim);
    trx_problem_destroy(b.problem);
    trx_context_destroy(b.context);
    return fine ? 0 : 1;
}
