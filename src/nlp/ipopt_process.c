// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// tractrix-ipopt: Ipopt (Waechter, Biegler 2006) as a process of its own. Descriptor 0 is a socket to the caller, which
// sends a nonlinear program (nlp/solver.h) and evaluates it on request. This process knows no model. It may run out of
// memory or die without harm to the caller. It ends when the caller closes the socket.

#include "nlp/frame.h"
#include "nlp/solver.h"

#include <IpStdCInterface.h>

#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#ifdef TRX_IPOPT_3_14
typedef ipnumber number;
typedef ipindex whole;
typedef bool flag;
#else
typedef Number number;
typedef Index whole;
typedef Bool flag;
#endif

enum { CALLER = 0, OUT_OF_MEMORY = 3, BAD_PROGRAM = 4 };

// the program as it came, and a buffer for requests, values and lines
typedef struct program {
    size_t n, m, njacobian, nhessian;
    bool warm;
    double tolerance;
    double *x_lower, *x_upper, *g_lower, *g_upper, *start;
    uint64_t *jacobian, *hessian;
    uint64_t *words;
    size_t capacity;
} program;

// ---- values from the caller ----

// the value of a kind at x; `out` has `count` numbers
static flag ask(const program *p, trxi_nlp_value what, const number *x, number factor, const number *lambda, size_t count,
                number *out)
{
    uint32_t kind;
    size_t got;
    p->words[0] = (uint64_t)what;
    p->words[1] = trxi_word(factor);
    memcpy(p->words + 2, x, p->n * sizeof *x);
    if (lambda) memcpy(p->words + 2 + p->n, lambda, p->m * sizeof *lambda);
    else memset(p->words + 2 + p->n, 0, p->m * sizeof *p->words);
    if (trxi_frame_send(CALLER, TRXI_NLP_REQUEST, p->words, 2 + p->n + p->m, INFINITY) != TRXI_FRAME_OK) exit(EXIT_SUCCESS);
    if (trxi_frame_receive(CALLER, &kind, p->words, p->capacity, &got, INFINITY) != TRXI_FRAME_OK) exit(EXIT_SUCCESS);
    if (kind != TRXI_NLP_VALUES || got < 1 || p->words[0] != 1 || got != 1 + count) return 0;
    memcpy(out, p->words + 1, count * sizeof *out);
    return 1;
}

static flag eval_f(whole n, number *x, flag is_new, number *f, void *user)
{
    (void)n, (void)is_new;
    return ask(user, TRXI_NLP_F, x, 1, NULL, 1, f);
}

static flag eval_gradient(whole n, number *x, flag is_new, number *gradient, void *user)
{
    (void)is_new;
    return ask(user, TRXI_NLP_GRADIENT, x, 1, NULL, (size_t)n, gradient);
}

static flag eval_g(whole n, number *x, flag is_new, whole m, number *g, void *user)
{
    (void)n, (void)is_new;
    return m == 0 || ask(user, TRXI_NLP_G, x, 1, NULL, (size_t)m, g);
}

static void fill_entries(const uint64_t *entries, whole count, whole *rows, whole *columns)
{
    for (whole i = 0; i < count; i++) {
        rows[i] = (whole)(entries[i] >> 32);
        columns[i] = (whole)(entries[i] & UINT32_MAX);
    }
}

static flag eval_jacobian(whole n, number *x, flag is_new, whole m, whole count, whole *rows, whole *columns, number *values,
                          void *user)
{
    const program *p = user;
    (void)n, (void)m, (void)is_new;
    if (values) return ask(p, TRXI_NLP_JACOBIAN, x, 1, NULL, (size_t)count, values);
    fill_entries(p->jacobian, count, rows, columns);
    return 1;
}

static flag eval_hessian(whole n, number *x, flag is_new, number factor, whole m, number *lambda, flag new_lambda, whole count,
                         whole *rows, whole *columns, number *values, void *user)
{
    const program *p = user;
    (void)n, (void)m, (void)is_new, (void)new_lambda;
    if (values) return ask(p, TRXI_NLP_HESSIAN, x, factor, lambda, (size_t)count, values);
    fill_entries(p->hessian, count, rows, columns);
    return 1;
}

// sends a line of the table to the caller; the answer says whether to go on
static flag report(whole mode, whole iteration, number f, number primal, number dual, number mu, number step_norm,
                   number regularization, number dual_step, number step, whole trials, void *user)
{
    const program *p = user;
    const double line[TRXI_NLP_NUMBERS] = {iteration, f, primal, dual, mu, step_norm, regularization, dual_step, step, trials};
    uint32_t kind;
    size_t count;
    (void)mode;
    memcpy(p->words, line, sizeof line);
    if (trxi_frame_send(CALLER, TRXI_NLP_ITERATION, p->words, TRXI_NLP_NUMBERS, INFINITY) != TRXI_FRAME_OK) exit(EXIT_SUCCESS);
    if (trxi_frame_receive(CALLER, &kind, p->words, p->capacity, &count, INFINITY) != TRXI_FRAME_OK) exit(EXIT_SUCCESS);
    return kind == TRXI_NLP_CONTINUE && count == 1 && p->words[0] == 1;
}

// ---- the solve ----

static void set_text(IpoptProblem problem, const char *key, const char *value)
{
    char name[64], text[64];
    strncpy(name, key, sizeof name - 1), name[sizeof name - 1] = '\0';
    strncpy(text, value, sizeof text - 1), text[sizeof text - 1] = '\0';
    AddIpoptStrOption(problem, name, text);
}

static void set_number(IpoptProblem problem, const char *key, double value)
{
    char name[64];
    strncpy(name, key, sizeof name - 1), name[sizeof name - 1] = '\0';
    AddIpoptNumOption(problem, name, value);
}

static void set_whole(IpoptProblem problem, const char *key, int value)
{
    char name[64];
    strncpy(name, key, sizeof name - 1), name[sizeof name - 1] = '\0';
    AddIpoptIntOption(problem, name, value);
}

static void set_options(IpoptProblem problem, const program *p)
{
    set_whole(problem, "print_level", 0);
    set_whole(problem, "max_iter", 1000000); // the caller stops
    set_number(problem, "tol", p->tolerance);
    set_text(problem, "sb", "yes");
    set_text(problem, "linear_solver", "mumps");
    if (p->nhessian == 0) set_text(problem, "hessian_approximation", "limited-memory");

    // the start is near the solution: the barrier begins small, and the start may stay close to active bounds
    if (!p->warm) return;
    set_number(problem, "mu_init", 1e-6);
    set_number(problem, "bound_push", 1e-9);
    set_number(problem, "bound_frac", 1e-9);
}

static int solve(program *p)
{
    IpoptProblem problem =
        CreateIpoptProblem((whole)p->n, p->x_lower, p->x_upper, (whole)p->m, p->g_lower, p->g_upper, (whole)p->njacobian,
                           (whole)p->nhessian, 0, eval_f, eval_g, eval_gradient, eval_jacobian, eval_hessian);
    if (!problem) return BAD_PROGRAM;
    set_options(problem, p);
    SetIntermediateCallback(problem, report);
    number f;
    const int result = (int)IpoptSolve(problem, p->start, NULL, &f, NULL, NULL, NULL, p);
    FreeIpoptProblem(problem);
    p->words[0] = (uint64_t)(int64_t)result;
    trxi_frame_send(CALLER, TRXI_NLP_END, p->words, 1, INFINITY);
    return EXIT_SUCCESS;
}

// limits the address space of this process, before the program takes memory
static void limit_memory(uint64_t megabytes)
{
    const struct rlimit limit = {(rlim_t)megabytes << 20, (rlim_t)megabytes << 20};
    if (megabytes > 0) setrlimit(RLIMIT_AS, &limit);
}

static double *next_numbers(uint64_t *words, size_t *at, size_t count)
{
    double *numbers = (double *)(words + *at);
    *at += count;
    return numbers;
}

static void read_program(uint64_t *words, program *p)
{
    size_t at = TRXI_NLP_HEAD;
    p->warm = words[TRXI_NLP_WARM] == 1;
    p->tolerance = trxi_number(words[TRXI_NLP_TOLERANCE]);
    p->x_lower = next_numbers(words, &at, p->n);
    p->x_upper = next_numbers(words, &at, p->n);
    p->g_lower = next_numbers(words, &at, p->m);
    p->g_upper = next_numbers(words, &at, p->m);
    p->start = next_numbers(words, &at, p->n);
    p->jacobian = words + at;
    p->hessian = p->jacobian + p->njacobian;
}

// keeps released memory of a factorization in the heap: the next factorization needs as much
static void keep_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

int main(void)
{
    enum { MOST_WORDS = 1 << 28 };
    keep_memory();
    // the caller decides about interruptions
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    uint32_t kind;
    size_t count;
    uint64_t sizes[TRXI_NLP_HEAD];
    if (trxi_frame_receive(CALLER, &kind, sizes, TRXI_NLP_HEAD, &count, INFINITY) != TRXI_FRAME_OK) return BAD_PROGRAM;
    if (kind != TRXI_NLP_SIZES || count != TRXI_NLP_HEAD) return BAD_PROGRAM;
    limit_memory(sizes[TRXI_NLP_MEMORY]);

    program p = {.n = sizes[TRXI_NLP_N], .m = sizes[TRXI_NLP_M], .njacobian = sizes[TRXI_NLP_NJACOBIAN],
                 .nhessian = sizes[TRXI_NLP_NHESSIAN]};
    if (p.n > MOST_WORDS || p.m > MOST_WORDS || p.njacobian > MOST_WORDS || p.nhessian > MOST_WORDS) return BAD_PROGRAM;
    const size_t length = TRXI_NLP_HEAD + 3 * p.n + 2 * p.m + p.njacobian + p.nhessian;
    p.capacity = TRXI_NLP_NUMBERS + 2 + p.n + p.m + (p.njacobian > p.nhessian ? p.njacobian : p.nhessian);
    uint64_t *words = malloc(length * sizeof *words);
    p.words = malloc(p.capacity * sizeof *p.words);
    if (!words || !p.words) return OUT_OF_MEMORY;
    if (trxi_frame_receive(CALLER, &kind, words, length, &count, INFINITY) != TRXI_FRAME_OK) return BAD_PROGRAM;
    if (kind != TRXI_NLP_PROGRAM || count != length) return BAD_PROGRAM;
    read_program(words, &p);
    const int code = solve(&p);
    free(words);
    free(p.words);
    return code;
}
