// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The linearization of a solution (theory 6): see linearization.h. Coupled matrices are matrices by island, parts are islands.
//
// On a small island the columns are solved for. On an island with a sparse H, the whole -H^-1 is formed. A column of Rq or Rv has
// rows in the groups that touch its own group, so a column of the product is a sum of few columns of H^-1 and is
// visited while it is in the cache. In such an island a group's residual depends on the groups that share a row with
// it. These blocks are among the blocks of the factor of H. Only they are cleared, filled and read; the rest of the
// island's square is undefined.

#include "contact/linearization.h"

#include "contact/active_set.h"
#include "contact/balance.h"
#include "contact/hessian.h"
#include "contact/impulses.h"
#include "contact/islands.h"
#include "math/dense.h"
#include "sparse/block_inverse.h"

#include <string.h>

void trxi_contact_refine(const trxi_contact_problem *problem, double tolerance, trxi_solver *solver)
{
    trxi_work *s = solver->work;
    for (int i = 0; i < s->nisland; i++) {
        trxi_island *island = &s->islands[i];
        if (!island->swept || !trxi_active_set_refine(problem, island, tolerance, s)) continue;
        trxi_impulses_finish(problem, island, tolerance, s);
        trxi_balance_publish(problem, island, s);
    }
}

trx_status trxi_contact_factorize(const trxi_contact_problem *problem, trxi_solver *solver)
{
    trxi_work *s = solver->work;
    for (int i = 0; i < s->nisland; i++) {
        trxi_island *island = &s->islands[i];
        if (island->factored || trxi_island_is_free(island)) continue;
        const trx_status status = island->swept                                 ? trxi_tangent_factorize(problem, island, s)
                                  : trxi_hessian_factorize(problem, island, s) ? TRX_OK
                                                                               : TRX_ERR_ILL_CONDITIONED;
        if (status < 0) return status;
        island->factored = true;
    }
    return TRX_OK;
}

void trxi_contact_back_substitute(const trxi_contact_problem *problem, trxi_solver *solver, int nrhs, double *X, int ldx)
{
    trxi_work *s = solver->work;
    for (int i = 0; i < s->nisland; i++) trxi_hessian_solve(problem, &s->islands[i], s, nrhs, X, ldx);
}

void trxi_contact_back_substitute_adjoint(const trxi_contact_problem *problem, trxi_solver *solver, double *x)
{
    trxi_work *s = solver->work;
    for (int i = 0; i < s->nisland; i++) {
        const trxi_island *island = &s->islands[i];
        if (island->skewed) trxi_tangent_solve_adjoint(island, s, x);
        else trxi_hessian_solve(problem, island, s, 1, x, s->nv);
    }
}

// ---- coupled matrices ----

size_t trxi_coupled_size(const trxi_solver *solver)
{
    return (size_t)solver->work->by_island;
}

trxi_coupled_places trxi_coupled(const trxi_solver *solver)
{
    return (trxi_coupled_places){solver->work->column, solver->work->own, solver->work->local};
}

bool trxi_coupled_tied(const trxi_solver *solver, int i, int j)
{
    return trxi_part_of(solver, i) == trxi_part_of(solver, j);
}

int trxi_coupled_rows(const trxi_solver *solver, int dof)
{
    return trxi_part_size(solver, trxi_part_of(solver, dof));
}

static const trxi_symbolic *symbolic(const trxi_island *island)
{
    return trxi_block_cholesky_factor(island->sparse).symbolic;
}

// returns whether the columns of an island are products with the inverse of H: the inverse must fit into the room of the columns
bool trxi_island_by_blocks(const trxi_island *island)
{
    const size_t room = 2 * (size_t)island->nv * (size_t)island->nv;
    return island->sparse && !island->skewed && trxi_block_inverse_size(symbolic(island)) <= room;
}

static void clear_blocks(const trxi_island *island, double *R)
{
    const trxi_symbolic *s = symbolic(island);
    for (int p = 0; p < s->nnode; p++) {
        const int first = s->first[s->order[p]], end = first + s->start[p + 1] - s->start[p];
        for (int k = s->around[p]; k < s->around[p + 1]; k++) {
            const int q = s->near[k], row = s->first[s->order[q]], count = s->start[q + 1] - s->start[q];
            for (int j = first; j < end; j++)
                for (int i = row; i < row + count; i++) R[i + (ptrdiff_t)j * island->nv] = 0;
        }
    }
}

void trxi_coupled_clear(const trxi_solver *solver, double *R)
{
    for (int i = 0; i < solver->work->nisland; i++) {
        const trxi_island *island = &solver->work->islands[i];
        if (trxi_island_by_blocks(island)) clear_blocks(island, R + island->start);
        else memset(R + island->start, 0, (size_t)island->nv * (size_t)island->nv * sizeof *R);
    }
}

static void subtract_blocks(const trxi_work *work, const trxi_island *island, const double *R, const double *x, double *y)
{
    const trxi_symbolic *s = symbolic(island);
    const int *members = work->members + island->first_group;
    for (int p = 0; p < s->nnode; p++) {
        const double *column = R + (ptrdiff_t)s->first[s->order[p]] * island->nv;
        const trxi_group *from = &work->groups[members[s->order[p]]];
        for (int k = s->around[p]; k < s->around[p + 1]; k++) {
            const int node = s->order[s->near[k]];
            const trxi_group *to = &work->groups[members[node]];
            trxi_gemv(to->nv, from->nv, -1, column + s->first[node], island->nv, x + from->v, 1, y + to->v);
        }
    }
}

// out = alpha R in + beta out on one island
static void multiply(const trxi_work *s, const trxi_island *island, bool transposed, double alpha, const double *R,
                     const double *in, double beta, double *out)
{
    const int n = island->nv;
    const bool whole = island->first_dof >= 0;
    const double *x = whole ? in + island->first_dof : s->gathered;
    double *y = whole ? out + island->first_dof : s->gathered + n;
    if (!whole) trxi_island_gather(island, s, in, s->gathered);
    if (!whole && beta != 0) trxi_island_gather(island, s, out, y);
    if (transposed) trxi_gemv_t(n, n, alpha, R + island->start, n, x, beta, y);
    else trxi_gemv(n, n, alpha, R + island->start, n, x, beta, y);
    if (!whole) trxi_island_scatter(island, s, y, out);
}

void trxi_coupled_subtract(const trxi_solver *solver, const double *R, const double *x, double *y)
{
    const trxi_work *s = solver->work;
    for (int i = 0; i < s->nisland; i++) {
        const trxi_island *island = &s->islands[i];
        if (trxi_island_by_blocks(island)) subtract_blocks(s, island, R + island->start, x, y);
        else multiply(s, island, false, -1, R, x, 1, y);
    }
}

void trxi_coupled_product(const trxi_solver *solver, bool transposed, double alpha, const double *R, const double *in,
                          double beta, double *out)
{
    const trxi_work *s = solver->work;
    for (int i = 0; i < s->nisland; i++) multiply(s, &s->islands[i], transposed, alpha, R, in, beta, out);
}

// ---- parts ----

int trxi_parts(const trxi_solver *solver)
{
    return solver->work->nisland;
}

int trxi_part_of(const trxi_solver *solver, int dof)
{
    return solver->work->island_of[solver->work->group_of[dof]];
}

int trxi_part_size(const trxi_solver *solver, int part)
{
    return solver->work->islands[part].nv;
}

int trxi_part_groups(const trxi_solver *solver, int part, const int **groups)
{
    const trxi_island *island = &solver->work->islands[part];
    *groups = solver->work->members + island->first_group;
    return island->ngroup;
}

// ---- all columns of -H^-1 [Rq Rv] ----

double *trxi_linearization_rhs(const trxi_solver *solver, double *dv)
{
    return dv + 2 * solver->work->by_island;
}

void trxi_linearization_solve(const trxi_contact_problem *problem, trxi_solver *solver, const double *Rq, const double *Rv,
                              int nrhs, double *dv)
{
    const trxi_work *s = solver->work;
    const bool together = s->nisland == 1 && !trxi_island_by_blocks(&s->islands[0]);
    for (int i = 0; i < s->nisland; i++) {
        const trxi_island *island = &s->islands[i];
        if (trxi_island_by_blocks(island)) continue;
        const int n = island->nv;
        const ptrdiff_t square = (ptrdiff_t)n * n;
        double *columns = dv + 2 * island->start;
        for (ptrdiff_t k = 0; k < square; k++) columns[k] = -Rq[island->start + k];
        for (ptrdiff_t k = 0; k < square; k++) columns[square + k] = -Rv[island->start + k];
        trxi_hessian_solve_island(problem, island, s, 2 * n + (together ? nrhs : 0), columns, n);
    }
    if (!together) trxi_contact_back_substitute(problem, solver, nrhs, trxi_linearization_rhs(solver, dv), s->nv);
}

// visits columns that were solved for, group by group, on the rows of neighbouring groups
static void visit_solved(const trxi_work *s, const trxi_island *island, const double *dv, trxi_columns_visitor *visit,
                         void *context)
{
    const int n = island->nv, *members = s->members + island->first_group;
    const double *by_q = dv + 2 * island->start, *by_v = by_q + (ptrdiff_t)n * n;
    for (int k = 0; k < island->ngroup; k++) {
        const trxi_group *group = &s->groups[members[k]];
        const ptrdiff_t column = (ptrdiff_t)s->local[group->v] * n;
        for (int r = 0, count; r < island->ngroup; r += count) {
            for (count = 1; r + count < island->ngroup && members[r + count] == members[r] + count;) count++;
            const ptrdiff_t at = column + s->local[s->groups[members[r]].v];
            visit(context, &(trxi_columns){group->v, group->nv, members[r], count, by_q + at, by_v + at, n});
        }
    }
}

// rows of -[Rq Rv] for up to six columns each, from column `first` of the node at a position on
static void gather_columns(const trxi_island *island, const trxi_symbolic *s, int position, int first, int ncol, const double *Rq,
                           const double *Rv, double *X)
{
    const int n = island->nv, ld = TRXI_INVERSE_COLUMNS;
    const ptrdiff_t from = island->start + (ptrdiff_t)(s->first[s->order[position]] + first) * n;
    for (int k = s->around[position], rows; k < s->around[position + 1]; k++, X += rows * ld) {
        const ptrdiff_t at = from + s->first[s->order[s->near[k]]];
        rows = s->start[s->near[k] + 1] - s->start[s->near[k]];
        for (int c = 0; c < ncol; c++) {
            const double *rq = Rq + at + (ptrdiff_t)c * n, *rv = Rv + at + (ptrdiff_t)c * n;
            for (int i = 0; i < rows; i++) X[c + i * ld] = -rq[i], X[ncol + c + i * ld] = -rv[i];
        }
    }
}

// solves for the columns in X, if their product with the inverse would lose digits
static void solve_columns(const trxi_contact_problem *problem, const trxi_work *work, const trxi_island *island,
                          const trxi_block_inverse *inverse, int position, int ncol)
{
    const trxi_symbolic *s = inverse->symbolic;
    const int n = island->nv, ld = inverse->ld;
    double *Y = inverse->Y, *X = inverse->X;
    memset(Y, 0, (size_t)ld * (size_t)ncol * sizeof *Y);
    for (int k = s->around[position], rows; k < s->around[position + 1]; k++, X += rows * TRXI_INVERSE_COLUMNS) {
        rows = s->start[s->near[k] + 1] - s->start[s->near[k]];
        for (int c = 0; c < ncol; c++)
            for (int i = 0; i < rows; i++)
                Y[s->first[s->order[s->near[k]]] + i + (ptrdiff_t)c * ld] = X[c + i * TRXI_INVERSE_COLUMNS];
    }
    trxi_hessian_solve_island(problem, island, work, ncol, Y, ld);

    // into the order of elimination, with X as scratch
    for (int c = 0; c < ncol; c++, Y += ld) {
        memcpy(inverse->X, Y, (size_t)n * sizeof *Y);
        for (int p = 0; p < s->nnode; p++)
            memcpy(Y + s->start[p], inverse->X + s->first[s->order[p]], (size_t)(s->start[p + 1] - s->start[p]) * sizeof *Y);
    }
}

// visits columns as products with the inverse of H, whose rows are in the order of elimination
static void visit_products(const trxi_contact_problem *problem, const trxi_work *work, const trxi_island *island, const double *Rq,
                           const double *Rv, double *dv, trxi_columns_visitor *visit, void *context)
{
    enum { PART = TRXI_INVERSE_COLUMNS / 2 };
    const trxi_block_factor factor = trxi_block_cholesky_factor(island->sparse);
    const trxi_block_inverse inverse = trxi_block_inverse_make(&factor, dv + 2 * island->start);
    const trxi_symbolic *s = inverse.symbolic;
    const int *members = work->members + island->first_group;
    for (int p = 0; p < s->nnode; p++) {
        const trxi_group *group = &work->groups[members[s->order[p]]];
        for (int c = 0; c < group->nv; c += PART) {
            const int ncol = group->nv - c < PART ? group->nv - c : PART;
            gather_columns(island, s, p, c, ncol, Rq, Rv, inverse.X);
            if (!trxi_block_inverse_multiply(&inverse, p, ncol)) solve_columns(problem, work, island, &inverse, p, 2 * ncol);
            for (int k = 0; k < island->ngroup; k++) {
                const double *by_q = inverse.Y + s->start[s->position[k]], *by_v = by_q + (ptrdiff_t)ncol * inverse.ld;
                visit(context, &(trxi_columns){group->v + c, ncol, members[k], 1, by_q, by_v, inverse.ld});
            }
        }
    }
}

void trxi_linearization_visit(const trxi_contact_problem *problem, trxi_solver *solver, int part, const double *Rq,
                              const double *Rv, double *dv, trxi_columns_visitor *visit, void *context)
{
    const trxi_island *island = &solver->work->islands[part];
    if (trxi_island_by_blocks(island)) visit_products(problem, solver->work, island, Rq, Rv, dv, visit, context);
    else visit_solved(solver->work, island, dv, visit, context);
}
