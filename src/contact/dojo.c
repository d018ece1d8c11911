// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Contact points on the central path of rigid contact with Coulomb friction (theory 4, the model dojo). With s = v_n - v_hat and
// the point kappa of the path, the interior-point method solves
//
//     gamma_n s = kappa        (mu gamma_n, gamma_t) o (eta, v_t) = kappa (1, 0, 0)
//
// o is the product of the second-order cone. The second condition is a law of the velocity alone:
//
//     gamma_t = -m v_t/(e + S)      m = mu gamma_n,  e = kappa/(2 m),  S = sqrt(e^2 + |v_t|^2),      d gamma_t/dm = -v_t/S
//
// All slopes are smooth except at the gap 0, where a penetration begins and v_hat has a kink. The normal slopes are computed from
// gamma_n, which keeps its digits when s is small.

#include "contact/friction.h"
#include "contact/rigid.h"

// friction below this share of its bound sticks
static const double sticking = 0.95;

static void prepare(trxi_row_block *block, const trxi_law_settings *settings)
{
    block->decided = TRXI_RIGID | (trxi_rigid_is_behind(block) ? TRXI_BEHIND : 0);
    block->soft = block->soft_wanted = 0;
    block->contact.kappa = settings->kappa;
    block->contact.sap = (trxi_sap_constants){.v_hat = trxi_rigid_target(block)};
}

// friction at the tangential velocity v_c for a normal impulse
typedef struct bound {
    double m, e, S;
} bound;

static bound bound_at(const trxi_row_block *block, const double *v_c, double gamma_n)
{
    const double m = block->contact.mu * gamma_n, e = m > 0 ? 0.5 * block->contact.kappa / m : 0;
    return (bound){m, e, sqrt(e * e + v_c[0] * v_c[0] + v_c[1] * v_c[1])};
}

static void impulse(const trxi_row_block *block, double dt, trxi_row_state *at)
{
    (void)dt;
    const double s = at->v_c[2] - block->contact.sap.v_hat;
    at->gamma[2] = s > 0 ? block->contact.kappa / s : INFINITY;
    const bound b = bound_at(block, at->v_c, at->gamma[2]);
    for (int i = 0; i < 2; i++) at->gamma[i] = b.m > 0 ? -b.m * at->v_c[i] / (b.e + b.S) : 0;
    at->G = (trxi_sym3){0};
    at->branch = 0;
}

// change of the impulse with gamma_n: (d gamma_t/d gamma_n, 1)
static void along_normal(const trxi_row_block *block, const bound *b, double out[3])
{
    const double rate = b->m > 0 ? -block->contact.mu / b->S : 0;
    out[0] = rate * block->at.v_c[0], out[1] = rate * block->at.v_c[1], out[2] = 1;
}

// -d gamma_n/dv_n = kappa/s^2
static double normal_slope(const trxi_row_block *block)
{
    return block->at.gamma[2] * block->at.gamma[2] / block->contact.kappa;
}

// G_nt = 0: half of G_tn in G, half in skew
static void slope(const trxi_row_block *block, trxi_sym3 *G, double skew[3])
{
    const bound b = bound_at(block, block->at.v_c, block->at.gamma[2]);
    const double stiff = normal_slope(block), *v = block->at.v_c;
    double by_n[3];
    along_normal(block, &b, by_n);
    *G = (trxi_sym3){.xn = 0.5 * stiff * by_n[0], .yn = 0.5 * stiff * by_n[1], .nn = stiff};
    skew[0] = -G->yn, skew[1] = G->xn, skew[2] = 0;
    if (!(b.m > 0)) return;
    const double scale = b.m / (b.e + b.S), curve = scale / (b.S * (b.e + b.S));
    G->xx = scale - curve * v[0] * v[0], G->xy = -curve * v[0] * v[1], G->yy = scale - curve * v[1] * v[1];
}

static void partials(const trxi_row_block *block, const trxi_law_settings *settings, trxi_law_partials *out)
{
    (void)settings;
    const bound b = bound_at(block, block->at.v_c, block->at.gamma[2]);
    const double fall = -normal_slope(block) / trxi_rigid_horizon(block);
    double by_n[3];
    along_normal(block, &b, by_n);
    for (int i = 0; i < 3; i++) {
        out->phi[i] = fall * by_n[i];
        out->vn0[i] = block->contact.between.behind * out->phi[i];
    }
    for (int i = 0; i < 2 && b.m > 0; i++) out->mu[i] = -block->at.gamma[2] / b.S * block->at.v_c[i];
}

static void parameter(const trxi_row_block *block, const trxi_law_settings *settings, trx_parameter_kind p, double *gamma_theta)
{
    trxi_law_partials d = {0};
    partials(block, settings, &d);
    const double dmu = trxi_friction_parameter(&block->contact, p).mu;
    for (int i = 0; i < 3; i++) gamma_theta[i] = d.mu[i] * dmu;
}

static double kink(const trxi_row_block *block, const trxi_law_settings *settings)
{
    (void)settings;
    return trxi_rigid_kink(block);
}

static double separation(const trxi_row_block *block, const double *v_c)
{
    (void)block;
    return v_c[2];
}

static bool sticks(const trxi_row_block *block)
{
    const double *gamma = block->at.gamma;
    return hypot(gamma[0], gamma[1]) < sticking * block->contact.mu * gamma[2];
}

const trxi_law trxi_dojo = {.name = "dojo", .needs_mass = true, .prepare = prepare, .impulse = impulse,
                            .partials = partials, .parameter = parameter, .slope = slope, .kink = kink, .separation = separation,
                            .sticks = sticks};
