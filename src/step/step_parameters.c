// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the step with respect to parameters theta (theory 6), on the factor that A and B use:
//
//     C = [ dt S dv ; dv ],   dv = -H^-1 dr/dtheta
//
//     pair parameters, stiction tolerance   -J^T gamma_theta, summed over the contacts concerned
//     joint damping                         dt v            at the joint's dofs
//     joint stiffness                       dt (q0 (-) q_rest + dt v)
//     rotor inertia                         dt a = v - v0
//     gear                                  -(dJ^T gamma + J^T dgamma), J = gear times the factors of the tendon
//
// Damping, stiffness and rotor inertia are on the diagonal of A, and so reach the effective inverse mass w of regularized
// and sap contacts and of joint limits: dw = -<W, Y^T dA Y>/(9 w) and -y^T dA y with Y = A^-1 J^T, y = A^-1 e_i.

#include "step/sim.h"

#include "math/dense.h"

#include <string.h>

static bool is_pair(trx_parameter_kind kind)
{
    return kind <= TRX_PAIR_FRICTION || (kind >= TRX_PAIR_FRICTION_ACROSS && kind <= TRX_PAIR_REACH);
}

static trx_status check(const trx_sim *sim, const trx_parameter *p)
{
    const trx_model *model = sim->model;
    int count = is_pair(p->kind)                      ? model->npair
                : p->kind == TRX_STICTION_TOLERANCE   ? 1
                : p->kind == TRX_ACTUATOR_GEAR        ? model->nu
                : p->kind <= TRX_JOINT_ARMATURE       ? model->njoint
                                                      : 0;
    bool fits = p->kind == TRX_STICTION_TOLERANCE || (p->index >= 0 && p->index < count);
    if (fits) return TRX_OK;
    return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "no parameter of kind %d has index %d", (int)p->kind, p->index);
}

static trxi_law_parameter law_parameter(trx_parameter_kind kind)
{
    switch (kind) {
    case TRX_PAIR_STIFFNESS:
        return TRXI_LAW_STIFFNESS;
    case TRX_PAIR_DISSIPATION:
        return TRXI_LAW_DISSIPATION;
    case TRX_PAIR_RELAXATION_TIME:
        return TRXI_LAW_RELAXATION_TIME;
    case TRX_PAIR_FRICTION:
        return TRXI_LAW_FRICTION;
    case TRX_PAIR_FRICTION_ACROSS:
        return TRXI_LAW_FRICTION_ACROSS;
    case TRX_PAIR_DYNAMIC_FRICTION:
        return TRXI_LAW_DYNAMIC_FRICTION;
    case TRX_PAIR_SLIP_SPEED:
        return TRXI_LAW_SLIP_SPEED;
    case TRX_PAIR_TORSIONAL_FRICTION:
        return TRXI_LAW_TORSIONAL_FRICTION;
    case TRX_PAIR_ROLLING_FRICTION:
        return TRXI_LAW_ROLLING_FRICTION;
    case TRX_PAIR_BARRIER:
        return TRXI_LAW_BARRIER;
    case TRX_PAIR_REACH:
        return TRXI_LAW_REACH;
    default:
        return TRXI_LAW_STICTION_TOLERANCE;
    }
}

// r -= J^T gamma_theta
static void contact_law(const trx_sim *sim, const trx_parameter *p, double *r)
{
    for (int i = 0; i < sim->problem.ncontact; i++) {
        const trxi_contact *c = &sim->contacts[i];
        if (is_pair(p->kind) && sim->rows[i].pair != p->index) continue;
        double gamma_theta[3];
        trxi_contact_impulse_parameter(c, sim->settings.time_step, sim->settings.friction_regularization,
                                       sim->rows[i].vn0, law_parameter(p->kind), gamma_theta);
        for (int k = 0; k < c->ncol; k++) r[c->cols[k]] -= trxi_dot3(c->J + 3 * k, gamma_theta);
    }
}

// r -= J^T gamma_w dw for a unit change of A's diagonal at the dofs first .. first + n
static void contact_mass(trx_sim *sim, const trxi_contact *c, int first, int n, double *r)
{
    const int nv = sim->model->nv;
    trxi_contact_partials partials;
    trxi_contact_impulse_deriv(c, sim->settings.time_step, sim->settings.friction_regularization,
                               sim->settings.near_rigid, &partials);
    const double *w = partials.w;
    if (w[0] == 0 && w[1] == 0 && w[2] == 0) return;

    double *Y = sim->y_scratch, W[9], change = 0;
    trxi_step_rows_mass(sim, c->cols, c->ncol, c->J, 3, Y, W);
    for (int i = first; i < first + n; i++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) change += W[a + 3 * b] * Y[i + a * nv] * Y[i + b * nv];
    double dw = -change / (9 * c->w);
    for (int k = 0; k < c->ncol; k++) r[c->cols[k]] -= trxi_dot3(c->J + 3 * k, w) * dw;
}

// the same for a limit, or a constraint's block: gamma_w = -gamma/w
static void limit_mass(trx_sim *sim, const trxi_scalar *row, int first, int n, double *r)
{
    if (row->kind != TRXI_LIMIT || !(row->G > 0)) return;
    double *y = sim->y_scratch, dw = 0;
    memset(y, 0, (size_t)sim->model->nv * sizeof *y);
    y[row->cols[0]] = 1;
    trxi_step_solve_mass(sim, row->cols, 1, 1, y);
    for (int i = first; i < first + n; i++) dw -= y[i] * y[i];
    r[row->cols[0]] += row->J[0] * row->gamma / row->w * dw;
}

static void hold_mass(trx_sim *sim, const trxi_hold *hold, int first, int n, double *r)
{
    if (!hold->rigid) return;
    const int nv = sim->model->nv, rows = hold->nrow;
    const trxi_scalar *row = &sim->scalars[hold->first];
    double *Y = sim->y_scratch, dw = 0;
    memset(Y, 0, (size_t)rows * (size_t)nv * sizeof *Y);
    for (int a = 0; a < rows; a++)
        for (int i = 0; i < row->ncol; i++) Y[row->cols[i] + a * nv] = row[a].J[i];
    trxi_step_solve_mass(sim, row->cols, row->ncol, rows, Y);
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < rows; b++) {
            double W = 0, change = 0;
            for (int i = 0; i < row->ncol; i++) W += row[a].J[i] * Y[row->cols[i] + b * nv];
            for (int i = first; i < first + n; i++) change += Y[i + a * nv] * Y[i + b * nv];
            dw -= W * change / (rows * rows * hold->w);
        }
    for (int a = 0; a < rows; a++)
        for (int i = 0; i < row->ncol; i++) r[row->cols[i]] += row[a].J[i] * row[a].gamma / hold->w * dw;
}

// J = gear c: r -= c gamma + J^T dgamma, where a drive's length and velocity grow with the gear
static void gear_term(const trx_sim *sim, int index, double *r)
{
    const trx_model *model = sim->model;
    const trxi_actuator *a = &model->actuators[index];
    const double dt = sim->settings.time_step;
    double gamma = dt * (a->gain * sim->u[index] + a->bias), dgamma = 0;
    for (int i = 0; a->drive && i < sim->problem.nscalar; i++) {
        const trxi_scalar *row = &sim->scalars[i];
        if (row->kind != TRXI_DRIVE || row->index != index) continue;
        double length = trxi_actuator_length(model, a, sim->q0);
        gamma = row->gamma;
        if (row->G > 0) dgamma = -dt * (a->kp * length + row->slope * row->v_c) / a->gear;
    }
    for (int k = a->first; k < a->first + a->nfactor; k++)
        r[model->factor_dofs[k]] -= model->factors[k] * (gamma / a->gear + dgamma);
}

static void joint_term(trx_sim *sim, const trx_parameter *p, double *r)
{
    const trxi_joint *joint = &sim->model->joints[p->index];
    const double dt = sim->settings.time_step, *v = sim->solver.v;
    double diagonal = p->kind == TRX_JOINT_DAMPING ? dt : p->kind == TRX_JOINT_STIFFNESS ? dt * dt : 1;
    if (p->kind == TRX_JOINT_STIFFNESS) trxi_model_spring(sim->model, sim->q0, sim->spring);
    for (int i = joint->v; i < joint->v + joint->nv; i++) {
        if (p->kind == TRX_JOINT_DAMPING) r[i] += dt * v[i];
        if (p->kind == TRX_JOINT_STIFFNESS) r[i] += dt * (sim->spring[i] + dt * v[i]);
        if (p->kind == TRX_JOINT_ARMATURE) r[i] += v[i] - sim->v0[i];
    }

    // through w: a unit change, scaled by what this parameter adds to the diagonal
    double *through = sim->y_scratch + 4 * sim->model->nv;
    memset(through, 0, (size_t)sim->model->nv * sizeof *through);
    for (int i = 0; i < sim->problem.ncontact; i++) contact_mass(sim, &sim->contacts[i], joint->v, joint->nv, through);
    for (int i = 0; i < sim->problem.nscalar; i++) limit_mass(sim, &sim->scalars[i], joint->v, joint->nv, through);
    for (int i = 0; i < sim->nhold; i++) hold_mass(sim, &sim->holds[i], joint->v, joint->nv, through);
    trxi_axpy(sim->model->nv, diagonal, through, r);
}

trx_status trx_step_jac_parameters(trx_sim *sim, const trx_parameter *parameters, int count, double *C)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (sim->two_stage)
        return trxi_fail(sim->context, TRX_ERR_UNSUPPORTED, "derivatives with respect to parameters need the scheme symplectic");
    if (count > 0 && (!parameters || !C))
        return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "trx_step_jac_parameters: no parameters or no C given");
    const trx_model *model = sim->model;
    const int nv = model->nv;
    trx_status status = TRX_OK;
    for (int k = 0; k < count && status == TRX_OK; k++) status = check(sim, &parameters[k]);
    if (status < 0 || (status = trxi_step_linearize(sim)) < 0) return status;

    for (int k = 0; k < count; k++) {
        const trx_parameter *p = &parameters[k];
        double *column = C + (size_t)k * 2 * (size_t)nv, *dv = column + nv;
        memset(dv, 0, (size_t)nv * sizeof *dv);
        if (p->kind == TRX_ACTUATOR_GEAR)
            gear_term(sim, p->index, dv);
        else if (is_pair(p->kind) || p->kind == TRX_STICTION_TOLERANCE)
            contact_law(sim, p, dv);
        else
            joint_term(sim, p, dv);
        for (int i = 0; i < nv; i++) dv[i] = -dv[i];
        trxi_contact_back_substitute(&sim->problem, &sim->solver, 1, dv, nv);
        trxi_step_integrate_tangent(sim, NULL, dv, 1, nv, column, 2 * nv);
    }
    return TRX_OK;
}
