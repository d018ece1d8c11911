// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Drives, and springs and dampers of tendons (theory 4, other rows with one impulse): a force that falls with the velocity,
// within the effort of the actuator.
//
//     gamma = dt clamp(f0 - slope v_c - strength FV(rate v_c), lower, upper)      G = -d gamma/d v_c; 0 at the corners of the clamp
//
// The last term is the pull of a muscle. FV does not decrease (model/muscle.c), so the row has a convex potential.

#include "contact/row_block.h"
#include "model/muscle.h"

trxi_drive_force trxi_drive_at(const trxi_drive_constants *c, double v_c)
{
    const trxi_pull *p = &c->pull;
    trxi_drive_force out = {c->f0 - c->slope * v_c, c->slope, c->stiffness, c->gain, INFINITY, 0};
    if (!(p->rate > 0)) return out;
    const trxi_curve speed = trxi_muscle_speed(p->most, p->rate * v_c);
    out.f -= p->strength * speed.value;
    out.slope += p->strength * p->rate * speed.slope;
    out.stiffness += p->strength_L * speed.value;
    out.gain -= p->strength_w * speed.value;
    out.room = p->strength > 0 ? speed.room / p->rate : INFINITY;
    out.piece = p->strength > 0 ? speed.piece : 0;
    return out;
}

static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    const trxi_drive_constants *c = &block->drive;
    const trxi_drive_force force = trxi_drive_at(c, at->v_c[0]);
    const bool low = force.f <= c->lower, high = force.f >= c->upper;
    at->gamma[0] = dt * (low ? c->lower : high ? c->upper : force.f);
    at->G.xx = low || high ? 0 : dt * force.slope;
    at->branch = low ? 0 : high ? TRXI_ROW_UPPER : TRXI_ROW_ACTIVE;
    if (at->branch == TRXI_ROW_ACTIVE) at->branch |= (int)(c->pull.pieces * TRXI_CURVE_PIECES + force.piece) * TRXI_ROW_PIECES;
}

// the smallest change of the coordinate at which the drive reaches or leaves a limit of its effort, or a curve of a muscle its
// piece
static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    const trxi_drive_constants *c = &block->drive;
    const trxi_drive_force force = trxi_drive_at(c, block->at.v_c[0]);
    const double pieces = c->pull.rate > 0 ? fmin(c->pull.room, force.room * settings->dt) : INFINITY;
    if (!(force.slope > 0)) return pieces; // a motor: its force depends on the control alone
    return fmin(pieces, fmin(fabs(force.f - c->lower), fabs(c->upper - force.f)) * settings->dt / force.slope);
}

// the effort of a drive beyond its limits is exactly the limit
static void offset(const trxi_row_block *block, double dt, const trxi_row_state *at, double *f)
{
    if (at->G.xx > 0) f[0] += (fabs(block->drive.f0) + block->drive.pull.strength * block->drive.pull.most) * dt;
}

const trxi_law trxi_drive = {.name = "drive", .key = 2, .impulse = impulse, .kink = kink, .offset = offset};
const trxi_law trxi_spring = {.name = "spring", .key = 4, .impulse = impulse, .kink = kink, .offset = offset};
