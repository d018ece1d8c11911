// SPDX-FileCopyrightText: the tractrix authors
// SPDX-License-Identifier: BSD-3-Clause

// Common parts of the friction laws (theory 4). Soft norm |x|_s = sqrt(|x|^2 + e^2) - e, S = sqrt(|x|^2 + e^2), t_s = x
// / S.
//
// Anisotropic friction with the tensor m = mu D, D = diag(s, 1/s) in the frame: the soft norm is taken of x = D v_t,
// and D multiplies each t_s and both sides of P = I - t_s t_s^T. The tolerance of the model, e sqrt(det m), is e times mu. With
// s = 1 the model is isotropic, to the last bit.
//
// Static and dynamic friction: mu = mu_d + (mu_s - mu_d) exp(-(slip0/v_s)^2) with the slip speed before the step. mu is a
// constant of the solve: if mu fell with the slip speed of the same step, the potential might not be convex.

#include "contact/friction.h"

#include "model/pair_law.h"

void trxi_contact_friction(trxi_contact *c, double slip0)
{
    const trx_pair_law *law = c->material;
    double ratio = slip0 / law->slip_speed;
    c->slip0 = slip0;
    c->share = law->slip_speed > 0 ? exp(-ratio * ratio) : 1;
    c->mu = law->slip_speed > 0 ? law->dynamic_friction + (law->friction - law->dynamic_friction) * c->share : law->friction;
    c->stretch = 1;
    if (!trxi_pair_law_anisotropic(law) || law->friction == law->friction_across) return;
    c->stretch = sqrt(law->friction / law->friction_across);
    c->mu /= c->stretch;
}

// ---- constants ----

void trxi_friction_prepare(trxi_row_block *c, const trxi_law_settings *settings)
{
    c->decided = 0;
    c->soft = c->soft_wanted = settings->stiction_tolerance;
}

void trxi_friction_prepare_regularized(trxi_row_block *c, const trxi_law_settings *settings)
{
    trxi_friction_prepare(c, settings);
    double soft = settings->regularization * c->w * c->contact.mu * c->contact.gn0;
    if (!(soft > settings->stiction_tolerance)) return;
    c->decided = TRXI_REGULARIZED;
    c->soft = c->soft_wanted = soft;
}

bool trxi_friction_soften(trxi_row_block *c, const trxi_law_settings *settings, double soft)
{
    (void)settings;
    c->soft = fmax(soft, c->soft_wanted);
    return soft > c->soft_wanted;
}

// e = sigma w mu gn0
void trxi_friction_chain_soft(const trxi_row_block *c, const trxi_law_settings *settings, const double gamma_e[3],
                              trxi_law_partials *out)
{
    const double sigma = settings->regularization, mu = c->contact.mu, gn0 = c->contact.gn0;
    for (int i = 0; i < 3; i++) {
        out->gn0[i] += gamma_e[i] * sigma * c->w * mu;
        out->w[i] += gamma_e[i] * sigma * mu * gn0;
        out->mu[i] += gamma_e[i] * sigma * c->w * gn0;
    }
}

bool trxi_friction_sticks(const trxi_row_block *c)
{
    return hypot(c->at.v_c[0], c->at.v_c[1]) <= c->soft_wanted;
}

// sigma w mu gn0 against the stiction tolerance, as a change of the gap through gn0 = dt f(phi0, v_n0)
static double regularization_kink(const trxi_row_block *c, const trxi_law_settings *settings)
{
    double slope = settings->regularization * c->w * c->contact.mu, rate = slope * fabs(c->contact.gn0_phi);
    return rate > 0 ? fabs(slope * c->contact.gn0 - settings->stiction_tolerance) / rate : INFINITY;
}

double trxi_friction_kink(const trxi_row_block *c, const trxi_law_settings *settings, double v)
{
    const trxi_contact *k = &c->contact;
    const double dt = settings->dt;
    double distance = trxi_force_kink(k->material, dt, trxi_contact_gap(k, c->phi0, v), trxi_contact_speed(k, v));
    if (c->law->uses_lagged) distance = fmin(distance, trxi_force_kink(k->material, dt, c->phi0, k->v_n0));
    return fmin(distance, regularization_kink(c, settings));
}

// ---- parameters ----

// mu = (mu_d + (mu_1 - mu_d) share)/s, share = exp(-(slip0/v_s)^2), s = sqrt(mu_1/mu_2)
trxi_friction_change trxi_friction_parameter(const trxi_contact *c, trx_parameter_kind p)
{
    const trx_pair_law *law = c->material;
    const bool falls = law->slip_speed > 0, anisotropic = trxi_pair_law_anisotropic(law);
    const double s = c->stretch, ratio = falls ? c->slip0 / law->slip_speed : 0;
    trxi_friction_change d = {0, 0};
    if (p == TRX_PAIR_FRICTION) {
        d.mu = c->share / s;
        if (anisotropic) d.stretch = s / (2 * law->friction);
    } else if (p == TRX_PAIR_FRICTION_ACROSS && anisotropic) {
        d.stretch = -s / (2 * law->friction_across);
    } else if (p == TRX_PAIR_DYNAMIC_FRICTION && falls) {
        d.mu = (1 - c->share) / s;
    } else if (p == TRX_PAIR_SLIP_SPEED && falls) {
        d.mu = (law->friction - law->dynamic_friction) * c->share * 2 * ratio * ratio / law->slip_speed / s;
    }
    d.mu -= c->mu * d.stretch / s;
    return d;
}

trxi_law_change trxi_law_parameter_change(const trxi_row_block *c, const trxi_law_settings *settings, trx_parameter_kind p,
                                          double v)
{
    const trxi_contact *k = &c->contact;
    const trxi_friction_change friction = trxi_friction_parameter(k, p);
    trxi_law_change d = {.mu = friction.mu, .stretch = friction.stretch};
    d.n = settings->dt * trxi_force_parameter(k->material, p, trxi_contact_gap(k, c->phi0, v), trxi_contact_speed(k, v));
    d.gn0 = settings->dt * trxi_force_parameter(k->material, p, c->phi0, k->v_n0);
    d.e = c->decided & TRXI_REGULARIZED ? settings->regularization * c->w * (d.mu * k->gn0 + k->mu * d.gn0)
                                        : p == TRX_STICTION_TOLERANCE;
    return d;
}

// dD t_s + D (I - t_s t_s^T) dD v_t / S
void trxi_slip_stretch_change(const trxi_row_block *c, const trxi_slip *slip, double direction[2], double *norm)
{
    const double s = c->contact.stretch, dx[2] = {c->at.v_c[0], -c->at.v_c[1] / (s * s)};
    *norm = slip->t[0] * dx[0] + slip->t[1] * dx[1];
    direction[0] = slip->t[0] + s * (dx[0] - slip->t[0] * *norm) / slip->S;
    direction[1] = -slip->t[1] / (s * s) + (dx[1] - slip->t[1] * *norm) / (slip->S * s);
}
