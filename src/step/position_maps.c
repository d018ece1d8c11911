// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Maps from velocities to positions of the last step (theory 6); see position_maps.h.

#include "step/position_maps.h"

#include "step/sim.h"

#include <string.h>

void trxi_sim_position_rates(const trx_sim *sim, double rates[3])
{
    rates[0] = 1;
    rates[1] = sim->in.th_vq * sim->in.settings.time_step;
    rates[2] = (1 - sim->in.th_vq) * sim->in.settings.time_step;
}

void trxi_sim_ball_maps(const trx_sim *sim, double *maps)
{
    double rates[3];
    trxi_sim_position_rates(sim, rates);
    for (int l = 0; l < sim->in.model->nlink; l++) {
        const trxi_end_maps *ball = &sim->deriv.end_maps[l];
        const double *const of_ball[3] = {ball->T, ball->v, ball->v0};
        if (sim->in.model->links[l].type != TRXI_BALL) continue;
        for (int m = 0; m < 3; m++, maps += 9) {
            memcpy(maps, of_ball[m], 9 * sizeof *maps);
            for (int a = 0; a < 9; a += 4) maps[a] -= rates[m];
        }
    }
}

const trxi_kinematics *trxi_sim_start_poses(const trx_sim *sim)
{
    return sim->in.two_stage || sim->in.model->nprescribed > 0 ? NULL : &sim->smooth.kin;
}
