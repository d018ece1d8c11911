// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Similar friction (theory 4): normal impulse and friction follow one separation speed z.
//
//     gamma = n(z) w,   w = [-mu t_s; 1],   z = v_n - mu |v_t|_s       G = -n'(z) w w^T + blkdiag(mu n(z) P / S, 0)
//
// The regularized variant differs in e only. See friction.h for the soft norm and for anisotropic friction.
//
// Steps inside a barrier: phi0 > 0 makes v = 0 feasible, and the gap is concave along v_c + alpha dv_c, so the feasible alpha form
// one interval from 0. With B = gap(0)/ahead + v_n + mu e and b = dv_n, the interval ends at the smallest positive root of
//
//     (B + alpha b)^2 = mu^2 (|x + alpha dx|^2 + e^2)                                                      (theory 3)

#include "contact/friction.h"

static double separation(const trxi_row_block *block, const double *v_c)
{
    const trxi_slip slip = trxi_slip_at(block, v_c);
    return v_c[2] - block->contact.mu * trxi_slip_norm(block, &slip);
}

static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    const trxi_contact *c = &block->contact;
    const double mu = c->mu;
    const trxi_slip slip = trxi_slip_at(block, at->v_c);
    const trxi_normal normal = trxi_contact_normal(c, block->phi0, dt, at->v_c[2] - mu * trxi_slip_norm(block, &slip));
    double wx = -mu * slip.d[0], wy = -mu * slip.d[1], stiff = -normal.slope;
    at->gamma[0] = normal.n * wx, at->gamma[1] = normal.n * wy, at->gamma[2] = normal.n;
    at->G = (trxi_sym3){stiff * wx * wx, stiff * wx * wy, stiff * wy * wy, stiff * wx, stiff * wy, stiff};
    trxi_add_stretched(mu * normal.n / slip.S, c->stretch, &slip, &at->G);
    at->branch = normal.branch;
}

// gamma = n(z) [-mu D t_s; 1], z = v_n - mu (S - e); dz/de = -mu (e/S - 1), dz/dmu = -(S - e)
static void partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    const trxi_contact *c = &block->contact;
    const double mu = c->mu;
    const trxi_slip slip = trxi_slip_at(block, block->at.v_c);
    const double norm = trxi_slip_norm(block, &slip);
    const trxi_normal normal = trxi_contact_normal(c, block->phi0, settings->dt, block->at.v_c[2] - mu * norm);
    double n_e = normal.slope * mu * norm / slip.S, n_mu = -normal.slope * norm, gamma_e[3] = {0, 0, n_e};
    for (int i = 0; i < 2; i++) {
        out->phi[i] = -mu * slip.d[i] * settings->dt * normal.f_phi;
        out->vn0[i] = -mu * slip.d[i] * normal.v_n0;
        out->mu[i] = -(normal.n + mu * n_mu) * slip.d[i];
        gamma_e[i] = -mu * slip.d[i] * n_e + mu * normal.n * slip.d[i] * block->soft / (slip.S * slip.S);
    }
    out->phi[2] = settings->dt * normal.f_phi;
    out->vn0[2] = normal.v_n0;
    out->mu[2] = n_mu;
    if (block->decided & TRXI_REGULARIZED) trxi_friction_chain_soft(block, settings, gamma_e, out);
}

// gamma = n(z) [-mu D t_s; 1], z = v_n - mu |x|_s; d|x|_s/de = e/S - 1 = -|x|_s / S
static void parameter(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p, double *gamma_theta)
{
    const trxi_contact *c = &block->contact;
    const double mu = c->mu;
    const trxi_slip slip = trxi_slip_at(block, block->at.v_c);
    const double norm = trxi_slip_norm(block, &slip), z = block->at.v_c[2] - mu * norm;
    const trxi_law_change d = trxi_law_parameter_change(block, settings, p, z);
    const trxi_normal normal = trxi_contact_normal(c, block->phi0, settings->dt, z);
    double turned[2], longer;
    trxi_slip_stretch_change(block, &slip, turned, &longer);
    double dz = -d.mu * norm + mu * norm / slip.S * d.e - mu * longer * d.stretch;
    double dn = d.n + normal.slope * dz;
    double along = -(d.mu * normal.n + mu * dn) + mu * normal.n * block->soft / (slip.S * slip.S) * d.e;
    for (int i = 0; i < 2; i++) gamma_theta[i] = along * slip.d[i] - mu * normal.n * d.stretch * turned[i];
    gamma_theta[2] = dn;
}

static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    return trxi_friction_kink(block, settings, separation(block, block->at.v_c));
}

// smallest positive root of c0 + 2 c1 a + c2 a^2 with c0 > 0; INFINITY without one
static double first_root(double c0, double c1, double c2)
{
    double root = c1 * c1 - c2 * c0;
    if (root < 0) return INFINITY;
    double slope = sqrt(root) - c1;
    return slope > 0 ? c0 / slope : INFINITY;
}

static double longest_step(const trxi_row_block *block, const double *v_c, const double *dv_c)
{
    const trxi_contact *c = &block->contact;
    const double open = trxi_contact_gap(c, block->phi0, 0) / c->between.ahead + v_c[2];
    if (!(c->mu > 0)) return dv_c[2] < 0 ? open / -dv_c[2] : INFINITY;

    const double mu = c->mu, e = block->soft, s = c->stretch, B = open + mu * e, b = dv_c[2];
    const double x[2] = {s * v_c[0], v_c[1] / s}, dx[2] = {s * dv_c[0], dv_c[1] / s};
    double c0 = open * (open + 2 * mu * e) - mu * mu * (x[0] * x[0] + x[1] * x[1]); // B^2 - mu^2 (|x|^2 + e^2)
    double c1 = B * b - mu * mu * (x[0] * dx[0] + x[1] * dx[1]);
    double c2 = b * b - mu * mu * (dx[0] * dx[0] + dx[1] * dx[1]);
    return c0 > 0 ? first_root(c0, c1, c2) : 0;
}

#define SIMILAR .soften = trxi_friction_soften, .crawls = true, .impulse = impulse, .partials = partials, \
                .parameter = parameter, .kink = kink, .separation = separation, .longest_step = longest_step, \
                .sticks = trxi_friction_sticks

const trxi_law trxi_similar = {.name = "similar", .prepare = trxi_friction_prepare, SIMILAR};
const trxi_law trxi_similar_regularized = {.name = "similar_regularized", .needs_mass = true, .uses_lagged = true,
                                           .prepare = trxi_friction_prepare_regularized, SIMILAR};
