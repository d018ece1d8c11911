// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// What a solver works with: groups, the islands of the last problem (theory 5, sparsity), iterates and scratch. Shared by the
// solver's files, not by other rooms.

#ifndef TRXI_CONTACT_WORK_H
#define TRXI_CONTACT_WORK_H

#include "contact/solver.h"
#include "sparse/block_cholesky.h"

/// Most unknowns of an island of several groups that is dense. tests/contact/bench_islands measures it: with the graph of the
/// last step sparse wins from 3 groups of six unknowns on, with a new graph and one or two iterations from 7 to 11.
enum { TRXI_DENSE_LIMIT = 36 };

/// Neighbouring dofs that A couples.
typedef struct trxi_group {
    int v, nv; // first dof, how many
    int block; // of A: nv x nv, column-major
} trxi_group;

/// Groups that this step's rows tie together. Nothing in a step reaches from one island to another: matrices between dofs are
/// kept by island, the square ones of all islands one after the other, each column-major.
typedef struct trxi_island {
    int first_group, ngroup;     // in work->members, ascending
    int block;                   // its first block of rows, -1: none; the next ones by their field `next`
    int nv;                      // unknowns; work->local has the place of each dof
    int first_dof;               // its dofs are first_dof .. first_dof + nv; -1: they are scattered
    ptrdiff_t start;             // of its matrix among matrices by island
    double *H;                   // nv x nv: A + J^T G J, then its Cholesky factor; a group without rows: that of A
    trxi_block_cholesky *sparse; // instead of H, else NULL
    bool factored;               // H is the factor at v
    bool near;                   // H is the factor at v or at one of the velocities before it
} trxi_island;

enum { TRXI_GATHERED = 16 };

/// A velocity and the momentum balance there (balance.h).
typedef struct trxi_iterate {
    double *v, *p, *j, *r; // nv: velocity, A v, J^T gamma, residual p - p0 - j
    int sums;              // steps that p and v_c were added up over; 0: computed at v
} trxi_iterate;

/// State of a block at an iterate.
#define TRXI_STATE(problem, s, x, k) (&(problem)->rows[k].state[(x) - (s)->iterate])

struct trxi_work {
    int ngroup, nv;
    trxi_group *groups; // ngroup
    int *group_of;      // nv: group of each dof

    double *v;                 // nv: that of the solver
    trxi_iterate iterate[2];   // the first has the solver's v
    trxi_iterate *now, *next;  // of the island that is solved: where it is, and the step that is tried
    double *bound;             // nv: rounding bound of the residual
    double *dv, *dp;           // nv: search direction, A dv
    double *E2;                // nv: 1/diag(A), the squares of E
    double *start;             // nv: copy of the start for the continuation
    double *GJ;                // 3 x nv
    double *gathered;          // TRXI_GATHERED x nv: right-hand sides of a scattered island

    trxi_island *islands; // ngroup
    int nisland;
    int failed;             // island of the last failure
    int *members;           // ngroup: groups of the islands, one island after the other
    int *island_of;         // ngroup
    int *local;             // nv: place of a dof among the unknowns of its island
    ptrdiff_t *column;      // nv: matrices by island have entry (i, j) of one island at [column[j] + local[i]],
    ptrdiff_t *own;         // nv: and of one group at [own[j] + i]
    ptrdiff_t by_island;    // numbers of a matrix by island
    int *scratch;           // ngroup
    double *H;              // room for all dense islands
    trxi_block_cholesky **sparse; // made when first needed
    int nsparse;            // room
    int dense_limit;
    bool backtracking;      // of the settings
    trxi_solver_stats stats;
};

#endif
