// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The guess of a contact (theory 9). The passive dofs are displaced by s d, 0 <= s <= 1, with the wanted motion d of the placement.
// Inverse kinematics keeps the touches of the placed bodies on the displaced bodies, pressed in by the depth at which friction
// carries the weight of the displaced body:
//
//     delta = m g / (mu k)
//
// The motion through these configurations has three parts: the gap closes, s grows by the profile of least jerk, the end is held.
// The controls are computed like the controls that follow a path (follow.c). The simulated motion may differ from the wanted
// motion, because an optimization follows.

#include "search/transport.h"

#include "math/rotation.h"
#include "search/clearance.h"
#include "search/reach.h"

#include <math.h>
#include <string.h>

enum { STATIONS = 12 };
static const double CLOSING = 0.12, CARRYING = 0.7; // shares of the time [1]
static const double MOST_PRESSED = 0.5;             // largest delta / clearance [1]

// points and normals of the touches of a placement, in the frames of their bodies
typedef struct grip {
    double p[TRXI_MOST_TOUCHES][3], n[TRXI_MOST_TOUCHES][3];
} grip;

static trx_status take_grip(trxi_scout *scout, const trxi_placement *placement, const double *q, double time, grip *g)
{
    trx_status status = trx_kinematics_update(scout->kin, q, NULL, time);
    for (int i = 0; i < placement->count && status >= 0; i++) {
        const trxi_touch *touch = &placement->touches[i];
        trx_placement at;
        double R[9], from[3];
        status = trx_kinematics_body(scout->kin, touch->body, &at, NULL);
        trxi_quat_to_matrix(at.pose.quat, R);
        trxi_sub3(touch->p, at.pose.p, from);
        trxi_mulv3_t(R, from, g->p[i]);
        trxi_mulv3_t(R, touch->n, g->n[i]);
    }
    return status;
}

// m g / (mu k) of a touch, at most a share of the clearance
static double pressing_depth(const trxi_search_task *task, const trxi_touch *touch)
{
    const double weight = trx_model_body(task->model, touch->body).mass * fmax(trxi_norm3(task->model->gravity), 1);
    return fmin(weight / (fmax(touch->friction, 0.1) * touch->stiffness), MOST_PRESSED * task->clearance);
}

// computes the aims for the body poses in the kinematics
static void aim_at(trxi_scout *scout, const trxi_placement *placement, const grip *g, trxi_aim *aims)
{
    for (int i = 0; i < placement->count; i++) {
        const trxi_touch *touch = &placement->touches[i];
        trx_placement at;
        double R[9], n[3];
        aims[i] = placement->aims[i];
        trx_kinematics_body(scout->kin, touch->body, &at, NULL);
        trxi_quat_to_matrix(at.pose.quat, R);
        trxi_mulv3(R, g->n[i], n);
        trxi_mulv3(R, g->p[i], aims[i].to);
        trxi_add3(aims[i].to, at.pose.p, aims[i].to);
        trxi_axpy3(placement->radii[i] - pressing_depth(scout->task, touch), n, aims[i].to);
        trxi_copy3(n, aims[i].against);
    }
}

// changes q to a configuration in which the placed bodies keep their touches on the passive bodies, displaced by s d
static bool hold_displaced(trxi_scout *scout, const trxi_placement *placement, const grip *g, const double *x, double s,
                           double time, double *q)
{
    const trxi_search_task *task = scout->task;
    double *displaced = scout->x_next, *dq = scout->B;
    trxi_aim aims[TRXI_MOST_TOUCHES];
    memset(dq, 0, (size_t)task->model->nv * sizeof *dq);
    for (int i = 0; i < task->npassive; i++) dq[task->passive[i]] = s * placement->motion[i];
    trx_model_integrate(task->model, x, dq, displaced);
    if (trx_kinematics_update(scout->kin, displaced, NULL, time) < 0) return false;
    aim_at(scout, placement, g, aims);
    trxi_reach_aims(scout, aims, placement->count, q, time); // the nearest configuration is good enough
    return true;
}

// builds the path whose corners are the placement, then the stations of the motion
static int make_way(trxi_scout *scout, trxi_pool *pool, const trxi_placement *placement, const double *x, double time,
                    trxi_path *way)
{
    const trxi_search_task *task = scout->task;
    const size_t nq = (size_t)task->model->nq;
    grip g;
    way->q = TRXI_POOL(pool, double, nq * (STATIONS + 2));
    way->at = TRXI_POOL(pool, double, STATIONS + 2);
    if (!way->q || !way->at) return TRX_ERR_MEMORY;
    if (take_grip(scout, placement, x, time, &g) < 0) return 0;
    memcpy(way->q, x, nq * sizeof *x);
    for (way->count = 1; way->count < STATIONS + 2; way->count++) {
        double *q = way->q + nq * (size_t)way->count;
        memcpy(q, q - nq, nq * sizeof *q);
        if (!hold_displaced(scout, placement, &g, x, (way->count - 1.0) / STATIONS, time, q)) return 0;
        way->at[way->count] = way->at[way->count - 1] + trxi_clearance_travel(task, q - nq, q);
    }
    return 1;
}

// position on the path at the share t of the time, in corners
static double corner_at(double t)
{
    if (t < CLOSING) return t / CLOSING;
    return 1 + STATIONS * trxi_least_jerk((t - CLOSING) / CARRYING);
}

int trxi_transport(trxi_scout *scout, trxi_pool *pool, const trxi_placement *placement, const double *x, int first, int steps,
                   trxi_stretch *out)
{
    const trxi_search_task *task = scout->task;
    const size_t nstate = (size_t)task->nstate, nu = (size_t)task->model->nu;
    trxi_path way;
    *out = (trxi_stretch){.first = first, .steps = steps};
    out->x = TRXI_POOL(pool, double, nstate * (size_t)(steps + 1));
    out->u = TRXI_POOL(pool, double, nu * (size_t)steps);
    if (!out->x || !out->u) return TRX_ERR_MEMORY;
    int made = make_way(scout, pool, placement, x, trxi_task_time(task, first), &way);
    if (made <= 0) return made;
    memcpy(out->x, x, nstate * sizeof *x);
    if (trxi_hold(scout, x, trxi_task_time(task, first), out->u) < 0) return 0;
    for (int k = 0; k < steps; k++) {
        double *at = out->x + nstate * (size_t)k, *u = out->u + nu * (size_t)k;
        if (k > 0) memcpy(u, u - nu, nu * sizeof *u);
        const double corner = corner_at((k + 1.0) / steps);
        const int low = corner < way.count - 1 ? (int)corner : way.count - 2;
        trxi_path_locate(task, &way, way.at[low] + (corner - low) * (way.at[low + 1] - way.at[low]), scout->q);
        if (trxi_follow_step(scout, at, trxi_task_time(task, first + k), scout->q, u, at + nstate) < 0) return 0;
    }
    return 1;
}
