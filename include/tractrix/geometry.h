// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Shapes that touch. A shape is centred at the origin of its frame, axes along z; where it sits in a body is
// said by the model.

#ifndef TRACTRIX_GEOMETRY_H
#define TRACTRIX_GEOMETRY_H

#include <tractrix/export.h>

/// Kinds of shapes. In a pair the shape of the smaller kind is A; contact normals point from A to B.
typedef enum trx_shape_type {
    TRX_SHAPE_HALFSPACE, // solid where z < 0
    TRX_SHAPE_BOX,       // size
    TRX_SHAPE_CYLINDER,  // radius, length
    TRX_SHAPE_CAPSULE,   // radius, length of the cylinder part
    TRX_SHAPE_SPHERE     // radius
} trx_shape_type;

/// A shape; the fields its type does not use are ignored.
typedef struct trx_shape {
    trx_shape_type type;
    double size[3]; // box: full lengths along x, y, z [m]
    double radius;  // sphere, capsule, cylinder [m]
    double length;  // cylinder, cylinder part of a capsule: full length along z [m]
} trx_shape;

/// Name of a shape type as written in problem files ("halfspace"); a constant string, "" if out of range.
TRX_API const char *trx_shape_name(trx_shape_type type);

#endif
