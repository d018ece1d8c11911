// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Gradient of the cost of a trajectory by one backward pass of adjoint products (theory 6, 7): with J = sum of l_k +
// l_N,
//
//     lambda_N = l_x(x_N)
//     dJ/du_k  = l_u(x_k, u_k) + B_k^T lambda_{k+1}
//     lambda_k = l_x(x_k, u_k) + A_k^T lambda_{k+1}            dJ/dx_0 = lambda_0
//     dJ/dtheta = sum of C_k^T lambda_{k+1} + dl_k/dtheta      dl_k/dtheta: direct effects (cost_parameters.c)
//
// After a rollout, the backward pass repeats each step from the solution of the rollout, to get the factor of H. The cost is about
// two steps and one adjoint product per knot for any number of controls. Only the states are stored.

#include "trajopt/cost_parameters.h"
#include "trajopt/plan.h"

#include "math/dense.h"
#include "model/parameters.h"

#include <math.h>
#include <string.h>

// writes l_x of knot k to lambda_k and l_u to grad_u_k
static void expand_cost(trx_plan *plan, int k, const double *x, const double *u, double *grad_u)
{
    const trxi_ocp_stage *stage = &plan->work.ocp.stages[k];
    const trxi_expansion out = {.l_x = stage->q, .l_xx = stage->Q, .l_u = u ? grad_u : NULL, .l_uu = u ? stage->R : NULL,
                                .rate_slope = u ? stage->rate_slope : NULL, .rate_curvature = u ? stage->rate_curvature : NULL};
    trxi_cost_expand(&plan->cost, k, x, u, &out);
}

// request of a backward pass
typedef struct wanted {
    double *grad_u; // nu x N
    const trx_parameter *parameters;
    int count;
    bool seen;          // some parameters have a direct effect on the cost
    double *grad_theta; // count, and after it a column of the same length for one knot
} wanted;

static trx_status step_back(trx_plan *plan, const trxi_trajectory *t, int k, const wanted *w)
{
    trxi_rollout *r = &plan->rollout;
    const trxi_dynamics *f = &r->dynamics;
    const trxi_ocp_stage *stage = &plan->work.ocp.stages[k];
    const double *x = t->x + r->nstate * k, *u = t->u + r->nu * k, *lambda_next = stage[1].q;
    double *grad_u = w->grad_u ? w->grad_u + r->nu * k : stage->u_upper, *through_u = stage->u_lower, *lambda = stage->q;
    trx_status status = f->step(f, trxi_rollout_time(r, k), x, u, x + r->nstate + r->model->nq, NULL);
    if (status >= 0) status = f->vjp(f, lambda_next, trxi_rollout_dx(r), through_u);
    if (status >= 0 && w->count > 0)
        status = f->vjp_parameters(f, w->parameters, w->count, lambda_next, w->grad_theta + w->count);
    if (status < 0) return status;
    for (int i = 0; i < w->count; i++) w->grad_theta[i] += w->grad_theta[w->count + i];
    if (w->seen) trxi_cost_parameters(&plan->cost, k, x, w->parameters, w->count, w->grad_theta);
    expand_cost(plan, k, x, u, grad_u);
    trxi_axpy(r->nx, 1, trxi_rollout_dx(r), lambda);
    trxi_axpy(r->nu, 1, through_u, grad_u);
    if (stage->rate_slope && k + 1 < r->steps) trxi_axpy(r->nu, -1, stage[1].rate_slope, grad_u);
    return TRX_OK;
}

static trx_status sweep(trx_plan *plan, const double *u, double *cost, const wanted *w)
{
    trxi_rollout *r = &plan->rollout;
    trxi_trajectory *t = plan->work.trial;
    memcpy(t->u, u ? u : plan->u, (size_t)r->nu * (size_t)r->steps * sizeof *t->u);
    trx_status status = trxi_stage_apply_model(plan);
    if (status >= 0) status = trxi_rollout_controls(r, false, INFINITY, t, NULL);
    if (status < 0) return status;

    plan->cost.controls = t->u;
    const double *x_N = t->x + r->nstate * r->steps;
    expand_cost(plan, r->steps, x_N, NULL, NULL);
    for (int i = 0; i < w->count; i++) w->grad_theta[i] = 0;
    if (w->seen) trxi_cost_parameters(&plan->cost, r->steps, x_N, w->parameters, w->count, w->grad_theta);
    for (int k = r->steps - 1; k >= 0 && status >= 0; k--) status = step_back(plan, t, k, w);
    if (status >= 0 && cost) *cost = t->cost;
    return status < 0 ? status : TRX_OK;
}

trx_status trx_plan_gradient(trx_plan *plan, const double *u, double *cost, double *grad_u, double *grad_x0)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    if (!grad_u) return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "trx_plan_gradient: no place for the gradient");
    trx_status status = sweep(plan, u, cost, &(wanted){.grad_u = grad_u});
    if (status >= 0 && grad_x0) memcpy(grad_x0, plan->work.ocp.stages[0].q, (size_t)plan->rollout.nx * sizeof *grad_x0);
    return status;
}

trx_status trx_plan_gradient_parameters(trx_plan *plan, const double *u, const trx_parameter *parameters, int count,
                                        double *cost, double *grad)
{
    if (!plan) return TRX_ERR_ARGUMENT;
    trxi_begin(plan->context);
    if (count < 0 || (count > 0 && (!parameters || !grad)))
        return trxi_fail(plan->context, TRX_ERR_ARGUMENT, "trx_plan_gradient_parameters: no parameters or no place given");
    for (int i = 0; i < count; i++) {
        trx_status known = trxi_parameter_check(plan->context, plan->model, parameters[i]);
        if (known < 0) return known;
    }
    if (plan->cost.forces)
        return trxi_fail(plan->context, TRX_ERR_UNSUPPORTED, "no gradients with respect to parameters of costs of contact forces");
    double *work = trxi_allocate(plan->context, 2 * (size_t)(count > 0 ? count : 1) * sizeof *work);
    if (!work) return TRX_ERR_MEMORY;
    wanted w = {.parameters = parameters, .count = count, .grad_theta = work};
    for (int i = 0; i < count; i++) w.seen = w.seen || trxi_cost_sees(&plan->cost, parameters[i]);
    trx_status status = sweep(plan, u, cost, &w);
    if (status >= 0 && count > 0) memcpy(grad, work, (size_t)count * sizeof *grad);
    trxi_release(plan->context, work);
    return status;
}
