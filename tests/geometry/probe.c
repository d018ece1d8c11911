// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// See probe.h.

#include "probe.h"

#include "base/random.h"
#include "small_hull.h"

#include <string.h>

double uniform(dice *d, double lo, double hi)
{
    return lo + (hi - lo) * trxi_random_uniform(d->seed, d->index++);
}

void random_vector(dice *d, double scale, double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = scale * trxi_random_normal(d->seed + 7919, d->index++);
}

void random_direction(dice *d, double out[3])
{
    random_vector(d, 1, out);
    trxi_normalize3(out, out);
}

void random_rotation(dice *d, double R[9])
{
    double q[4], v[3];
    random_vector(d, 1, v);
    q[0] = trxi_random_normal(d->seed + 7919, d->index++);
    trxi_copy3(v, q + 1);
    trxi_quat_normalize(q);
    trxi_quat_to_matrix(q, R);
}

static body body_of(trx_shape shape)
{
    body b = {.shape = shape};
    trxi_identity33(b.R);
    return b;
}

body sphere_body(double radius)
{
    return body_of((trx_shape){.type = TRX_SHAPE_SPHERE, .radius = radius});
}

body capsule_body(double radius, double length)
{
    return body_of((trx_shape){.type = TRX_SHAPE_CAPSULE, .radius = radius, .length = length});
}

body box_body(double x, double y, double z)
{
    return body_of((trx_shape){.type = TRX_SHAPE_BOX, .size = {x, y, z}});
}

body halfspace_body(void)
{
    return body_of((trx_shape){.type = TRX_SHAPE_HALFSPACE});
}

body cylinder_body(double radius, double length)
{
    return body_of((trx_shape){.type = TRX_SHAPE_CYLINDER, .radius = radius, .length = length});
}

body ellipsoid_body(double x, double y, double z)
{
    return body_of((trx_shape){.type = TRX_SHAPE_ELLIPSOID, .size = {x, y, z}});
}

body mesh_body(int count, const double *points)
{
    return body_of((trx_shape){.type = TRX_SHAPE_MESH, .hull = small_hull(count, points)});
}

// points on an ellipsoid, so that each is a corner
static const trxi_hull *random_hull(dice *d, const double size[3])
{
    double points[3 * 20];
    int count = 4 + (int)uniform(d, 0, 17);
    for (int k = 0; k < count; k++) {
        random_direction(d, points + 3 * k);
        for (int i = 0; i < 3; i++) points[3 * k + i] *= size[i] / 2;
    }
    return small_hull(count, points);
}

body random_body(dice *d, trx_shape_type type, double spread)
{
    body b = {.shape.type = type};
    b.shape.radius = uniform(d, 0.02, 0.1);
    b.shape.length = uniform(d, 0.05, 0.2);
    for (int i = 0; i < 3; i++) b.shape.size[i] = uniform(d, 0.05, 0.2);
    if (type == TRX_SHAPE_MESH) b.shape.hull = random_hull(d, b.shape.size);
    bool may_be_round = type == TRX_SHAPE_MESH || type == TRX_SHAPE_CYLINDER || type == TRX_SHAPE_ELLIPSOID;
    if (may_be_round && uniform(d, 0, 1) < 0.5) b.shape.rounding = uniform(d, 0, 0.03);
    random_rotation(d, b.R);
    for (int i = 0; i < 3; i++) b.p[i] = uniform(d, -spread, spread);
    return b;
}

trxi_placed_shape placed(const body *b)
{
    return (trxi_placed_shape){&b->shape, b->R, b->p};
}

int collide(const body *A, const body *B, trxi_contact_point *points)
{
    trxi_placed_shape a = placed(A), b = placed(B);
    return trxi_collide(&a, &b, INFINITY, true, points);
}

// distance of a point from a face of the hull
static double polygon_distance(const trxi_hull *hull, int f, const double l[3])
{
    const double *n = hull->faces + 4 * f;
    const int *loop = hull->loops + hull->face_start[f], count = hull->face_start[f + 1] - hull->face_start[f];
    double height = trxi_dot3(n, l) - n[3], nearest = INFINITY;
    bool inside = true;
    for (int k = 0; k < count; k++) {
        const double *p = hull->vertices + 3 * loop[k], *q = hull->vertices + 3 * loop[(k + 1) % count];
        double e[3], arm[3], inward[3];
        trxi_sub3(q, p, e);
        trxi_sub3(l, p, arm);
        trxi_cross3(n, e, inward);
        inside = inside && trxi_dot3(inward, arm) >= 0;
        double t = fmax(0, fmin(1, trxi_dot3(e, arm) / trxi_dot3(e, e)));
        trxi_axpy3(-t, e, arm);
        nearest = fmin(nearest, trxi_norm3(arm));
    }
    return inside ? fabs(height) : nearest;
}

static double mesh_distance(const trxi_hull *hull, const double l[3])
{
    double inside = -INFINITY, outside = INFINITY;
    for (int f = 0; f < hull->nface; f++) {
        inside = fmax(inside, trxi_dot3(hull->faces + 4 * f, l) - hull->faces[4 * f + 3]);
        outside = fmin(outside, polygon_distance(hull, f, l));
    }
    return inside > 0 ? outside : inside;
}

// the nearest point is h_i^2 l_i/(h_i^2 + t), t the largest root of sum (h_i l_i/(h_i^2 + t))^2 = 1, found by bisection
static double ellipsoid_distance(const double size[3], const double l[3])
{
    double h[3] = {size[0] / 2, size[1] / 2, size[2] / 2}, least = fmin(h[0], fmin(h[1], h[2])), square = 0, sum;
    double low = -least * least, high = 0;
    for (int i = 0; i < 3; i++) high += h[i] * fabs(l[i]);
    for (int k = 0; k < 200; k++) {
        double t = 0.5 * (low + high);
        sum = 0;
        for (int i = 0; i < 3; i++) sum += pow(h[i] * l[i] / (h[i] * h[i] + t), 2);
        if (sum > 1) low = t;
        else high = t;
    }
    for (int i = 0; i < 3; i++) square += pow(l[i] * high / (h[i] * h[i] + high), 2);
    return high > 0 ? sqrt(square) : -sqrt(square);
}

double surface_distance(const body *b, const double point[3])
{
    double offset[3], l[3], q[3], outside = 0, inside = -INFINITY;
    trxi_sub3(point, b->p, offset);
    trxi_mulv3_t(b->R, offset, l);
    switch (b->shape.type) {
    case TRX_SHAPE_HEIGHT_FIELD: return NAN;
    case TRX_SHAPE_HALFSPACE: return l[2];
    case TRX_SHAPE_SPHERE: return trxi_norm3(l) - b->shape.radius;
    case TRX_SHAPE_CAPSULE: {
        double over = fmax(0, fabs(l[2]) - b->shape.length / 2);
        return sqrt(l[0] * l[0] + l[1] * l[1] + over * over) - b->shape.radius;
    }
    case TRX_SHAPE_BOX:
        for (int i = 0; i < 3; i++) {
            q[i] = fabs(l[i]) - b->shape.size[i] / 2;
            inside = fmax(inside, q[i]);
            outside += fmax(0, q[i]) * fmax(0, q[i]);
        }
        return (inside > 0 ? sqrt(outside) : inside) - b->shape.rounding;
    case TRX_SHAPE_MESH: return mesh_distance(b->shape.hull, l) - b->shape.rounding;
    case TRX_SHAPE_ELLIPSOID: return ellipsoid_distance(b->shape.size, l) - b->shape.rounding;
    case TRX_SHAPE_CYLINDER:
        q[0] = hypot(l[0], l[1]) - b->shape.radius;
        q[1] = fabs(l[2]) - b->shape.length / 2;
        inside = fmax(q[0], q[1]);
        return (inside > 0 ? hypot(fmax(0, q[0]), fmax(0, q[1])) : inside) - b->shape.rounding;
    }
    return NAN;
}

void check_witnesses(const body *A, const body *B, double tolerance, const trxi_contact_point *c)
{
    double b[3];
    trxi_copy3(c->a, b);
    trxi_axpy3(c->phi, c->n, b);
    assert_close(trxi_norm3(c->n), 1, 1e-14);
    assert_close(surface_distance(A, c->a), 0, tolerance);
    assert_close(surface_distance(B, b), 0, tolerance);
    ck_assert_msg(c->tie >= 0, "tie %g", c->tie);
    // outside each other, the normal leads out of A and into B
    if (c->phi > 1e-3) {
        double ahead[3], behind[3];
        trxi_copy3(c->a, ahead);
        trxi_axpy3(1e-4, c->n, ahead);
        trxi_copy3(b, behind);
        trxi_axpy3(-1e-4, c->n, behind);
        assert_close(surface_distance(A, ahead), 1e-4, 1e-10 + tolerance);
        ck_assert(surface_distance(B, behind) > 0);
    }
}

// the displacement t w, t u: rotation about `about`, then translation
typedef struct motion {
    double w[3], u[3], about[3];
} motion;

static body moved(const body *b, const motion *m, double t)
{
    body out = *b;
    double w[3], turn[9], arm[3];
    trxi_scale3(t, m->w, w);
    trxi_exp33(w, turn);
    trxi_mul33(turn, b->R, out.R);
    trxi_sub3(b->p, m->about, arm);
    trxi_mulv3(turn, arm, out.p);
    for (int i = 0; i < 3; i++) out.p[i] += m->about[i] + t * m->u[i];
    return out;
}

// displacement of the material of a moving body at a point
static void material(const motion *m, const double point[3], double out[3])
{
    double arm[3];
    trxi_sub3(point, m->about, arm);
    trxi_cross3(m->w, arm, out);
    trxi_add3(out, m->u, out);
}

static motion random_motion(dice *d)
{
    motion m;
    random_vector(d, 0.5, m.w);
    random_vector(d, 0.1, m.u);
    random_vector(d, 0.1, m.about);
    return m;
}

void check_invariance(dice *d, const body *A, const body *B)
{
    trxi_contact_point before[TRXI_MAX_CONTACT_POINTS], after[TRXI_MAX_CONTACT_POINTS];
    motion m = random_motion(d);
    body movedA = moved(A, &m, 1), movedB = moved(B, &m, 1);
    double turn[9];
    trxi_exp33(m.w, turn);
    int count = collide(A, B, before);
    ck_assert_int_eq(collide(&movedA, &movedB, after), count);

    for (int k = 0; k < count; k++) {
        if (before[k].tie < 1e-6) continue;
        ck_assert_int_eq(before[k].feature, after[k].feature);
        assert_close(after[k].phi, before[k].phi, 1e-14);
        double n[3], a[3], half[9], M[9];
        trxi_mulv3(turn, before[k].n, n);
        assert_below(max_difference(n, after[k].n, 3), 1e-12);
        trxi_sub3(before[k].a, m.about, a);
        trxi_mulv3(turn, a, half);
        for (int i = 0; i < 3; i++) a[i] = half[i] + m.about[i] + m.u[i];
        assert_below(max_difference(a, after[k].a, 3), 1e-12);

        const double *was[4] = {before[k].dn_dtheta, before[k].dn_dx, before[k].da_dtheta, before[k].da_dx};
        const double *is[4] = {after[k].dn_dtheta, after[k].dn_dx, after[k].da_dtheta, after[k].da_dx};
        for (int i = 0; i < 4; i++) {
            trxi_mul33(turn, was[i], half);
            trxi_mul33_bt(half, turn, M);
            assert_below(max_difference(M, is[i], 9), 1e-9 * (1 + max_magnitude(M, 9)));
        }
        ck_assert(before[k].sliding == after[k].sliding);
        if (!before[k].sliding) continue;
        trxi_mulv3(turn, before[k].dphi_dx, n);
        assert_below(max_difference(n, after[k].dphi_dx, 3), 1e-9 * (1 + max_magnitude(n, 3)));
        trxi_mulv3(turn, before[k].dphi_dtheta, n);
        assert_below(max_difference(n, after[k].dphi_dtheta, 3), 1e-9 * (1 + max_magnitude(n, 3)));
    }
}

// phi, n, a of the point with this feature at time t along the motions
static void sample(contact_function *contacts, const body *A, const body *B, const motion m[2], double t, int feature,
                   double out[7])
{
    trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
    body a = moved(A, &m[0], t), b = moved(B, &m[1], t);
    int count = contacts(&a, &b, points), k = 0;
    while (k < count && points[k].feature != feature) k++;
    ck_assert_msg(k < count, "feature %d is lost at %g", feature, t);
    out[0] = points[k].phi;
    trxi_copy3(points[k].n, out + 1);
    trxi_copy3(points[k].a, out + 4);
}

void check_derivatives(dice *d, const body *A, const body *B, int index)
{
    check_derivatives_of(d, collide, A, B, index);
}

void check_derivatives_of(dice *d, contact_function *contacts, const body *A, const body *B, int index)
{
    trxi_contact_point points[TRXI_MAX_CONTACT_POINTS];
    ck_assert_int_gt(contacts(A, B, points), index);
    const trxi_contact_point *c = points + index;
    motion m[2] = {random_motion(d), random_motion(d)};

    // central differences of fourth order
    const double e = 1e-4;
    double f[4][7], reference[7];
    for (int i = 0; i < 4; i++) sample(contacts, A, B, m, (i - 2 + (i > 1)) * e, c->feature, f[i]);
    for (int i = 0; i < 7; i++) reference[i] = (8 * (f[2][i] - f[1][i]) - (f[3][i] - f[0][i])) / (12 * e);

    // the header's formulas
    double uA[3], uB[3], x[3], theta[3], analytic[7], part[3];
    material(&m[0], c->a, uA);
    material(&m[1], c->a, uB);
    trxi_sub3(uB, uA, x);
    trxi_sub3(m[1].w, m[0].w, theta);
    analytic[0] = trxi_dot3(c->n, x);
    if (c->sliding) analytic[0] += trxi_dot3(c->dphi_dx, x) + trxi_dot3(c->dphi_dtheta, theta);
    trxi_cross3(m[0].w, c->n, analytic + 1);
    trxi_copy3(uA, analytic + 4);
    trxi_mulv3(c->dn_dtheta, theta, part);
    trxi_add3(analytic + 1, part, analytic + 1);
    trxi_mulv3(c->dn_dx, x, part);
    trxi_add3(analytic + 1, part, analytic + 1);
    trxi_mulv3(c->da_dtheta, theta, part);
    trxi_add3(analytic + 4, part, analytic + 4);
    trxi_mulv3(c->da_dx, x, part);
    trxi_add3(analytic + 4, part, analytic + 4);

    // phi, n and a apart, relative to the size of the motion
    double size = trxi_norm3(x) + trxi_norm3(uA);
    assert_close(analytic[0], reference[0], 1e-8 * (fabs(reference[0]) + 1e-2 * size));
    assert_below(max_difference(analytic + 1, reference + 1, 3), 1e-8 * max_magnitude(reference + 1, 3));
    assert_below(max_difference(analytic + 4, reference + 4, 3), 1e-8 * max_magnitude(reference + 4, 3));
    assert_close(trxi_dot3(analytic + 1, c->n), 0, 1e-12 * (1 + max_magnitude(analytic + 1, 3)));
    ck_assert(max_magnitude(reference + 1, 3) > 1e-6 && max_magnitude(reference + 4, 3) > 1e-6);
}
