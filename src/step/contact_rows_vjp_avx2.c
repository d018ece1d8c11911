// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pull of a contact (theory 6) by AVX2 and FMA: a vector in R^3 takes one register.

#include "math/lanes3_avx2.h"

#include "step/contact_rows_vjp.h"

#ifdef TRXI_HAS_AVX2

#define TRXI_PASS TRXI_AVX2

#include "step/contact_rows_pull.h"

trxi_contact_pull trxi_contact_pull_vector(void)
{
    return trxi_dynamics_vector() ? pull_contact : NULL;
}

#else

trxi_contact_pull trxi_contact_pull_vector(void)
{
    return NULL;
}

#endif
