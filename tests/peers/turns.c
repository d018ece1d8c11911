// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// turns PROBLEM CONTROLS STEPS [KEY=VALUE...]: simulates a problem file for so many steps under the first row of a table of
// controls (- for none). Then it reads commands from stdin and executes them at the state reached. scripts/bench_peers lets this
// program and another simulator take turns; not a test. Every answer is one line of JSON:
//
//     (at the start)   sizes, start, controls, state, the state one step earlier, contacts, iterations, residual
//     step N           median time of N steps from the state reached [us]
//     jac N, vjp N     the same of a step and its derivatives, of a step and one adjoint product
//     matrices         A, B, the same by extrapolated differences, column-major, and whether the state lies at a kink
//     run N            N steps from the start: states
//
// A time is measured by two readings of the clock, before and after one call.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/tractrix.h>

typedef struct turns {
    trx_context *context;
    trx_problem *problem;
    trx_sim *sim;
    int nq, nv, nu, nx;
    double *u, *x, *before, *next, *seed, *grad, *A, *B, *A_fd, *B_fd, *times;
} turns;

enum { MOST = 1000000 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_array(const char *name, const double *values, int count)
{
    printf("\"%s\": [", name);
    for (int i = 0; i < count; i++) printf(i ? ", %.17g" : "%.17g", values[i]);
    fputs("]", stdout);
}

static double *numbers(size_t count)
{
    double *values = calloc(count + 1, sizeof *values);
    if (!values) exit(1);
    return values;
}

static void allocate(turns *t)
{
    size_t n = 2 * (size_t)t->nv, nu = (size_t)t->nu, nx = (size_t)t->nx;
    t->u = numbers(nu * (size_t)trx_problem_steps(t->problem));
    t->x = numbers(nx);
    t->before = numbers(nx);
    t->next = numbers(nx);
    t->seed = numbers(n);
    t->grad = numbers(n + nu);
    t->A = numbers(n * n);
    t->B = numbers(n * nu);
    t->A_fd = numbers(n * n);
    t->B_fd = numbers(n * nu);
    t->times = numbers(MOST);
    for (size_t i = 0; i < n; i++) t->seed[i] = 1.0 / (double)(i + 1);
}

static bool open_turns(turns *t, int argc, char **argv)
{
    if (trx_context_create(NULL, &t->context) < 0) return false;
    trx_problem_options options = trx_problem_options_default();
    options.set = (const char *const *)(argv + 4);
    options.nset = argc - 4;
    if (trx_problem_load(t->context, argv[1], &options, &t->problem) < 0) return false;
    const trx_model *model = trx_problem_model(t->problem);
    trx_sim_settings settings = trx_problem_sim_settings(t->problem);
    if (trx_sim_create(t->context, model, &settings, &t->sim) < 0) return false;
    trx_model_size size = trx_model_get_size(model);
    t->nq = size.nq;
    t->nv = size.nv;
    t->nu = size.nu;
    t->nx = size.nq + size.nv;
    allocate(t);
    return !strcmp(argv[2], "-") || trx_problem_read_controls(t->problem, argv[2], t->u) >= 0;
}

// contacts that press, gaps below zero, and pairs that have such gaps, in the last step
static void count_contacts(trx_sim *sim, int *pressing, int *overlapping, int *pairs)
{
    const trx_contact *contacts;
    int count = trx_sim_contacts(sim, &contacts);
    *pressing = *overlapping = *pairs = 0;
    int last = -1;
    for (int i = 0; i < count; i++) {
        *pressing += contacts[i].f_n > 0;
        if (contacts[i].distance >= 0) continue;
        *overlapping += 1;
        *pairs += contacts[i].pair != last;
        last = contacts[i].pair;
    }
}

// simulates to the state at which everything is measured, and one step more, whose contacts and numbers are printed
static bool settle(turns *t, int steps)
{
    memcpy(t->x, trx_problem_start(t->problem), (size_t)t->nx * sizeof *t->x);
    memcpy(t->before, t->x, (size_t)t->nx * sizeof *t->x);
    for (int k = 0; k < steps; k++) {
        memcpy(t->before, t->x, (size_t)t->nx * sizeof *t->x);
        if (trx_step(t->sim, t->x, t->u, t->x) < 0) return false;
    }
    if (trx_step(t->sim, t->x, t->u, t->next) < 0) return false;
    trx_step_info info = trx_sim_step_info(t->sim);
    int pressing, overlapping, pairs;
    count_contacts(t->sim, &pressing, &overlapping, &pairs);
    printf("{\"nq\": %d, \"nv\": %d, \"nu\": %d, \"pressing\": %d, \"overlapping\": %d, \"pairs\": %d, \"listed\": %d, "
           "\"iterations\": %d, \"residual\": %.3g, ", t->nq, t->nv, t->nu, pressing, overlapping, pairs, info.contacts,
           info.iterations, trx_sim_momentum_residual(t->sim));
    print_array("start", trx_problem_start(t->problem), t->nx);
    fputs(", ", stdout);
    print_array("u", t->u, t->nu);
    fputs(", ", stdout);
    print_array("before", t->before, t->nx);
    fputs(", ", stdout);
    print_array("x", t->x, t->nx);
    fputs("}\n", stdout);
    return true;
}

// not inlined: scripts/profile finds the timed calls by the name of this function
__attribute__((noinline)) static bool time_calls(turns *t, const char *what, int count)
{
    bool jac = !strcmp(what, "jac"), vjp = !strcmp(what, "vjp");
    for (int k = 0; k < count; k++) {
        double start = trx_clock();
        trx_status status = trx_step(t->sim, t->x, t->u, t->next);
        if (status >= 0 && jac) status = trx_step_jac(t->sim, t->A, t->B);
        if (status >= 0 && vjp) status = trx_step_vjp(t->sim, t->seed, t->grad, t->grad + 2 * t->nv);
        t->times[k] = trx_clock() - start;
        if (status < 0) return false;
    }
    qsort(t->times, (size_t)count, sizeof *t->times, by_size);
    printf("{\"us\": %.17g}\n", 1e6 * t->times[count / 2]);
    return true;
}

// derivatives at the tolerance of derivatives' tests, and their reference
static bool print_matrices(turns *t)
{
    bool kink;
    int n = 2 * t->nv;
    if (trx_step_fd(t->sim, t->x, t->u, 1e-4, t->A_fd, t->B_fd, &kink) < 0) return false;
    if (trx_step_jac(t->sim, t->A, t->B) < 0) return false;
    printf("{\"kink\": %s, ", kink ? "true" : "false");
    print_array("A", t->A, n * n);
    fputs(", ", stdout);
    print_array("B", t->B, n * t->nu);
    fputs(", ", stdout);
    print_array("A_fd", t->A_fd, n * n);
    fputs(", ", stdout);
    print_array("B_fd", t->B_fd, n * t->nu);
    fputs("}\n", stdout);
    return true;
}

static bool print_run(turns *t, int count)
{
    memcpy(t->next, trx_problem_start(t->problem), (size_t)t->nx * sizeof *t->next);
    fputs("{", stdout);
    for (int k = 0; k < count; k++) {
        if (trx_step(t->sim, t->next, t->u, t->next) < 0) return false;
        char name[20];
        snprintf(name, sizeof name, "%d", k + 1);
        if (k) fputs(", ", stdout);
        print_array(name, t->next, t->nx);
    }
    fputs("}\n", stdout);
    return true;
}

static bool answer(turns *t, const char *what, int count)
{
    if (!strcmp(what, "matrices")) return print_matrices(t);
    if (count < 1 || count > MOST) return false;
    if (!strcmp(what, "run")) return print_run(t, count);
    return time_calls(t, what, count);
}

static void close_turns(turns *t)
{
    double *blocks[] = {t->u, t->x, t->before, t->next, t->seed, t->grad, t->A, t->B, t->A_fd, t->B_fd, t->times};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    trx_sim_destroy(t->sim);
    trx_problem_destroy(t->problem);
    trx_context_destroy(t->context);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "turns PROBLEM CONTROLS STEPS [KEY=VALUE...]\n");
        return 2;
    }
    trx_process_use_one_blas_thread();
    turns t = {0};
    bool fine = open_turns(&t, argc, argv) && settle(&t, atoi(argv[3]));
    fflush(stdout);
    char line[100], what[20];
    while (fine && fgets(line, sizeof line, stdin)) {
        int count = 0;
        fine = sscanf(line, "%19s %d", what, &count) >= 1 && answer(&t, what, count);
        fflush(stdout);
    }
    if (!fine) fprintf(stderr, "turns: %s: %s\n", argv[1], t.context ? trx_context_message(t.context) : "out of memory");
    close_turns(&t);
    return fine ? 0 : 1;
}
