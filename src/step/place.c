// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Writes the rows [dt th_vq S dv; dv] of a tree (S = 1) or of a free body into A and B (theory 6). Every pair of bodies in
// an island has a block of such rows. With many bodies, plain loops over a few numbers would take longer than the solve that
// gives the numbers. With AVX2 a column of a free body is two vectors: four rows and two rows.

#include "step/integrate.h"

#include "math/dense_avx2.h"

#include <stddef.h>

#ifdef TRXI_HAS_AVX2

enum { AHEAD = 48 };

#define TRXI_PLACE __attribute__((target("avx2,fma,prfchw")))

// trxi_place_free with AVX2
TRXI_PLACE static void place(int ncol, double rate, const double *S, const double *v, int ldv, double *out, int rows)
{
    // rows 5 and 6 in the first two lanes, row 4 in the last one
    const __m256d s0 = _mm256_setr_pd(S[1], S[2], 0, S[0]), s1 = _mm256_setr_pd(S[4], S[5], 0, S[3]);
    const __m256d s2 = _mm256_setr_pd(S[7], S[8], 0, S[6]), scale = _mm256_set1_pd(rate);
    const ptrdiff_t ld = 2 * (ptrdiff_t)rows;
    for (int part = 0; part < 2; part++, out += (rows - ncol) * ld)
        for (int c = 0; c < ncol; c++, v += ldv, out += ld) {
            // fetch the cache lines of a later tree now: a column has only a few lines in sequence
            __builtin_prefetch(out + AHEAD, 1);
            __builtin_prefetch(out + rows + AHEAD, 1);
            const __m256d first = _mm256_loadu_pd(v);
            __m256d turn = _mm256_mul_pd(s0, _mm256_broadcast_sd(v + 3));
            turn = _mm256_fmadd_pd(s1, _mm256_broadcast_sd(v + 4), turn);
            turn = _mm256_fmadd_pd(s2, _mm256_broadcast_sd(v + 5), turn);
            trxi_store4(out, _mm256_blend_pd(_mm256_mul_pd(scale, first), turn, 8));
            trxi_store2(out + 4, _mm256_castpd256_pd128(turn));
            trxi_store4(out + rows, first);
            trxi_store2(out + rows + 4, _mm_loadu_pd(v + 4));
        }
}

// trxi_place_rows with AVX2: four rows at a time; the last four rows overlap the rows before
TRXI_AVX2 static void place_rows(int n, int ncol, double rate, const double *v, int ldv, double *out, int ldo, int rows)
{
    const __m256d scale = _mm256_set1_pd(rate);
    for (int c = 0; c < ncol; c++, v += ldv, out += ldo) {
        for (int i = 0; i < n; i += 4) {
            const int at = i + 4 <= n ? i : n - 4;
            const __m256d value = _mm256_loadu_pd(v + at);
            trxi_store4(out + at, _mm256_mul_pd(scale, value));
            trxi_store4(out + at + rows, value);
        }
    }
}
#endif

void trxi_place_rows(int n, int ncol, double rate, const double *v, int ldv, double *out, int ldo, int rows)
{
#ifdef TRXI_HAS_AVX2
    if (n >= 4 && trxi_runs_avx2()) {
        place_rows(n, ncol, rate, v, ldv, out, ldo, rows);
        return;
    }
#endif
    for (int c = 0; c < ncol; c++, v += ldv, out += ldo)
        for (int i = 0; i < n; i++) out[i] = rate * v[i], out[i + rows] = v[i];
}

void trxi_place_free(int ncol, double rate, const double S[9], const double *v, int ldv, double *out, int rows)
{
#ifdef TRXI_HAS_AVX2
    if (trxi_runs_avx2()) {
        place(ncol, rate, S, v, ldv, out, rows);
        return;
    }
#endif
    const ptrdiff_t ld = 2 * (ptrdiff_t)rows;
    for (int part = 0; part < 2; part++, out += (rows - ncol) * ld)
        for (int c = 0; c < ncol; c++, v += ldv, out += ld) {
            for (int i = 0; i < 6; i++) out[rows + i] = v[i];
            for (int i = 0; i < 3; i++) {
                out[i] = rate * v[i];
                out[3 + i] = S[i] * v[3] + S[3 + i] * v[4] + S[6 + i] * v[5];
            }
        }
}
