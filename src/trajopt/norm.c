// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Norms of residuals (theory 7), with the scale s:
//
//     square       r^2
//     huber        r^2 for |r| <= s, else s (2 |r| - s)
//     smooth_abs   sqrt(r^2 + s^2) - s
//
// The curvature is rho'(r)/r. The parabola with this curvature touches rho at r and at -r and lies above it elsewhere, so a
// step to its minimum never overshoots. rho'' is smaller. In the linear part of huber rho'' is 0 and would define no step.

#include "trajopt/norm.h"

#include <math.h>

double trxi_norm_value(trx_norm norm, double scale, double weight, double r)
{
    const double size = fabs(r);
    switch (norm) {
    case TRX_HUBER: return size <= scale ? weight * r * r : weight * scale * (2 * size - scale);
    // sqrt(r^2 + s^2) - s without cancellation near r = 0
    case TRX_SMOOTH_ABS: return weight * r * r / (sqrt(r * r + scale * scale) + scale);
    default: return weight * r * r;
    }
}

double trxi_norm_curvature(trx_norm norm, double scale, double weight, double r)
{
    const double size = fabs(r);
    switch (norm) {
    case TRX_HUBER: return size <= scale ? 2 * weight : 2 * weight * scale / size;
    case TRX_SMOOTH_ABS: return weight / sqrt(r * r + scale * scale);
    default: return 2 * weight;
    }
}
