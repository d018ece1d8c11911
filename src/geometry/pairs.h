// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pairs behind trxi_collide (its contract holds for each of them) and their common parts (theory 6): forms of
// derivatives and points over a halfspace.

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
trxi_pair_function trxi_collide_boxes; // a box and a box or a capsule
trxi_pair_function trxi_collide_box_sphere;
trxi_pair_function trxi_collide_capsule_sphere;
trxi_pair_function trxi_collide_capsule_capsule;
trxi_pair_function trxi_collide_sphere_sphere;
trxi_pair_function trxi_collide_convex; // any two but halfspaces and height fields
trxi_pair_function trxi_collide_height_field; // its nearest point alone

/// One piece of a height field A (height_field.h).
int trxi_collide_field_piece(const trxi_placed_shape *A, const trxi_placed_shape *B, int piece, double margin, bool derivatives,
                             trxi_contact_point *points);

/// x between -h and h.
static inline double trxi_clamp(double x, double h)
{
    return x < -h ? -h : x > h ? h : x;
}

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

/// Derivatives if one material point of B at a + arm n determines the contact (a sphere's centre, a corner) and
/// dn_dx, da_dx (both symmetric) are known: this point moves by x + theta x (arm n).
static inline void trxi_derive_theta(double arm, trxi_contact_point *c)
{
    trxi_arm33(-arm, c->dn_dx, c->n, c->dn_dtheta);
    trxi_arm33(-arm, c->da_dx, c->n, c->da_dtheta);
}

/// Derivatives when A's surface is a plane there: the normal turns with A, the witness point follows B's
/// material point at a + arm n along the plane. With P = 1 - n n^T, da_dtheta = -arm P [n]x = -arm [n]x.
static inline void trxi_derive_plane(double arm, trxi_contact_point *c)
{
    double back[3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            c->dn_dx[i + 3 * j] = c->dn_dtheta[i + 3 * j] = 0;
            c->da_dx[i + 3 * j] = (i == j) - c->n[i] * c->n[j];
        }
    trxi_scale3(-arm, c->n, back);
    trxi_skew33(back, c->da_dtheta);
}

/// Derivatives for a corner of B at distance d from a corner of A, or from the inside of A's edge along u_A (NULL: a
/// corner), both rounded; r_A: radius of A. `inverse` is 1/d, or 0 if the features meet: their normal is then
/// arbitrary and constant.
static inline void trxi_derive_corner_B(const double *u_A, double d, double inverse, double r_A, trxi_contact_point *c)
{
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            double Pi = u_A ? u_A[i] * u_A[j] : 0;
            c->dn_dx[i + 3 * j] = inverse * ((i == j) - Pi - c->n[i] * c->n[j]);
            c->da_dx[i + 3 * j] = Pi + r_A * c->dn_dx[i + 3 * j];
        }
    trxi_derive_theta(d - r_A, c);
}

/// Derivatives for a corner of A and the inside of B's edge along u_B.
static inline void trxi_derive_corner_A(const double u_B[3], double d, double inverse, double r_A, trxi_contact_point *c)
{
    double m[3], spin[9];
    trxi_cross3(c->n, u_B, m);
    trxi_skew33(c->n, spin);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            int k = i + 3 * j;
            c->dn_dx[k] = inverse * ((i == j) - c->n[i] * c->n[j] - u_B[i] * u_B[j]);
            c->dn_dtheta[k] = inverse * ((r_A - d) * spin[k] + r_A * u_B[i] * m[j]);
            c->da_dx[k] = r_A * c->dn_dx[k];
            c->da_dtheta[k] = r_A * c->dn_dtheta[k];
        }
}

/// Derivatives for the insides of two edges that cross; `square` is |u_A x u_B|^2.
static inline void trxi_derive_crossing(const double u_A[3], const double u_B[3], double square, double d, double r_A,
                                        trxi_contact_point *c)
{
    double e[3], m[3], b = trxi_dot3(u_A, u_B);
    trxi_cross3(c->n, u_A, e);
    trxi_cross3(c->n, u_B, m);
    double turn = 1 / trxi_dot3(u_B, e);
    for (int j = 0; j < 3; j++) {
        double ds_dx = (u_A[j] - b * u_B[j]) / square;
        double ds_dtheta = ((d - r_A) * e[j] + b * r_A * m[j]) / square;
        for (int i = 0; i < 3; i++) {
            int k = i + 3 * j;
            c->dn_dx[k] = 0;
            c->dn_dtheta[k] = turn * e[i] * m[j];
            c->da_dx[k] = u_A[i] * ds_dx;
            c->da_dtheta[k] = u_A[i] * ds_dtheta + r_A * c->dn_dtheta[k];
        }
    }
}

/// Height of the point c over the halfspace A.
static inline double trxi_height_over(const trxi_placed_shape *A, const double c[3])
{
    const double *n = A->R + 6;
    return n[0] * (c[0] - A->p[0]) + n[1] * (c[1] - A->p[1]) + n[2] * (c[2] - A->p[2]);
}

/// The contact, except its feature, of a halfspace with normal n and an extreme point c of B, rounded by `radius`, at
/// height z. Its tie is infinite.
static inline void trxi_put_over(const double n[3], const double c[3], double z, double radius, bool derivatives,
                                 trxi_contact_point *out)
{
    out->phi = z - radius;
    for (int i = 0; i < 3; i++) {
        out->n[i] = n[i];
        out->a[i] = c[i] - z * n[i];
    }
    out->sliding = false;
    out->tie = INFINITY;
    if (derivatives) trxi_derive_plane(z, out);
}

#endif
