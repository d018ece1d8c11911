// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Joint limits and rows of holonomic constraints (theory 4, table of other constraints): springs with dampers that close a gap
// phi0 within h seconds. With R = max(beta^2/(4 pi^2) w, 1/(dt k (dt + tau))) and v_hat = -phi0/h
//
//     equality   gamma = (v_hat - v_c)/R         G = 1/R
//     limit      gamma = ((v_hat - v_c)/R)+      G = 1/R where gamma > 0; 0 at the corner
//
// h = dt + tau, and 2 dt if the near-rigid bound determines R. A limit is near-rigid. At constant v_c
//
//     d gamma = -G dphi0/h - gamma dw/w          the last where the near-rigid bound determines R

#include "contact/row_block.h"

#include "math/constants.h"

static void prepare(trxi_row_block *block, const trxi_law_settings *settings)
{
    trxi_compliant *c = &block->compliant;
    const double dt = settings->dt;
    const double bound = settings->near_rigid * settings->near_rigid / (4 * TRXI_PI * TRXI_PI) * block->w;
    const double compliant = 1 / (dt * c->stiffness * (dt + c->relaxation_time));
    block->decided = compliant > bound ? 0 : TRXI_RIGID;
    c->horizon = dt + (block->decided ? dt : c->relaxation_time);
    c->R = block->decided ? bound : 1 / (dt * c->stiffness * c->horizon);
    c->v_hat = -block->phi0 / c->horizon;
}

static void equality(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    at->gamma[0] = (block->compliant.v_hat - at->v_c[0]) / block->compliant.R;
    at->G.xx = 1 / block->compliant.R;
    at->branch = TRXI_ROW_ACTIVE;
}

static void limit(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    equality(block, dt, at);
    if (!(at->gamma[0] > 0)) at->gamma[0] = at->G.xx = at->branch = 0;
}

static void partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    (void)settings;
    out->phi[0] = -block->at.G.xx / block->compliant.horizon;
    if (block->decided & TRXI_RIGID) out->w[0] = -block->at.gamma[0] / block->w;
}

// a limit that starts to act, as a change of the coordinate
static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    return fabs(block->compliant.v_hat - block->at.v_c[0]) * 2 * settings->dt;
}

static double offset(const trxi_row_block *block, double dt, const trxi_sym3 *G)
{
    (void)dt;
    return fabs(block->compliant.v_hat) * G->xx;
}

const trxi_law trxi_limit = {.name = "limit", .key = 0, .rows = 1, .needs_mass = true, .prepare = prepare, .impulse = limit,
                             .partials = partials, .kink = kink, .offset = offset};
const trxi_law trxi_equality = {.name = "constraint", .key = 1, .rows = 1, .needs_mass = true, .prepare = prepare,
                                .impulse = equality, .partials = partials, .offset = offset};
