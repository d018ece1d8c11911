// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The smooth balance m(v) of the theta schemes (theory 2) at one velocity, with the memory of the schemes:
//
//     q_th = q0 (+) dt th v_vq,    v_th = th v + (1 - th) v0
//     m(v) = M(q_th) (v - v0) + dt [ bias(q_th, v_th) + K (q_th (-) q_rest) + D v_th - tau - J^T loads ]
//
// Inverse dynamics at the acceleration (v - v0)/dt gives the first two terms.

#include "step/integrate.h"
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
                          &stage->m,     &stage->trial,  &stage->dv,   &stage->before, &stage->dw};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = TRXI_TAKE(arena, double, nv);
    stage->pivots = TRXI_TAKE(arena, int, nv);
    stage->norm = TRXI_TAKE(arena, double, model->ntree);
    stage->alpha = TRXI_TAKE(arena, double, model->ntree);
    stage->done = TRXI_TAKE(arena, bool, model->ntree);
    double **blocks[] = {&stage->m_qth, &stage->m_vth, &stage->N, &stage->m_q0, &stage->m_v0};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) *blocks[i] = TRXI_TAKE(arena, double, model->nblock);
}

void trxi_stage_layout_matrices(trxi_arena *arena, size_t count, trxi_stage *stage)
{
    stage->R = TRXI_TAKE(arena, double, count);
    stage->carry = TRXI_TAKE(arena, double, count);
}

void trxi_stage_evaluate(trx_sim *sim, const double *v)
{
    const trx_model *model = sim->model;
    trxi_stage *s = &sim->stage;
    const double dt = sim->settings.time_step, th = sim->th, *v0 = sim->v0;
    trxi_step_moving(sim, th * dt, v, s->moving);
    trx_model_integrate(model, sim->q0, s->moving, s->q);
    trxi_kinematics_compute(model, s->q, &s->kin);
    for (int i = 0; i < model->nv; i++) {
        s->v_th[i] = th * v[i] + (1 - th) * v0[i];
        s->accel[i] = (v[i] - v0[i]) / dt;
    }
    trxi_inverse_dynamics(model, &s->kin, s->v_th, s->accel, &s->rnea, s->m);
    for (int i = 0; i < model->nv; i++) s->m[i] = dt * (s->m[i] + model->damping[i] * s->v_th[i]);
    trxi_step_motors(sim, -dt, s->m);
    if (model->nload) trxi_step_loads(sim, &s->kin, -dt, s->m);
    if (!model->has_springs) return;
    trxi_model_spring(model, s->q, s->spring);
    for (int i = 0; i < model->nv; i++) s->m[i] += dt * model->stiffness[i] * s->spring[i];
}
