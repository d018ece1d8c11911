// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Words for what the recordings do not determine (theory 10).

#ifndef TRXI_FIT_WORDS_H
#define TRXI_FIT_WORDS_H

#include "fit/unknowns.h"

/// The direction v (count numbers: shares of the unknowns) as a sentence in the pool; NULL when memory is out. `deviation`: the
/// standard deviation along the direction.
const char *trxi_direction_words(trxi_pool *pool, const trxi_unknowns *unknowns, const double *v, double deviation);

/// A sentence about unknown k, which recordings disagree about; NULL when memory is out. `deviation`: of the sandwich.
const char *trxi_disagreement_words(trxi_pool *pool, const trxi_unknowns *unknowns, int k, double deviation);

#endif
