// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Clearance of a configuration (theory 9): the least distance over the pairs that can collide, minus the distance that a path
// keeps. If a pair is nearer, the configuration moves along the gradient of the pair's distance, d phi / dq, until no pair is:
//
//     dq = missing W^-2 g / (g . W^-2 g)        g = dphi/dq of the placed dofs, W = diag(reach)

#include "search/clearance.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { MOST_PUSHES = 40 };
static const double AHEAD = 0.2; // additional gain of one step, as a share of the clearance [1]

// finds the nearest obstacle pair at the state of the kinematics; -1 when no distance can be measured
static int nearest(trxi_scout *scout, double *distance)
{
    const trxi_search_task *task = scout->task;
    int found = -1;
    *distance = INFINITY;
    for (int i = 0; i < task->nobstacle; i++) {
        const trxi_pair pair = trxi_model_pair(task->model, task->obstacles[i]);
        trx_separation separation;
        if (trx_kinematics_distance(scout->kin, pair.geom_a, pair.geom_b, &separation, NULL) < 0) continue;
        if (separation.distance < *distance) *distance = separation.distance, found = task->obstacles[i];
    }
    return found;
}

double trxi_clearance(trxi_scout *scout, const double *q, double time)
{
    double distance;
    if (trx_kinematics_update(scout->kin, q, NULL, time) < 0) return -INFINITY;
    nearest(scout, &distance);
    return distance - scout->task->clearance;
}

// one step along the gradient of the distance of a pair
static void separate(trxi_scout *scout, int index, double missing, double *q)
{
    const trxi_search_task *task = scout->task;
    const trxi_pair pair = trxi_model_pair(task->model, index);
    double *gradient = scout->A, *dq = scout->A + task->model->nv, square = 0;
    if (trx_kinematics_distance(scout->kin, pair.geom_a, pair.geom_b, NULL, gradient) < 0) return;
    memset(dq, 0, (size_t)task->model->nv * sizeof *dq);
    for (int i = 0; i < task->ndof; i++) {
        const double g = gradient[task->dofs[i]], w = task->reach[i];
        dq[task->dofs[i]] = g / (w * w);
        square += g * g / (w * w);
    }
    if (!(square > 0)) return;
    for (int i = 0; i < task->model->nv; i++) dq[i] *= missing / square;
    trx_model_integrate(task->model, q, dq, q);
}

bool trxi_clearance_gain(trxi_scout *scout, double *q, double time)
{
    const double clearance = scout->task->clearance;
    for (int i = 0; i < MOST_PUSHES; i++) {
        double distance;
        if (trx_kinematics_update(scout->kin, q, NULL, time) < 0) return false;
        int pair = nearest(scout, &distance);
        if (distance >= clearance) return true;
        separate(scout, pair, (1 + AHEAD) * clearance - distance, q);
    }
    return false;
}

double trxi_clearance_travel(const trxi_search_task *task, const double *p, const double *q)
{
    double square = 0;
    for (int i = 0; i < task->ndof; i++) {
        const int at = task->coordinates[i];
        const double moved = task->reach[i] * (q[at] - p[at]);
        square += moved * moved;
    }
    return sqrt(square);
}
