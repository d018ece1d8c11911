// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A law gives the impulses of a block of rows as a function of their velocities: gamma(v_c) = -dl/dv_c of a convex
// potential l (theory 2.2, 4). Laws of rigid contact may have no potential; they have a `slope`. A law is one file behind one
// table of functions. To add a law, write the file, declare its table here and, for a contact, add a line to the list in law.c,
// or in model.c if the law is a contact model.

#ifndef TRXI_CONTACT_LAW_H
#define TRXI_CONTACT_LAW_H

#include "contact/contact.h"

typedef struct trxi_row_block trxi_row_block;

/// Symmetric 3 x 3 in the frame of a block: xx, xy, yy, xn, yn, nn. A block of one row has xx alone.
typedef struct trxi_sym3 {
    double xx, xy, yy, xn, yn, nn;
} trxi_sym3;

/// A block at one velocity. A block of one row uses the first numbers.
typedef struct trxi_row_state {
    double v_c[3];   // relative velocity [m/s]
    double gamma[3]; // impulse [N s]
    trxi_sym3 G;     // -d gamma / d v_c [kg]
    int branch;      // bits of the pieces evaluated
} trxi_row_state;

/// Settings of a step that constants of laws depend on.
typedef struct trxi_law_settings {
    double dt;                       // [s]
    double regularization;           // sigma of regularized friction and of sap [1]
    double near_rigid;               // beta: periods of the stiffest spring in steps [1]
    double stiction_tolerance;       // [m/s]
    double joint_stiction_tolerance; // [rad/s or m/s]
    double compliance;               // of rigid contacts: R = compliance w [1]
    double kappa;                    // of the central path [J]
    int sides;                       // of the pyramid of lcp [1]
    bool exact_springs;              // near_rigid does not soften constraints with a stiffness
} trxi_law_settings;

/// Partial derivatives of gamma at constant v_c (table of theory 6). A block of one row uses the first numbers.
typedef struct trxi_law_partials {
    double phi[3]; // by the gap at the start [N s/m]
    double gn0[3]; // by the lagged impulse [1]
    double w[3];   // by the effective inverse mass [N s kg]
    double mu[3];  // by friction, where it depends on the state before the step [N s]
    double vn0[3]; // by the normal velocity before the step, in addition to gn0 [kg]
    // by the number h . W e_n, with W the diagonal block of the Delassus matrix; zeros if the law does not depend on this number
    double lean[3]; // [N s]
    double h[3];    // [kg]
} trxi_law_partials;

/// Squared errors of a level: of the bounds of friction, and of the kept shares of impulses [J].
typedef struct trxi_level_error {
    double bounds, shares;
} trxi_level_error;

typedef struct trxi_law {
    const char *name;
    unsigned key;     // identifies rows of laws without a contact
    bool angular;     // v_c is an angular velocity, gamma a moment
    bool needs_mass;  // constants depend on the effective inverse mass w
    bool uses_lagged; // the impulse depends on gn0
    bool axes;        // the impulse depends on the directions of the tangents: friction is a pyramid
    bool crawls;      // Newton may take tiny steps along a curved edge: the solver starts its continuation early

    /// Constants of the step; NULL: the owner of the rows sets them.
    void (*prepare)(trxi_row_block *block, const trxi_law_settings *settings);
    /// Makes the block at least as soft as the stage of a continuation, whose stiction tolerance is `soft` [m/s]. Returns false if
    /// the block of the step is that soft already. NULL: the law has no softer form.
    bool (*soften)(trxi_row_block *block, const trxi_law_settings *settings, double soft);
    /// Sets gamma, G and branch at at->v_c.
    void (*impulse)(const trxi_row_block *block, double dt, trxi_row_state *at);
    /// Partials of the impulse at the solution, block->at; `out` is zero before. NULL: none.
    void (*partials)(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out);
    /// Change of gamma per unit change of a parameter of pairs, of joints or of the settings, at block->at. NULL: none.
    void (*parameter)(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p, double *gamma_theta);
    /// Distance of block->at.v_c to the nearest kink, as a change of the gap or of the coordinate; NULL: no kinks.
    double (*kink)(const trxi_row_block *block, const trxi_law_settings *settings);
    /// Separation speed at which the normal law is evaluated for v_c [m/s]; NULL: no normal law.
    double (*separation)(const trxi_row_block *block, const double *v_c);
    /// Largest alpha > 0 for which a barrier's gap stays above 0 along v_c + alpha dv_c, for a feasible v_c. NULL: the law has no
    /// barriers.
    double (*longest_step)(const trxi_row_block *block, const double *v_c, const double *dv_c);
    /// True when an active contact sticks at block->at.v_c; NULL for laws without a contact.
    bool (*sticks)(const trxi_row_block *block);
    /// Solves the block alone: the impulse for which at->v_c + W (gamma - at->gamma) agrees with the law. Sets gamma and branch;
    /// v_c remains the velocity at the impulse before. NULL: a block of one row is solved by its slope, others take no sweeps.
    void (*visit)(const trxi_row_block *block, const trxi_sym3 *W, trxi_row_state *at);
    /// gamma = offset - G v_c is a small difference of large numbers for a stiff law. Adds the size of `offset` at the velocity and
    /// slope of `at`, which bounds the rounding in gamma, to `f`, a number for each row. NULL: 0.
    void (*offset)(const trxi_row_block *block, double dt, const trxi_row_state *at, double *f);
    /// For a law without a potential: the slope -d gamma/d v_c = G + [skew]x at the solution, block->at. NULL: `impulse` sets G,
    /// and the slope is symmetric.
    void (*slope)(const trxi_row_block *block, trxi_sym3 *G, double skew[3]);
    /// Sets the constants of the next level of a two-level solve (two_level.c) from the impulses gamma: the bounds of friction,
    /// and the shares that stiff rows keep, whose compliance is at least `least` w. Adds the error of gamma against the law
    /// without levels. NULL: the law has no levels.
    void (*hold)(trxi_row_block *block, const double *gamma, double least, trxi_level_error *error);
    /// Share of the change of a visit that late sweeps take; the first sweep takes the whole change. 0: all sweeps take it whole.
    double late_share;
} trxi_law;

/// Laws of contact points (theory 4).
extern const trxi_law trxi_lagged, trxi_lagged_regularized, trxi_similar, trxi_similar_regularized, trxi_sap;

/// Rigid contact points (theory 4).
extern const trxi_law trxi_lcp, trxi_ccp, trxi_ncp, trxi_dojo, trxi_raisim;

/// Contact points as virtual springs with dampers (theory 4).
extern const trxi_law trxi_first_order;

/// Torsional and rolling friction of a contact, which follows its point.
extern const trxi_law trxi_turn;

/// Blocks of one row: limits, holonomic constraints, drives, springs of tendons, dry friction of joints.
extern const trxi_law trxi_limit, trxi_equality, trxi_drive, trxi_spring, trxi_dry_friction;

/// The law of a contact point.
const trxi_law *trxi_law_of(trx_approximation approximation);

#endif
