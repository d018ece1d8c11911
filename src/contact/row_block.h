// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A block of rows v_c = J v + b of the convex problem: its law, the law's constants in this step, and its impulse at the solution
// (theory 2.2). A contact point is a block of three rows, and so is its torsional and rolling friction. A limit, a drive, dry
// friction and each row of a constraint are blocks of one row. A block may touch any degrees of freedom.

#ifndef TRXI_CONTACT_ROW_BLOCK_H
#define TRXI_CONTACT_ROW_BLOCK_H

#include "contact/law.h"

/// Bits of the branch that a law took; the force law has others. FACE, CORNER: the contact slides on a face or at a corner of its
/// pyramid of friction, whose number is in the bits above (pyramid.h).
enum { TRXI_SAP_STICK = 4, TRXI_SAP_SLIDE = 8, TRXI_TURN_ACTS = 1 };
enum { TRXI_FACE = 16, TRXI_CORNER = 32 };
/// 0: an open limit, a drive at its lower effort. UPPER: a drive at its upper effort. EASING: a limit whose impulse falls to 0 at
/// the largest speed of return (theory 4). The pieces of the curves of a muscle are in the bits from PIECES on.
enum { TRXI_ROW_ACTIVE = 1, TRXI_ROW_UPPER = 2, TRXI_ROW_EASING = 4, TRXI_ROW_PIECES = 8 };

/// Bits of the bounds that decided the constants: e comes from sigma w mu gn0; R comes from the near-rigid bound; v_hat closes a
/// penetration of a rigid contact; the horizon of a constraint grows with R.
enum { TRXI_REGULARIZED = 1, TRXI_RIGID = 2, TRXI_BEHIND = 4, TRXI_GROWS = 8 };

/// Constants of a limit and of a constraint.
typedef struct trxi_compliant {
    double stiffness;       // INFINITY: near-rigid [N/m or N m/rad]
    double relaxation_time; // tau [s]
    double horizon;         // in which the law closes a gap [s]
    double R, v_hat;        // [1/kg, m/s]
    double R_law, held;     // a two-level solve: the R of the law, and the kept share of the impulse; else R and 0 [1/kg, N s]
} trxi_compliant;

/// The active pull of a muscle in this step: strength FV(rate v_c).
typedef struct trxi_pull {
    double strength;               // at rest, >= 0 [N]
    double strength_L, strength_w; // derivatives of the strength by the length, and by the control or the activation [N/m, N]
    double rate;                   // relative speed per velocity; 0: no muscle [s/m]
    double most;                   // of FV [1]
    double room;                   // change of the length to the nearest end of a piece of its curves [m]
    unsigned pieces;               // of these curves
} trxi_pull;

/// Constants of a drive.
typedef struct trxi_drive_constants {
    double f0, slope;    // force at v_c = 0 without the pull [N], its decrease per velocity dt kp + kd [N s/m]
    double lower, upper; // effort limits [N]
    double stiffness;    // kp or the stiffness of a spring, plus the slope of the passive force of a muscle [N/m]
    double gain;         // change of f0 per unit of the control or the activation [N]
    trxi_pull pull;
} trxi_drive_constants;

/// A drive at one velocity: its force without limits, and the derivatives of the force.
typedef struct trxi_drive_force {
    double f;         // [N]
    double slope;     // -df/dv_c >= 0 [N s/m]
    double stiffness; // -df/dL [N/m]
    double gain;      // df/dw [N]
    double room;      // change of v_c to the nearest end of a piece [m/s]
    unsigned piece;   // of FV
} trxi_drive_force;

trxi_drive_force trxi_drive_at(const trxi_drive_constants *drive, double v_c);

struct trxi_row_block {
    const trxi_law *law;
    int n;             // rows
    int ncol;          // columns of J that are not zero
    const int *cols;   // their dofs, ascending
    const double *J;   // n x ncol
    double bias[3];    // velocity of prescribed motions [m/s]
    int index, part;   // block of one row: its joint, constraint, actuator or dof, and the number of the row there
    int next;          // next block of the island, -1: none

    // constants of the step
    double phi0;              // gap at the start [m or rad]
    double w;                 // effective inverse mass, where the law needs it [1/kg or 1/(kg m^2)]
    double soft, soft_wanted; // e of the soft norm: in use (a continuation raises e), and of the step [m/s or rad/s]
    int decided;              // TRXI_REGULARIZED, TRXI_RIGID, TRXI_BEHIND, TRXI_GROWS
    union {
        trxi_contact contact;
        trxi_compliant compliant;
        trxi_drive_constants drive;
        double most; // dry friction: force in sliding [N]
    };

    trxi_row_state at; // at the solution
};

/// Past iterations of one block (anderson.c), in velocities or in impulses: the last step, the move after it, and the changes of
/// point and step from one iteration to the next. The weight times the square of a step is an energy.
enum { TRXI_PAST = 5 };
typedef struct trxi_row_past {
    double weight, step[3], move[3], dpoint[TRXI_PAST][3], dstep[TRXI_PAST][3];
} trxi_row_past;

/// True for a contact point, and for its torsional and rolling friction, which rigid models do not have.
static inline bool trxi_row_is_contact(const trxi_row_block *block)
{
    return block->n == 3;
}

/// Scratch of the solver for one block: the states at both iterates, the change of v_c along the search direction, the skew part of
/// a slope G + [skew]x, the diagonal block of the Delassus matrix, which sweeps need, and past iterations.
typedef struct trxi_row_work {
    trxi_row_state state[2];
    double dv_c[3], skew[3];
    trxi_sym3 W; // [1/kg]
    double *Y;   // the columns A^-1 J^T (impulses.h)
    trxi_row_past past;
} trxi_row_work;

/// A contact inside its cones (interior_point.c): normal impulse and separation velocity, and the pair of the friction cone.
typedef struct trxi_cone_pair {
    double gamma, s;   // [N s, m/s]
    double b[3], e[3]; // [N s, m/s]
} trxi_cone_pair;

/// Scratch of the interior-point method for one block: iterate, direction, second-order products of the predictor.
typedef struct trxi_cone_work {
    trxi_cone_pair x, dx;
    double second[4]; // [J]
} trxi_cone_work;

/// Partials of the impulse at the solution.
static inline void trxi_row_partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    *out = (trxi_law_partials){0};
    if (block->law->partials) block->law->partials(block, settings, out);
}

/// True when a contact has an impulse, or may have one at a nearby state.
static inline bool trxi_contact_acts(const trxi_row_block *c)
{
    return c->contact.gn0 != 0 || c->at.gamma[2] != 0 || c->at.G.nn != 0 || c->at.G.xx != 0;
}

/// Whether a block has a barrier, which limits steps.
static inline bool trxi_row_has_barrier(const trxi_row_block *block)
{
    return block->law->longest_step && trxi_law_is_barrier(block->contact.material);
}

// ---- products of a block ----

static const double trxi_row_rest[3] = {0, 0, 0};

/// out = start + J x; x has all dofs.
static inline void trxi_row_project(const trxi_row_block *block, const double *x, const double *start, double *out)
{
    const double *J = block->J;
    if (block->n == 1) {
        double sum = 0;
        for (int i = 0; i < block->ncol; i++) sum += J[i] * x[block->cols[i]];
        out[0] = start[0] + sum;
        return;
    }
    double a = start[0], b = start[1], n = start[2];
    for (int i = 0; i < block->ncol; i++, J += 3) {
        const double value = x[block->cols[i]];
        a += J[0] * value, b += J[1] * value, n += J[2] * value;
    }
    out[0] = a, out[1] = b, out[2] = n;
}

/// out += J^T f; out has all dofs.
static inline void trxi_row_apply(const trxi_row_block *block, const double *f, double *out)
{
    const double *J = block->J;
    if (block->n == 1) {
        for (int i = 0; i < block->ncol; i++) out[block->cols[i]] += J[i] * f[0];
        return;
    }
    for (int i = 0; i < block->ncol; i++, J += 3) out[block->cols[i]] += J[0] * f[0] + J[1] * f[1] + J[2] * f[2];
}

/// a . b.
static inline double trxi_row_dot(const trxi_row_block *block, const double *a, const double *b)
{
    return block->n == 1 ? a[0] * b[0] : a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// d . G d.
static inline double trxi_row_quadratic(const trxi_row_block *block, const trxi_sym3 *G, const double *d)
{
    if (block->n == 1) return G->xx * d[0] * d[0];
    return G->xx * d[0] * d[0] + G->yy * d[1] * d[1] + G->nn * d[2] * d[2] +
           2 * (G->xy * d[0] * d[1] + G->xn * d[0] * d[2] + G->yn * d[1] * d[2]);
}

/// out = G x.
static inline void trxi_row_product(const trxi_row_block *block, const trxi_sym3 *G, const double *x, double *out)
{
    if (block->n == 1) {
        out[0] = G->xx * x[0];
        return;
    }
    out[0] = G->xx * x[0] + G->xy * x[1] + G->xn * x[2];
    out[1] = G->xy * x[0] + G->yy * x[1] + G->yn * x[2];
    out[2] = G->xn * x[0] + G->yn * x[1] + G->nn * x[2];
}

#endif
