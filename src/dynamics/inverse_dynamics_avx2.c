// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The passes of inverse dynamics (theory 2) and of its adjoint (theory 6) by AVX2 and FMA: a vector in R^3 takes one register.

#include "math/lanes3_avx2.h"

#include "dynamics/inverse_dynamics.h"

#ifdef TRXI_HAS_AVX2

#define TRXI_PASS TRXI_AVX2

#include "dynamics/inverse_dynamics_passes.inc"

#include "dynamics/inverse_dynamics_deriv_passes.inc"

static const trxi_dynamics_passes vector = {inertias,   compose,       quadratic,   inverse_dynamics,
                                            accelerate, adjoint_begin, adjoint_end, derivatives};

const trxi_dynamics_passes *trxi_dynamics_vector(void)
{
    return trxi_runs_avx2() ? &vector : NULL;
}

#else

const trxi_dynamics_passes *trxi_dynamics_vector(void)
{
    return NULL;
}

#endif
