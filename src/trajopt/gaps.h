// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Distances between the geometries of pairs at a configuration, however far apart (theory 1, 8).

#ifndef TRXI_TRAJOPT_GAPS_H
#define TRXI_TRAJOPT_GAPS_H

#include "dynamics/kinematics.h"
#include "geometry/contact_geometry.h"

/// The closest contact point of a pair at the configuration of `kin`; phi = INFINITY when the shapes have none.
trxi_contact_point trxi_pair_closest(const trx_model *model, const trxi_kinematics *kin, int pair);

#endif
