// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Volumes and moments of inertia of uniform solids about their centres, in closed form, for the bodies whose inertia
// (M of theory 2) is given by mass or density. A capsule is a cylinder of length L and two half balls; a half ball's
// centre of mass lies 3r/8 from its flat side, so that the two half balls, of total mass m_s, have the moment across the axis
//
//     m_s (2/5 r^2 + L^2/4 + 3/8 L r).

#include "geometry/shape.h"

#include "geometry/height_field.h"
#include "geometry/hull.h"
#include "geometry/mesh.h"
#include "math/constants.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static bool is_length(double x)
{
    return x > 0 && isfinite(x);
}

const char *trx_shape_name(trx_shape_type type)
{
    static const char *const names[] = {"halfspace", "mesh", "box", "cylinder", "ellipsoid", "capsule", "sphere", "heightfield"};
    return (int)type >= 0 && type <= TRX_SHAPE_HEIGHT_FIELD ? names[type] : "";
}

trx_decomposition trx_decomposition_default(void)
{
    return (trx_decomposition){.most = 0, .tolerance = NAN, .share = 0.02};
}

trx_shape trx_shape_default(trx_shape_type type)
{
    return (trx_shape){.type = type};
}

const char *trxi_shape_defect(const trx_shape *shape)
{
    if (!(shape->rounding >= 0 && isfinite(shape->rounding))) return "rounding must be finite and not negative";
    switch (shape->type) {
    case TRX_SHAPE_HALFSPACE: return NULL;
    case TRX_SHAPE_HEIGHT_FIELD: return trxi_height_field_defect(shape);
    case TRX_SHAPE_MESH: return shape->mesh ? trxi_mesh_defect(shape->mesh) : "a mesh shape needs a mesh";
    case TRX_SHAPE_BOX:
    case TRX_SHAPE_ELLIPSOID:
        for (int i = 0; i < 3; i++)
            if (!is_length(shape->size[i])) return "each size must be positive and finite";
        return NULL;
    case TRX_SHAPE_CYLINDER:
    case TRX_SHAPE_CAPSULE:
        if (!is_length(shape->radius)) return "radius must be positive and finite";
        if (!is_length(shape->length)) return "length must be positive and finite";
        return NULL;
    case TRX_SHAPE_SPHERE:
        if (!is_length(shape->radius)) return "radius must be positive and finite";
        return NULL;
    }
    return "type is unknown";
}

static double mesh_volume(const trx_mesh *mesh)
{
    trxi_mesh_integrals integrals;
    trxi_mesh_integrate(mesh, &integrals);
    return fabs(integrals.volume);
}

double trxi_shape_volume(const trx_shape *shape)
{
    const double *s = shape->size, r = shape->radius, L = shape->length;
    switch (shape->type) {
    case TRX_SHAPE_HALFSPACE:
    case TRX_SHAPE_HEIGHT_FIELD: return INFINITY;
    case TRX_SHAPE_MESH: return mesh_volume(shape->mesh);
    case TRX_SHAPE_BOX: return s[0] * s[1] * s[2];
    case TRX_SHAPE_ELLIPSOID: return TRXI_PI / 6 * s[0] * s[1] * s[2];
    case TRX_SHAPE_CYLINDER: return TRXI_PI * r * r * L;
    case TRX_SHAPE_CAPSULE: return TRXI_PI * r * r * (L + 4.0 / 3.0 * r);
    case TRX_SHAPE_SPHERE: return 4.0 / 3.0 * TRXI_PI * r * r * r;
    }
    return NAN;
}

// moments across the axis and about it, of a capsule of mass m
static void capsule_inertia(double r, double L, double m, double *across, double *about)
{
    // shares of the cylinder and of the two half balls
    double m_c = m * L / (L + 4.0 / 3.0 * r);
    double m_s = m - m_c;
    *across = m_c * (r * r / 4 + L * L / 12) + m_s * (0.4 * r * r + L * L / 4 + 0.375 * L * r);
    *about = m_c * r * r / 2 + m_s * 0.4 * r * r;
}

static void mesh_inertia(const trx_mesh *mesh, double mass, double com[3], double tensor[6])
{
    trxi_mesh_integrals integrals;
    trxi_mesh_integrate(mesh, &integrals);
    for (int i = 0; i < 3; i++) com[i] = integrals.com[i];
    for (int i = 0; i < 6; i++) tensor[i] = mass * integrals.moment[i] / integrals.volume;
}

// principal moment i is mass * share * (sum of the squares of the two other sizes)
static void moments(const double size[3], double share, double mass, double tensor[6])
{
    for (int i = 0; i < 3; i++) {
        double d1 = size[(i + 1) % 3], d2 = size[(i + 2) % 3];
        tensor[i] = mass * share * (d1 * d1 + d2 * d2);
    }
}

void trxi_shape_inertia(const trx_shape *shape, double mass, double com[3], double tensor[6])
{
    const double r = shape->radius, L = shape->length;
    double across = 0, about = 0;
    com[0] = com[1] = com[2] = 0;
    tensor[3] = tensor[4] = tensor[5] = 0;
    switch (shape->type) {
    case TRX_SHAPE_HALFSPACE:
    case TRX_SHAPE_HEIGHT_FIELD: break;
    case TRX_SHAPE_MESH: mesh_inertia(shape->mesh, mass, com, tensor); return;
    case TRX_SHAPE_BOX: moments(shape->size, 1.0 / 12, mass, tensor); return;
    case TRX_SHAPE_ELLIPSOID: moments(shape->size, 1.0 / 20, mass, tensor); return;
    case TRX_SHAPE_CYLINDER:
        across = mass * (r * r / 4 + L * L / 12);
        about = mass * r * r / 2;
        break;
    case TRX_SHAPE_CAPSULE: capsule_inertia(r, L, mass, &across, &about); break;
    case TRX_SHAPE_SPHERE: across = about = 0.4 * mass * r * r; break;
    }
    tensor[0] = tensor[1] = across;
    tensor[2] = about;
}

double trxi_shape_bounding_radius(const trx_shape *shape)
{
    const double *s = shape->size, rounding = shape->rounding;
    switch (shape->type) {
    case TRX_SHAPE_HALFSPACE:
    case TRX_SHAPE_HEIGHT_FIELD: return INFINITY;
    case TRX_SHAPE_MESH: return shape->hull ? shape->hull->radius + rounding : INFINITY;
    case TRX_SHAPE_BOX: return 0.5 * sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) + rounding;
    case TRX_SHAPE_CYLINDER: return hypot(shape->radius, shape->length / 2) + rounding;
    case TRX_SHAPE_ELLIPSOID: return 0.5 * fmax(s[0], fmax(s[1], s[2])) + rounding;
    case TRX_SHAPE_CAPSULE: return shape->radius + shape->length / 2;
    case TRX_SHAPE_SPHERE: return shape->radius;
    }
    return NAN;
}
