// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Several contact points for parallel flat or straight pieces (theory 6).

#ifndef TRXI_GEOMETRY_FLUSH_H
#define TRXI_GEOMETRY_FLUSH_H

#include "geometry/witness.h"

/// Sine of the largest angle at which pieces count as parallel.
#define TRXI_FLUSH_SINE 0.02

/// The contact points of the pieces along w->n if they are parallel within this angle. Returns -1 if they are not, or
/// do not lie over each other; w itself is then the contact. `origin` as in trxi_witness_contact.
int trxi_flush_points(const trxi_witness *w, const double origin[3], double margin, bool derivatives,
                      trxi_contact_point *points);

#endif
