// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Convex contact problems without a mechanism: two trees of random A and p0, contacts and rows with one impulse,
// all random.

#ifndef TESTS_CONTACT_PROBLEM_H
#define TESTS_CONTACT_PROBLEM_H

#include "contact/linearization.h"
#include "contact/rounding.h"
#include "contact/work.h"
#include "model/model.h"

#include <stdint.h>
#include <tractrix/sim.h>

enum { MAX_DOFS = 12, MAX_CONTACTS = 12, MAX_SCALARS = 8 };

typedef struct random_problem {
    trx_model model;
    trxi_tree trees[2];
    double A[MAX_DOFS * MAX_DOFS], p0[MAX_DOFS], v_free[MAX_DOFS], start[MAX_DOFS]; // A as one matrix, lower triangle
    double masses[MAX_DOFS * MAX_DOFS], factors[MAX_DOFS * MAX_DOFS];
    int dof_tree[MAX_DOFS];
    ptrdiff_t column[MAX_DOFS];
    double J[MAX_CONTACTS][3 * MAX_DOFS];
    int cols[MAX_DOFS];
    trxi_row_block blocks[MAX_CONTACTS + MAX_SCALARS];
    trxi_row_block *contacts, *scalars;
    trx_pair_law materials[MAX_CONTACTS];
    trxi_row_work rows[MAX_CONTACTS + MAX_SCALARS];
    int scalar_cols[MAX_SCALARS][2];
    double scalar_J[MAX_SCALARS][2];
    trxi_contact_problem problem;
    trxi_solver solver;
    _Alignas(64) char block[32768];
} random_problem;

/// Settings of laws: dt = 0.01, sigma = 1e-3, beta = 1, with the stiction tolerance given.
trxi_law_settings law_settings(double stiction_tolerance);

/// A contact of the kind given with everything drawn at random: pressed or apart, soft or stiff. Fills its material.
trxi_row_block random_contact(trx_approximation approximation, uint64_t seed, trx_pair_law *material);

/// The block at the relative velocity v.
trxi_row_state row_at(const trxi_row_block *block, const double v[3]);

/// The normal impulse of a material at the end of a step from the gap phi0.
trxi_normal normal_impulse(const trx_pair_law *material, double dt, double phi0, double v);

/// One row of the law given: R = 0.02 w, v_hat or 20 v_hat as force at rest.
trxi_row_block one_row(const trxi_law *law, double w, double v_hat);

/// A problem of nv dofs (at least 2, in two trees), `ncontact` contacts and `nscalar` rows with one
/// impulse, which are limits, drives, dry friction and equalities in turn. Must not be moved.
void make_problem(random_problem *p, trx_approximation approximation, int nv, int ncontact, int nscalar, uint64_t seed);

/// The same with contacts of sap, for solvers that make room for contacts: releases the room of the problem before. `p` is static.
void make_problem_again(random_problem *p, int nv, int ncontact, int nscalar, uint64_t seed);

/// A, trees and rows as they are now, as one island: p->solver.work->islands[0].
void join_problem(random_problem *p);

/// The balance of all trees at p->solver.v, with A as it is now.
void balance_problem(random_problem *p);

/// The verdict on that balance.
trxi_verdict judge_problem(random_problem *p, double tolerance);

/// Accepts the iterate that was tried.
void accept_problem(random_problem *p);

/// H of all trees (nv x nv, lower triangle) at the last balance.
void hessian_problem(random_problem *p, double *H);

/// Solves from p->start, island by island.
trx_status solve_problem(random_problem *p, double tolerance);

// the rigid models, each with every solver that finds impulses; iterative solvers come first
enum { ITERATIVE_METHODS = 8, RIGID_METHODS = 9 };
typedef struct rigid_method {
    trx_contact_model model;
    trx_contact_solver solver;
} rigid_method;
extern const rigid_method rigid_methods[RIGID_METHODS];

#endif
