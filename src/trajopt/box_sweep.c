// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// The optimal-control quadratic program within the bounds of its controls, as a whole (theory 7), by a primal-dual active set
// [Hintermüller, Ito, Kunisch 2002]. A set of controls is fixed at bounds; the other controls, the free ones, have no bounds. Then
//
//     sweep:    the program of this set, an ordinary Riccati sweep (riccati.c)
//     forward:  du = k + K dx,   dx' = A dx + B du + b
//     adjoint:  g = r + R du + S^T dx + B^T p',   p = q + Q dx + S du + A^T p'
//     update:   a free control beyond a bound is fixed there; a fixed control becomes free if g, the multiplier of its
//               bound, points inwards
//
// until the set does not change. The result then satisfies the optimality conditions of the whole program. The first set
// contains the controls that lie at a bound now, so that near a solution one pass suffices.
//
// The sweep of riccati.c, by contrast, clamps knot by knot: it clamps the feedforward of a knot at dx = 0, without regard to the
// predicted states, and sets the gains of the clamped control to zero. From zero torques all large feedforwards are clamped, and
// a motion whose optimum lies within the limits took 8 iterations of iLQR instead of 2 (scripts/bench_methods). The sweep of
// riccati.c is used if the set does not settle, because it does not depend on predicted states.
//
// A pass costs a sweep, and about a sixth of it for the forward and adjoint recursions.

#include "trajopt/box_sweep.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { MAX_PASSES = 10 }; // cycles have two or three sets, and the motions of an arm settle within six passes

typedef enum side { FREE, AT_LOWER, AT_UPPER } side;

void trxi_box_sweep_layout(trxi_arena *arena, const trxi_ocp *ocp, trxi_box_sweep *box)
{
    *box = (trxi_box_sweep){0};
    box->ocp.stages = TRXI_TAKE(arena, trxi_ocp_stage, ocp->steps + 1);
    box->lower = TRXI_TAKE(arena, double, ocp->controls);
    box->upper = TRXI_TAKE(arena, double, ocp->controls);
    box->dx = TRXI_TAKE(arena, double, (size_t)ocp->nx * (size_t)(ocp->steps + 1));
    box->du = TRXI_TAKE(arena, double, ocp->controls);
    box->p = TRXI_TAKE(arena, double, ocp->nx);
    box->p_next = TRXI_TAKE(arena, double, ocp->nx);
    box->g = TRXI_TAKE(arena, double, ocp->nu);
}

void trxi_policy_follow(const trxi_ocp *ocp, const trxi_policy *policy, double *dx, double *du)
{
    memset(dx, 0, (size_t)ocp->nx * sizeof *dx);
    for (int k = 0; k < ocp->steps; k++, dx += ocp->nx) {
        const trxi_ocp_stage *s = &ocp->stages[k];
        double *u = du + s->u_at, *next = dx + ocp->nx;
        memcpy(u, policy->k + s->u_at, (size_t)s->nu * sizeof *u);
        trxi_gemv(s->nu, s->nx, 1, policy->K + s->K_at, s->nu, dx, 1, u);
        for (int i = 0; i < s->nu; i++) u[i] = fmin(fmax(u[i], s->u_lower[i]), s->u_upper[i]);
        if (s->b) memcpy(next, s->b, (size_t)s->nx_next * sizeof *next);
        trxi_gemv(s->nx_next, s->nx, 1, s->A, s->nx_next, dx, s->b ? 1 : 0, next);
        trxi_gemv(s->nx_next, s->nu, 1, s->B, s->nx_next, u, 1, next);
    }
}

static side side_of(const trxi_box_sweep *box, const trxi_ocp_stage *given, int i)
{
    const size_t at = given->u_at + (size_t)i;
    if (box->lower[at] < box->upper[at]) return FREE;
    return box->lower[at] == given->u_lower[i] ? AT_LOWER : AT_UPPER;
}

static void set_side(const trxi_box_sweep *box, const trxi_ocp_stage *given, int i, side to)
{
    const size_t at = given->u_at + (size_t)i;
    box->lower[at] = to == FREE ? -INFINITY : to == AT_LOWER ? given->u_lower[i] : given->u_upper[i];
    box->upper[at] = to == FREE ? INFINITY : box->lower[at];
}

// sets up the program of the first pass, which fixes the controls that lie at a bound; returns false if no control has bounds
static bool begin(const trxi_ocp *ocp, trxi_box_sweep *box)
{
    trxi_ocp_stage *stages = box->ocp.stages;
    bool bounded = false;
    box->ocp = *ocp;
    box->ocp.stages = stages;
    for (int k = 0; k <= ocp->steps; k++) {
        const trxi_ocp_stage *given = &ocp->stages[k];
        stages[k] = *given;
        stages[k].u_lower = box->lower + given->u_at;
        stages[k].u_upper = box->upper + given->u_at;
        for (int i = 0; i < given->nu && k < ocp->steps; i++) {
            set_side(box, given, i, given->u_lower[i] >= 0 ? AT_LOWER : given->u_upper[i] <= 0 ? AT_UPPER : FREE);
            bounded = bounded || isfinite(given->u_lower[i]) || isfinite(given->u_upper[i]);
        }
    }
    return bounded;
}

// computes g of a stage from the adjoint of the next stage, which the adjoint of this stage replaces
static void step_back(const trxi_ocp_stage *s, const double *dx, const double *du, trxi_box_sweep *box)
{
    double *p = box->p_next;
    trxi_symv(s->nu, s->R, s->nu, du, box->g);
    trxi_axpy(s->nu, 1, s->r, box->g);
    trxi_gemv_t(s->nx_next, s->nu, 1, s->B, s->nx_next, box->p, 1, box->g);
    if (s->S) trxi_gemv_t(s->nx, s->nu, 1, s->S, s->nx, dx, 1, box->g);

    trxi_symv(s->nx, s->Q, s->nx, dx, p);
    trxi_axpy(s->nx, 1, s->q, p);
    trxi_gemv_t(s->nx_next, s->nx, 1, s->A, s->nx_next, box->p, 1, p);
    if (s->S) trxi_gemv(s->nx, s->nu, 1, s->S, s->nx, du, 1, p);
    box->p_next = box->p;
    box->p = p;
}

// side of a control in the next set, from its change and the gradient g
static side side_for(side now, double du, double g, double lower, double upper)
{
    if (lower == upper) return now;
    if (now == AT_LOWER) return g < 0 ? FREE : AT_LOWER;
    if (now == AT_UPPER) return g > 0 ? FREE : AT_UPPER;
    return du < lower ? AT_LOWER : du > upper ? AT_UPPER : FREE;
}

// computes the next set from the states and controls of this pass; returns whether the set has changed
static bool update_sides(const trxi_ocp *ocp, double mu, const double *scale, trxi_box_sweep *box)
{
    const trxi_ocp_stage *end = &ocp->stages[ocp->steps];
    bool changed = false;
    trxi_symv(end->nx, end->Q, end->nx, box->dx + ocp->nx * ocp->steps, box->p);
    trxi_axpy(end->nx, 1, end->q, box->p);
    for (int k = ocp->steps - 1; k >= 0; k--) {
        const trxi_ocp_stage *s = &ocp->stages[k];
        const double *du = box->du + s->u_at;
        step_back(s, box->dx + ocp->nx * k, du, box);
        for (int i = 0; i < s->nu; i++) {
            const side now = side_of(box, s, i);
            const side next = side_for(now, du[i], box->g[i] + mu * scale[i] * du[i], s->u_lower[i], s->u_upper[i]);
            if (next != now) set_side(box, s, i, next);
            changed = changed || next != now;
        }
    }
    return changed;
}

// repeats passes until the set does not change. Returns false if it does not settle, or if the policy does not lower the cost,
// which rounding and damping can cause; with defects the cost may rise, because closing a defect can raise it
static bool settle(const trxi_ocp *ocp, double mu, const double *scale, trxi_box_sweep *box, trxi_riccati *work,
                   trxi_policy *policy)
{
    for (box->passes = 1; box->passes <= MAX_PASSES; box->passes++) {
        if (!trxi_riccati_sweep(&box->ocp, mu, scale, work, policy)) return false;
        trxi_policy_follow(&box->ocp, policy, box->dx, box->du);
        if (!update_sides(ocp, mu, scale, box)) return ocp->defects || policy->linear + policy->quadratic < 0;
    }
    return false;
}

bool trxi_box_sweep_run(const trxi_ocp *ocp, double mu, const double *scale, trxi_box_sweep *box, trxi_riccati *work,
                        trxi_policy *policy)
{
    if (box) box->settled = begin(ocp, box) && settle(ocp, mu, scale, box, work, policy);
    if (!box || !box->settled) return trxi_riccati_sweep(ocp, mu, scale, work, policy);
    policy->ocp = ocp;
    return true;
}
