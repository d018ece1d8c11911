// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A height field against convex shapes, triangle by triangle (theory 6). With z the height of a core point of B over the plane of a
// triangle, n its normal:
//
//     face      the contacts of B with the halfspace under the triangle's plane, where the foot of the core point is in the
//               triangle. Across a convex edge the solid is the intersection of two halfspaces, so the larger z counts. A point
//               that is less deep below the surface than below the plane touches elsewhere.
//     ridges    the contacts of B with the prism under the triangle that lie on an edge or a corner, and have a normal n that the
//               surface has there: n . (w - a) <= 0 for the vertices w around, and not all 0. At the border also the contacts with
//               the prism's outer side.
//
// So the edges inside of a flat or hollow part of the surface do not exist for contacts. Every edge and every corner belongs to
// the triangle of smallest number at it. A foot on an edge, up to a strip of 1e-9 of a cell, belongs to the triangle on the left of
// the edge, seen from the vertex of smaller number. Contacts have the derivatives of a halfspace or of a convex pair; the field's
// frame moves all of its planes and prisms.

#include "geometry/height_field.h"
#include "geometry/pairs.h"
#include "geometry/support.h"
#include "geometry/witness.h"

#include <stddef.h>

static const double strip = 1e-9;   // of the area of a cell
static const double touch = 1e-7;   // of the sides of a cell: a point this near to an edge is on it
static const double straight = 1e-9; // sine up to which directions count as level

static trxi_pair_function *const over_plane[] = {
    [TRX_SHAPE_MESH] = trxi_collide_halfspace_mesh,           [TRX_SHAPE_BOX] = trxi_collide_halfspace_box,
    [TRX_SHAPE_CYLINDER] = trxi_collide_halfspace_cylinder,   [TRX_SHAPE_ELLIPSOID] = trxi_collide_halfspace_ellipsoid,
    [TRX_SHAPE_CAPSULE] = trxi_collide_halfspace_capsule,     [TRX_SHAPE_SPHERE] = trxi_collide_halfspace_sphere,
};

static double cross2(const double a[3], const double b[3], const double l[3])
{
    return (b[0] - a[0]) * (l[1] - a[1]) - (b[1] - a[1]) * (l[0] - a[0]);
}

// twice the area of the triangle seen from above
static double area_of(const trxi_field_triangle *t)
{
    return cross2(t->x[0], t->x[1], t->x[2]);
}

static double side_of(const trxi_field_triangle *t)
{
    return sqrt(area_of(t));
}

static void to_field(const trxi_placed_shape *A, const double x[3], double l[3])
{
    double away[3];
    trxi_sub3(x, A->p, away);
    trxi_mulv3_t(A->R, away, l);
}

// sine of the angle by which x -> w rises along m
static double rise(const double m[3], const double x[3], const double w[3])
{
    double e[3];
    trxi_sub3(w, x, e);
    return trxi_dot3(m, e) / trxi_norm3(e);
}

// ---- faces ----

// distance of a foot from the nearest edge, seen from above; negative when the triangle does not own it
static double room(const trxi_field_triangle *t, const double l[3])
{
    const double shift = strip * area_of(t);
    double nearest = INFINITY;
    for (int k = 0; k < 3; k++) {
        const int to = (k + 1) % 3;
        const double inside = cross2(t->x[k], t->x[to], l);
        const bool left = t->neighbour[k] < 0 || t->corner[k] < t->corner[to];
        if (left ? inside < -shift : inside <= shift) return -1;
        nearest = fmin(nearest, fabs(inside) / hypot(t->x[to][0] - t->x[k][0], t->x[to][1] - t->x[k][1]));
    }
    return nearest;
}

// whether a core point at height z over the plane is higher over the plane beyond some convex edge
static bool is_beyond(const trx_shape *field, const trxi_field_triangle *t, const double core[3], double z)
{
    for (int k = 0; k < 3; k++) {
        if (!t->across[k] || rise(t->n, t->x[k], t->across[k]) >= -straight) continue;
        trxi_field_triangle other;
        double away[3];
        trxi_field_triangle_of(field, t->neighbour[k], &other);
        trxi_sub3(core, t->x[k], away);
        const double height = trxi_dot3(other.n, away);
        if (height > z || (height == z && other.number < t->number)) return true;
    }
    return false;
}

// whether a point that is below the plane of a triangle by `depth` is at least `depth` below the surface (field's frame)
static bool is_inside(const trx_shape *field, const trxi_field_triangle *t, const double l[3], double depth)
{
    double height;
    const double slack = touch * side_of(t);
    return trxi_field_height(field, l[0], l[1], &height) && depth <= height - l[2] + slack;
}

static int face_points(const trxi_placed_shape *A, const trxi_placed_shape *B, const trxi_field_triangle *t, double margin,
                       bool derivatives, trxi_contact_point *points)
{
    static const trx_shape halfspace = {.type = TRX_SHAPE_HALFSPACE};
    double n[3], frame[9], R[9], p[3];
    trxi_mulv3(A->R, t->n, n);
    trxi_frame33(n, frame);
    trxi_copy3(frame, R);
    trxi_copy3(frame + 3, R + 3);
    trxi_copy3(n, R + 6);
    trxi_mulv3(A->R, t->x[0], p);
    trxi_add3(p, A->p, p);
    const trxi_placed_shape plane = {&halfspace, R, p};
    const double radius = trxi_core_of(B).radius;

    const int found = over_plane[B->shape->type](&plane, B, margin, derivatives, points);
    int count = 0;
    for (int i = 0; i < found; i++) {
        double foot[3], core[3];
        to_field(A, points[i].a, foot);
        const double z = points[i].phi + radius, apart = room(t, foot);
        if (apart < 0) continue;
        trxi_copy3(foot, core);
        trxi_axpy3(z, t->n, core);
        if (is_beyond(A->shape, t, core, z) || (z < 0 && !is_inside(A->shape, t, core, -z))) continue;
        points[count] = points[i];
        points[count].tie = fmin(points[count].tie, apart);
        count++;
    }
    return count;
}

// ---- ridges ----

// the prism under a triangle as a hull about its centre
typedef struct prism {
    trxi_hull hull;
    double vertices[18], faces[20];
} prism;

static void set_face(prism *made, int f, const double normal[3], int vertex)
{
    trxi_copy3(normal, made->faces + 4 * f);
    made->faces[4 * f + 3] = trxi_dot3(normal, made->vertices + 3 * vertex);
}

// vertices: 0 to 2 the triangle, 3 to 5 below them, at least the side of a cell below the lowest
static void make_prism(const trx_shape *field, const trxi_field_triangle *t, prism *made, double centre[3])
{
    static const int face_start[] = {0, 3, 6, 10, 14, 18}, neighbour_start[] = {0, 3, 6, 9, 12, 15, 18};
    static const int loops[] = {0, 1, 2, 3, 5, 4, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5, 3, 0};
    static const int neighbours[] = {1, 2, 3, 0, 2, 4, 0, 1, 5, 0, 4, 5, 1, 3, 5, 2, 3, 4};
    const double lowest = fmin(t->x[0][2], fmin(t->x[1][2], t->x[2][2]));
    const double bottom = fmin(-field->length, lowest - side_of(t));
    trxi_zero3(centre);
    for (int k = 0; k < 6; k++) {
        trxi_copy3(t->x[k % 3], made->vertices + 3 * k);
        if (k >= 3) made->vertices[3 * k + 2] = bottom;
        trxi_axpy3(1.0 / 6, made->vertices + 3 * k, centre);
    }
    made->hull = (trxi_hull){.nvertex = 6, .nface = 5, .nloop = 18, .nneighbour = 18, .vertices = made->vertices,
                             .faces = made->faces, .face_start = face_start, .loops = loops, .neighbour_start = neighbour_start,
                             .neighbours = neighbours};
    for (int k = 0; k < 6; k++) {
        trxi_sub3(made->vertices + 3 * k, centre, made->vertices + 3 * k);
        made->hull.radius = fmax(made->hull.radius, trxi_norm3(made->vertices + 3 * k));
    }
    set_face(made, 0, t->n, 0);
    set_face(made, 1, (double[]){0, 0, -1}, 3);
    for (int k = 0; k < 3; k++) {
        double out[3], e[3];
        trxi_sub3(t->x[(k + 1) % 3], t->x[k], e);
        trxi_set3(e[1], -e[0], 0, out);
        trxi_normalize3(out, out);
        set_face(made, 2 + k, out, k);
    }
}

// whether the triangle owns edge k
static bool owns_edge(const trxi_field_triangle *t, int k)
{
    return t->neighbour[k] < 0 || t->number < t->neighbour[k];
}

// whether the surface around `x` stays below the plane with normal m, and not in it; `below`: also the vertical below x
static bool supports(const double *const *around, int count, const double x[3], const double m[3], bool below, double slack)
{
    bool leaves = below && m[2] > straight;
    if (below && m[2] < -slack) return false;
    for (int k = 0; k < count; k++) {
        const double up = rise(m, x, around[k]);
        if (up > slack) return false;
        leaves = leaves || up < -straight;
    }
    return leaves;
}

static bool is_on_wall(const trxi_field_triangle *t, int k, const double l[3], const double m[3], double size, double slack)
{
    double e[3], out[3], away[3];
    trxi_sub3(t->x[(k + 1) % 3], t->x[k], e);
    trxi_set3(e[1], -e[0], 0, out);
    trxi_normalize3(out, out);
    trxi_sub3(l, t->x[k], away);
    if (fabs(trxi_dot3(out, away)) > touch * size) return false;
    trxi_sub3(m, out, away);
    return trxi_norm3(away) <= slack;
}

// whether the point l with the normal m, both in the field's frame, is a contact of an edge or a corner that the triangle owns
static bool is_on_ridge(const trx_shape *field, const trxi_field_triangle *t, const double l[3], const double m[3], double slack)
{
    const double size = side_of(t);
    int edges[3], count = 0;
    double away[3];
    trxi_sub3(l, t->x[0], away);
    if (fabs(trxi_dot3(t->n, away)) > touch * size) {
        for (int k = 0; k < 3; k++)
            if (t->neighbour[k] < 0 && is_on_wall(t, k, l, m, size, slack)) return true;
        return false;
    }
    for (int k = 0; k < 3; k++) {
        const double *from = t->x[k], *to = t->x[(k + 1) % 3];
        if (fabs(cross2(from, to, l)) <= touch * size * hypot(to[0] - from[0], to[1] - from[1])) edges[count++] = k;
    }
    if (count == 0) return false;
    if (count == 1) {
        const int k = edges[0];
        const double *around[2] = {t->x[(k + 2) % 3], t->across[k]};
        return owns_edge(t, k) && supports(around, t->across[k] ? 2 : 1, t->x[k], m, !t->across[k], slack);
    }
    // two edges share the corner after the first, or, for edges 0 and 2, before it
    const int k = edges[0] == 0 && edges[1] == 2 ? 0 : edges[1];
    const double *ring[6];
    const int around = trxi_field_ring(field, t->corner[k], ring);
    return trxi_field_owner(field, t->corner[k]) == t->number && supports(ring, around, t->x[k], m, around < 6, slack);
}

// whether an edge or a corner that the triangle owns may be a ridge
static bool has_ridge(const trx_shape *field, const trxi_field_triangle *t)
{
    for (int k = 0; k < 3; k++) {
        if (owns_edge(t, k) && (!t->across[k] || rise(t->n, t->x[k], t->across[k]) < -straight)) return true;
        if (trxi_field_owner(field, t->corner[k]) != t->number) continue;
        const double *ring[6];
        const int count = trxi_field_ring(field, t->corner[k], ring);
        for (int i = 0; i < count; i++)
            if (fabs(rise(t->n, t->x[k], ring[i])) > straight) return true;
    }
    return false;
}

static int ridge_points(const trxi_placed_shape *A, const trxi_placed_shape *B, const trxi_field_triangle *t, double margin,
                        bool derivatives, trxi_contact_point *points)
{
    if (!has_ridge(A->shape, t)) return 0;
    prism under;
    double centre[3], p[3];
    make_prism(A->shape, t, &under, centre);
    trxi_mulv3(A->R, centre, p);
    trxi_add3(p, A->p, p);
    const trx_shape solid = {.type = TRX_SHAPE_MESH, .hull = &under.hull};
    const trxi_placed_shape part = {&solid, A->R, p};
    const int found = trxi_collide_convex(&part, B, margin, derivatives, points);
    // several points: of surfaces that are parallel up to this sine
    const double slack = found > 1 ? TRXI_FLUSH_SINE : straight;
    int count = 0;
    for (int i = 0; i < found; i++) {
        double l[3], m[3];
        to_field(A, points[i].a, l);
        trxi_mulv3_t(A->R, points[i].n, m);
        if (is_on_ridge(A->shape, t, l, m, slack)) points[count++] = points[i];
    }
    return count;
}

int trxi_collide_field_piece(const trxi_placed_shape *A, const trxi_placed_shape *B, int piece, double margin, bool derivatives,
                             trxi_contact_point *points)
{
    trxi_field_triangle triangle;
    trxi_field_triangle_of(A->shape, piece / 2, &triangle);
    return piece % 2 ? ridge_points(A, B, &triangle, margin, derivatives, points)
                     : face_points(A, B, &triangle, margin, derivatives, points);
}

// ---- the whole field ----

// an upper bound of the distance to the surface: the height of B's lowest point over the surface below it
static double bound(const trxi_placed_shape *A, const trxi_placed_shape *B)
{
    const trxi_core core = trxi_core_of(B);
    double down[3], x[3], l[3], height;
    trxi_scale3(-1, A->R + 6, down);
    trxi_core_support(&core, 0, down, x);
    trxi_axpy3(core.radius, down, x);
    to_field(A, x, l);
    const trx_mesh *mesh = A->shape->mesh;
    const double *first = mesh->vertices, *last = first + 3 * (size_t)(mesh->nvertex - 1);
    if (trxi_field_height(A->shape, l[0], l[1], &height) && l[2] < height) return 0;
    const double across = l[0] - fmin(fmax(l[0], first[0]), last[0]), along = l[1] - fmin(fmax(l[1], first[1]), last[1]);
    return sqrt(across * across + along * along + (l[2] - height) * (l[2] - height));
}

int trxi_collide_height_field(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                              trxi_contact_point *points)
{
    static const double slack = 1e-6; // of the distance, and of a metre
    double least = fmin(margin, bound(A, B) * (1 + slack) + slack);
    trxi_field_walk walk = trxi_field_walk_under(A, B, least);
    trxi_contact_point found[TRXI_MAX_CONTACT_POINTS];
    int count = 0;
    for (int piece; (piece = trxi_field_walk_next(&walk)) >= 0;) {
        const int some = trxi_collide_field_piece(A, B, piece, least, derivatives, found);
        for (int i = 0; i < some; i++)
            if (found[i].phi < least) least = found[i].phi, points[0] = found[i], count = 1;
    }
    return count;
}
