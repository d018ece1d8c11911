// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Conditions on a contact law (theory 3, 4); see pair_law.c.

#ifndef TRXI_MODEL_PAIR_LAW_H
#define TRXI_MODEL_PAIR_LAW_H

#include <tractrix/parameters.h>

enum { TRXI_LAW_FLAW = 200 };

/// A number of a law that must be finite and not negative, and where a law and an override (there NAN: unchanged) keep it. Numbers
/// that are parameters are at their trx_parameter_kind.
typedef struct trxi_law_number {
    const char *name;
    size_t in_law, in_override;
} trxi_law_number;

enum { TRXI_LAW_NUMBERS = TRX_PAIR_REACH + 2 };
extern const trxi_law_number trxi_law_numbers[TRXI_LAW_NUMBERS];

/// The number of a law or of an override that may be changed.
static inline double *trxi_number_of_law(const trx_pair_law *law, int number)
{
    return (double *)((char *)law + trxi_law_numbers[number].in_law);
}

static inline double *trxi_number_of_override(const trx_pair_override *override, int number)
{
    return (double *)((char *)override + trxi_law_numbers[number].in_override);
}

/// Returns false, with the error in `text`, when no step can use the law.
bool trxi_pair_law_usable(const trx_pair_law *law, char text[TRXI_LAW_FLAW]);

/// Whether contacts of this approximation can have torsional and rolling friction.
bool trxi_approximation_turns(trx_approximation approximation);

/// Whether the friction has an axis.
bool trxi_pair_law_anisotropic(const trx_pair_law *law);

#endif
