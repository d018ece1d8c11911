// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// References for derivatives (theory 6): columns of extrapolated central differences. With f along one direction,
//
//     D(e) = (f(e) - f(-e)) / (2 e),      F = (4 D(e/2) - D(e)) / 3        error of order e^4, plus rounding over e
//
// No increment e suits every column: rounding spoils a small increment, and a large increment crosses a kink. A search
// therefore goes down a list of increments and keeps the F with the smallest estimated error, which is the difference of
// D(e) and D(e/2) plus the effect of rounding of f. A verdict compares the columns of a derivative with their references.

#ifndef TRXI_VERIFY_RICHARDSON_H
#define TRXI_VERIFY_RICHARDSON_H

#include <stdbool.h>
#include <tractrix/status.h>

/// Largest magnitude, 0 without values. A value that is not a number does not count.
double trxi_largest(int count, const double *values);

/// Extrapolates wide = D(e) and narrow = D(e/2). If the estimated error of the result is below *estimate, writes the
/// result to F (rows) and the error to *estimate, and returns true. `rounding` is the rounding error of D. A difference that is
/// not finite is never used.
bool trxi_richardson_offer(int rows, const double *wide, const double *narrow, double rounding, double *F,
                           double *estimate);

/// D(e) of one direction, all rows. Clears *smooth when an end lies beyond a kink.
typedef trx_status trxi_central_difference(void *data, double e, double *D, bool *smooth);

/// The increments `first`, shrink * first, shrink^2 * first, ... down to `least`, and the conditions that end the search earlier.
typedef struct trxi_ladder {
    double first, least;
    double shrink;   // below 1
    double enough;   // a smaller estimated error, relative to the column, ends the search
    double patience; // an error this many times the best error ends the search, because smaller increments round more
    bool confirmed;  // the estimated error includes the change of F since the previous increment; the first never counts
} trxi_ladder;

/// One column, its scratch, and the result of the search.
typedef struct trxi_column {
    int rows;
    double *F;       // rows: the reference
    double *scratch; // 4 rows
    double floor;    // relative errors refer to the size of the column, but at least to this size
    double rounding; // rounding error of f
    double estimate; // error of F, relative to its size; INFINITY: no increment gave a reference, and F is not written
    double increment; // increment of F
    bool crossed;    // every increment crosses a kink, and F comes from the last one
} trxi_column;

enum { TRXI_COLUMN_SCRATCH = 4 }; // times rows

/// Searches the ladder. Fails when a difference fails.
trx_status trxi_richardson_column(const trxi_ladder *ladder, trxi_central_difference *central, void *data, trxi_column *column);

/// The worst entry of a derivative, and the counts of its columns.
typedef struct trxi_verdict {
    double error;
    int row, column; // of the worst entry
    int judged, left;
} trxi_verdict;

/// D against F (rows x columns), column by column, relative to max(max_i |F_ij|, 1e-3 max |F|, least). A column whose estimate
/// (columns numbers; NULL: none) is above 3e-6 of its size is not judged. An entry that is not a number is an infinite error.
trxi_verdict trxi_judge(int rows, int columns, const double *D, const double *F, const double *estimate, double least);

#endif
