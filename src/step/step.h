// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The velocity that moves positions in a step (theory 2).

#ifndef TRXI_STEP_STEP_H
#define TRXI_STEP_STEP_H

#include "step/sim.h"

/// out = scale v_vq (nv), v_vq = th_vq v + (1 - th_vq) v0.
void trxi_step_moving(const trx_sim *sim, double scale, const double *v, double *out);

#endif
