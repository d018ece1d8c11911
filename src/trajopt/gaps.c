// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Signed distance of a pair at any range (theory 1): the contact query without a margin. The step sees only
// pairs within its margin; default stages and diagnosis need the gap of those that have not met yet (theory 8), and cost
// terms that of two sets of geometries: every pair is asked unless its bounding spheres are farther apart than the least
// distance so far.

#include "trajopt/gaps.h"

#include <math.h>

// pose of a geometry in the world
static void place(const trxi_geom *geom, const trxi_kinematics *kin, double R[9], double p[3])
{
    trxi_kinematics_place(kin, geom->link, geom->mover, geom->R_LG, geom->p_LG, R, p);
}

static trxi_contact_point closest_point(const trx_model *model, const trxi_kinematics *kin, int geom_a, int geom_b,
                                        bool derivatives)
{
    const trxi_geom *a = &model->geoms[geom_a], *b = &model->geoms[geom_b];
    double R_a[9], p_a[3], R_b[9], p_b[3];
    place(a, kin, R_a, p_a);
    place(b, kin, R_b, p_b);
    const trxi_placed_shape A = {&a->shape, R_a, p_a}, B = {&b->shape, R_b, p_b};

    trxi_contact_point points[TRXI_MAX_CONTACT_POINTS], closest = {.phi = INFINITY};
    int count = trxi_collide(&A, &B, INFINITY, derivatives, points);
    for (int i = 0; i < count; i++)
        if (points[i].phi < closest.phi) closest = points[i];
    return closest;
}

trxi_contact_point trxi_pair_closest(const trx_model *model, const trxi_kinematics *kin, int pair)
{
    const trxi_pair sides = trxi_model_pair(model, pair);
    return closest_point(model, kin, sides.geom_a, sides.geom_b, false);
}

// ---- sets ----

static bool has_extent(const trx_shape *shape)
{
    return shape->type != TRX_SHAPE_MESH || shape->hull;
}

bool trxi_geoms_measurable(const trx_model *model, int g, int h)
{
    const trxi_geom *a = &model->geoms[g], *b = &model->geoms[h];
    bool ordered = a->shape.type <= b->shape.type;
    return a->link != b->link && has_extent(&a->shape) && has_extent(&b->shape) &&
           trxi_pair_served(ordered ? a->shape.type : b->shape.type, ordered ? b->shape.type : a->shape.type);
}

// what the distance of two geometries is at least: that of their bounding spheres
static double least_distance(const trxi_kinematics *kin, const trxi_geom *a, const trxi_geom *b)
{
    double R[9], p_a[3], p_b[3];
    if (!isfinite(a->radius) || !isfinite(b->radius)) return -INFINITY;
    place(a, kin, R, p_a);
    place(b, kin, R, p_b);
    trxi_sub3(p_b, p_a, p_b);
    return trxi_norm3(p_b) - a->radius - b->radius;
}

trxi_gap trxi_sets_closest(const trx_model *model, const trxi_kinematics *kin, const int *set, int count,
                           const int *other, int other_count, bool derivatives)
{
    trxi_gap gap = {-1, -1, {.phi = INFINITY}};
    for (int i = 0; i < count; i++)
        for (int j = 0; j < other_count; j++) {
            int a = set[i], b = other[j];
            if (!trxi_geoms_measurable(model, a, b)) continue;
            if (least_distance(kin, &model->geoms[a], &model->geoms[b]) >= gap.point.phi) continue;
            if (model->geoms[a].shape.type > model->geoms[b].shape.type) a = other[j], b = set[i];
            trxi_contact_point point = closest_point(model, kin, a, b, false);
            if (point.phi < gap.point.phi) gap = (trxi_gap){a, b, point};
        }
    if (derivatives && gap.geom_a >= 0) gap.point = closest_point(model, kin, gap.geom_a, gap.geom_b, true);
    return gap;
}
