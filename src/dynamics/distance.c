// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The contact query without a margin, for two geometries of a model (theory 1), and its slope along a dof (theory 6):
//
//     dphi/dq_j = +- [(n + dphi_dx) . (v_j + w_j x arm) + dphi_dtheta . w_j]
//
// A dof that carries both geometries does not change their distance. A step considers only pairs within its margin. Plans also need
// distances of pairs that are far apart (theory 8), and the least gap of two sets. The search over two sets skips pairs whose
// bounding spheres are farther apart than the least distance so far.

#include "dynamics/distance.h"

#include "math/vec3.h"

#include <math.h>

static bool has_extent(const trx_shape *shape)
{
    return shape->type != TRX_SHAPE_MESH || shape->hull;
}

bool trxi_geoms_measurable(const trx_model *model, int g, int h)
{
    const trxi_geom *a = &model->geoms[g], *b = &model->geoms[h];
    const bool ordered = !trxi_pair_swaps(a->shape.type, b->shape.type);
    return a->link != b->link && has_extent(&a->shape) && has_extent(&b->shape) &&
           trxi_pair_served(ordered ? a->shape.type : b->shape.type, ordered ? b->shape.type : a->shape.type);
}

trxi_contact_point trxi_geoms_closest(const trx_model *model, const trxi_kinematics *kin, int geom_a, int geom_b,
                                      bool derivatives)
{
    const trxi_geom *a = &model->geoms[geom_a], *b = &model->geoms[geom_b];
    double R_a[9], p_a[3], R_b[9], p_b[3];
    trxi_kinematics_place(kin, a->link, a->prescribed, a->R_LG, a->p_LG, R_a, p_a);
    trxi_kinematics_place(kin, b->link, b->prescribed, b->R_LG, b->p_LG, R_b, p_b);
    const trxi_placed_shape A = {&a->shape, R_a, p_a}, B = {&b->shape, R_b, p_b};

    trxi_contact_point points[TRXI_MAX_CONTACT_POINTS], closest = {.phi = INFINITY};
    const int count = trxi_collide(&A, &B, INFINITY, derivatives, points);
    for (int i = 0; i < count; i++)
        if (points[i].phi < closest.phi) closest = points[i];
    return closest;
}

trxi_contact_point trxi_pair_closest(const trx_model *model, const trxi_kinematics *kin, int pair)
{
    const trxi_pair sides = trxi_model_pair(model, pair);
    return trxi_geoms_closest(model, kin, sides.geom_a, sides.geom_b, false);
}

// ---- sets ----

// lower bound of the distance of two geometries, from their bounding spheres
static double least_distance(const trxi_kinematics *kin, const trxi_geom *a, const trxi_geom *b)
{
    double R[9], p_a[3], p_b[3];
    if (!isfinite(a->radius) || !isfinite(b->radius)) return -INFINITY;
    trxi_kinematics_place(kin, a->link, a->prescribed, a->R_LG, a->p_LG, R, p_a);
    trxi_kinematics_place(kin, b->link, b->prescribed, b->R_LG, b->p_LG, R, p_b);
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
            if (trxi_pair_swaps(model->geoms[a].shape.type, model->geoms[b].shape.type)) a = other[j], b = set[i];
            trxi_contact_point point = trxi_geoms_closest(model, kin, a, b, false);
            if (point.phi < gap.point.phi) gap = (trxi_gap){a, b, point};
        }
    if (derivatives && gap.geom_a >= 0) gap.point = trxi_geoms_closest(model, kin, gap.geom_a, gap.geom_b, true);
    return gap;
}

// ---- slopes ----

double trxi_distance_slope(const trxi_kinematics *kin, const trxi_contact_point *point, const double arm[3], int dof,
                           double sign)
{
    const double *S = kin->S + 6 * dof;
    double x[3];
    trxi_velocity_at(S, arm, x);
    double slope = trxi_dot3(point->n, x);
    if (point->sliding) slope += trxi_dot3(point->dphi_dx, x) + trxi_dot3(point->dphi_dtheta, S);
    return sign * slope;
}

bool trxi_dof_moves(const trx_model *model, int dof, int link)
{
    if (link < 0) return false;
    const int *path = model->path + model->links[link].path_start;
    for (int i = 0; i < model->links[link].path_length && path[i] <= dof; i++)
        if (path[i] == dof) return true;
    return false;
}
