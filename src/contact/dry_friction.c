// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Dry friction of joints (theory 4, other rows with one impulse), with S = sqrt(v_c^2 + e^2):
//
//     gamma = -dt most v_c/S      G = dt most e^2/S^3

#include "contact/friction.h"

static void prepare(trxi_row_block *block, const trxi_law_settings *settings)
{
    block->soft = block->soft_wanted = settings->joint_stiction_tolerance;
}

static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    const double v = at->v_c[0], S = sqrt(v * v + block->soft * block->soft), share = block->soft / S;
    at->gamma[0] = -dt * block->most * v / S;
    at->G.xx = dt * block->most * share * share / S;
    at->branch = TRXI_ROW_ACTIVE;
}

// d gamma/d most = -dt v/S, d gamma/de = dt most v e/S^3
static void parameter(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p, double *gamma_theta)
{
    const double dt = settings->dt, v = block->at.v_c[0], e = block->soft, S = sqrt(v * v + e * e);
    gamma_theta[0] = p == TRX_JOINT_FRICTION             ? -dt * v / S
                     : p == TRX_JOINT_STICTION_TOLERANCE ? dt * block->most * v * e / (S * S * S)
                                                         : 0;
}

const trxi_law trxi_dry_friction = {.name = "friction", .key = 3, .prepare = prepare,
                                    .soften = trxi_friction_soften, .impulse = impulse, .parameter = parameter};
