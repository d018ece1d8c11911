// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The nearest points of two separate cores, or the points of least depth of two that overlap, exact to round-off, and their
// derivatives (theory 6).

#ifndef TRXI_GEOMETRY_WITNESS_H
#define TRXI_GEOMETRY_WITNESS_H

#include "geometry/piece.h"

typedef struct trxi_witness {
    trxi_piece A, B;
    double n[3];    // unit normal from A to B
    double d;       // signed distance of the cores: b - a = d n [m]
    double a[3];    // on core A [m]
    double b[3];    // on core B [m]
    // in the tangent plane
    double frame[9]; // [t1 t2 n]; t1 is the first flat direction if there is one
    int nflat;       // independent flat directions of the pieces A and B together: 0, 1, 2
    bool of_B[2];    // whether each direction belongs to B
    double flat[2];  // the second one is flat[0] t1 + flat[1] t2
    double Sigma_A[3], Sigma_B[3]; // 11, 12, 22 [m]
    bool settled;    // false: no pair of pieces holds the nearest points; a and b are then the approximate points of the search
    bool forced;     // the pieces were chosen by trxi_witness_between
} trxi_witness;

/// Computes the points from the simplex and the n (A to B) of trxi_gjk or trxi_epa; d >= `least` [m] is known.
void trxi_witness_find(const trxi_core_pair *pair, const trxi_simplex *simplex, const double n[3], double least,
                       trxi_witness *w);

/// Computes the stationary point of the two pieces in `w` from w->n, also where the point lies beyond the ends of the pieces. The
/// tie of its contact is only the smallest eigenvalue of S (witness_deriv.c).
void trxi_witness_between(trxi_witness *w, double scale);

/// The contact of the rounded shapes, with centres relative to `origin`. The tie does not include the distance to a second way
/// out of an overlap.
void trxi_witness_contact(const trxi_witness *w, const double origin[3], bool derivatives, trxi_contact_point *c);

// ---- several contact points for parallel flat or straight pieces (flush.c) ----

/// Sine of the largest angle at which pieces count as parallel.
#define TRXI_FLUSH_SINE 0.02

/// The contact points of the pieces along w->n if they are parallel within this angle. Returns -1 if they are not, or
/// do not lie over each other; w itself is then the contact. `origin` as in trxi_witness_contact.
int trxi_flush_points(const trxi_witness *w, const double origin[3], double margin, bool derivatives,
                      trxi_contact_point *points);

#endif
