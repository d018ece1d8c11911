// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Approximate nearest points of two cores from their difference C = {b - a} (theory 6). The distance of the pair is
// the distance of C from the origin, and the depth of an overlap is the distance of the origin from C's surface. Both
// searches use support points only. Their result tells which pieces of the cores hold the nearest points; witness.h
// makes the points exact.

#ifndef TRXI_GEOMETRY_GJK_H
#define TRXI_GEOMETRY_GJK_H

#include "geometry/support.h"

/// Points of C: w = b - a, each with the numbers of its support points.
typedef struct trxi_simplex {
    int count;
    double w[4][3], a[4][3]; // [m]
    int id_A[4], id_B[4];
    double lambda[4];        // weights of the nearest point, not negative, sum 1
} trxi_simplex;

typedef struct trxi_core_pair {
    const trxi_core *A, *B;
    double scale;         // largest length: sizes and distance of centres [m]
    double smooth;        // smallest radius or half length of the smooth cores; 0 when both are polytopes [m]
    int effort;           // 0, 1, 2: accuracy at which a search on smooth cores ends
    int start_A, start_B; // start vertices of climbing on hulls
} trxi_core_pair;

typedef enum trxi_gjk_answer { TRXI_GJK_BEYOND, TRXI_GJK_APART, TRXI_GJK_OVERLAP } trxi_gjk_answer;

trxi_core_pair trxi_core_pair_of(const trxi_core *A, const trxi_core *B);

/// Support point of C along d, as point `k` of the simplex.
void trxi_difference_support(trxi_core_pair *pair, const double d[3], int k, trxi_simplex *simplex);

/// BEYOND: the distance is at least `reach` [m]. APART: the nearest point of C is the nearest point of `simplex`,
/// with unit vector n from the origin to it. OVERLAP: the cores overlap, or touch to rounding; the simplex is near
/// the origin.
trxi_gjk_answer trxi_gjk(trxi_core_pair *pair, double reach, trxi_simplex *simplex, double n[3]);

typedef struct trxi_way_out {
    double bound; // the depth is at most this [m]
    double rival; // lower bound of the depth in directions away from n [m]
    double tie;   // estimate of the distance to the state in which another part of the surface is as near [m]
} trxi_way_out;

/// For cores that overlap: the triangle of C's surface nearest to the origin (3 points in `simplex`, which on entry
/// holds the result of trxi_gjk) and its outward unit normal n: the normal of the contact is -n.
trxi_way_out trxi_epa(trxi_core_pair *pair, trxi_simplex *simplex, double n[3]);

#endif
