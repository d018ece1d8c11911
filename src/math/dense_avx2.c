// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Matrix products by AVX2 and FMA. Both kinds keep a tile of C in 12 of the 16 registers:
//
//     C = A B     tiles of 12 x 4: a column of A (3 vectors) times 4 numbers of B, broadcast, for every k
//     C = A^T B   tiles of 4 x 3: 12 dot products down the columns of A and B, summed across lanes at the end
//
// An entry of C is one chain of fused multiply-adds over k (for A^T B four chains, one per lane), the same in every
// tile. It therefore does not depend on the shape of the product. For symmetric results only tiles that touch the
// lower triangle are computed. Matrices are not packed: below the size at which OpenBLAS takes over they fit into the
// second-level cache.

#include "math/dense_avx2.h"

#ifdef TRXI_HAS_AVX2

typedef struct product {
    const double *A, *B;
    double *C;
    int lda, ldc, k;
    int step_k, step_j; // from B_kj to B_k+1,j and B_k,j+1
    double alpha, beta;
} product;

// C = alpha sums + beta C for one vector of rows; `adds`: beta is not 0
TRXI_AVX2_INLINE void put(double *C, __m256d alpha, __m256d sum, bool adds, __m256d beta, bool partial, __m256i lanes)
{
    __m256d value = _mm256_mul_pd(alpha, sum);
    if (adds) value = _mm256_fmadd_pd(beta, trxi_load_rows(C, partial, lanes), value);
    trxi_store_rows(C, value, partial, lanes);
}

TRXI_AVX2_INLINE void put_tile(int vectors, bool partial, int columns, const product *p, double *C, __m256i lanes, bool adds,
                               __m256d sum[4][3])
{
    const __m256d alpha = _mm256_set1_pd(p->alpha), beta = _mm256_set1_pd(p->beta);
    const int ldc = p->ldc;
    TRXI_UNROLL for (int c = 0; c < columns; c++)
        TRXI_UNROLL for (int v = 0; v < vectors; v++)
            put(C + 4 * v + c * ldc, alpha, sum[c][v], adds, beta, partial && v == vectors - 1, lanes);
}

// rows i .. of columns j ..: 1 to 3 vectors, the last one possibly partial, times 1 to 4 columns
TRXI_AVX2_INLINE void nn_tile(int vectors, bool partial, int columns, const product *p, int i, int j, __m256i lanes)
{
    const double *A = p->A + i, *B = p->B + j * p->step_j;
    __m256d sum[4][3], a[3];
    for (int c = 0; c < columns; c++)
        for (int v = 0; v < vectors; v++) sum[c][v] = _mm256_setzero_pd();
    const int nproduct = p->k, lda = p->lda, step_k = p->step_k, step_j = p->step_j;
    for (int l = 0; l < nproduct; l++, A += lda, B += step_k) {
        for (int v = 0; v < vectors; v++) a[v] = trxi_load_rows(A + 4 * v, partial && v == vectors - 1, lanes);
        for (int c = 0; c < columns; c++) {
            __m256d b = _mm256_broadcast_sd(B + c * step_j);
            for (int v = 0; v < vectors; v++) sum[c][v] = _mm256_fmadd_pd(a[v], b, sum[c][v]);
        }
    }
    double *C = p->C + i + j * p->ldc;
    if (p->beta != 0) put_tile(vectors, partial, columns, p, C, lanes, true, sum);
    else put_tile(vectors, partial, columns, p, C, lanes, false, sum);
}

// one constant shape per call, so that sums stay in registers
TRXI_AVX2_INLINE void nn_columns(int vectors, bool partial, int columns, const product *p, int i, int j, __m256i lanes)
{
    TRXI_UP_TO_4(COLUMNS, columns, nn_tile(vectors, partial, COLUMNS, p, i, j, lanes));
}

TRXI_AVX2 static void nn_any(int vectors, bool partial, int columns, const product *p, int i, int j, __m256i lanes)
{
    TRXI_UP_TO_6(SHAPE, 2 * vectors + partial - 1, nn_columns((SHAPE + 1) / 2, SHAPE % 2 == 0, columns, p, i, j, lanes));
}

// size of the next part when the rest is divided into parts of at most `most` of nearly equal size
static int next_part(int left, int most)
{
    if (left <= most) return left;
    return left < 2 * most - 1 ? (left + 1) / 2 : most;
}

// C (m x n), or its rows j .. m of column j when `lower`
TRXI_AVX2 static void multiply_nn(int m, int n, bool lower, const product *p)
{
    for (int j = 0, columns; j < n; j += columns) {
        columns = next_part(n - j, 4);
        const int first = lower ? j : 0, rows = m - first, all = (rows + 3) / 4;
        const __m256i lanes = trxi_last_lanes(rows);
        for (int v = 0, vectors; v < all; v += vectors) {
            vectors = next_part(all - v, 3);
            bool partial = v + vectors == all && rows % 4 != 0;
            nn_any(vectors, partial, columns, p, first + 4 * v, j, lanes);
        }
    }
}

TRXI_AVX2 void trxi_avx2_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                              double beta, double *C, int ldc)
{
    const product p = {A, B, C, lda, ldc, k, 1, ldb, alpha, beta};
    multiply_nn(m, n, false, &p);
}

TRXI_AVX2 void trxi_avx2_gemm_nt_lower(int m, int k, const double *A, int lda, const double *B, int ldb, double *C,
                                       int ldc)
{
    const product p = {A, B, C, lda, ldc, k, ldb, 1, 1, 1};
    multiply_nn(m, m, true, &p);
}

TRXI_AVX2 void trxi_avx2_downdate(int m, int n, int k, const double *A, int lda, const double *B, int ldb, double *C,
                                  int ldc)
{
    const product p = {A, B, C, lda, ldc, k, ldb, 1, -1, 1};
    multiply_nn(m, n, false, &p);
}

// adds the products of 4 (or the last 1 to 3) entries of each column
TRXI_AVX2_INLINE void tn_add(int rows, int columns, const product *p, const double *A, const double *B, bool partial,
                             __m256i lanes, __m256d sum[3][4])
{
    __m256d b[3];
    for (int c = 0; c < columns; c++) b[c] = trxi_load_rows(B + c * p->step_j, partial, lanes);
    for (int r = 0; r < rows; r++) {
        __m256d a = trxi_load_rows(A + r * p->lda, partial, lanes);
        for (int c = 0; c < columns; c++) sum[c][r] = _mm256_fmadd_pd(a, b[c], sum[c][r]);
    }
}

// rows i .. of columns j ..: 1 to 4 rows by 1 to 3 columns of dot products
TRXI_AVX2_INLINE void tn_tile(int rows, int columns, const product *p, int i, int j)
{
    const double *A = p->A + i * p->lda, *B = p->B + j * p->step_j;
    __m256d sum[3][4];
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 4; r++) sum[c][r] = _mm256_setzero_pd();
    int l = 0;
    for (; l + 4 <= p->k; l += 4) tn_add(rows, columns, p, A + l, B + l, false, trxi_lanes(4), sum);
    if (l < p->k) tn_add(rows, columns, p, A + l, B + l, true, trxi_last_lanes(p->k), sum);
    double *C = p->C + i + j * p->ldc;
    const __m256d alpha = _mm256_set1_pd(p->alpha), beta = _mm256_set1_pd(p->beta);
    const bool adds = p->beta != 0;
    TRXI_UNROLL for (int c = 0; c < columns; c++, C += p->ldc) {
        __m256d dots = trxi_sum_lanes4(sum[c][0], sum[c][1], sum[c][2], sum[c][3]);
        put(C, alpha, dots, adds, beta, rows < 4, trxi_lanes(rows));
    }
}

TRXI_AVX2_INLINE void tn_rows(int rows, int columns, const product *p, int i, int j)
{
    TRXI_UP_TO_4(ROWS, rows, tn_tile(ROWS, columns, p, i, j));
}

TRXI_AVX2 void trxi_avx2_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                                 double beta, double *C, int ldc)
{
    const product p = {A, B, C, lda, ldc, k, 1, ldb, alpha, beta};
    for (int j = 0, columns; j < n; j += columns) {
        columns = next_part(n - j, 3);
        for (int i = 0; i < m; i += 4) {
            int rows = m - i < 4 ? m - i : 4;
            TRXI_UP_TO_3(COLUMNS, columns, tn_rows(rows, COLUMNS, &p, i, j));
        }
    }
}

#endif
