// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The short way of a contact (theory 6) by AVX2 and FMA: a vector in R^3 takes one register.

#include "math/lanes3_avx2.h"

#include "step/contact_rows_short.h"

#ifdef TRXI_HAS_AVX2

#define TRXI_PASS TRXI_AVX2

#include "step/contact_rows_pull.h"

#include "step/contact_rows_push.h"

static const trxi_contact_ways vector = {pull_contact, push_contact};

const trxi_contact_ways *trxi_contact_vector(void)
{
    return trxi_dynamics_vector() ? &vector : NULL;
}

#else

const trxi_contact_ways *trxi_contact_vector(void)
{
    return NULL;
}

#endif
