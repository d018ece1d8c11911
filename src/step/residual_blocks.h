// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Which entries of dr/dq0 and dr/dv0 (theory 6) are defined: the squares of small islands, the blocks of trees that touch in
// others.

#ifndef TRXI_STEP_RESIDUAL_BLOCKS_H
#define TRXI_STEP_RESIDUAL_BLOCKS_H

#include "step/sim.h"

/// An island of which only blocks count, and whose columns of A come from the inverse of H.
bool trxi_step_by_blocks(const trxi_island *island);

/// sim->rq = sim->rv = 0.
void trxi_step_clear_residual(trx_sim *sim);

/// y -= R x (nv), where R is sim->rq or sim->rv.
void trxi_step_subtract_residual(const trx_sim *sim, const double *R, const double *x, double *y);

#endif
