// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The smooth balance m(v) of the theta schemes (theory 2) at one velocity, with the memory of the schemes:
//
//     q_th = q0 (+) dt th v_vq,    v_th = th v + (1 - th) v0
//     m(v) = M(q_th) (v - v0) + dt [ bias(q_th, v_th) + K (q_th (-) q_rest) + D v_th - tau - J^T (loads + drag) ]
//
// Inverse dynamics at the acceleration (v - v0)/dt gives the first two terms.

#include "step/integrate.h"
#include "dynamics/drag_forces.h"
#include "step/loads.h"

#include "math/dense.h"

#include <string.h>

void trxi_stage_layout(trxi_arena *arena, const trx_model *model, trxi_stage *stage)
{
    const int nv = model->nv;
    trxi_kinematics_layout(arena, model, &stage->kin);
    trxi_rnea_layout(arena, model, &stage->rnea);
    stage->q = TRXI_TAKE(arena, double, model->nq);
    double **vectors[] = {&stage->v,     &stage->moving, &stage->v_th, &stage->accel, &stage->spring,
                          &stage->m,     &stage->trial,  &stage->dv,   &stage->before};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = TRXI_TAKE(arena, double, nv);
    stage->pivots = TRXI_TAKE(arena, int, nv);
    stage->norm = TRXI_TAKE(arena, double, model->ntree);
    stage->alpha = TRXI_TAKE(arena, double, model->ntree);
    stage->done = TRXI_TAKE(arena, bool, model->ntree);
    double **blocks[] = {&stage->m_qth, &stage->m_vth, &stage->N, &stage->m_q0, &stage->m_v0};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) *blocks[i] = TRXI_TAKE(arena, double, model->nblock);
}

void trxi_stage_evaluate(const trxi_input *in, trxi_smooth *smooth, const double *v)
{
    const trx_model *model = in->model;
    trxi_stage *s = &smooth->stage;
    const double dt = in->settings.time_step, th = in->th, *v0 = in->v0;
    trxi_step_moving(in, th * dt, v, s->moving);
    trx_model_integrate(model, in->q0, s->moving, s->q);
    trxi_kinematics_compute(model, s->q, &s->kin);
    for (int i = 0; i < model->nv; i++) {
        s->v_th[i] = th * v[i] + (1 - th) * v0[i];
        s->accel[i] = (v[i] - v0[i]) / dt;
    }
    trxi_inverse_dynamics(model, &s->kin, s->v_th, s->accel, &s->rnea, s->m);
    for (int i = 0; i < model->nv; i++) s->m[i] = dt * (s->m[i] + model->damping[i] * s->v_th[i]);
    trxi_step_motors(in, -dt, s->m);
    if (model->nload) trxi_step_loads(in, &s->kin, -dt, s->m);
    if (model->ndrag) trxi_drag_forces(model, &s->kin, s->rnea.V, -dt, s->m);
    if (!model->has_springs) return;
    trxi_model_spring(model, s->q, s->spring);
    for (int i = 0; i < model->nv; i++) s->m[i] += dt * model->stiffness[i] * s->spring[i];
}
