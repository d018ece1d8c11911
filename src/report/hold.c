// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Controls that hold the start configuration: at rest there, the joint forces must carry gravity and springs,
//
//     tau = ID(q, 0, 0) + K (q (-) q_rest)                                              (theory 2)
//
// and an actuator of gear g on dof i gives tau_i = g u. Dofs without an actuator stay uncarried, and limits clamp.
// Contact forces are not counted: what rests on something else needs no holding.

#include "report/run.h"

#include "dynamics/inverse_dynamics.h"

#include <math.h>
#include <string.h>

// tau (nv) at the start configuration; `block` NULL while measuring
static size_t holding_forces(const trx_model *model, const double *q, void *block, double **tau)
{
    trxi_arena arena = {.base = block};
    trxi_kinematics kin;
    trxi_rnea rnea;
    trxi_kinematics_layout(&arena, model, &kin);
    trxi_rnea_layout(&arena, model, &rnea);
    double *zero = TRXI_TAKE(&arena, double, model->nv);
    double *spring = TRXI_TAKE(&arena, double, model->nv);
    *tau = TRXI_TAKE(&arena, double, model->nv);
    if (!block) return arena.used;

    trxi_kinematics_compute(model, q, &kin);
    trxi_inverse_dynamics(model, &kin, zero, NULL, &rnea, *tau);
    trxi_model_spring(model, q, spring);
    for (int i = 0; i < model->nv; i++) (*tau)[i] += model->stiffness[i] * spring[i];
    return arena.used;
}

trx_status trx_run_hold_controls(trx_run *run, double *u)
{
    int nu = run->size.nu, steps = trx_problem_steps(run->problem);
    const double *q = trx_problem_start(run->problem);
    double *tau;
    size_t bytes = holding_forces(run->model, q, NULL, &tau);
    void *block = trxi_allocate(run->context, bytes);
    if (!block) return TRX_ERR_MEMORY;
    holding_forces(run->model, q, block, &tau);

    // two actuators on one joint would both carry it: the later ones carry what the earlier ones left
    memset(u, 0, sizeof *u * (size_t)nu * (size_t)steps);
    for (int i = 0; i < nu; i++) {
        trx_actuator_info actuator = trx_model_actuator(run->model, i);
        if (actuator.gear == 0) continue;
        u[i] = fmin(fmax(tau[actuator.v_index] / actuator.gear, actuator.lower), actuator.upper);
        tau[actuator.v_index] -= actuator.gear * u[i];
    }
    for (int k = 1; k < steps; k++) memcpy(u + (size_t)k * (size_t)nu, u, sizeof *u * (size_t)nu);
    trxi_release(run->context, block);
    return TRX_OK;
}
