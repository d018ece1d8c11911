// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Several points for flat or straight pieces that lie along each other (theory 6).

#ifndef TRXI_GEOMETRY_FLUSH_H
#define TRXI_GEOMETRY_FLUSH_H

#include "geometry/witness.h"

/// Sine of the angle within which pieces lie along each other.
#define TRXI_FLUSH_SINE 0.02

/// The contact points of the pieces along w->n, if they are parallel within that angle; -1 if they are not, or do not lie
/// over each other, and w itself is the contact. `origin` as in trxi_witness_contact.
int trxi_flush_points(const trxi_witness *w, const double origin[3], double margin, bool derivatives,
                      trxi_contact_point *points);

#endif
