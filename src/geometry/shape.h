// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Size, volume and inertia of the shapes (for M of theory 2, when geometry gives the mass).

#ifndef TRXI_GEOMETRY_SHAPE_H
#define TRXI_GEOMETRY_SHAPE_H

#include <tractrix/geometry.h>

/// The error in the numbers of `shape`, as the end of a sentence ("radius must be positive and finite"); NULL without
/// an error.
const char *trxi_shape_defect(const trx_shape *shape);

/// Volume [m^3]; infinite for a halfspace and a height field.
double trxi_shape_volume(const trx_shape *shape);

/// Centre of mass [m] and inertia tensor xx yy zz xy xz yz about it [kg m^2] of a uniform solid of mass `mass` [kg], in the
/// shape's frame. All shapes but meshes are centred, with principal axes. Zero for a halfspace and a height field, which have no
/// mass.
void trxi_shape_inertia(const trx_shape *shape, double mass, double com[3], double tensor[6]);

/// Radius of the smallest sphere about the centre that contains the shape, rounding included [m]; infinite for a
/// halfspace and a height field. For a mesh: about the centre of its hull.
double trxi_shape_bounding_radius(const trx_shape *shape);

#endif
