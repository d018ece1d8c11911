// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Integrals over the solid that a closed triangle mesh bounds (theory 2: what M is made of), by tetrahedra from one point.

#ifndef TRXI_GEOMETRY_MESH_H
#define TRXI_GEOMETRY_MESH_H

#include <stdbool.h>
#include <tractrix/geometry.h>

typedef struct trxi_mesh_integrals {
    double volume;    // signed: negative when the triangles are turned inside out; 0 when flat [m^3]
    double com[3];    // of the volume; of the surface when the volume is 0 [m]
    double moment[6]; // xx yy zz xy xz yz of the inertia tensor about com for density 1 [m^5]
    double box_lower[3], box_upper[3]; // of all vertices [m]
    bool closed;      // each edge is run through as often in one direction as in the other
} trxi_mesh_integrals;

/// Integrals of `mesh`, which has no defect. A mesh that is not closed still has them (its holes are closed by cones to the
/// centroid of its surface), but they are only as good as that. Parts turned inside out count as holes.
void trxi_mesh_integrate(const trx_mesh *mesh, trxi_mesh_integrals *out);

/// What is wrong with the mesh, as the end of a sentence; NULL when nothing is: no triangles, an index out of range, a
/// vertex that is not finite.
const char *trxi_mesh_defect(const trx_mesh *mesh);

#endif
