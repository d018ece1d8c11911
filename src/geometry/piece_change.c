// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The choice of a core's piece; see piece.h and theory 6. Pieces change into their neighbours: a vertex into the edge
// towards the point that reaches farther, an edge into a face, a rim into the side or the end of its cylinder. The
// reverse happens when a nearest point leaves its piece.

#include "geometry/piece.h"

#include "math/vec3.h"

static const int power_of_three[3] = {1, 3, 9};
static const double nearly = 1e-3; // sine of the angle within which a cylinder first counts as lying flat
static const double flush = 1e-12; // the same sine when flat directions of the other core determine the normal

static void to_local(const trxi_core *core, const double x[3], double local[3])
{
    double arm[3];
    trxi_sub3(x, core->p, arm);
    trxi_mulv3_t(core->R, arm, local);
}

static void set_fixed(trxi_piece *piece, int nflat, int number)
{
    piece->kind = TRXI_PIECE_FIXED;
    piece->nflat = nflat;
    piece->number = number;
    piece->restricted = false;
}

static void set_box(trxi_piece *piece, int corner, int mask)
{
    const trxi_core *core = piece->core;
    double local[3];
    set_fixed(piece, 0, 0);
    piece->corner = corner;
    piece->mask = mask;
    for (int i = 0; i < 3; i++) {
        bool flat = mask >> i & 1, positive = corner >> i & 1;
        local[i] = flat ? 0 : positive ? core->h[i] : -core->h[i];
        if (flat) trxi_copy3(core->R + 3 * i, piece->flat[piece->nflat++]);
        else piece->number += (positive ? 2 : 1) * power_of_three[i];
    }
    trxi_core_to_world(core, local, piece->x0);
}

// end: -1, 0 (inside), 1
static void set_segment(trxi_piece *piece, int end)
{
    const trxi_core *core = piece->core;
    set_fixed(piece, end == 0, end + 1);
    piece->corner = end;
    trxi_copy3(core->p, piece->x0);
    trxi_axpy3(end * core->h[2], core->R + 6, piece->x0);
    trxi_copy3(core->R + 6, piece->flat[0]);
}

static void set_side(trxi_piece *piece)
{
    set_segment(piece, 0);
    piece->kind = TRXI_PIECE_SIDE;
    piece->number = 0;
}

static void set_rim(trxi_piece *piece, int end)
{
    set_segment(piece, end);
    piece->kind = TRXI_PIECE_RIM;
    piece->number = end < 0 ? 1 : 2;
}

static void set_end(trxi_piece *piece, int end)
{
    set_segment(piece, end);
    piece->nflat = 2;
    piece->number = end < 0 ? 3 : 4;
    trxi_copy3(piece->core->R, piece->flat[0]);
    trxi_copy3(piece->core->R + 3, piece->flat[1]);
}

void trxi_piece_set_end(trxi_piece *rim)
{
    set_end(rim, rim->corner);
}

static void set_vertex(trxi_piece *piece, int vertex)
{
    set_fixed(piece, 0, vertex);
    piece->corner = vertex;
    trxi_core_to_world(piece->core, piece->core->hull->vertices + 3 * vertex, piece->x0);
}

static void set_edge(trxi_piece *piece, int edge)
{
    const trxi_hull *hull = piece->core->hull;
    const double *low, *high;
    double e[3];
    trxi_hull_edge_ends(hull, edge, &low, &high);
    set_fixed(piece, 1, hull->nvertex + edge);
    piece->corner = edge;
    trxi_sub3(high, low, e);
    trxi_normalize3(e, e);
    trxi_mulv3(piece->core->R, e, piece->flat[0]);
    trxi_core_to_world(piece->core, low, piece->x0);
}

static void set_face(trxi_piece *piece, int f)
{
    const trxi_core *core = piece->core;
    const trxi_hull *hull = core->hull;
    double local[3], n[3], frame[9];
    set_fixed(piece, 2, hull->nvertex + hull->nneighbour + f);
    piece->corner = f;
    trxi_mulv3(core->R, hull->faces + 4 * f, n);
    trxi_frame33(n, frame);
    trxi_copy3(frame, piece->flat[0]);
    trxi_copy3(frame + 3, piece->flat[1]);
    trxi_scale3(hull->faces[4 * f + 3], hull->faces + 4 * f, local);
    trxi_core_to_world(core, local, piece->x0);
}

static void set_nearest_face(trxi_piece *piece, const double n[3])
{
    double local[3];
    trxi_mulv3_t(piece->core->R, n, local);
    set_face(piece, trxi_hull_face(piece->core->hull, local));
}

static void guess_box(trxi_piece *piece, int count, const int *ids, const double n[3])
{
    int mask = 0;
    for (int i = 1; i < count; i++) mask |= ids[0] ^ ids[i];
    int corner = ids[0];
    if (mask == 7) {
        // no piece is flat along all three axes: drop the axis nearest to n
        double along[3];
        trxi_mulv3_t(piece->core->R, n, along);
        int top = fabs(along[1]) > fabs(along[0]) ? 1 : 0;
        if (fabs(along[2]) > fabs(along[top])) top = 2;
        mask &= ~(1 << top);
        corner = along[top] >= 0 ? corner | 1 << top : corner & ~(1 << top);
    }
    set_box(piece, corner, mask);
}

static void guess_hull(trxi_piece *piece, int count, const int *ids, const double n[3])
{
    int first = ids[0], second = -1;
    bool more = false;
    for (int i = 1; i < count; i++) {
        if (ids[i] == first || ids[i] == second) continue;
        if (second >= 0) more = true;
        else second = ids[i];
    }
    int edge = second >= 0 ? trxi_hull_edge(piece->core->hull, first, second) : -1;
    if (second < 0) set_vertex(piece, first);
    else if (!more && edge >= 0) set_edge(piece, edge);
    else set_nearest_face(piece, n);
}

static void guess_cylinder(trxi_piece *piece, const double n[3], int locked)
{
    double along[3];
    trxi_mulv3_t(piece->core->R, n, along);
    int end = along[2] >= 0 ? 1 : -1;
    if (hypot(along[0], along[1]) < (locked ? flush : nearly)) set_end(piece, end);
    else if (fabs(along[2]) < (locked == 2 ? flush : nearly)) set_side(piece);
    else set_rim(piece, end);
}

void trxi_piece_guess(const trxi_core *core, int count, const int *ids, const double n[3], int locked, trxi_piece *piece)
{
    piece->core = core;
    piece->mask = piece->corner = 0;
    switch (core->kind) {
    case TRXI_CORE_POINT:
        set_fixed(piece, 0, 0);
        trxi_copy3(core->p, piece->x0);
        break;
    case TRXI_CORE_ELLIPSOID:
        set_fixed(piece, 0, 0);
        piece->kind = TRXI_PIECE_SMOOTH;
        break;
    case TRXI_CORE_SEGMENT: {
        int sum = 0;
        for (int i = 0; i < count; i++) sum += ids[i];
        set_segment(piece, sum == 0 ? -1 : sum == count ? 1 : 0);
        break;
    }
    case TRXI_CORE_BOX: guess_box(piece, count, ids, n); break;
    case TRXI_CORE_HULL: guess_hull(piece, count, ids, n); break;
    case TRXI_CORE_CYLINDER: guess_cylinder(piece, n, locked); break;
    }
}

// the smallest piece with this support point
static void guess_corner(trxi_piece *piece, int id)
{
    switch (piece->core->kind) {
    case TRXI_CORE_SEGMENT: set_segment(piece, id ? 1 : -1); break;
    case TRXI_CORE_BOX: set_box(piece, id, 0); break;
    case TRXI_CORE_HULL: set_vertex(piece, id); break;
    case TRXI_CORE_CYLINDER: set_rim(piece, id ? 1 : -1); break;
    case TRXI_CORE_POINT:
    case TRXI_CORE_ELLIPSOID: break;
    }
}

// a box's piece with one more corner
static void widen_box(trxi_piece *piece, int id)
{
    int mask = piece->mask | ((piece->corner ^ id) & 7);
    if (mask == 7) mask = (piece->corner ^ id) & ~piece->mask & 7;
    set_box(piece, id, mask == 7 ? 0 : mask);
}

// chooses, of the two faces at the edge, the face whose normal is nearer to n
static void set_face_at(trxi_piece *piece, const double n[3])
{
    const trxi_hull *hull = piece->core->hull;
    const double *low, *high;
    double l[3], most = -INFINITY;
    int best = 0;
    trxi_hull_edge_ends(hull, piece->corner, &low, &high);
    int i = (int)(low - hull->vertices) / 3, j = (int)(high - hull->vertices) / 3;
    trxi_mulv3_t(piece->core->R, n, l);
    for (int f = 0; f < hull->nface; f++) {
        double along = trxi_dot3(hull->faces + 4 * f, l);
        if (!(along > most)) continue;
        bool has_i = false, has_j = false;
        for (int k = hull->face_start[f]; k < hull->face_start[f + 1]; k++) {
            has_i = has_i || hull->loops[k] == i;
            has_j = has_j || hull->loops[k] == j;
        }
        if (has_i && has_j) most = along, best = f;
    }
    set_face(piece, best);
}

// a hull's piece with one more vertex
static void widen_hull(trxi_piece *piece, int id, const double n[3])
{
    const trxi_hull *hull = piece->core->hull;
    if (piece->nflat == 1) {
        set_face_at(piece, n);
        return;
    }
    int edge = piece->nflat == 0 ? trxi_hull_edge(hull, piece->corner, id) : -1;
    if (edge >= 0) set_edge(piece, edge);
    else set_vertex(piece, id);
}

bool trxi_piece_widen(trxi_piece *piece, const double n[3], const double x[3], int locked, double tolerance)
{
    const trxi_core *core = piece->core;
    if (core->kind == TRXI_CORE_POINT || core->kind == TRXI_CORE_ELLIPSOID) return false;
    double far[3], gain[3];
    int start = core->kind == TRXI_CORE_HULL && piece->number < core->hull->nvertex ? piece->corner : 0;
    int id = trxi_core_support(core, start, n, far);
    trxi_sub3(far, x, gain);
    if (!(trxi_dot3(gain, n) > tolerance)) return false;

    if (piece->restricted) {
        guess_corner(piece, id);
        return true;
    }
    switch (core->kind) {
    case TRXI_CORE_SEGMENT: set_segment(piece, piece->corner == 0 ? (id ? 1 : -1) : 0); break;
    case TRXI_CORE_BOX: widen_box(piece, id); break;
    case TRXI_CORE_HULL: widen_hull(piece, id, n); break;
    case TRXI_CORE_CYLINDER:
        // beyond the edge of a rim is the side, unless the directions given by the other core exclude it
        if (piece->kind == TRXI_PIECE_RIM && locked < 2) set_side(piece);
        else set_rim(piece, id ? 1 : -1);
        break;
    case TRXI_CORE_POINT:
    case TRXI_CORE_ELLIPSOID: break;
    }
    return true;
}

// least distance of a point of a hull's face from the sides of the face; *side: position of the nearest side in the loop
static double face_room(const trxi_core *core, int f, const double local[3], int *side)
{
    const trxi_hull *hull = core->hull;
    const int *loop = hull->loops + hull->face_start[f];
    int n = hull->face_start[f + 1] - hull->face_start[f];
    double least = INFINITY;
    for (int k = 0; k < n; k++) {
        const double *p = hull->vertices + 3 * loop[k], *q = hull->vertices + 3 * loop[(k + 1) % n];
        double e[3], inward[3], arm[3];
        trxi_sub3(q, p, e);
        trxi_cross3(hull->faces + 4 * f, e, inward);
        trxi_normalize3(inward, inward);
        trxi_sub3(local, p, arm);
        double room = trxi_dot3(arm, inward);
        if (room < least) least = room, *side = k;
    }
    return least;
}

// distance of x inside the piece, and for a box or hull the end nearest to it
static double room(const trxi_piece *piece, const double x[3], double local[3], int *where)
{
    const trxi_core *core = piece->core;
    if (piece->restricted || piece->nflat == 0) return INFINITY;
    to_local(core, x, local);
    if (core->kind == TRXI_CORE_BOX) {
        double least = INFINITY;
        for (int i = 0; i < 3; i++)
            if (piece->mask >> i & 1 && core->h[i] - fabs(local[i]) < least)
                least = core->h[i] - fabs(local[i]), *where = i;
        return least;
    }
    if (core->kind != TRXI_CORE_HULL)
        return piece->nflat == 2 ? core->h[0] - hypot(local[0], local[1]) : core->h[2] - fabs(local[2]);
    const trxi_hull *hull = core->hull;
    if (piece->nflat == 2) return face_room(core, piece->corner, local, where);
    const double *low, *high;
    double e[3], arm[3];
    trxi_hull_edge_ends(hull, piece->corner, &low, &high);
    trxi_sub3(high, low, e);
    trxi_sub3(local, low, arm);
    double length = trxi_norm3(e), along = trxi_dot3(arm, e) / length;
    *where = along > 0.5 * length;
    return fmin(along, length - along);
}

double trxi_piece_room(const trxi_piece *piece, const double x[3])
{
    double local[3];
    int where = 0;
    return fmax(0, room(piece, x, local, &where));
}

bool trxi_piece_narrow(trxi_piece *piece, const double x[3], double tolerance)
{
    const trxi_core *core = piece->core;
    double local[3] = {0};
    int where = 0;
    if (!(room(piece, x, local, &where) < -tolerance)) return false;
    switch (core->kind) {
    case TRXI_CORE_BOX: {
        int bit = 1 << where;
        set_box(piece, local[where] > 0 ? piece->corner | bit : piece->corner & ~bit, piece->mask & ~bit);
        break;
    }
    case TRXI_CORE_HULL: {
        const trxi_hull *hull = core->hull;
        if (piece->nflat == 2) {
            const int *loop = hull->loops + hull->face_start[piece->corner];
            int count = hull->face_start[piece->corner + 1] - hull->face_start[piece->corner];
            int i = loop[where], j = loop[(where + 1) % count], edge = trxi_hull_edge(hull, i, j);
            if (edge >= 0) set_edge(piece, edge);
            else set_vertex(piece, i);
        } else {
            const double *low, *high;
            trxi_hull_edge_ends(hull, piece->corner, &low, &high);
            set_vertex(piece, (int)((where ? high : low) - hull->vertices) / 3);
        }
        break;
    }
    case TRXI_CORE_SEGMENT: set_segment(piece, local[2] > 0 ? 1 : -1); break;
    case TRXI_CORE_CYLINDER:
        if (piece->nflat == 2) set_rim(piece, piece->corner);
        else set_rim(piece, local[2] > 0 ? 1 : -1);
        break;
    case TRXI_CORE_POINT:
    case TRXI_CORE_ELLIPSOID: break;
    }
    return true;
}
