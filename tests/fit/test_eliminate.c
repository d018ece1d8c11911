// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Eliminating the start states of windows and solving for the rest gives the solution of the whole system.

#include "base/random.h"
#include "fit/eliminate.h"
#include "math/dense.h"
#include "support/support.h"

#include <string.h>

enum { NS = 3, NP = 2, N = NS + NP, WINDOWS = 3, ALL = WINDOWS * NS + NP };

// H = R^T R, g random, of one window
static void make_window(int seed, double *H, double *g)
{
    double R[2 * N * N];
    for (int i = 0; i < 2 * N * N; i++) R[i] = trxi_random_normal((uint64_t)seed, (uint64_t)i);
    trxi_gemm_tn(N, N, 2 * N, 1, R, 2 * N, R, 2 * N, 0, H, N);
    for (int i = 0; i < N; i++) g[i] = trxi_random_normal((uint64_t)seed + 100, (uint64_t)i);
}

// place of variable i of a window in the whole system
static int whole(int window, int i)
{
    return i < NS ? window * NS + i : WINDOWS * NS + i - NS;
}

START_TEST(elimination_agrees_with_the_whole_system)
{
    double H[WINDOWS][N * N], g[WINDOWS][N], L[WINDOWS][NS * NS], Y[WINDOWS][NS * NP], y[WINDOWS][NS];
    double A[ALL * ALL] = {0}, x[ALL] = {0}, P[NP * NP] = {0}, p[NP] = {0};
    for (int w = 0; w < WINDOWS; w++) {
        make_window(w, H[w], g[w]);
        for (int i = 0; i < N; i++) {
            x[whole(w, i)] -= g[w][i];
            for (int j = 0; j < N; j++) A[whole(w, j) * ALL + whole(w, i)] += H[w][j * N + i];
        }
        const trxi_eliminated e = {L[w], Y[w], y[w]};
        ck_assert(trxi_eliminate(NS, NP, H[w], g[w], 0, &e, P, p));
    }
    ck_assert_int_lt(trxi_cholesky(ALL, A, ALL), 0);
    trxi_cholesky_solve(ALL, A, ALL, 1, x, ALL);
    for (int k = 0; k < NP; k++) p[k] = -p[k];
    ck_assert_int_lt(trxi_cholesky(NP, P, NP), 0);
    trxi_cholesky_solve(NP, P, NP, 1, p, NP);
    for (int k = 0; k < NP; k++) assert_close(p[k], x[WINDOWS * NS + k], 1e-9);
    double predicted = 0, expected = 0, scratch[N];
    for (int w = 0; w < WINDOWS; w++) {
        double ds[NS];
        const trxi_eliminated e = {L[w], Y[w], y[w]};
        trxi_eliminated_step(NS, NP, &e, p, ds);
        for (int i = 0; i < NS; i++) assert_close(ds[i], x[w * NS + i], 1e-9);
        predicted += trxi_predicted_decrease(NS, NP, H[w], g[w], ds, p, scratch);
        for (int i = 0; i < N; i++) expected -= 0.5 * g[w][i] * x[whole(w, i)];
    }
    // at the minimum of the model the decrease is half the slope
    assert_close(predicted, expected, 1e-9);
}
END_TEST

START_TEST(a_start_that_the_window_does_not_see_does_not_move)
{
    double H[N * N] = {0}, g[N] = {0}, L[NS * NS], Y[NS * NP], y[NS], P[NP * NP] = {0}, p[NP] = {0}, ds[NS];
    const double dz[NP] = {1, -1};
    for (int i = 0; i < N; i++) H[i * N + i] = i == 1 ? 0 : 2;
    const trxi_eliminated e = {L, Y, y};
    ck_assert(trxi_eliminate(NS, NP, H, g, 0, &e, P, p));
    trxi_eliminated_step(NS, NP, &e, dz, ds);
    ck_assert(ds[1] == 0);
}
END_TEST

START_TEST(a_start_follows_the_unknowns_by_its_own_derivatives)
{
    double H[N * N], g[N], L[NS * NS], Y[NS * NP], y[NS], P[NP * NP] = {0}, p[NP] = {0}, ds[2][NS], follows[NS];
    const double dz[NP] = {0.7, -1.2}, none[NP] = {0, 0};
    make_window(7, H, g);
    const trxi_eliminated e = {L, Y, y};
    ck_assert(trxi_eliminate(NS, NP, H, g, 0, &e, P, p));
    trxi_eliminated_step(NS, NP, &e, dz, ds[0]);
    trxi_eliminated_step(NS, NP, &e, none, ds[1]);
    trxi_eliminated_follow(NS, NP, &e, dz, follows);
    for (int i = 0; i < NS; i++) {
        ck_assert(follows[i] != 0);
        assert_close(follows[i], ds[0][i] - ds[1][i], 1e-12);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fit/eliminate");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, elimination_agrees_with_the_whole_system);
    tcase_add_test(tests, a_start_that_the_window_does_not_see_does_not_move);
    tcase_add_test(tests, a_start_follows_the_unknowns_by_its_own_derivatives);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
