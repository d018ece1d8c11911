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

// methods that are tried in turn: a step that a method does not solve is solved again by the next method. The choice depends
// only on the step
typedef trxi_island_solver *const methods[];

static trx_status solve_by(methods list, const trxi_contact_problem *problem, trxi_island *island,
                           const trxi_solver_settings *settings, trxi_work *s)
{
    trx_status status = TRX_ERR_NOT_CONVERGED;
    int iterations = 0;
    for (int i = 0; list[i] && status == TRX_ERR_NOT_CONVERGED; i++) {
        s->stats = (trxi_solver_stats){0};
        status = list[i](problem, island, settings, s);
        iterations += s->stats.iterations;
    }
    s->stats.iterations = iterations;
    return status;
}

static trx_status sweep(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                        trxi_work *s)
{
    static const methods list = {trxi_open_solve, trxi_gauss_seidel_solve, NULL};
    return solve_by(list, problem, island, settings, s);
}

static trx_status alternate(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                            trxi_work *s)
{
    static const methods list = {trxi_open_solve, trxi_admm_solve, NULL};
    return solve_by(list, problem, island, settings, s);
}

static trx_status stagger(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                          trxi_work *s)
{
    static const methods list = {trxi_open_solve, trxi_staggered_solve, NULL};
    return solve_by(list, problem, island, settings, s);
}

// ---- the usual solvers of rigid contact ----

// tries a few sweeps: they are the fastest method if a few suffice, as for a robot with a few contacts, and the slowest in stacks
static trx_status sweep_briefly(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                                trxi_work *s)
{
    enum { FEW = 30 };
    trxi_solver_settings brief = *settings;
    if (brief.max_sweeps > FEW) brief.max_sweeps = FEW;
    return trxi_gauss_seidel_solve(problem, island, &brief, s);
}

static trx_status solve_round(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                              trxi_work *s)
{
    static const methods list = {trxi_open_solve,   trxi_sticking_solve,  sweep_briefly,           trxi_admm_solve,
                                 trxi_lifted_solve, trxi_staggered_solve, trxi_gauss_seidel_solve, NULL};
    return solve_by(list, problem, island, settings, s);
}

// tries pivoting, which finds a solution whenever there is one, in islands of few contacts
static trx_status solve_pyramids(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                                 trxi_work *s)
{
    static const methods few = {trxi_open_solve,     trxi_sticking_solve,  sweep_briefly,           trxi_admm_solve,
                                trxi_pivoting_solve, trxi_staggered_solve, trxi_gauss_seidel_solve, NULL};
    static const methods many = {trxi_open_solve, trxi_sticking_solve,  sweep_briefly,
                                 trxi_admm_solve, trxi_staggered_solve, trxi_gauss_seidel_solve, NULL};
    return solve_by(trxi_pivoting_contacts(problem, island) <= TRXI_PIVOTING_MOST ? few : many, problem, island, settings, s);
}

static const trxi_contact_model models[TRX_CONTACT_MODELS] = {
    [TRX_CONTACT_CONVEX] = {.symmetric = true, .usual = trxi_newton_solve, .serve = NEWTON},
    [TRX_CONTACT_LCP] = {.law = &trxi_lcp, .usual = solve_pyramids, .serve = PGS | ADMM | STAGGERED | PIVOTING},
    [TRX_CONTACT_CCP] = {.law = &trxi_ccp, .symmetric = true, .usual = trxi_newton_solve, .serve = NEWTON | PGS | ADMM},
    [TRX_CONTACT_NCP] = {.law = &trxi_ncp, .usual = solve_round, .serve = PGS | ADMM | STAGGERED},
    [TRX_CONTACT_DOJO] = {.law = &trxi_dojo, .usual = trxi_interior_point_solve},
    [TRX_CONTACT_RAISIM] = {.law = &trxi_raisim, .usual = solve_round, .serve = PGS | ADMM | STAGGERED},
    [TRX_CONTACT_FIRST_ORDER] = {.law = &trxi_first_order, .exact_springs = true, .usual = trxi_two_level_solve},
};

static trxi_island_solver *const solvers[TRX_CONTACT_SOLVERS] = {
    [TRX_SOLVER_NEWTON] = trxi_newton_solve,
    [TRX_SOLVER_PGS] = sweep,
    [TRX_SOLVER_ADMM] = alternate,
    [TRX_SOLVER_STAGGERED] = stagger,
    [TRX_SOLVER_PIVOTING] = trxi_pivoting_solve,
};

const trxi_contact_model *trxi_contact_model_of(trx_contact_model model)
{
    return &models[model];
}

trxi_island_solver *trxi_contact_model_solver(trx_contact_model model, trx_contact_solver solver)
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
