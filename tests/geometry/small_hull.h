// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Convex hulls for the tests of pairs, made by looking at every triple of points: slow, obvious, and independent of the hulls
// that models are built with.

#ifndef TESTS_GEOMETRY_SMALL_HULL_H
#define TESTS_GEOMETRY_SMALL_HULL_H

#include "geometry/hull.h"

enum { MAX_HULL_POINTS = 40 };

/// The hull of `count` points (3 numbers each, at most MAX_HULL_POINTS), about their mean. A hull is valid until 64 other hulls
/// have been made. Faces hold all their points; those within 1e-10 of a face's plane belong to it.
const trxi_hull *small_hull(int count, const double *points);

#endif
