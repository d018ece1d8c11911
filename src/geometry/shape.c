// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Volumes and moments of inertia of uniform solids about their centres, in closed form, for the bodies whose inertia
// (M of theory 2) is given by mass or density. A capsule is a cylinder of length L and two half balls; a half ball's
// centre of mass lies 3r/8 from its flat side, so that the two together, of mass m_s, have across the axis
//
//     m_s (2/5 r^2 + L^2/4 + 3/8 L r).

#include "geometry/shape.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static const double pi = 3.14159265358979323846;

static bool is_length(double x)
{
    return x > 0 && isfinite(x);
}

const char *trx_shape_name(trx_shape_type type)
{
    switch (type) {
    case TRX_SHAPE_HALFSPACE: return "halfspace";
    case TRX_SHAPE_BOX: return "box";
    case TRX_SHAPE_CYLINDER: return "cylinder";
    case TRX_SHAPE_CAPSULE: return "capsule";
    case TRX_SHAPE_SPHERE: return "sphere";
    }
    return "";
}

const char *trxi_shape_defect(const trx_shape *shape)
{
    switch (shape->type) {
    case TRX_SHAPE_HALFSPACE: return NULL;
    case TRX_SHAPE_BOX:
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

double trxi_shape_volume(const trx_shape *shape)
{
    const double *s = shape->size, r = shape->radius, L = shape->length;
    switch (shape->type) {
    case TRX_SHAPE_HALFSPACE: return INFINITY;
    case TRX_SHAPE_BOX: return s[0] * s[1] * s[2];
    case TRX_SHAPE_CYLINDER: return pi * r * r * L;
    case TRX_SHAPE_CAPSULE: return pi * r * r * (L + 4.0 / 3.0 * r);
    case TRX_SHAPE_SPHERE: return 4.0 / 3.0 * pi * r * r * r;
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

void trxi_shape_inertia(const trx_shape *shape, double mass, double inertia[3])
{
    const double *s = shape->size, r = shape->radius, L = shape->length;
    double across = 0, about = 0;
    switch (shape->type) {
    case TRX_SHAPE_HALFSPACE: break;
    case TRX_SHAPE_BOX:
        for (int i = 0; i < 3; i++) {
            double d1 = s[(i + 1) % 3], d2 = s[(i + 2) % 3];
            inertia[i] = mass / 12 * (d1 * d1 + d2 * d2);
        }
        return;
    case TRX_SHAPE_CYLINDER:
        across = mass * (r * r / 4 + L * L / 12);
        about = mass * r * r / 2;
        break;
    case TRX_SHAPE_CAPSULE: capsule_inertia(r, L, mass, &across, &about); break;
    case TRX_SHAPE_SPHERE: across = about = 0.4 * mass * r * r; break;
    }
    inertia[0] = inertia[1] = across;
    inertia[2] = about;
}

double trxi_shape_bounding_radius(const trx_shape *shape)
{
    const double *s = shape->size;
    switch (shape->type) {
    case TRX_SHAPE_HALFSPACE: return INFINITY;
    case TRX_SHAPE_BOX: return 0.5 * sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    case TRX_SHAPE_CYLINDER: return hypot(shape->radius, shape->length / 2);
    case TRX_SHAPE_CAPSULE: return shape->radius + shape->length / 2;
    case TRX_SHAPE_SPHERE: return shape->radius;
    }
    return NAN;
}
