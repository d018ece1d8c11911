// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Signed distance of two geometries of a model at a configuration, however far apart they are, and its slope (theory 1, 6).

#ifndef TRXI_DYNAMICS_DISTANCE_H
#define TRXI_DYNAMICS_DISTANCE_H

#include "dynamics/kinematics.h"
#include "geometry/contact_geometry.h"

/// Returns whether two geometries have a distance: they belong to different links, their pair of shapes is supported, and meshes
/// have hulls.
bool trxi_geoms_measurable(const trx_model *model, int g, int h);

/// The closest contact point of two geometries in the order of a pair (trxi_pair_swaps): the normal points from geom_a to geom_b.
/// phi = INFINITY when the shapes have no contact point.
trxi_contact_point trxi_geoms_closest(const trx_model *model, const trxi_kinematics *kin, int geom_a, int geom_b,
                                      bool derivatives);

/// The closest contact point of a pair at the configuration of `kin`; phi = INFINITY when the shapes have no contact point.
trxi_contact_point trxi_pair_closest(const trx_model *model, const trxi_kinematics *kin, int pair);

/// The closest points of two sets of geometries.
typedef struct trxi_gap {
    int geom_a, geom_b; // the normal points from a to b; -1 when nothing could be measured
    trxi_contact_point point; // phi = INFINITY when nothing could be measured
} trxi_gap;

/// The least distance over all measurable pairs of two sets; of equal distances the first. The kinds of the shapes determine which
/// set `geom_a` belongs to. With `derivatives` the point has its derivatives.
trxi_gap trxi_sets_closest(const trx_model *model, const trxi_kinematics *kin, const int *set, int count,
                           const int *other, int other_count, bool derivatives);

/// dphi/dq of a dof that moves only B (sign 1) or only A (sign -1). `point` needs its derivatives; `arm` is the vector from the
/// reference point of the dof's tree to the witness point a.
double trxi_distance_slope(const trxi_kinematics *kin, const trxi_contact_point *point, const double arm[3], int dof,
                           double sign);

/// Returns whether a dof lies on the path from the root to a link (-1: no link).
bool trxi_dof_moves(const trx_model *model, int dof, int link);

#endif
