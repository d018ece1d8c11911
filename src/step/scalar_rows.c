// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The rows of the convex problem with one impulse each (theory 4): which there are in this step, and where their columns are
// kept. What each kind is made of stands in its own file.

#include "step/sim.h"

trxi_scalar *trxi_step_add_scalar(trx_sim *sim, trxi_scalar_kind kind, int index, int part, int ncol, int **cols,
                                  double **J)
{
    trxi_scalar *row = &sim->scalars[sim->problem.nscalar++];
    *cols = sim->scalar_cols + sim->scalar_used;
    *J = sim->scalar_J + sim->scalar_used;
    sim->scalar_used += ncol;
    *row = (trxi_scalar){.kind = kind, .index = index, .part = part, .ncol = ncol, .cols = *cols, .J = *J};
    return row;
}

void trxi_step_scalar_rows(trx_sim *sim)
{
    sim->problem.nscalar = sim->scalar_used = sim->nhold = 0;
    trxi_step_limit_rows(sim);
    trxi_step_constraint_rows(sim);
    trxi_step_drive_rows(sim);
}
