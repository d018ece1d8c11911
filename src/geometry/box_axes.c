// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Axes that can separate two boxes (theory 6): the normals of the faces of A and of B and, for each edge direction of A
// and each of B, the direction normal to both [Gottschalk, Lin, Manocha 1996]. With t from centre to centre, l a unit
// axis,
//
//     separation = |t . l| - sum_i h_A,i |a_i . l| - sum_j h_B,j |b_j . l|
//
// which is a lower bound of the distance of the boxes. If they overlap, the largest separation is minus the depth of
// the overlap, and its axis is the direction of the shortest way out. Nearly parallel edges are left out: the way out
// along their common normal differs from the way out along a face by less than 1e-3 of an edge, and the derivatives of
// this normal grow without bound.

#include "geometry/box_pair.h"

#include "math/vec3.h"

static const double least_sine = 1e-3;

trxi_box_pair trxi_box_pair_of(const trxi_placed_shape *A, const trxi_placed_shape *B)
{
    trxi_box_pair pair = {.A = trxi_core_of(A), .B = trxi_core_of(B), .least = INFINITY};
    double offset[3];
    trxi_sub3(B->p, A->p, offset);
    trxi_mul33_at(A->R, B->R, pair.C);
    trxi_mulv3_t(A->R, offset, pair.t);
    trxi_mulv3_t(B->R, offset, pair.t_B);
    for (int i = 0; i < 3; i++) {
        pair.least = fmin(pair.least, pair.A.h[i]);
        if (pair.B.h[i] > 0) pair.least = fmin(pair.least, pair.B.h[i]);
    }
    return pair;
}

int trxi_box_face_axes(const trxi_box_pair *pair, double reach, trxi_box_axis *axes)
{
    const double *C = pair->C, *hA = pair->A.h, *hB = pair->B.h;
    int count = 0;
    for (int i = 0; i < 3; i++) {
        trxi_box_axis *axis = &axes[count++];
        double sign = pair->t[i] < 0 ? -1 : 1;
        *axis = (trxi_box_axis){.a = i, .b = -1};
        axis->n[i] = sign;
        axis->separation = sign * pair->t[i] - hA[i] - hB[0] * fabs(C[i]) - hB[1] * fabs(C[i + 3]) - hB[2] * fabs(C[i + 6]);
        if (axis->separation >= reach) return 0;
    }
    if (pair->B.kind != TRXI_CORE_BOX) return count;
    for (int j = 0; j < 3; j++) {
        trxi_box_axis *axis = &axes[count++];
        const double *c = C + 3 * j, sign = pair->t_B[j] < 0 ? -1 : 1;
        *axis = (trxi_box_axis){.a = -1, .b = j};
        trxi_scale3(sign, c, axis->n);
        axis->separation = sign * pair->t_B[j] - hB[j] - hA[0] * fabs(c[0]) - hA[1] * fabs(c[1]) - hA[2] * fabs(c[2]);
        if (axis->separation >= reach) return 0;
    }
    return count;
}

int trxi_box_edge_axes(const trxi_box_pair *pair, double reach, trxi_box_axis *axes, int count)
{
    const double *C = pair->C, *hA = pair->A.h, *hB = pair->B.h;
    for (int j = pair->B.kind == TRXI_CORE_BOX ? 0 : 2; j < 3; j++) {
        const double *c = C + 3 * j, *c1 = C + 3 * ((j + 1) % 3), *c2 = C + 3 * ((j + 2) % 3);
        for (int i = 0; i < 3; i++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            double square = c[i1] * c[i1] + c[i2] * c[i2];
            if (square < least_sine * least_sine) continue;
            // a_i x b_j has the components 0, -c[i2], c[i1]
            double along = pair->t[i2] * c[i1] - pair->t[i1] * c[i2], scale = (along < 0 ? -1 : 1) / sqrt(square);
            double extent = hA[i1] * fabs(c[i2]) + hA[i2] * fabs(c[i1])
                          + hB[(j + 1) % 3] * fabs(c2[i]) + hB[(j + 2) % 3] * fabs(c1[i]);
            trxi_box_axis *axis = &axes[count];
            axis->separation = scale * along - fabs(scale) * extent;
            if (axis->separation >= reach) return 0;
            axis->n[i] = 0;
            axis->n[i1] = -scale * c[i2];
            axis->n[i2] = scale * c[i1];
            axis->a = i, axis->b = j;
            count++;
        }
    }
    return count;
}
