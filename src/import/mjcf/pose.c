// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Positions and orientations. An orientation is given in one of five ways; among an element and its classes, the
// nearest one counts. Euler angles rotate about the axes of eulerseq: small letters are axes of the rotated frame
// (the next rotation acts from the right), capital letters axes of the frame around it (from the left).

#include "import/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

void trxi_mjcf_quat_of_axis(const double axis[3], double quat[4])
{
    static const double z[3] = {0, 0, 1};
    double n[3], turn[3];
    trxi_normalize3(axis, n);
    trxi_cross3(z, n, turn);
    double sine = trxi_norm3(turn), angle = atan2(sine, n[2]);
    if (sine < 1e-10)
        trxi_set3(1, 0, 0, turn);
    else
        trxi_scale3(1 / sine, turn, turn);
    trxi_scale3(angle, turn, turn);
    trxi_quat_exp(turn, quat);
}

static void of_axis_angle(const trxi_mjcf_element *at, const double value[4], double quat[4])
{
    double axis[3];
    if (!(trxi_normalize3(value, axis) > 0)) {
        trxi_mjcf_error(at, at->node->source, "axisangle",
                        "the axis of axisangle has no direction; write one such as 0 0 1");
        return;
    }
    trxi_scale3(value[3] * at->reader->compiler.angle, axis, axis);
    trxi_quat_exp(axis, quat);
}

static void of_euler(const trxi_mjcf_element *at, const double value[3], double quat[4])
{
    for (int i = 0; i < 3; i++) {
        char letter = at->reader->compiler.eulerseq[i];
        bool fixed = letter >= 'X' && letter <= 'Z';
        double turn[3] = {0, 0, 0}, step[4], out[4];
        turn[letter - (fixed ? 'X' : 'x')] = value[i] * at->reader->compiler.angle;
        trxi_quat_exp(turn, step);
        if (fixed)
            trxi_quat_mul(step, quat, out);
        else
            trxi_quat_mul(quat, step, out);
        memcpy(quat, out, sizeof out);
    }
}

static void of_axes(const trxi_mjcf_element *at, const double value[6], double quat[4])
{
    double R[9];
    bool good = trxi_normalize3(value, R) > 0;
    double along = trxi_dot3(R, value + 3);
    trxi_copy3(value + 3, R + 3);
    trxi_axpy3(-along, R, R + 3);
    good = good && trxi_normalize3(R + 3, R + 3) > 1e-10;
    if (!good) {
        trxi_mjcf_error(at, at->node->source, "xyaxes",
                        "xyaxes of this %s are no two directions; write the x axis, then the "
                        "y axis",
                        at->node->name);
        return;
    }
    trxi_cross3(R, R + 3, R + 6);
    trxi_quat_from_matrix(R, quat);
}

static void of_quat(const trxi_mjcf_element *at, const double value[4], double quat[4])
{
    memcpy(quat, value, 4 * sizeof *quat);
    if (trxi_quat_normalize(quat) > 0) return;
    trxi_mjcf_error(at, at->node->source, "quat", "the quaternion of this %s is zero; 1 0 0 0 is no rotation",
                    at->node->name);
    memcpy(quat, (const double[4]){1, 0, 0, 0}, 4 * sizeof *quat);
}

trx_pose trxi_mjcf_pose(const trxi_mjcf_element *e)
{
    static const char *const keys[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    static const int counts[] = {4, 4, 6, 3, 3};
    trx_pose pose = trx_pose_identity();
    trxi_mjcf_numbers(e, "pos", 3, 3, pose.p);

    trxi_mjcf_element at;
    double value[6] = {0};
    int which = trxi_mjcf_choice(e, keys, 5, &at);
    if (which < 0 || trxi_mjcf_numbers(&at, keys[which], counts[which], counts[which], value) == 0) return pose;
    switch (which) {
    case 0: of_quat(&at, value, pose.quat); break;
    case 1: of_axis_angle(&at, value, pose.quat); break;
    case 2: of_axes(&at, value, pose.quat); break;
    case 3:
        if (trxi_norm3(value) > 0)
            trxi_mjcf_quat_of_axis(value, pose.quat);
        else
            trxi_mjcf_error(&at, at.node->source, "zaxis", "zaxis of this %s has no direction", at.node->name);
        break;
    default: of_euler(&at, value, pose.quat);
    }
    return pose;
}
