// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Signed distance of a pair at any range (theory 1): the contact query without a margin. The step sees only pairs
// within its margin. Default stages and diagnosis need the gap of pairs that are still apart (theory 8), and cost terms
// need the least gap of two sets of geometries. Pairs whose bounding spheres are farther apart than the least distance
// so far are skipped.

#include "trajopt/gaps.h"

#include <math.h>

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
            if (model->geoms[a].shape.type > model->geoms[b].shape.type) a = other[j], b = set[i];
            trxi_contact_point point = trxi_geoms_closest(model, kin, a, b, false);
            if (point.phi < gap.point.phi) gap = (trxi_gap){a, b, point};
        }
    if (derivatives && gap.geom_a >= 0) gap.point = trxi_geoms_closest(model, kin, gap.geom_a, gap.geom_b, true);
    return gap;
}
