// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the tests of pairs: shapes that own their pose, random numbers, and checks that contact points of every
// pair must pass.

#ifndef TESTS_GEOMETRY_PROBE_H
#define TESTS_GEOMETRY_PROBE_H

#include "geometry/contact_geometry.h"
#include "math/rotation.h"
#include "support/support.h"

#include <stdint.h>

typedef struct body {
    trx_shape shape;
    double R[9];
    double p[3];
} body;

typedef struct dice {
    uint64_t seed;
    uint64_t index;
} dice;

double uniform(dice *d, double lo, double hi);
void random_vector(dice *d, double scale, double out[3]); // normal components
void random_direction(dice *d, double out[3]);
void random_rotation(dice *d, double R[9]);

/// A body at the origin without rotation.
body sphere_body(double radius);
body capsule_body(double radius, double length);
body box_body(double x, double y, double z);
body halfspace_body(void);
body cylinder_body(double radius, double length);
body ellipsoid_body(double x, double y, double z);
/// A mesh that touches as the hull of the points (small_hull.h), whose mean is moved to the origin.
body mesh_body(int count, const double *points);

/// A body of random size (0.02 to 0.2 m) and rotation within `spread` [m] of the origin. A mesh has 4 to 20 corners; every
/// other mesh, cylinder and ellipsoid, and no box, is rounded.
body random_body(dice *d, trx_shape_type type, double spread);

trxi_placed_shape placed(const body *b);

/// trxi_collide with derivatives and a margin that leaves nothing out.
int collide(const body *A, const body *B, trxi_contact_point *points);

/// A function with the contract of `collide`.
typedef int contact_function(const body *A, const body *B, trxi_contact_point *points);

/// Signed distance of a point from the surface of a body, from textbook formulas [m].
double surface_distance(const body *b, const double point[3]);

/// Unit normal; a on A's surface, b on B's within `tolerance` [m], phi apart along n.
void check_witnesses(const body *A, const body *B, double tolerance, const trxi_contact_point *c);

/// Moving the whole scene rigidly moves all points and derivatives with it.
void check_invariance(dice *d, const body *A, const body *B);

/// The derivatives of point `index` against differences of fourth order along one random motion of both bodies,
/// to 1e-8. The feature must stay the same meanwhile.
void check_derivatives(dice *d, const body *A, const body *B, int index);
void check_derivatives_of(dice *d, contact_function *contacts, const body *A, const body *B, int index);

#endif
