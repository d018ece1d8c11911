// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Inverse kinematics by damped least squares (theory 9). The residual of an aim is the difference of the two points [m], and the
// sum of the two normals times a length l:
//
//     r = [p(q) - to;  l (n(q) + against)]        (J^T J + mu D) dq = -J^T r,   D = diag of the squared reach
//
// Damping mu falls after a step that decreases |r| and grows after a step that does not.

#include "search/reach.h"

#include "math/dense.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

static const double NORMAL_LENGTH = 0.05;   // l [m]
static const double LENGTH_TOLERANCE = 1e-4; // [m]
static const double NORMAL_TOLERANCE = 0.2; // largest |n + against| [1]
enum { ITERATIONS = 60, ROWS = 6 };

static double residual_of(trxi_scout *scout, const trxi_aim *aim, double r[ROWS], trx_placement *at)
{
    double R[9], n[3];
    trx_kinematics_body(scout->kin, aim->body, at, scout->J);
    trxi_quat_to_matrix(at->pose.quat, R);
    trxi_mulv3(R, aim->p, r);
    trxi_add3(r, at->pose.p, r);
    trxi_sub3(r, aim->to, r);
    trxi_zero3(r + 3);
    if (aim->turned) {
        trxi_mulv3(R, aim->n, n);
        trxi_add3(n, aim->against, r + 3);
        trxi_scale3(NORMAL_LENGTH, r + 3, r + 3);
    }
    return trxi_dot(ROWS, r, r);
}

static double residual_norm(trxi_scout *scout, const trxi_aim *aims, int count, const double *q, double time)
{
    double sum = 0, r[ROWS];
    trx_placement at;
    if (trx_kinematics_update(scout->kin, q, NULL, time) < 0) return INFINITY;
    for (int i = 0; i < count; i++) sum += residual_of(scout, &aims[i], r, &at);
    return sum;
}

// adds J^T J and J^T r of an aim
static void add_aim(trxi_scout *scout, const trxi_aim *aim, double *H, double *g)
{
    const trxi_search_task *task = scout->task;
    const int n = task->ndof;
    double r[ROWS], R[9], arm[3], normal[3];
    trx_placement at;
    residual_of(scout, aim, r, &at);
    trxi_quat_to_matrix(at.pose.quat, R);
    trxi_mulv3(R, aim->p, arm);
    trxi_mulv3(R, aim->n, normal);
    double *rows = scout->B; // ROWS x ndof
    for (int i = 0; i < n; i++) {
        const double *column = scout->J + 6 * task->dofs[i];
        double *row = rows + ROWS * i;
        trxi_velocity_at(column, arm, row);
        trxi_cross3(column, normal, row + 3);
        trxi_scale3(aim->turned ? NORMAL_LENGTH : 0, row + 3, row + 3);
        g[i] += trxi_dot(ROWS, row, r);
        for (int j = 0; j <= i; j++) H[i + n * j] += trxi_dot(ROWS, row, rows + ROWS * j);
    }
}

// q (+) dq on the placed dofs, within the limits of the joints
static void move(const trxi_search_task *task, const double *q, const double *step, double *out)
{
    memcpy(out, q, (size_t)task->model->nq * sizeof *out);
    for (int i = 0; i < task->ndof; i++) {
        double *at = &out[task->coordinates[i]];
        *at = fmin(fmax(*at + step[i], task->lower[i]), task->upper[i]);
    }
}

static bool is_met(trxi_scout *scout, const trxi_aim *aims, int count)
{
    double r[ROWS];
    trx_placement at;
    for (int i = 0; i < count; i++) {
        residual_of(scout, &aims[i], r, &at);
        if (trxi_norm3(r) > LENGTH_TOLERANCE || trxi_norm3(r + 3) > NORMAL_TOLERANCE * NORMAL_LENGTH) return false;
    }
    return true;
}

bool trxi_reach_aims(trxi_scout *scout, const trxi_aim *aims, int count, double *q, double time)
{
    const trxi_search_task *task = scout->task;
    const int n = task->ndof;
    double *H = scout->A, *g = H + n * n, *step = g + n, mu = 1e-3;
    double value = residual_norm(scout, aims, count, q, time);
    for (int i = 0; i < ITERATIONS && value > 0.1 * LENGTH_TOLERANCE * LENGTH_TOLERANCE; i++) {
        trx_kinematics_update(scout->kin, q, NULL, time);
        memset(H, 0, (size_t)(n * n + n) * sizeof *H);
        for (int j = 0; j < count; j++) add_aim(scout, &aims[j], H, g);
        for (int j = 0; j < n; j++) {
            H[j + n * j] += mu * task->reach[j] * task->reach[j];
            step[j] = -g[j];
        }
        if (trxi_cholesky(n, H, n) >= 0) return false;
        trxi_cholesky_solve(n, H, n, 1, step, n);
        move(task, q, step, scout->q);
        const double next = residual_norm(scout, aims, count, scout->q, time);
        if (next < value) {
            memcpy(q, scout->q, (size_t)task->model->nq * sizeof *q);
            value = next;
            mu = fmax(1e-9, 0.2 * mu);
        } else {
            mu *= 8;
        }
    }
    if (trx_kinematics_update(scout->kin, q, NULL, time) < 0) return false;
    return is_met(scout, aims, count);
}
