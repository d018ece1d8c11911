// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Kernels on panels in AVX2 and FMA, optimized for blocks of six unknowns (free bodies) and correct for any size.
// The kernels take six columns at a time; six rows are a vector of four and a vector of two. Masked stores are slow on
// some processors. Only blocks with an odd number of rows need them.

#include "sparse/panel_kernels.h"

#include "math/dense_avx2.h"

#include <stddef.h>

#ifdef TRXI_HAS_AVX2

#include <float.h>
#include <math.h>

enum { LANES = TRXI_PANEL_LANES, MOST = 6 }; // MOST: columns at a time

#ifdef __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

// size of the next part when `left` columns are divided into parts of nearly equal size, each at most MOST
static int next_part(int left)
{
    if (left <= MOST) return left;
    return left < 2 * MOST - 1 ? (left + 1) / 2 : MOST;
}

// ---- vectors of 4, 3, 2 and 1 rows ----

TRXI_AVX2_INLINE __m256d load(int rows, const double *x)
{
    if (rows == 4) return _mm256_loadu_pd(x);
    if (rows == 2) return _mm256_castpd128_pd256(_mm_loadu_pd(x));
    return _mm256_maskload_pd(x, trxi_lanes(rows));
}

TRXI_AVX2_INLINE void store(int rows, double *x, __m256d value)
{
    if (rows == 4) trxi_store4(x, value);
    else if (rows == 2) trxi_store2(x, _mm256_castpd256_pd128(value));
    else trxi_store_lanes(x, trxi_lanes(rows), value);
}

// ---- C -= A B^T ----

typedef struct product {
    const double *A, *B;
    double *C;
    int lda, ldb, ldc, k;
} product;

// updates rows from i and columns from j on: a vector of `first` rows and, unless `second` is 0, another of `second` rows
TRXI_AVX2_INLINE void tile(int first, int second, int columns, const product *p, int i, int j)
{
    const double *A = p->A + i, *B = p->B + j;
    __m256d sum[MOST][2];
    UNROLL for (int c = 0; c < columns; c++) {
        const double *C = p->C + i + (ptrdiff_t)(j + c) * p->ldc;
        sum[c][0] = load(first, C);
        if (second) sum[c][1] = load(second, C + 4);
    }
    const int nproduct = p->k, lda = p->lda, ldb = p->ldb;
    for (int l = 0; l < nproduct; l++, A += lda, B += ldb) {
        __m256d a0 = load(first, A), a1 = second ? load(second, A + 4) : a0;
        UNROLL for (int c = 0; c < columns; c++) {
            __m256d b = _mm256_broadcast_sd(B + c);
            sum[c][0] = _mm256_fnmadd_pd(a0, b, sum[c][0]);
            if (second) sum[c][1] = _mm256_fnmadd_pd(a1, b, sum[c][1]);
        }
    }
    UNROLL for (int c = 0; c < columns; c++) {
        double *C = p->C + i + (ptrdiff_t)(j + c) * p->ldc;
        store(first, C, sum[c][0]);
        if (second) store(second, C + 4, sum[c][1]);
    }
}

TRXI_AVX2_INLINE void tiles(int columns, const product *p, int m, int i, int j)
{
    for (; i + 8 <= m; i += 8) tile(4, 4, columns, p, i, j);
    switch (m - i) {
    case 1: tile(1, 0, columns, p, i, j); break;
    case 2: tile(2, 0, columns, p, i, j); break;
    case 3: tile(3, 0, columns, p, i, j); break;
    case 4: tile(4, 0, columns, p, i, j); break;
    case 5: tile(4, 1, columns, p, i, j); break;
    case 6: tile(4, 2, columns, p, i, j); break;
    case 7: tile(4, 3, columns, p, i, j); break;
    default: break;
    }
}

TRXI_AVX2 static void downdate(int m, int n, int k, bool lower, const double *A, int lda, const double *B, int ldb,
                               double *C, int ldc)
{
    const product p = {A, B, C, lda, ldb, ldc, k};
    for (int j = 0, columns; j < n; j += columns) {
        const int i = lower ? j : 0;
        columns = next_part(n - j);
        TRXI_UP_TO_6(COLUMNS, columns, tiles(COLUMNS, &p, m, i, j));
    }
}

// ---- factorization ----

// factorizes the block (columns x columns) as L D L^T and scales each column by its root, so that no square root waits for
// another one; inverse: 1 / L_cc
TRXI_AVX2_INLINE bool factorize_block(int columns, double *A, int lda, double *inverse)
{
    double a[MOST][MOST];
    UNROLL for (int c = 0; c < columns; c++)
        UNROLL for (int i = c; i < columns; i++) a[c][i] = A[i + c * lda];
    bool good = true;
    UNROLL for (int c = 0; c < columns; c++) {
        const double pivot = a[c][c], reciprocal = 1 / pivot, root = sqrt(pivot);
        good = good && pivot >= DBL_MIN && pivot <= DBL_MAX;
        UNROLL for (int j = c + 1; j < columns; j++) {
            const double factor = a[c][j] * reciprocal;
            UNROLL for (int i = j; i < columns; i++) a[j][i] = __builtin_fma(-factor, a[c][i], a[j][i]);
        }
        inverse[c] = root * reciprocal;
        A[c + c * lda] = root;
        UNROLL for (int i = c + 1; i < columns; i++) A[i + c * lda] = a[c][i] * inverse[c];
    }
    return good;
}

// solves for rows below the block: x_c = (x_c - sum_{b<c} L_cb x_b) / L_cc
TRXI_AVX2_INLINE void solve_below(int rows, int columns, const double *block, int lda, const double *inverse, double *x)
{
    __m256d value[MOST];
    UNROLL for (int c = 0; c < columns; c++) {
        value[c] = load(rows, x + c * lda);
        UNROLL for (int b = 0; b < c; b++)
            value[c] = _mm256_fnmadd_pd(_mm256_broadcast_sd(block + c + b * lda), value[b], value[c]);
        value[c] = _mm256_mul_pd(_mm256_broadcast_sd(inverse + c), value[c]);
        store(rows, x + c * lda, value[c]);
    }
}

TRXI_AVX2_INLINE bool factorize_columns(int columns, int rows, double *block, int lda, double *inverse)
{
    if (!factorize_block(columns, block, lda, inverse)) return false;
    int i = columns;
    for (; i + 4 <= rows; i += 4) solve_below(4, columns, block, lda, inverse, block + i);
    TRXI_UP_TO_3(ROWS, rows - i, solve_below(ROWS, columns, block, lda, inverse, block + i));
    return true;
}

TRXI_AVX2 static bool factorize(int rows, int width, double *A, int lda, double *inverse)
{
    for (int j = 0, columns; j < width; j += columns) {
        double *block = A + j + (ptrdiff_t)j * lda;
        columns = next_part(width - j);
        if (j > 0) downdate(rows - j, columns, j, true, A + j, lda, A + j, lda, block, lda);
        bool good;
        TRXI_UP_TO_6(COLUMNS, columns, good = factorize_columns(COLUMNS, rows - j, block, lda, inverse + j));
        if (!good) return false;
    }
    return true;
}

// ---- one right-hand side ----

TRXI_AVX2_INLINE void forward_rows(int rows, int columns, const double *L, int ldl, const __m256d *value, double *x)
{
    __m256d rest = load(rows, x);
    UNROLL for (int c = 0; c < columns; c++) rest = _mm256_fnmadd_pd(load(rows, L + c * ldl), value[c], rest);
    store(rows, x, rest);
}

// solves for `columns` entries and subtracts their columns from the entries below
TRXI_AVX2_INLINE void forward_part(int columns, int rows, const double *L, int ldl, const double *inverse, double *x)
{
    double known[MOST];
    __m256d value[MOST];
    UNROLL for (int c = 0; c < columns; c++) {
        double sum = x[c];
        UNROLL for (int b = 0; b < c; b++) sum = __builtin_fma(-L[c + b * ldl], known[b], sum);
        x[c] = known[c] = sum * inverse[c];
        value[c] = _mm256_set1_pd(known[c]);
    }
    int i = columns;
    for (; i + 4 <= rows; i += 4) forward_rows(4, columns, L + i, ldl, value, x + i);
    TRXI_UP_TO_3(ROWS, rows - i, forward_rows(ROWS, columns, L + i, ldl, value, x + i));
}

TRXI_AVX2 static void forward(int rows, int width, const double *L, int ldl, const double *inverse, double *x)
{
    for (int j = 0, columns; j < width; j += columns) {
        const double *block = L + j + (ptrdiff_t)j * ldl;
        columns = width - j < MOST ? width - j : MOST;
        TRXI_UP_TO_6(COLUMNS, columns, forward_part(COLUMNS, rows - j, block, ldl, inverse + j, x + j));
    }
}

TRXI_AVX2_INLINE void dot_rows(int rows, int columns, const double *L, int ldl, const double *x, __m256d *sum)
{
    __m256d known = load(rows, x);
    if (rows == 2) known = _mm256_insertf128_pd(known, _mm_setzero_pd(), 1);
    UNROLL for (int c = 0; c < columns; c++) {
        __m256d column = load(rows, L + c * ldl);
        if (rows == 2) column = _mm256_insertf128_pd(column, _mm_setzero_pd(), 1);
        sum[c] = _mm256_fmadd_pd(column, known, sum[c]);
    }
}

TRXI_AVX2_INLINE void backward_part(int columns, int rows, const double *L, int ldl, const double *inverse, double *x)
{
    __m256d sum[8];
    UNROLL for (int c = 0; c < 8; c++) sum[c] = _mm256_setzero_pd();
    int i = columns;
    for (; i + 4 <= rows; i += 4) dot_rows(4, columns, L + i, ldl, x + i, sum);
    TRXI_UP_TO_3(ROWS, rows - i, dot_rows(ROWS, columns, L + i, ldl, x + i, sum));
    double sums[8], known[MOST];
    trxi_store4(sums, trxi_sum_lanes4(sum[0], sum[1], sum[2], sum[3]));
    if (columns > 4) trxi_store4(sums + 4, trxi_sum_lanes4(sum[4], sum[5], sum[6], sum[7]));
    UNROLL for (int t = 0; t < columns; t++) {
        const int c = columns - 1 - t;
        double value = x[c] - sums[c];
        UNROLL for (int u = 0; u < t; u++) {
            const int b = columns - 1 - u;
            value = __builtin_fma(-L[b + c * ldl], known[b], value);
        }
        x[c] = known[c] = value * inverse[c];
    }
}

TRXI_AVX2 static void backward(int rows, int width, const double *L, int ldl, const double *inverse, double *x)
{
    const int last = (width - 1) / MOST * MOST;
    for (int j = last; j >= 0; j -= MOST) {
        const double *block = L + j + (ptrdiff_t)j * ldl;
        TRXI_UP_TO_6(COLUMNS, j == last ? width - j : MOST, backward_part(COLUMNS, rows - j, block, ldl, inverse + j, x + j));
    }
}

// ---- lanes: up to six rows of eight right-hand sides in twelve registers ----

// Y -= B X; B advances by `along` within a row of Y and by `down` from row to row, so the same text serves B^T
TRXI_AVX2_INLINE void subtract_rows(int rows, int count, const double *B, int along, int down, const double *X, double *Y)
{
    __m256d y[MOST][2];
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < 2; v++) y[r][v] = _mm256_loadu_pd(Y + LANES * r + 4 * v);
    for (int c = 0; c < count; c++, B += along, X += LANES) {
        __m256d x0 = _mm256_loadu_pd(X), x1 = _mm256_loadu_pd(X + 4);
        UNROLL for (int r = 0; r < rows; r++) {
            __m256d factor = _mm256_broadcast_sd(B + r * down);
            y[r][0] = _mm256_fnmadd_pd(factor, x0, y[r][0]);
            y[r][1] = _mm256_fnmadd_pd(factor, x1, y[r][1]);
        }
    }
    UNROLL for (int r = 0; r < rows; r++)
        UNROLL for (int v = 0; v < 2; v++) trxi_store4(Y + LANES * r + 4 * v, y[r][v]);
}

TRXI_AVX2 static void subtract(int rows, int count, const double *B, int along, int down, const double *X, double *Y)
{
    for (int i = 0, part; i < rows; i += part, B += part * down, Y += LANES * part) {
        part = next_part(rows - i);
        TRXI_UP_TO_6(ROWS, part, subtract_rows(ROWS, count, B, along, down, X, Y));
    }
}

TRXI_AVX2 static void spread_lanes(int rows, int width, const double *B, int ldb, const double *X, double *Y)
{
    subtract(rows, width, B, ldb, 1, X, Y);
}

TRXI_AVX2 static void collect_lanes(int rows, int width, const double *B, int ldb, const double *Y, double *X)
{
    subtract(width, rows, B, 1, ldb, Y, X);
}

// solves with one triangle (count x count): with L forward, with L^T backward
TRXI_AVX2_INLINE void triangle(int count, bool forward, const double *L, int ldl, const double *inverse, double *X)
{
    __m256d x[MOST][2];
    UNROLL for (int s = 0; s < count; s++) {
        const int r = forward ? s : count - 1 - s;
        UNROLL for (int v = 0; v < 2; v++) x[r][v] = _mm256_loadu_pd(X + LANES * r + 4 * v);
        UNROLL for (int t = 0; t < s; t++) {
            const int k = forward ? t : count - 1 - t;
            __m256d factor = _mm256_broadcast_sd(forward ? L + r + k * ldl : L + k + r * ldl);
            UNROLL for (int v = 0; v < 2; v++) x[r][v] = _mm256_fnmadd_pd(factor, x[k][v], x[r][v]);
        }
        __m256d scale = _mm256_broadcast_sd(inverse + r);
        UNROLL for (int v = 0; v < 2; v++) {
            x[r][v] = _mm256_mul_pd(scale, x[r][v]);
            trxi_store4(X + LANES * r + 4 * v, x[r][v]);
        }
    }
}

TRXI_AVX2_INLINE void any_triangle(int count, bool forward, const double *L, int ldl, const double *inverse, double *X)
{
    TRXI_UP_TO_6(ROWS, count, triangle(ROWS, forward, L, ldl, inverse, X));
}

TRXI_AVX2 static void forward_lanes(int width, const double *L, int ldl, const double *inverse, double *X)
{
    for (int j = 0; j < width; j += MOST) {
        const int count = width - j < MOST ? width - j : MOST, next = j + count;
        const double *block = L + j + (ptrdiff_t)j * ldl;
        any_triangle(count, true, block, ldl, inverse + j, X + LANES * j);
        spread_lanes(width - next, count, block + count, ldl, X + LANES * j, X + LANES * next);
    }
}

TRXI_AVX2 static void backward_lanes(int width, const double *L, int ldl, const double *inverse, double *X)
{
    for (int j = (width - 1) / MOST * MOST; j >= 0; j -= MOST) {
        const int count = width - j < MOST ? width - j : MOST, next = j + count;
        const double *block = L + j + (ptrdiff_t)j * ldl;
        collect_lanes(width - next, count, block + count, ldl, X + LANES * next, X + LANES * j);
        any_triangle(count, false, block, ldl, inverse + j, X + LANES * j);
    }
}

// transposes 4 x 4 numbers; columns lie ld_in and ld_out apart; returns the bitwise or of the columns
TRXI_AVX2_INLINE __m256d transpose(const double *in, int ld_in, double *out, int ld_out)
{
    __m256d a = _mm256_loadu_pd(in), b = _mm256_loadu_pd(in + ld_in);
    __m256d c = _mm256_loadu_pd(in + 2 * ld_in), d = _mm256_loadu_pd(in + 3 * ld_in);
    __m256d ab = _mm256_unpacklo_pd(a, b), ba = _mm256_unpackhi_pd(a, b);
    __m256d cd = _mm256_unpacklo_pd(c, d), dc = _mm256_unpackhi_pd(c, d);
    trxi_store4(out, _mm256_permute2f128_pd(ab, cd, 0x20));
    trxi_store4(out + ld_out, _mm256_permute2f128_pd(ba, dc, 0x20));
    trxi_store4(out + 2 * ld_out, _mm256_permute2f128_pd(ab, cd, 0x31));
    trxi_store4(out + 3 * ld_out, _mm256_permute2f128_pd(ba, dc, 0x31));
    return _mm256_or_pd(_mm256_or_pd(a, b), _mm256_or_pd(c, d));
}

TRXI_AVX2 static bool fill_lanes(int rows, int used, const double *X, int ldx, double *Y)
{
    __m256d bits = _mm256_setzero_pd();
    bool any = false;
    int i = 0;
    if (used < LANES) return trxi_panel_portable.fill_lanes(rows, used, X, ldx, Y);
    for (; i + 4 <= rows; i += 4)
        for (int l = 0; l < LANES; l += 4)
            bits = _mm256_or_pd(bits, transpose(X + i + l * ldx, ldx, Y + LANES * i + l, LANES));
    for (; i < rows; i++)
        for (int l = 0; l < LANES; l++) {
            Y[LANES * i + l] = X[i + l * ldx];
            any = any || X[i + l * ldx] != 0;
        }

    // both zeros compare equal to zero, and NaN compares unequal to everything
    return any || _mm256_movemask_pd(_mm256_cmp_pd(bits, _mm256_setzero_pd(), _CMP_NEQ_UQ));
}

TRXI_AVX2 static void empty_lanes(int rows, int used, const double *Y, double *X, int ldx)
{
    int i = 0;
    for (; used == LANES && i + 4 <= rows; i += 4)
        for (int l = 0; l < LANES; l += 4) transpose(Y + LANES * i + l, LANES, X + i + l * ldx, ldx);
    for (; i < rows; i++)
        for (int l = 0; l < used; l++) X[i + l * ldx] = Y[LANES * i + l];
}

#endif

const trxi_panel_kernels *trxi_panel_vector(void)
{
#ifdef TRXI_HAS_AVX2
    static const trxi_panel_kernels sets[] = {
        {factorize, downdate, forward, backward, forward_lanes, backward_lanes, spread_lanes, collect_lanes, fill_lanes,
         empty_lanes, trxi_combine_avx2},
        {factorize, downdate, forward, backward, forward_lanes, backward_lanes, spread_lanes, collect_lanes, fill_lanes,
         empty_lanes, trxi_combine_avx512},
    };
    if (trxi_runs_avx2()) return &sets[__builtin_cpu_supports("avx512f") != 0];
#endif
    return NULL;
}
