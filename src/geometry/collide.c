// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The functions for all pairs of shapes (theory 1). Only pairs of two halfspaces, of two height fields, and of a halfspace and a
// height field have none. The builder of a model refuses such a pair, so a step never has to skip one.

#include "geometry/pairs.h"

#include <assert.h>
#include <stddef.h>

enum { SHAPE_TYPES = TRX_SHAPE_HEIGHT_FIELD + 1 };

typedef struct pair_entry {
    trxi_pair_function *collide;
    int max_points;
} pair_entry;

static const pair_entry pair_table[SHAPE_TYPES][SHAPE_TYPES] = {
    [TRX_SHAPE_HALFSPACE][TRX_SHAPE_MESH] = {trxi_collide_halfspace_mesh, 8},
    [TRX_SHAPE_HALFSPACE][TRX_SHAPE_BOX] = {trxi_collide_halfspace_box, 8},
    [TRX_SHAPE_HALFSPACE][TRX_SHAPE_CYLINDER] = {trxi_collide_halfspace_cylinder, 8},
    [TRX_SHAPE_HALFSPACE][TRX_SHAPE_ELLIPSOID] = {trxi_collide_halfspace_ellipsoid, 1},
    [TRX_SHAPE_HALFSPACE][TRX_SHAPE_CAPSULE] = {trxi_collide_halfspace_capsule, 2},
    [TRX_SHAPE_HALFSPACE][TRX_SHAPE_SPHERE] = {trxi_collide_halfspace_sphere, 1},
    [TRX_SHAPE_HEIGHT_FIELD][TRX_SHAPE_MESH] = {trxi_collide_height_field, 8},
    [TRX_SHAPE_HEIGHT_FIELD][TRX_SHAPE_BOX] = {trxi_collide_height_field, 8},
    [TRX_SHAPE_HEIGHT_FIELD][TRX_SHAPE_CYLINDER] = {trxi_collide_height_field, 8},
    [TRX_SHAPE_HEIGHT_FIELD][TRX_SHAPE_ELLIPSOID] = {trxi_collide_height_field, 8},
    [TRX_SHAPE_HEIGHT_FIELD][TRX_SHAPE_CAPSULE] = {trxi_collide_height_field, 8},
    [TRX_SHAPE_HEIGHT_FIELD][TRX_SHAPE_SPHERE] = {trxi_collide_height_field, 8},
    [TRX_SHAPE_MESH][TRX_SHAPE_MESH] = {trxi_collide_convex, 8},
    [TRX_SHAPE_MESH][TRX_SHAPE_BOX] = {trxi_collide_convex, 8},
    [TRX_SHAPE_MESH][TRX_SHAPE_CYLINDER] = {trxi_collide_convex, 8},
    [TRX_SHAPE_MESH][TRX_SHAPE_ELLIPSOID] = {trxi_collide_convex, 1},
    [TRX_SHAPE_MESH][TRX_SHAPE_CAPSULE] = {trxi_collide_convex, 2},
    [TRX_SHAPE_MESH][TRX_SHAPE_SPHERE] = {trxi_collide_convex, 1},
    [TRX_SHAPE_BOX][TRX_SHAPE_BOX] = {trxi_collide_boxes, 8},
    [TRX_SHAPE_BOX][TRX_SHAPE_CYLINDER] = {trxi_collide_convex, 8},
    [TRX_SHAPE_BOX][TRX_SHAPE_ELLIPSOID] = {trxi_collide_convex, 1},
    [TRX_SHAPE_BOX][TRX_SHAPE_CAPSULE] = {trxi_collide_boxes, 2},
    [TRX_SHAPE_BOX][TRX_SHAPE_SPHERE] = {trxi_collide_box_sphere, 1},
    [TRX_SHAPE_CYLINDER][TRX_SHAPE_CYLINDER] = {trxi_collide_convex, 8},
    [TRX_SHAPE_CYLINDER][TRX_SHAPE_ELLIPSOID] = {trxi_collide_convex, 1},
    [TRX_SHAPE_CYLINDER][TRX_SHAPE_CAPSULE] = {trxi_collide_convex, 2},
    [TRX_SHAPE_CYLINDER][TRX_SHAPE_SPHERE] = {trxi_collide_convex, 1},
    [TRX_SHAPE_ELLIPSOID][TRX_SHAPE_ELLIPSOID] = {trxi_collide_convex, 1},
    [TRX_SHAPE_ELLIPSOID][TRX_SHAPE_CAPSULE] = {trxi_collide_convex, 1},
    [TRX_SHAPE_ELLIPSOID][TRX_SHAPE_SPHERE] = {trxi_collide_convex, 1},
    [TRX_SHAPE_CAPSULE][TRX_SHAPE_CAPSULE] = {trxi_collide_capsule_capsule, 2},
    [TRX_SHAPE_CAPSULE][TRX_SHAPE_SPHERE] = {trxi_collide_capsule_sphere, 1},
    [TRX_SHAPE_SPHERE][TRX_SHAPE_SPHERE] = {trxi_collide_sphere_sphere, 1},
};

static bool is_type(trx_shape_type type)
{
    return (unsigned)type < SHAPE_TYPES;
}

bool trxi_pair_served(trx_shape_type a, trx_shape_type b)
{
    return is_type(a) && is_type(b) && pair_table[a][b].collide;
}

int trxi_max_points(trx_shape_type a, trx_shape_type b)
{
    return trxi_pair_served(a, b) ? pair_table[a][b].max_points : 0;
}

int trxi_collide(const trxi_placed_shape *A, const trxi_placed_shape *B, double margin, bool derivatives,
                 trxi_contact_point *points)
{
    trxi_pair_function *collide = pair_table[A->shape->type][B->shape->type].collide;
    assert(collide);
    return collide(A, B, margin, derivatives, points);
}

int trxi_collide_piece(const trxi_placed_shape *A, const trxi_placed_shape *B, int piece, double margin, bool derivatives,
                       trxi_contact_point *points)
{
    if (piece == TRXI_WHOLE) return trxi_collide(A, B, margin, derivatives, points);
    return trxi_collide_field_piece(A, B, piece, margin, derivatives, points);
}
