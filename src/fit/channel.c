// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Residuals of channels (theory 10); see channel.h.
//
//     numbers     r = y - y_recorded
//     positions   r = p + R offset - p_recorded
//     rotations   r = Log(R_recorded^T R Exp(turn)),    dr = Jr^-1(r) Exp(turn)^T d,    R Exp(d): the turn in axes of the body

#include "fit/channel.h"

#include "math/rotation.h"
#include "math/vec3.h"
#include "model/model.h"

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

bool trxi_channel_is_missing(const trx_fit_channel *channel, const double *recorded)
{
    for (int i = 0; i < trxi_channel_columns(channel->kind); i++)
        if (isnan(recorded[channel->column + i])) return true;
    return false;
}

bool trxi_channel_is_rotation(trx_fit_channel_kind kind)
{
    return kind == TRX_FIT_ROTATION || kind == TRX_FIT_BODY_ORIENTATION || kind == TRX_FIT_FRAME_ORIENTATION;
}

bool trxi_channel_is_acceleration(trx_fit_channel_kind kind)
{
    return kind == TRX_FIT_BODY_ACCELERATION || kind == TRX_FIT_FRAME_ACCELERATION;
}

bool trxi_channel_is_force(trx_fit_channel_kind kind)
{
    return kind == TRX_FIT_CONTACT_FORCE || kind == TRX_FIT_JOINT_FORCE || kind == TRX_FIT_ACTUATOR_FORCE;
}

bool trxi_channel_is_of_step(trx_fit_channel_kind kind)
{
    return trxi_channel_is_acceleration(kind) || trxi_channel_is_force(kind);
}

bool trxi_channel_needs_poses(trx_fit_channel_kind kind)
{
    return (kind >= TRX_FIT_BODY_POSITION && kind <= TRX_FIT_FRAME_ORIENTATION) || trxi_channel_is_acceleration(kind);
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

bool trxi_channel_takes_offset(const trx_model *model, const trx_fit_channel *c)
{
    return c->kind == TRX_FIT_BODY_POSITION || c->kind == TRX_FIT_FRAME_POSITION ||
           (c->kind == TRX_FIT_COORDINATE && joint_of(model, c->index).type == TRX_JOINT_FREE);
}

int trxi_channel_body(const trx_model *model, const trx_fit_channel *c)
{
    if (c->kind == TRX_FIT_COORDINATE) return joint_of(model, c->index).body;
    return c->kind == TRX_FIT_FRAME_POSITION ? model->frames[c->index].body : c->index;
}

// A rotation R with its derivatives: for a turn d of R in axes of the body, dr = E d
static void measure_rotation(const double quat[4], const double turn[3], const double recorded[4], trxi_residual *out, double E[9])
{
    double q[4] = {quat[0], quat[1], quat[2], quat[3]}, p[4] = {recorded[0], recorded[1], recorded[2], recorded[3]};
    double inverse[9], R[9], right[9], slope[9];
    trxi_quat_normalize(q);
    trxi_quat_normalize(p);
    trxi_quat_integrate(q, turn, q);
    trxi_quat_difference(q, p, out->r);
    trxi_right_jacobian_inverse(out->r, inverse);

    // R Exp(d) Exp(turn) = R Exp(turn) Exp(Exp(turn)^T d),   Exp(turn + e) = Exp(turn) Exp(Jr(turn) e)
    trxi_exp33(turn, R);
    trxi_mul33_bt(inverse, R, E);
    trxi_right_jacobian(turn, right);
    trxi_mul33(inverse, right, slope);
    trxi_transpose33(slope, out->M);
}

// H of a rotation that is part of q: its tangent is the turn in axes of the body
static void measure_joint(const trxi_view *view, const trx_fit_channel *c, const double *turn, const double *recorded,
                          trxi_residual *out)
{
    const trx_joint_info joint = trx_model_joint(view->model, c->index);
    const int free = joint.type == TRX_JOINT_FREE ? 3 : 0, nx = trx_model_get_size(view->model).ntangent;
    double E[9];
    measure_rotation(view->x + joint.q_index + free, turn, recorded, out, E);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out->H[i * nx + joint.v_index + free + j] = E[3 * j + i];
}

// the coordinates q of a free joint are the position of its body, and a marker is at q + R offset; a turn d of the body, in its
// axes, moves the marker by R (d x offset)
static void measure_coordinate(const trxi_view *view, const trx_fit_channel *c, const double *offset, const double *recorded,
                               trxi_residual *out)
{
    const trx_joint_info joint = joint_of(view->model, c->index);
    const int component = c->index - joint.q_index;
    out->r[0] = view->x[c->index] - recorded[0];
    out->H[joint.v_index + component] = 1;
    if (!trxi_channel_takes_offset(view->model, c)) return;
    double R[9], axis[3];
    trxi_quat_to_matrix(view->x + joint.q_index + 3, R);
    for (int i = 0; i < 3; i++) out->M[i] = R[3 * i + component];
    out->r[0] += trxi_dot3(out->M, offset);
    trxi_cross3(offset, out->M, axis);
    for (int i = 0; i < 3; i++) out->H[joint.v_index + 3 + i] = axis[i];
}

// rows of the pose's Jacobian, which is in world axes with the angular part first
static void measure_position(const trxi_view *view, const trx_fit_channel *c, const trx_placement *placement, const double *offset,
                             const double *recorded, trxi_residual *out)
{
    double R[9], arm[3], turn[3];
    trxi_quat_to_matrix(placement->pose.quat, R);
    trxi_mulv3(R, offset, arm);
    out->r[0] = placement->pose.p[c->component] + arm[c->component] - recorded[0];
    for (int i = 0; i < 3; i++) out->M[i] = R[3 * i + c->component];
    for (int j = 0; j < trx_model_get_size(view->model).nv; j++) {
        trxi_cross3(view->J + 6 * j, arm, turn);
        out->H[j] = view->J[6 * j + 3 + c->component] + turn[c->component];
    }
}

static void measure_orientation(const trxi_view *view, const trx_placement *placement, const double *turn, const double *recorded,
                                trxi_residual *out)
{
    const int nv = trx_model_get_size(view->model).nv, nx = trx_model_get_size(view->model).ntangent;
    double E[9], R[9], local[3], column[3];
    measure_rotation(placement->pose.quat, turn, recorded, out, E);
    trxi_quat_to_matrix(placement->pose.quat, R);
    for (int j = 0; j < nv; j++) {
        trxi_mulv3_t(R, view->J + 6 * j, local);
        trxi_mulv3(E, local, column);
        for (int i = 0; i < 3; i++) out->H[i * nx + j] = column[i];
    }
}

void trxi_channel_residual(const trxi_view *view, const trx_fit_channel *c, const double *marker, const double *recorded,
                           trxi_residual *out)
{
    const trx_model_size size = trx_model_get_size(view->model);
    trx_placement placement = {0};
    memset(out->H, 0, sizeof *out->H * (size_t)(size.ntangent * trxi_channel_residuals(c->kind)));
    memset(out->M, 0, sizeof out->M);
    switch (c->kind) {
    case TRX_FIT_COORDINATE: measure_coordinate(view, c, marker, recorded, out); return;
    case TRX_FIT_VELOCITY:
        out->r[0] = view->x[size.nq + c->index] - recorded[0];
        out->H[size.nv + c->index] = 1;
        return;
    case TRX_FIT_ROTATION: measure_joint(view, c, marker, recorded, out); return;
    case TRX_FIT_BODY_POSITION:
    case TRX_FIT_BODY_ORIENTATION: trx_kinematics_body(view->kinematics, c->index, &placement, view->J); break;
    case TRX_FIT_FRAME_POSITION:
    case TRX_FIT_FRAME_ORIENTATION: trx_kinematics_frame(view->kinematics, c->index, &placement, view->J); break;
    default: return; // channels of steps: step_channel.c
    }
    if (trxi_channel_is_rotation(c->kind)) measure_orientation(view, &placement, marker, recorded, out);
    else measure_position(view, c, &placement, marker, recorded, out);
}

bool trxi_channel_has_signal(const trx_fit_channel *c, int index, const trx_fit_parameter *p)
{
    return p->signal && (p->signal_channel < 0 ? p->signal_group == c->group : p->signal_channel == index);
}

int trxi_channel_find_signal(const trx_fit_problem *problem, int channel, trx_fit_signal signal, int axis)
{
    for (int i = 0; i < problem->nparameter; i++) {
        const trx_fit_parameter *p = &problem->parameters[i];
        if (p->signal == signal && p->signal_axis == axis && trxi_channel_has_signal(&problem->channels[channel], channel, p))
            return i;
    }
    return -1;
}

double trxi_channel_signal_start(const trx_fit_problem *problem, int channel, trx_fit_signal signal, int axis)
{
    const double usual = signal == TRX_FIT_GAIN ? 1 : 0;
    const int found = trxi_channel_find_signal(problem, channel, signal, axis);
    if (found < 0) return usual;
    const trx_fit_parameter *p = &problem->parameters[found], *free = p->same_as < 0 ? p : &problem->parameters[p->same_as];
    return (p->same_as < 0 ? 1 : p->ratio) * (isnan(free->start) ? usual : free->start);
}

// why a channel cannot have a signal; NULL: it can
static const char *misfit(const trx_fit_problem *p, int channel, trx_fit_signal signal)
{
    const trx_fit_channel *c = &p->channels[channel];
    const bool rotation = trxi_channel_is_rotation(c->kind);
    if (signal == TRX_FIT_TURN) return rotation ? NULL : "only a rotation has the turn of a marker";
    if (signal == TRX_FIT_OFFSET)
        return trxi_channel_takes_offset(p->model, c)
                   ? NULL
                   : "only the position of a body, a frame or a free joint has the offset of a marker";
    return rotation && signal != TRX_FIT_DELAY ? "a rotation has no gain and no bias" : NULL;
}

static bool same_signal(const trx_fit_problem *p, int a, int b, int channel)
{
    return p->parameters[a].signal == p->parameters[b].signal && p->parameters[a].signal_axis == p->parameters[b].signal_axis &&
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
        const char *why = misfit(p, c, signal->signal);
        if (why) {
            snprintf(flaw, TRXI_SIGNAL_FLAW, "%.100s: %s", signal->name, why);
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
    if ((unsigned)signal->signal_axis > 2) {
        snprintf(flaw, TRXI_SIGNAL_FLAW, "%.100s: a marker has the axes 0, 1 and 2", signal->name);
        return true;
    }
    if (signal->signal != TRX_FIT_DELAY || (isfinite(free->min) && isfinite(free->max))) return false;
    snprintf(flaw, TRXI_SIGNAL_FLAW, "%.100s: a delay needs finite bounds: give min and max", signal->name);
    return true;
}
