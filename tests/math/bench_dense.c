// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Measures the portable and the AVX2 kernels of src/math against OpenBLAS and LAPACKE: Cholesky factorization, solves with
// 1, 4 and 2n + 7 right-hand sides, products, the symmetric product, and symmetric matrix times vector. Medians of alternating
// rounds in microseconds, portable/AVX2/OpenBLAS; a benchmark, not a test. Run with OPENBLAS_NUM_THREADS=1.

#include "math/dense.h"
#include "math/dense_kernels.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/context.h>

enum { MAX_N = 112, MAX_COLUMNS = 2 * MAX_N + 7, ROUNDS = 31, PORTABLE = 0, VECTOR = 1, BLAS = 2, KINDS = 3 };

static double S[MAX_N * MAX_N], L[MAX_N * MAX_N], A[MAX_N * MAX_N], B[MAX_N * MAX_COLUMNS], C[MAX_N * MAX_COLUMNS];
static int n, columns;
static const trxi_dense_kernels *set; // NULL: OpenBLAS

static void copy(const double *from, int count, double *to) { memcpy(to, from, (size_t)(count * n) * sizeof *to); }

static void factorize(void)
{
    copy(S, n, L);
    if (set)
        set->cholesky(n, L, n);
    else
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, L, n);
}

static void solve(void)
{
    copy(B, columns, C);
    if (set) {
        set->solve(n, L, n, columns, C, n);
        return;
    }
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, columns, 1, L, n, C, n);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, columns, 1, L, n, C, n);
}

static void multiply(void)
{
    if (set)
        set->gemm(n, n, n, 1, A, n, B, n, 0, C, n);
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
}

static void multiply_tn(void)
{
    if (set)
        set->gemm_tn(n, n, n, 1, A, n, B, n, 0, C, n);
    else
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, n, n, n, 1, A, n, B, n, 0, C, n);
}

static void apply(void)
{
    if (set)
        set->symv(n, S, n, B, C);
    else
        cblas_dsymv(CblasColMajor, CblasLower, n, 1, S, n, B, 1, 0, C, 1);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(const char *what, void (*run)(void))
{
    const trxi_dense_kernels *sets[KINDS] = {&trxi_dense_portable, trxi_dense_vector(), NULL};
    double seconds[KINDS][ROUNDS] = {0};
    int repeats = 100000 / (n * n) + 1;
    for (int round = 0; round < ROUNDS; round++)
        for (int kind = 0; kind < KINDS; kind++) {
            if (kind == VECTOR && !sets[kind]) continue;
            set = sets[kind];
            double start = trx_clock();
            for (int i = 0; i < repeats; i++) run();
            seconds[kind][round] = (trx_clock() - start) / repeats;
        }
    for (int kind = 0; kind < KINDS; kind++) qsort(seconds[kind], ROUNDS, sizeof(double), ascending);
    printf("  %s %.2f/%.2f/%.2f", what, 1e6 * seconds[PORTABLE][ROUNDS / 2], 1e6 * seconds[VECTOR][ROUNDS / 2],
           1e6 * seconds[BLAS][ROUNDS / 2]);
}

int main(void)
{
    const int sizes[] = {3, 6, 8, 13, 18, 22, 26, 36, 50, 64, 96, MAX_N};
    printf("portable/AVX2/OpenBLAS [us]%s\n", trxi_dense_vector() ? "" : ", no AVX2 here");
    for (int i = 0; i < MAX_N * MAX_N; i++) A[i] = sin(i);
    for (int i = 0; i < MAX_N * MAX_COLUMNS; i++) B[i] = cos(i);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        n = sizes[s];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) S[i + j * n] = (i == j) * n + 1.0 / (1 + i + j);
        printf("n %3d", n);
        compare("cholesky", factorize);
        columns = 1, compare("solve 1", solve);
        columns = 4, compare("solve 4", solve);
        columns = 2 * n + 7, compare("solve 2n+7", solve);
        compare("gemm", multiply);
        compare("gemm_tn", multiply_tn);
        compare("symv", apply);
        printf("\n");
    }
    return 0;
}
