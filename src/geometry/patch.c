// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Overlap of two pieces seen along the reference normal N, and its corners as contacts (theory 6). The incident
// polygon is clipped by one side of the reference after the other [Sutherland and Hodgman 1974]. Each corner
// remembers the lines that meet in it, and its position is computed from those lines at the end. With y the point of
// the incident piece, z = N . (y - plane):
//
//     phi = z - r_A - r_B,    n = N, a = y - (z - r_A) n   (reference A)    or   n = -N, a = y + r_A n   (reference B)
//
// Derivatives. Let the incident shape move by xi (its material at y) relative to the reference. The point moves by Pi
// xi:
//
//     VERTEX    Pi = I
//     CROSSING  Pi = I - t m^T/(m . t)      along the edge t such that it stays over the side with outward normal m
//     CORNER    Pi = N M^T/(M . N)          along N such that it stays on the incident plane with normal M
//
// The contact line on the side of a cylinder is not fixed in the material: c + ring e, e = -(N - kappa u)/rho, with u
// the axis, kappa = u . N, rho = |N - kappa u|. Relative to the material, its points move by G theta:
//
//     G = ring ( [e]x + ( u (u x N)^T - kappa (I - e e^T) [u]x )/rho )
//
// With s n = y - a (s = z - r_A or -r_A) and E = G - s [n]x, so that xi + G theta = x + E theta, both references have
//
//     dphi = n . Pi (x + E theta),    da = (I - n n^T) Pi (x + E theta)                   reference A: dn = 0
//                                     da = (I - Pi) x - Pi E theta                        reference B: dn = theta x n

#include "geometry/patch.h"

#include "math/vec3.h"

#include <stddef.h>

static const double band_share = 5e-4; // of the shortest side of both pieces
static const double level = 1e-6;      // of the band: heights within this difference count as equal

// corner of the polygon that is being clipped; `line` leads to the next corner: incident edge, or -1 - side of the
// reference
typedef struct corner {
    double u, v;
    trxi_patch_kind kind;
    int i, k, line;
} corner;

static int next(const trxi_face *face, int i)
{
    return i + 1 < face->count ? i + 1 : 0;
}

// distance inside a side of the reference
static double inside(const trxi_patch *patch, int side, double u, double v)
{
    const double *m = patch->side[side];
    return m[2] - m[0] * u - m[1] * v;
}

static double place_reference(trxi_patch *patch)
{
    const trxi_face *face = patch->reference;
    double uv[TRXI_MAX_FACE_POINTS][2], shortest = INFINITY;
    trxi_sub3(face->x[1], face->x[0], patch->t1);
    trxi_axpy3(-trxi_dot3(patch->t1, face->normal), face->normal, patch->t1);
    trxi_normalize3(patch->t1, patch->t1);
    trxi_cross3(face->normal, patch->t1, patch->t2);
    for (int k = 0; k < face->count; k++) {
        double offset[3];
        trxi_sub3(face->x[k], face->x[0], offset);
        uv[k][0] = trxi_dot3(offset, patch->t1);
        uv[k][1] = trxi_dot3(offset, patch->t2);
    }
    for (int k = 0; k < face->count; k++) {
        const double *from = uv[k], *to = uv[next(face, k)];
        double *m = patch->side[k], u = to[0] - from[0], v = to[1] - from[1], length = sqrt(u * u + v * v);
        shortest = fmin(shortest, length);
        m[0] = v / length;
        m[1] = -u / length;
        m[2] = m[0] * from[0] + m[1] * from[1];
    }
    return shortest;
}

static double place_incident(trxi_patch *patch)
{
    const trxi_face *face = patch->incident;
    const double *N = patch->reference->normal;
    trxi_zero3(patch->ring);
    if (face->ring > 0) {
        trxi_scale3(trxi_dot3(N, face->axis), face->axis, patch->ring);
        trxi_sub3(patch->ring, N, patch->ring);
        trxi_normalize3(patch->ring, patch->ring);
        trxi_scale3(face->ring, patch->ring, patch->ring);
    }
    for (int i = 0; i < face->count; i++) {
        double offset[3], *w = patch->over[i];
        trxi_sub3(face->x[i], patch->reference->x[0], offset);
        trxi_add3(offset, patch->ring, offset);
        w[0] = trxi_dot3(offset, patch->t1);
        w[1] = trxi_dot3(offset, patch->t2);
        w[2] = trxi_dot3(offset, N);
    }
    double square = INFINITY, e[3];
    for (int i = 0; i < face->count && face->count > 1; i++) {
        trxi_sub3(patch->over[next(face, i)], patch->over[i], e);
        square = fmin(square, trxi_dot3(e, e));
    }
    return sqrt(square);
}

static corner cut(const corner *from, const corner *to, double inside_from, double inside_to, int side, int line)
{
    double f = inside_from / (inside_from - inside_to);
    corner c = {from->u + f * (to->u - from->u), from->v + f * (to->v - from->v), TRXI_PATCH_CROSSING, from->line, side,
                line};
    if (from->line >= 0) return c;
    // two sides of the reference, the smaller number first
    int other = -1 - from->line;
    c.kind = TRXI_PATCH_CORNER;
    c.i = other < side ? other : side;
    c.k = other < side ? side : other;
    return c;
}

// the part inside one side; if a corner is in the band about the side, the polygon crosses the side at this corner
static int cut_side(const trxi_patch *patch, int side, bool open, const corner *in, int n, corner *out)
{
    const double band = patch->band;
    int count = 0;
    for (int j = 0; j < n; j++) {
        const corner *c = in + j, *to = in + (j + 1 < n ? j + 1 : 0);
        double d = inside(patch, side, c->u, c->v), d_to = inside(patch, side, to->u, to->v);
        bool leads = !open || j + 1 < n, is_in = d >= -band, goes_in = d_to >= -band;
        if (is_in) {
            out[count] = *c;
            if (leads && !goes_in && d <= band) out[count].line = -1 - side;
            count++;
        }
        if (!leads || count >= TRXI_MAX_PATCH_POINTS) continue;
        if (is_in && !goes_in && d > band) out[count++] = cut(c, to, d, d_to, side, -1 - side);
        if (!is_in && goes_in && d_to > band) out[count++] = cut(c, to, d, d_to, side, c->line);
    }
    return count;
}

// distance of (u, v) inside an incident edge. Over the plane the edges run clockwise, because the incident face is
// counterclockwise from outside
static double inside_edge(const trxi_patch *patch, int edge, double u, double v)
{
    const double *from = patch->over[edge], *to = patch->over[next(patch->incident, edge)];
    double eu = to[0] - from[0], ev = to[1] - from[1], length = sqrt(eu * eu + ev * ev);
    return length > 0 ? (eu * (from[1] - v) - ev * (from[0] - u)) / length : INFINITY;
}

// the least distance of the point from lines that do not meet in it; for a crossing also the least distance of the ends
// of its edge from the band about its side
static double tie_distance(const trxi_patch *patch, const trxi_patch_point *p)
{
    const trxi_face *reference = patch->reference, *incident = patch->incident;
    double tie = INFINITY;
    for (int k = 0; k < reference->count; k++) {
        bool through = p->kind != TRXI_PATCH_VERTEX && (k == p->k || (p->kind == TRXI_PATCH_CORNER && k == p->i));
        if (!through) tie = fmin(tie, fabs(inside(patch, k, p->u, p->v) + patch->band));
    }
    if (p->kind == TRXI_PATCH_CROSSING) {
        const double *from = patch->over[p->i], *to = patch->over[next(incident, p->i)];
        double d = fmin(fabs(inside(patch, p->k, from[0], from[1])), fabs(inside(patch, p->k, to[0], to[1])));
        tie = fmin(tie, fabs(d - patch->band));
    }
    if (p->kind == TRXI_PATCH_CORNER)
        for (int i = 0; i < incident->count; i++) tie = fmin(tie, fabs(inside_edge(patch, i, p->u, p->v)));
    return tie;
}

// place of a corner of the overlap from the lines that meet in it
static bool place(const trxi_patch *patch, const corner *c, trxi_patch_point *p)
{
    const double *w = patch->over[c->i];
    *p = (trxi_patch_point){.kind = c->kind, .i = c->i, .k = c->k, .feature = 256 * (int)c->kind + 16 * c->i + c->k};
    if (c->kind == TRXI_PATCH_VERTEX) {
        p->u = w[0], p->v = w[1], p->z = w[2];
    } else if (c->kind == TRXI_PATCH_CROSSING) {
        const double *to = patch->over[next(patch->incident, c->i)];
        double d = inside(patch, c->k, w[0], w[1]), f = d / (d - inside(patch, c->k, to[0], to[1]));
        p->u = w[0] + f * (to[0] - w[0]);
        p->v = w[1] + f * (to[1] - w[1]);
        p->z = w[2] + f * (to[2] - w[2]);
    } else {
        const double *m = patch->side[c->i], *l = patch->side[c->k], *M = patch->incident->normal;
        double cross = m[0] * l[1] - m[1] * l[0], along = trxi_dot3(M, patch->reference->normal);
        if (!(fabs(cross) > 1e-9 && fabs(along) > 1e-6)) return false;
        p->u = (m[2] * l[1] - m[1] * l[2]) / cross;
        p->v = (m[0] * l[2] - m[2] * l[0]) / cross;
        w = patch->over[0];
        p->z = w[2] - (trxi_dot3(M, patch->t1) * (p->u - w[0]) + trxi_dot3(M, patch->t2) * (p->v - w[1])) / along;
    }
    p->tie = tie_distance(patch, p);
    return true;
}

void trxi_patch_clip(const trxi_face *reference, const trxi_face *incident, trxi_patch *patch)
{
    patch->reference = reference;
    patch->incident = incident;
    double shortest = place_reference(patch);
    patch->band = band_share * fmin(shortest, place_incident(patch));

    corner polygon[2][TRXI_MAX_PATCH_POINTS + 2];
    int n = incident->count, now = 0;
    for (int i = 0; i < n; i++)
        polygon[0][i] = (corner){patch->over[i][0], patch->over[i][1], TRXI_PATCH_VERTEX, i, 0, i};
    for (int side = 0; side < reference->count && incident->count > 1; side++, now = 1 - now)
        n = cut_side(patch, side, incident->count == 2, polygon[now], n, polygon[1 - now]);

    patch->count = 0;
    patch->least = INFINITY;
    for (int j = 0; j < n && patch->count < TRXI_MAX_PATCH_POINTS; j++) {
        trxi_patch_point *p = &patch->points[patch->count];
        if (!place(patch, &polygon[now][j], p)) continue;
        patch->least = fmin(patch->least, p->z - reference->radius - incident->radius);
        patch->count++;
    }
}

// Pi = share I + c r^T
typedef struct motion {
    double share;
    double c[3], r[3];
} motion;

static motion motion_of(const trxi_patch *patch, const trxi_patch_point *p)
{
    const trxi_face *incident = patch->incident;
    const double *N = patch->reference->normal;
    motion Pi = {.share = p->kind == TRXI_PATCH_CORNER ? 0 : 1};
    if (p->kind == TRXI_PATCH_CROSSING) {
        const double *m = patch->side[p->k];
        for (int j = 0; j < 3; j++) {
            Pi.c[j] = incident->x[p->i][j] - incident->x[next(incident, p->i)][j];
            Pi.r[j] = m[0] * patch->t1[j] + m[1] * patch->t2[j];
        }
        trxi_scale3(-1 / trxi_dot3(Pi.c, Pi.r), Pi.c, Pi.c);
    } else if (p->kind == TRXI_PATCH_CORNER) {
        trxi_scale3(1 / trxi_dot3(incident->normal, N), N, Pi.c);
        trxi_copy3(incident->normal, Pi.r);
    }
    return Pi;
}

// E += G
static void add_ring(const trxi_patch *patch, double E[9])
{
    const double *u = patch->incident->axis, *N = patch->reference->normal, ring = patch->incident->ring;
    double e[3], uN[3], kappa = trxi_dot3(u, N), spin_e[9], spin_u[9];
    trxi_cross3(u, N, uN);
    double rho = trxi_norm3(uN);
    if (!(rho > 1e-9)) return;
    trxi_scale3(1 / ring, patch->ring, e);
    trxi_skew33(e, spin_e);
    trxi_skew33(u, spin_u);
    for (int j = 0; j < 3; j++) {
        double along = trxi_dot3(e, spin_u + 3 * j);
        for (int i = 0; i < 3; i++)
            E[i + 3 * j] += ring * (spin_e[i + 3 * j] + (u[i] * uN[j] - kappa * (spin_u[i + 3 * j] - along * e[i])) / rho);
    }
}

// out = Pi m
static void apply(const motion *Pi, const double m[9], double out[9])
{
    for (int j = 0; j < 3; j++) {
        double along = trxi_dot3(Pi->r, m + 3 * j);
        for (int i = 0; i < 3; i++) out[i + 3 * j] = Pi->share * m[i + 3 * j] + along * Pi->c[i];
    }
}

static void derive(const trxi_patch *patch, const trxi_patch_point *p, bool reference_is_A, trxi_contact_point *out)
{
    const motion Pi = motion_of(patch, p);
    const double r_A = reference_is_A ? patch->reference->radius : patch->incident->radius, *n = out->n;
    double E[9], spin[9], identity[9], q[3];
    double s = reference_is_A ? p->z - r_A : -r_A;
    trxi_skew33(n, spin);
    trxi_identity33(identity);
    for (int i = 0; i < 9; i++) E[i] = -s * spin[i];
    if (patch->incident->ring > 0) add_ring(patch, E);

    // q = Pi^T n
    trxi_scale3(Pi.share, n, q);
    trxi_axpy3(trxi_dot3(n, Pi.c), Pi.r, q);
    if (out->sliding) {
        trxi_sub3(q, n, out->dphi_dx);
        trxi_mulv3_t(E, q, out->dphi_dtheta);
    }

    apply(&Pi, identity, out->da_dx);
    apply(&Pi, E, out->da_dtheta);
    for (int j = 0; j < 3; j++) {
        double across = trxi_dot3(n, out->da_dx + 3 * j), turned = trxi_dot3(n, out->da_dtheta + 3 * j);
        for (int i = 0; i < 3; i++) {
            int k = i + 3 * j;
            out->dn_dx[k] = 0;
            out->dn_dtheta[k] = reference_is_A ? 0 : -spin[k];
            out->da_dx[k] = reference_is_A ? out->da_dx[k] - across * n[i] : (i == j) - out->da_dx[k];
            out->da_dtheta[k] = reference_is_A ? out->da_dtheta[k] - turned * n[i] : -out->da_dtheta[k];
        }
    }
}

static void put_point(const trxi_patch *patch, const trxi_patch_point *p, bool reference_is_A, bool derivatives,
                      trxi_contact_point *out)
{
    const trxi_face *reference = patch->reference;
    const double *N = reference->normal;
    out->phi = p->z - reference->radius - patch->incident->radius;
    out->feature = p->feature;
    out->tie = p->tie;
    out->sliding = p->kind != TRXI_PATCH_VERTEX;
    double rise = reference_is_A ? reference->radius : p->z - patch->incident->radius;
    for (int i = 0; i < 3; i++) {
        out->n[i] = reference_is_A ? N[i] : -N[i];
        out->a[i] = reference->x[0][i] + p->u * patch->t1[i] + p->v * patch->t2[i] + rise * N[i];
    }
    if (derivatives) derive(patch, p, reference_is_A, out);
}

// keeps, of too many points, the farthest in eight directions; a point deeper than all of these replaces the nearest of them
static int thin_out(const trxi_patch *patch, const trxi_patch_point **points, int count)
{
    static const double eighth = 0.78539816339744830962; // pi/4
    const trxi_patch_point *kept[TRXI_MAX_CONTACT_POINTS], *deepest = points[0];
    int nkept = 0;
    for (int i = 1; i < count; i++)
        if (points[i]->z < deepest->z) deepest = points[i];
    for (int k = 0; k < TRXI_MAX_CONTACT_POINTS; k++) {
        // rotated, so that no two corners of regular polygons tie
        double du = cos((k + 0.3) * eighth), dv = sin((k + 0.3) * eighth), best = -INFINITY;
        const trxi_patch_point *farthest = points[0];
        for (int i = 0; i < count; i++) {
            double along = du * points[i]->u + dv * points[i]->v;
            if (along > best) best = along, farthest = points[i];
        }
        int known = 0;
        while (known < nkept && kept[known] != farthest) known++;
        if (known == nkept) kept[nkept++] = farthest;
    }
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < nkept; i++) {
        least = fmin(least, kept[i]->z);
        double d = hypot(kept[i]->u - deepest->u, kept[i]->v - deepest->v);
        if (d < hypot(kept[nearest]->u - deepest->u, kept[nearest]->v - deepest->v)) nearest = i;
    }
    if (deepest->z < least - level * patch->band) kept[nearest] = deepest;
    for (int i = 0; i < nkept; i++) points[i] = kept[i];
    return nkept;
}

int trxi_patch_points(const trxi_patch *patch, bool reference_is_A, double margin, bool derivatives,
                      trxi_contact_point *points)
{
    const trxi_patch_point *chosen[TRXI_MAX_PATCH_POINTS];
    const double bound = margin + patch->reference->radius + patch->incident->radius;
    int count = 0;
    for (int j = 0; j < patch->count; j++)
        if (patch->points[j].z < bound) chosen[count++] = &patch->points[j];
    if (count > TRXI_MAX_CONTACT_POINTS) count = thin_out(patch, chosen, count);

    // in the order of the features
    for (int j = 1; j < count; j++) {
        const trxi_patch_point *p = chosen[j];
        int k = j;
        for (; k > 0 && chosen[k - 1]->feature > p->feature; k--) chosen[k] = chosen[k - 1];
        chosen[k] = p;
    }
    for (int j = 0; j < count; j++) put_point(patch, chosen[j], reference_is_A, derivatives, points + j);
    return count;
}
