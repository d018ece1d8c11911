// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A small program with known solution (Hock and Schittkowski 71) through Ipopt's process, with its Hessian and with
// L-BFGS; values that cannot be computed; and processes that die, hang, talk nonsense, or have no memory.

#define _GNU_SOURCE
#include "nlp/solver.h"
#include "support/support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// min x1 x4 (x1 + x2 + x3) + x3, x1 x2 x3 x4 >= 25, |x|^2 = 40, 1 <= x <= 5; solution 17.0140173
typedef struct hs71 {
    trxi_nlp nlp;
    double lower[4], upper[4], g_lower[2], g_upper[2], start[4], x[4];
    uint64_t jacobian[8], hessian[10];
    int asked, refuse; // evaluations so far; number of the first evaluation that fails, as all later ones do, 0: none
} hs71;

static void jacobian_of(const double *x, double *out)
{
    const double all = x[0] * x[1] * x[2] * x[3];
    for (int i = 0; i < 4; i++) {
        out[i] = all / x[i];
        out[4 + i] = 2 * x[i];
    }
}

static void hessian_of(const double *x, double factor, const double *lambda, double *out)
{
    double H[4][4] = {{0}};
    const double all = x[0] * x[1] * x[2] * x[3];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) H[i][j] = i == j ? 2 * lambda[1] : lambda[0] * all / (x[i] * x[j]);
    H[0][0] += factor * 2 * x[3];
    H[1][0] += factor * x[3];
    H[2][0] += factor * x[3];
    H[3][0] += factor * (2 * x[0] + x[1] + x[2]);
    H[3][1] += factor * x[0];
    H[3][2] += factor * x[0];
    for (int i = 0, e = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) out[e++] = H[i][j];
}

static bool evaluate(void *user, trxi_nlp_value what, const double *x, double factor, const double *lambda, double *out)
{
    hs71 *p = user;
    const double sum = x[0] + x[1] + x[2];
    p->asked++;
    memcpy(p->x, x, sizeof p->x);
    if (p->refuse > 0 && p->asked >= p->refuse) return false;
    switch (what) {
    case TRXI_NLP_F: out[0] = x[0] * x[3] * sum + x[2]; break;
    case TRXI_NLP_GRADIENT:
        out[0] = x[3] * (sum + x[0]), out[1] = x[0] * x[3], out[2] = x[0] * x[3] + 1, out[3] = x[0] * sum;
        break;
    case TRXI_NLP_G:
        out[0] = x[0] * x[1] * x[2] * x[3];
        out[1] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
        break;
    case TRXI_NLP_JACOBIAN: jacobian_of(x, out); break;
    case TRXI_NLP_HESSIAN: hessian_of(x, factor, lambda, out); break;
    }
    return true;
}

static void make_program(hs71 *p, bool hessian)
{
    *p = (hs71){.lower = {1, 1, 1, 1}, .upper = {5, 5, 5, 5}, .start = {1, 5, 5, 1}, .g_lower = {25, 40}};
    p->g_upper[0] = INFINITY, p->g_upper[1] = 40;
    int e = 0;
    for (uint64_t i = 0; i < 8; i++) p->jacobian[i] = (i / 4) << 32 | (i % 4);
    for (uint64_t i = 0; i < 4; i++)
        for (uint64_t j = 0; j <= i; j++) p->hessian[e++] = i << 32 | j;
    p->nlp = (trxi_nlp){.n = 4, .m = 2, .njacobian = 8, .nhessian = hessian ? 10 : 0, .x_lower = p->lower, .x_upper = p->upper,
                        .g_lower = p->g_lower, .g_upper = p->g_upper, .start = p->start, .jacobian = p->jacobian,
                        .hessian = p->hessian, .tolerance = 1e-9, .evaluate = evaluate, .user = p};
}

static trx_context *context;

static void open_context(void)
{
    ck_assert_int_eq(trx_context_create(NULL, &context), TRX_OK);
}

static void close_context(void)
{
    trx_context_destroy(context);
}

static trxi_nlp_solver *make_solver(const char *program, const hs71 *p, double silence)
{
    trxi_nlp_solver *solver;
    ck_assert_int_eq(trxi_nlp_create(context, program, &p->nlp, silence, &solver), TRX_OK);
    return solver;
}

// all iterations
static trxi_nlp_event run(trxi_nlp_solver *solver, const hs71 *p, trxi_nlp_iteration *last, int *result)
{
    trxi_nlp_event event = trxi_nlp_start(solver, &p->nlp) ? TRXI_NLP_ITERATED : TRXI_NLP_LOST;
    while (event == TRXI_NLP_ITERATED) event = trxi_nlp_serve(solver, INFINITY, last, result);
    return event;
}

static const char *ipopt(void)
{
    return getenv("TRACTRIX_IPOPT");
}

START_TEST(a_known_solution_is_found)
{
    static const double solution[4] = {1, 4.7429994, 3.8211503, 1.3794082};
    if (!ipopt()) return;
    for (int hessian = 0; hessian < 2; hessian++) {
        hs71 p;
        trxi_nlp_iteration last;
        int result = -1;
        make_program(&p, hessian == 1);
        trxi_nlp_solver *solver = make_solver(ipopt(), &p, 60);

        // the second solve is like the first
        double f[2];
        for (int i = 0; i < 2; i++) {
            ck_assert_int_eq(run(solver, &p, &last, &result), TRXI_NLP_SOLVED);
            ck_assert_int_eq(result, 0);
            assert_below(max_difference(p.x, solution, 4), 1e-6);
            f[i] = last.f;
        }
        assert_close(f[0], 17.0140173, 1e-6);
        ck_assert(f[0] == f[1] && last.number >= 5 && last.primal < 1e-8);
        trxi_nlp_destroy(context, solver);
    }
}
END_TEST

START_TEST(values_that_cannot_be_computed_end_the_solve)
{
    if (!ipopt()) return;
    hs71 p;
    trxi_nlp_iteration last;
    int result = 0;
    make_program(&p, true);
    p.refuse = 1;
    trxi_nlp_solver *solver = make_solver(ipopt(), &p, 60);
    ck_assert_int_eq(run(solver, &p, &last, &result), TRXI_NLP_SOLVED);
    ck_assert_int_lt(result, 0);
    trxi_nlp_destroy(context, solver);
}
END_TEST

// (x - 3)^2: an iteration line is longer than all values of this program
static bool evaluate_parabola(void *user, trxi_nlp_value what, const double *x, double factor, const double *lambda, double *out)
{
    double *last = user;
    (void)lambda;
    if (what == TRXI_NLP_F) out[0] = (x[0] - 3) * (x[0] - 3);
    else if (what == TRXI_NLP_GRADIENT) out[0] = 2 * (x[0] - 3);
    else out[0] = 2 * factor;
    *last = x[0];
    return true;
}

// the iteration lines of such a program were written beyond the buffer of the process
START_TEST(a_program_of_one_variable_is_solved)
{
    if (!ipopt()) return;
    const double lower = 0, upper = 10, start = 9;
    const uint64_t entry = 0;
    double x = 0;
    const trxi_nlp nlp = {.n = 1, .nhessian = 1, .x_lower = &lower, .x_upper = &upper, .start = &start, .hessian = &entry,
                          .tolerance = 1e-9, .evaluate = evaluate_parabola, .user = &x};
    trxi_nlp_solver *solver;
    trxi_nlp_iteration line;
    int result = -1;
    ck_assert_int_eq(trxi_nlp_create(context, ipopt(), &nlp, 60, &solver), TRX_OK);
    trxi_nlp_event event = trxi_nlp_start(solver, &nlp) ? TRXI_NLP_ITERATED : TRXI_NLP_LOST;
    while (event == TRXI_NLP_ITERATED) event = trxi_nlp_serve(solver, INFINITY, &line, &result);
    ck_assert_msg(event == TRXI_NLP_SOLVED, "%s", trxi_nlp_text(solver));
    ck_assert_int_eq(result, 0);
    assert_close(x, 3, 1e-6);
    trxi_nlp_destroy(context, solver);
}
END_TEST

// sends a signal to Ipopt's processes, the children of this process, whose numbers the solver keeps to itself
static void kill_children(int number)
{
    char command[128];
    snprintf(command, sizeof command, "kill -%d $(ps -o pid=,comm= --ppid %d | awk '/tractrix-ipopt/ { print $1 }')", number,
             (int)getpid());
    if (system(command) != 0) return;
}

START_TEST(a_killed_process_is_lost_and_the_next_solve_works)
{
    if (!ipopt()) return;
    hs71 p;
    trxi_nlp_iteration line;
    int result = -1;
    make_program(&p, true);
    trxi_nlp_solver *solver = make_solver(ipopt(), &p, 60);
    for (int iterations = 0; iterations < 4; iterations++) {
        ck_assert(trxi_nlp_start(solver, &p.nlp));
        for (int i = 0; i < iterations; i++) ck_assert_int_eq(trxi_nlp_serve(solver, INFINITY, &line, &result), TRXI_NLP_ITERATED);
        kill_children(SIGKILL);
        ck_assert_int_eq(trxi_nlp_serve(solver, INFINITY, &line, &result), TRXI_NLP_LOST);
        ck_assert_msg(strstr(trxi_nlp_text(solver), "killed by signal 9") != NULL, "%s", trxi_nlp_text(solver));
    }
    ck_assert_int_eq(run(solver, &p, &line, &result), TRXI_NLP_SOLVED);
    ck_assert_str_eq(trxi_nlp_text(solver), "");
    trxi_nlp_destroy(context, solver);
}
END_TEST

START_TEST(a_stopped_process_is_silent)
{
    if (!ipopt()) return;
    hs71 p;
    trxi_nlp_iteration line;
    int result;
    make_program(&p, true);
    trxi_nlp_solver *solver = make_solver(ipopt(), &p, 0.3);
    ck_assert(trxi_nlp_start(solver, &p.nlp));
    ck_assert_int_eq(trxi_nlp_serve(solver, INFINITY, &line, &result), TRXI_NLP_ITERATED);
    kill_children(SIGSTOP);
    ck_assert_int_eq(trxi_nlp_serve(solver, INFINITY, &line, &result), TRXI_NLP_LOST);
    ck_assert_ptr_nonnull(strstr(trxi_nlp_text(solver), "no answer for 0.3 s"));

    // a deadline comes before the silence
    ck_assert(trxi_nlp_start(solver, &p.nlp));
    kill_children(SIGSTOP);
    ck_assert_int_eq(trxi_nlp_serve(solver, trx_clock() + 0.05, &line, &result), TRXI_NLP_OUT_OF_TIME);
    trxi_nlp_destroy(context, solver);
}
END_TEST

START_TEST(a_process_without_memory_is_lost)
{
    if (!ipopt()) return;
    for (int megabytes = 16; megabytes <= 64; megabytes *= 2) {
        hs71 p;
        trxi_nlp_iteration line;
        int result = 0;
        make_program(&p, true);
        p.nlp.memory = megabytes;
        trxi_nlp_solver *solver = make_solver(ipopt(), &p, 5);
        const trxi_nlp_event event = run(solver, &p, &line, &result);
        const bool failed = event == TRXI_NLP_LOST || (event == TRXI_NLP_SOLVED && result < 0);
        ck_assert_msg(failed, "%d MB: %d, %d", megabytes, event, result);
        trxi_nlp_destroy(context, solver);
    }
}
END_TEST

// programs that know nothing of frames
START_TEST(other_programs_are_lost)
{
    static const struct {
        const char *program, *text;
    } cases[] = {{"/bin/true", "exit code 0"}, {"/bin/cat", "no answer for 0.5 s"}, {"/nowhere/ipopt", "No such file"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hs71 p;
        trxi_nlp_iteration line;
        int result;
        make_program(&p, true);
        trxi_nlp_solver *solver = make_solver(cases[i].program, &p, 0.5);
        ck_assert_int_eq(run(solver, &p, &line, &result), TRXI_NLP_LOST);
        ck_assert_ptr_nonnull(strstr(trxi_nlp_text(solver), cases[i].program));
        const bool told = strstr(trxi_nlp_text(solver), cases[i].text) || strstr(trxi_nlp_text(solver), "signal");
        ck_assert_msg(told, "%s", trxi_nlp_text(solver));
        trxi_nlp_destroy(context, solver);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nlp/solver");
    TCase *cases = tcase_create("solver");
    tcase_set_timeout(cases, 60);
    tcase_add_checked_fixture(cases, open_context, close_context);
    tcase_add_test(cases, a_known_solution_is_found);
    tcase_add_test(cases, a_program_of_one_variable_is_solved);
    tcase_add_test(cases, values_that_cannot_be_computed_end_the_solve);
    tcase_add_test(cases, a_killed_process_is_lost_and_the_next_solve_works);
    tcase_add_test(cases, a_stopped_process_is_silent);
    tcase_add_test(cases, a_process_without_memory_is_lost);
    tcase_add_test(cases, other_programs_are_lost);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
