// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The workspace of a solver: groups, the islands of the last problem (theory 5, islands and cost), iterates and scratch. Only the
// files of the solver include this header.

#ifndef TRXI_CONTACT_WORK_H
#define TRXI_CONTACT_WORK_H

#include "contact/solver.h"
#include "sparse/block_cholesky.h"

/// An island of several groups with more unknowns than this is sparse. tests/contact/bench_islands measures the limit. With the
/// graph of the last step, sparse is faster from 3 groups of six unknowns on; with a new graph and one or two iterations, from 7
/// to 11 groups on.
enum { TRXI_DENSE_LIMIT = 36 };

/// Neighbouring dofs that A couples.
typedef struct trxi_group {
    int v, nv; // first dof, number of dofs
    int block; // start of the group's block of A: nv x nv, column-major
} trxi_group;

/// A velocity and the momentum balance there (balance.h).
typedef struct trxi_iterate {
    double *v, *p, *j, *r; // nv: velocity, A v, J^T gamma, residual p - p0 - j
    int sums;              // steps since p and v_c were computed from v; each of these steps has added its change
    int place;             // index of the state of this iterate in the array `state` of each block
} trxi_iterate;

/// State of a block at an iterate.
#define TRXI_STATE(problem, x, k) (&(problem)->rows[k].state[(x)->place])

/// Groups that the rows of this step connect. A step has no influence from one island to another, so a matrix between dofs
/// stores one square block per island, one after the other, each column-major.
struct trxi_island {
    int first_group, ngroup;     // in work->members, ascending
    int block;                   // first block of rows, -1: none; the field `next` of a block gives the next one
    bool barriers;               // a block has a barrier, which limits steps
    bool crawls;                 // a block's law crawls (law.h)
    trxi_iterate *now, *next;    // the current iterate, after a solve the solution; the step on trial
    int nv;                      // unknowns; work->local has the place of each dof
    int first_dof;               // the dofs are first_dof .. first_dof + nv - 1; -1: they are scattered
    ptrdiff_t start;             // start of the island's square block in a matrix by island
    double *H;                   // nv x nv: A + J^T G J, then its Cholesky factor; NULL without rows, where A has a factor already
    trxi_block_cholesky *sparse; // instead of H, else NULL
    bool factored;               // H is the factor at v
    bool near;                   // H is the factor at v or at an earlier iterate
    bool swept;                  // solved by sweeps or an interior point: derivatives take slopes from tangent.c
    bool skewed;                 // the factor is in work->tangent instead, with these row exchanges (tangent.c)
    int *pivots;
};

enum { TRXI_GATHERED = 16 };

/// Memory whose size depends on the contacts: it grows with the largest island so far and stays.
typedef struct trxi_room {
    void *memory;
    size_t size;
    trx_context *context; // which made it
} trxi_room;

/// Makes room for `size` bytes, whose content is undefined. Returns NULL when memory is out, and leaves no room.
void *trxi_room_reserve(trxi_room *room, trx_context *context, size_t size);

struct trxi_work {
    int ngroup, nv;
    trxi_group *groups; // ngroup
    int *group_of;      // nv: group of each dof

    double *v;                 // nv: v of the solver
    trxi_iterate iterate[2];   // of all islands; the first uses the solver's v
    double *bound;             // nv: rounding bound of the residual
    double *dv, *dp;           // nv: search direction, A dv
    double *E2;                // nv: 1/diag(A) = E^2
    double *start;             // nv: velocity without impulses (impulses.h)
    double *before;            // nv: v to which a method of Newton's returns
    double *GJ;                // 3 x nv
    double *halves;            // 2 x nv: velocities of the halves (staggered.c)
    double *gathered;          // TRXI_GATHERED x nv: right-hand sides of a scattered island

    trxi_island *islands; // ngroup
    int nisland;
    int failed;             // island of the last failure
    int *members;           // ngroup: groups of the islands, one island after the other
    int *island_of;         // ngroup
    int *local;             // nv: place of a dof among the unknowns of its island
    ptrdiff_t *column;      // nv: entry (i, j) of one island is at [column[j] + local[i]] of a matrix by island
    ptrdiff_t *own;         // nv: entry (i, j) of one group is at [own[j] + i]
    ptrdiff_t by_island;    // length of a matrix by island
    int *scratch;           // ngroup
    double *H;              // room for all dense islands
    double *tangent;        // nv x nv: H of islands that are skewed, by island; created on first use
    trx_context *tangent_context; // which made that room
    int *pivots;            // nv
    trxi_room pivoting;     // of dense problems (pivoting.c)
    trxi_room columns;      // of the columns A^-1 J^T of an island (impulses.c)
    trxi_block_cholesky **sparse; // created on first use
    int nsparse;            // room
    int dense_limit;
    bool backtracking;      // of the settings
    trxi_solver_stats stats;
};

#endif
