// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Any two convex shapes: cores grown by balls (theory 6). A search on the cores (gjk.c for a gap, epa.c for an
// overlap) finds the pieces that hold the nearest points. witness.c computes these points to round-off,
// witness_deriv.c their derivatives. Parallel faces and edges have several points (flush.c). If no pieces hold the
// points, or another way out of an overlap might be shorter, the search is repeated up to twice with smaller
// tolerances. If pieces are still missing, the contact has the points and the normal of the search, fixed to both
// shapes, with tie 0. Costs about 1 us for boxes and capsules, 2 to 3 us with a curved side.

#include "geometry/pairs.h"
#include "geometry/witness.h"

// finds the nearest points; false when phi is certainly not below the margin
static bool find(trxi_core_pair *pair, double reach, trxi_witness *w, double *tie, bool *sure)
{
    trxi_simplex simplex;
    double n[3];
    trxi_way_out out = {.bound = 0, .rival = INFINITY, .tie = INFINITY};
    trxi_gjk_answer answer = trxi_gjk(pair, reach, &simplex, n);
    if (answer == TRXI_GJK_BEYOND) return false;
    if (answer == TRXI_GJK_OVERLAP) {
        out = trxi_epa(pair, &simplex, n);
        trxi_scale3(-1, n, n);
    }
    trxi_witness_find(pair, &simplex, n, -out.bound, w);
    // whether another way out may be shorter
    *sure = w->settled && (pair->smooth == 0 || w->d >= -out.rival);
    *tie = out.tie;
    return true;
}

int trxi_collide_convex(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                        trxi_contact_point *points)
{
    // about A's centre, so that a distant origin of the world costs no digits
    static const double origin[3] = {0, 0, 0};
    double centre[3], tie;
    bool sure;
    trxi_core core_A = trxi_core_of(A), core_B = trxi_core_of(B);
    trxi_sub3(B->p, A->p, centre);
    core_A.p = origin, core_B.p = centre;
    trxi_core_pair pair = trxi_core_pair_of(&core_A, &core_B);
    trxi_witness w;
    do {
        if (!find(&pair, margin + core_A.radius + core_B.radius, &w, &tie, &sure)) return 0;
    } while (!sure && ++pair.effort < 3);

    int count = trxi_flush_points(&w, A->p, margin, derivatives, points);
    if (count < 0) {
        count = w.d - core_A.radius - core_B.radius < margin;
        if (count) trxi_witness_contact(&w, A->p, derivatives, points);
    }
    for (int k = 0; k < count; k++) points[k].tie = fmin(points[k].tie, tie);
    return count;
}
