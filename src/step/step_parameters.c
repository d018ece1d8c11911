// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the step with respect to parameters theta (theory 6), with the factor of A and B:
//
//     C = [ dt S dv ; dv ],   dv = -H^-1 dr/dtheta          adjoint: lambda = H^-1 dL/dv,  dL/dtheta = -(dr/dtheta)^T lambda
//
//     pair parameters, stiction tolerance   -J^T gamma_theta, summed over the contacts concerned
//     joint damping                         dt v            at the joint's dofs
//     joint stiffness, rest                 dt (q0 (-) q_rest + dt v),   -dt k
//     rotor inertia                         dt a = v - v0
//     dry friction, its tolerance           dt v/S,   -dt tau_f v e/S^3                S = sqrt(v^2 + e^2)
//     gear                                  -(dJ^T gamma + J^T dgamma), J = gear dl/dq
//     gain, bias, kp, kd                    -J^T dt (u, 1, -l0 - dt v_c, -v_c)         of a servo kp: u - l0 - dt v_c
//     inertia, gravity                      dt dID                                     (dynamics/regressor.c)
//     sizes and poses                       as motions of geometry and trees           (parameters_shape.c, parameters_place.c)
//
// In two-stage schemes a parameter of the motion without contact is a change dm at v*, q_th, and dr = carry dm + dA
// (v - v*): dA = dt th for damping, dt^2 th th_vq for stiffness, 1 for rotor inertia, dM(q_th) for inertias.
// Parameters that are part of A also change w (parameters_mass.c). Columns are computed in groups, so rows that
// depend on w solve for their Y once per group.
//
// This file needs dr/dq0 and dr/dv0 only in carry; an adjoint product takes (carry^T lambda) . dm.

#include "step/integrate.h"
#include "step/parameters.h"
#include "step/spin.h"
#include "step/step_deriv.h"

#include "math/dense.h"

#include <assert.h>
#include <string.h>

enum { GROUP = TRXI_PARAMETER_GROUP };

// returns whether a parameter of laws acts on a row block: a parameter of pairs on contacts of its pairs, the friction of a
// joint on its dry friction, any other on all blocks
static bool acts_on(const trxi_solved *step, trx_parameter p, int i)
{
    const trxi_rows *rows = step->rows;
    const trx_model *model = step->in->model;
    if (trxi_parameter_is_pair(p.kind)) return i < rows->ncontact && trxi_parameter_has_pair(model, p, rows->origins[i].pair);
    if (p.kind != TRX_JOINT_FRICTION) return true;
    const trxi_joint *joint = &model->joints[p.index];
    const trxi_row_block *block = &rows->contacts[i];
    return block->n == 1 && block->index >= joint->v && block->index < joint->v + joint->nv;
}

bool trxi_parameter_law(const trxi_solved *step, trx_parameter p, int index, double gamma_theta[3])
{
    const trxi_row_block *block = &step->rows->contacts[index];
    trxi_zero3(gamma_theta);
    if (!block->law->parameter || !acts_on(step, p, index)) return false;
    block->law->parameter(block, &step->in->law, p.kind, gamma_theta);
    return true;
}

// r -= J^T gamma_theta
static void law_term(const trxi_solved *step, trx_parameter p, double *r)
{
    for (int i = 0; i < step->rows->ncontact + step->rows->nscalar; i++) {
        double gamma_theta[3], minus[3];
        if (!trxi_parameter_law(step, p, i, gamma_theta)) continue;
        for (int a = 0; a < 3; a++) minus[a] = -gamma_theta[a];
        trxi_row_apply(&step->rows->contacts[i], minus, r);
    }
}

static const trxi_row_block *drive_row(const trxi_solved *step, int index)
{
    for (int i = 0; i < step->rows->nscalar; i++)
        if (step->rows->scalars[i].law == &trxi_drive && step->rows->scalars[i].index == index) return &step->rows->scalars[i];
    return NULL;
}

double trxi_parameter_actuator_force(const trxi_solved *step, trx_parameter p)
{
    const trx_model *model = step->in->model;
    const trxi_actuator *a = &model->actuators[p.index];
    const double u = step->in->u[p.index], at_start = a->gear * step->smooth->lengths.value[a->length];
    const trxi_row_block *row = a->drive ? drive_row(step, p.index) : NULL;
    if (row && !(row->at.branch & TRXI_ROW_ACTIVE)) return 0;
    const double v_c = row ? row->at.v_c[0] : 0, length = row ? at_start + step->in->settings.time_step * v_c : 0;
    const trxi_drive_force force = row ? trxi_drive_at(&row->drive, v_c) : (trxi_drive_force){0};
    switch (p.kind) {
    case TRX_ACTUATOR_GEAR: return -(force.stiffness * at_start + force.slope * v_c) / a->gear; // lengths grow with the gear
    case TRX_ACTUATOR_GAIN: return a->muscle.optimal_length > 0 ? (force.f - a->bias + a->kp * length + a->kd * v_c) / a->gain : u;
    case TRX_ACTUATOR_BIAS: return 1;
    case TRX_ACTUATOR_KP: return (a->servo ? u : 0) - length;
    default: return -v_c;
    }
}

// r -= J^T dgamma, and for the gear also c gamma, where J = gear c
static void actuator_term(const trxi_solved *step, trx_parameter p, double *r)
{
    const trx_model *model = step->in->model;
    const trxi_actuator *a = &model->actuators[p.index];
    const double dt = step->in->settings.time_step;
    const trxi_row_block *row = a->drive ? drive_row(step, p.index) : NULL;
    double change = dt * trxi_parameter_actuator_force(step, p);
    if (p.kind == TRX_ACTUATOR_GEAR)
        change += (row ? row->at.gamma[0] : dt * (a->gain * step->in->u[p.index] + a->bias)) / a->gear;
    const trxi_length_view of = trxi_length_at(model, &step->smooth->lengths, a->length);
    for (int k = 0; k < of.ncol; k++) r[of.cols[k]] -= a->gear * of.J[k] * change;
}

// at v*, q_th and v_th in two-stage schemes; in the symplectic one th is 1, and springs act at q0 + dt v
static void joint_term(const trxi_solved *step, trx_parameter p, double *r)
{
    const trx_model *model = step->in->model;
    const trxi_joint *joint = &model->joints[p.index];
    const double dt = step->in->settings.time_step, th = step->in->th, ahead = step->in->two_stage ? 0 : dt;
    const double *v = step->in->two_stage ? step->smooth->stage.v : step->solver->v, *v0 = step->in->v0;
    double *spring = step->in->two_stage ? step->smooth->stage.spring : step->smooth->spring; // a model without springs has none
    if (p.kind == TRX_JOINT_STIFFNESS) trxi_model_spring(model, step->in->two_stage ? step->smooth->stage.q : step->in->q0, spring);
    for (int i = joint->v; i < joint->v + joint->nv; i++) {
        if (p.kind == TRX_JOINT_DAMPING) r[i] += dt * (th * v[i] + (1 - th) * v0[i]);
        if (p.kind == TRX_JOINT_STIFFNESS) r[i] += dt * (spring[i] + ahead * v[i]);
        if (p.kind == TRX_JOINT_ARMATURE) r[i] += v[i] - v0[i];
        if (p.kind == TRX_JOINT_REST) r[i] -= dt * model->stiffness[i];
    }
}

static void gravity_term(const trxi_solved *step, int component, double *r)
{
    double dg[3] = {0, 0, 0};
    dg[component] = step->in->settings.time_step;
    for (int t = 0; t < step->in->model->ntree; t++)
        trxi_gravity_regressor(step->in->model, trxi_solved_kin(step), trxi_solved_rnea(step), t, dg, r);
}

// change of the link's tensor about its centre of mass, in the link's axes: I = J - (|h|^2 1 - h h^T)/m with h = m r
static void central_change(const trxi_solved *step, const trxi_inertia_change *change, double out[6])
{
    const trxi_link *link = &step->in->model->links[change->link];
    const double *R = step->smooth->kin.R + 9 * change->link;
    double r[3], back[9];
    trxi_mulv3(R, link->com, r);
    trxi_add3(r, step->smooth->kin.o + 3 * change->link, r);
    for (int k = 0; k < 6; k++) out[k] = change->I.J[k];
    trxi_tensor_add_arms(-2, r, change->I.h, out);
    trxi_tensor_add_arms(change->I.m, r, r, out);
    trxi_transpose33(R, back);
    trxi_tensor_rotate(out, back, out);
}

static void inertia_term(const trxi_solved *step, const trxi_inertia_change *change, double *r)
{
    const double dt = step->in->settings.time_step;
    trxi_inertia_regressor(step->in->model, trxi_solved_kin(step), trxi_solved_rnea(step), change, dt, r);
    if (step->in->settings.spin != TRX_SPIN_MOMENTUM || change->link < 0) return;
    const trxi_link *ball = trxi_spin_body(step->in->model, step->in->model->links[change->link].tree);
    if (!ball) return;
    double tensor[6], gain[3];
    central_change(step, change, tensor);
    trxi_spin_gain(tensor, step->in->v0 + ball->v, dt, gain);
    trxi_sub3(r + ball->v, gain, r + ball->v);
}

// damping, stiffness and rotor inertia are on the diagonal of A
static bool is_diagonal(trx_parameter_kind kind)
{
    return kind >= TRX_JOINT_DAMPING && kind <= TRX_JOINT_ARMATURE;
}

// number within trx_body_inertia
static int inertia_number(trx_parameter p)
{
    return p.kind == TRX_BODY_MASS ? 0 : p.kind == TRX_BODY_COM ? 1 + p.component : 4 + p.component;
}

trxi_mass_change trxi_parameter_mass_change(const trxi_solved *step, trx_parameter p)
{
    const double th_dt = step->in->th * step->in->settings.time_step, vq_dt = step->in->th_vq * step->in->settings.time_step;
    trxi_mass_change change = {.inertia = {.link = -1}, .scale = 1};
    if (trxi_parameter_is_inertia(p.kind))
        change.inertia = trxi_inertia_change_of(step->in->model, trxi_solved_kin(step), p.index, inertia_number(p));
    if (is_diagonal(p.kind)) {
        change.diagonal = p.kind == TRX_JOINT_DAMPING ? th_dt : p.kind == TRX_JOINT_STIFFNESS ? th_dt * vq_dt : 1;
        change.first = step->in->model->joints[p.index].v;
        change.n = step->in->model->joints[p.index].nv;
    }
    return change;
}

void trxi_parameter_joint_residual(const trxi_solved *step, trx_parameter p, double *r)
{
    if (trxi_parameter_is_actuator(p.kind)) actuator_term(step, p, r);
    else if (p.kind == TRX_JOINT_FRICTION || p.kind == TRX_JOINT_STICTION_TOLERANCE) law_term(step, p, r);
    else if (trxi_parameter_is_joint(p.kind)) joint_term(step, p, r);
}

// r += dr/dtheta without effects through w and, for a pose, without effects through rows
static void direct_term(const trxi_solved *step, trxi_derivatives *deriv, trx_parameter p, const trxi_mass_change *change,
                        double *r)
{
    const trx_parameter_kind kind = p.kind;
    if (kind == TRX_GRAVITY) gravity_term(step, p.component, r);
    else if (trxi_parameter_is_pair(kind) || kind == TRX_STICTION_TOLERANCE) law_term(step, p, r);
    else if (trxi_parameter_is_inertia(kind)) inertia_term(step, &change->inertia, r);
    else if (trxi_parameter_is_geom(kind)) trxi_parameters_shape(step, deriv, p, r);
    else if (trxi_parameter_is_place(kind)) trxi_parameters_turn(step, p, r);
    else trxi_parameter_joint_residual(step, p, r);
}

// returns whether the effect in direct_term belongs to the motion without contact, which two-stage schemes solve first
static bool is_smooth(const trx_model *model, trx_parameter p)
{
    if (trxi_parameter_is_actuator(p.kind)) return !model->actuators[p.index].drive;
    return p.kind == TRX_GRAVITY || p.kind == TRX_JOINT_REST || is_diagonal(p.kind) || trxi_parameter_is_inertia(p.kind) ||
           trxi_parameter_is_place(p.kind);
}

// r += dA (v - v*)
static void add_mass_change(const trxi_solved *step, const trxi_mass_change *change, double *r)
{
    const trx_model *model = step->in->model;
    const trxi_stage *s = &step->smooth->stage;
    for (int i = change->first; i < change->first + change->n; i++) r[i] += change->diagonal * (step->solver->v[i] - s->v[i]);
    const int link = change->inertia.link;
    if (link < 0) return;
    const int *path = model->path + model->links[link].path_start;
    double V[6] = {0};
    for (int k = 0; k < model->links[link].path_length; k++)
        trxi_axpy6(step->solver->v[path[k]] - s->v[path[k]], s->kin.S + 6 * path[k], V);
    trxi_mass_regressor(model, &s->kin, &change->inertia, V, change->scale, r);
}

// an adjoint product in progress: the multipliers of dr and, in two-stage schemes, of dm
typedef struct adjoint {
    const double *lambda, *carried; // nv: lambda, carry^T lambda
    double *sums;                   // one for each parameter
} adjoint;

// replaces dm in r by dr = carry dm + dA (v - v*) (step_deriv.h); an adjoint product adds the first part to its sum
static void carry_smooth(const trxi_solved *step, const trxi_derivatives *deriv, const trxi_mass_change *change,
                         const adjoint *to, int index, double *r)
{
    const size_t bytes = (size_t)step->in->model->nv * sizeof *r;
    if (to) {
        to->sums[index] = trxi_dot(step->in->model->nv, r, to->carried);
        memset(r, 0, bytes);
    } else {
        memcpy(step->smooth->stage.m, r, bytes);
        trxi_stage_carry(step, deriv, step->smooth->stage.m, r);
    }
    add_mass_change(step, change, r);
}

// computes dr/dtheta of at most GROUP parameters: r (nv x count, leading dimension ld); for an adjoint product computes sums, and r
// is scratch
static void residual_group(const trxi_solved *step, trxi_derivatives *deriv, const trx_parameter *parameters, int count,
                           const adjoint *to, double *r, int ld)
{
    trxi_mass_change changes[GROUP];
    bool through_mass = false;
    for (int k = 0; k < count; k++) {
        double *column = r + (size_t)k * (size_t)ld;
        memset(column, 0, (size_t)step->in->model->nv * sizeof *column);
        if (to) to->sums[k] = 0;
        changes[k] = trxi_parameter_mass_change(step, parameters[k]);
        through_mass = through_mass || changes[k].diagonal != 0 || changes[k].inertia.link >= 0;
        direct_term(step, deriv, parameters[k], &changes[k], column);
        if (step->in->two_stage && is_smooth(step->in->model, parameters[k])) carry_smooth(step, deriv, &changes[k], to, k, column);
        if (trxi_parameter_is_place(parameters[k].kind)) trxi_parameters_place(step, deriv, parameters[k], column);
    }
    if (through_mass) trxi_parameters_mass(step, deriv, changes, count, r, ld);
    for (int k = 0; k < count && to; k++) to->sums[k] += trxi_dot(step->in->model->nv, r + (size_t)k * (size_t)ld, to->lambda);
}

// evaluates inverse dynamics at the solution (two-stage schemes: at v*), and the velocities of the links
static void prepare(const trxi_solved *step, trxi_derivatives *deriv)
{
    const trx_model *model = step->in->model;
    if (step->in->two_stage) {
        trxi_stage_evaluate(step->in, step->smooth, step->smooth->stage.v);
    } else {
        const double dt = step->in->settings.time_step;
        for (int i = 0; i < model->nv; i++) deriv->accel[i] = (step->solver->v[i] - step->in->v0[i]) / dt;
        trxi_inverse_dynamics(model, &step->smooth->kin, step->in->v0, deriv->accel, &step->smooth->rnea, step->smooth->bias);
    }
    if (step->rows->ncontact || step->rows->nconstraint_rows)
        trxi_link_velocities(model, &step->smooth->kin, step->solver->v, step->smooth->V1);
}

// begins jac and vjp: checks the arguments, factorizes H, and prepares the terms
static trx_status begin(trx_sim *sim, const trx_parameter *parameters, int count, const double *out)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (count > 0 && (!parameters || !out))
        return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "no parameters or no place for their derivatives given");
    trx_status status = TRX_OK;
    for (int k = 0; k < count && status == TRX_OK; k++)
        status = trxi_parameter_check(sim->in.context, sim->in.model, parameters[k]);
    if (status == TRX_OK) status = sim->in.two_stage ? trxi_step_linearize(sim) : trxi_step_refine(sim, true);
    if (status >= 0) prepare(&sim->solved, &sim->deriv);
    return status;
}

trx_status trx_step_jac_parameters(trx_sim *sim, const trx_parameter *parameters, int count, double *C)
{
    trx_status status = begin(sim, parameters, count, C);
    if (status < 0) return status;
    const int nv = sim->in.model->nv, na = sim->in.model->na, ld = sim->in.model->ntangent;
    for (int first = 0; first < count; first += GROUP) {
        const int n = count - first < GROUP ? count - first : GROUP;
        double *columns = C + (ptrdiff_t)first * ld, *dv = columns + nv;
        residual_group(&sim->solved, &sim->deriv, parameters + first, n, NULL, dv, ld);
        for (int k = 0; k < n; k++)
            for (int i = 0; i < nv; i++) dv[i + k * ld] = -dv[i + k * ld];
        trxi_contact_back_substitute(&sim->problem, &sim->solver, n, dv, ld);
        trxi_step_integrate_tangent(&sim->solved, NULL, dv, n, ld, columns, ld);
        for (int k = 0; k < n && na > 0; k++) memset(columns + 2 * nv + k * ld, 0, (size_t)na * sizeof *columns);
    }
    return TRX_OK;
}

trx_status trx_step_vjp_parameters(trx_sim *sim, const trx_parameter *parameters, int count, const double *seed_x_next,
                                   double *grad)
{
    trx_status status = begin(sim, parameters, count, grad);
    if (status < 0) return status;
    if (!seed_x_next) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "no seed given");
    const int nv = sim->in.model->nv;
    assert(grad || count == 0);
    double *lambda = sim->deriv.products, *carried = lambda + nv, *r = carried + nv;
    trxi_step_integrate_adjoint(&sim->solved, seed_x_next, r, lambda);
    trxi_axpy(nv, 1, seed_x_next + nv, lambda);
    trxi_contact_back_substitute_adjoint(&sim->problem, &sim->solver, lambda);
    if (sim->in.two_stage) trxi_stage_carry_t(&sim->solved, &sim->deriv, lambda, carried);
    for (int first = 0; first < count; first += GROUP) {
        const int n = count - first < GROUP ? count - first : GROUP;
        const adjoint to = {lambda, carried, grad + first};
        residual_group(&sim->solved, &sim->deriv, parameters + first, n, &to, r, nv);
        for (int k = 0; k < n; k++) grad[first + k] = -grad[first + k];
    }
    return TRX_OK;
}
