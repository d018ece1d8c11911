// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Any two convex shapes: cores swept by balls (theory 6). The search on the cores (gjk.c where they are apart, epa.c where they
// overlap) says which pieces decide, witness.c gives their nearest points to round-off, witness_deriv.c how these move.
// Faces and edges that lie along each other have several points (flush.c). If no pieces are found that hold the points, or
// another way out of an overlap might be shorter, the search goes on nearer to the solution, twice; after that, if there are no
// pieces, its own points and normal stand, held fixed to both shapes, with tie 0. Costs about 1 us for boxes and capsules, 2 to
// 3 us where a side is curved.

#include "geometry/flush.h"
#include "geometry/pairs.h"

// the nearest points; false when phi is certainly not below the margin
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
    // another way out may be shorter than this one
    *sure = w->settled && (pair->smooth == 0 || w->d >= -out.rival);
    *tie = out.tie;
    return true;
}

int trxi_collide_convex(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                        trxi_contact_point *points)
{
    // about A's centre, so that the world's origin may be far away
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
