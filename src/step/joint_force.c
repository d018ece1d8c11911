// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Forces of actuators and joints (theory 6). In the symplectic scheme a joint with one dof j transmits
//
//     f = sum of c_j f_a + (limits + dry friction)/dt - d v - (k (q0 - rest) + dt k v) - I_r (v - v0)/dt
//
// at the velocity v of the end of the step, with the sum over drives, motors and springs of tendons. With s = df/dv
// at fixed q0 and v0, a change of state, control or parameter gives
//
//     df = (df at fixed v) + s . dv,          dv = the velocity rows of A dx + B du + C dtheta
//
// Drives have d gamma = -G J dv - dt k J dq0 + dt g du (drive_rows.c) inside their effort, limits d gamma = -G J dv + gamma_phi
// J dq0 + gamma_w dw; c_j = dL/dq_j of a spatial tendon changes too. f enters the residual of the step as -dt f, so parameters of
// joints and actuators change f at fixed v by -1/dt times their part of dr/dtheta. O(nv^2) for each force.

#include "step/forces.h"

#include "step/parameters.h"
#include "step/scalar_rows.h"
#include "step/sim.h"
#include "step/step_deriv.h"

#include "math/dense.h"

#include <string.h>

// dL/dq at the joint's dof: the part of a force along the length that the joint transmits
static double length_share(const trxi_solved *step, trxi_joint_force of, int length)
{
    const trxi_length_view view = trxi_length_at(step->in->model, &step->smooth->lengths, length);
    double share = 0;
    for (int k = 0; k < view.ncol; k++)
        if (view.cols[k] == step->in->model->joints[of.index].v) share += view.J[k];
    return share;
}

// the factor c_j of an actuator's force: 1 if the actuator itself is asked for, gear dL/dq for a joint
static double share_of(const trxi_solved *step, trxi_joint_force of, int actuator)
{
    const trxi_actuator *a = &step->in->model->actuators[actuator];
    return of.actuator ? actuator == of.index : a->gear * length_share(step, of, a->length);
}

// the factor of the impulse of a row in the force
static double row_share(const trxi_solved *step, trxi_joint_force of, const trxi_row_block *row)
{
    const trx_model *model = step->in->model;
    if (row->law == &trxi_drive) return share_of(step, of, row->index);
    if (of.actuator) return 0;
    if (row->law == &trxi_spring) return length_share(step, of, model->springs[row->index].length);
    if (row->law == &trxi_limit && row->index == of.index) return row->J[0];
    return row->law == &trxi_dry_friction && row->index == model->joints[of.index].v;
}

double trxi_step_joint_force(const trx_sim *sim, trxi_joint_force of)
{
    if (!sim->stepped) return 0;
    const trx_model *model = sim->in.model;
    const double dt = sim->in.settings.time_step;
    double force = 0;
    for (int i = 0; i < model->nu; i++)
        if (!model->actuators[i].drive) force += share_of(&sim->solved, of, i) * trx_sim_actuator_force(sim, i);
    for (int i = 0; i < sim->rows.nscalar; i++)
        force += row_share(&sim->solved, of, &sim->rows.scalars[i]) * sim->rows.scalars[i].at.gamma[0] / dt;
    if (of.actuator) return force;
    const trxi_joint *joint = &model->joints[of.index];
    const double v = sim->solver.v[joint->v], stretch = sim->in.q0[joint->q] - joint->rest;
    return force - model->damping[joint->v] * v - model->stiffness[joint->v] * (stretch + dt * v) -
           model->armature[joint->v] * (v - sim->in.v0[joint->v]) / dt;
}

// adds the parts of an active limit by q, at fixed v
static void add_limit(const trxi_solved *step, trxi_derivatives *deriv, const trxi_row_block *row, double scale, double *by_x)
{
    trxi_law_partials partials;
    trxi_row_partials(row, &step->in->law, &partials);
    const int nv = step->in->model->nv;
    double *y = deriv->y_scratch, *dw = trxi_mass_change_begin(step, deriv), W[9];
    const trxi_mass_rows rows = trxi_limit_mass_rows(step, row);
    for (int c = 0; c < row->ncol; c++) by_x[row->cols[c]] += scale * partials.phi[0] * row->J[c];
    trxi_mass_rows_solve(step, &rows, y, W);
    trxi_mass_change_add(step, deriv, row->cols, row->ncol, -1, y, dw);
    trxi_axpy(nv, scale * rows.gamma_w[0], dw, by_x);
}

// s (nv) = df/dv at fixed q0 and v0
static void velocity_slope(const trxi_solved *step, trxi_joint_force of, double *s)
{
    const trx_model *model = step->in->model;
    const double dt = step->in->settings.time_step;
    memset(s, 0, (size_t)model->nv * sizeof *s);
    for (int i = 0; i < step->rows->nscalar; i++) {
        const trxi_row_block *row = &step->rows->scalars[i];
        const double share = row_share(step, of, row);
        for (int c = 0; c < row->ncol && share != 0; c++) s[row->cols[c]] -= share / dt * row->at.G.xx * row->J[c];
    }
    if (of.actuator) return;
    const int j = model->joints[of.index].v;
    s[j] -= model->damping[j] + dt * model->stiffness[j] + model->armature[j] / dt;
}

// out += s . the velocity rows of M (ntangent x count)
static void add_through(const trx_model *model, const double *s, const double *M, int count, double *out)
{
    for (int k = 0; k < count; k++) out[k] += trxi_dot(model->nv, s, M + (ptrdiff_t)k * model->ntangent + model->nv);
}

// adds the effect of q through the share of a drive or spring
static void add_share_turn(const trxi_solved *step, trxi_derivatives *deriv, trxi_joint_force of, const trxi_row_block *row,
                           double *by_x)
{
    const int dof = step->in->model->joints[of.index].v;
    if (row->law != &trxi_drive && row->law != &trxi_spring) return;
    deriv->unit[dof] = 1;
    trxi_row_add_turn(step, deriv, row, row->at.gamma[0] / step->in->settings.time_step, deriv->unit, by_x);
    deriv->unit[dof] = 0;
}

// adds the derivatives by state and control at fixed v
static void add_direct(const trxi_solved *step, trxi_derivatives *deriv, trxi_joint_force of, double *by_x, double *by_u)
{
    const trx_model *model = step->in->model;
    const double dt = step->in->settings.time_step;
    for (int i = 0; i < model->nu; i++) {
        const double by_w = share_of(step, of, i) * deriv->response[i] / dt;
        const int a = model->actuators[i].a;
        if (by_u) by_u[i] += by_w * step->in->activations.w_u[i];
        if (a >= 0) by_x[2 * model->nv + a] += by_w * step->in->activations.w_a[i];
    }
    for (int i = 0; i < step->rows->nscalar; i++) {
        const trxi_row_block *row = &step->rows->scalars[i];
        const double share = row_share(step, of, row), stiffness = trxi_row_stiffness(row);
        if (model->nspan && !of.actuator) add_share_turn(step, deriv, of, row, by_x);
        if (share == 0 || (!(row->at.G.xx > 0) && stiffness == 0)) continue;
        if (row->law == &trxi_limit) add_limit(step, deriv, row, share / dt, by_x);
        for (int c = 0; c < row->ncol; c++) by_x[row->cols[c]] -= share * stiffness * row->J[c];
        if (model->nspan) trxi_row_add_turn(step, deriv, row, -share / dt * row->at.G.xx, step->solver->v, by_x);
    }
    if (of.actuator) return;
    const int j = model->joints[of.index].v;
    by_x[j] -= model->stiffness[j];
    by_x[model->nv + j] += model->armature[j] / dt;
}

trx_status trxi_step_joint_force_jac(trx_sim *sim, trxi_joint_force of, const double *A, const double *B, double *by_x,
                                     double *by_u)
{
    const trx_status status = trxi_step_linearize(sim);
    if (status < 0) return status;
    double *s = sim->deriv.products;
    add_direct(&sim->solved, &sim->deriv, of, by_x, by_u);
    velocity_slope(&sim->solved, of, s);
    add_through(sim->in.model, s, A, sim->in.model->ntangent, by_x);
    if (by_u) add_through(sim->in.model, s, B, sim->in.model->nu, by_u);
    return TRX_OK;
}

// the effect of a parameter at fixed v and w
static double direct_parameter(const trxi_solved *step, trxi_derivatives *deriv, trxi_joint_force of, trx_parameter p)
{
    const trx_model *model = step->in->model;
    double *r = deriv->products + model->nv;
    if (of.actuator) {
        const bool its_own = trxi_parameter_is_actuator(p.kind) && p.index == of.index;
        return its_own ? trxi_parameter_actuator_force(step, p) : 0;
    }
    memset(r, 0, (size_t)model->nv * sizeof *r);
    trxi_parameter_joint_residual(step, p, r);
    return -r[model->joints[of.index].v] / step->in->settings.time_step;
}

// the effect of parameters that are part of A, through the w of the joint's active limit
static void add_limit_masses(const trxi_solved *step, trxi_derivatives *deriv, trxi_joint_force of, const trx_parameter *parameters,
                             int count, double *by_p)
{
    for (int i = 0; i < step->rows->nscalar; i++) {
        const trxi_row_block *row = &step->rows->scalars[i];
        const double share = row_share(step, of, row) / step->in->settings.time_step;
        if (share == 0 || row->law != &trxi_limit || !(row->at.G.xx > 0)) continue;
        const trxi_mass_rows rows = trxi_limit_mass_rows(step, row);
        for (int k = 0; k < count; k++) {
            double dw;
            const trxi_mass_change change = trxi_parameter_mass_change(step, parameters[k]);
            trxi_parameters_mass_rows(step, deriv, &rows, &change, 1, &dw);
            by_p[k] += share * rows.gamma_w[0] * dw;
        }
    }
}

void trxi_step_joint_force_parameters(trx_sim *sim, trxi_joint_force of, const trx_parameter *parameters, int count,
                                      const double *C,
                                      double *by_p)
{
    double *s = sim->deriv.products;
    for (int k = 0; k < count; k++) by_p[k] += direct_parameter(&sim->solved, &sim->deriv, of, parameters[k]);
    add_limit_masses(&sim->solved, &sim->deriv, of, parameters, count, by_p);
    velocity_slope(&sim->solved, of, s);
    add_through(sim->in.model, s, C, count, by_p);
}
