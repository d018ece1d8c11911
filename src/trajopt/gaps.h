// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Distances between geometries at a configuration, however far apart (theory 1, 8).

#ifndef TRXI_TRAJOPT_GAPS_H
#define TRXI_TRAJOPT_GAPS_H

#include "dynamics/distance.h"

/// The closest contact point of a pair at the configuration of `kin`; phi = INFINITY when the shapes have none.
trxi_contact_point trxi_pair_closest(const trx_model *model, const trxi_kinematics *kin, int pair);

/// The closest points of two sets of geometries.
typedef struct trxi_gap {
    int geom_a, geom_b; // the normal points from a to b; -1 when nothing could be measured
    trxi_contact_point point; // phi = INFINITY when nothing could be measured
} trxi_gap;

/// The least distance over all measurable pairs of two sets that can move relative to each other; the first of equal
/// ones. The shapes determine the set of `geom_a`. The point has its derivatives on request.
trxi_gap trxi_sets_closest(const trx_model *model, const trxi_kinematics *kin, const int *set, int count,
                           const int *other, int other_count, bool derivatives);

#endif
