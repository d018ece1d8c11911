// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The loop over trx_step_from and trx_step_jac. Every step starts its solve at the velocities of its own state, as in a loop in
// Python, so both have the same bits.

#include "rollout.h"

trx_status trxi_rollout_run(trx_sim *sim, const trxi_rollout *rollout, int *done)
{
    const trx_model_size size = trx_model_get_size(trx_sim_model(sim));
    const size_t nx = (size_t)size.nstate, nu = (size_t)size.nu, nt = (size_t)size.ntangent;
    const double time_step = trx_sim_get_settings(sim).time_step;
    for (*done = 0; *done < rollout->steps; ++*done) {
        const size_t k = (size_t)*done;
        const trx_step_input input = {.time = rollout->time + *done * time_step,
            .x = rollout->x + k * nx,
            .u = rollout->u ? rollout->u + k * nu : NULL};
        trx_status status = trx_step_from(sim, &input, rollout->x + (k + 1) * nx);
        if (status >= 0 && (rollout->A || rollout->B))
            status = trx_step_jac(sim, rollout->A ? rollout->A + k * nt * nt : NULL, rollout->B ? rollout->B + k * nt * nu : NULL);
        if (status < 0) return status;
    }
    return TRX_OK;
}
