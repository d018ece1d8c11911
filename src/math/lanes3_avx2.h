// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Vectors in R^3 in one register each, in AVX2 and FMA. lanes3_portable.h has the same names in scalar code, so one
// text compiles with both. The fourth lane is undefined. Sums over lanes leave it out, except trxi_v3_sum_clean.
//
// A cross product is kept in rotated order (z x y) until its sum is complete. The rotated form is called an arc:
//
//     arc(a, b) = a yzx(b) - yzx(a) b          a x b = yzx(arc(a, b))
//
// A sum of cross products is a sum of arcs, rotated once at the end.

#ifndef TRXI_MATH_LANES3_AVX2_H
#define TRXI_MATH_LANES3_AVX2_H

#include "math/dense_avx2.h"

#ifdef TRXI_HAS_AVX2

#define TRXI_LANES3 TRXI_AVX2_INLINE

typedef __m256d trxi_v3;

/// Loads three numbers; the first three of four numbers in memory.
TRXI_LANES3 trxi_v3 trxi_v3_load(const double *x)
{
    return _mm256_maskload_pd(x, trxi_lanes(3));
}

TRXI_LANES3 trxi_v3 trxi_v3_load4(const double *x)
{
    return _mm256_loadu_pd(x);
}

/// Stores four numbers; three numbers.
TRXI_LANES3 void trxi_v3_store4(double *x, trxi_v3 a)
{
    trxi_store4(x, a);
}

TRXI_LANES3 void trxi_v3_store(double *x, trxi_v3 a)
{
    trxi_store2(x, _mm256_castpd256_pd128(a));
    _mm_store_sd(x + 2, _mm256_extractf128_pd(a, 1));
}

TRXI_LANES3 trxi_v3 trxi_v3_set(double x, double y, double z)
{
    return _mm256_set_pd(0, z, y, x);
}

TRXI_LANES3 trxi_v3 trxi_v3_zero(void)
{
    return _mm256_setzero_pd();
}

TRXI_LANES3 trxi_v3 trxi_v3_add(trxi_v3 a, trxi_v3 b)
{
    return _mm256_add_pd(a, b);
}

TRXI_LANES3 trxi_v3 trxi_v3_sub(trxi_v3 a, trxi_v3 b)
{
    return _mm256_sub_pd(a, b);
}

TRXI_LANES3 trxi_v3 trxi_v3_scale(double s, trxi_v3 a)
{
    return _mm256_mul_pd(_mm256_set1_pd(s), a);
}

/// out + s a.
TRXI_LANES3 trxi_v3 trxi_v3_axpy(double s, trxi_v3 a, trxi_v3 out)
{
    return _mm256_fmadd_pd(_mm256_set1_pd(s), a, out);
}

/// Products element by element.
TRXI_LANES3 trxi_v3 trxi_v3_times(trxi_v3 a, trxi_v3 b)
{
    return _mm256_mul_pd(a, b);
}

TRXI_LANES3 trxi_v3 trxi_v3_add_times(trxi_v3 out, trxi_v3 a, trxi_v3 b)
{
    return _mm256_fmadd_pd(a, b, out);
}

TRXI_LANES3 trxi_v3 trxi_v3_yzx(trxi_v3 a)
{
    return _mm256_permute4x64_pd(a, 0xc9);
}

TRXI_LANES3 trxi_v3 trxi_v3_arc(trxi_v3 a, trxi_v3 b)
{
    return _mm256_fmsub_pd(a, trxi_v3_yzx(b), _mm256_mul_pd(trxi_v3_yzx(a), b));
}

TRXI_LANES3 trxi_v3 trxi_v3_add_arc(trxi_v3 arcs, trxi_v3 a, trxi_v3 b)
{
    return _mm256_fnmadd_pd(trxi_v3_yzx(a), b, _mm256_fmadd_pd(a, trxi_v3_yzx(b), arcs));
}

/// The sum of cross products from the sum of their arcs.
TRXI_LANES3 trxi_v3 trxi_v3_close(trxi_v3 arcs)
{
    return trxi_v3_yzx(arcs);
}

/// m[0] x_0 + m[1] x_1 + m[2] x_2.
TRXI_LANES3 trxi_v3 trxi_v3_combine(const trxi_v3 m[3], trxi_v3 x)
{
    const trxi_v3 x0 = _mm256_permute4x64_pd(x, 0x00), x1 = _mm256_permute4x64_pd(x, 0x55);
    const trxi_v3 x2 = _mm256_permute4x64_pd(x, 0xaa);
    return _mm256_fmadd_pd(m[2], x2, _mm256_fmadd_pd(m[1], x1, _mm256_mul_pd(m[0], x0)));
}

TRXI_LANES3 double trxi_v3_sum(trxi_v3 a)
{
    const __m128d low = _mm256_castpd256_pd128(a), high = _mm256_extractf128_pd(a, 1);
    return _mm_cvtsd_f64(_mm_add_sd(_mm_add_sd(low, _mm_unpackhi_pd(low, low)), high));
}

TRXI_LANES3 double trxi_v3_dot(trxi_v3 a, trxi_v3 b)
{
    return trxi_v3_sum(_mm256_mul_pd(a, b));
}

/// a . b + c . d.
TRXI_LANES3 double trxi_v3_dot2(trxi_v3 a, trxi_v3 b, trxi_v3 c, trxi_v3 d)
{
    return trxi_v3_sum(_mm256_fmadd_pd(c, d, _mm256_mul_pd(a, b)));
}

/// Sets the fourth lane to zero.
TRXI_LANES3 trxi_v3 trxi_v3_clean(trxi_v3 a)
{
    return _mm256_blend_pd(a, _mm256_setzero_pd(), 8);
}

/// The sums over lanes of two vectors whose fourth lane is zero.
TRXI_LANES3 void trxi_v3_sum_clean(trxi_v3 a, trxi_v3 b, double *sum_a, double *sum_b)
{
    const __m256d pairs = _mm256_hadd_pd(a, b);
    const __m128d sums = _mm_add_pd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1));
    _mm_storel_pd(sum_a, sums);
    _mm_storeh_pd(sum_b, sums);
}

/// The three sums of a, b, c.
TRXI_LANES3 trxi_v3 trxi_v3_sums(trxi_v3 a, trxi_v3 b, trxi_v3 c)
{
    const trxi_v3 ab = _mm256_hadd_pd(trxi_v3_clean(a), trxi_v3_clean(b));
    const trxi_v3 cc = _mm256_hadd_pd(trxi_v3_clean(c), _mm256_setzero_pd());
    return _mm256_add_pd(_mm256_permute2f128_pd(ab, cc, 0x20), _mm256_permute2f128_pd(ab, cc, 0x31));
}

/// (m[0] . x, m[1] . x, m[2] . x).
TRXI_LANES3 trxi_v3 trxi_v3_project(const trxi_v3 m[3], trxi_v3 x)
{
    return trxi_v3_sums(_mm256_mul_pd(m[0], x), _mm256_mul_pd(m[1], x), _mm256_mul_pd(m[2], x));
}

/// project(m, x) + project(n, y).
TRXI_LANES3 trxi_v3 trxi_v3_project2(const trxi_v3 m[3], trxi_v3 x, const trxi_v3 n[3], trxi_v3 y)
{
    trxi_v3 p[3];
    TRXI_UNROLL for (int i = 0; i < 3; i++) p[i] = _mm256_fmadd_pd(n[i], y, _mm256_mul_pd(m[i], x));
    return trxi_v3_sums(p[0], p[1], p[2]);
}

/// Columns of a symmetric matrix kept as xx yy zz xy xz yz.
TRXI_LANES3 void trxi_v3_tensor(const double t[6], trxi_v3 m[3])
{
    const trxi_v3 low = _mm256_loadu_pd(t), rest = _mm256_castpd128_pd256(_mm_loadu_pd(t + 4)); // xx yy zz xy, xz yz
    const trxi_v3 high = _mm256_permute2f128_pd(low, rest, 0x21);                               // zz xy xz yz
    m[0] = _mm256_blend_pd(low, high, 6);
    m[1] = _mm256_blend_pd(_mm256_permute4x64_pd(high, 0x31), low, 2);
    m[2] = _mm256_permute4x64_pd(high, 0x0e);
}

/// Columns of a symmetric matrix stored as xx xy yy xz yz zz.
TRXI_LANES3 void trxi_v3_symmetric(const double t[6], trxi_v3 m[3])
{
    const trxi_v3 low = _mm256_loadu_pd(t), high = _mm256_loadu_pd(t + 2); // xx xy yy xz, yy xz yz zz
    m[0] = _mm256_permute4x64_pd(low, 0x34);
    m[1] = _mm256_blend_pd(_mm256_permute4x64_pd(low, 0x09), high, 4);
    m[2] = _mm256_permute4x64_pd(high, 0x39);
}

/// Loads and stores six numbers without gaps.
TRXI_LANES3 void trxi_v3_load6(const double x[6], trxi_v3 *a, trxi_v3 *b)
{
    *a = _mm256_loadu_pd(x);
    *b = _mm256_permute4x64_pd(_mm256_loadu_pd(x + 2), 0x39);
}

TRXI_LANES3 void trxi_v3_store6(double x[6], trxi_v3 a, trxi_v3 b)
{
    const trxi_v3 turned = _mm256_permute4x64_pd(b, 0x09); // y z x x
    trxi_store4(x, _mm256_blend_pd(a, turned, 8));
    trxi_store2(x + 4, _mm256_castpd256_pd128(turned));
}

/// out += x for ten numbers.
TRXI_LANES3 void trxi_v3_add10(const double x[10], double out[10])
{
    for (int i = 0; i < 8; i += 4) trxi_store4(out + i, _mm256_add_pd(_mm256_loadu_pd(out + i), _mm256_loadu_pd(x + i)));
    trxi_store2(out + 8, _mm_add_pd(_mm_loadu_pd(out + 8), _mm_loadu_pd(x + 8)));
}

/// A spatial vector prepared for products with many others of six numbers each.
typedef struct trxi_v6_row {
    __m256d first;
    __m128d last;
} trxi_v6_row;

TRXI_LANES3 trxi_v6_row trxi_v6_row_of(trxi_v3 a, trxi_v3 b)
{
    const trxi_v3 turned = _mm256_permute4x64_pd(b, 0x09); // y z x x
    return (trxi_v6_row){_mm256_blend_pd(a, turned, 8), _mm256_castpd256_pd128(turned)};
}

TRXI_LANES3 double trxi_v6_row_dot(trxi_v6_row row, const double x[6])
{
    const __m256d products = _mm256_mul_pd(row.first, _mm256_loadu_pd(x));
    const __m128d pairs = _mm_add_pd(_mm256_castpd256_pd128(products), _mm256_extractf128_pd(products, 1));
    const __m128d sums = _mm_fmadd_pd(row.last, _mm_loadu_pd(x + 4), pairs);
    return _mm_cvtsd_f64(_mm_add_sd(sums, _mm_unpackhi_pd(sums, sums)));
}

#endif
#endif
