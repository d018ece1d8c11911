// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Support points and supporting faces of convex cores (theory 6). In the frame of a core with d the direction,
//
//     box         x_i = sign(d_i) h_i                     cylinder    x = r (d_x, d_y)/|(d_x, d_y)| + sign(d_z) h e_z
//     ellipsoid   x_i = h_i^2 d_i / |(h_j d_j)|           segment     x = sign(d_z) h e_z
//
// and for a hull the vertex that is reached from the given vertex by moving to the best neighbour until none is
// better. A local maximum of a linear function over a convex polytope is a global one. Small hulls are searched
// completely.
//
// features: box: sum of 3^i k_i, k_i = 0 where the piece runs along axis i, 1 where it is at the lower side, 2 at the upper;
// segment: 0 lower end, 1 inside, 2 upper end; cylinder: 0 side, 1 and 2 lower and upper rim, 3 and 4 lower and upper end;
// hull: vertices, then edges (as entries of `neighbours`, at the vertex of smaller number), then faces.

#include "geometry/support.h"

#include "math/vec3.h"

static const int power_of_three[3] = {1, 3, 9};
static const int small_hull = 12; // vertices: searched completely rather than climbed

trxi_core trxi_core_of(const trxi_placed_shape *placed)
{
    const trx_shape *s = placed->shape;
    trxi_core core = {.R = placed->R, .p = placed->p, .radius = s->rounding};
    switch (s->type) {
    case TRX_SHAPE_HALFSPACE:
    case TRX_SHAPE_HEIGHT_FIELD: break;
    case TRX_SHAPE_MESH:
        core.kind = TRXI_CORE_HULL;
        core.hull = s->hull;
        break;
    case TRX_SHAPE_BOX:
        core.kind = TRXI_CORE_BOX;
        trxi_scale3(0.5, s->size, core.h);
        break;
    case TRX_SHAPE_CYLINDER:
        core.kind = TRXI_CORE_CYLINDER;
        trxi_set3(s->radius, s->radius, s->length / 2, core.h);
        break;
    case TRX_SHAPE_ELLIPSOID:
        core.kind = TRXI_CORE_ELLIPSOID;
        trxi_scale3(0.5, s->size, core.h);
        break;
    case TRX_SHAPE_CAPSULE:
        core.kind = TRXI_CORE_SEGMENT;
        core.h[2] = s->length / 2;
        core.radius = s->radius;
        break;
    case TRX_SHAPE_SPHERE:
        core.kind = TRXI_CORE_POINT;
        core.radius = s->radius;
        break;
    }
    return core;
}

static int search_hull(const trxi_hull *hull, const double d[3])
{
    int best = 0;
    double most = trxi_dot3(hull->vertices, d);
    for (int i = 1; i < hull->nvertex; i++) {
        double along = trxi_dot3(hull->vertices + 3 * i, d);
        if (along > most) most = along, best = i;
    }
    return best;
}

int trxi_hull_climb(const trxi_hull *hull, int start, const double d[3])
{
    if (hull->nvertex <= small_hull) return search_hull(hull, d);
    int at = start, next = start;
    double most = trxi_dot3(hull->vertices + 3 * at, d);
    do {
        at = next;
        for (int k = hull->neighbour_start[at]; k < hull->neighbour_start[at + 1]; k++) {
            double along = trxi_dot3(hull->vertices + 3 * hull->neighbours[k], d);
            if (along > most) most = along, next = hull->neighbours[k];
        }
    } while (next != at);
    return at;
}

int trxi_core_support_local(const trxi_core *core, int start, const double d[3], double x[3])
{
    const double *h = core->h;
    int id = 0;
    switch (core->kind) {
    case TRXI_CORE_POINT: trxi_zero3(x); break;
    case TRXI_CORE_SEGMENT:
        id = d[2] >= 0;
        trxi_set3(0, 0, id ? h[2] : -h[2], x);
        break;
    case TRXI_CORE_BOX:
        for (int i = 0; i < 3; i++) {
            id |= (d[i] >= 0) << i;
            x[i] = d[i] >= 0 ? h[i] : -h[i];
        }
        break;
    case TRXI_CORE_CYLINDER: {
        double across = sqrt(d[0] * d[0] + d[1] * d[1]), scale = across > 0 ? h[0] / across : 0;
        id = d[2] >= 0;
        trxi_set3(across > 0 ? scale * d[0] : h[0], scale * d[1], id ? h[2] : -h[2], x);
        break;
    }
    case TRXI_CORE_ELLIPSOID: {
        double s[3] = {h[0] * d[0], h[1] * d[1], h[2] * d[2]}, scale = 1 / trxi_norm3(s);
        for (int i = 0; i < 3; i++) x[i] = scale * h[i] * s[i];
        break;
    }
    case TRXI_CORE_HULL:
        id = trxi_hull_climb(core->hull, start, d);
        trxi_copy3(core->hull->vertices + 3 * id, x);
        break;
    }
    return id;
}

int trxi_core_support(const trxi_core *core, int start, const double d[3], double x[3])
{
    double l[3], local[3];
    trxi_mulv3_t(core->R, d, l);
    int id = trxi_core_support_local(core, start, l, local);
    trxi_core_to_world(core, local, x);
    return id;
}

double trxi_core_size(const trxi_core *core)
{
    switch (core->kind) {
    case TRXI_CORE_POINT: return 0;
    case TRXI_CORE_SEGMENT: return core->h[2];
    case TRXI_CORE_BOX: return trxi_norm3(core->h);
    case TRXI_CORE_CYLINDER: return sqrt(core->h[0] * core->h[0] + core->h[2] * core->h[2]);
    case TRXI_CORE_ELLIPSOID: return fmax(core->h[0], fmax(core->h[1], core->h[2]));
    case TRXI_CORE_HULL: return core->hull->radius;
    }
    return 0;
}

bool trxi_core_is_straight(const trxi_core *core)
{
    return core->kind != TRXI_CORE_POINT && core->kind != TRXI_CORE_ELLIPSOID;
}

int trxi_core_features(const trxi_core *core)
{
    switch (core->kind) {
    case TRXI_CORE_POINT:
    case TRXI_CORE_ELLIPSOID: return 1;
    case TRXI_CORE_SEGMENT: return 3;
    case TRXI_CORE_BOX: return 27;
    case TRXI_CORE_CYLINDER: return 5;
    case TRXI_CORE_HULL: return core->hull->nvertex + core->hull->nneighbour + core->hull->nface;
    }
    return 1;
}

int trxi_hull_edge(const trxi_hull *hull, int i, int j)
{
    int low = i < j ? i : j, high = i < j ? j : i;
    for (int k = hull->neighbour_start[low]; k < hull->neighbour_start[low + 1]; k++)
        if (hull->neighbours[k] == high) return k;
    return -1;
}

void trxi_hull_edge_ends(const trxi_hull *hull, int edge, const double **low, const double **high)
{
    // the vertex whose neighbours hold the entry
    int lo = 0, hi = hull->nvertex - 1;
    while (lo < hi) {
        int middle = (lo + hi + 1) / 2;
        if (hull->neighbour_start[middle] <= edge) lo = middle;
        else hi = middle - 1;
    }
    *low = hull->vertices + 3 * lo;
    *high = hull->vertices + 3 * hull->neighbours[edge];
}

int trxi_hull_face(const trxi_hull *hull, const double d[3])
{
    int best = 0;
    double most = -INFINITY;
    for (int f = 0; f < hull->nface; f++) {
        double along = trxi_dot3(hull->faces + 4 * f, d);
        if (along > most) most = along, best = f;
    }
    return best;
}

// the pieces below are written in the frame of the core; trxi_supporting_face moves them to the world

static void put_point(const trxi_core *core, const double d[3], trxi_face *face)
{
    static const int end_feature[2] = {0, 2}, rim_feature[2] = {1, 2};
    int id = trxi_core_support_local(core, 0, d, face->x[0]);
    face->count = 1;
    face->feature = id;
    if (core->kind == TRXI_CORE_SEGMENT) face->feature = end_feature[id];
    if (core->kind == TRXI_CORE_CYLINDER) face->feature = rim_feature[id];
    if (core->kind != TRXI_CORE_BOX) return;
    face->feature = 0;
    for (int i = 0; i < 3; i++) face->feature += (id >> i & 1 ? 2 : 1) * power_of_three[i];
}

static void put_axis(const trxi_core *core, double ring, int feature, trxi_face *face)
{
    face->count = 2;
    face->ring = ring;
    face->feature = feature;
    trxi_set3(0, 0, -core->h[2], face->x[0]);
    trxi_set3(0, 0, core->h[2], face->x[1]);
}

static void box_face(const trxi_core *core, const double d[3], double sine, trxi_face *face)
{
    // axes along which d is largest and smallest
    int top = 0, flat = 0;
    for (int i = 1; i < 3; i++) {
        if (fabs(d[i]) > fabs(d[top])) top = i;
        if (fabs(d[i]) < fabs(d[flat])) flat = i;
    }
    int u = (top + 1) % 3, v = (top + 2) % 3;
    if (hypot(d[u], d[v]) <= sine) {
        static const int turn[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
        double side = d[top] >= 0 ? 1 : -1;
        face->count = 4;
        face->feature = (d[top] >= 0 ? 2 : 1) * power_of_three[top];
        trxi_zero3(face->normal);
        face->normal[top] = side;
        for (int k = 0; k < 4; k++) {
            face->x[k][top] = side * core->h[top];
            face->x[k][u] = side * turn[k][0] * core->h[u];
            face->x[k][v] = turn[k][1] * core->h[v];
        }
        return;
    }
    put_point(core, d, face);
    if (fabs(d[flat]) > sine) return;
    face->count = 2;
    face->feature -= power_of_three[flat] * (d[flat] >= 0 ? 2 : 1);
    trxi_copy3(face->x[0], face->x[1]);
    face->x[0][flat] = -core->h[flat];
    face->x[1][flat] = core->h[flat];
}

static void cylinder_face(const trxi_core *core, const double d[3], double sine, trxi_face *face)
{
    if (hypot(d[0], d[1]) <= sine) {
        double side = d[2] >= 0 ? 1 : -1, half = 0.70710678118654752440;
        const double c[8] = {1, half, 0, -half, -1, -half, 0, half};
        face->count = 8;
        face->feature = d[2] >= 0 ? 4 : 3;
        trxi_set3(0, 0, side, face->normal);
        for (int k = 0; k < 8; k++)
            trxi_set3(core->h[0] * c[k], side * core->h[0] * c[(k + 6) % 8], side * core->h[2], face->x[k]);
    } else if (fabs(d[2]) <= sine) put_axis(core, core->h[0], 0, face);
    else put_point(core, d, face);
}

static void hull_face(const trxi_hull *hull, const double d[3], double sine, trxi_face *face)
{
    int f = trxi_hull_face(hull, d);
    double turn[3];
    trxi_cross3(hull->faces + 4 * f, d, turn);
    if (trxi_dot3(hull->faces + 4 * f, d) > 0 && trxi_norm3(turn) <= sine) {
        // all corners, or some at equal steps
        int start = hull->face_start[f], n = hull->face_start[f + 1] - start;
        face->count = n < TRXI_MAX_FACE_POINTS ? n : TRXI_MAX_FACE_POINTS;
        face->feature = hull->nvertex + hull->nneighbour + f;
        trxi_copy3(hull->faces + 4 * f, face->normal);
        for (int k = 0; k < face->count; k++)
            trxi_copy3(hull->vertices + 3 * hull->loops[start + k * n / face->count], face->x[k]);
        return;
    }

    // the edge at the farthest vertex that is most nearly normal to d
    int at = trxi_hull_climb(hull, 0, d), other = -1;
    double least = sine;
    for (int k = hull->neighbour_start[at]; k < hull->neighbour_start[at + 1]; k++) {
        double e[3];
        trxi_sub3(hull->vertices + 3 * hull->neighbours[k], hull->vertices + 3 * at, e);
        double along = fabs(trxi_dot3(e, d)) / trxi_norm3(e);
        if (along <= least) least = along, other = hull->neighbours[k];
    }
    face->count = other < 0 ? 1 : 2;
    int low = other >= 0 && other < at ? other : at, high = low == at ? other : at;
    face->feature = other < 0 ? at : hull->nvertex + trxi_hull_edge(hull, at, other);
    trxi_copy3(hull->vertices + 3 * low, face->x[0]);
    if (other >= 0) trxi_copy3(hull->vertices + 3 * high, face->x[1]);
}

void trxi_supporting_face(const trxi_core *core, const double d[3], double sine, trxi_face *face)
{
    double l[3], x[3];
    trxi_mulv3_t(core->R, d, l);
    face->ring = 0;
    face->radius = core->radius;
    trxi_zero3(face->normal);
    trxi_zero3(face->axis);
    switch (core->kind) {
    case TRXI_CORE_BOX: box_face(core, l, sine, face); break;
    case TRXI_CORE_CYLINDER: cylinder_face(core, l, sine, face); break;
    case TRXI_CORE_HULL: hull_face(core->hull, l, sine, face); break;
    case TRXI_CORE_SEGMENT:
        if (fabs(l[2]) <= sine) put_axis(core, 0, 1, face);
        else put_point(core, l, face);
        break;
    case TRXI_CORE_POINT:
    case TRXI_CORE_ELLIPSOID: put_point(core, l, face); break;
    }

    // to the world
    for (int k = 0; k < face->count; k++) {
        trxi_copy3(face->x[k], x);
        trxi_core_to_world(core, x, face->x[k]);
    }
    trxi_copy3(face->normal, x);
    trxi_mulv3(core->R, x, face->normal);
    if (face->count != 2) return;
    trxi_sub3(face->x[1], face->x[0], face->axis);
    trxi_normalize3(face->axis, face->axis);
}
