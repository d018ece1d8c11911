// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pyramid of friction (theory 4): see pyramid.h. A point belongs to the face k whose normal d_k is nearest to its direction.
// With e_k across d_k and h = tan(pi/sides), the nearest point of the polygon with faces at the distance a is
//
//     y = s d_k + t e_k      inside: s <= a      on the face: a d_k + t e_k, |t| <= a h      at a corner: a (d_k +- h e_k)
//
// Four sides clamp each tangent for itself.

#include "contact/pyramid.h"

#include "contact/row_block.h"
#include "math/constants.h"

#include <math.h>

enum { NUMBER = TRXI_CORNER << 1 }; // unit of the number in a branch

void trxi_pyramid_normal(int sides, int k, double d[2])
{
    const int quarter = 4 * k / sides, rest = 4 * k - quarter * sides;
    const double angle = 0.5 * TRXI_PI * rest / sides, c = rest ? cos(angle) : 1, s = rest ? sin(angle) : 0;
    const double turned[4][2] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
    d[0] = turned[quarter % 4][0], d[1] = turned[quarter % 4][1];
}

static double half_side(int sides)
{
    return sides == 4 ? 1 : tan(TRXI_PI / sides);
}

void trxi_pyramid_corner(int sides, int k, double corner[2])
{
    const double h = half_side(sides);
    double d[2];
    trxi_pyramid_normal(sides, k, d);
    corner[0] = d[0] - h * d[1], corner[1] = d[1] + h * d[0];
}

// the face of y: its number, its normal, and y along and across the normal
typedef struct face {
    int k;
    double d[2], s, t;
} face;

static face face_of(int sides, const double y[2])
{
    face out = {.k = (int)lround(atan2(y[1], y[0]) * sides / (2 * TRXI_PI))};
    if (out.k < 0) out.k += sides;
    if (out.k == sides) out.k = 0;
    trxi_pyramid_normal(sides, out.k, out.d);
    out.s = y[0] * out.d[0] + y[1] * out.d[1];
    out.t = y[1] * out.d[0] - y[0] * out.d[1];
    return out;
}

int trxi_pyramid_bound(int sides, double most, double f[2])
{
    const face at = face_of(sides, f);
    if (at.s <= most && most > 0) return TRXI_SAP_STICK;
    const double half = most * half_side(sides), t = fmin(half, fmax(-half, at.t));
    f[0] = most * at.d[0] - t * at.d[1], f[1] = most * at.d[1] + t * at.d[0];
    if (fabs(at.t) < half) return TRXI_SAP_SLIDE | TRXI_FACE | at.k * NUMBER;
    const int corner = at.t > 0 ? at.k : (at.k + sides - 1) % sides;
    return TRXI_SAP_SLIDE | TRXI_CORNER | corner * NUMBER;
}

int trxi_pyramid_number(int branch)
{
    return branch / NUMBER;
}

void trxi_pyramid_sticks(int sides, int branch, double S[3])
{
    const bool all = branch & TRXI_SAP_STICK;
    double d[2] = {0, 0};
    if (branch & TRXI_FACE) trxi_pyramid_normal(sides, trxi_pyramid_number(branch), d);
    S[0] = all ? 1 : d[1] * d[1], S[1] = -d[0] * d[1], S[2] = all ? 1 : d[0] * d[0];
}

void trxi_pyramid_borders(int sides, const double y[2], double *face_border, double *corner_border)
{
    const face at = face_of(sides, y);
    *face_border = at.s;
    *corner_border = fabs(at.t) / half_side(sides);
}
