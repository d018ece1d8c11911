// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The rows of the convex problem with one impulse each (theory 4): their list in this step, and the storage of their
// columns. Each kind has its own file.

#include "step/sim.h"

trxi_row_block *trxi_step_add_scalar(trx_sim *sim, const trxi_law *law, int index, int part, int ncol, int **cols,
                                     double **J)
{
    trxi_row_block *row = &sim->scalars[sim->nscalar++];
    *cols = sim->scalar_cols + sim->scalar_used;
    *J = sim->scalar_J + sim->scalar_used;
    sim->scalar_used += ncol;
    *row = (trxi_row_block){.law = law, .n = 1, .ncol = ncol, .cols = *cols, .J = *J, .index = index, .part = part};
    return row;
}

void trxi_step_scalar_rows(trx_sim *sim)
{
    sim->nscalar = sim->scalar_used = sim->nconstraint_rows = 0;
    sim->scalars = sim->contacts + sim->ncontact;
    trxi_step_limit_rows(sim);
    trxi_step_constraint_rows(sim);
    trxi_step_drive_rows(sim);
}
