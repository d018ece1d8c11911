// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Properties of a piece: its points, their curvature, and the range of its normals; see piece.h and theory 6.
// piece_change.c finds the piece.

#include "geometry/piece.h"

#include "math/vec3.h"

// Sigma = s t t^T with t = axis x radial, both unit vectors
static void ring_tensor(const double axis[3], const double radial[3], double s, double Sigma[9])
{
    double t[3];
    trxi_cross3(axis, radial, t);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) Sigma[i + 3 * j] = s * t[i] * t[j];
}

static void ellipsoid_point(const trxi_core *core, const double n[3], double x[3], double Sigma[9])
{
    double l[3], s[3], local[3], M[9], half[9];
    trxi_mulv3_t(core->R, n, l);
    for (int i = 0; i < 3; i++) s[i] = core->h[i] * l[i];
    double h = trxi_norm3(s);
    for (int i = 0; i < 3; i++) local[i] = core->h[i] * s[i] / h;
    trxi_core_to_world(core, local, x);
    if (!Sigma) return;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            M[i + 3 * j] = ((i == j ? core->h[i] * core->h[i] : 0) - local[i] * local[j]) / h;
    trxi_mul33(core->R, M, half);
    trxi_mul33_bt(half, core->R, Sigma);
}

void trxi_piece_point(const trxi_piece *piece, const double n[3], double x[3], double Sigma[9])
{
    const trxi_core *core = piece->core;
    if (piece->kind == TRXI_PIECE_SMOOTH) {
        ellipsoid_point(core, n, x, Sigma);
        return;
    }
    trxi_copy3(piece->x0, x);
    if (piece->kind == TRXI_PIECE_FIXED) {
        if (Sigma)
            for (int i = 0; i < 9; i++) Sigma[i] = 0;
        return;
    }
    // the direction from the axis; if n is nearly along the axis, the core's x axis
    double radial[3];
    trxi_scale3(trxi_dot3(core->R, n), core->R, radial);
    trxi_axpy3(trxi_dot3(core->R + 3, n), core->R + 3, radial);
    double across = trxi_normalize3(radial, radial);
    if (!(across > 0)) trxi_copy3(core->R, radial);
    trxi_axpy3(core->h[0], radial, x);
    if (Sigma) ring_tensor(core->R + 6, radial, across > 0 ? core->h[0] / across : 0, Sigma);
}

void trxi_piece_tensor(const trxi_piece *piece, const double n[3], const double x[3], const double frame[6], double Sigma[3])
{
    const trxi_core *core = piece->core;
    Sigma[0] = Sigma[1] = Sigma[2] = 0;
    if (piece->kind == TRXI_PIECE_FIXED) return;
    double arm[3], s[2][3], along[2], l[3];
    trxi_mulv3_t(core->R, n, l);
    if (piece->kind != TRXI_PIECE_SMOOTH) {
        // t = axis x radial
        double across = hypot(l[0], l[1]);
        if (!(across > 0)) return;
        trxi_scale3(-l[1] / across, core->R, arm);
        trxi_axpy3(l[0] / across, core->R + 3, arm);
        for (int k = 0; k < 2; k++) along[k] = trxi_dot3(arm, frame + 3 * k);
        double r = core->h[0] / across;
        Sigma[0] = r * along[0] * along[0], Sigma[1] = r * along[0] * along[1], Sigma[2] = r * along[1] * along[1];
        return;
    }
    trxi_sub3(x, core->p, arm);
    for (int i = 0; i < 3; i++) l[i] *= core->h[i];
    double h = trxi_norm3(l);
    for (int k = 0; k < 2; k++) {
        trxi_mulv3_t(core->R, frame + 3 * k, s[k]);
        for (int i = 0; i < 3; i++) s[k][i] *= core->h[i];
        along[k] = trxi_dot3(arm, frame + 3 * k);
    }
    Sigma[0] = (trxi_dot3(s[0], s[0]) - along[0] * along[0]) / h;
    Sigma[1] = (trxi_dot3(s[0], s[1]) - along[0] * along[1]) / h;
    Sigma[2] = (trxi_dot3(s[1], s[1]) - along[1] * along[1]) / h;
}

void trxi_piece_restrict(trxi_piece *piece, const double x[3])
{
    piece->kind = TRXI_PIECE_FIXED;
    piece->nflat = 0;
    piece->restricted = true;
    trxi_copy3(x, piece->x0);
}

static int hull_turns(const trxi_piece *piece, const double l[3], double *angle, double direction[][3])
{
    // neighbours of the vertex, or of both ends of the edge without the edge
    const trxi_hull *hull = piece->core->hull;
    const double *ends[2] = {hull->vertices + 3 * piece->corner, NULL};
    double along[3] = {0, 0, 0};
    int count = 0;
    if (piece->nflat == 1) {
        trxi_hull_edge_ends(hull, piece->corner, &ends[0], &ends[1]);
        trxi_sub3(ends[1], ends[0], along);
        trxi_normalize3(along, along);
    }
    for (int end = 0; end < 2 && ends[end]; end++) {
        int vertex = (int)(ends[end] - hull->vertices) / 3;
        for (int k = hull->neighbour_start[vertex]; k < hull->neighbour_start[vertex + 1] && count < TRXI_MAX_TURNS; k++) {
            const double *other = hull->vertices + 3 * hull->neighbours[k];
            double e[3];
            if (other == ends[1 - end]) continue;
            trxi_sub3(other, ends[end], e);
            trxi_axpy3(-trxi_dot3(e, along), along, e);
            if (!(trxi_normalize3(e, e) > 0)) continue;
            angle[count] = fmax(0, -trxi_dot3(e, l));
            trxi_mulv3(piece->core->R, e, direction[count++]);
        }
    }
    return count;
}

int trxi_piece_turns(const trxi_piece *piece, const double n[3], double angle[TRXI_MAX_TURNS],
                     double direction[TRXI_MAX_TURNS][3])
{
    const trxi_core *core = piece->core;
    if (piece->restricted || piece->nflat == 2) return 0;
    double l[3];
    int count = 0;
    trxi_mulv3_t(core->R, n, l);
    switch (core->kind) {
    case TRXI_CORE_POINT:
    case TRXI_CORE_ELLIPSOID: break;
    case TRXI_CORE_SEGMENT:
        if (piece->nflat == 0) {
            angle[count] = fabs(l[2]);
            trxi_copy3(core->R + 6, direction[count++]);
        }
        break;
    case TRXI_CORE_BOX:
        for (int i = 0; i < 3; i++) {
            if (piece->mask >> i & 1) continue;
            angle[count] = fabs(l[i]);
            trxi_copy3(core->R + 3 * i, direction[count++]);
        }
        break;
    case TRXI_CORE_HULL: count = hull_turns(piece, l, angle, direction); break;
    case TRXI_CORE_CYLINDER:
        if (piece->kind == TRXI_PIECE_RIM) {
            angle[0] = fabs(l[2]);
            angle[1] = hypot(l[0], l[1]);
            trxi_copy3(core->R + 6, direction[0]);
            trxi_copy3(core->R + 6, direction[1]);
            count = 2;
        }
        break;
    }
    return count;
}
