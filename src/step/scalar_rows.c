// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The rows of the convex problem with one impulse each (theory 4): their list in this step, and the storage of their
// columns. Each kind has its own file.

#include "step/constraint_rows.h"
#include "step/drive_rows.h"
#include "step/limit_rows.h"
#include "step/scalar_rows.h"
#include "step/sim.h"

void trxi_step_scalar_rows(const trxi_input *in, const trxi_smooth *smooth, trxi_rows *rows)
{
    rows->nscalar = rows->scalar_used = rows->nconstraint_rows = 0;
    rows->scalars = rows->contacts + rows->ncontact;
    if (in->model->nlimit || in->model->nconstraint) trxi_step_limit_rows(in, smooth, rows);
    if (in->model->nconstraint) trxi_step_constraint_rows(in, smooth, rows);
    trxi_step_drive_rows(in, rows);
}
