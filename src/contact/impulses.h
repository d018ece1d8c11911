// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Begin, visit and end of solvers whose unknowns are impulses (theory 4), and the Delassus operator W = J A^-1 J^T of an island.
// W is never formed. The solvers keep the velocity v = A^-1 (p0 + J^T gamma) up to date, so J v replaces products with W. Shared by
// the solver's files.

#ifndef TRXI_CONTACT_IMPULSES_H
#define TRXI_CONTACT_IMPULSES_H

#include "contact/work.h"

/// Share of the tolerance that the last change of a slow method must pass, and the smallest change that rounding permits.
static const double trxi_impulses_share = 1e-4, trxi_impulses_least = 1e-14;

/// Sets all impulses of the iterate `now` to 0, and v and s->start to the velocity without impulses. Computes W and Y of every
/// block. Returns false when memory is out.
bool trxi_impulses_begin(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s);

/// Solves one block with all other impulses fixed: sets the impulse for which at->v_c + W (gamma - at->gamma) agrees with the law.
void trxi_impulses_visit(const trxi_contact_problem *problem, const trxi_row_block *block, const trxi_sym3 *W, trxi_row_state *at);

/// The mean diagonal of the block of W, which weighs its impulses; 1 for rows that move nothing [1/kg].
double trxi_impulses_weight(const trxi_row_block *block, const trxi_sym3 *W);

/// Computes the momentum balance r at v and the impulses of `now`.
void trxi_impulses_balance(const trxi_contact_problem *problem, trxi_island *island, trxi_work *s);
/// Then: the square of A^-1 r, the change of v that would satisfy the balance [J].
double trxi_impulses_miss(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s);

/// Size of v and of its change by all impulses: squares, weighted by the diagonal of A [J].
double trxi_impulses_size(const trxi_island *island, const trxi_work *s);

/// Ends a solve: velocity, balance, branches and slopes of the rows at the impulses of `now`.
void trxi_impulses_finish(const trxi_contact_problem *problem, trxi_island *island, double tolerance, trxi_work *s);

/// Y = A^-1 J^T of one block of rows: nv x n numbers for each group that the block touches, column-major. The first function
/// returns how many numbers these are, at most three for each dof of the problem.
size_t trxi_delassus_numbers(const trxi_row_block *block, const trxi_work *s);
void trxi_delassus_columns(const trxi_contact_problem *problem, const trxi_row_block *block, const trxi_work *s, double *Y);

/// The diagonal block J Y of W that belongs to a block of rows. A block of one row has xx alone.
trxi_sym3 trxi_delassus_block(const trxi_row_block *block, const trxi_work *s, const double *Y);

/// v += Y gamma of one block of rows.
void trxi_delassus_apply(const trxi_row_block *block, const trxi_work *s, const double *Y, const double *gamma, double *v);

/// v = A^-1 (p0 + J^T gamma) on an island, with the impulses of `now`.
void trxi_delassus_velocity(const trxi_contact_problem *problem, const trxi_island *island, trxi_work *s, double *v);

#endif
