// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Rows of one step (theory 1, 4): contacts of the pairs that meet, then the blocks of one row: joint limits, constraints, drives
// and dry friction.

#ifndef TRXI_STEP_ROWS_H
#define TRXI_STEP_ROWS_H

#include "contact/row_block.h"
#include "base/arena.h"
#include "dynamics/kinematics.h"
#include "step/smooth.h"

#include <tractrix/sim.h>

/// Columns of one side of a pair: the last `count` dofs on the path of `link`. Earlier dofs of the path move both sides alike.
typedef struct trxi_pair_side {
    int link;        // -1: world
    int count;
    int offset;      // position of the first dof in the pair's columns
    double sign;     // +1 for b, -1 for a: J = J_b - J_a
    const int *dofs; // count, from root to tip
} trxi_pair_side;

typedef struct trxi_pair_columns {
    trxi_pair_side side[2]; // of A and of B
    int ncol;
    int first; // start of the pair's dofs in the list of all pairs
} trxi_pair_columns;

/// A pair, or a piece of a height field, that has contact points in this step.
typedef struct trxi_meeting {
    int pair, geom_a, geom_b;
    int piece;               // TRXI_WHOLE without pieces
    double margin;           // gaps of the pair's points are smaller than this [m]
    double weight_b;
    const trx_pair_law *law;
    trxi_pair_columns columns; // dofs in rows->meeting_cols
} trxi_meeting;

/// The geometry and state behind a contact block; parallel to `contacts`.
typedef struct trxi_row {
    int pair;
    int point;           // number within the pair: TRXI_MAX_CONTACT_POINTS times the piece, plus the number within the meeting
    int meeting;         // in rows->meetings
    double p[3], F[9]; // contact point and frame [t1 t2 n] in the world
    double phi_weight; // p = a + phi_weight phi n
    double vt0[2];      // tangential v_c before the step: J v0 plus the bias velocity
    double mu_rate;      // d mu = mu_rate vt0 . d vt0: static and dynamic friction
    double axis[3];      // axis of anisotropic friction in the world; fixed to B if axis_sign is 1, to A if axis_sign is -1
    int axis_sign;       // 0: friction is isotropic
    double axis_arm;     // length of the axis's tangential part
    const double *turns_with; // axes of A's geometry if t1 turns with them (pyramid of friction within a tree), else NULL
    double tie;
    int feature;
} trxi_row;

typedef enum trxi_constraint_kind {
    TRXI_CONSTRAINT_POINT,
    TRXI_CONSTRAINT_TURN,
    TRXI_CONSTRAINT_DISTANCE,
    TRXI_CONSTRAINT_COUPLER
} trxi_constraint_kind;

/// One block of rows of a constraint (point, turn, distance or coupler), and the data for its tangent. The rows measure the
/// velocity of B relative to A at p, in the frame F. F is fixed to A; for a distance, its last axis points from A's point to B's.
typedef struct trxi_constraint_rows {
    trxi_constraint_kind kind;
    int constraint;
    int first, nrow;   // in rows->scalars; 3 for point and turn
    double p[3], F[9]; // point of B [m], frame
    double g[3];       // gap in F; couplers and distances use g[0] [m or rad]
    double length;     // |p_B - p_A| [m]
    double slope, curvature; // coupler: P'(l_b), P''(l_b) at q0
    double w;          // effective inverse mass of the block [1/kg or 1/(kg m^2)]
} trxi_constraint_rows;

typedef struct trxi_rows {
    void *point_block; // memory of the arrays from here to J; grows with the contacts of a step
    int point_room, column_room;
    trxi_row_block *contacts; // ncontact blocks of three rows; the blocks of one row follow them
    int ncontact;
    trxi_row *origins;     // ncontact
    trx_contact *reported; // the same contacts in the public format
    trxi_row_work *work;   // of the solver, for each block of contacts and scalars
    trxi_cone_work *cones;
    trxi_meeting *meetings;
    int nmeeting;
    int *meeting_cols; // column_room: dofs of all pairs that meet
    double *J;         // 3 column_room: 3 x ncol of each contact
    int ncolumn;       // columns of all contacts together
    trxi_row_block *scalars; // limits, constraints, drives, dry friction: contacts + ncontact
    int nscalar, max_scalars;
    int *scalar_cols; // columns of these rows, in the order of the rows
    double *scalar_J; // values of J in these columns
    int scalar_used;
    trxi_constraint_rows *constraint_rows; // 2 nconstraint, nconstraint_rows of them in the step
    int nconstraint_rows;
    double *gaps; // 6 nconstraint: g of every row of every constraint, also of rows that nothing can move
    trxi_pair_columns *constraint_columns; // nconstraint
    int *constraint_cols; // columns of all constraints
    int max_cols;         // most columns of a pair of links
    double *mass_scratch; // nv x 3
    double *J_scratch;    // 3 x max_cols: J of one block of a constraint
} trxi_rows;

/// Carves the arrays of constant size. The caller then calls trxi_rows_prepare once.
void trxi_rows_layout(trxi_arena *arena, const trx_model *model, trxi_rows *rows);
/// Sets the columns of the constraints.
void trxi_rows_prepare(const trx_model *model, trxi_rows *rows);

/// Removes all rows. A step that fails before its scalar rows must not keep those of the step before: they lie behind the contacts,
/// and move with them.
static inline void trxi_rows_clear(trxi_rows *rows)
{
    rows->ncontact = rows->nmeeting = rows->ncolumn = 0;
    rows->nscalar = rows->scalar_used = rows->nconstraint_rows = 0;
}

/// Makes room for `points` contacts and `columns` columns in all, and keeps the contacts of this step. Errors: MEMORY.
trx_status trxi_rows_reserve(trx_context *context, int points, int columns, trxi_rows *rows);

/// Makes room for the first steps; a model with few possible contacts never needs more. Errors: MEMORY.
trx_status trxi_rows_reserve_first(trx_context *context, const trx_model *model, trxi_rows *rows);

/// Columns of the two sides of a pair of links. Writes their dofs in ascending order to `cols` (may be NULL).
void trxi_pair_columns_of(const trx_model *model, int link_a, int link_b, int *cols, trxi_pair_columns *out);

/// The pair of a contact.
static inline const trxi_meeting *trxi_meeting_of(const trxi_rows *rows, const trxi_row *row)
{
    return &rows->meetings[row->meeting];
}

/// The convex problem of these rows; the rows stay in place.
trxi_contact_problem trxi_rows_problem(const trxi_input *in, const trxi_smooth *smooth, const trxi_rows *rows);

/// Appends a row of `ncol` columns. The caller fills its columns through `cols` and `J`.
trxi_row_block *trxi_rows_add_scalar(trxi_rows *rows, const trxi_law *law, int index, int part, int ncol, int **cols,
                                     double **J);

/// Removes the row that was added last.
void trxi_rows_drop_scalar(trxi_rows *rows);

// ---- kinks of the step map (theory 6): the branches of a step, and the distance to the nearest switch ----

/// Hash of all branches of the last step. Contacts without an impulse now and at the start do not count, so a pair that
/// only comes within its margin changes nothing.
unsigned long long trxi_step_branches(const trxi_input *in, const trxi_smooth *smooth, const trxi_rows *rows);

/// Smallest change of a gap (or of dt times a velocity) that switches a branch [m].
double trxi_step_kink_distance(const trxi_input *in, const trxi_smooth *smooth, const trxi_rows *rows);

#endif
