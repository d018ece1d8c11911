// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Random numbers as a pure function of (seed, index): the same for every order of evaluation and every
// number of threads. SplitMix64 (Steele, Lea, Flood 2014) applied to seed and index.

#ifndef TRXI_BASE_RANDOM_H
#define TRXI_BASE_RANDOM_H

#include <math.h>
#include <stdint.h>

static inline uint64_t trxi_random_bits(uint64_t seed, uint64_t index)
{
    uint64_t z = seed * 0xd1342543de82ef95u + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/// Uniform in [0, 1).
static inline double trxi_random_uniform(uint64_t seed, uint64_t index)
{
    return (double)(trxi_random_bits(seed, index) >> 11) * 0x1p-53;
}

/// Standard normal (Box and Muller 1958).
static inline double trxi_random_normal(uint64_t seed, uint64_t index)
{
    double u = 1.0 - trxi_random_uniform(seed, 2 * index);
    double w = trxi_random_uniform(seed, 2 * index + 1);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * w);
}

#endif
