// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The smooth part of the step (theory 2): in the scheme symplectic springs and dampers are implicit, gravity, Coriolis and
// actuation explicit,
//
//     A  = M(q0) + dt D + dt^2 K
//     p0 = M v0 + dt (tau(u) + J^T loads - ID(q0, v0, 0)) - dt K (q0 (-) q_rest)
//
// and in the others v* solves the motion without contact (two_stage.c):
//
//     A  = M(q_th(v*)) + th dt D + th th_vq dt^2 K          p0 = A v*
//
// In all schemes v_free = A^-1 (p0 + drives) is the velocity without contact, for margins.
// A is block diagonal by tree, and so is its Cholesky factor.

#include "step/loads.h"
#include "step/sim.h"
#include "step/smooth.h"

#include "math/dense.h"
#include "step/spin.h"

#include <string.h>

static void assemble(trx_sim *sim)
{
    const trx_model *model = sim->model;
    const double dt = sim->settings.time_step, th_dt = sim->th * dt, vq_dt = sim->th_vq * dt;
    memcpy(sim->smooth.A, sim->smooth.M, (size_t)model->nblock * sizeof *sim->smooth.A);
    for (int i = 0; i < model->nv; i++)
        sim->smooth.A[model->column[i] + i] += th_dt * (model->damping[i] + vq_dt * model->stiffness[i]);
}

static trx_status factorize(trx_sim *sim)
{
    const trx_model *model = sim->model;
    memcpy(sim->smooth.LA, sim->smooth.A, (size_t)model->nblock * sizeof *sim->smooth.LA);
    for (int t = 0; t < model->ntree; t++) {
        const trxi_tree *tree = &model->trees[t];
        int pivot = trxi_cholesky(tree->nv, sim->smooth.LA + tree->block, tree->nv);
        if (pivot < 0) continue;
        const trxi_joint *joint = &model->joints[model->links[model->dof_link[tree->v + pivot]].joint];
        return trxi_fail(sim->context, TRX_ERR_ILL_CONDITIONED,
                         "the mass matrix is not positive definite at joint '%s'", joint->name);
    }
    return TRX_OK;
}

// out = X x for a matrix of blocks by tree
static void multiply(const trx_model *model, const double *X, const double *x, double *out)
{
    for (int t = 0; t < model->ntree; t++) {
        const trxi_tree *tree = &model->trees[t];
        trxi_symv(tree->nv, X + tree->block, tree->nv, x + tree->v, out + tree->v);
    }
}

static void momentum(trx_sim *sim)
{
    const trx_model *model = sim->model;
    const int nv = model->nv;
    const double dt = sim->settings.time_step;
    multiply(model, sim->smooth.M, sim->v0, sim->smooth.p0);
    trxi_inverse_dynamics(model, &sim->smooth.kin, sim->v0, NULL, &sim->smooth.rnea, sim->smooth.bias);
    trxi_axpy(nv, -dt, sim->smooth.bias, sim->smooth.p0);
    trxi_step_motors(sim, dt, sim->smooth.p0);
    if (model->nload) trxi_step_loads(sim, &sim->smooth.kin, dt, sim->smooth.p0);
    if (sim->settings.spin == TRX_SPIN_MOMENTUM) trxi_step_spin(sim);
    if (!model->has_springs) return;
    trxi_model_spring(model, sim->q0, sim->smooth.spring);
    for (int i = 0; i < nv; i++) sim->smooth.p0[i] -= dt * model->stiffness[i] * sim->smooth.spring[i];
}

// adds impulses of the drives to v_free, because contact margins depend on v_free. Each drive is treated as if alone against the
// diagonal of A, which overestimates its impulse
static void push_drives(trx_sim *sim)
{
    const trx_model *model = sim->model;
    const double dt = sim->settings.time_step;
    for (int i = 0; i < model->nu; i++) {
        const trxi_actuator *a = &model->actuators[i];
        if (!a->drive) continue;
        double length = trxi_actuator_length(model, a, sim->q0), rate = 0, w = 0, slope = dt * a->kp + a->kd;
        for (int k = a->first; k < a->first + a->nfactor; k++) {
            int dof = model->factor_dofs[k];
            double factor = model->factors[k];
            rate += factor * sim->v0[dof];
            w += factor * factor / sim->smooth.A[model->column[dof] + dof];
        }
        double f = (a->gain * sim->u[i] + a->bias - a->kp * length - slope * rate) / (1 + dt * slope * w);
        f = fmax(a->effort_lower, fmin(a->effort_upper, f));
        for (int k = a->first; k < a->first + a->nfactor; k++)
            sim->smooth.v_free[model->factor_dofs[k]] += dt * model->factors[k] * f;
    }
}

trx_status trxi_step_smooth(trx_sim *sim)
{
    const trx_model *model = sim->model;
    const int nv = model->nv;
    trxi_kinematics_compute(model, sim->q0, &sim->smooth.kin);
    trx_status status = TRX_OK;
    if (sim->two_stage) {
        trxi_link_velocities(model, &sim->smooth.kin, sim->v0, sim->smooth.rnea.V);
        status = trxi_stage_solve(sim);
    } else {
        trxi_mass_blocks(model, &sim->smooth.kin, sim->smooth.composite, sim->smooth.M);
    }
    if (status < 0) return status;
    assemble(sim);
    if ((status = factorize(sim)) < 0) return status;

    if (sim->two_stage) multiply(model, sim->smooth.A, sim->stage.v, sim->smooth.p0);
    else momentum(sim);
    memcpy(sim->smooth.v_free, sim->smooth.p0, (size_t)nv * sizeof *sim->smooth.v_free);
    if (model->ndrive > 0) push_drives(sim);
    for (int t = 0; t < model->ntree; t++) {
        const trxi_tree *tree = &model->trees[t];
        trxi_cholesky_solve(tree->nv, sim->smooth.LA + tree->block, tree->nv, 1, sim->smooth.v_free + tree->v, tree->nv);
    }
    return TRX_OK;
}
