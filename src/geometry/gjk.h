// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The nearest points of two cores, roughly: by their difference C = {b - a} (theory 6). The pair's distance is that of C from
// the origin, the depth of an overlap the distance of the origin from C's surface. Both searches ask for support points only;
// what they find tells which pieces of the cores decide, and witness.h makes it exact.

#ifndef TRXI_GEOMETRY_GJK_H
#define TRXI_GEOMETRY_GJK_H

#include "geometry/support.h"

/// Points of C: w = b - a, each with the numbers of its support points.
typedef struct trxi_simplex {
    int count;
    double w[4][3], a[4][3]; // [m]
    int id_A[4], id_B[4];
    double lambda[4];        // weights of the nearest point, all positive, sum 1
} trxi_simplex;

typedef struct trxi_core_pair {
    const trxi_core *A, *B;
    double scale;         // largest length that enters: sizes and distance of centres [m]
    double smooth;        // smallest radius or half length of the smooth cores; 0 when both are polytopes [m]
    int effort;           // 0, 1, 2: how near to the solution a search on smooth cores ends
    int start_A, start_B; // where climbing on a hull begins
} trxi_core_pair;

typedef enum trxi_gjk_answer { TRXI_GJK_BEYOND, TRXI_GJK_APART, TRXI_GJK_OVERLAP } trxi_gjk_answer;

trxi_core_pair trxi_core_pair_of(const trxi_core *A, const trxi_core *B);

/// Support point of C along d, as point `k` of the simplex.
void trxi_difference_support(trxi_core_pair *pair, const double d[3], int k, trxi_simplex *simplex);

/// BEYOND: the distance is at least `reach` [m]. APART: the nearest point of C is that of `simplex`, with unit vector n from
/// the origin to it. OVERLAP: the cores overlap, or touch as far as can be told; the simplex is near the origin.
trxi_gjk_answer trxi_gjk(trxi_core_pair *pair, double reach, trxi_simplex *simplex, double n[3]);

typedef struct trxi_way_out {
    double bound; // the depth is at most this [m]
    double rival; // and at least this anywhere but beside n [m]
    double tie;   // estimate of how far the origin is from being as near to another part of the surface [m]
} trxi_way_out;

/// For cores that overlap: the triangle of C's surface nearest to the origin (3 points in `simplex`, which on entry holds
/// what trxi_gjk left) and its outward unit normal n: the normal of the contact is -n.
trxi_way_out trxi_epa(trxi_core_pair *pair, trxi_simplex *simplex, double n[3]);

#endif
