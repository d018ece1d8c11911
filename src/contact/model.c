// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contact models and their solvers (theory 4): see model.h. Newton needs a symmetric slope, so it serves only the models with a
// potential.

#include "contact/model.h"

#include "contact/island_solvers.h"

#include <stdio.h>
#include <string.h>

const char *const trxi_contact_model_words[TRX_CONTACT_MODELS] = {
    [TRX_CONTACT_CONVEX] = "convex", [TRX_CONTACT_LCP] = "lcp",   [TRX_CONTACT_CCP] = "ccp",
    [TRX_CONTACT_NCP] = "ncp",       [TRX_CONTACT_DOJO] = "dojo", [TRX_CONTACT_RAISIM] = "raisim",
    [TRX_CONTACT_FIRST_ORDER] = "first_order",
};

const char *const trxi_contact_solver_words[TRX_CONTACT_SOLVERS] = {
    [TRX_SOLVER_USUAL] = "usual", [TRX_SOLVER_NEWTON] = "newton", [TRX_SOLVER_PGS] = "pgs",
    [TRX_SOLVER_ADMM] = "admm",   [TRX_SOLVER_STAGGERED] = "staggered", [TRX_SOLVER_PIVOTING] = "pivoting",
};

enum {
    NEWTON = 1 << TRX_SOLVER_NEWTON,
    PGS = 1 << TRX_SOLVER_PGS,
    ADMM = 1 << TRX_SOLVER_ADMM,
    STAGGERED = 1 << TRX_SOLVER_STAGGERED,
    PIVOTING = 1 << TRX_SOLVER_PIVOTING,
};

// ---- methods for a part of the islands ----

// a few sweeps: they are the fastest method if a few suffice, as for a robot with a few contacts, and the slowest in stacks
static trx_status sweep_briefly(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                                trxi_work *s)
{
    enum { FEW = 30 };
    trxi_solver_settings brief = *settings;
    if (brief.max_sweeps > FEW) brief.max_sweeps = FEW;
    return trxi_gauss_seidel_solve(problem, island, &brief, s);
}

// pivoting, which finds a solution whenever there is one, in islands of few contacts
static trx_status pivot_few(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                            trxi_work *s)
{
    const bool few = trxi_pivoting_contacts(problem, island) <= TRXI_PIVOTING_MOST;
    return few ? trxi_pivoting_solve(problem, island, settings, s) : TRX_ERR_NOT_CONVERGED;
}

// ---- the lists ----

// the methods of a solver, in the order in which a step tries them
typedef trxi_island_solver *const methods[];

static methods newton = {trxi_newton_solve, NULL};
static methods pgs = {trxi_open_solve, trxi_gauss_seidel_solve, NULL};
static methods admm = {trxi_open_solve, trxi_admm_solve, NULL};
static methods staggered = {trxi_open_solve, trxi_staggered_solve, NULL};
static methods pivoting = {trxi_pivoting_solve, NULL};
static methods interior_point = {trxi_interior_point_solve, NULL};
static methods levels = {trxi_two_level_solve, NULL};
static methods round_cones = {trxi_open_solve,   trxi_sticking_solve,  sweep_briefly,           trxi_admm_solve,
                              trxi_lifted_solve, trxi_staggered_solve, trxi_gauss_seidel_solve, NULL};
static methods pyramids = {trxi_open_solve, trxi_sticking_solve,  sweep_briefly,           trxi_admm_solve,
                           pivot_few,       trxi_staggered_solve, trxi_gauss_seidel_solve, NULL};

static const trxi_contact_model models[TRX_CONTACT_MODELS] = {
    [TRX_CONTACT_CONVEX] = {.symmetric = true, .usual = newton, .serve = NEWTON},
    [TRX_CONTACT_LCP] = {.law = &trxi_lcp, .usual = pyramids, .serve = PGS | ADMM | STAGGERED | PIVOTING},
    [TRX_CONTACT_CCP] = {.law = &trxi_ccp, .symmetric = true, .usual = newton, .serve = NEWTON | PGS | ADMM},
    [TRX_CONTACT_NCP] = {.law = &trxi_ncp, .usual = round_cones, .serve = PGS | ADMM | STAGGERED},
    [TRX_CONTACT_DOJO] = {.law = &trxi_dojo, .usual = interior_point},
    [TRX_CONTACT_RAISIM] = {.law = &trxi_raisim, .usual = round_cones, .serve = PGS | ADMM | STAGGERED},
    [TRX_CONTACT_FIRST_ORDER] = {.law = &trxi_first_order, .exact_springs = true, .usual = levels},
};

static trxi_island_solver *const *const solvers[TRX_CONTACT_SOLVERS] = {
    [TRX_SOLVER_NEWTON] = newton,       [TRX_SOLVER_PGS] = pgs,           [TRX_SOLVER_ADMM] = admm,
    [TRX_SOLVER_STAGGERED] = staggered, [TRX_SOLVER_PIVOTING] = pivoting,
};

const trxi_contact_model *trxi_contact_model_of(trx_contact_model model)
{
    return &models[model];
}

trxi_island_solver *const *trxi_contact_model_methods(trx_contact_model model, trx_contact_solver solver)
{
    const trxi_contact_model *m = &models[model];
    if (solver == TRX_SOLVER_USUAL) return m->usual;
    return m->serve & 1u << solver ? solvers[solver] : NULL;
}

void trxi_contact_model_solvers(trx_contact_model model, char *out, size_t size)
{
    if (size) out[0] = 0;
    for (int k = 0; k < TRX_CONTACT_SOLVERS; k++) {
        const size_t used = strlen(out);
        if (models[model].serve & 1u << k)
            snprintf(out + used, size - used, "%s%s", used ? ", " : "", trxi_contact_solver_words[k]);
    }
}
