// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// A cost of (u_k - u_{k-1}) / dt couples two knots. If the previous controls p_k = u_{k-1} are part of the state, the program has
// the form that the Riccati sweep solves (theory 7):
//
//     [x; p]' = [A 0; 0 0] [x; p] + [B; 1] u          l += g.(u - p) + 1/2 (u - p).D (u - p),       D diagonal
//
// The sweep is exact for both knots. Its gains are split into K for x and P for p.

#include "trajopt/rates.h"

#include <string.h>

void trxi_rates_layout(trxi_arena *arena, const trxi_ocp *ocp, trxi_rates *rates)
{
    const trxi_ocp_size size = {.nx = ocp->nx + ocp->nu, .nu = ocp->nu, .cross = true};
    trxi_ocp_layout(arena, ocp->steps, &size, 0, 0, &rates->ocp);
    trxi_policy_layout(arena, &rates->ocp, &rates->policy);
}

static void copy_block(int rows, int cols, const double *from, int ld_from, double *to, int ld_to)
{
    for (int j = 0; j < cols; j++) memcpy(to + j * ld_to, from + j * ld_from, (size_t)rows * sizeof *to);
}

static void widen_cost(const trxi_ocp_stage *s, bool last, trxi_ocp_stage *w)
{
    const int nx = s->nx, nu = s->nu, wide = w->nx;
    memset(w->Q, 0, (size_t)wide * (size_t)wide * sizeof(double));
    memset(w->q, 0, (size_t)wide * sizeof(double));
    copy_block(nx, nx, s->Q, nx, w->Q, wide);
    memcpy(w->q, s->q, (size_t)nx * sizeof(double));
    if (last) return;
    memcpy(w->r, s->r, (size_t)nu * sizeof(double));
    memcpy(w->R, s->R, (size_t)nu * (size_t)nu * sizeof(double));
    memset(w->S, 0, (size_t)wide * (size_t)nu * sizeof(double));
    if (s->S) copy_block(nx, nu, s->S, nx, w->S, wide);
    for (int i = 0; i < nu; i++) {
        w->q[nx + i] = -s->rate_slope[i];
        w->Q[(nx + i) * (wide + 1)] = s->rate_curvature[i];
        w->S[nx + i + i * wide] = -s->rate_curvature[i];
    }
    memcpy(w->u_lower, s->u_lower, (size_t)nu * sizeof(double));
    memcpy(w->u_upper, s->u_upper, (size_t)nu * sizeof(double));
}

static void widen_dynamics(const trxi_ocp_stage *s, trxi_ocp_stage *w)
{
    const int nx = s->nx, nu = s->nu, wide = w->nx;
    memset(w->B, 0, (size_t)wide * (size_t)(nu + wide) * sizeof(double));
    copy_block(nx, nu, s->B, nx, w->B, wide);
    copy_block(nx, nx, s->A, nx, w->A, wide);
    for (int i = 0; i < nu; i++) w->B[nx + i + i * wide] = 1;
}

bool trxi_rates_sweep(const trxi_ocp *ocp, double mu, const double *scale, trxi_rates *rates, trxi_box_sweep *box,
                      trxi_riccati *work, trxi_policy *policy)
{
    const size_t nx = (size_t)ocp->nx, nu = (size_t)ocp->nu;
    trxi_policy *wide = &rates->policy;
    rates->ocp.steps = ocp->steps; // a plan may have fewer knots than at its creation
    for (int k = 0; k <= ocp->steps; k++) {
        widen_cost(&ocp->stages[k], k == ocp->steps, &rates->ocp.stages[k]);
        if (k < ocp->steps) widen_dynamics(&ocp->stages[k], &rates->ocp.stages[k]);
    }
    memcpy(wide->k, policy->k, ocp->controls * sizeof(double));
    if (!trxi_box_sweep_run(&rates->ocp, mu, scale, box, work, wide)) return false;
    memcpy(policy->k, wide->k, ocp->controls * sizeof(double));
    for (int k = 0; k < ocp->steps; k++) {
        const double *gains = wide->K + rates->ocp.stages[k].K_at;
        memcpy(policy->K + ocp->stages[k].K_at, gains, nu * nx * sizeof(double));
        memcpy(policy->P + nu * nu * (size_t)k, gains + nu * nx, nu * nu * sizeof(double));
    }
    policy->linear = wide->linear, policy->quadratic = wide->quadratic;
    policy->gradient = wide->gradient, policy->clamped = wide->clamped;
    policy->ocp = ocp;
    return true;
}
