// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Samples of surfaces, uniform by area except on ellipsoids (theory 9). A rounded shape is sampled on its core; the point
// then moves outward by the rounding.
//
//     sphere      p = r d                     d uniform on the unit sphere
//     capsule     side: p = (r cos, r sin, z); caps: p = r d +- (0, 0, l/2)
//     cylinder    side, or a cap at radius r sqrt(u)
//     ellipsoid   p = H d, n ~ H^-1 d         H = diag of the semi-axes
//     box, mesh   a facet by area, then a point of a triangle with barycentric coordinates 1 - sqrt(u), sqrt(u)(1 - w), sqrt(u) w

#include "search/surface.h"

#include "base/random.h"
#include "geometry/hull.h"
#include "math/constants.h"
#include "math/vec3.h"

// random numbers of one sample
typedef struct stream {
    uint64_t seed, next;
} stream;

static double draw(stream *s)
{
    return trxi_random_uniform(s->seed, s->next++);
}

static void draw_direction(stream *s, double d[3])
{
    double z = 2 * draw(s) - 1, angle = 2 * TRXI_PI * draw(s), r = sqrt(fmax(0, 1 - z * z));
    trxi_set3(r * cos(angle), r * sin(angle), z, d);
}

static void draw_circle(stream *s, double d[3])
{
    double angle = 2 * TRXI_PI * draw(s);
    trxi_set3(cos(angle), sin(angle), 0, d);
}

static trxi_surface_point on_sphere(double radius, stream *s)
{
    trxi_surface_point out;
    draw_direction(s, out.n);
    trxi_scale3(radius, out.n, out.p);
    return out;
}

static trxi_surface_point on_capsule(const trx_shape *shape, stream *s)
{
    trxi_surface_point out;
    const double r = shape->radius, l = shape->length, side = l / (l + 2 * r);
    if (draw(s) < side) {
        draw_circle(s, out.n);
        trxi_scale3(r, out.n, out.p);
        out.p[2] = l * (draw(s) - 0.5);
        return out;
    }
    out = on_sphere(r, s);
    out.p[2] += copysign(0.5 * l, out.n[2]);
    return out;
}

static trxi_surface_point on_cylinder(const trx_shape *shape, stream *s)
{
    trxi_surface_point out;
    const double r = shape->radius, l = shape->length, side = l / (l + r);
    if (draw(s) < side) {
        draw_circle(s, out.n);
        trxi_scale3(r, out.n, out.p);
        out.p[2] = l * (draw(s) - 0.5);
        return out;
    }
    double up = draw(s) < 0.5 ? -1 : 1;
    draw_circle(s, out.p);
    trxi_scale3(r * sqrt(draw(s)), out.p, out.p);
    out.p[2] = 0.5 * up * l;
    trxi_set3(0, 0, up, out.n);
    return out;
}

static trxi_surface_point on_ellipsoid(const trx_shape *shape, stream *s)
{
    trxi_surface_point out;
    double d[3];
    draw_direction(s, d);
    for (int i = 0; i < 3; i++) {
        out.p[i] = 0.5 * shape->size[i] * d[i];
        out.n[i] = d[i] / (0.5 * shape->size[i]);
    }
    trxi_normalize3(out.n, out.n);
    return out;
}

static double face_area(const double size[3], int axis)
{
    return size[(axis + 1) % 3] * size[(axis + 2) % 3];
}

static trxi_surface_point on_box(const double size[3], stream *s)
{
    const double whole = face_area(size, 0) + face_area(size, 1) + face_area(size, 2);
    double pick = draw(s) * whole;
    int axis = 0;
    while (axis < 2 && pick >= face_area(size, axis)) pick -= face_area(size, axis++);
    trxi_surface_point out = {{0}, {0}};
    out.n[axis] = draw(s) < 0.5 ? -1 : 1;
    for (int i = 0; i < 3; i++) out.p[i] = i == axis ? 0.5 * size[i] * out.n[i] : size[i] * (draw(s) - 0.5);
    return out;
}

// corner i of the fan of triangles of a face; corner 0 is common
static const double *corner(const trxi_hull *hull, int face, int i)
{
    return hull->vertices + 3 * hull->loops[hull->face_start[face] + i];
}

static double triangle_area(const double *a, const double *b, const double *c)
{
    double ab[3], ac[3], cross[3];
    trxi_sub3(b, a, ab);
    trxi_sub3(c, a, ac);
    trxi_cross3(ab, ac, cross);
    return 0.5 * trxi_norm3(cross);
}

// visits the triangles of a hull until their area exceeds `pick`; returns the visited area
static double find_triangle(const trxi_hull *hull, double pick, int *face, int *at)
{
    double area = 0;
    for (int f = 0; f < hull->nface; f++)
        for (int i = 1; i + 1 < hull->face_start[f + 1] - hull->face_start[f]; i++) {
            *face = f, *at = i;
            area += triangle_area(corner(hull, f, 0), corner(hull, f, i), corner(hull, f, i + 1));
            if (area > pick) return area;
        }
    return area;
}

static trxi_surface_point on_hull(const trxi_hull *hull, stream *s)
{
    int face = 0, at = 1;
    const double whole = find_triangle(hull, INFINITY, &face, &at);
    find_triangle(hull, draw(s) * whole, &face, &at);
    const double root = sqrt(draw(s)), w = draw(s), share[3] = {1 - root, root * (1 - w), root * w};
    trxi_surface_point out;
    trxi_copy3(hull->centre, out.p);
    for (int i = 0; i < 3; i++) trxi_axpy3(share[i], corner(hull, face, i == 0 ? 0 : at + i - 1), out.p);
    trxi_copy3(hull->faces + 4 * face, out.n);
    return out;
}

trxi_surface_point trxi_surface_sample(const trx_shape *shape, uint64_t seed, uint64_t index)
{
    stream s = {seed, 16 * index};
    trxi_surface_point out = {{0}, {0, 0, 1}};
    switch (shape->type) {
    case TRX_SHAPE_SPHERE: out = on_sphere(shape->radius, &s); break;
    case TRX_SHAPE_CAPSULE: out = on_capsule(shape, &s); break;
    case TRX_SHAPE_CYLINDER: out = on_cylinder(shape, &s); break;
    case TRX_SHAPE_ELLIPSOID: out = on_ellipsoid(shape, &s); break;
    case TRX_SHAPE_BOX: out = on_box(shape->size, &s); break;
    case TRX_SHAPE_MESH:
        if (shape->hull) out = on_hull(shape->hull, &s);
        break;
    default: break;
    }
    trxi_axpy3(shape->rounding, out.n, out.p);
    return out;
}
