// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Measures where OpenBLAS and LAPACKE overtake the plain loops of src/math/dense.c: Cholesky factorization, solves with
// 1, 4, and 2n right-hand sides, and both products. Medians in microseconds; a benchmark, not a test. Run with
// OPENBLAS_NUM_THREADS=1.

#include "math/dense.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/context.h>

enum { MAX_N = 96, ROUNDS = 31, SPD = MAX_N * MAX_N };

static double S[SPD], L[SPD], A[2 * SPD], B[2 * SPD], C[2 * SPD];
static int n, columns;

static void plain_cholesky(void) { memcpy(L, S, sizeof S), small_cholesky(n, L, MAX_N); }
static void blas_cholesky(void) { memcpy(L, S, sizeof S), large_cholesky(n, L, MAX_N); }
static void plain_solve(void) { memcpy(C, B, (size_t)columns * MAX_N * sizeof *B), small_solve(n, L, MAX_N, columns, C, MAX_N); }
static void blas_solve(void) { memcpy(C, B, (size_t)columns * MAX_N * sizeof *B), large_solve(n, L, MAX_N, columns, C, MAX_N); }
static void plain_gemm(void) { small_gemm(n, n, n, 1, A, MAX_N, B, MAX_N, 0, C, MAX_N); }
static void plain_gemm_tn(void) { small_gemm_tn(n, n, n, 1, A, MAX_N, B, MAX_N, 0, C, MAX_N); }

static void blas_gemm(void)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, MAX_N, B, MAX_N, 0, C, MAX_N);
}

static void blas_gemm_tn(void)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, n, n, 1, A, MAX_N, B, MAX_N, 0, C, MAX_N);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// medians of alternating rounds
static void compare(const char *what, void (*plain)(void), void (*blas)(void))
{
    double seconds[2][ROUNDS];
    int repeats = 200000 / (n * n) + 1;
    for (int round = 0; round < ROUNDS; round++)
        for (int which = 0; which < 2; which++) {
            double start = trx_clock();
            for (int i = 0; i < repeats; i++) (which ? blas : plain)();
            seconds[which][round] = (trx_clock() - start) / repeats;
        }
    for (int which = 0; which < 2; which++) qsort(seconds[which], ROUNDS, sizeof(double), ascending);
    printf("  %s %.2f/%.2f", what, 1e6 * seconds[0][ROUNDS / 2], 1e6 * seconds[1][ROUNDS / 2]);
}

int main(void)
{
    printf("plain/blas [us]\n");
    for (int i = 0; i < 2 * SPD; i++) A[i] = sin(i), B[i] = cos(i);
    for (n = 6; n <= MAX_N; n += n < 32 ? 2 : 16) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) S[i + j * MAX_N] = (i == j) * n + 1.0 / (1 + i + j);
        printf("n %2d", n);
        compare("cholesky", plain_cholesky, blas_cholesky);
        columns = 1, compare("solve 1", plain_solve, blas_solve);
        columns = 4, compare("solve 4", plain_solve, blas_solve);
        columns = 2 * n, compare("solve 2n", plain_solve, blas_solve);
        compare("gemm", plain_gemm, blas_gemm);
        compare("gemm_tn", plain_gemm_tn, blas_gemm_tn);
        printf("\n");
    }
    return 0;
}
