// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Judging one derivative against differences (theory 6): what the terms that are functions of the state (term_values.c)
// and the impulse laws (term_laws.c) share.
//
// A reference is (4 D(e/2) - D(e))/3 of central differences D. Of the increments tried it is that with the smallest doubt, how far
// the two are apart and what rounding can do; a column whose doubt is too large for its size is not judged.

#ifndef TRXI_VERIFY_TERMS_H
#define TRXI_VERIFY_TERMS_H

#include "step/sim.h"

#include <tractrix/verify.h>

/// Makes a derivative wrong, for tests of the check: every column of `term` (-1: of none) times 1 + amount.
typedef struct trxi_term_fault {
    int term;
    double amount;
} trxi_term_fault;

/// The worst entry of a derivative, and what its columns came to.
typedef struct trxi_term_verdict {
    double error;
    int row, column; // of the worst entry
    int judged, left;
} trxi_term_verdict;

enum { TRXI_TERM_ENDS = 4 }; // values at e, -e, e/2, -e/2

/// Takes the reference into F (rows) where its doubt is below *doubt. `ends` are `stride` numbers apart; not a number: unknown.
void trxi_term_refer(int rows, const double *ends, size_t stride, double e, double *F, double *doubt);

/// Whether a column needs no other increment.
bool trxi_term_settled(int rows, const double *F, double doubt, double least);

/// D against F (rows x columns), column by column, relative to max(max_i |F_ij|, 1e-3 max |F|, least).
trxi_term_verdict trxi_term_judge(int rows, int columns, const double *D, const double *F, const double *doubt, double least);

/// Adds a verdict to that of its term; true when its entry is the worst so far: `at` is then to be written.
bool trxi_term_add(const trxi_term_verdict *verdict, trx_term_check *term);

/// One derivative: rows x columns, by q or by v
typedef struct trxi_term_segment {
    trx_term term;
    int owner;       // contact, or first of the rows
    int part;        // geometry: where it begins in [phi; n; p]
    int rows, ncol;
    const int *cols; // dofs of its columns, NULL: all
    const int *dofs; // of its rows where they are dofs, NULL: all, or no dofs
    bool by_v;
    size_t at;       // in a vector of values
    size_t entry, column; // in D and F, in doubt
} trxi_term_segment;

/// The first segments; those of contacts and rows follow.
enum {
    TRXI_TERM_MASS, TRXI_TERM_BIAS, TRXI_TERM_INTEGRATION, TRXI_TERM_BIAS_BY_V, TRXI_TERM_INTEGRATION_BY_V, TRXI_TERM_SMOOTH
};

/// What a contact or row is known by after others have taken its place
typedef struct trxi_term_mark {
    const trxi_law *law;
    int index, part; // contact: pair and point
    int branch;            // contact: feature
    bool rigid;            // row of a constraint
} trxi_term_mark;

/// One check of one state.
typedef struct trxi_term_state {
    trx_sim *sim;
    trxi_term_segment *segments;
    int nsegment;
    trxi_term_mark *contacts, *scalars;
    int ncontact, nscalar;
    int *dofs; // of all rows
    size_t nvalue, nentry, ncolumn;
    double *q, *v, *v0, *a, *spin, *spin0, *dx, *q1, *moved; // state, generic vectors, q1 at the state
    double *mass;                                             // nblock
    double *values, *motion;                                  // TRXI_TERM_ENDS vectors; of one contact
    double *D, *F, *doubt;
    double *most, *size; // nsegment: largest |D|, largest value
} trxi_term_state;

/// The segments of the step: counted, and written where c->segments has room.
void trxi_term_list(trxi_term_state *c);

/// What others are compared with: contacts and rows of the step.
void trxi_term_mark_rows(trxi_term_state *c);

/// All D at the state of the step.
void trxi_term_derive(trxi_term_state *c, trxi_term_fault fault);

/// Values of all segments by q, or by v, with one coordinate moved: out (nvalue), not a number where a branch was left.
trx_status trxi_term_evaluate(trxi_term_state *c, bool by_v, int column, double amount, double *out);

/// "A|B point 2", the name of a contact; "limit of elbow", "constraint tie", ... that of a row.
void trxi_term_contact_name(const trx_sim *sim, int contact, char *text, size_t size);
void trxi_term_row_name(const trx_sim *sim, const trxi_row_block *row, char *text, size_t size);

/// G and the partials of every contact that acts, G of every row with one impulse, at the velocities of the last step.
void trxi_term_check_laws(const trx_sim *sim, trxi_term_fault fault, trx_term_check terms[TRX_TERMS]);

/// trx_step_check_terms with a fault.
trx_status trxi_step_check_terms(trx_sim *sim, const double *x, const double *u, trxi_term_fault fault,
                                 trx_term_check terms[TRX_TERMS]);

#endif
