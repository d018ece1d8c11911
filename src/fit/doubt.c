// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Suspicions about recorded columns (theory 10); see doubt.h. A suspicion is a warning: unusual data may be right. The rules:
//
//     milliseconds   half of the samples are more than half a second apart
//     millimetres    a position beyond 50 m
//     degrees        an angle beyond 20 rad, or 10 times beyond the limits of its joint
//     order          the first quaternion is nearly w = 0 and z = 1: the identity as x y z w (if no spins are recorded)
//     order          recorded spins agree with the turns of the quaternions when these are read as x y z w, and not as w x y z

#include "fit/doubt.h"

#include "base/context.h"
#include "fit/channel.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

static const double FAR = 50, WIDE = 20, SLOW = 0.5;
static const double NEARLY = 0.05; // largest first number of an identity in the order x y z w: a turn of a tenth of a radian

static double cell(const trxi_csv *csv, int row, int column)
{
    return csv->data[(size_t)row * (size_t)csv->cols + (size_t)column];
}

static double largest(const trxi_csv *csv, int column)
{
    double most = 0;
    for (int row = 0; row < csv->rows; row++) most = fmax(most, fabs(cell(csv, row, column)));
    return most;
}

static void doubt_times(trx_context *context, const trxi_csv *csv, const trxi_columns *columns)
{
    int slow = 0;
    for (int row = 1; row < csv->rows; row++) slow += cell(csv, row, columns->time) - cell(csv, row - 1, columns->time) > SLOW;
    if (csv->rows > 2 && 2 * slow > csv->rows)
        trxi_warn_at(context, csv->name_sources[columns->time],
                     "most samples are more than %g s apart: are the times in milliseconds? Write seconds", SLOW);
}

static void doubt_length(trx_context *context, const trxi_csv *csv, int column)
{
    const double most = largest(csv, column);
    if (most > FAR)
        trxi_warn_at(context, csv->name_sources[column], "%s reaches %g m: is it in millimetres? Write metres", csv->names[column],
                     most);
}

static void doubt_angle(trx_context *context, const trx_model *model, const trxi_csv *csv, int column, int q)
{
    const double most = largest(csv, column);
    int joint = 0;
    while (trx_model_joint(model, joint).q_index + trx_model_joint(model, joint).nq <= q) joint++;
    const trx_joint_info info = trx_model_joint(model, joint);
    const double limit = fmax(fabs(info.lower), fabs(info.upper));
    if (most > WIDE || (info.type == TRX_JOINT_HINGE && limit > 0 && most > 10 * limit))
        trxi_warn_at(context, csv->name_sources[column], "%s reaches %g rad: is it in degrees? Write radians", csv->names[column],
                     most);
}

// ---- order of quaternions ----

// the column of the file whose numbers become column `value` of the values
static int file_column(const trxi_csv *csv, const trxi_columns *columns, int value)
{
    for (int j = 0; j < csv->cols; j++)
        if (columns->value[j] == value) return j;
    return -1;
}

static void read_quaternion(const trxi_csv *csv, const int parts[4], int row, bool last, double q[4])
{
    for (int i = 0; i < 4; i++) q[i] = cell(csv, row, parts[last ? (i + 3) % 4 : i]);
    trxi_quat_normalize(q);
}

// sum of squared differences between the recorded spins and the spins that turn the quaternions from row to row. `last`: the real
// part of a quaternion is its last column
static double spin_error(const trxi_csv *csv, const int parts[4], const int spins[3], int time, bool last)
{
    double sum = 0;
    for (int row = 0; row + 1 < csv->rows; row++) {
        const double dt = cell(csv, row + 1, time) - cell(csv, row, time);
        double a[4], b[4], turn[3];
        if (!(dt > 0)) continue;
        read_quaternion(csv, parts, row, last, a);
        read_quaternion(csv, parts, row + 1, last, b);
        trxi_quat_difference(b, a, turn);
        for (int i = 0; i < 3; i++) {
            const double d = turn[i] / dt - cell(csv, row, spins[i]);
            if (isfinite(d)) sum += d * d;
        }
    }
    return sum;
}

// columns of the spin of a free joint or ball; false when the file does not have them
static bool find_spins(const trx_model *model, const trxi_csv *csv, int joint, int spins[3])
{
    const trx_joint_info info = trx_model_joint(model, joint);
    for (int i = 0; i < 3; i++)
        if ((spins[i] = trxi_csv_find(csv, trx_model_v_name(model, info.v_index + info.nv - 3 + i))) < 0) return false;
    return true;
}

static void doubt_order(trx_context *context, const trx_model *model, const trxi_csv *csv, const trx_fit_channel *c,
                        const trxi_columns *columns)
{
    int parts[4], spins[3];
    for (int i = 0; i < 4; i++)
        if ((parts[i] = file_column(csv, columns, c->column + i)) < 0) return;
    const bool identity = csv->rows > 0 && fabs(cell(csv, 0, parts[0])) < NEARLY &&
                          fabs(cell(csv, 0, parts[3])) > 1 - NEARLY * NEARLY;
    bool swapped = identity;
    if (c->kind == TRX_FIT_ROTATION && find_spins(model, csv, c->index, spins))
        swapped = spin_error(csv, parts, spins, columns->time, true) < 0.25 * spin_error(csv, parts, spins, columns->time, false);
    if (swapped)
        trxi_warn_at(context, csv->name_sources[parts[0]],
                     "the quaternions of %s look like x y z w: write w x y z, or name the columns in the order they have", c->name);
}

void trxi_doubt(trx_context *context, const trx_model *model, const trxi_csv *csv, const trxi_channels *channels,
                const trxi_columns *columns)
{
    doubt_times(context, csv, columns);
    for (int i = 0; i < channels->count; i++) {
        const trx_fit_channel *c = &channels->channels[i];
        const int column = file_column(csv, columns, c->column);
        if (column < 0) continue;
        if (trxi_channel_is_rotation(c->kind)) doubt_order(context, model, csv, c, columns);
        else if (trxi_channel_is_position(model, c)) doubt_length(context, csv, column);
        else if (c->kind == TRX_FIT_COORDINATE) doubt_angle(context, model, csv, column, c->index);
    }
}
