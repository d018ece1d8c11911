// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Area and moments of inertia of the surfaces of primitives about their centres, for `shellinertia`. With the mass s
// of the side, c of the lids and b of the ball that a capsule's caps make together, radius r and half length h,
//
//     cylinder   Izz = s r^2 + c r^2/2          Ixx = s (r^2/2 + h^2/3) + c (r^2/4 + h^2)
//     capsule    Izz = s r^2 + b 2/3 r^2        Ixx = s (r^2/2 + h^2/3) + b (2/3 r^2 + h^2 + h r)
//
// because the centre of mass of half a ball's surface is r/2 from its rim. A box is three pairs of faces. The
// surface of an ellipsoid has no closed form and is not supported.

#include "import/mjcf/mjcf.h"

#include "math/constants.h"

static double round_shell(double r, double h, double ends, double end_axial, double end_lateral, double tensor[6])
{
    double side = 4 * TRXI_PI * r * h;
    tensor[0] = tensor[1] = side * (r * r / 2 + h * h / 3) + ends * end_lateral;
    tensor[2] = side * r * r + ends * end_axial;
    return side + ends;
}

// faces across axis k, at +-a_k, with the other half lengths a_i and a_j
static double box_shell(const double size[3], double tensor[6])
{
    double area = 0;
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double a = size[i] / 2, b = size[j] / 2, c = size[k] / 2, faces = 8 * a * b;
        area += faces;
        tensor[k] += faces * (a * a + b * b) / 3;
        tensor[i] += faces * (b * b / 3 + c * c);
        tensor[j] += faces * (a * a / 3 + c * c);
    }
    return area;
}

double trxi_mjcf_shell(const trx_shape *shape, double tensor[6])
{
    double r = shape->radius, h = shape->length / 2, square = r * r;
    for (int k = 0; k < 6; k++) tensor[k] = 0;
    switch (shape->type) {
    case TRX_SHAPE_BOX: return box_shell(shape->size, tensor);
    case TRX_SHAPE_SPHERE: return round_shell(r, 0, 4 * TRXI_PI * square, 2 * square / 3, 2 * square / 3, tensor);
    case TRX_SHAPE_CYLINDER: return round_shell(r, h, 2 * TRXI_PI * square, square / 2, square / 4 + h * h, tensor);
    case TRX_SHAPE_CAPSULE:
        return round_shell(r, h, 4 * TRXI_PI * square, 2 * square / 3, 2 * square / 3 + h * h + h * r, tensor);
    default: return 0;
    }
}
