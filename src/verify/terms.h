// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The check of terms (theory 6): common parts of the terms that are functions of the state (term_values.c) and of the
// laws (term_laws.c). References and verdicts are described in richardson.h.

#ifndef TRXI_VERIFY_TERMS_H
#define TRXI_VERIFY_TERMS_H

#include "step/sim.h"
#include "verify/richardson.h"

#include <tractrix/verify.h>

/// Makes a derivative wrong, to test the check: multiplies every column of `term` (-1: no term) by 1 + amount.
typedef struct trxi_term_fault {
    int term;
    double amount;
} trxi_term_fault;

/// The least increment of the differences: of positions [m or rad], of velocities [m/s or rad/s].
#define TRXI_TERM_LAST_INCREMENT 1e-6

/// Adds a verdict to the verdict of its term. Returns true when its entry is the worst so far; the caller then writes `at`.
bool trxi_term_add(const trxi_verdict *verdict, trx_term_check *term);

/// One derivative, rows x ncol, by q or by v.
typedef struct trxi_term_segment {
    trx_term term;
    int owner;       // contact, or first of the rows
    int part;        // geometry: first row of the segment in [phi; n; p]
    int rows, ncol;
    const int *cols; // dofs of its columns, NULL: all
    const int *dofs; // dofs of its rows, NULL: all dofs, or the rows are not dofs
    bool by_v;
    size_t at;       // position in a vector of values
    size_t entry, column; // positions in D and F, in `estimate`
} trxi_term_segment;

/// The first segments; segments of contacts and rows follow.
enum {
    TRXI_TERM_MASS, TRXI_TERM_BIAS, TRXI_TERM_INTEGRATION, TRXI_TERM_BIAS_BY_V, TRXI_TERM_INTEGRATION_BY_V, TRXI_TERM_SMOOTH
};

/// Identity of a contact or row; it stays valid when the lists change.
typedef struct trxi_term_mark {
    const trxi_law *law;
    int index, part; // contact: pair and point
    int branch;            // contact: feature
    int decided;           // row of a constraint: which bounds decided its constants
    bool kink;             // contact: nearer to another feature than the differences can tell
} trxi_term_mark;

/// One check of one state.
typedef struct trxi_term_state {
    trx_sim *sim;
    trxi_term_segment *segments;
    int nsegment;
    trxi_term_mark *contacts, *scalars;
    int ncontact, nscalar;
    int *dofs; // of all rows
    int *cols; // of all contacts, one after the other: a moved state has other contacts
    size_t nvalue, nentry, ncolumn;
    double *q, *v, *v0, *a, *spin, *spin0, *dx, *q1, *moved; // state, generic vectors, q1 at the state
    double *mass;                                             // nblock
    double *ends, *wide, *narrow; // nvalue each: values at e and -e, D(e), D(e/2)
    double *motion;               // of one contact
    double *D, *F, *estimate;
    double *most, *size; // nsegment: largest |D|, largest value
} trxi_term_state;

/// Counts the segments of the step, and writes them if c->segments has room.
void trxi_term_list(trxi_term_state *c);

/// Records the identities of the contacts and rows of the step at the state.
void trxi_term_mark_rows(trxi_term_state *c);

/// Computes all derivatives D at the state of the step.
void trxi_term_derive(trxi_term_state *c, trxi_term_fault fault);

/// Computes the values of all segments by q, or by v, with one coordinate moved: out (nvalue), NaN where the branch changes.
trx_status trxi_term_evaluate(trxi_term_state *c, bool by_v, int column, double amount, double *out);

/// Names: "A|B point 2" for a contact; "limit of elbow", "constraint tie", ... for a row.
void trxi_term_contact_name(const trx_sim *sim, int contact, char *text, size_t size);
void trxi_term_row_name(const trx_sim *sim, const trxi_row_block *row, char *text, size_t size);

/// Checks G and the partials of every active contact and of every block of one row, at the velocities of the last step.
void trxi_term_check_laws(const trx_sim *sim, trxi_term_fault fault, trx_term_check terms[TRX_TERMS]);

/// trx_step_check_terms with a fault.
trx_status trxi_step_check_terms(trx_sim *sim, const double *x, const double *u, trxi_term_fault fault,
                                 trx_term_check terms[TRX_TERMS]);

#endif
