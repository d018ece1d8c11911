// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Prescribed motions (theory 2): validated, expressed in the frames of their carriers, and evaluated at a time.
//
//     X_W,body(t) = X_W,parent(t) X_PM D(t)
//     slide   D = (1, s axis)                        s = velocity t + amplitude sin(2 pi frequency t + phase)
//     hinge   D = (Exp(s axis), at - Exp(s axis) at)
//     table   D = (R_i Exp(c Log(R_i^T R_i+1)), (1 - c) p_i + c p_i+1)       c: share of the second row
//
// A body with prescribed motion has no link. Bodies fixed to it share its motion.

#include "math/constants.h"
#include "math/dense.h"
#include "math/rotation.h"
#include "model/build.h"

#include <stdio.h>
#include <string.h>

enum { POSE_ROW = 8 };

bool trxi_body_is_moved(const trx_model_def *def, int body)
{
    for (int steps = 0; body >= 0 && body < def->nbody && steps < def->nbody; steps++) {
        if (def->bodies[body].njoint > 0) return false;
        if (def->bodies[body].motion.type != TRX_MOTION_NONE) return true;
        body = def->bodies[body].parent;
    }
    return false;
}

bool trxi_body_has_joints(const trx_model_def *def, int body)
{
    for (int steps = 0; body >= 0 && body < def->nbody && steps < def->nbody; steps++) {
        if (def->bodies[body].njoint > 0) return true;
        body = def->bodies[body].parent;
    }
    return false;
}

// ---- checks ----

bool trxi_pose_usable(const trx_pose *pose)
{
    const double *q = pose->quat;
    return trxi_all_finite(3, pose->p) && trxi_all_finite(4, q) && (q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0);
}

bool trxi_validate_table(trxi_build *build, trx_source source, const char *what, const double *times, int count)
{
    if (count < 1 || !times) {
        trxi_error_at(build->context, source, "%s: a table needs at least one row", what);
        return false;
    }
    for (int i = 0; i < count; i++)
        if (!isfinite(times[i]) || (i > 0 && !(times[i] > times[i - 1]))) {
            trxi_error_at(build->context, source, "%s: the times of its table do not ascend at row %d", what, i + 1);
            return false;
        }
    return true;
}

static void check_table(trxi_build *build, const trx_body_def *body, const char *what)
{
    const trx_motion_def *motion = &body->motion;
    if (!trxi_validate_table(build, motion->source, what, motion->times, motion->ntime)) return;
    for (int i = 0; i < motion->ntime; i++) {
        if (motion->poses && trxi_pose_usable(&motion->poses[i])) continue;
        trxi_error_at(build->context, motion->source,
                      "%s: pose %d of its table is not finite, or its quaternion is zero", what, i + 1);
        return;
    }
}

static void check_wave(trxi_build *build, const trx_motion_def *motion, const char *what)
{
    const double numbers[] = {motion->velocity, motion->amplitude, motion->frequency, motion->phase};
    if (!trxi_all_finite(3, motion->axis) || !(trxi_norm3(motion->axis) > 0))
        trxi_error_at(build->context, motion->source, "%s: the axis has no direction; give one such as [1, 0, 0]", what);
    if (!trxi_all_finite(4, numbers) || !trxi_all_finite(3, motion->at))
        trxi_error_at(build->context, motion->source, "%s: a number is not finite", what);
}

void trxi_validate_motion(trxi_build *build, int index)
{
    const trx_model_def *def = build->def;
    const trx_body_def *body = &def->bodies[index];
    const trx_motion_def *motion = &body->motion;
    if (body->njoint > 0 && motion->type == TRX_MOTION_NONE && trxi_body_is_moved(def, body->parent))
        trxi_error_at(build->context, body->source,
                      "body '%s' has joints on '%s', whose motion is prescribed: give '%s' joints instead of a motion",
                      body->name, def->bodies[body->parent].name, def->bodies[body->parent].name);
    if (motion->type == TRX_MOTION_NONE) return;
    char what[160];
    snprintf(what, sizeof what, "the motion of '%.100s'", body->name);
    if ((int)motion->type < 0 || motion->type > TRX_MOTION_TABLE)
        trxi_error_at(build->context, motion->source, "%s: there is no type %d", what, (int)motion->type);
    else if (motion->type == TRX_MOTION_TABLE)
        check_table(build, body, what);
    else
        check_wave(build, motion, what);
    if (body->njoint > 0)
        trxi_error_at(build->context, motion->source, "%s: its joints move it already; remove them or the motion", what);
    else if (trxi_body_has_joints(def, body->parent))
        trxi_error_at(build->context, motion->source,
                      "%s: joints carry this body; a body with a motion needs the world as its parent", what);
}

// ---- building ----

trxi_prescribed_body trxi_make_prescribed(const trx_motion_def *motion, int body, int parent, const double R[9], const double p[3])
{
    trxi_prescribed_body prescribed = {.body = body,
                        .parent = parent,
                        .type = motion->type,
                        .velocity = motion->velocity,
                        .amplitude = motion->amplitude,
                        .frequency = motion->frequency,
                        .phase = motion->phase};
    memcpy(prescribed.R_PM, R, sizeof prescribed.R_PM);
    trxi_copy3(p, prescribed.p_PM);
    trxi_normalize3(motion->axis, prescribed.axis);
    trxi_copy3(motion->at, prescribed.at);
    return prescribed;
}

int trxi_build_table(trxi_build *build, int count)
{
    trx_model *m = &build->model;
    int first = m->ntable;
    double *grown = TRXI_POOL(build->pool, double, first + count);
    if (!grown) return -1;
    if (first) memcpy(grown, m->tables, (size_t)first * sizeof *grown);
    m->tables = grown;
    m->ntable += count;
    return first;
}

trx_status trxi_build_motion(trxi_build *build)
{
    trx_model *m = &build->model;
    for (int i = 0; i < m->nprescribed; i++) {
        trxi_prescribed_body *prescribed = &m->prescribed[i];
        const trx_motion_def *motion = &build->def->bodies[prescribed->body].motion;
        if (prescribed->type != TRX_MOTION_TABLE) continue;
        prescribed->ntime = motion->ntime;
        prescribed->table = trxi_build_table(build, POSE_ROW * motion->ntime);
        if (prescribed->table < 0) return TRX_ERR_MEMORY;
        for (int k = 0; k < motion->ntime; k++) {
            double *row = m->tables + prescribed->table + POSE_ROW * k;
            row[0] = motion->times[k];
            trxi_copy3(motion->poses[k].p, row + 1);
            memcpy(row + 4, motion->poses[k].quat, 4 * sizeof *row);
            trxi_quat_normalize(row + 4);
        }
    }
    return TRX_OK;
}

// ---- poses ----

double trxi_table_locate(const double *rows, int stride, int count, double t, const double **low, const double **high)
{
    int first = 0, last = count - 1;
    while (last - first > 1) {
        int middle = first + (last - first) / 2;
        if (rows[(size_t)middle * (size_t)stride] <= t) first = middle;
        else last = middle;
    }
    *low = rows + (size_t)first * (size_t)stride, *high = rows + (size_t)last * (size_t)stride;
    if (first == last || t >= (*high)[0]) {
        *low = *high;
        return 0;
    }
    if (t > (*low)[0]) return (t - (*low)[0]) / ((*high)[0] - (*low)[0]);
    *high = *low;
    return 0;
}

static void table_displacement(const trx_model *model, const trxi_prescribed_body *prescribed, double t, double R[9], double p[3])
{
    const double *low, *high;
    double share = trxi_table_locate(model->tables + prescribed->table, POSE_ROW, prescribed->ntime, t, &low, &high);
    double turn[3], quat[4], step[3];
    trxi_quat_difference(high + 4, low + 4, turn);
    trxi_scale3(share, turn, turn);
    trxi_quat_integrate(low + 4, turn, quat);
    trxi_quat_to_matrix(quat, R);
    trxi_sub3(high + 1, low + 1, step);
    trxi_copy3(low + 1, p);
    trxi_axpy3(share, step, p);
}

static void displacement(const trx_model *model, const trxi_prescribed_body *prescribed, double t, double R[9], double p[3])
{
    if (prescribed->type == TRX_MOTION_TABLE) {
        table_displacement(model, prescribed, t, R, p);
        return;
    }
    double s = prescribed->velocity * t + prescribed->amplitude * sin(2 * TRXI_PI * prescribed->frequency * t + prescribed->phase);
    if (prescribed->type == TRX_MOTION_SLIDE) {
        trxi_identity33(R);
        trxi_scale3(s, prescribed->axis, p);
        return;
    }
    trxi_axis_angle33(prescribed->axis, s, R);
    trxi_mulv3(R, prescribed->at, p);
    trxi_sub3(prescribed->at, p, p);
}

void trxi_prescribed_pose(const trx_model *model, int prescribed, double t, double R[9], double p[3])
{
    trxi_identity33(R);
    trxi_zero3(p);
    for (int i = prescribed; i >= 0; i = model->prescribed[i].parent) {
        const trxi_prescribed_body *m = &model->prescribed[i];
        double D[9], d[3];

        // the displacement, then the pose in the parent
        displacement(model, m, t, D, d);
        trxi_carry_pose(D, d, R, p, R, p);
        trxi_carry_pose(m->R_PM, m->p_PM, R, p, R, p);
    }
}

// ---- velocities ----

// angular velocity w of the displaced frame and velocity v of its origin, in the axes of the frame before the displacement
static void table_velocity(const trx_model *model, const trxi_prescribed_body *prescribed, double t, const double D[9], double w[3],
                           double v[3])
{
    const double *low, *high;
    trxi_table_locate(model->tables + prescribed->table, POSE_ROW, prescribed->ntime, t, &low, &high);
    trxi_zero3(w);
    trxi_zero3(v);

    // at the time of a row, low and high are this row: the velocity belongs to the interval that follows
    const double *end = model->tables + prescribed->table + POSE_ROW * (prescribed->ntime - 1);
    if (high == low && t == low[0] && low < end) high = low + POSE_ROW;
    if (high == low) return;
    const double duration = high[0] - low[0];
    double turn[3];
    trxi_quat_difference(high + 4, low + 4, turn);
    trxi_mulv3(D, turn, w);
    trxi_scale3(1 / duration, w, w);
    trxi_sub3(high + 1, low + 1, v);
    trxi_scale3(1 / duration, v, v);
}

static void displacement_velocity(const trx_model *model, const trxi_prescribed_body *prescribed, double t, const double D[9],
                                  const double d[3], double w[3], double v[3])
{
    if (prescribed->type == TRX_MOTION_TABLE) {
        table_velocity(model, prescribed, t, D, w, v);
        return;
    }
    const double omega = 2 * TRXI_PI * prescribed->frequency;
    const double rate = prescribed->velocity + prescribed->amplitude * omega * cos(omega * t + prescribed->phase);
    trxi_zero3(w);
    trxi_scale3(rate, prescribed->axis, v);
    if (prescribed->type == TRX_MOTION_SLIDE) return;

    // the origin turns about the axis through `at`
    double arm[3];
    trxi_copy3(v, w);
    trxi_sub3(d, prescribed->at, arm);
    trxi_cross3(w, arm, v);
}

void trxi_prescribed_velocity(const trx_model *model, int prescribed, double t, double velocity[6])
{
    double p[3] = {0}, w[3] = {0}, v[3] = {0}; // of the body in the frame of each carrier in turn
    for (int i = prescribed; i >= 0; i = model->prescribed[i].parent) {
        const trxi_prescribed_body *m = &model->prescribed[i];
        double D[9], d[3], dw[3], dv[3], turned[3];
        displacement(model, m, t, D, d);
        displacement_velocity(model, m, t, D, d, dw, dv);

        // turns the velocity of the body into the axes before the displacement, then adds the velocity of the displaced frame
        trxi_mulv3(D, p, turned);
        trxi_copy3(turned, p);
        trxi_mulv3(D, w, turned);
        trxi_add3(turned, dw, w);
        trxi_mulv3(D, v, turned);
        trxi_add3(turned, dv, v);
        trxi_cross_add3(dw, p, v);
        trxi_add3(p, d, p);

        // the pose in the parent is constant: origin and axes change, no velocity is added
        trxi_mulv3(m->R_PM, p, turned);
        trxi_add3(turned, m->p_PM, p);
        trxi_mulv3(m->R_PM, w, turned);
        trxi_copy3(turned, w);
        trxi_mulv3(m->R_PM, v, turned);
        trxi_copy3(turned, v);
    }
    trxi_copy3(w, velocity);
    trxi_copy3(v, velocity + 3);
}
