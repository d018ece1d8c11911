// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the AVX2 kernels: four doubles per vector, loads and stores of the 1 to 4 rows at the end of a
// column, and sums across vectors. All loads are unaligned, so results do not depend on the place of the data.

#ifndef TRXI_MATH_DENSE_AVX2_H
#define TRXI_MATH_DENSE_AVX2_H

// TRXI_PORTABLE leaves all vector kernels out, for comparisons
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) && !defined(TRXI_PORTABLE)
#define TRXI_HAS_AVX2 1

#include <immintrin.h>
#include <stdbool.h>

#define TRXI_AVX2 __attribute__((target("avx2,fma")))
#define TRXI_AVX2_INLINE static inline __attribute__((always_inline, target("avx2,fma")))

// arrays of vectors become registers when their loops are unrolled; gcc needs a pragma for this, clang does not
#ifdef __clang__
#define TRXI_UNROLL
#else
#define TRXI_UNROLL _Pragma("GCC unroll 4")
#endif

/// Makes `call` with a constant `name` in place of `count`, so functions that the call inlines are compiled once for each value.
/// `count` is from 0 (no call) to 3, from 1 to 4, or from 1 to 6.
#define TRXI_CASE(name, value, call) \
    {                                \
        enum { name = value };       \
        call;                        \
    }                                \
    break
#define TRXI_UP_TO_3(name, count, call) \
    switch (count) {                    \
    case 1: TRXI_CASE(name, 1, call);   \
    case 2: TRXI_CASE(name, 2, call);   \
    case 3: TRXI_CASE(name, 3, call);   \
    default: break;                     \
    }
#define TRXI_UP_TO_4(name, count, call) \
    switch (count) {                    \
    case 1: TRXI_CASE(name, 1, call);   \
    case 2: TRXI_CASE(name, 2, call);   \
    case 3: TRXI_CASE(name, 3, call);   \
    default: TRXI_CASE(name, 4, call);  \
    }
#define TRXI_UP_TO_6(name, count, call) \
    switch (count) {                    \
    case 1: TRXI_CASE(name, 1, call);   \
    case 2: TRXI_CASE(name, 2, call);   \
    case 3: TRXI_CASE(name, 3, call);   \
    case 4: TRXI_CASE(name, 4, call);   \
    case 5: TRXI_CASE(name, 5, call);   \
    default: TRXI_CASE(name, 6, call);  \
    }

int trxi_avx2_cholesky(int n, double *A, int lda);
void trxi_avx2_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx);
void trxi_avx2_lower_solve(int n, const double *L, int ldl, int nrhs, double *X, int ldx);
void trxi_avx2_lower_solve_right(int n, const double *L, int ldl, int m, double *X, int ldx);
void trxi_avx2_upper_solve_right(int n, const double *L, int ldl, int m, double *X, int ldx);
void trxi_avx2_transpose(int m, int n, const double *A, int lda, double *B, int ldb);
void trxi_avx2_gemm(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta,
                    double *C, int ldc);
void trxi_avx2_gemm_tn(int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb,
                       double beta, double *C, int ldc);
void trxi_avx2_gemm_nt_lower(int m, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc);

/// C -= A B^T for the first n columns of C (m x n), A (m x k), B (n x k); in the first n rows only the lower triangle
/// is valid.
void trxi_avx2_downdate(int m, int n, int k, const double *A, int lda, const double *B, int ldb, double *C, int ldc);

/// Whether this processor has the instructions. Reads a result of the start-up code, so any thread may call it.
static inline bool trxi_runs_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/// Vectors of doubles in memory. Intel's own vector types may alias any type, so after a store through them the compiler must
/// read sizes and pointers again. A store through these types can alias doubles only.
typedef double trxi_doubles4 __attribute__((vector_size(32), aligned(8)));
typedef double trxi_doubles2 __attribute__((vector_size(16), aligned(8)));

TRXI_AVX2_INLINE void trxi_store4(double *x, __m256d value)
{
    *(trxi_doubles4 *)(void *)x = (trxi_doubles4)value;
}

TRXI_AVX2_INLINE void trxi_store2(double *x, __m128d value)
{
    *(trxi_doubles2 *)(void *)x = (trxi_doubles2)value;
}

/// Ones in the first `rows` (1 .. 4) lanes.
TRXI_AVX2_INLINE __m256i trxi_lanes(int rows)
{
    static const long long ones_and_zeros[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    return _mm256_loadu_si256((const __m256i *)(const void *)(ones_and_zeros + 4 - rows));
}

/// Lanes of the last vector of a column of n rows.
TRXI_AVX2_INLINE __m256i trxi_last_lanes(int n)
{
    return trxi_lanes((n - 1) % 4 + 1);
}

TRXI_AVX2_INLINE __m256d trxi_load_rows(const double *x, bool partial, __m256i lanes)
{
    return partial ? _mm256_maskload_pd(x, lanes) : _mm256_loadu_pd(x);
}

/// The first 1 to 4 lanes, by plain stores. Masked stores take tens of cycles on some processors, and later loads of
/// their data wait.
TRXI_AVX2_INLINE void trxi_store_lanes(double *x, __m256i lanes, __m256d value)
{
    const int mask = _mm256_movemask_pd(_mm256_castsi256_pd(lanes));
    const __m128d low = _mm256_castpd256_pd128(value);
    if (mask == 15) {
        trxi_store4(x, value);
        return;
    }
    if (mask & 2) trxi_store2(x, low);
    else _mm_store_sd(x, low);
    if (mask & 4) _mm_store_sd(x + 2, _mm256_extractf128_pd(value, 1));
}

TRXI_AVX2_INLINE void trxi_store_rows(double *x, __m256d value, bool partial, __m256i lanes)
{
    if (partial) trxi_store_lanes(x, lanes, value);
    else trxi_store4(x, value);
}

/// The sums over the lanes of a, b, c, d, each as (0 + 1) + (2 + 3).
TRXI_AVX2_INLINE __m256d trxi_sum_lanes4(__m256d a, __m256d b, __m256d c, __m256d d)
{
    __m256d ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
    __m256d low = _mm256_permute2f128_pd(ab, cd, 0x20), high = _mm256_permute2f128_pd(ab, cd, 0x31);
    return _mm256_add_pd(low, high);
}

TRXI_AVX2_INLINE double trxi_sum_lanes(__m256d a)
{
    __m128d low = _mm256_castpd256_pd128(a), high = _mm256_extractf128_pd(a, 1);
    __m128d pairs = _mm_add_pd(_mm_hadd_pd(low, low), _mm_hadd_pd(high, high));
    return _mm_cvtsd_f64(pairs);
}

#endif
#endif
