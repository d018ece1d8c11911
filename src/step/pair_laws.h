// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Laws of a simulator's pairs (theory 3): the model's laws, and laws that were set for single pairs. Memory grows with the number
// of laws, not with the number of pairs.

#ifndef TRXI_STEP_PAIR_LAWS_H
#define TRXI_STEP_PAIR_LAWS_H

#include "model/model.h"

typedef struct trxi_pair_laws {
    trx_context *context;
    const trx_model *model;
    trxi_pair_table table; // copy of the model's table in `block`, in which every pair with a set law has its own kind
    trxi_pair_kind *kinds; // nkind; in `block`
    double *reach;         // nkind: gap at which the law begins to act [m]
    int nkind, room;       // number of kinds, room for kinds
    double least_reach;    // from the settings [m]
    void *block;
} trxi_pair_laws;

/// Starts with the model's laws. Errors: MEMORY.
trx_status trxi_pair_laws_open(trx_context *context, const trx_model *model, trxi_pair_laws *laws);
void trxi_pair_laws_close(trxi_pair_laws *laws);

/// A pair's law; the pointer is valid until a law is set.
const trx_pair_law *trxi_pair_laws_get(const trxi_pair_laws *laws, int pair);

/// Gives one pair a law. The first law of a pair may need memory. Errors: MEMORY.
trx_status trxi_pair_laws_set(trxi_pair_laws *laws, int pair, const trx_pair_law *law);

/// Makes room for the laws of `pairs` more pairs, so that setting these laws allocates nothing. May move `reach`. Errors: MEMORY.
trx_status trxi_pair_laws_reserve(trxi_pair_laws *laws, int pairs);

/// Every law gets at least this reach [m].
void trxi_pair_laws_set_least_reach(trxi_pair_laws *laws, double reach);

#endif
