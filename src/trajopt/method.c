// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The list of methods, and their common workspace (theory 7).

#include "trajopt/method.h"

static const trxi_method *const methods[] = {
    [TRX_ILQR] = &trxi_ilqr, [TRX_MULTIPLE_SHOOTING] = &trxi_shooting, [TRX_IPOPT] = &trxi_ipopt};

const trxi_method *trxi_method_find(trx_method method)
{
    return (size_t)method < sizeof methods / sizeof *methods ? methods[method] : NULL;
}

void trxi_workspace_layout(trxi_arena *arena, const trxi_rollout *r, bool defects, trxi_workspace *work)
{
    const trxi_ocp_size size = {.nx = r->nx, .nu = r->nu, .defect = defects, .cross = r->couples, .rates = r->rates};
    int nball = 0;
    for (int i = 0; i < r->model->nlink; i++) nball += r->model->links[i].type == TRXI_BALL;
    trxi_ocp_layout(arena, r->steps, &size, 0, nball, &work->ocp);
    trxi_ocp_layout(arena, r->steps, &size, 0, nball, &work->next);
    trxi_policy_layout(arena, &work->ocp, &work->policy);
    work->has_rates = r->rates;
    if (r->rates) {
        trxi_rates_layout(arena, &work->ocp, &work->rates);
        work->policy.P = TRXI_TAKE(arena, double, (size_t)r->nu * (size_t)r->nu * (size_t)r->steps);
    }
    trxi_riccati_layout(arena, r->rates ? &work->rates.ocp : &work->ocp, &work->riccati);
    trxi_box_sweep_layout(arena, r->rates ? &work->rates.ocp : &work->ocp, &work->box);
    work->scale = TRXI_TAKE(arena, double, r->nu);
}

bool trxi_workspace_sweep(trxi_workspace *w, double mu, bool whole)
{
    trxi_box_sweep *box = whole ? &w->box : NULL;
    return w->has_rates ? trxi_rates_sweep(&w->ocp, mu, w->scale, &w->rates, box, &w->riccati, &w->policy)
                        : trxi_box_sweep_run(&w->ocp, mu, w->scale, box, &w->riccati, &w->policy);
}
