// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The one door between the step and contact: a convex problem in; velocity, impulses and statistics out, and the linearization
// of the solution (linearization.h).
//
//     min_v  1/2 |v - v*|_A^2 + sum_i l_i(J_i v + b_i),      gamma_i = -dl_i/dv_ci        (theory 2.2)
//
// Its optimality condition is the momentum balance r(v) = A v - p0 - J^T gamma(J v + b) = 0 with p0 = A v*. The problem is given
// as groups of degrees of freedom, which A couples, and as blocks of rows, each over dofs of any groups. Groups that rows tie
// together, directly or through others, are an island. Each island is a problem of its own, solved by Newton with
// H = A + J^T G J and a line search (theory 5), which converges from every start because the objective is strongly convex. An
// iteration costs one evaluation and one Cholesky factorization, and some slopes where the full step is not taken.

#ifndef TRXI_CONTACT_SOLVER_H
#define TRXI_CONTACT_SOLVER_H

#include "base/arena.h"
#include "contact/row_block.h"

typedef struct trxi_contact_problem {
    trx_context *context;
    trxi_law_settings law;
    const double *A, *LA; // blocks by group, lower triangles, and their Cholesky factors
    const double *p0;     // nv [kg m/s]
    trxi_row_block *blocks;
    trxi_row_work *rows; // one for each block: scratch until the next problem
    int nblock;
} trxi_contact_problem;

typedef struct trxi_solver_settings {
    double tolerance;   // relative; 0: as far down as rounding allows
    int max_iterations; // of the last stage
    bool backtracking;  // line search: halve until the decrease is enough, instead of the exact minimum
} trxi_solver_settings;

typedef struct trxi_solver_stats {
    int iterations, continuation;  // largest of any island
    int line_search;               // slope evaluations
    int islands, largest;          // islands with rows, unknowns of the largest
    double residual, scale, floor; // theory 5 [sqrt J]
    double relative;               // largest residual of a group in its own scale: the tolerance that was reached
} trxi_solver_stats;

typedef struct trxi_work trxi_work;

typedef struct trxi_solver {
    double *v; // nv: in the start, out the solution
    trxi_solver_stats stats;
    trxi_work *work; // private
} trxi_solver;

/// Sizes of the groups of a solver. Begin with zeros and add one group after the other.
typedef struct trxi_solver_size {
    int ngroup, nv, dense;
    size_t room; // numbers of dense matrices
} trxi_solver_size;

void trxi_solver_size_add(trxi_solver_size *size, int nv);

/// Carves a solver; its groups are then added in the same order. Dofs are numbered by group, and so are the blocks of A.
void trxi_solver_layout(trxi_arena *arena, const trxi_solver_size *size, trxi_solver *solver);
void trxi_solver_add_group(trxi_solver *solver, int nv);

/// Releases what was made when first needed.
void trxi_solver_close(trxi_solver *solver);

/// Solves the problem from solver->v. Leaves v_c, gamma, G, branch of every block of rows at the solution.
/// Returns TRX_OK, TRX_ROUND_OFF (stopped at the floor), NOT_CONVERGED, ILL_CONDITIONED, NOT_FINITE or MEMORY.
trx_status trxi_contact_solve(const trxi_contact_problem *problem, const trxi_solver_settings *settings, trxi_solver *solver);

/// After a solve: goes on from its solution to a smaller relative tolerance; by the factors that it ended with, or by factors made
/// `anew`: then the result is a function of the solution alone. false where that does not work at once; then the problem is to be
/// solved again from solver->v.
bool trxi_contact_polish(const trxi_contact_problem *problem, double tolerance, bool anew, trxi_solver *solver);

/// Index of the block of three rows whose impulse misses its law most at the last iterate of an island that failed, -1 without
/// contacts.
int trxi_contact_worst(const trxi_contact_problem *problem, const trxi_solver *solver);

/// Ratio of the largest to the smallest eigenvalue of H at the current v, within a few percent; factorizes. NAN when H is not
/// positive definite.
double trxi_contact_condition(const trxi_contact_problem *problem, trxi_solver *solver);

#endif
