// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Measures what a Newton iteration does with H of one island: blocks are put in place, the matrix is factorized, one system is
// solved. Dense and sparse, for 2 to 40 free bodies in a column (each tied to the one below) and in a pile (tied to its
// neighbours in layers of 3 x 3). Medians in microseconds; a benchmark, not a test. From TRXI_DENSE_LIMIT on, sparse is
// faster.

#include "base/random.h"
#include "math/dense.h"
#include "sparse/block_cholesky.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tractrix/context.h>

enum { DOFS = 6, BLOCK = DOFS * DOFS, MOST = 40, ROUNDS = 41, REPEATS = 20 };

typedef struct island {
    int n, nedge, sizes[MOST], edges[4 * MOST][2];
    double diagonal[BLOCK], between[BLOCK], right[DOFS * MOST];
} island;

static island in;
static double H[DOFS * MOST * DOFS * MOST], x[2][DOFS * MOST];

static void tie(int a, int b)
{
    in.edges[in.nedge][0] = a;
    in.edges[in.nedge++][1] = b;
}

static void make(int n, bool pile)
{
    in.n = n, in.nedge = 0;
    for (int k = 0; k < n; k++) {
        in.sizes[k] = DOFS;
        if (!pile && k + 1 < n) tie(k, k + 1);
        if (pile && k % 3 < 2 && k + 1 < n) tie(k, k + 1);
        if (pile && k % 9 < 6 && k + 3 < n) tie(k, k + 3);
        if (pile && k + 9 < n) tie(k, k + 9);
    }
    for (int i = 0; i < BLOCK; i++) in.between[i] = trxi_random_normal(1, (uint64_t)i), in.diagonal[i] = i % 7 == 0 ? 60 : 0;
    for (int i = 0; i < DOFS * n; i++) in.right[i] = trxi_random_normal(2, (uint64_t)i);
}

static void put(const double *block, double *to, int ld, bool flipped)
{
    for (int j = 0; j < DOFS; j++)
        for (int i = 0; i < DOFS; i++) to[flipped ? j + i * ld : i + j * ld] = block[i + j * DOFS];
}

static void dense(double *y)
{
    const int nv = DOFS * in.n;
    memset(H, 0, (size_t)(nv * nv) * sizeof *H);
    for (int k = 0; k < in.n; k++) put(in.diagonal, H + DOFS * k * (nv + 1), nv, false);
    for (int k = 0; k < in.nedge; k++)
        put(in.between, H + DOFS * (in.edges[k][1] + in.edges[k][0] * nv), nv, true);
    memcpy(y, in.right, (size_t)nv * sizeof *y);
    if (trxi_cholesky(nv, H, nv) >= 0) abort();
    trxi_cholesky_solve(nv, H, nv, 1, y, nv);
}

static void analyze(trxi_block_cholesky *bc)
{
    bool good = trxi_block_cholesky_begin(bc, in.n, in.sizes) == TRX_OK;
    for (int k = 0; k < in.nedge; k++) good = good && !trxi_block_cholesky_edge(bc, in.edges[k][0], in.edges[k][1]);
    if (!good || trxi_block_cholesky_analyze(bc) != TRX_OK) abort();
}

static void sparse(trxi_block_cholesky *bc, double *y)
{
    trxi_block_cholesky_clear(bc);
    for (int k = 0; k < in.n + in.nedge; k++) {
        const int *edge = in.edges[k - in.n < 0 ? 0 : k - in.n], a = k < in.n ? k : edge[0], b = k < in.n ? k : edge[1];
        trxi_block block = trxi_block_cholesky_block(bc, a, b);
        put(k < in.n ? in.diagonal : in.between, block.x, block.ld, block.flipped);
    }
    memcpy(y, in.right, (size_t)(DOFS * in.n) * sizeof *y);
    if (!trxi_block_cholesky_factorize(bc)) abort();
    trxi_block_cholesky_solve(bc, 1, y, DOFS * in.n);
}

static int ascending(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

// kind 0: dense; 1: sparse; 2: the analysis of a graph that differs from the last one
static double median(int kind, trxi_block_cholesky *bc, trxi_block_cholesky *fresh)
{
    double times[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double start = trx_clock();
        for (int k = 0; k < REPEATS; k++) {
            if (kind == 0) dense(x[0]);
            else if (kind == 1) sparse(bc, x[1]);
            else in.nedge -= k % 2 ? -1 : 1, analyze(fresh);
        }
        times[round] = (trx_clock() - start) / REPEATS;
    }
    qsort(times, ROUNDS, sizeof *times, ascending);
    return 1e6 * times[ROUNDS / 2];
}

int main(void)
{
    trx_context *context;
    if (trx_context_create(NULL, &context) != TRX_OK) return 1;
    trxi_block_cholesky *bc = trxi_block_cholesky_create(context), *fresh = trxi_block_cholesky_create(context);
    if (!bc || !fresh) return 1;
    for (int pile = 0; pile < 2; pile++) {
        printf("%s\n%6s %9s %11s %12s %13s\n", pile ? "pile" : "column", "trees", "unknowns", "dense [us]", "sparse [us]",
               "analysis [us]");
        for (int n = 2; n <= MOST; n += n < 16 ? 1 : 4) {
            make(n, pile);
            analyze(bc);
            double times[3] = {median(0, bc, fresh), median(1, bc, fresh), median(2, bc, fresh)};
            for (int i = 0; i < DOFS * n; i++)
                if (!(x[0][i] - x[1][i] < 1e-12 && x[1][i] - x[0][i] < 1e-12)) abort();
            printf("%6d %9d %11.2f %12.2f %13.2f\n", n, DOFS * n, times[0], times[1], times[2]);
        }
    }
    trxi_block_cholesky_destroy(bc);
    trxi_block_cholesky_destroy(fresh);
    trx_context_destroy(context);
    return 0;
}
