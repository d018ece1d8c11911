// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The repair of principal moments; see repair_inertia.h. With the sum T of the moments, I1 + I2 >= I3 says that no
// moment is larger than T/2. The other two then sum to at least T/2, so none is negative. The possible moments of
// one sum form a triangle with the corners (0, T/2, T/2), .... Its nearest point is found by cutting the excess of
// a moment and distributing it over the others. Without a given sum, the possible moments are the cone over this
// triangle, with the faces I1 + I2 = I3 and the edges (0, 1, 1).

#include "import/repair_inertia.h"

#include <math.h>

void trxi_bound_inertia(double *mass, double moments[3])
{
    *mass = fmax(*mass, TRXI_LEAST_MASS);
    double least = 0.4 * *mass * TRXI_LEAST_RADIUS * TRXI_LEAST_RADIUS;
    for (int i = 0; i < 3; i++) moments[i] = fmax(moments[i], least);

    // raises the smallest moment to the second, then both
    double missing = moments[2] - moments[1] - moments[0];
    if (missing <= 0) return;
    double first = fmin(missing, moments[1] - moments[0]);
    moments[0] += first + (missing - first) / 2;
    moments[1] += (missing - first) / 2;
}

void trxi_nearest_moments(double moments[3])
{
    double missing = (moments[2] - moments[1] - moments[0]) / 3;
    if (missing <= 0 && moments[0] >= 0) return;
    if (moments[0] + missing > 0) {
        moments[0] += missing, moments[1] += missing, moments[2] -= missing;
        return;
    }
    moments[2] = moments[1] = fmax((moments[1] + moments[2]) / 2, 0);
    moments[0] = 0;
}

bool trxi_balance_moments(double moments[3])
{
    double half = (moments[0] + moments[1] + moments[2]) / 2, excess = moments[2] - half;
    if (!(half > 0)) return false;
    if (excess <= 0) return true;
    moments[2] = half;
    moments[1] += excess / 2;
    moments[0] += excess / 2;

    // if the rest is too large for one moment, the nearest point is a corner
    if (moments[1] > half) moments[1] = half, moments[0] = 0;
    return true;
}
