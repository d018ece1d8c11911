// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the step by the implicit function theorem (theory 6): with r(v; x0, u) = 0 solved and H = dr/dv
// factorized at the solution,
//
//     dv = -H^-1 (dr/dq0 dq0 + dr/dv0 dv0 + dr/du du),        a = (v - v0)/dt
//     dr/dq0 = dt dID/dq(q0, v0, a) + dt K - terms of the rows  (ball springs: dt k Jr^-1(e))
//     dr/dv0 = dt dID/dv - M - terms of the rows                   dr/du = -dt gain times the gradients of the driven lengths
//
//     A = [ T + dt S dv/dq0, dt S dv/dv0 ; dv/dq0, dv/dv0 ]     B = [ dt S dv/du ; dv/du ]
//
// T = S = I except for balls: T = Exp(-dt w), S = Jr(dt w). In two-stage schemes two_stage_deriv.c gives the smooth
// terms. Positions then move with v_vq: in the position rows th_vq dv + (1 - th_vq) dv0 replaces dv, and T and S are taken at
// w = v_vq. jvp solves for one combination of columns; step_jac.c has all columns, step_vjp.c the adjoint product.

#include "step/contact_rows.h"
#include "step/integrate.h"
#include "step/drag.h"
#include "step/loads.h"
#include "step/scalar_rows.h"
#include "step/sim.h"
#include "step/step_deriv.h"

#include "math/dense.h"
#include "math/rotation.h"
#include "step/spin.h"

#include <string.h>

static const double derivative_tolerance = 1e-10;

// solves to the tolerance of derivatives, and computes the slopes of the laws
static trx_status polish(trx_sim *sim, bool anew)
{
    const bool sloped = isfinite(sim->solved_tolerance);
    if (!sloped || (sim->solved_tolerance > derivative_tolerance && sim->solver.stats.relative > derivative_tolerance)) {
        trxi_solver_settings tight = sim->in.solver;
        tight.tolerance = derivative_tolerance;
        tight.methods = NULL; // Newton
        const trxi_solver_stats first = sim->solver.stats;
        trx_status status = TRX_OK;
        if (!sloped || !trxi_contact_polish(&sim->problem, derivative_tolerance, anew, &sim->solver)) {
            status = trxi_contact_solve(&sim->problem, &tight, &sim->solver);
            sim->solver.stats.iterations += first.iterations;
        }
        sim->stepped = status >= 0; // a failed solve leaves no valid results of the step
        if (status < 0)
            return trxi_fail(sim->in.context, status, "derivatives: %s at tolerance %g", trx_status_text(status),
                             derivative_tolerance);
        sim->solved_tolerance = derivative_tolerance;
    }
    return TRX_OK;
}

// refines the impulses of a contact model without a potential; Newton's method (theory 5) does not serve such a model
static trx_status refine(trx_sim *sim)
{
    if (!(sim->solved_tolerance > derivative_tolerance)) return TRX_OK;
    trxi_contact_refine(&sim->problem, derivative_tolerance, &sim->solver);
    sim->solved_tolerance = derivative_tolerance;
    return TRX_OK;
}

// solves to the tolerance of derivatives and factorizes H
trx_status trxi_step_refine(trx_sim *sim, bool anew)
{
    if (!sim->stepped)
        return trxi_fail(sim->in.context, TRX_ERR_NO_STEP, "derivatives need a converged step: call trx_step first");
    trx_status status = sim->in.contact_model->symmetric ? polish(sim, anew) : refine(sim);
    if (status < 0) return status;
    status = trxi_contact_factorize(&sim->problem, &sim->solver);
    if (status < 0) return trxi_fail(sim->in.context, status, "derivatives: H has no factors");
    return TRX_OK;
}

void trxi_step_accelerate(const trxi_solved *step, trxi_derivatives *deriv)
{
    const double rate = 1 / step->in->settings.time_step;
    for (int i = 0; i < step->in->model->nv; i++) deriv->accel[i] = rate * (step->solver->v[i] - step->in->v0[i]);
    trxi_inverse_dynamics_accelerate(step->in->model, &step->smooth->kin, deriv->accel, &step->smooth->rnea);
}

void trxi_step_springs_deriv(const trxi_solved *step, const trxi_residual_out *out)
{
    const trx_model *model = step->in->model;
    const double dt = step->in->settings.time_step;
    for (int l = 0; l < model->nlink; l++) {
        const trxi_link *link = &model->links[l];
        double k = model->stiffness[link->v];
        if (k == 0) continue;
        if (link->type != TRXI_BALL) {
            for (int i = link->v; i < link->v + link->nv; i++) trxi_residual_add_q(out, i, i, dt * model->stiffness[i]);
            continue;
        }
        double j[9];
        trxi_right_jacobian_inverse(step->smooth->spring + link->v, j);
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++) trxi_residual_add_q(out, link->v + a, link->v + b, dt * k * j[a + 3 * b]);
    }
}

// rq = dt dID/dq and rv = dt dID/dv - M for one tree
static void finish_tree(const trxi_solved *step, trxi_derivatives *deriv, const trxi_tree *tree)
{
    const double dt = step->in->settings.time_step;
    const int first = tree->v, end = tree->v + tree->nv;
    for (int j = first; j < end; j++) {
        const double *M = step->smooth->M + step->in->model->column[j];
        double *rq = deriv->rq + step->places.groups[j], *rv = deriv->rv + step->places.groups[j];
        for (int i = first; i < j; i++) rq[i] *= dt, rv[i] = dt * rv[i] - step->smooth->M[step->in->model->column[i] + j];
        for (int i = j; i < end; i++) rq[i] *= dt, rv[i] = dt * rv[i] - M[i];
    }
}

// dr/dq0, dr/dv0 of the symplectic scheme's smooth terms, at a = (v - v0)/dt
static void smooth_terms(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out)
{
    const trx_model *model = step->in->model;
    const ptrdiff_t *places = step->places.groups;
    trxi_coupled_clear(step->solver, deriv->rq);
    trxi_coupled_clear(step->solver, deriv->rv);
    trxi_step_accelerate(step, deriv);
    trxi_inverse_dynamics_deriv_blocks(model, &step->smooth->kin, &step->smooth->rnea, places, deriv->rq, deriv->rv);
    for (int t = 0; t < model->ntree; t++) finish_tree(step, deriv, &model->trees[t]);
    if (model->has_springs) trxi_step_springs_deriv(step, out);
    if (model->nload) trxi_step_loads_deriv(step->in, &step->smooth->kin, places, deriv->rq);
    if (model->ndrag) trxi_step_drag_deriv(step->in, &step->smooth->kin, step->smooth->rnea.V, places, deriv->rq, deriv->rv);
    if (step->in->settings.spin == TRX_SPIN_MOMENTUM) trxi_step_spin_deriv(step->in, out);
}

void trxi_step_rows_deriv(const trxi_solved *step, trxi_derivatives *deriv, const trxi_residual_out *out)
{
    if (step->rows->ncontact) trxi_step_contact_rows_deriv(step, deriv, out);
    if (step->rows->nscalar) trxi_step_limit_rows_deriv(step, deriv, out);
    if (step->rows->nconstraint_rows) trxi_step_constraint_rows_deriv(step, deriv, out);
    trxi_step_drive_rows_deriv(step, deriv, out);
    if (step->in->model->nspan) trxi_step_length_rows_deriv(step, deriv, out);
}

trx_status trxi_step_linearize(trx_sim *sim)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (sim->stepped && sim->deriv.linearized) return TRX_OK;
    trx_status status = trxi_step_refine(sim, true);
    if (status < 0) return status;
    const ptrdiff_t size = (ptrdiff_t)trxi_coupled_size(&sim->solver);
    status = trxi_derivatives_reserve(sim->in.context, sim->in.model, size, sim->in.two_stage, &sim->deriv);
    if (status < 0) return status;

    const trxi_residual_out out = trxi_residual_matrices(&sim->solved, &sim->deriv);
    if (sim->in.two_stage) status = trxi_stage_begin_deriv(&sim->solved, &sim->deriv);
    else smooth_terms(&sim->solved, &sim->deriv, &out);
    if (status < 0) return status;

    if (sim->rows.ncontact || sim->rows.nconstraint_rows)
        trxi_link_velocities(sim->in.model, &sim->smooth.kin, sim->solver.v, sim->smooth.V1);
    trxi_step_rows_deriv(&sim->solved, &sim->deriv, &out);
    if (sim->in.two_stage) trxi_stage_finish_deriv(&sim->solved, &sim->deriv);
    sim->deriv.linearized = true;
    return TRX_OK;
}

trx_status trx_step_jvp(trx_sim *sim, const double *tangent_x, const double *tangent_u, double *tangent_x_next)
{
    trx_status status = trxi_step_linearize(sim);
    if (status < 0) return status;
    const trx_model *model = sim->in.model;
    const int nv = model->nv;
    if (!tangent_x_next) return trxi_fail(sim->in.context, TRX_ERR_ARGUMENT, "no place for the product");
    double *dv = sim->deriv.products;
    memset(dv, 0, (size_t)nv * sizeof *dv);
    if (tangent_x) {
        trxi_coupled_subtract(&sim->solver, sim->deriv.rq, tangent_x, dv);
        trxi_coupled_subtract(&sim->solver, sim->deriv.rv, tangent_x + nv, dv);
    }
    trxi_activations_jvp(model, &sim->in.activations, tangent_x ? tangent_x + 2 * nv : NULL, tangent_u, sim->deriv.driven,
                         tangent_x_next + 2 * nv);
    if (tangent_u || model->na > 0) trxi_step_control_jvp(&sim->solved, &sim->deriv, sim->deriv.driven, dv);
    trxi_contact_back_substitute(&sim->problem, &sim->solver, 1, dv, nv);
    trxi_step_integrate_tangent(&sim->solved, tangent_x, dv, 1, nv, tangent_x_next, nv);
    if (tangent_x) trxi_step_integrate_start(&sim->solved, false, tangent_x + nv, tangent_x_next);
    memcpy(tangent_x_next + nv, dv, (size_t)nv * sizeof *dv);
    return TRX_OK;
}
