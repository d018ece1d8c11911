// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drives and dry friction of joints as rows of the convex problem (theory 4), their derivatives (theory 6), and the
// effect of controls on the residual.
//
//     drive      f = clamp(gain u + bias - kp (l0 + dt dl) - kd dl, effort)        l0 = J q0, v_c = dl = J v
//     friction   f = -most v_c/sqrt(v_c^2 + e^2)
//
// J of a drive is constant (gear, or the factors of its tendon). Inside the clamp
//
//     d gamma = -G dl - dt kp J dq0 + dt gain du
//
// and outside d gamma = 0. A motor (neither kp nor kd) is part of p0: dt factor gain u. In two-stage schemes a motor belongs to
// stage 1, and its changes reach the residual through `carry` (two_stage.h).

#include "step/scalar_rows.h"
#include "step/sim.h"
#include "step/step_deriv.h"

#include "math/dense.h"

#include <string.h>

static void add_drive(const trxi_input *in, trxi_rows *rows, int index)
{
    const trx_model *model = in->model;
    const trxi_actuator *a = &model->actuators[index];
    int *cols;
    double *J;
    trxi_row_block *row = trxi_rows_add_scalar(rows, &trxi_drive, index, 0, a->nfactor, &cols, &J);
    trxi_rows_length_columns(model->factor_dofs + a->first, model->factors + a->first, a->nfactor, 1, cols, J);
    row->drive = (trxi_drive_constants){
        .f0 = a->gain * in->u[index] + a->bias - a->kp * trxi_actuator_length(model, a, in->q0),
        .slope = in->settings.time_step * a->kp + a->kd,
        .lower = a->effort_lower,
        .upper = a->effort_upper,
    };
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

void trxi_step_drive_rows(const trxi_input *in, trxi_rows *rows)
{
    const trx_model *model = in->model;
    for (int i = 0; i < model->nu && model->ndrive > 0; i++)
        if (model->actuators[i].drive) add_drive(in, rows, i);
    for (int i = 0; i < model->nv && model->nfriction > 0; i++)
        if (model->friction[i] != 0) add_friction(in, rows, i);
}

// inside the clamp rq -= J^T (-dt kp J); outside, neither position nor control has an effect
void trxi_step_drive_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out)
{
    const trx_model *model = step->in->model;
    const double dt = step->in->settings.time_step;
    for (int i = 0; i < model->nu; i++) deriv->response[i] = dt * model->actuators[i].gain;
    for (int i = 0; i < step->rows->nscalar; i++) {
        const trxi_row_block *row = &step->rows->scalars[i];
        if (row->law != &trxi_drive) continue;
        if (!(row->at.G.xx > 0)) {
            deriv->response[row->index] = 0;
            continue;
        }
        double stiffness = dt * model->actuators[row->index].kp;
        for (int c = 0; c < row->ncol; c++)
            for (int k = 0; k < row->ncol; k++)
                trxi_residual_add_q(out, row->cols[k], row->cols[c], stiffness * row->J[c] * row->J[k]);
    }
}

// out += share times the impulse of an actuator per unit of its control
static void push(const trxi_solved *step, const trxi_derivatives *deriv, int actuator, double share, double *out)
{
    const trx_model *model = step->in->model;
    const trxi_actuator *a = &model->actuators[actuator];
    for (int k = a->first; k < a->first + a->nfactor; k++)
        out[model->factor_dofs[k]] += model->factors[k] * deriv->response[actuator] * share;
}

void trxi_step_control_jac(const trxi_solved *step, const trxi_derivatives *deriv, double *out)
{
    const trx_model *model = step->in->model;
    const size_t nv = (size_t)model->nv;
    memset(out, 0, nv * (size_t)model->nu * sizeof *out);
    for (int i = 0; i < model->nu; i++) {
        double *column = out + (size_t)i * nv, *before = step->smooth->stage.m;
        push(step, deriv, i, 1, column);
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
        push(step, deriv, i, tangent_u[i], step->in->two_stage && !model->actuators[i].drive ? motors : out);
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
        double sum = 0;
        for (int k = a->first; k < a->first + a->nfactor; k++) sum += model->factors[k] * from[model->factor_dofs[k]];
        grad_u[i] = deriv->response[i] * sum;
    }
}
