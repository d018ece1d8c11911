// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// First guess of start states (theory 10); see guess.h. A line through the first samples of a coordinate gives the coordinate at
// the first knot, and its velocity if velocities are not recorded. Channels without residuals are used too. Delay, gain and bias
// of a channel, at their start values, are taken out of its samples; offset and turn of a marker are taken out of the state.
// Activations depend on themselves and on controls alone, so they are simulated from the start of the recording.

#include "fit/guess.h"

#include "fit/channel.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum { LINE_ROWS = 6 }; // samples of a line: more have less noise and more curvature

static const double *values_of(const trx_fit_problem *problem, const trxi_window *w, int row)
{
    return problem->recordings[w->recording].values + (size_t)(w->first_row + row) * (size_t)problem->columns;
}

static const double *cell(const trx_fit_problem *problem, const trxi_window *w, int row, const trx_fit_channel *c)
{
    return values_of(problem, w, row) + c->column;
}

// first row from `from` on that has the channel; -1: none
static int next_row(const trx_fit_problem *problem, const trxi_window *w, int from, const trx_fit_channel *c)
{
    for (int row = from; row < w->rows; row++)
        if (!trxi_channel_is_missing(c, values_of(problem, w, row))) return row;
    return -1;
}

// time of a sample without the delay of its channel, since the window's first knot
static double time_of(const trx_fit_problem *problem, const trxi_window *w, int row, const trx_fit_channel *c)
{
    const double delay = trxi_channel_signal_start(problem, (int)(c - problem->channels), TRX_FIT_DELAY, 0);
    return problem->recordings[w->recording].t[w->first_row + row] - delay - w->begin;
}

// a recorded number of a channel, or a change of it, without the channel's gain and bias
static double taken_back(const trx_fit_problem *problem, const trx_fit_channel *c, double number, bool change)
{
    const int channel = (int)(c - problem->channels);
    const double gain = trxi_channel_signal_start(problem, channel, TRX_FIT_GAIN, 0);
    const double bias = trxi_channel_signal_start(problem, channel, TRX_FIT_BIAS, 0);
    return (number - (change ? 0 : bias)) / (gain != 0 ? gain : 1);
}

// gives the number of a sample from the values of its channel and from those of the first sample
typedef double (*sample)(const double *values, const double *first, int component);

// Fits a line to the numbers of the first samples by least squares: value at the window's first knot and slope. Returns false when
// there is only one sample: the value is the number of that sample
static bool fit_line(const trx_fit_problem *problem, const trxi_window *w, const trx_fit_channel *c, sample number, int component,
                     double *value, double *slope)
{
    const int first = next_row(problem, w, 0, c);
    double n = 0, t = 0, y = 0, tt = 0, ty = 0;
    for (int row = first; row >= 0 && row < w->rows && n < LINE_ROWS; row = next_row(problem, w, row + 1, c)) {
        const double at = time_of(problem, w, row, c);
        const double now = number(cell(problem, w, row, c), cell(problem, w, first, c), component);
        n++, t += at, y += now, tt += at * at, ty += at * now;
        if (next_row(problem, w, row + 1, c) < 0) break;
    }
    const double spread = n * tt - t * t;
    *slope = spread > 0 ? (n * ty - t * y) / spread : 0;
    *value = n > 0 ? (y - *slope * t) / n : 0;
    return spread > 0;
}

static double as_recorded(const double *values, const double *first, int component)
{
    (void)first;
    return values[component];
}

// turn since the first sample, in axes of the body at that sample
static double turn_since(const double *values, const double *first, int component)
{
    double turn[3];
    trxi_quat_difference(values, first, turn);
    return turn[component];
}

static void guess_coordinate(const trx_fit_problem *problem, const trxi_window *w, const trx_fit_channel *c,
                             const trx_joint_info *joint, int nq)
{
    const int v = joint->v_index + c->index - joint->q_index;
    double value, slope;
    if (next_row(problem, w, 0, c) < 0) return;
    if (fit_line(problem, w, c, as_recorded, 0, &value, &slope)) w->guess[nq + v] = taken_back(problem, c, slope, true);
    w->guess[c->index] = taken_back(problem, c, value, false);
}

static void guess_rotation(const trx_fit_problem *problem, const trxi_window *w, const trx_fit_channel *c,
                           const trx_joint_info *joint, int nq)
{
    const int free = joint->type == TRX_JOINT_FREE ? 3 : 0, row = next_row(problem, w, 0, c);
    double *quat = w->guess + joint->q_index + free, *spin = w->guess + nq + joint->v_index + free, turn[3], slope;
    if (row < 0) return;
    memcpy(quat, cell(problem, w, row, c), 4 * sizeof *quat);
    trxi_quat_normalize(quat);
    for (int i = 0; i < 3; i++)
        if (fit_line(problem, w, c, turn_since, i, &turn[i], &slope)) spin[i] = slope;
    trxi_quat_integrate(quat, turn, quat);
}

static const trx_fit_channel *find(const trx_fit_problem *problem, trx_fit_channel_kind kind, int index)
{
    for (int i = 0; i < problem->nchannel; i++)
        if (problem->channels[i].kind == kind && problem->channels[i].index == index) return &problem->channels[i];
    return NULL;
}

// computes the state of a free joint from the recorded marker, at the start values of the marker's offset and turn:
// R = R_M Exp(-turn), p = p_M - R offset; spins are in axes of the body
static void take_marker_back(const trx_fit_problem *problem, const trx_joint_info *joint, int nq, const trx_fit_channel *position,
                             const trx_fit_channel *rotation, double *guess)
{
    double offset[3] = {0}, turn[3] = {0}, back[3], R[9], spin[3], arm[3], *p = guess + joint->q_index;
    double *v = guess + nq + joint->v_index;
    for (int i = 0; i < 3; i++) {
        if (position)
            offset[i] = trxi_channel_signal_start(problem, (int)(position - problem->channels), TRX_FIT_OFFSET, i);
        if (rotation) turn[i] = trxi_channel_signal_start(problem, (int)(rotation - problem->channels), TRX_FIT_TURN, i);
        back[i] = -turn[i];
    }
    trxi_quat_integrate(p + 3, back, p + 3);
    trxi_exp33(turn, R);
    trxi_copy3(v + 3, spin);
    trxi_mulv3(R, spin, v + 3);
    trxi_quat_to_matrix(p + 3, R);
    trxi_mulv3(R, offset, arm);
    trxi_sub3(p, arm, p);
    trxi_cross3(v + 3, offset, spin);
    trxi_mulv3(R, spin, arm);
    trxi_sub3(v, arm, v);
}

void trxi_guess_start(const trx_fit_problem *problem, trxi_window *w)
{
    const trx_model_size size = trx_model_get_size(problem->model);
    memcpy(w->guess, problem->x0, sizeof *w->guess * (size_t)size.nstate);
    for (int j = 0; j < size.njoint; j++) {
        const trx_joint_info joint = trx_model_joint(problem->model, j);
        const trx_fit_channel *rotation = find(problem, TRX_FIT_ROTATION, j);
        if (rotation) guess_rotation(problem, w, rotation, &joint, size.nq);
        for (int i = joint.q_index; i < joint.q_index + joint.nq; i++) {
            const trx_fit_channel *c = find(problem, TRX_FIT_COORDINATE, i);
            if (c) guess_coordinate(problem, w, c, &joint, size.nq);
        }
        if (joint.type == TRX_JOINT_FREE)
            take_marker_back(problem, &joint, size.nq, find(problem, TRX_FIT_COORDINATE, joint.q_index), rotation, w->guess);
    }
    for (int i = 0; i < size.nv; i++) {
        const trx_fit_channel *c = find(problem, TRX_FIT_VELOCITY, i);
        const int row = c ? next_row(problem, w, 0, c) : -1;
        if (row >= 0) w->guess[size.nq + i] = taken_back(problem, c, *cell(problem, w, row, c), false);
    }
    memcpy(w->x, w->guess, sizeof *w->x * (size_t)size.nstate);
}

static void advance_activations(const trx_fit_problem *problem, const double *u, double *a)
{
    const trx_model *model = problem->model;
    for (int i = 0; i < model->nu; i++) {
        const trxi_actuator *of = &model->actuators[i];
        if (of->a < 0) continue;
        a[of->a] = trxi_activation_advance(&of->activation, problem->sim.time_step, a[of->a], u ? u[i] : 0).value;
    }
}

void trxi_guess_activations(const trx_fit_problem *problem, const trxi_window *before, trxi_window *w)
{
    const trx_model *model = problem->model;
    const trx_fit_recording *r = &problem->recordings[w->recording];
    const int first = model->nq + model->nv;
    const double dt = problem->sim.time_step, begin = before ? before->begin : r->t[0];
    double *a = w->guess + first;
    if (model->na == 0) return;
    memcpy(a, before ? before->guess + first : problem->x0 + first, sizeof *a * (size_t)model->na);
    for (int k = 0, row = before ? before->first_row : 0, steps = (int)lround((w->begin - begin) / dt); k < steps; k++) {
        row = trxi_held_row(r, dt, begin + k * dt, row);
        advance_activations(problem, r->u ? r->u + (size_t)row * (size_t)model->nu : NULL, a);
    }
    memcpy(w->x + first, a, sizeof *a * (size_t)model->na);
}
