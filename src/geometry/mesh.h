// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Integrals over the solid inside a closed triangle mesh (for M of theory 2), by tetrahedra from one point; bounds of points and
// normals of triangles.

#ifndef TRXI_GEOMETRY_MESH_H
#define TRXI_GEOMETRY_MESH_H

#include <stdbool.h>
#include <tractrix/geometry.h>

typedef struct trxi_mesh_integrals {
    double volume;    // signed: negative when the triangles are turned inside out; 0 when flat [m^3]
    double com[3];    // of the volume; of the surface when the volume is 0 [m]
    double moment[6]; // xx yy zz xy xz yz of the inertia tensor about com for density 1 [m^5]
    double box_lower[3], box_upper[3]; // of all vertices [m]
    bool closed;      // each edge occurs equally often in both directions
} trxi_mesh_integrals;

/// Integrals of `mesh`, which must have no defect. A mesh that is not closed also has integrals: cones to the
/// centroid of its surface close its holes, so these integrals are approximate. Parts turned inside out count as holes.
void trxi_mesh_integrate(const trx_mesh *mesh, trxi_mesh_integrals *out);

/// The defect of a mesh as the end of a sentence, NULL without a defect: no triangles, an index out of range, a
/// vertex that is not finite.
const char *trxi_mesh_defect(const trx_mesh *mesh);

/// The box of `count` points along the axes; returns the length of its longest side.
double trxi_point_bounds(const double *points, int count, double lower[3], double upper[3]);

/// The normal of a triangle; its length is twice the area.
void trxi_triangle_normal(const trx_mesh *mesh, int triangle, double out[3]);

#endif
