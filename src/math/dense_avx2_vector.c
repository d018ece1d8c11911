// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Matrix times vector, dot product and sum of vectors in AVX2 and FMA; the table of all AVX2 kernels; the check that
// this processor can run them. 4 columns of the matrix are processed together, so a part of the vector is loaded once
// for 4 products.

#include "math/dense_avx2.h"
#include "math/dense_kernels.h"

#include <stddef.h>

#ifdef TRXI_HAS_AVX2

TRXI_AVX2 static double dot(int n, const double *a, const double *b)
{
    __m256d s0 = _mm256_setzero_pd(), s1 = s0, s2 = s0, s3 = s0;
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        s0 = _mm256_fmadd_pd(_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i), s0);
        s1 = _mm256_fmadd_pd(_mm256_loadu_pd(a + i + 4), _mm256_loadu_pd(b + i + 4), s1);
        s2 = _mm256_fmadd_pd(_mm256_loadu_pd(a + i + 8), _mm256_loadu_pd(b + i + 8), s2);
        s3 = _mm256_fmadd_pd(_mm256_loadu_pd(a + i + 12), _mm256_loadu_pd(b + i + 12), s3);
    }
    for (; i + 4 <= n; i += 4) s0 = _mm256_fmadd_pd(_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i), s0);
    double sum = trxi_sum_lanes(_mm256_add_pd(_mm256_add_pd(s0, s1), _mm256_add_pd(s2, s3)));
    for (; i < n; i++) sum = __builtin_fma(a[i], b[i], sum);
    return sum;
}

TRXI_AVX2 static void axpy(int n, double alpha, const double *x, double *y)
{
    const __m256d factor = _mm256_set1_pd(alpha);
    int i = 0;
    for (; i + 4 <= n; i += 4)
        trxi_store4(y + i, _mm256_fmadd_pd(factor, _mm256_loadu_pd(x + i), _mm256_loadu_pd(y + i)));
    for (; i < n; i++) y[i] = __builtin_fma(alpha, x[i], y[i]);
}

// y += the 1 to 4 columns of A times f
TRXI_AVX2_INLINE void add_columns(int columns, int m, const double *A, int lda, const double f[4], double *y)
{
    int i = 0;
    for (; i + 4 <= m; i += 4) {
        __m256d sum = _mm256_loadu_pd(y + i);
        for (int c = 0; c < columns; c++)
            sum = _mm256_fmadd_pd(_mm256_broadcast_sd(f + c), _mm256_loadu_pd(A + i + c * lda), sum);
        trxi_store4(y + i, sum);
    }
    if (i == m) return;
    const __m256i lanes = trxi_last_lanes(m);
    __m256d sum = _mm256_maskload_pd(y + i, lanes);
    for (int c = 0; c < columns; c++)
        sum = _mm256_fmadd_pd(_mm256_broadcast_sd(f + c), _mm256_maskload_pd(A + i + c * lda, lanes), sum);
    trxi_store_lanes(y + i, lanes, sum);
}

TRXI_AVX2 static void gemv(int m, int n, double alpha, const double *A, int lda, const double *x, double beta,
                           double *y)
{
    for (int i = 0; i < m; i++) y[i] = beta == 0 ? 0 : beta * y[i];
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        const double f[4] = {alpha * x[j], alpha * x[j + 1], alpha * x[j + 2], alpha * x[j + 3]};
        add_columns(4, m, A + j * lda, lda, f, y);
    }
    for (; j < n; j++) {
        const double f[4] = {alpha * x[j]};
        add_columns(1, m, A + j * lda, lda, f, y);
    }
}

// dots of the 4 columns of A with x
TRXI_AVX2_INLINE __m256d dot_columns(int m, const double *A, int lda, const double *x)
{
    __m256d sum[4];
    for (int c = 0; c < 4; c++) sum[c] = _mm256_setzero_pd();
    int i = 0;
    for (; i + 4 <= m; i += 4)
        for (int c = 0; c < 4; c++)
            sum[c] = _mm256_fmadd_pd(_mm256_loadu_pd(A + i + c * lda), _mm256_loadu_pd(x + i), sum[c]);
    if (i < m) {
        const __m256i lanes = trxi_last_lanes(m);
        const __m256d last = _mm256_maskload_pd(x + i, lanes);
        for (int c = 0; c < 4; c++) sum[c] = _mm256_fmadd_pd(_mm256_maskload_pd(A + i + c * lda, lanes), last, sum[c]);
    }
    return trxi_sum_lanes4(sum[0], sum[1], sum[2], sum[3]);
}

TRXI_AVX2 static void gemv_t(int m, int n, double alpha, const double *A, int lda, const double *x, double beta,
                             double *y)
{
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        __m256d value = _mm256_mul_pd(_mm256_set1_pd(alpha), dot_columns(m, A + j * lda, lda, x));
        if (beta != 0) value = _mm256_fmadd_pd(_mm256_set1_pd(beta), _mm256_loadu_pd(y + j), value);
        trxi_store4(y + j, value);
    }
    for (; j < n; j++) {
        double value = alpha * dot(m, A + j * lda, x);
        y[j] = beta == 0 ? value : __builtin_fma(beta, y[j], value);
    }
}

// y += the 1 to 4 rows and columns of a triangle on the diagonal times x
TRXI_AVX2_INLINE void add_triangle(int w, const double *block, int lda, const double *x, double *y)
{
    double sum[4];
    TRXI_UNROLL for (int c = 0; c < w; c++) sum[c] = y[c];
    TRXI_UNROLL for (int c = 0; c < w; c++) {
        sum[c] = __builtin_fma(block[c + c * lda], x[c], sum[c]);
        TRXI_UNROLL for (int r = c + 1; r < w; r++) {
            sum[r] = __builtin_fma(block[r + c * lda], x[c], sum[r]);
            sum[c] = __builtin_fma(block[r + c * lda], x[r], sum[c]);
        }
    }
    TRXI_UNROLL for (int c = 0; c < w; c++) y[c] = sum[c];
}

TRXI_AVX2 static void symv(int n, const double *A, int lda, const double *x, double *y)
{
    for (int i = 0; i < n; i++) y[i] = 0;
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        const double *block = A + j + j * lda;
        add_triangle(4, block, lda, x + j, y + j);
        // the entries below the diagonal block are used twice
        const int below = n - j - 4;
        if (below == 0) continue;
        add_columns(4, below, block + 4, lda, x + j, y + j + 4);
        trxi_store4(y + j, _mm256_add_pd(_mm256_loadu_pd(y + j), dot_columns(below, block + 4, lda, x + j + 4)));
    }
    TRXI_UP_TO_3(ROWS, n - j, add_triangle(ROWS, A + j + j * lda, lda, x + j, y + j));
}

TRXI_AVX2 static void add(int m, int n, double alpha, const double *A, int lda, double *B, int ldb)
{
    const __m256d factor = _mm256_set1_pd(alpha);
    const __m256i lanes = trxi_last_lanes(m);
    for (int j = 0; j < n; j++, A += lda, B += ldb) {
        int i = 0;
        for (; i + 4 <= m; i += 4)
            trxi_store4(B + i, _mm256_fmadd_pd(factor, _mm256_loadu_pd(A + i), _mm256_loadu_pd(B + i)));
        if (i == m) continue;
        const __m256d sum = _mm256_fmadd_pd(factor, _mm256_maskload_pd(A + i, lanes), _mm256_maskload_pd(B + i, lanes));
        trxi_store_lanes(B + i, lanes, sum);
    }
}

// one vector of rows of one column
TRXI_AVX2_INLINE void add_rank3_rows(const double *W, int ldw, const __m256d b[3], double *C, bool partial, __m256i lanes)
{
    __m256d sum = trxi_load_rows(C, partial, lanes);
    for (int k = 0; k < 3; k++) sum = _mm256_fmadd_pd(trxi_load_rows(W + k * ldw, partial, lanes), b[k], sum);
    trxi_store_rows(C, sum, partial, lanes);
}

TRXI_AVX2 static void add_rank3(int m, int n, bool lower, const double *W, int ldw, const double *B, double *C, int ldc)
{
    const __m256i lanes = trxi_last_lanes(m);
    for (int j = 0; j < n; j++, B += 3, C += ldc) {
        const __m256d b[3] = {_mm256_broadcast_sd(B), _mm256_broadcast_sd(B + 1), _mm256_broadcast_sd(B + 2)};
        int i = lower ? j / 4 * 4 : 0;
        for (; i + 4 <= m; i += 4) add_rank3_rows(W + i, ldw, b, C + i, false, lanes);
        if (i < m) add_rank3_rows(W + i, ldw, b, C + i, true, lanes);
    }
}

// sizes: tests/math/bench_dense
static const trxi_dense_kernels avx2 = {
    .cholesky_most = TRXI_DENSE_MOST, .solve_most = TRXI_DENSE_MOST, .few_columns = 3, .product_most = 1e6,
    .cholesky = trxi_avx2_cholesky, .solve = trxi_avx2_solve, .lower_solve = trxi_avx2_lower_solve,
    .lower_solve_right = trxi_avx2_lower_solve_right, .upper_solve_right = trxi_avx2_upper_solve_right,
    .gemm = trxi_avx2_gemm, .gemm_tn = trxi_avx2_gemm_tn, .gemm_nt_lower = trxi_avx2_gemm_nt_lower,
    .gemv = gemv, .gemv_t = gemv_t, .symv = symv, .transpose = trxi_avx2_transpose, .dot = dot, .axpy = axpy,
    .add = add, .add_rank3 = add_rank3,
};

const trxi_dense_kernels *trxi_dense_vector(void)
{
    return trxi_runs_avx2() ? &avx2 : NULL;
}

#else

const trxi_dense_kernels *trxi_dense_vector(void)
{
    return NULL;
}

#endif
