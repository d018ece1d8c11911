// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The interface of the contact solver. The step hands in a convex problem; the solver returns velocity, impulses, statistics and
// the linearization of the solution (linearization.h).
//
//     min_v  1/2 |v - v*|_A^2 + sum_i l_i(J_i v + b_i),      gamma_i = -dl_i/dv_ci        (theory 2.2)
//
// Its optimality condition is the momentum balance r(v) = A v - p0 - J^T gamma(J v + b) = 0 with p0 = A v*. The problem is given
// as groups of degrees of freedom, which A couples, and as blocks of rows, each over dofs of any groups. Groups that rows
// connect, directly or through others, are an island. Each island is a separate problem, solved by Newton's method with
// H = A + J^T G J and a line search (theory 5). The method converges from every start because the objective is strongly convex.
// An iteration costs one evaluation and one Cholesky factorization. A step shorter than the full one costs a few more evaluations
// of the slope. Contact models without a convex objective have a solver of their own behind the same functions (theory 4, model.h).

#ifndef TRXI_CONTACT_SOLVER_H
#define TRXI_CONTACT_SOLVER_H

#include "base/arena.h"
#include "contact/row_block.h"

typedef struct trxi_contact_problem {
    trx_context *context;
    trxi_law_settings law;
    const double *A, *LA; // blocks by group, lower triangles, and their Cholesky factors
    const double *p0;     // nv [kg m/s]
    const double *v_free; // nv: A^-1 p0 on groups without rows [m/s]
    trxi_row_block *blocks;
    trxi_row_work *rows; // one for each block: scratch until the next problem
    int nblock;
    trxi_cone_work *cones;   // one for each block, of the interior-point method
} trxi_contact_problem;

typedef struct trxi_solver_settings trxi_solver_settings;
typedef struct trxi_island trxi_island;
typedef struct trxi_work trxi_work;

/// Solves one island: velocity, impulses and balance are in its iterate `now` afterwards.
typedef trx_status trxi_island_solver(const trxi_contact_problem *problem, trxi_island *island,
                                      const trxi_solver_settings *settings, trxi_work *s);

struct trxi_solver_settings {
    double tolerance;          // relative; 0: solve until rounding prevents progress
    int max_iterations;        // of the last stage
    bool backtracking;         // line search: halve the step until the decrease suffices, instead of finding the minimum
    int max_sweeps;            // of Gauss-Seidel, iterations of alternating directions
    double relaxation;         // share of each change that a sweep or an iteration takes; 0: the share of the solver
    // tried in turn, up to a NULL: an island that a method does not solve is solved anew by the next. NULL: Newton (model.h)
    trxi_island_solver *const *methods;
};

typedef struct trxi_solver_stats {
    int iterations, continuation;  // largest of any island
    int line_search;               // slope evaluations
    int islands, largest;          // islands with rows, unknowns of the largest
    double residual, scale, floor; // theory 5 [sqrt J]
    double relative;               // largest residual of a group over the group's scale: the tolerance reached
    // of the last island, or of the island that failed: change of velocities by the last sweep, relative; largest change that ends
    // a solve [1]
    double change, still;
    bool told;                     // the context has a message of the solver on its failure
} trxi_solver_stats;

typedef struct trxi_solver {
    double *v; // nv: the start before a solve, the solution after it
    trxi_solver_stats stats;
    trxi_work *work; // private
} trxi_solver;

/// Sizes of the groups of a solver. The caller begins with a zeroed struct and adds the groups one by one.
typedef struct trxi_solver_size {
    int ngroup, nv;
    size_t room; // numbers of dense matrices
} trxi_solver_size;

void trxi_solver_size_add(trxi_solver_size *size, int nv);

/// Carves a solver from the arena. The caller then adds the groups in the same order. Dofs and the blocks of A are numbered by
/// group.
void trxi_solver_layout(trxi_arena *arena, const trxi_solver_size *size, trxi_solver *solver);
void trxi_solver_add_group(trxi_solver *solver, int nv);

/// Releases the memory that the solver takes on first use: sparse factors, unsymmetric factors, and room for solvers of impulses.
void trxi_solver_close(trxi_solver *solver);

/// Solves the problem from solver->v and writes v_c, gamma, G and branch of every block at the solution.
/// Returns TRX_OK, TRX_ROUND_OFF (stopped at the floor), NOT_CONVERGED, ILL_CONDITIONED, NOT_FINITE, MEMORY, or UNSUPPORTED
/// (more contacts than pivoting takes).
trx_status trxi_contact_solve(const trxi_contact_problem *problem, const trxi_solver_settings *settings, trxi_solver *solver);

/// Continues from the solution of a solve to a smaller relative tolerance. Without `anew` the last factors of the solve are used.
/// With `anew` the factors are computed at the solution, and the result depends on the solution alone. Returns false when the
/// residual does not fall fast enough; the caller then solves the problem again from solver->v.
bool trxi_contact_polish(const trxi_contact_problem *problem, double tolerance, bool anew, trxi_solver *solver);

/// Index of the contact block of the failed island that is farthest from a solution; -1 without contacts. After Newton this is the
/// block with the largest |J E^2 r| of the last residual r, after sweeps and levels the block with the largest difference, as an
/// energy, between its impulse and its law.
int trxi_contact_worst(const trxi_contact_problem *problem, const trxi_solver *solver);

/// Factorizes H at the current v. Returns the ratio of its largest to its smallest eigenvalue, within a few percent, or NAN when
/// H is not positive definite.
double trxi_contact_condition(const trxi_contact_problem *problem, trxi_solver *solver);

#endif
