// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The list of contact models (theory 4). To add a model, write the table of its law (rigid.c), an island solver if none of the
// existing solvers serves, and a line in model.c.

#ifndef TRXI_CONTACT_MODEL_H
#define TRXI_CONTACT_MODEL_H

#include "contact/solver.h"

#include <tractrix/sim.h>

/// Words of contact.model in a problem file.
extern const char *const trxi_contact_model_words[TRX_CONTACT_MODELS];

/// Words of contact.solver.
extern const char *const trxi_contact_solver_words[TRX_CONTACT_SOLVERS];

typedef struct trxi_contact_model {
    const trxi_law *law; // of every contact point; NULL: the approximation of its pair
    bool symmetric;      // its law has a potential, so its slope G is symmetric
    bool exact_springs;  // constraints keep their stiffness, however stiff
    trxi_island_solver *const *usual; // methods of the usual solver
    unsigned serve; // solvers that may be chosen instead, as bits 1 << trx_contact_solver; 0: none
} trxi_contact_model;

const trxi_contact_model *trxi_contact_model_of(trx_contact_model model);

/// The methods of a solver, in the order in which a step tries them, up to a NULL. NULL when the solver does not serve the model.
trxi_island_solver *const *trxi_contact_model_methods(trx_contact_model model, trx_contact_solver solver);

/// Writes the names of the solvers that serve the model, "pgs, admm", to out; "" for a model with a solver of its own.
void trxi_contact_model_solvers(trx_contact_model model, char *out, size_t size);

/// Largest residuals of the points among `nblock` solved blocks against rigid contact with Coulomb friction.
/// The impulses of time steps of `dt` seconds become forces.
trx_contact_residual trxi_contact_residual(const trxi_row_block *blocks, int nblock, double dt);

#endif
