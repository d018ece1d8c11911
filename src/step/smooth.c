// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The smooth part of the step (theory 2, scheme symplectic): springs and dampers implicit, gravity, Coriolis and
// actuation explicit.
//
//     A  = M(q0) + dt D + dt^2 K
//     p0 = M v0 + dt (tau(u) - ID(q0, v0, 0)) - dt K (q0 (-) q_rest)
//     v* = A^-1 p0                                   the velocity without contact
//
// A is block diagonal by tree, and so is its Cholesky factor.

#include "step/sim.h"

#include "math/dense.h"

#include <string.h>

static void assemble(trx_sim *sim)
{
    const trx_model *model = sim->model;
    const int nv = model->nv;
    const double dt = sim->settings.time_step;
    trxi_mass_matrix(model, &sim->kin, sim->composite, sim->M, nv);
    memcpy(sim->A, sim->M, (size_t)nv * (size_t)nv * sizeof *sim->A);
    for (int i = 0; i < nv; i++) sim->A[i * (nv + 1)] += dt * (model->damping[i] + dt * model->stiffness[i]);
}

static trx_status factorize(trx_sim *sim)
{
    const trx_model *model = sim->model;
    const int nv = model->nv;
    memcpy(sim->LA, sim->A, (size_t)nv * (size_t)nv * sizeof *sim->LA);
    for (int t = 0; t < model->ntree; t++) {
        int first = model->trees[t].v;
        int pivot = trxi_cholesky(model->trees[t].nv, sim->LA + first * (nv + 1), nv);
        if (pivot < 0) continue;
        const trxi_joint *joint = &model->joints[model->links[model->dof_link[first + pivot]].joint];
        return trxi_fail(sim->context, TRX_ERR_ILL_CONDITIONED,
                         "the mass matrix is not positive definite at joint '%s'", joint->name);
    }
    return TRX_OK;
}

static void momentum(trx_sim *sim)
{
    const trx_model *model = sim->model;
    const int nv = model->nv;
    const double dt = sim->settings.time_step;
    for (int t = 0; t < model->ntree; t++) {
        int first = model->trees[t].v;
        trxi_symv(model->trees[t].nv, sim->M + first * (nv + 1), nv, sim->v0 + first, sim->p0 + first);
    }
    trxi_inverse_dynamics(model, &sim->kin, sim->v0, NULL, &sim->rnea, sim->bias);
    trxi_axpy(nv, -dt, sim->bias, sim->p0);
    for (int a = 0; a < model->nu; a++) sim->p0[model->actuators[a].v] += dt * model->actuators[a].gear * sim->u[a];
    if (!model->has_springs) return;
    trxi_model_spring(model, sim->q0, sim->spring);
    for (int i = 0; i < nv; i++) sim->p0[i] -= dt * model->stiffness[i] * sim->spring[i];
}

trx_status trxi_step_smooth(trx_sim *sim)
{
    const trx_model *model = sim->model;
    const int nv = model->nv;
    trxi_kinematics_compute(model, sim->q0, &sim->kin);
    assemble(sim);
    trx_status status = factorize(sim);
    if (status < 0) return status;

    momentum(sim);
    memcpy(sim->v_free, sim->p0, (size_t)nv * sizeof *sim->v_free);
    for (int t = 0; t < model->ntree; t++) {
        int first = model->trees[t].v;
        trxi_cholesky_solve(model->trees[t].nv, sim->LA + first * (nv + 1), nv, 1, sim->v_free + first, nv);
    }
    return TRX_OK;
}

void trxi_step_solve_mass(const trx_sim *sim, const int *cols, int ncol, int nrhs, double *Y)
{
    const trx_model *model = sim->model;
    const int nv = model->nv;
    int last = -1;
    for (int i = 0; i < ncol; i++) {
        int t = model->links[model->dof_link[cols[i]]].tree;
        if (t == last) continue;
        int first = model->trees[t].v;
        trxi_cholesky_solve(model->trees[t].nv, sim->LA + first * (nv + 1), nv, nrhs, Y + first, nv);
        last = t;
    }
}

void trxi_step_contact_mass(const trx_sim *sim, const trxi_contact *contact, const double *J, int stride, double *Y,
                            double W[9])
{
    const int nv = sim->model->nv, *cols = contact->cols;
    memset(Y, 0, 3 * (size_t)nv * sizeof *Y);
    for (int i = 0; i < contact->ncol; i++)
        for (int a = 0; a < 3; a++) Y[cols[i] + a * nv] = J[stride * i + a];
    trxi_step_solve_mass(sim, cols, contact->ncol, 3, Y);
    memset(W, 0, 9 * sizeof *W);
    for (int i = 0; i < contact->ncol; i++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) W[a + 3 * b] += J[stride * i + a] * Y[cols[i] + b * nv];
}
