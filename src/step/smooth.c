// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The smooth part of the step (theory 2). In the symplectic scheme springs and dampers are implicit; gravity, Coriolis forces and
// actuation are explicit:
//
//     A  = M(q0) + dt D + dt^2 K
//     p0 = M v0 + dt (tau(u) + J^T loads + J^T drag - ID(q0, v0, 0)) - dt K (q0 (-) q_rest)
//
// In the other schemes v* solves the motion without contact (two_stage.c):
//
//     A  = M(q_th(v*)) + th dt D + th th_vq dt^2 K          p0 = A v*
//
// In all schemes v_free = A^-1 (p0 + drives) is the velocity without contact, for margins.
// A is block diagonal by tree, and so is its Cholesky factor.

#include "dynamics/drag_forces.h"
#include "step/loads.h"
#include "step/scalar_rows.h"
#include "step/sim.h"
#include "step/smooth.h"

#include "math/dense.h"
#include "step/spin.h"

#include <string.h>

void trxi_smooth_layout(trxi_arena *arena, const trx_model *model, trxi_smooth *smooth)
{
    trxi_kinematics_layout(arena, model, &smooth->kin);
    trxi_rnea_layout(arena, model, &smooth->rnea);
    smooth->composite = TRXI_TAKE(arena, trxi_inertia, model->nlink);
    double **blocks[] = {&smooth->M, &smooth->A, &smooth->LA};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) *blocks[i] = TRXI_TAKE(arena, double, model->nblock);
    double **vectors[] = {&smooth->spring, &smooth->bias, &smooth->p0, &smooth->v_free};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = TRXI_TAKE(arena, double, model->nv);
    smooth->V1 = TRXI_TAKE(arena, double, 6 * model->nlink);
    trxi_lengths_layout(arena, model, &smooth->lengths);
    trxi_stage_layout(arena, model, &smooth->stage);
}

static void assemble(const trxi_input *in, trxi_smooth *smooth)
{
    const trx_model *model = in->model;
    const double dt = in->settings.time_step, th_dt = in->th * dt, vq_dt = in->th_vq * dt;
    memcpy(smooth->A, smooth->M, (size_t)model->nblock * sizeof *smooth->A);
    for (int i = 0; i < model->nv; i++)
        smooth->A[model->column[i] + i] += th_dt * (model->damping[i] + vq_dt * model->stiffness[i]);
}

static trx_status factorize(const trxi_input *in, trxi_smooth *smooth)
{
    const trx_model *model = in->model;
    memcpy(smooth->LA, smooth->A, (size_t)model->nblock * sizeof *smooth->LA);
    for (int t = 0; t < model->ntree; t++) {
        const trxi_tree *tree = &model->trees[t];
        int pivot = trxi_cholesky(tree->nv, smooth->LA + tree->block, tree->nv);
        if (pivot < 0) continue;
        const trxi_joint *joint = &model->joints[model->links[model->dof_link[tree->v + pivot]].joint];
        return trxi_fail(in->context, TRX_ERR_ILL_CONDITIONED,
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

static void momentum(const trxi_input *in, trxi_smooth *smooth)
{
    const trx_model *model = in->model;
    const int nv = model->nv;
    const double dt = in->settings.time_step;
    multiply(model, smooth->M, in->v0, smooth->p0);
    trxi_inverse_dynamics(model, &smooth->kin, in->v0, NULL, &smooth->rnea, smooth->bias);
    trxi_axpy(nv, -dt, smooth->bias, smooth->p0);
    trxi_step_motors(in, dt, smooth->p0);
    if (model->nload) trxi_step_loads(in, &smooth->kin, dt, smooth->p0);
    if (model->ndrag) trxi_drag_forces(model, &smooth->kin, smooth->rnea.V, dt, smooth->p0);
    if (in->settings.spin == TRX_SPIN_MOMENTUM) trxi_step_spin(in, smooth);
    if (!model->has_springs) return;
    trxi_model_spring(model, in->q0, smooth->spring);
    for (int i = 0; i < nv; i++) smooth->p0[i] -= dt * model->stiffness[i] * smooth->spring[i];
}

// adds to v_free the impulse of one drive on a length, times `gear`, with the tangent of its force at the start. The impulse is
// overestimated, because the drive is treated as if it acted alone against the diagonal of A
static void add_drive(const trxi_input *in, trxi_smooth *smooth, int length, double gear, const trxi_drive_constants *drive)
{
    const trxi_length_view view = trxi_length_at(in->model, &smooth->lengths, length);
    const double dt = in->settings.time_step;
    double rate = 0, w = 0;
    for (int k = 0; k < view.ncol; k++) {
        const int dof = view.cols[k];
        const double factor = gear * view.J[k];
        rate += factor * in->v0[dof];
        w += factor * factor / smooth->A[in->model->column[dof] + dof];
    }
    const trxi_drive_force start = trxi_drive_at(drive, rate);
    double f = start.f / (1 + dt * start.slope * w);
    f = fmax(drive->lower, fmin(drive->upper, f));
    for (int k = 0; k < view.ncol; k++) smooth->v_free[view.cols[k]] += dt * gear * view.J[k] * f;
}

// adds the impulses of all drives to v_free, on which contact margins depend
static void add_drives(const trxi_input *in, trxi_smooth *smooth)
{
    const trx_model *model = in->model;
    trxi_drive_constants pulls[TRXI_SPRING_ROWS];
    for (int i = 0; i < model->nu; i++) {
        const trxi_actuator *a = &model->actuators[i];
        if (!a->drive) continue;
        pulls[0] = trxi_drive_of(in, &smooth->lengths, i);
        add_drive(in, smooth, a->length, a->gear, pulls);
    }
    for (int i = 0; i < model->nspring; i++) {
        const int count = trxi_spring_of(in, &smooth->lengths, i, pulls);
        for (int k = 0; k < count; k++) add_drive(in, smooth, model->springs[i].length, 1, &pulls[k]);
    }
}

trx_status trxi_step_smooth(const trxi_input *in, trxi_smooth *smooth)
{
    const trx_model *model = in->model;
    const int nv = model->nv;
    trxi_kinematics_compute(model, in->q0, &smooth->kin);
    if (model->nprescribed) trxi_kinematics_move(model, in->t0, &smooth->kin);
    if (model->nlength) trxi_lengths_compute(model, &smooth->kin, in->q0, &smooth->lengths);
    trx_status status = TRX_OK;
    if (in->two_stage) {
        trxi_link_velocities(model, &smooth->kin, in->v0, smooth->rnea.V);
        status = trxi_stage_solve(in, smooth);
    } else {
        trxi_mass_blocks(model, &smooth->kin, smooth->composite, smooth->M);
    }
    if (status < 0) return status;
    assemble(in, smooth);
    if ((status = factorize(in, smooth)) < 0) return status;

    if (in->two_stage) multiply(model, smooth->A, smooth->stage.v, smooth->p0);
    else momentum(in, smooth);
    memcpy(smooth->v_free, smooth->p0, (size_t)nv * sizeof *smooth->v_free);
    if (model->ndrive > 0 || model->nspring > 0) add_drives(in, smooth);
    for (int t = 0; t < model->ntree; t++) {
        const trxi_tree *tree = &model->trees[t];
        trxi_cholesky_solve(tree->nv, smooth->LA + tree->block, tree->nv, 1, smooth->v_free + tree->v, tree->nv);
    }
    if (model->npair) trxi_link_velocities(model, &smooth->kin, smooth->v_free, smooth->V1);
    return TRX_OK;
}
