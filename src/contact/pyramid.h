// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The pyramid of friction of the model lcp (theory 4): f_t lies in a regular polygon around the circle of radius mu f_n.

#ifndef TRXI_CONTACT_PYRAMID_H
#define TRXI_CONTACT_PYRAMID_H

/// Outward normal of face k: the tangent t1 turned by k of `sides` equal angles, exact for quarters of a turn.
void trxi_pyramid_normal(int sides, int k, double d[2]);

/// Corner between the faces k and k + 1, where the faces have the distance 1 from the middle.
void trxi_pyramid_corner(int sides, int k, double corner[2]);

/// Moves f to the nearest point of the polygon whose faces have the distance `most` from the middle. Returns the branch: stick, or
/// slide on a face or at a corner (TRXI_FACE, TRXI_CORNER) with its number. With `most` 0, f is at a corner.
int trxi_pyramid_bound(int sides, double most, double f[2]);

/// Number of the face or of the corner of a branch.
int trxi_pyramid_number(int branch);

/// Projector on the directions of f_t that stick on a branch: xx, xy, yy.
void trxi_pyramid_sticks(int sides, int branch, double S[3]);

/// Distances of the faces from the middle at which the branch of a fixed point y changes. y lies on a face when the distance is
/// *face. At *corner the point of the polygon that is nearest to y moves from a corner onto a face.
void trxi_pyramid_borders(int sides, const double y[2], double *face, double *corner);

#endif
