// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The ten numbers of a body's inertia by ten free ones (theory 10): z = 0 is the body at the start, and every z is a body that can exist.
// The numbers are those of trx_body_inertia, in its order.

#ifndef TRXI_FIT_BODY_CHART_H
#define TRXI_FIT_BODY_CHART_H

#include <stdbool.h>

enum { TRXI_BODY_NUMBERS = 10 };

/// Values at z, and their derivatives (10 x 10, NULL: not wanted).
void trxi_body_chart_values(const double start[10], const double z[10], double values[10], double *jacobian);

/// z at the values. False when the start or the values are no inertia of a body with mass and extent in all directions.
bool trxi_body_chart_unknowns(const double start[10], const double values[10], double z[10]);

/// The relative change of second moments per unit of a number of z, at the start: 2 for scales, 1 for the others.
double trxi_body_chart_gauge(int number);

#endif
