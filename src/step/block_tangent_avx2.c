// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The tangent of a block of rows (theory 6) by AVX2 and FMA: a vector in R^3 takes one register.

#include "math/lanes3_avx2.h"

#include "step/block_tangent.h"

#ifdef TRXI_HAS_AVX2

#define TRXI_PASS TRXI_AVX2

#include "step/block_tangent.inc"

static const trxi_block_passes vector = {add_gradient, subtract_matrices, force_columns, displace, move, weigh};

const trxi_block_passes *trxi_block_vector(void)
{
    return trxi_dynamics_vector() ? &vector : NULL;
}

#else

const trxi_block_passes *trxi_block_vector(void)
{
    return NULL;
}

#endif
