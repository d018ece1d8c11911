// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The product C = sum of A_k B_k (panel_kernels.h) in AVX2 and in AVX-512. A tile of C stays in registers while k
// runs. Both compute an entry by the same chain of fused operations, so both give the same bits.

#include "sparse/panel_kernels.h"

#include <stddef.h>

#ifdef TRXI_HAS_AVX2

enum { LANES = TRXI_PANEL_LANES, MOST = 6, WIDE = 12 };

#ifdef __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 12")
#endif

#define TRXI_AVX512 __attribute__((target("avx512f,avx2,fma")))
#define TRXI_AVX512_INLINE static inline __attribute__((always_inline, target("avx512f,avx2,fma")))

// ---- AVX2: eight rows of up to six columns ----

TRXI_AVX2_INLINE void tile(int columns, int count, const double *const *A, int row, const double *B, int ldb, double *C, int ldc)
{
    __m256d sum[MOST][2];
    UNROLL for (int c = 0; c < columns; c++) sum[c][0] = sum[c][1] = _mm256_setzero_pd();
    for (int k = 0; k < count; k++, B += ldb) {
        const __m256d a0 = _mm256_loadu_pd(A[k] + row), a1 = _mm256_loadu_pd(A[k] + row + 4);
        UNROLL for (int c = 0; c < columns; c++) {
            const __m256d b = _mm256_broadcast_sd(B + c);
            sum[c][0] = _mm256_fmadd_pd(a0, b, sum[c][0]);
            sum[c][1] = _mm256_fmadd_pd(a1, b, sum[c][1]);
        }
    }
    UNROLL for (int c = 0; c < columns; c++) {
        _mm256_storeu_pd(C + row + (ptrdiff_t)c * ldc, sum[c][0]);
        _mm256_storeu_pd(C + row + 4 + (ptrdiff_t)c * ldc, sum[c][1]);
    }
}

TRXI_AVX2 void trxi_combine_avx2(int m, int n, int count, const double *const *A, const double *B, int ldb, double *C, int ldc)
{
    for (int j = 0; j < n; j += MOST, B += MOST, C += (ptrdiff_t)MOST * ldc) {
        const int columns = n - j < MOST ? n - j : MOST;
        for (int i = 0; i < m; i += LANES) TRXI_UP_TO_6(COLUMNS, columns, tile(COLUMNS, count, A, i, B, ldb, C, ldc));
    }
}

// ---- AVX-512: sixteen rows of up to twelve columns ----

TRXI_AVX512_INLINE void wide_tile(int columns, int vectors, int count, const double *const *A, int row, const double *B, int ldb,
                                  double *C, int ldc)
{
    __m512d sum[WIDE][2];
    UNROLL for (int c = 0; c < columns; c++) sum[c][0] = sum[c][1] = _mm512_setzero_pd();
    for (int k = 0; k < count; k++, B += ldb) {
        const __m512d a0 = _mm512_loadu_pd(A[k] + row), a1 = vectors > 1 ? _mm512_loadu_pd(A[k] + row + LANES) : a0;
        UNROLL for (int c = 0; c < columns; c++) {
            const __m512d b = _mm512_set1_pd(B[c]);
            sum[c][0] = _mm512_fmadd_pd(a0, b, sum[c][0]);
            if (vectors > 1) sum[c][1] = _mm512_fmadd_pd(a1, b, sum[c][1]);
        }
    }
    UNROLL for (int c = 0; c < columns; c++) {
        _mm512_storeu_pd(C + row + (ptrdiff_t)c * ldc, sum[c][0]);
        if (vectors > 1) _mm512_storeu_pd(C + row + LANES + (ptrdiff_t)c * ldc, sum[c][1]);
    }
}

TRXI_AVX512_INLINE void wide_tiles(int columns, int m, int count, const double *const *A, const double *B, int ldb, double *C,
                                   int ldc)
{
    int i = 0;
    for (; i + 2 * LANES <= m; i += 2 * LANES) wide_tile(columns, 2, count, A, i, B, ldb, C, ldc);
    if (i < m) wide_tile(columns, 1, count, A, i, B, ldb, C, ldc);
}

TRXI_AVX512 void trxi_combine_avx512(int m, int n, int count, const double *const *A, const double *B, int ldb, double *C, int ldc)
{
    int j = 0;
    for (; j + WIDE <= n; j += WIDE) wide_tiles(WIDE, m, count, A, B + j, ldb, C + (ptrdiff_t)j * ldc, ldc);
    for (; j + MOST <= n; j += MOST) wide_tiles(MOST, m, count, A, B + j, ldb, C + (ptrdiff_t)j * ldc, ldc);
    if (j < n) trxi_combine_avx2(m, n - j, count, A, B + j, ldb, C + (ptrdiff_t)j * ldc, ldc);
}

#endif
