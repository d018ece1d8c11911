// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contacts that stick (theory 4). ccp, ncp, lcp and raisim agree on contacts that are open, stick or have no friction; they
// differ only for sliding contacts. ccp is convex, so Newton's method solves it. If no contact with friction slides at its
// solution, this is the solution of every model. A few iterations decide this: if the solve takes
// longer, contacts slide, and another method is faster.
//
// Newton's method leaves the rounding of v_c/R in the impulses f. With v = A^-1 (p0 + J^T f) and the last H = A + J^T G J, a step
//
//     e = law(v_c) - f      H dv = J^T e      f <- f + e - G J dv
//
// leaves the rounding of J dv/R, which is far less, since dv is rounding itself. Impulses without effect on v may leave the
// friction cone. Then other methods have to find the impulses.

#include "contact/island_solvers.h"

#include "contact/balance.h"
#include "contact/friction.h"
#include "contact/hessian.h"
#include "contact/impulses.h"
#include "contact/islands.h"
#include "math/vec3.h"

enum { MOST_ITERATIONS = 3, MOST_REFINEMENTS = 3 };
static const double share = 1e-3; // largest error of v_c, as a share of the tolerance [1]
static const double exact = 1e-9; // largest relative residual: nearly 0 if the last step changed no branch [1]

static bool none_slides(const trxi_contact_problem *problem, const trxi_island *island)
{
    bool none = true;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        const bool slides = trxi_row_is_contact(block) && TRXI_STATE(problem, island->now, k)->branch & TRXI_SAP_SLIDE;
        none = none && !(slides && block->contact.mu > 0);
    }
    return none;
}

// e of a contact by the slope G of its branch. The law itself would have the rounding of v_c/R, which may leave the cone
static void miss_of_contact(const trxi_row_block *block, const trxi_row_state *at, double e[3])
{
    double c[3], push[3] = {0};
    for (int r = 0; r < 3; r++) c[r] = at->v_c[r] + block->contact.sap.Rn * at->gamma[r];
    c[2] -= block->contact.sap.v_hat;
    trxi_row_product(block, &at->G, c, push);
    for (int r = 0; r < 3; r++) e[r] = -push[r];
}

static void miss_of_row(const trxi_contact_problem *problem, const trxi_row_block *block, const trxi_row_state *at, double *e)
{
    trxi_row_state law = *at;
    block->law->impulse(block, problem->law.dt, &law);
    for (int r = 0; r < block->n; r++) e[r] = law.gamma[r] - at->gamma[r];
}

// computes v, v_c and e at the impulses; returns the square of the change of v_c that would make laws and impulses agree [J]
static double miss(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    double sum = 0;
    trxi_delassus_velocity(problem, island, s, island->now->v);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        trxi_row_state *at = TRXI_STATE(problem, island->now, k);
        double *e = problem->rows[k].past.step;
        trxi_row_project(block, island->now->v, block->bias, at->v_c);
        if (trxi_row_is_contact(block)) miss_of_contact(block, at, e);
        else miss_of_row(problem, block, at, e);
        const double w = block->w > 0 ? block->w : 1, slopes[3] = {at->G.xx, at->G.yy, at->G.nn};
        for (int r = 0; r < block->n; r++) {
            const double apart = e[r] / (1 + w * slopes[r]);
            sum += w * apart * apart;
        }
    }
    return sum;
}

static void refine(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    trxi_island_combine(island, s, NULL, 0, s->start, s->dv);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        trxi_row_apply(&problem->blocks[k], problem->rows[k].past.step, s->dv);
    trxi_hessian_solve(problem, island, s, 1, s->dv, s->nv);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        trxi_row_state *at = TRXI_STATE(problem, island->now, k);
        double dv_c[3] = {0}, back[3] = {0};
        trxi_row_project(block, s->dv, trxi_row_rest, dv_c);
        trxi_row_product(block, &at->G, dv_c, back);
        for (int r = 0; r < block->n; r++) at->gamma[r] += problem->rows[k].past.step[r] - back[r];
    }
}

static bool are_in_cones(const trxi_contact_problem *problem, const trxi_island *island)
{
    bool all = true;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        const double *f = TRXI_STATE(problem, island->now, k)->gamma;
        if (trxi_row_is_contact(block)) all = all && f[2] >= 0 && trxi_norm2(f[0], f[1]) <= block->contact.mu * f[2];
    }
    return all;
}

// refines the impulses until their velocities agree with the laws and all contact impulses are in their cones
static bool agree(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s)
{
    trxi_island_copy(island, s, problem->v_free, s->start);
    for (int i = 0; i < MOST_REFINEMENTS; i++) {
        const double square = miss(problem, island, s), size = trxi_impulses_size(island, s);
        s->stats.change = size > 0 ? sqrt(square / size) : 0;
        if (s->stats.change <= tolerance) return are_in_cones(problem, island);
        if (!island->near) return false;
        refine(problem, island, s);
    }
    return false;
}

static bool solve(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s)
{
    return trxi_newton(problem, island, exact, MOST_ITERATIONS, s) >= 0 && none_slides(problem, island) &&
           agree(problem, island, tolerance, s);
}

trx_status trxi_sticking_solve(const trxi_contact_problem *problem, trxi_island *island, const trxi_solver_settings *settings,
                               trxi_work *s)
{
    const trxi_law *law = NULL;
    for (int k = island->block; k >= 0; k = problem->blocks[k].next)
        if (trxi_row_is_contact(&problem->blocks[k])) law = problem->blocks[k].law;
    s->stats.still = fmax(share * settings->tolerance, trxi_impulses_least);
    trxi_island_use_law(problem, island, &trxi_ccp);
    const bool solved = solve(problem, island, s->stats.still, s);
    trxi_island_use_law(problem, island, law);
    if (!solved) return TRX_ERR_NOT_CONVERGED;
    trxi_impulses_finish(problem, island, settings->tolerance, s);
    return TRX_OK;
}
