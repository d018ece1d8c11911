// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Actuator forces that keep the start state at rest, without contacts and constraints (equation (2.1) with v = a = 0):
//
//     tau = ID(q0, 0, 0) + K (q0 (-) q_rest) - J^T f(0)  required joint forces, including loads at t = 0 and springs of tendons
//     min_f |B f - tau|_(M^-1)                           B: force of each dof per actuator force
//
// The norm measures accelerations: B^T M^-1 (B f - tau) = 0 says that no actuated length accelerates. An arm is
// therefore balanced exactly, whatever else falls, and legs in the air exert no force. Among several solutions f is
// the smallest, with actuators scaled by their effect: normal equations with a small ridge, refined
// until the ridge has no effect. f gives the control of a motor or a drive at rest: f = gain u + bias - kp L, and of a muscle:
// f = -gain (u FL + FP) + bias - kp L, as far as the muscle can pull.
// O(nv^3) once.

#include "dynamics/inverse_dynamics.h"
#include "dynamics/drag_forces.h"
#include "dynamics/lengths.h"
#include "dynamics/load_forces.h"
#include "dynamics/mass_matrix.h"
#include "math/dense.h"
#include "model/muscle.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 12 };
static const double RIDGE = 1e-8; // of the scaled normal equations [1]

typedef struct holding {
    trxi_kinematics kin;
    trxi_lengths lengths;
    trxi_rnea work;
    trxi_inertia *composite; // nlink
    double *zero, *tau;      // nv: zeros, then displacements of springs; joint forces
    double *M;               // nv x nv, then its factor L
    double *X;               // nv x nu: L^-1 B, columns scaled to length 1
    double *scale;           // nu
    double *N, *L;           // nu x nu: X^T X, and the factor of it with its ridge
    double *b, *r, *f;       // nu
} holding;

static void layout(trxi_arena *arena, const trx_model *model, holding *h)
{
    int nv = model->nv, nu = model->nu;
    trxi_kinematics_layout(arena, model, &h->kin);
    trxi_lengths_layout(arena, model, &h->lengths);
    trxi_rnea_layout(arena, model, &h->work);
    h->composite = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    h->zero = TRXI_TAKE(arena, double, nv);
    h->tau = TRXI_TAKE(arena, double, nv);
    h->M = TRXI_TAKE(arena, double, (size_t)nv * (size_t)nv);
    h->X = TRXI_TAKE(arena, double, nv * nu);
    h->scale = TRXI_TAKE(arena, double, nu);
    h->N = TRXI_TAKE(arena, double, nu * nu);
    h->L = TRXI_TAKE(arena, double, nu * nu);
    h->b = TRXI_TAKE(arena, double, nu);
    h->r = TRXI_TAKE(arena, double, nu);
    h->f = TRXI_TAKE(arena, double, nu);
}

// tau = ID(q0, 0, 0) + K (q0 (-) q_rest) + springs of tendons - loads - drag
static void joint_forces(const trx_model *model, const double *q, holding *h)
{
    trxi_kinematics_compute(model, q, &h->kin);
    trxi_inverse_dynamics(model, &h->kin, h->zero, NULL, &h->work, h->tau);
    trxi_model_spring(model, q, h->zero);
    for (int i = 0; i < model->nv; i++) h->tau[i] += model->stiffness[i] * h->zero[i];
    trxi_load_forces(model, &h->kin, 0, -1, h->tau);
    trxi_lengths_compute(model, &h->kin, q, &h->lengths);
    for (int i = 0; i < model->nspring; i++) {
        const trxi_tendon_spring *spring = &model->springs[i];
        const trxi_length_view of = trxi_length_at(model, &h->lengths, spring->length);
        const double rest = fmax(spring->rest_lower, fmin(spring->rest_upper, of.value));
        for (int k = 0; k < of.ncol; k++) h->tau[of.cols[k]] += spring->stiffness * (of.value - rest) * of.J[k];
    }
    trxi_drag_forces(model, &h->kin, h->work.V, -1, h->tau); // of wind: at rest
}

// X = L^-1 B with columns of length 1, and tau = L^-1 tau
static bool weigh(const trx_model *model, holding *h)
{
    int nv = model->nv;
    trxi_mass_matrix(model, &h->kin, h->composite, h->M, nv);
    if (trxi_cholesky(nv, h->M, nv) >= 0) return false;
    for (int j = 0; j < model->nu; j++) {
        const trxi_actuator *actuator = &model->actuators[j];
        const trxi_length_view of = trxi_length_at(model, &h->lengths, actuator->length);
        double *column = h->X + (size_t)j * (size_t)nv;
        for (int k = 0; k < of.ncol; k++) column[of.cols[k]] += actuator->gear * of.J[k];
    }
    trxi_lower_solve(nv, h->M, nv, model->nu, h->X, nv);
    trxi_lower_solve(nv, h->M, nv, 1, h->tau, nv);
    for (int j = 0; j < model->nu; j++) {
        double *column = h->X + (size_t)j * (size_t)nv, length = sqrt(trxi_dot(nv, column, column));
        h->scale[j] = length > 0 ? 1 / length : 0;
        for (int i = 0; i < nv; i++) column[i] *= h->scale[j];
    }
    return true;
}

// (N + ridge) df = b - N f, repeated
static bool balance(const trx_model *model, holding *h)
{
    int nv = model->nv, nu = model->nu;
    trxi_gemm_tn(nu, nu, nv, 1, h->X, nv, h->X, nv, 0, h->N, nu);
    trxi_gemv_t(nv, nu, 1, h->X, nv, h->tau, 0, h->b);
    memcpy(h->L, h->N, (size_t)nu * (size_t)nu * sizeof *h->L);
    for (int j = 0; j < nu; j++) h->L[j * (nu + 1)] += RIDGE;
    if (trxi_cholesky(nu, h->L, nu) >= 0) return false;
    for (int k = 0; k < REFINEMENTS; k++) {
        memcpy(h->r, h->b, (size_t)nu * sizeof *h->r);
        trxi_gemv(nu, nu, -1, h->N, nu, h->f, 1, h->r);
        trxi_cholesky_solve(nu, h->L, nu, 1, h->r, nu);
        trxi_axpy(nu, 1, h->r, h->f);
    }
    return true;
}

// f and, unless NULL, the actuators' lengths L at the start
static trx_status hold(const trx_problem *problem, double *f, double *length)
{
    const trx_model *model = problem->model;
    holding h;
    trxi_arena arena = {0};
    if (model->nu == 0) return TRX_OK;
    layout(&arena, model, &h);
    char *memory = trxi_allocate(problem->context, arena.used);
    if (!memory) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = memory};
    layout(&arena, model, &h);

    joint_forces(model, problem->start, &h);
    bool solved = weigh(model, &h) && balance(model, &h);
    for (int j = 0; j < model->nu; j++) f[j] = solved ? h.scale[j] * h.f[j] : 0;
    for (int j = 0; j < model->nu && length; j++)
        length[j] = model->actuators[j].gear * h.lengths.value[model->actuators[j].length];
    trxi_release(problem->context, memory);
    return TRX_OK;
}

trx_status trxi_holding_forces(const trx_problem *problem, double *f)
{
    return hold(problem, f, NULL);
}

// control of a muscle whose force is `of_gain` times its gain; 0 where no control has this force
static double pull(const trxi_actuator *a, double length, double of_gain)
{
    const double l = trxi_muscle_length(&a->muscle, length), active = trxi_muscle_active(&a->muscle, l).value;
    return active > 0 ? fmax(0, (-of_gain - trxi_muscle_passive(&a->muscle, l).value) / active) : 0;
}

trx_status trxi_holding_controls(const trx_problem *problem, double *u)
{
    const trx_model *model = problem->model;
    double *length = trxi_allocate(problem->context, sizeof *length * (size_t)(model->nu + 1));
    if (!length) return TRX_ERR_MEMORY;
    trx_status status = hold(problem, u, length);
    for (int j = 0; status == TRX_OK && j < model->nu; j++) {
        const trxi_actuator *a = &model->actuators[j];
        const double of_gain = (u[j] - a->bias + a->kp * length[j]) / a->gain;
        const bool muscle = a->muscle.optimal_length > 0, integrates = a->activation.type == TRX_ACTIVATION_INTEGRATOR;
        u[j] = integrates ? 0 : muscle ? pull(a, length[j], of_gain) : of_gain;
    }
    trxi_release(problem->context, length);
    return status;
}

trx_status trxi_holding_controls_within(const trx_problem *problem, double *u)
{
    trx_status status = trxi_holding_controls(problem, u);
    for (int j = 0; status == TRX_OK && j < problem->model->nu; j++) {
        trx_actuator_info actuator = trx_model_actuator(problem->model, j);
        u[j] = fmin(fmax(u[j], actuator.lower), actuator.upper);
    }
    return status;
}
