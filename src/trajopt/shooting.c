// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Multiple shooting (theory 7): controls and states of all knots are unknowns, and the defects
//
//     b_k = f(x_k, u_k) (-) x_{k+1}
//
// vanish at the solution. One iteration is one step of a Gauss-Newton SQP method. The Riccati sweep solves its program,
// with defects and with the limits of the controls:
//
//     dx_0 = 0,   du_k = k + K dx_k,   dx_{k+1} = A dx_k + B du_k + b_k
//
// A trial is x (+) alpha dx, u + alpha du. The knots of a trial are independent, so states of unstable systems do not run away,
// and all threads take part. The full step closes the defects up to the curvature of f.
//
// The line search halves alpha until the merit
//
//     phi = cost + rho sum_k |b_k|_1
//
// falls by a share of its slope along the step, d = l_x.dx + l_u.du - rho |b|_1. Through contact the states of the linear
// model often do not lower the merit. Then a simulation under the policy with the same alpha is tried; a simulation has no
// defects. rho begins with a tenth of the mean multiplier, is always large enough for a negative slope (Nocedal
// and Wright 2006, equation 18.36) and never falls within a minimization. When no step is accepted, the damping of the
// sweep is raised, as in iLQR. The tests for the end (damping.c) use decreases of phi.
//
// The share of a tenth was measured on acrobot, cart-pole, hopper and push_box. Without a first weight the acrobot ends
// in a poor minimum (cost 24.6 instead of 1.69), because the defects of its states grow at once. With ten times the
// share, hopper stalls at twice the cost.
//
// The functions of unknowns.h make the start from the guess, and turn the result into a simulation.

#include "math/dense.h"
#include "trajopt/damping.h"
#include "trajopt/unknowns.h"

#include <math.h>
#include <string.h>

static const double ACCEPT = 1e-4;  // least actual/expected decrease along the slope
static const double FIRST_WEIGHT = 0.1; // rho / mean multiplier of the first sweep
static const double CLOSING = 0.5;  // the slope is at most - CLOSING rho |b|
static const double SMALLEST_STEP = 1.0 / 64;

typedef struct shooting {
    trxi_workspace *work;
    char *block;
    trxi_damped damped;
    double rho;                 // weight of the defects
    double defect;              // |b|_1 of work->current
    double slope;               // of the cost along the full step
    bool linearized;            // work->ocp belongs to work->current
    bool expects_full;          // the last full step was accepted: the next one is linearized at once
    double *dx, *du;            // nx x (N + 1), nu x N: the full step
    trxi_knots knots;           // of the last evaluation
    trxi_trajectory best;       // simulated; cost INFINITY: none
} shooting;

static double merit(const void *solver)
{
    const shooting *s = solver;
    return s->work->current->cost + s->rho * s->defect;
}

// ---- the step ----

// computes the full step by the linear model
static void compute_step(shooting *s)
{
    const trxi_ocp *ocp = &s->work->ocp;
    s->slope = 0;
    trxi_policy_follow(ocp, &s->work->policy, s->dx, s->du);
    for (int k = 0; k <= ocp->steps; k++) {
        const trxi_ocp_stage *stage = &ocp->stages[k];
        s->slope += trxi_dot(stage->nx, stage->q, s->dx + ocp->nx * k) + trxi_dot(stage->nu, stage->r, s->du + stage->u_at);
    }
}

// raises the weight of the defects until the merit falls along the step
static void raise_weight(shooting *s)
{
    if (s->rho == 0) s->rho = FIRST_WEIGHT * s->work->riccati.multiplier;
    const double rise = fmax(s->work->policy.linear, s->slope) + fmax(0, s->work->policy.quadratic);
    if (s->defect > 0) s->rho = fmax(s->rho, rise / ((1 - CLOSING) * s->defect));
}

// sweep and step; expected is the decrease of the merit along the full step
static bool sweep(void *solver)
{
    shooting *s = solver;
    trxi_workspace *w = s->work;
    if (!trxi_workspace_sweep(w, s->damped.mu, w->whole)) return false;
    for (int i = 0; i < w->ocp.nu; i++) w->scale[i] = w->riccati.curvature[i] > 0 ? w->riccati.curvature[i] : 1;
    compute_step(s);
    raise_weight(s);
    s->damped.info.expected = s->rho * s->defect - w->policy.linear - w->policy.quadratic;
    s->damped.info.gradient = w->policy.gradient;
    return true;
}

// ---- line search ----

// trial = current (+) alpha (dx, du)
static void move(const shooting *s, double alpha)
{
    const trxi_rollout *r = s->work->rollout;
    const trxi_trajectory *from = s->work->current;
    trxi_trajectory *to = s->work->trial;
    for (int k = 0; k <= r->steps; k++) {
        const double *dx = s->dx + r->nx * k, *x = from->x + r->nstate * k;
        double *out = to->x + r->nstate * k, *change = trxi_rollout_dx(r);
        for (int i = 0; i < r->nx; i++) change[i] = alpha * dx[i];
        trx_model_integrate_state(r->model, x, change, out);
    }
    for (int i = 0; i < r->nu * r->steps; i++) {
        const double u = from->u[i] + alpha * s->du[i];
        to->u[i] = fmin(fmax(u, r->u_lower[i % r->nu]), r->u_upper[i % r->nu]);
    }
}

// makes the trial the current trajectory, with its expansion if there is one
static void accept(shooting *s, double alpha, bool linearized)
{
    trxi_workspace *w = s->work;
    trxi_workspace_exchange(w);
    s->defect = s->knots.defect;
    s->linearized = linearized;
    s->damped.info.step = alpha;
    w->policy.ocp = NULL;
    if (!linearized) return;
    const trxi_ocp ocp = w->ocp;
    w->ocp = w->next;
    w->next = ocp;
}

// the merit that a trial with this step length must not exceed, from the slope of the cost
static double limit(const shooting *s, double alpha, double slope)
{
    return merit(s) + ACCEPT * alpha * (slope - s->rho * s->defect);
}

// tries states and controls along the step; a failed step of the simulator rejects the trial
static bool try_states(shooting *s, double alpha)
{
    trxi_workspace *w = s->work;
    if (!(s->slope < s->rho * s->defect)) return false;
    trxi_ocp *ocp = alpha == 1 && s->expects_full ? &w->next : NULL;
    move(s, alpha);
    bool accepted = trxi_knots_evaluate(w->rollout, w->trial, &s->knots, ocp) >= 0 &&
                    w->trial->cost + s->rho * s->knots.defect <= limit(s, alpha, s->slope);
    if (alpha == 1) s->expects_full = accepted;
    if (accepted) accept(s, alpha, ocp != NULL);
    return accepted;
}

// tries a simulation of the policy, which closes all defects
static bool try_simulation(shooting *s, double alpha)
{
    trxi_workspace *w = s->work;
    const double most = limit(s, alpha, w->policy.linear);
    trx_status status = trxi_rollout_policy(w->rollout, w->current, &w->policy, alpha, most, w->trial, NULL);
    if (status < 0 || !isfinite(w->trial->cost)) return false;
    s->knots.defect = 0;
    accept(s, alpha, false);
    return true;
}

static bool line_search(void *solver)
{
    shooting *s = solver;
    for (double alpha = 1; alpha >= SMALLEST_STEP && !trxi_rollout_is_late(s->work->rollout); alpha *= 0.5)
        if (try_states(s, alpha) || try_simulation(s, alpha)) return true;
    return false;
}

// ---- one iteration ----

static trx_status iterate(void *solver, bool last, bool *finished)
{
    (void)last;
    shooting *s = solver;
    trxi_workspace *w = s->work;
    trx_status status = TRX_OK;
    *finished = true;
    s->damped.info.step = 0;
    if (!s->linearized && (status = trxi_knots_evaluate(w->rollout, w->current, &s->knots, &w->ocp)) < 0) return status;
    s->linearized = true;
    s->defect = s->knots.defect;
    status = trxi_damped_iterate(&s->damped, s, finished);
    s->damped.info.defect = s->defect;
    return status;
}

// ---- start and end ----

static trx_status start(void *solver, trxi_origin origin, double tolerance)
{
    const bool warm = origin != TRXI_CONTROLS;
    shooting *s = solver;
    trxi_workspace *w = s->work;
    s->rho = 0;
    s->expects_full = true;
    trxi_damped_start(&s->damped, tolerance);
    trx_status status = trxi_unknowns_start(w, warm, &s->knots, &s->linearized, &s->best);
    if (status < 0) return status;
    s->defect = s->knots.defect;
    s->damped.info.defect = s->defect;
    s->damped.info.first_cost = fabs(w->current->cost);
    return TRX_OK;
}

static void finish(void *solver)
{
    shooting *s = solver;
    trxi_unknowns_finish(s->work, s->defect, &s->best);
    s->defect = 0;
}

static void reset(void *solver)
{
    shooting *s = solver;
    s->damped.mu = 0;
    for (int i = 0; i < s->work->ocp.nu; i++) s->work->scale[i] = 1;
}

static trxi_method_info info(const void *solver)
{
    return ((const shooting *)solver)->damped.info;
}

static void visit(trxi_visitor *visitor, void *solver)
{
    shooting *s = solver;
    TRXI_VISIT(visitor, s->damped.tolerance);
    TRXI_VISIT(visitor, s->damped.mu);
    TRXI_VISIT(visitor, s->rho);
    TRXI_VISIT(visitor, s->defect);
    TRXI_VISIT(visitor, s->knots.defect);
    TRXI_VISIT(visitor, s->linearized);
    TRXI_VISIT(visitor, s->expects_full);
    trxi_trajectory_visit(visitor, s->work->rollout, &s->best);
    TRXI_VISIT(visitor, s->damped.info);
}

// ---- memory ----

static void layout(trxi_arena *arena, const trxi_rollout *r, shooting *s)
{
    s->dx = TRXI_TAKE(arena, double, (size_t)r->nx * (size_t)(r->steps + 1));
    s->du = TRXI_TAKE(arena, double, (size_t)r->nu * (size_t)r->steps);
    trxi_knots_layout(arena, r, &s->knots);
    trxi_trajectory_layout(arena, r->nstate, r->nu, r->steps, &s->best);
}

static trx_status create(trx_context *context, const trx_plan_settings *settings, trxi_workspace *work, void **solver)
{
    (void)settings;
    trxi_arena arena = {0};
    shooting *s = trxi_allocate(context, sizeof *s);
    *solver = s;
    if (!s) return TRX_ERR_MEMORY;
    s->work = work;
    s->damped = (trxi_damped){.work = work, .sweep = sweep, .line_search = line_search, .merit = merit};
    layout(&arena, work->rollout, s);
    s->block = trxi_allocate(context, arena.used);
    if (!s->block) return TRX_ERR_MEMORY;
    arena = (trxi_arena){.base = s->block};
    layout(&arena, work->rollout, s);
    return TRX_OK;
}

static void destroy(trx_context *context, void *solver)
{
    shooting *s = solver;
    if (s) trxi_release(context, s->block);
    trxi_release(context, s);
}

const trxi_method trxi_shooting = {
    .defects = true, .create = create, .destroy = destroy, .reset = reset, .start = start,
    .iterate = iterate, .finish = finish, .info = info, .visit = visit};
