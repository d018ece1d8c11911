// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joint limits and rows of holonomic constraints (theory 4, other rows with one impulse): springs with dampers that close a gap
// phi0 within h seconds. With R = max(beta^2/(4 pi^2) w, 1/(dt k (dt + tau))) and v_hat = -phi0/h
//
//     equality   gamma = (v_hat - v_c)/R         G = 1/R             beyond V/2:  v_hat = -sign(phi0) (V - (V/2)^2 h/|phi0|)
//     limit      gamma = ((v_hat - v_c)/R)+      G = 1/R where gamma > 0; 0 at the corner
//
// h = dt + tau. If the near-rigid bound determines R, h grows with R up to dt + max(dt, tau), so h is continuous where the bound
// begins to decide. The bound of v_hat lets an open equality close at less than the speed V for any step; usual gaps of closed
// equalities are far below h V. A limit is near-rigid, with tau = dt. A limit with a large violation, v_hat > V, returns its joint
// at most at the speed V: from v_c = V/2 on, the impulse falls steeply to 0,
//
//     gamma = (V - v_c) G                        G = (v_hat - V/2)/(R V/2)        v_hat at most 20 V
//
// The last bounds G. At constant v_c
//
//     d gamma = (dgamma/dv_hat) dv_hat - gamma dw/w      dv_hat = -dphi0/h, and dw where the near-rigid bound determines R;
//                                                        dv_hat = (phi0/h) dw/w where h grows with R

#include "contact/row_block.h"

#include "math/constants.h"

// V: largest speed at which a limit returns a joint or a constraint closes [rad/s or m/s]. With 1 rad/s the plan of
// problems/hopper.yaml costs twice as much and misses its goal at a tenth of the step
static const double FASTEST = 10;
static const double STRONGEST = 200; // largest v_hat of a limit: at rest it holds loads of 7,900 rad/s per step [rad/s or m/s]

// whether a limit lets go of a joint that comes back
static bool lets_go(const trxi_compliant *c, double v_c)
{
    return c->v_hat > FASTEST && v_c > FASTEST / 2;
}

static void prepare(trxi_row_block *block, const trxi_law_settings *settings)
{
    trxi_compliant *c = &block->compliant;
    const double dt = settings->dt;
    const bool exact = settings->exact_springs && isfinite(c->stiffness);
    const double bound = exact ? 0 : settings->near_rigid * settings->near_rigid / (4 * TRXI_PI * TRXI_PI) * block->w;
    const double shortest = dt + c->relaxation_time, longest = dt + fmax(dt, c->relaxation_time);
    const double compliant = 1 / (dt * c->stiffness * shortest), grown = shortest * bound / compliant;
    const bool rigid = bound >= compliant, grows = rigid && grown < longest;
    block->decided = (rigid ? TRXI_RIGID : 0) | (grows ? TRXI_GROWS : 0);
    c->horizon = grows ? grown : rigid ? longest : shortest;
    c->R = rigid ? bound : compliant;
    c->v_hat = -block->phi0 / c->horizon;
    c->R_law = c->R, c->held = 0;
}

// V/2 divided by the speed that closes the gap within h, at most 1; the slope is multiplied by the square of this share
static double eased(const trxi_row_block *block)
{
    const double wanted = fabs(block->phi0) / block->compliant.horizon;
    return wanted > FASTEST / 2 ? FASTEST / 2 / wanted : 1;
}

static void equality_prepare(trxi_row_block *block, const trxi_law_settings *settings)
{
    prepare(block, settings);
    const double share = eased(block);
    if (share < 1) block->compliant.v_hat *= (2 - share) * share;
}

static void limit_prepare(trxi_row_block *block, const trxi_law_settings *settings)
{
    prepare(block, settings);
    block->compliant.v_hat = fmin(block->compliant.v_hat, STRONGEST);
}

static void equality(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    at->gamma[0] = block->compliant.held + (block->compliant.v_hat - at->v_c[0]) / block->compliant.R;
    at->G.xx = 1 / block->compliant.R;
    at->branch = TRXI_ROW_ACTIVE;
}

static void limit(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    const trxi_compliant *c = &block->compliant;
    equality(block, dt, at);
    if (lets_go(c, at->v_c[0])) {
        at->G.xx = (c->v_hat - FASTEST / 2) / (c->R * FASTEST / 2);
        at->gamma[0] = (FASTEST - at->v_c[0]) * at->G.xx;
        at->branch |= TRXI_ROW_EASING;
    }
    if (!(at->gamma[0] > 0)) at->gamma[0] = at->G.xx = at->branch = 0;
}

// holds a share of gamma, so that the R of the level is at least `least` w. R_law gamma = v_hat - v_c once gamma no longer changes
static void hold(trxi_row_block *block, const double *gamma, double least, trxi_level_error *error)
{
    trxi_compliant *c = &block->compliant;
    const double before = c->held, R = c->R;
    c->held = (1 - c->R_law / R) * gamma[0];
    const double change = R * (c->held - before);
    c->R = fmax(c->R_law, least * block->w);
    c->held = (1 - c->R_law / c->R) * gamma[0];
    error->shares += change * change / block->w;
}

static void partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    (void)settings;
    out->phi[0] = -block->at.G.xx / block->compliant.horizon;
    if (block->decided & TRXI_RIGID) out->w[0] = -block->at.gamma[0] / block->w;
}

static void equality_partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    const double share = eased(block);
    partials(block, settings, out);
    out->phi[0] *= share * share;
    if (block->decided & TRXI_GROWS) out->w[0] -= out->phi[0] * block->phi0 / block->w;
}

static void limit_partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    const trxi_compliant *c = &block->compliant;
    partials(block, settings, out);
    if (block->at.branch & TRXI_ROW_EASING) out->phi[0] = -(FASTEST - block->at.v_c[0]) / (c->R * FASTEST / 2 * c->horizon);
    if (c->v_hat == STRONGEST) out->phi[0] = 0;
}

// distance to the state at which a limit begins to act, begins to let go, or reaches its largest v_hat, as a change of the
// coordinate
static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    const double v_hat = block->compliant.v_hat, v_c = block->at.v_c[0], wanted = -block->phi0 / block->compliant.horizon;
    double nearest = fabs(fmin(v_hat, FASTEST) - v_c);
    if (v_hat > FASTEST) nearest = fmin(nearest, fmin(fabs(v_c - FASTEST / 2), fabs(wanted - STRONGEST)));
    if (v_c > FASTEST / 2 && v_c < FASTEST) nearest = fmin(nearest, fabs(v_hat - FASTEST));
    return nearest * 2 * settings->dt;
}

static void offset(const trxi_row_block *block, double dt, const trxi_row_state *at, double *f)
{
    (void)dt;
    f[0] += fabs(block->compliant.held) + fabs(block->compliant.v_hat) * at->G.xx;
}

static void limit_offset(const trxi_row_block *block, double dt, const trxi_row_state *at, double *f)
{
    if (lets_go(&block->compliant, at->v_c[0])) f[0] += FASTEST * at->G.xx;
    else offset(block, dt, at, f);
}

const trxi_law trxi_limit = {.name = "limit", .key = 0, .needs_mass = true, .prepare = limit_prepare, .impulse = limit,
                             .partials = limit_partials, .kink = kink, .offset = limit_offset};
const trxi_law trxi_equality = {.name = "constraint", .key = 1, .needs_mass = true, .prepare = equality_prepare,
                                .impulse = equality, .partials = equality_partials, .offset = offset, .hold = hold};
