// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The maps from velocities to positions of a step (theory 6), and the poses at its start. Trajectory optimization needs no other
// data of a simulator beside the public functions. q' = q (+) dt v_vq gives dq' = T dq + S dv' + S_0 dv. T, S and S_0 are the
// numbers of `rates` times 1, except for balls.

#ifndef TRXI_STEP_POSITION_MAPS_H
#define TRXI_STEP_POSITION_MAPS_H

#include "dynamics/kinematics.h"

#include <tractrix/sim.h>

/// rates = [1, th_vq dt, (1 - th_vq) dt].
void trxi_sim_position_rates(const trx_sim *sim, double rates[3]);

/// After trx_step_jac: T, S and S_0 (3 x 3 each) of every ball in the order of links, less the rates times 1.
void trxi_sim_ball_maps(const trx_sim *sim, double *maps);

/// The poses at the start of the last step. NULL in two-stage schemes and with prescribed motion: callers then compute the poses.
const trxi_kinematics *trxi_sim_start_poses(const trx_sim *sim);

#endif
