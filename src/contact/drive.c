// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drives, and springs and dampers of tendons (theory 4, table of other constraints): a force that falls with the velocity,
// within the effort of the actuator.
//
//     gamma = dt clamp(f0 - slope v_c, lower, upper)      G = dt slope inside the clamp; 0 at its corners

#include "contact/row_block.h"

static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    const trxi_drive_constants *c = &block->drive;
    double f = c->f0 - c->slope * at->v_c[0];
    bool low = f <= c->lower, high = f >= c->upper;
    at->gamma[0] = dt * (low ? c->lower : high ? c->upper : f);
    at->G.xx = low || high ? 0 : dt * c->slope;
    at->branch = low ? 0 : high ? TRXI_ROW_UPPER : TRXI_ROW_ACTIVE;
}

// the smallest change of the coordinate at which the drive reaches or leaves a limit of its effort
static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    const trxi_drive_constants *c = &block->drive;
    double f = c->f0 - c->slope * block->at.v_c[0];
    if (!(c->slope > 0)) return INFINITY; // a motor: its force depends on the control alone
    return fmin(fabs(f - c->lower), fabs(c->upper - f)) * settings->dt / c->slope;
}

static double offset(const trxi_row_block *block, double dt, const trxi_sym3 *G)
{
    (void)G;
    return fabs(block->drive.f0) * dt;
}

const trxi_law trxi_drive = {.name = "drive", .key = 2, .impulse = impulse, .kink = kink, .offset = offset};
const trxi_law trxi_spring = {.name = "spring", .key = 4, .impulse = impulse, .kink = kink, .offset = offset};
