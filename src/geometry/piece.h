// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pieces of the surface of a core, as needed for the nearest points of two cores (theory 6). With n the outward
// normal, a piece has its own support function h(n),
//
//     x(n) = grad h,     Sigma(n) = hess h >= 0   [m], zero along n,
//
// and flat directions e, constant in the core, along which the piece extends; its normals have e . n = 0. A vertex has Sigma = 0
// and no flat directions, an edge one, a face two; the side of a cylinder one (its axis), and Sigma = r t t^T across it; its
// rim Sigma = r/|n_across| t t^T; an ellipsoid Sigma = (D^2 - x x^T)/h, D its semi-axes.

#ifndef TRXI_GEOMETRY_PIECE_H
#define TRXI_GEOMETRY_PIECE_H

#include "geometry/gjk.h"

#include <stdbool.h>

typedef enum trxi_piece_kind { TRXI_PIECE_FIXED, TRXI_PIECE_SIDE, TRXI_PIECE_RIM, TRXI_PIECE_SMOOTH } trxi_piece_kind;

typedef struct trxi_piece {
    trxi_piece_kind kind;  // kind of the function x(n)
    const trxi_core *core;
    double x0[3];          // fixed: a point of it; side and rim: the middle of the circle [m]
    int nflat;
    double flat[2][3];     // unit vectors, orthogonal
    bool restricted;       // a material point replaces the piece, because the other core's piece has the same flat directions
    int corner;            // box: bits of the coordinates that are positive; hull: vertex, edge, face; segment: -1, 0, 1;
                           // cylinder: -1, 1: which end, 0: side
    int mask;              // box: bits of the axes along which it is flat
    int number;            // feature number of support.c
} trxi_piece;

/// The piece that contains the points of the simplex, `ids` among `count`, with outward normal n. `locked`: number of
/// flat directions of the other core's piece.
void trxi_piece_guess(const trxi_core *core, int count, const int *ids, const double n[3], int locked, trxi_piece *piece);

/// x(n); Sigma (3 x 3) when it is not NULL.
void trxi_piece_point(const trxi_piece *piece, const double n[3], double x[3], double Sigma[9]);

/// Sigma in the plane of the tangent vectors frame[0..2] and frame[3..5], unit and normal to n: 11, 12, 22. `x` is x(n).
void trxi_piece_tensor(const trxi_piece *piece, const double n[3], const double x[3], const double frame[6], double Sigma[3]);

/// If the core reaches farther along n than x(n), by more than `tolerance` [m], widens the piece to include the
/// farther point. Returns whether the piece changed.
bool trxi_piece_widen(trxi_piece *piece, const double n[3], const double x[3], int locked, double tolerance);

/// If x is beyond an end of the piece by more than `tolerance` [m], changes to the piece at this end. Returns whether
/// the piece changed.
bool trxi_piece_narrow(trxi_piece *piece, const double x[3], double tolerance);

/// Replaces the rim of a cylinder by its flat end.
void trxi_piece_set_end(trxi_piece *rim);

/// Replaces the piece by a material point x.
void trxi_piece_restrict(trxi_piece *piece, const double x[3]);

/// Distance of x from the ends of the piece [m].
double trxi_piece_room(const trxi_piece *piece, const double x[3]);

enum { TRXI_MAX_TURNS = 64 };

/// The directions in which n can turn until another piece takes over: sine of the angle and the direction (unit
/// vector; only its part normal to n matters). Returns their number; for a hull's vertex with many neighbours only
/// the first ones.
int trxi_piece_turns(const trxi_piece *piece, const double n[3], double angle[TRXI_MAX_TURNS],
                     double direction[TRXI_MAX_TURNS][3]);

#endif
