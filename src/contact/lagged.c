// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Lagged friction (theory 4): the limit of friction comes from the lagged normal impulse gn0. With P = I - t_s t_s^T
//
//     gamma_t = -mu gn0 t_s      gamma_n = n(v_n)      G = blkdiag(mu gn0 P / S, -n')
//
// The regularized variant differs only in e. See friction.h for the soft norm and for anisotropic friction.

#include "contact/friction.h"

static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    const trxi_contact *c = &block->contact;
    const double limit = c->mu * c->gn0;
    const trxi_normal normal = trxi_contact_normal(c, block->phi0, dt, at->v_c[2]);
    at->gamma[0] = at->gamma[1] = 0, at->gamma[2] = normal.n;
    at->G = (trxi_sym3){.nn = -normal.slope};
    at->branch = normal.branch;
    if (limit == 0) return; // most contacts of a step do not touch at its start
    const trxi_slip slip = trxi_slip_at(block, at->v_c);
    at->gamma[0] = -limit * slip.d[0], at->gamma[1] = -limit * slip.d[1];
    trxi_add_stretched(limit / slip.S, c->stretch, &slip, &at->G);
}

// gamma_t = -mu gn0 D t_s, gamma_n = n(v_n); d t_s/de = -t_s e / S^2
static void partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    const trxi_contact *c = &block->contact;
    const trxi_slip slip = trxi_slip_at(block, block->at.v_c);
    const trxi_normal normal = trxi_contact_normal(c, block->phi0, settings->dt, block->at.v_c[2]);
    out->phi[2] = settings->dt * normal.f_phi;
    out->vn0[2] = normal.v_n0;
    for (int i = 0; i < 2; i++) {
        out->gn0[i] = -c->mu * slip.d[i];
        out->mu[i] = -c->gn0 * slip.d[i];
    }
    if (!(block->decided & TRXI_REGULARIZED)) return;
    const double slope = c->mu * c->gn0 * block->soft / (slip.S * slip.S);
    trxi_friction_chain_soft(block, settings, (double[3]){slope * slip.d[0], slope * slip.d[1], 0}, out);
}

// gamma_t = -mu gn0 D t_s, gamma_n = n(v_n); d t_s/de = -t_s e/S^2
static void parameter(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p, double *gamma_theta)
{
    const trxi_contact *c = &block->contact;
    const trxi_law_change d = trxi_law_parameter_change(block, settings, p, block->at.v_c[2]);
    const trxi_slip slip = trxi_slip_at(block, block->at.v_c);
    double turned[2], longer;
    trxi_slip_stretch_change(block, &slip, turned, &longer);
    double along = -(d.mu * c->gn0 + c->mu * d.gn0) + c->mu * c->gn0 * block->soft / (slip.S * slip.S) * d.e;
    for (int i = 0; i < 2; i++) gamma_theta[i] = along * slip.d[i] - c->mu * c->gn0 * d.stretch * turned[i];
    gamma_theta[2] = d.n;
}

static double separation(const trxi_row_block *block, const double *v_c)
{
    (void)block;
    return v_c[2];
}

static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    return trxi_friction_kink(block, settings, block->at.v_c[2]);
}

// alpha at which the gap of a barrier at v_n + alpha dv_n becomes 0
static double longest_step(const trxi_row_block *block, const double *v_c, const double *dv_c)
{
    const double open = trxi_contact_gap(&block->contact, block->phi0, 0) / block->contact.between.ahead + v_c[2];
    return dv_c[2] < 0 ? open / -dv_c[2] : INFINITY;
}

#define LAGGED .uses_lagged = true, .soften = trxi_friction_soften, .impulse = impulse, .partials = partials, \
               .parameter = parameter, .kink = kink, .separation = separation, .longest_step = longest_step, \
               .sticks = trxi_friction_sticks

const trxi_law trxi_lagged = {.name = "lagged", .prepare = trxi_friction_prepare, LAGGED};
const trxi_law trxi_lagged_regularized = {
    .name = "lagged_regularized", .needs_mass = true, .prepare = trxi_friction_prepare_regularized, LAGGED};
