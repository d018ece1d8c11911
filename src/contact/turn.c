// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Torsional and rolling friction of a contact (theory 4): moments about the axes of the contact frame, from the angular velocity
// w of B against A. With the rolling and torsional lengths r, l [m] and the soft norm's e [rad/s]
//
//     gamma_t = -r gn0 t_s(w_t)      gamma_n = -l gn0 w_n / S_n      S_n = sqrt(w_n^2 + e^2)
//
// The limits come from the lagged normal impulse of the point.

#include "contact/friction.h"

static void prepare(trxi_row_block *block, const trxi_law_settings *settings)
{
    block->decided = 0;
    block->soft = block->soft_wanted = settings->joint_stiction_tolerance;
}

static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    const trxi_contact *c = &block->contact;
    const double roll = c->material->rolling_friction * c->gn0, twist = c->material->torsional_friction * c->gn0, e = block->soft;
    const double *w = at->v_c;
    double S = sqrt(w[0] * w[0] + w[1] * w[1] + e * e), tx = w[0] / S, ty = w[1] / S;
    double Sn = sqrt(w[2] * w[2] + e * e), share = e / Sn;
    at->gamma[0] = -roll * tx, at->gamma[1] = -roll * ty, at->gamma[2] = -twist * w[2] / Sn;
    at->G = (trxi_sym3){.nn = twist * share * share / Sn};
    trxi_add_projector(roll / S, tx, ty, &at->G);
    at->branch = c->gn0 > 0 ? TRXI_TURN_ACTS : 0;
}

// linear in gn0
static void partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    (void)settings;
    const double gn0 = block->contact.gn0;
    for (int i = 0; i < 3 && gn0 > 0; i++) out->gn0[i] = block->at.gamma[i] / gn0;
}

// by the lengths and by gn0; d(w/S)/de = -w e/S^3
static void parameter(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p, double *gamma_theta)
{
    const trxi_contact *c = &block->contact;
    const trx_pair_law *m = c->material;
    const double *w = block->at.v_c, e = block->soft;
    const double S = sqrt(w[0] * w[0] + w[1] * w[1] + e * e), Sn = sqrt(w[2] * w[2] + e * e);
    if (p == TRX_JOINT_STICTION_TOLERANCE) {
        const double roll = m->rolling_friction * c->gn0 * e / (S * S * S);
        const double twist = m->torsional_friction * c->gn0 * e / (Sn * Sn * Sn);
        gamma_theta[0] = roll * w[0], gamma_theta[1] = roll * w[1], gamma_theta[2] = twist * w[2];
        return;
    }
    const double dgn0 = settings->dt * trxi_force_parameter(c->material, p, block->phi0, c->v_n0);
    const double roll = m->rolling_friction * dgn0 + (p == TRX_PAIR_ROLLING_FRICTION ? c->gn0 : 0);
    const double twist = m->torsional_friction * dgn0 + (p == TRX_PAIR_TORSIONAL_FRICTION ? c->gn0 : 0);
    gamma_theta[0] = -roll * w[0] / S, gamma_theta[1] = -roll * w[1] / S, gamma_theta[2] = -twist * w[2] / Sn;
}

const trxi_law trxi_turn = {.name = "turn", .angular = true, .uses_lagged = true, .prepare = prepare,
                            .soften = trxi_friction_soften, .impulse = impulse, .partials = partials, .parameter = parameter};
