// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The one door between the step and contact: a convex problem in; velocity, impulses, factor and statistics out.
//
//     min_v  1/2 |v - v*|_A^2 + sum_i l_i(J_i v),      gamma_i = -dl_i/dv_ci        (theory 2.2)
//
// Its optimality condition is the momentum balance r(v) = A v - p0 - J^T gamma(J v) = 0 with p0 = A v*.
// Solved by Newton with H = A + J^T G J and an exact line search (theory 5); global convergence because the objective is
// strongly convex. Costs one evaluation, one Cholesky factorization and a few slope evaluations an iteration.

#ifndef TRXI_CONTACT_SOLVER_H
#define TRXI_CONTACT_SOLVER_H

#include "base/arena.h"
#include "contact/contact.h"
#include "contact/scalar.h"
#include "model/model.h"

typedef struct trxi_contact_problem {
    const trx_model *model; // trees: blocks of A
    double dt;              // [s]
    const double *A;        // nv x nv, lower triangle, block diagonal by tree
    const double *p0;       // nv [kg m/s]
    trxi_contact *contacts;
    int ncontact;
    trxi_scalar *scalars;
    int nscalar;
} trxi_contact_problem;

typedef struct trxi_solver_settings {
    double tolerance;   // relative; 0: as far down as rounding allows
    int max_iterations; // of the last stage
} trxi_solver_settings;

typedef struct trxi_solver_stats {
    int iterations, line_search, continuation;
    double residual, scale, floor; // theory 5 [sqrt J]
} trxi_solver_stats;

typedef struct trxi_solver {
    double *v;  // nv: in the start, out the solution
    double *H;  // nv x nv: A + J^T G J, then its Cholesky factor
    double *p, *j, *r, *bound; // nv: A v, J^T gamma, residual, its rounding bound
    double *dv, *dp; // nv: search direction, A dv
    double *E;       // nv: diag(A)^(-1/2)
    double *start;   // nv: copy of the start for the continuation
    double *GJ;      // 3 x nv
    bool factored;   // H holds the factor at v
    trxi_solver_stats stats;
} trxi_solver;

void trxi_solver_layout(trxi_arena *arena, const trx_model *model, trxi_solver *solver);

/// Solves the problem from solver->v. Leaves v_c, gamma, G, branch of every contact and scalar row at the solution.
/// Returns TRX_OK, TRX_ROUND_OFF (stopped at the floor), NOT_CONVERGED, ILL_CONDITIONED or NOT_FINITE.
trx_status trxi_contact_solve(const trxi_contact_problem *problem, const trxi_solver_settings *settings,
                              trxi_solver *solver);

/// Makes solver->H the Cholesky factor at the current v (nothing to do when it is). ILL_CONDITIONED on failure.
trx_status trxi_contact_factorize(const trxi_contact_problem *problem, trxi_solver *solver);

/// Index of the contact whose impulse misses its law most at the last iterate, -1 without contacts.
int trxi_contact_worst(const trxi_contact_problem *problem, const trxi_solver *solver);

#endif
