// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Cholesky factorization and triangular solves by AVX2 and FMA.
//
// The factorization goes by panels of 4 columns. One product subtracts the columns to the left, the 4 x 4 block on
// the diagonal is factored in scalars, and the rows below are solved with this block, 4 rows per vector.
//
// Solves with several right-hand sides keep 4 rows of 12 columns in registers. Each number of L, broadcast, then
// serves 3 vectors of columns. For L X = B the columns are first transposed into a panel on the stack; X L^T = B
// already has its rows contiguous. One right-hand side uses 4 columns of L at a time.

#include "math/dense_avx2.h"

#ifdef TRXI_HAS_AVX2

#include "math/dense_kernels.h"

#include <float.h>
#include <math.h>

enum { WIDTH = 12 }; // columns of a panel

// ---- factorization ----

// factor of the w x w block (w <= 4) as L D L^T, then scaled, so that no square root waits for another one; inverse:
// 1/L_cc
TRXI_AVX2_INLINE int factor_block(int w, double *A, int lda, double inverse[4])
{
    TRXI_UNROLL for (int c = 0; c < w; c++) {
        double *column = A + c * lda, pivot = column[c];
        if (!(pivot >= DBL_MIN) || !(pivot <= DBL_MAX)) return c;
        const double root = sqrt(pivot), reciprocal = 1 / pivot;
        TRXI_UNROLL for (int j = c + 1; j < w; j++) {
            double factor = column[j] * reciprocal;
            TRXI_UNROLL for (int i = j; i < w; i++) A[i + j * lda] = __builtin_fma(-factor, column[i], A[i + j * lda]);
        }
        inverse[c] = root * reciprocal;
        column[c] = root;
        TRXI_UNROLL for (int i = c + 1; i < w; i++) column[i] *= inverse[c];
    }
    return -1;
}

// a constant width per call, so that the block stays in registers
TRXI_AVX2 static int factor_columns(int w, double *A, int lda, double inverse[4])
{
    TRXI_UP_TO_4(COLUMNS, w, return factor_block(COLUMNS, A, lda, inverse));
}

// rows below the 4 x 4 block: columns x_c = (x_c - sum_{b<c} L_cb x_b) / L_cc
TRXI_AVX2_INLINE void solve_below(double *x, const double *block, int lda, const double inverse[4], bool partial,
                                  __m256i lanes)
{
    __m256d value[4];
    for (int c = 0; c < 4; c++) {
        value[c] = trxi_load_rows(x + c * lda, partial, lanes);
        for (int b = 0; b < c; b++)
            value[c] = _mm256_fnmadd_pd(_mm256_broadcast_sd(block + c + b * lda), value[b], value[c]);
        value[c] = _mm256_mul_pd(_mm256_broadcast_sd(inverse + c), value[c]);
        trxi_store_rows(x + c * lda, value[c], partial, lanes);
    }
}

TRXI_AVX2 int trxi_avx2_cholesky(int n, double *A, int lda)
{
    for (int j = 0; j < n; j += 4) {
        int w = n - j < 4 ? n - j : 4;
        double *block = A + j + j * lda, inverse[4];
        if (j > 0) trxi_avx2_downdate(n - j, w, j, A + j, lda, A + j, lda, block, lda);
        int failed = factor_columns(w, block, lda, inverse);
        if (failed >= 0) return j + failed;
        int i = j + 4;
        for (; i + 4 <= n; i += 4) solve_below(A + i + j * lda, block, lda, inverse, false, trxi_lanes(4));
        if (i < n) solve_below(A + i + j * lda, block, lda, inverse, true, trxi_last_lanes(n));
    }
    return -1;
}

// ---- several right-hand sides ----

// rows of X: row i begins at x + i * stride and has 1 to 3 vectors of columns, the last one possibly partial
typedef struct panel {
    int n, ldl, stride;
    const double *L;
    const double *inverse; // 1 / L_ii
    double *x;
    __m256i lanes;
} panel;

// one block of 1 to 4 rows, forward: x_i = (x_i - sum_{k<i} L_ik x_k) / L_ii; backward with L_ki and k > i
TRXI_AVX2_INLINE void solve_block(int rows, int vectors, bool partial, bool forward, const panel *p, int i)
{
    const int along = forward ? 1 : p->ldl, down = forward ? p->ldl : 1; // from L_ik to L_i+1,k and to L_i,k+1
    const double *L = p->L + i * along;
    double *x = p->x + i * p->stride;
    __m256d sum[4][3], known[3];
    TRXI_UNROLL for (int r = 0; r < rows; r++)
        TRXI_UNROLL for (int v = 0; v < vectors; v++)
            sum[r][v] = trxi_load_rows(x + r * p->stride + 4 * v, partial && v == vectors - 1, p->lanes);
    const int end = forward ? i : p->n;
    for (int k = forward ? 0 : i + rows; k < end; k++) {
        const double *row = p->x + k * p->stride;
        TRXI_UNROLL for (int v = 0; v < vectors; v++) known[v] = trxi_load_rows(row + 4 * v, partial && v == vectors - 1, p->lanes);
        TRXI_UNROLL for (int r = 0; r < rows; r++) {
            __m256d factor = _mm256_broadcast_sd(L + r * along + k * down);
            TRXI_UNROLL for (int v = 0; v < vectors; v++) sum[r][v] = _mm256_fnmadd_pd(factor, known[v], sum[r][v]);
        }
    }
    TRXI_UNROLL for (int s = 0; s < rows; s++) {
        const int r = forward ? s : rows - 1 - s;
        TRXI_UNROLL for (int t = 0; t < s; t++) {
            const int k = forward ? t : rows - 1 - t;
            __m256d factor = _mm256_broadcast_sd(L + r * along + (i + k) * down);
            TRXI_UNROLL for (int v = 0; v < vectors; v++) sum[r][v] = _mm256_fnmadd_pd(factor, sum[k][v], sum[r][v]);
        }
        __m256d scale = _mm256_broadcast_sd(p->inverse + i + r);
        TRXI_UNROLL for (int v = 0; v < vectors; v++) {
            sum[r][v] = _mm256_mul_pd(scale, sum[r][v]);
            trxi_store_rows(x + r * p->stride + 4 * v, sum[r][v], partial && v == vectors - 1, p->lanes);
        }
    }
}

TRXI_AVX2_INLINE void solve_rows(int rows, int vectors, bool partial, bool forward, const panel *p, int i)
{
    TRXI_UP_TO_4(ROWS, rows, solve_block(ROWS, vectors, partial, forward, p, i));
}

// which triangles are solved
typedef enum half { FORWARD = 1, BACKWARD = 2, BOTH = 3 } half;

TRXI_AVX2_INLINE void solve_shape(int vectors, bool partial, half which, const panel *p)
{
    const int n = p->n, full = n / 4 * 4;
    for (int i = 0; which & FORWARD && i < full; i += 4) solve_block(4, vectors, partial, true, p, i);
    if (which & FORWARD && full < n) solve_rows(n - full, vectors, partial, true, p, full);
    if (which == FORWARD) return;
    if (full < n) solve_rows(n - full, vectors, partial, false, p, full);
    for (int i = full - 4; i >= 0; i -= 4) solve_block(4, vectors, partial, false, p, i);
}

// columns: 1 .. WIDTH
TRXI_AVX2 static void solve_panel(int columns, half which, const panel *p)
{
    const int shape = (columns + 3) / 4 * 2 + (columns % 4 != 0) - 1;
    TRXI_UP_TO_6(SHAPE, shape, solve_shape((SHAPE + 1) / 2, SHAPE % 2 == 0, which, p));
}

TRXI_AVX2_INLINE void transpose44(const double *from, int ld_from, double *to, int ld_to)
{
    __m256d a = _mm256_loadu_pd(from), b = _mm256_loadu_pd(from + ld_from);
    __m256d c = _mm256_loadu_pd(from + 2 * ld_from), d = _mm256_loadu_pd(from + 3 * ld_from);
    __m256d ab0 = _mm256_unpacklo_pd(a, b), ab1 = _mm256_unpackhi_pd(a, b);
    __m256d cd0 = _mm256_unpacklo_pd(c, d), cd1 = _mm256_unpackhi_pd(c, d);
    trxi_store4(to, _mm256_permute2f128_pd(ab0, cd0, 0x20));
    trxi_store4(to + ld_to, _mm256_permute2f128_pd(ab1, cd1, 0x20));
    trxi_store4(to + 2 * ld_to, _mm256_permute2f128_pd(ab0, cd0, 0x31));
    trxi_store4(to + 3 * ld_to, _mm256_permute2f128_pd(ab1, cd1, 0x31));
}

// 4 x 4 blocks; the last block of rows or columns overlaps the one before
TRXI_AVX2 void trxi_avx2_transpose(int rows, int columns, const double *from, int ld_from, double *to, int ld_to)
{
    if (rows < 4 || columns < 4) {
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < rows; i++) to[j + i * ld_to] = from[i + j * ld_from];
        return;
    }
    for (int c = 0; c < columns; c += 4) {
        const int j = c + 4 <= columns ? c : columns - 4;
        for (int r = 0; r < rows; r += 4) {
            const int i = r + 4 <= rows ? r : rows - 4;
            transpose44(from + i + j * ld_from, ld_from, to + j + i * ld_to, ld_to);
        }
    }
}

static void invert_diagonal(int n, const double *L, int ldl, double *inverse)
{
    for (int i = 0; i < n; i++) inverse[i] = 1 / L[i + i * ldl];
}

// rows of X by panels of up to 12
TRXI_AVX2 static void solve_rows_of(int n, const double *L, int ldl, int m, half which, double *X, int ldx)
{
    double inverse[TRXI_DENSE_MOST];
    invert_diagonal(n, L, ldl, inverse);
    for (int i = 0; i < m; i += WIDTH) {
        int rows = m - i < WIDTH ? m - i : WIDTH;
        const panel p = {n, ldl, ldx, L, inverse, X + i, trxi_last_lanes(rows)};
        solve_panel(rows, which, &p);
    }
}

TRXI_AVX2 void trxi_avx2_lower_solve_right(int n, const double *L, int ldl, int m, double *X, int ldx)
{
    solve_rows_of(n, L, ldl, m, FORWARD, X, ldx);
}

TRXI_AVX2 void trxi_avx2_upper_solve_right(int n, const double *L, int ldl, int m, double *X, int ldx)
{
    solve_rows_of(n, L, ldl, m, BACKWARD, X, ldx);
}

// columns of X by panels of up to 12
TRXI_AVX2 static void solve_columns(int n, const double *L, int ldl, const double *inverse, int nrhs, half which,
                                    double *X, int ldx)
{
    double rows[TRXI_DENSE_MOST * WIDTH];
    for (int j = 0; j < nrhs; j += WIDTH) {
        int columns = nrhs - j < WIDTH ? nrhs - j : WIDTH;
        trxi_avx2_transpose(n, columns, X + j * ldx, ldx, rows, WIDTH);
        const panel p = {n, ldl, WIDTH, L, inverse, rows, trxi_last_lanes(columns)};
        solve_panel(columns, which, &p);
        trxi_avx2_transpose(columns, n, rows, WIDTH, X + j * ldx, ldx);
    }
}

// ---- one right-hand side ----

// L x = b: 4 entries at a time, then their 4 columns are subtracted from the rest
TRXI_AVX2 static void forward_column(int n, const double *L, int ldl, const double *inverse, double *x)
{
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        const double *column = L + j * ldl;
        double known[4];
        TRXI_UNROLL for (int c = 0; c < 4; c++) {
            double sum = x[j + c];
            TRXI_UNROLL for (int b = 0; b < c; b++) sum = __builtin_fma(-column[j + c + b * ldl], known[b], sum);
            known[c] = sum * inverse[j + c];
        }
        __m256d value[4];
        TRXI_UNROLL for (int c = 0; c < 4; c++) x[j + c] = known[c], value[c] = _mm256_set1_pd(known[c]);
        int i = j + 4;
        for (; i + 4 <= n; i += 4) {
            __m256d rest = _mm256_loadu_pd(x + i);
            for (int c = 0; c < 4; c++) rest = _mm256_fnmadd_pd(_mm256_loadu_pd(column + i + c * ldl), value[c], rest);
            trxi_store4(x + i, rest);
        }
        for (; i < n; i++) {
            double rest = x[i];
            TRXI_UNROLL for (int c = 0; c < 4; c++) rest = __builtin_fma(-column[i + c * ldl], known[c], rest);
            x[i] = rest;
        }
    }
    for (; j < n; j++) {
        x[j] *= inverse[j];
        for (int i = j + 1; i < n; i++) x[i] = __builtin_fma(-L[i + j * ldl], x[j], x[i]);
    }
}

// L^T x = b: 4 dot products at a time
TRXI_AVX2 static void backward_column(int n, const double *L, int ldl, const double *inverse, double *x)
{
    const int full = n / 4 * 4;
    for (int j = n - 1; j >= full; j--) {
        double sum = x[j];
        for (int i = j + 1; i < n; i++) sum = __builtin_fma(-L[i + j * ldl], x[i], sum);
        x[j] = sum * inverse[j];
    }
    for (int j = full - 4; j >= 0; j -= 4) {
        const double *column = L + j * ldl;
        __m256d dot[4];
        for (int c = 0; c < 4; c++) dot[c] = _mm256_setzero_pd();
        for (int i = j + 4; i < n; i += 4) {
            const bool partial = i + 4 > n;
            const __m256i lanes = trxi_last_lanes(n);
            __m256d known = trxi_load_rows(x + i, partial, lanes);
            for (int c = 0; c < 4; c++)
                dot[c] = _mm256_fmadd_pd(trxi_load_rows(column + i + c * ldl, partial, lanes), known, dot[c]);
        }
        double sums[4];
        trxi_store4(sums, trxi_sum_lanes4(dot[0], dot[1], dot[2], dot[3]));
        double found[4];
        TRXI_UNROLL for (int c = 3; c >= 0; c--) {
            double sum = x[j + c] - sums[c];
            TRXI_UNROLL for (int b = c + 1; b < 4; b++) sum = __builtin_fma(-column[j + b + c * ldl], found[b], sum);
            found[c] = sum * inverse[j + c];
        }
        TRXI_UNROLL for (int c = 0; c < 4; c++) x[j + c] = found[c];
    }
}

TRXI_AVX2 void trxi_avx2_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx)
{
    double inverse[TRXI_DENSE_MOST];
    invert_diagonal(n, L, ldl, inverse);
    if (nrhs > 1 && n > 1) { // one unknown needs no panel
        solve_columns(n, L, ldl, inverse, nrhs, BOTH, X, ldx);
        return;
    }
    for (int j = 0; j < nrhs; j++, X += ldx) {
        forward_column(n, L, ldl, inverse, X);
        backward_column(n, L, ldl, inverse, X);
    }
}

TRXI_AVX2 void trxi_avx2_lower_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx)
{
    double inverse[TRXI_DENSE_MOST];
    invert_diagonal(n, L, ldl, inverse);
    if (nrhs > 1)
        solve_columns(n, L, ldl, inverse, nrhs, FORWARD, X, ldx);
    else
        forward_column(n, L, ldl, inverse, X);
}

#endif
