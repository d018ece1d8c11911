// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pairs behind trxi_collide (its contract holds for each of them), and the two derivative forms they share
// (theory 6).

#ifndef TRXI_GEOMETRY_PAIRS_H
#define TRXI_GEOMETRY_PAIRS_H

#include "geometry/contact_geometry.h"
#include "math/vec3.h"

typedef int trxi_pair_function(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                               trxi_contact_point *points);

trxi_pair_function trxi_collide_halfspace_sphere;
trxi_pair_function trxi_collide_halfspace_capsule;
trxi_pair_function trxi_collide_halfspace_box;
trxi_pair_function trxi_collide_halfspace_mesh;
trxi_pair_function trxi_collide_halfspace_cylinder;
trxi_pair_function trxi_collide_halfspace_ellipsoid;
trxi_pair_function trxi_collide_box_box;
trxi_pair_function trxi_collide_box_capsule;
trxi_pair_function trxi_collide_box_sphere;
trxi_pair_function trxi_collide_capsule_sphere;
trxi_pair_function trxi_collide_capsule_capsule;
trxi_pair_function trxi_collide_sphere_sphere;
trxi_pair_function trxi_collide_convex; // any two but halfspaces

// out = s M [n]x for a symmetric M: row i of M [n]x is (row i of M) x n
static inline void trxi_arm33(double s, const double M[9], const double n[3], double out[9])
{
    for (int i = 0; i < 3; i++) {
        const double *row = M + 3 * i;
        out[i] = s * (row[1] * n[2] - row[2] * n[1]);
        out[i + 3] = s * (row[2] * n[0] - row[0] * n[2]);
        out[i + 6] = s * (row[0] * n[1] - row[1] * n[0]);
    }
}

/// Derivatives when the contact is decided by one material point of B at a + arm n (a sphere's centre, a corner)
/// and dn_dx, da_dx (both symmetric) are known: that point moves by x + theta x (arm n).
static inline void trxi_derive_theta(double arm, trxi_contact_point *c)
{
    trxi_arm33(-arm, c->dn_dx, c->n, c->dn_dtheta);
    trxi_arm33(-arm, c->da_dx, c->n, c->da_dtheta);
}

/// Derivatives when A's surface is a plane there: the normal turns with A, the witness point follows B's
/// material point at a + arm n along the plane.
static inline void trxi_derive_plane(double arm, trxi_contact_point *c)
{
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            c->dn_dx[i + 3 * j] = 0;
            c->da_dx[i + 3 * j] = (i == j) - c->n[i] * c->n[j];
        }
    trxi_derive_theta(arm, c);
}

#endif
