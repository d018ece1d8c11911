// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals of channels (theory 10); see channel.h.
//
//     numbers     r = y - y_recorded
//     rotations   r = Log(R_recorded^T R),    dr = Jr^-1(r) d,    R Exp(d): the turn in axes of the body

#include "fit/channel.h"

#include "math/rotation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int trxi_channel_residuals(trx_fit_channel_kind kind)
{
    return trxi_channel_is_rotation(kind) ? 3 : 1;
}

int trxi_channel_columns(trx_fit_channel_kind kind)
{
    return trxi_channel_is_rotation(kind) ? 4 : 1;
}

bool trxi_channel_is_rotation(trx_fit_channel_kind kind)
{
    return kind == TRX_FIT_ROTATION || kind == TRX_FIT_BODY_ORIENTATION || kind == TRX_FIT_FRAME_ORIENTATION;
}

bool trxi_channel_needs_poses(trx_fit_channel_kind kind)
{
    return kind >= TRX_FIT_BODY_POSITION;
}

// the joint that has coordinate q[index]
static trx_joint_info joint_of(const trx_model *model, int index)
{
    int joint = 0;
    while (trx_model_joint(model, joint).q_index + trx_model_joint(model, joint).nq <= index) joint++;
    return trx_model_joint(model, joint);
}

bool trxi_channel_is_position(const trx_model *model, const trx_fit_channel *c)
{
    if (c->kind == TRX_FIT_BODY_POSITION || c->kind == TRX_FIT_FRAME_POSITION) return true;
    if (c->kind != TRX_FIT_COORDINATE) return false;
    const trx_joint_info joint = joint_of(model, c->index);
    return joint.type == TRX_JOINT_FREE || joint.type == TRX_JOINT_SLIDE ||
           (joint.type == TRX_JOINT_PLANAR && c->index - joint.q_index < 2);
}

// r = Log(recorded^-1 quat), and Jr^-1(r)
static void rotation_residual(const double quat[4], const double recorded[4], double r[3], double jacobian[9])
{
    double q[4] = {quat[0], quat[1], quat[2], quat[3]}, p[4] = {recorded[0], recorded[1], recorded[2], recorded[3]};
    trxi_quat_normalize(q);
    trxi_quat_normalize(p);
    trxi_quat_difference(q, p, r);
    trxi_right_jacobian_inverse(r, jacobian);
}

// columns of H of a quaternion that is part of q: its tangent is the turn in axes of the body
static void measure_joint(const trx_joint_info *joint, const double *x, const double *recorded, int nx, double *r, double *H)
{
    const bool free = joint->type == TRX_JOINT_FREE;
    const int q = joint->q_index + (free ? 3 : 0), v = joint->v_index + (free ? 3 : 0);
    double jacobian[9];
    rotation_residual(x + q, recorded, r, jacobian);
    for (int i = 0; i < 3 && H; i++)
        for (int j = 0; j < 3; j++) H[i * nx + v + j] = jacobian[3 * j + i];
}

// rows of the pose's Jacobian, which is in world axes with the angular part first
static void measure_pose(const trx_fit_channel *c, const trx_placement *placement, const double *J, int nv, const double *recorded,
                         double *r, double *H)
{
    if (!trxi_channel_is_rotation(c->kind)) {
        r[0] = placement->pose.p[c->component] - recorded[0];
        for (int j = 0; j < nv && H; j++) H[j] = J[6 * j + 3 + c->component];
        return;
    }
    double jacobian[9], R[9], turn[3], column[3];
    rotation_residual(placement->pose.quat, recorded, r, jacobian);
    trxi_quat_to_matrix(placement->pose.quat, R);
    for (int j = 0; j < nv && H; j++) {
        trxi_mulv3_t(R, J + 6 * j, turn);
        trxi_mulv3(jacobian, turn, column);
        for (int i = 0; i < 3; i++) H[i * 2 * nv + j] = column[i];
    }
}

void trxi_channel_residual(const trx_model *model, const trx_kinematics *kinematics, const trx_fit_channel *c, const double *x,
                  const double *recorded, double *r, double *H, double *J)
{
    const trx_model_size size = trx_model_get_size(model);
    const int nv = size.nv, nx = 2 * nv;
    if (H) memset(H, 0, sizeof *H * (size_t)(nx * trxi_channel_residuals(c->kind)));
    trx_placement placement = {0};
    trx_joint_info joint;
    switch (c->kind) {
    case TRX_FIT_COORDINATE:
        joint = joint_of(model, c->index);
        r[0] = x[c->index] - recorded[0];
        if (H) H[joint.v_index + c->index - joint.q_index] = 1;
        return;
    case TRX_FIT_VELOCITY:
        r[0] = x[size.nq + c->index] - recorded[0];
        if (H) H[nv + c->index] = 1;
        return;
    case TRX_FIT_ROTATION:
        joint = trx_model_joint(model, c->index);
        measure_joint(&joint, x, recorded, nx, r, H);
        return;
    case TRX_FIT_BODY_POSITION:
    case TRX_FIT_BODY_ORIENTATION: trx_kinematics_body(kinematics, c->index, &placement, J); break;
    case TRX_FIT_FRAME_POSITION:
    case TRX_FIT_FRAME_ORIENTATION: trx_kinematics_frame(kinematics, c->index, &placement, J); break;
    }
    measure_pose(c, &placement, J, nv, recorded, r, H);
}

bool trxi_channel_has_signal(const trx_fit_channel *c, int index, const trx_fit_parameter *p)
{
    return p->signal && (p->signal_channel < 0 ? p->signal_group == c->group : p->signal_channel == index);
}

int trxi_channel_find_signal(const trx_fit_problem *problem, int channel, trx_fit_signal signal)
{
    for (int i = 0; i < problem->nparameter; i++) {
        const trx_fit_parameter *p = &problem->parameters[i];
        if (p->signal == signal && trxi_channel_has_signal(&problem->channels[channel], channel, p)) return i;
    }
    return -1;
}

double trxi_channel_signal_start(const trx_fit_problem *problem, int channel, trx_fit_signal signal)
{
    const double usual = signal == TRX_FIT_GAIN ? 1 : 0;
    const int found = trxi_channel_find_signal(problem, channel, signal);
    if (found < 0) return usual;
    const trx_fit_parameter *p = &problem->parameters[found], *free = p->same_as < 0 ? p : &problem->parameters[p->same_as];
    return (p->same_as < 0 ? 1 : p->ratio) * (isnan(free->start) ? usual : free->start);
}

static bool same_signal(const trx_fit_problem *p, int a, int b, int channel)
{
    return p->parameters[a].signal == p->parameters[b].signal &&
           trxi_channel_has_signal(&p->channels[channel], channel, &p->parameters[a]) &&
           trxi_channel_has_signal(&p->channels[channel], channel, &p->parameters[b]);
}

bool trxi_channel_signal_flaw(const trx_fit_problem *p, int parameter, char flaw[TRXI_SIGNAL_FLAW])
{
    const trx_fit_parameter *signal = &p->parameters[parameter];
    const int tie = signal->same_as;
    const trx_fit_parameter *free = &p->parameters[tie >= 0 && tie < parameter ? tie : parameter];
    int channels = 0;
    for (int c = 0; c < p->nchannel; c++) {
        if (!trxi_channel_has_signal(&p->channels[c], c, signal)) continue;
        channels++;
        if (signal->signal != TRX_FIT_DELAY && trxi_channel_is_rotation(p->channels[c].kind)) {
            snprintf(flaw, TRXI_SIGNAL_FLAW, "%.100s: a rotation has no gain and no bias", signal->name);
            return true;
        }
        for (int k = 0; k < parameter; k++) {
            if (!same_signal(p, parameter, k, c)) continue;
            snprintf(flaw, TRXI_SIGNAL_FLAW, "%.100s: %.100s has this signal already, by %.100s", signal->name, p->channels[c].name,
                     p->parameters[k].name);
            return true;
        }
    }
    if (channels == 0) {
        snprintf(flaw, TRXI_SIGNAL_FLAW, "%.100s: no channel has this signal", signal->name);
        return true;
    }
    if (signal->signal != TRX_FIT_DELAY || (isfinite(free->min) && isfinite(free->max))) return false;
    snprintf(flaw, TRXI_SIGNAL_FLAW, "%.100s: a delay needs finite bounds: give min and max", signal->name);
    return true;
}
