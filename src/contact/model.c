// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contact models and their solvers (theory 4): see model.h. Newton needs a symmetric slope, so it serves the models with a
// potential alone.

#include "contact/model.h"

#include "contact/gauss_seidel.h"
#include "contact/interior_point.h"
#include "contact/newton.h"

const char *const trxi_contact_model_words[TRX_CONTACT_MODELS] = {
    [TRX_CONTACT_CONVEX] = "convex", [TRX_CONTACT_LCP] = "lcp",   [TRX_CONTACT_CCP] = "ccp",
    [TRX_CONTACT_NCP] = "ncp",       [TRX_CONTACT_DOJO] = "dojo", [TRX_CONTACT_RAISIM] = "raisim",
};

static const trxi_contact_model models[TRX_CONTACT_MODELS] = {
    [TRX_CONTACT_CONVEX] = {.symmetric = true},
    [TRX_CONTACT_LCP] = {.law = &trxi_lcp, .sweeps = true},
    [TRX_CONTACT_CCP] = {.law = &trxi_ccp, .symmetric = true, .sweeps = true},
    [TRX_CONTACT_NCP] = {.law = &trxi_ncp, .sweeps = true},
    [TRX_CONTACT_DOJO] = {.law = &trxi_dojo, .only = trxi_interior_point_solve},
    [TRX_CONTACT_RAISIM] = {.law = &trxi_raisim, .sweeps = true},
};

const trxi_contact_model *trxi_contact_model_of(trx_contact_model model)
{
    return &models[model];
}

trxi_island_solver *trxi_contact_model_solver(trx_contact_model model, trx_contact_solver solver)
{
    const trxi_contact_model *m = &models[model];
    if (m->only) return solver == TRX_SOLVER_USUAL ? m->only : NULL;
    if (m->symmetric && solver != TRX_SOLVER_PGS) return trxi_newton_solve;
    return m->sweeps && solver != TRX_SOLVER_NEWTON ? trxi_gauss_seidel_solve : NULL;
}
