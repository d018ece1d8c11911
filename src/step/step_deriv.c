// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Derivatives of the step by the implicit function theorem (theory 6): with r(v; x0, u) = 0 solved and H = dr/dv
// factorized at the solution,
//
//     dv = -H^-1 (dr/dq0 dq0 + dr/dv0 dv0 + dr/du du),        a = (v - v0)/dt
//     dr/dq0 = dt dID/dq(q0, v0, a) + dt K - terms of the rows  (ball springs: dt k Jr^-1(e))
//     dr/dv0 = dt dID/dv - M - terms of the rows                   dr/du = -dt gain times the factors of the driven dofs
//
//     A = [ T + dt S dv/dq0, dt S dv/dv0 ; dv/dq0, dv/dv0 ]     B = [ dt S dv/du ; dv/du ]
//
// T = S = I except for balls: T = Exp(-dt w), S = Jr(dt w). jac solves for all columns at once, jvp for one
// combination, vjp for one transposed right-hand side; all use the one factor of H.

#include "step/sim.h"

#include "math/dense.h"
#include "math/rotation.h"

#include <string.h>

static const double derivative_tolerance = 1e-10;

// the converged velocity the derivatives belong to, and H factored there
static trx_status refine(trx_sim *sim)
{
    if (sim->solved_tolerance > derivative_tolerance) {
        const trxi_solver_settings tight = {derivative_tolerance, sim->settings.max_iterations,
                                            sim->settings.line_search};
        trxi_solver_stats first = sim->solver.stats;
        trx_status status = trxi_contact_solve(&sim->problem, &tight, &sim->solver);
        sim->solver.stats.iterations += first.iterations;
        if (status < 0)
            return trxi_fail(sim->context, status, "derivatives: %s at tolerance %g", trx_status_text(status),
                             derivative_tolerance);
        sim->solved_tolerance = derivative_tolerance;
    }
    trx_status status = trxi_contact_factorize(&sim->problem, &sim->solver);
    if (status < 0) return trxi_fail(sim->context, status, "derivatives: H is not positive definite");
    return TRX_OK;
}

static void add_spring(trx_sim *sim)
{
    const trx_model *model = sim->model;
    const int nv = model->nv;
    const double dt = sim->settings.time_step;
    for (int l = 0; l < model->nlink; l++) {
        const trxi_link *link = &model->links[l];
        double k = model->stiffness[link->v];
        if (k == 0) continue;
        if (link->type != TRXI_BALL) {
            for (int i = link->v; i < link->v + link->nv; i++) sim->rq[i * (nv + 1)] += dt * model->stiffness[i];
            continue;
        }
        double j[9];
        trxi_right_jacobian_inverse(sim->spring + link->v, j);
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++) sim->rq[link->v + a + (link->v + b) * nv] += dt * k * j[a + 3 * b];
    }
}

trx_status trxi_step_linearize(trx_sim *sim)
{
    if (!sim) return TRX_ERR_ARGUMENT;
    if (!sim->stepped)
        return trxi_fail(sim->context, TRX_ERR_NO_STEP, "derivatives need a converged step: call trx_step first");
    if (sim->linearized) return TRX_OK;
    trx_status status = refine(sim);
    if (status < 0) return status;

    // smooth terms at a = (v - v0)/dt
    const trx_model *model = sim->model;
    const int nv = model->nv;
    const double dt = sim->settings.time_step;
    for (int i = 0; i < nv; i++) sim->accel[i] = (sim->solver.v[i] - sim->v0[i]) / dt;
    trxi_inverse_dynamics(model, &sim->kin, sim->v0, sim->accel, &sim->rnea, sim->bias);
    trxi_inverse_dynamics_deriv(model, &sim->kin, &sim->rnea, sim->rq, sim->rv, nv);
    for (int i = 0; i < nv * nv; i++) sim->rq[i] *= dt, sim->rv[i] *= dt;
    for (int t = 0; t < model->ntree; t++)
        for (int j = model->trees[t].v; j < model->trees[t].v + model->trees[t].nv; j++)
            for (int i = j; i < model->trees[t].v + model->trees[t].nv; i++) {
                double mass = sim->M[model->column[j] + i];
                sim->rv[i + j * nv] -= mass;
                if (i > j) sim->rv[j + i * nv] -= mass;
            }
    if (model->has_springs) add_spring(sim);
    if (model->nload) trxi_step_loads_deriv(sim);

    // rows of the convex problem, at the velocities of the solution
    if (sim->problem.ncontact || sim->nhold) trxi_link_velocities(model, &sim->kin, sim->solver.v, sim->V1);
    trxi_step_contact_rows_deriv(sim);
    trxi_step_limit_rows_deriv(sim);
    trxi_step_constraint_rows_deriv(sim);
    trxi_step_drive_rows_deriv(sim);
    sim->linearized = true;
    return TRX_OK;
}

// maps of one ball: T = Exp(-dt w) and dt S = dt Jr(dt w)
static void ball_maps(const trx_sim *sim, const trxi_link *link, double T[9], double dtS[9])
{
    const double dt = sim->settings.time_step;
    double turn[3], back[3];
    trxi_scale3(dt, sim->solver.v + link->v, turn);
    trxi_scale3(-1, turn, back);
    trxi_exp33(back, T);
    trxi_right_jacobian(turn, dtS);
    for (int i = 0; i < 9; i++) dtS[i] *= dt;
}

void trxi_step_integrate_tangent(const trx_sim *sim, const double *dq, const double *dv, int ncol, int ld_in,
                                 double *out, int ld_out)
{
    const trx_model *model = sim->model;
    const double dt = sim->settings.time_step;
    for (int l = 0; l < model->nlink; l++) {
        const trxi_link *link = &model->links[l];
        double T[9], dtS[9];
        if (link->type == TRXI_BALL) ball_maps(sim, link, T, dtS);
        for (int c = 0; c < ncol; c++) {
            const double *v = dv + (size_t)c * (size_t)ld_in + link->v;
            const double *q = dq ? dq + (size_t)c * (size_t)ld_in + link->v : NULL;
            double *o = out + (size_t)c * (size_t)ld_out + link->v;
            if (link->type == TRXI_BALL) {
                double moved[3] = {0, 0, 0};
                trxi_mulv3(dtS, v, o);
                if (q) trxi_mulv3(T, q, moved);
                trxi_add3(o, moved, o);
            } else {
                for (int i = 0; i < link->nv; i++) o[i] = dt * v[i] + (q ? q[i] : 0);
            }
        }
    }
}

// A's upper left block: add T to dt S dv/dq0, which is there already
static void add_transport(const trx_sim *sim, double *A, int ld)
{
    const trx_model *model = sim->model;
    for (int l = 0; l < model->nlink; l++) {
        const trxi_link *link = &model->links[l];
        double T[9], dtS[9];
        trxi_identity33(T);
        if (link->type == TRXI_BALL) ball_maps(sim, link, T, dtS);
        for (int b = 0; b < link->nv; b++)
            for (int a = 0; a < link->nv; a++) A[link->v + a + (link->v + b) * ld] += T[a + 3 * b];
    }
}

static void copy_rows(int n, int ncol, const double *from, int ld_from, double *to, int ld_to)
{
    for (int c = 0; c < ncol; c++)
        memcpy(to + (size_t)c * (size_t)ld_to, from + (size_t)c * (size_t)ld_from, (size_t)n * sizeof *to);
}

trx_status trx_step_jac(trx_sim *sim, double *A, double *B)
{
    trx_status status = trxi_step_linearize(sim);
    if (status < 0) return status;
    const trx_model *model = sim->model;
    const int nv = model->nv, nu = model->nu;

    // all right-hand sides in one block: -[rq rv ru]
    const size_t square = (size_t)nv * (size_t)nv;
    double *dv_dq = sim->dv, *dv_dv = dv_dq + square, *dv_du = dv_dv + square;
    for (size_t i = 0; i < square; i++) {
        dv_dq[i] = -sim->rq[i];
        dv_dv[i] = -sim->rv[i];
    }
    trxi_step_control_jac(sim, dv_du);
    trxi_contact_back_substitute(&sim->problem, &sim->solver, 2 * nv + nu, sim->dv, nv);

    if (A) {
        trxi_step_integrate_tangent(sim, NULL, sim->dv, 2 * nv, nv, A, 2 * nv);
        add_transport(sim, A, 2 * nv);
        copy_rows(nv, 2 * nv, sim->dv, nv, A + nv, 2 * nv);
    }
    if (B) {
        trxi_step_integrate_tangent(sim, NULL, dv_du, nu, nv, B, 2 * nv);
        copy_rows(nv, nu, dv_du, nv, B + nv, 2 * nv);
    }
    return TRX_OK;
}

trx_status trx_step_jvp(trx_sim *sim, const double *tangent_x, const double *tangent_u, double *tangent_x_next)
{
    trx_status status = trxi_step_linearize(sim);
    if (status < 0) return status;
    const trx_model *model = sim->model;
    const int nv = model->nv;
    if (!tangent_x_next) return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "no place for the product");
    double *dv = sim->dv;
    memset(dv, 0, (size_t)nv * sizeof *dv);
    if (tangent_x) {
        trxi_gemv(nv, nv, -1, sim->rq, nv, tangent_x, 1, dv);
        trxi_gemv(nv, nv, -1, sim->rv, nv, tangent_x + nv, 1, dv);
    }
    if (tangent_u) trxi_step_control_jvp(sim, tangent_u, dv);
    trxi_contact_back_substitute(&sim->problem, &sim->solver, 1, dv, nv);
    trxi_step_integrate_tangent(sim, tangent_x, dv, 1, nv, tangent_x_next, nv);
    memcpy(tangent_x_next + nv, dv, (size_t)nv * sizeof *dv);
    return TRX_OK;
}

// transposes of T and dt S applied to one seed
static void integrate_adjoint(const trx_sim *sim, const double *seed_q, double *through_q, double *through_v)
{
    const trx_model *model = sim->model;
    for (int l = 0; l < model->nlink; l++) {
        const trxi_link *link = &model->links[l];
        if (link->type == TRXI_BALL) {
            double T[9], dtS[9];
            ball_maps(sim, link, T, dtS);
            trxi_mulv3_t(T, seed_q + link->v, through_q + link->v);
            trxi_mulv3_t(dtS, seed_q + link->v, through_v + link->v);
            continue;
        }
        for (int i = link->v; i < link->v + link->nv; i++) {
            through_q[i] = seed_q[i];
            through_v[i] = sim->settings.time_step * seed_q[i];
        }
    }
}

trx_status trx_step_vjp(trx_sim *sim, const double *seed_x_next, double *grad_x, double *grad_u)
{
    trx_status status = trxi_step_linearize(sim);
    if (status < 0) return status;
    const trx_model *model = sim->model;
    const int nv = model->nv;
    if (!seed_x_next) return trxi_fail(sim->context, TRX_ERR_ARGUMENT, "no seed given");
    double *lambda = sim->dv, *through_q = sim->dv + nv;
    integrate_adjoint(sim, seed_x_next, through_q, lambda);
    trxi_axpy(nv, 1, seed_x_next + nv, lambda);
    trxi_contact_back_substitute(&sim->problem, &sim->solver, 1, lambda, nv);
    if (grad_x) {
        memcpy(grad_x, through_q, (size_t)nv * sizeof *grad_x);
        trxi_gemv_t(nv, nv, -1, sim->rq, nv, lambda, 1, grad_x);
        trxi_gemv_t(nv, nv, -1, sim->rv, nv, lambda, 0, grad_x + nv);
    }
    if (grad_u) trxi_step_control_vjp(sim, lambda, grad_u);
    return TRX_OK;
}
