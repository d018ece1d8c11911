// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Signed distance of a pair at any range (theory 1): the contact query without a margin. The step sees only
// pairs within its margin; default stages and diagnosis need the gap of those that have not met yet (theory 8).

#include "trajopt/gaps.h"

#include <math.h>
#include <string.h>

// pose of a geometry in the world
static void place(const trxi_geom *geom, const trxi_kinematics *kin, double R[9], double p[3])
{
    if (geom->link < 0) {
        memcpy(R, geom->R_LG, sizeof geom->R_LG);
        trxi_copy3(geom->p_LG, p);
        return;
    }
    const double *R_WL = kin->R + 9 * geom->link;
    trxi_mul33(R_WL, geom->R_LG, R);
    trxi_mulv3(R_WL, geom->p_LG, p);
    trxi_add3(p, kin->p + 3 * geom->link, p);
}

trxi_contact_point trxi_pair_closest(const trx_model *model, const trxi_kinematics *kin, int pair)
{
    const trxi_geom *a = &model->geoms[model->pairs[pair].geom_a], *b = &model->geoms[model->pairs[pair].geom_b];
    double R_a[9], p_a[3], R_b[9], p_b[3];
    place(a, kin, R_a, p_a);
    place(b, kin, R_b, p_b);
    const trxi_placed_shape A = {&a->shape, R_a, p_a}, B = {&b->shape, R_b, p_b};

    trxi_contact_point points[TRXI_MAX_CONTACT_POINTS], closest = {.phi = INFINITY};
    int count = trxi_collide(&A, &B, INFINITY, false, points);
    for (int i = 0; i < count; i++)
        if (points[i].phi < closest.phi) closest = points[i];
    return closest;
}
