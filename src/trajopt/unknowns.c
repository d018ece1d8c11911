// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Start and end of methods whose unknowns are states and controls (theory 7). States of a guess or of an earlier stage need
// not follow from the controls under the present law. At the end u = u_k + K (x (-) x_k) gives a simulation that stays near
// the states. The simulation of the start is kept as a fallback for methods that end early, or whose states no simulation can
// follow.

#include "trajopt/unknowns.h"

#include <math.h>
#include <string.h>

// starts at the simulation of the controls
static trx_status start_at_controls(trxi_workspace *w, trxi_knots *knots, bool *linearized, trxi_trajectory *best)
{
    trx_status status = trxi_rollout_controls(w->rollout, false, INFINITY, w->current, &w->ocp);
    if (status < 0) return status;
    *linearized = w->rollout->linearized;
    knots->defect = 0;
    trxi_trajectory_copy(w->rollout, w->current, best);
    return TRX_OK;
}

// starts at the states, or at the simulation of the controls if a step from the states fails
static trx_status start_at_states(trxi_workspace *w, trxi_knots *knots, bool *linearized, trxi_trajectory *best)
{
    trxi_rollout *r = w->rollout;
    trxi_trajectory_copy(r, w->current, best);
    const trx_status simulated = trxi_rollout_controls(r, true, INFINITY, best, NULL);
    if (simulated < 0 || !isfinite(best->cost)) best->cost = INFINITY;
    memcpy(w->current->x, r->x0, (size_t)r->nstate * sizeof(double));
    const trx_status status = trxi_knots_evaluate(r, w->current, knots, &w->ocp);
    *linearized = status >= 0;
    if ((status >= 0 && isfinite(w->current->cost)) || !isfinite(best->cost)) return status;
    trxi_trajectory_copy(r, best, w->current);
    *linearized = false;
    knots->defect = 0;
    return TRX_OK;
}

trx_status trxi_unknowns_start(trxi_workspace *w, bool warm, trxi_knots *knots, bool *linearized, trxi_trajectory *best)
{
    trx_status status = warm ? start_at_states(w, knots, linearized, best) : start_at_controls(w, knots, linearized, best);
    if (status < 0 || isfinite(w->current->cost)) return status < 0 ? status : TRX_OK;
    w->rollout->failed_knot = -1;
    return TRX_ERR_NOT_FINITE;
}

void trxi_unknowns_finish(trxi_workspace *w, double defect, const trxi_trajectory *best)
{
    if (defect > 0) {
        trx_status status = trxi_rollout_policy(w->rollout, w->current, &w->policy, 0, INFINITY, w->trial, NULL);
        trxi_workspace_exchange(w);
        w->policy.ocp = NULL;
        if (status < 0) w->current->cost = INFINITY;
    }
    if (best && best->cost <= w->current->cost) trxi_trajectory_copy(w->rollout, best, w->current);
}
