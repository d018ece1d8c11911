// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The one door between the step and contact: a convex problem in; velocity, impulses, factor and statistics out.
//
//     min_v  1/2 |v - v*|_A^2 + sum_i l_i(J_i v + b_i),      gamma_i = -dl_i/dv_ci        (theory 2.2)
//
// Its optimality condition is the momentum balance r(v) = A v - p0 - J^T gamma(J v + b) = 0 with p0 = A v*.
// The trees that rows tie together, directly or through others, are an island; each island is a problem of its own, and a
// tree without rows has its answer v = A^-1 p0. An island is solved by Newton with H = A + J^T G J and a line search
// (theory 5); global convergence because the objective is strongly convex. Costs one evaluation and one Cholesky factorization
// an iteration, and some slopes where the full step is not taken. H is dense on small islands and on single trees, else a
// sparse matrix of blocks.

#ifndef TRXI_CONTACT_SOLVER_H
#define TRXI_CONTACT_SOLVER_H

#include "base/arena.h"
#include "contact/row_block.h"
#include "model/model.h"
#include "sparse/block_cholesky.h"

/// Most unknowns of an island of several trees that is dense. tests/contact/bench_islands measures it: with the graph of the
/// last step sparse wins from 3 trees of six unknowns on, with a new graph and one or two iterations from 7 to 11.
enum { TRXI_DENSE_LIMIT = 36 };

typedef struct trxi_contact_problem {
    trx_context *context;
    const trx_model *model; // trees: blocks of A
    trxi_law_settings law;
    const double *A, *LA;   // blocks by tree, lower triangles, and their Cholesky factors
    const double *p0;       // nv [kg m/s]
    trxi_row_block *blocks;
    int nblock;
} trxi_contact_problem;

typedef struct trxi_solver_settings {
    double tolerance;   // relative; 0: as far down as rounding allows
    int max_iterations; // of the last stage
    bool backtracking;  // line search: halve until the decrease is enough, instead of the exact minimum
} trxi_solver_settings;

typedef struct trxi_solver_stats {
    int iterations, continuation;  // most of any island
    int line_search;               // slope evaluations
    int islands, largest;          // islands with rows, unknowns of the largest
    double residual, scale, floor; // theory 5 [sqrt J]
    double relative;               // largest residual of a tree in its own scale: the tolerance that was reached
} trxi_solver_stats;

/// Trees that this step's rows tie together. Nothing in a step reaches from one island to another: matrices between dofs are
/// kept by island, the square ones of all islands one after the other, each column-major.
typedef struct trxi_island {
    int first_tree, ntree;       // in solver->trees, ascending
    int block;                   // its first block of rows, -1: none; the next ones by their field `next`
    int nv;                      // unknowns; solver->local has the place of each dof
    int first_dof;               // its dofs are first_dof .. first_dof + nv; -1: they are scattered
    ptrdiff_t start;             // of its matrix among matrices by island
    double *H;                   // nv x nv: A + J^T G J, then its Cholesky factor; a tree without rows: that of A
    trxi_block_cholesky *sparse; // instead of H, else NULL
    bool factored;               // H is the factor at v
    bool near;                   // H is the factor at v or at one of the velocities before it
} trxi_island;

typedef struct trxi_solver {
    double *v;  // nv: in the start, out the solution
    double *p, *j, *r, *bound; // nv: A v, J^T gamma, residual, its rounding bound
    double *dv, *dp; // nv: search direction, A dv
    double *E2;      // nv: 1/diag(A), the squares of E
    double *start;   // nv: copy of the start for the continuation
    double *before;  // nv: v before a full step that is tried
    double *GJ;      // 3 x nv
    double *gathered; // TRXI_GATHERED x nv: right-hand sides of a scattered island

    trxi_island *islands; // ntree
    int nisland;
    int failed;           // island of the last failure
    int *trees;           // ntree: islands one after the other
    int *island_of;       // ntree
    int *local;           // nv: place of a dof among the unknowns of its island
    ptrdiff_t *column;    // nv: matrices by island have entry (i, j) of one island at [column[j] + local[i]],
    ptrdiff_t *tree_column; // nv: and of one tree at [tree_column[j] + i]
    ptrdiff_t by_island;  // numbers of a matrix by island
    int *scratch;         // ntree
    double *H;            // room for all dense islands
    trxi_block_cholesky **sparse; // made when first needed
    int nsparse;          // room
    int dense_limit;
    bool backtracking;    // of the settings
    bool thorough;        // the rounding bound is looked at however large a residual is
    trxi_solver_stats stats;
} trxi_solver;

enum { TRXI_GATHERED = 16 };

void trxi_solver_layout(trxi_arena *arena, const trx_model *model, trxi_solver *solver);

/// Releases what was made when first needed.
void trxi_solver_close(trxi_solver *solver);

/// Solves the problem from solver->v. Leaves v_c, gamma, G, branch of every block of rows at the solution.
/// Returns TRX_OK, TRX_ROUND_OFF (stopped at the floor), NOT_CONVERGED, ILL_CONDITIONED, NOT_FINITE or MEMORY.
trx_status trxi_contact_solve(const trxi_contact_problem *problem, const trxi_solver_settings *settings,
                              trxi_solver *solver);

/// After a solve: goes on from its solution, with its islands, to a smaller relative tolerance; by the factors that it ended with,
/// or by factors made `anew`: then the result is a function of the solution alone. false where that does not work at once; then
/// the problem is to be solved again from solver->v.
bool trxi_contact_polish(const trxi_contact_problem *problem, double tolerance, bool anew, trxi_solver *solver);

/// Makes the factors of all islands those at the current v (nothing to do where they are). ILL_CONDITIONED on failure.
trx_status trxi_contact_factorize(const trxi_contact_problem *problem, trxi_solver *solver);

/// X = H^-1 X for nrhs columns of all nv unknowns, with the factors of trxi_contact_factorize. Columns that are zero on an
/// island cost nothing there.
void trxi_contact_back_substitute(const trxi_contact_problem *problem, trxi_solver *solver, int nrhs, double *X, int ldx);

/// The same on one island, X (nv of the island x nrhs) in its own order of unknowns.
void trxi_contact_back_substitute_island(const trxi_contact_problem *problem, trxi_solver *solver, const trxi_island *island,
                                         int nrhs, double *X, int ldx);

/// out = alpha R in + beta out with a matrix by island R, or its transpose (in, out: nv, apart). beta = 0 ignores what out held.
void trxi_island_product(const trx_model *model, const trxi_solver *solver, bool transposed, double alpha, const double *R,
                         const double *in, double beta, double *out);

/// Index of the block of three rows whose impulse misses its law most at the last iterate of the island that failed, -1 without
/// contacts.
int trxi_contact_worst(const trxi_contact_problem *problem, const trxi_solver *solver);

/// Ratio of the largest to the smallest eigenvalue of H at the current v, within a few percent; factorizes. NAN when H is not
/// positive definite.
double trxi_contact_condition(const trxi_contact_problem *problem, trxi_solver *solver);

#endif
