// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Adjoint product of the step (theory 6): grad = [A B]^T seed with one back-substitution and no matrix. With the seed
// (seed_q, seed_v) of x' = (q', v'),
//
//     lambda = H^-T (seed_v + dt S^T seed_q)
//     grad_q = T^T seed_q - (dr/dq0)^T lambda        grad_v = -(dr/dv0)^T lambda        grad_u = -(dr/du)^T lambda
//
// Every term of dr computes its product with lambda instead of its entries (residual_out.h). Inverse dynamics has its own
// adjoint, and impulses use the velocity of their point for the joint velocities lambda. Two-stage schemes multiply by the
// matrices.

#include "step/integrate.h"
#include "step/drag.h"
#include "step/loads.h"
#include "step/scalar_rows.h"
#include "step/sim.h"
#include "step/step_deriv.h"

#include "math/dense.h"
#include "step/spin.h"

#include <string.h>

// the symplectic scheme: contacts and constraints add their forces to the adjoint of inverse dynamics
static void symplectic_products(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out)
{
    const trx_model *model = step->in->model;
    const trxi_adjoint_scales scales = {step->in->settings.time_step, 1};
    const bool impulses = step->rows->ncontact > 0 || step->rows->nconstraint_rows > 0;
    memset(out->q, 0, (size_t)model->nv * sizeof *out->q);
    memset(out->v, 0, (size_t)model->nv * sizeof *out->v);
    trxi_step_accelerate(step, deriv);
    trxi_adjoint_begin(model, &step->smooth->kin, &scales, out->lambda, impulses ? step->solver->v : NULL, step->smooth->V1,
                       &step->smooth->rnea);
    trxi_step_rows_deriv(step, deriv, out);
    trxi_adjoint_end(model, &step->smooth->kin, &scales, out->lambda, impulses, &step->smooth->rnea, out->q, out->v);
    if (model->has_springs) trxi_step_springs_deriv(step, out);
    if (model->nload) trxi_step_loads_vjp(step->in, step->smooth, out);
    if (model->ndrag) trxi_step_drag_vjp(step->in, step->smooth, out);
    if (step->in->settings.spin == TRX_SPIN_MOMENTUM) trxi_step_spin_deriv(step->in, out);
}

// computes lambda^T dr/dq0 and lambda^T dr/dv0
static void products(const trxi_solved *step, trxi_derivatives *deriv, const double *lambda, double *grad_q, double *grad_v)
{
    if (step->in->two_stage) {
        trxi_coupled_product(step->solver, true, 1, deriv->rq, lambda, 0, grad_q);
        trxi_coupled_product(step->solver, true, 1, deriv->rv, lambda, 0, grad_v);
        return;
    }
    const trxi_residual_out out = {.lambda = lambda, .q = grad_q, .v = grad_v};
    symplectic_products(step, deriv, &out);
}

trx_status trx_step_vjp(trx_sim *sim, const double *seed_x_next, double *grad_x, double *grad_u)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    trx_status status = sim->in.two_stage ? trxi_step_linearize(sim) : trxi_step_refine(sim, false);
    if (status < 0) return status;
    const int nv = sim->in.model->nv;
    if (!seed_x_next) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "no seed given");
    double *lambda = sim->deriv.products, *through_q = lambda + nv, *dr_dq = through_q + nv, *dr_dv = dr_dq + nv;
    trxi_step_integrate_adjoint(&sim->solved, seed_x_next, through_q, lambda);
    trxi_axpy(nv, 1, seed_x_next + nv, lambda);
    trxi_contact_back_substitute_adjoint(&sim->problem, &sim->solver, lambda);
    products(&sim->solved, &sim->deriv, lambda, dr_dq, dr_dv);
    if (grad_x) {
        for (int i = 0; i < nv; i++) grad_x[i] = through_q[i] - dr_dq[i], grad_x[nv + i] = -dr_dv[i];
        trxi_step_integrate_start(&sim->solved, true, seed_x_next, grad_x + nv);
    }
    if (!grad_u && !(grad_x && sim->in.model->na > 0)) return TRX_OK;
    trxi_step_control_vjp(&sim->solved, &sim->deriv, lambda, sim->deriv.driven);
    trxi_activations_vjp(sim->in.model, &sim->in.activations, sim->deriv.driven, seed_x_next + 2 * nv,
                         grad_x ? grad_x + 2 * nv : NULL, grad_u);
    return TRX_OK;
}
