// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drives, springs of tendons, and dry friction of joints as rows of the convex problem (theory 4), their derivatives
// (theory 6), and the effect of controls on the residual.
//
//     drive      f = clamp(gain u + bias - kp (L + dt dL) - kd dL, effort)         L = gear l(q0), v_c = dL = J v
//     muscle     -gain (w FL(L) FV(dL) + FP(L)) in place of gain u, w = max(u, 0)
//     spring     f = k (rest - l - dt dl) - d dl                                   l = l(q0), v_c = dl = J v
//     friction   f = -most v_c/sqrt(v_c^2 + e^2)
//
// A spring with a range of rest lengths has three rows: a drive that only pulls, a drive that only pushes, and a damper. Inside the
// clamp
//
//     d gamma = -G dL - dt k J dq0 + dt g du
//
// with k = kp and g = gain. For a muscle, k and g also contain the slopes of its curves by the length and by w, at the velocity of
// the solution. Outside the clamp d gamma = 0. The terms of dJ are in length_rows.c. An actuator that is no drive (a motor, see
// model/actuators.c) has a constant gradient and is part of p0: dt J^T (gain u + bias). In two-stage schemes a motor belongs to
// stage 1, and its changes reach the residual through `carry` (step_deriv.h).

#include "step/scalar_rows.h"
#include "step/sim.h"
#include "step/step_deriv.h"

#include "math/dense.h"
#include "model/muscle.h"

#include <string.h>

// the force of a muscle at the length L, driven by w
static void add_muscle(const trxi_actuator *a, double L, double w, trxi_drive_constants *drive)
{
    const trx_muscle_def *m = &a->muscle;
    const double l = trxi_muscle_length(m, L), drives = w >= 0; // at 0 the slope of pulling
    const trxi_curve active = trxi_muscle_active(m, l), passive = trxi_muscle_passive(m, l);
    drive->f0 -= a->gain * passive.value;
    drive->stiffness += a->gain * passive.slope / m->optimal_length;
    drive->pull = (trxi_pull){
        .strength = a->gain * drives * w * active.value,
        .strength_L = a->gain * drives * w * active.slope / m->optimal_length,
        .strength_w = a->gain * drives * active.value,
        .rate = 1 / (m->optimal_length * m->max_speed),
        .most = m->lengthening_force,
        .room = m->optimal_length * fmin(active.room, passive.room),
        .pieces = (unsigned)drives + 2 * (active.piece + TRXI_CURVE_PIECES * passive.piece),
    };
}

trxi_drive_constants trxi_drive_of(const trxi_input *in, const trxi_lengths *lengths, int actuator)
{
    const trxi_actuator *a = &in->model->actuators[actuator];
    const bool muscle = a->muscle.optimal_length > 0;
    const double L = a->gear * lengths->value[a->length], w = in->u[actuator], gain = muscle ? 0 : a->gain;
    trxi_drive_constants drive = {
        .f0 = gain * w + a->bias - a->kp * L,
        .slope = in->settings.time_step * a->kp + a->kd,
        .lower = a->motor ? -INFINITY : a->effort_lower,
        .upper = a->motor ? INFINITY : a->effort_upper,
        .stiffness = a->kp,
        .gain = gain,
    };
    if (muscle) add_muscle(a, L, w, &drive);
    return drive;
}

static trxi_drive_constants spring_constants(double f0, double slope, double lower, double upper, double stiffness)
{
    return (trxi_drive_constants){.f0 = f0, .slope = slope, .lower = lower, .upper = upper, .stiffness = stiffness};
}

int trxi_spring_of(const trxi_input *in, const trxi_lengths *lengths, int spring, trxi_drive_constants out[TRXI_SPRING_ROWS])
{
    const trxi_tendon_spring *s = &in->model->springs[spring];
    const double l = lengths->value[s->length], k = s->stiffness, slope = in->settings.time_step * k;
    if (s->rest_lower == s->rest_upper) {
        out[0] = spring_constants(k * (s->rest_lower - l), slope + s->damping, -INFINITY, INFINITY, k);
        return 1;
    }
    int count = 0;
    if (s->damping > 0) out[count++] = spring_constants(0, s->damping, -INFINITY, INFINITY, 0);
    if (k > 0 && isfinite(s->rest_lower)) out[count++] = spring_constants(k * (s->rest_lower - l), slope, 0, INFINITY, k);
    if (k > 0 && isfinite(s->rest_upper)) out[count++] = spring_constants(k * (s->rest_upper - l), slope, -INFINITY, 0, k);
    return count;
}

static void add_drive(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, int index)
{
    const trxi_actuator *a = &in->model->actuators[index];
    const trxi_length_view of = trxi_length_at(in->model, &smooth->lengths, a->length);
    trxi_rows_add_length(rows, &trxi_drive, index, 0, &of, a->gear)->drive = trxi_drive_of(in, &smooth->lengths, index);
}

static void add_spring(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows, int index)
{
    const trxi_length_view of = trxi_length_at(in->model, &smooth->lengths, in->model->springs[index].length);
    trxi_drive_constants pulls[TRXI_SPRING_ROWS];
    const int count = trxi_spring_of(in, &smooth->lengths, index, pulls);
    for (int part = 0; part < count; part++) trxi_rows_add_length(rows, &trxi_spring, index, part, &of, 1)->drive = pulls[part];
}

static void add_friction(const trxi_input *in, trxi_rows *rows, int dof)
{
    int *cols;
    double *J;
    trxi_row_block *row = trxi_rows_add_scalar(rows, &trxi_dry_friction, dof, 0, 1, &cols, &J);
    cols[0] = dof;
    J[0] = 1;
    row->most = in->model->friction[dof];
    row->law->prepare(row, &in->law);
}

void trxi_step_drive_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows)
{
    const trx_model *model = in->model;
    for (int i = 0; i < model->nu && model->ndrive > 0; i++)
        if (model->actuators[i].drive) add_drive(in, smooth, rows, i);
    for (int i = 0; i < model->nspring; i++) add_spring(in, smooth, rows, i);
    for (int i = 0; i < model->nv && model->nfriction > 0; i++)
        if (model->friction[i] != 0) add_friction(in, rows, i);
}

// a drive or spring at the solution, 0 where its effort is reached and for other rows
static trxi_drive_force force_of(const trxi_row_block *row)
{
    const bool pulls = row->law == &trxi_drive || row->law == &trxi_spring;
    return pulls && row->at.branch & TRXI_ROW_ACTIVE ? trxi_drive_at(&row->drive, row->at.v_c[0]) : (trxi_drive_force){0};
}

double trxi_row_stiffness(const trxi_row_block *row)
{
    return force_of(row).stiffness;
}

// inside the clamp rq -= J^T (-dt k J); outside the clamp neither position nor control has an effect
void trxi_step_drive_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out)
{
    const trx_model *model = step->in->model;
    const double dt = step->in->settings.time_step;
    for (int i = 0; i < model->nu; i++) deriv->response[i] = dt * model->actuators[i].gain;
    for (int i = 0; i < step->rows->nscalar; i++) {
        const trxi_row_block *row = &step->rows->scalars[i];
        if (row->law == &trxi_drive) deriv->response[row->index] = dt * force_of(row).gain;
        const double stiffness = dt * trxi_row_stiffness(row);
        for (int c = 0; c < row->ncol && stiffness != 0; c++)
            for (int k = 0; k < row->ncol; k++)
                trxi_residual_add_q(out, row->cols[k], row->cols[c], stiffness * row->J[c] * row->J[k]);
    }
}

// out += share times the impulse of an actuator per unit of its control
static void add_response(const trxi_solved *step, const trxi_derivatives *deriv, int actuator, double share, double *out)
{
    const trxi_actuator *a = &step->in->model->actuators[actuator];
    const trxi_length_view of = trxi_length_at(step->in->model, &step->smooth->lengths, a->length);
    for (int k = 0; k < of.ncol; k++) out[of.cols[k]] += a->gear * of.J[k] * deriv->response[actuator] * share;
}

void trxi_step_control_jac(const trxi_solved *step, const trxi_derivatives *deriv, double *out)
{
    const trx_model *model = step->in->model;
    const size_t nv = (size_t)model->nv;
    memset(out, 0, nv * (size_t)model->nu * sizeof *out);
    for (int i = 0; i < model->nu; i++) {
        double *column = out + (size_t)i * nv, *before = step->smooth->stage.m;
        add_response(step, deriv, i, 1, column);
        if (!step->in->two_stage || model->actuators[i].drive) continue;
        memcpy(before, column, nv * sizeof *before);
        trxi_stage_carry(step, deriv, before, column);
    }
}

void trxi_step_control_jvp(const trxi_solved *step, const trxi_derivatives *deriv, const double *tangent_u, double *out)
{
    const trx_model *model = step->in->model;
    double *motors = step->smooth->stage.m, *carried = step->smooth->stage.dv;
    if (step->in->two_stage) memset(motors, 0, (size_t)model->nv * sizeof *motors);
    for (int i = 0; i < model->nu; i++)
        add_response(step, deriv, i, tangent_u[i], step->in->two_stage && !model->actuators[i].drive ? motors : out);
    if (!step->in->two_stage) return;
    trxi_stage_carry(step, deriv, motors, carried);
    trxi_axpy(model->nv, 1, carried, out);
}

void trxi_step_control_vjp(const trxi_solved *step, const trxi_derivatives *deriv, const double *lambda, double *grad_u)
{
    const trx_model *model = step->in->model;
    double *carried = step->smooth->stage.dv;
    if (step->in->two_stage) trxi_stage_carry_t(step, deriv, lambda, carried);
    for (int i = 0; i < model->nu; i++) {
        const trxi_actuator *a = &model->actuators[i];
        const double *from = step->in->two_stage && !a->drive ? carried : lambda;
        grad_u[i] = deriv->response[i] * a->gear * trxi_length_rate(model, &step->smooth->lengths, a->length, from);
    }
}
