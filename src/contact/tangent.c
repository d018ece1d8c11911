// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The unsymmetric H of islands whose laws have no potential (theory 6, the rigid models): see hessian.h. Sweeps give impulses and
// branches. The slopes are computed from these, not from v_c, because a compliance of 1e-8 would amplify rounding. H is dense.

#include "contact/hessian.h"

#include "base/context.h"
#include "contact/balance.h"
#include "contact/islands.h"
#include "math/lu.h"
#include "math/vec3.h"

#include <string.h>

// reserves room for the largest matrix: all unknowns in one island
bool trxi_tangent_reserve(const trxi_contact_problem *problem, trxi_work *s)
{
    s->tangent_context = problem->context;
    if (!s->tangent) s->tangent = trxi_allocate(problem->context, (size_t)s->nv * (size_t)s->nv * sizeof *s->tangent);
    return s->tangent != NULL;
}

static void slope_at_solution(const trxi_contact_problem *problem, const trxi_island *island, int k, trxi_sym3 *G, double skew[3])
{
    (void)island;
    trxi_row_block *block = &problem->blocks[k];
    trxi_row_state law = block->at;
    if (block->law->slope) block->law->slope(block, &law.G, skew);
    else block->law->impulse(block, problem->law.dt, &law);
    *G = block->at.G = law.G;
}

// W = (G + [skew]x) J of a block, as J is stored
static void weigh(const trxi_row_block *block, const trxi_sym3 *G, const double skew[3], double *W)
{
    for (int i = 0; i < block->ncol; i++) {
        const double *x = block->J + block->n * i;
        double *w = W + block->n * i;
        trxi_row_product(block, G, x, w);
        if (block->n == 3) trxi_cross_add3(skew, x, w);
    }
}

// H += J^T W
static void add_block(const trxi_work *s, const trxi_row_block *block, const double *W, int nv, double *H)
{
    for (int c = 0; c < block->ncol; c++) {
        double *column = H + (ptrdiff_t)s->local[block->cols[c]] * nv;
        for (int i = 0; i < block->ncol; i++)
            for (int r = 0; r < block->n; r++)
                column[s->local[block->cols[i]]] += block->J[block->n * i + r] * W[block->n * c + r];
    }
}

static void add_mass(const trxi_contact_problem *problem, const trxi_island *island, const trxi_work *s, double *H)
{
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[s->members[island->first_group + k]];
        const double *A = problem->A + group->block;
        double *block = H + (ptrdiff_t)s->local[group->v] * (island->nv + 1);
        for (int c = 0; c < group->nv; c++)
            for (int i = c; i < group->nv; i++) {
                block[i + (ptrdiff_t)c * island->nv] = A[i + c * group->nv];
                block[c + (ptrdiff_t)i * island->nv] = A[i + c * group->nv];
            }
    }
}

trx_status trxi_tangent_factorize_with(const trxi_contact_problem *problem, trxi_island *island, trxi_tangent_slope *slope,
                                       trxi_work *s)
{
    const int nv = island->nv;
    if (!trxi_tangent_reserve(problem, s)) return TRX_ERR_MEMORY;
    double *H = s->tangent + island->start;
    memset(H, 0, (size_t)nv * (size_t)nv * sizeof *H);
    add_mass(problem, island, s, H);
    for (int k = island->block; k >= 0; k = problem->blocks[k].next) {
        const trxi_row_block *block = &problem->blocks[k];
        trxi_sym3 G;
        double skew[3] = {0};
        slope(problem, island, k, &G, skew);
        weigh(block, &G, skew, s->GJ);
        add_block(s, block, s->GJ, nv, H);
    }
    island->pivots = s->pivots;
    for (const trxi_island *before = s->islands; before < island; before++) island->pivots += before->nv;
    island->skewed = true;
    // rows are compared in the units of the diagonal of A, so that the order does not depend on units
    trxi_island_gather(island, s, s->E2, s->gathered);
    return trxi_lu(nv, H, nv, s->gathered, island->pivots) ? TRX_OK : TRX_ERR_ILL_CONDITIONED;
}

trx_status trxi_tangent_factorize(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s)
{
    return trxi_tangent_factorize_with(problem, island, slope_at_solution, s);
}

void trxi_tangent_solve(const trxi_island *island, const trxi_work *s, int nrhs, double *X, int ldx)
{
    trxi_lu_solve(island->nv, s->tangent + island->start, island->nv, island->pivots, nrhs, X, ldx);
}

void trxi_tangent_solve_adjoint(const trxi_island *island, trxi_work *s, double *x)
{
    trxi_island_gather(island, s, x, s->gathered);
    trxi_lu_solve_right(island->nv, s->tangent + island->start, island->nv, island->pivots, 1, s->gathered, 1);
    trxi_island_scatter(island, s, s->gathered, x);
}
